// Where each bin of a line stands, in whole pixels. Pure: bins in, segments out.
//
// A line that is not counted to its end has no widths by evidence: its first bins are equally wide, what refines a stretch
// keeps the width of the stretch, so that nothing jumps, and the ruler says what is not counted. Widths by items, or by bytes,
// come when all is counted.

import type { Bin, Line } from './bins';
import { compare, fraction, part, type KeyValue } from './keys';
import type { Bound, Ends } from './range';

export type Scale = 'items' | 'bytes' | 'equal';

export interface Segment {
  x: number;
  width: number;
  /** Offsets of its first and last bin in the line. */
  from: number;
  to: number;
  folders: number;
  items: number;
  bytes: number;
  isExact: boolean;
}

/** A segment is at least so wide that it can be seen and hit. */
export const SEGMENT_MIN_PX = 3;
/** Part of the width that all bins share equally, so that a small one beside a huge one is still a place. */
const SHARED = 0.2;

/** Returns the segments of a line, `width` pixels in all. */
export function layout(bins: readonly Bin[], width: number, scale: Scale): Segment[] {
  const whole = Math.max(0, Math.floor(width));
  if (bins.length === 0 || whole < SEGMENT_MIN_PX) return [];
  const weights = weightsOf(bins, scale);
  const total = weights.reduce((sum, one) => sum + one, 0);
  const groups = grouped(bins, weights.map((one) => (one / total) * whole), Math.floor(whole / SEGMENT_MIN_PX));
  return placed(groups, whole);
}

function weightsOf(bins: readonly Bin[], scale: Scale): number[] {
  if (scale === 'equal') return bins.map(() => 1);
  if (bins.some((bin) => !bin.IsExact)) return bins.map((bin) => bin.weight ?? 1);
  const raw = bins.map((bin) => (scale === 'bytes' ? bin.Bytes : bin.Items));
  const shared = (raw.reduce((sum, one) => sum + one, 0) * SHARED) / (bins.length * (1 - SHARED)) || 1;
  return raw.map((one) => one + shared);
}

interface Group extends Segment {
  wanted: number;
}

/** Merges neighbours that are too narrow to be seen, and more of them if there are still too many. */
function grouped(bins: readonly Bin[], widths: number[], most: number): Group[] {
  let groups: Group[] = [];
  for (const [nth, bin] of bins.entries()) {
    const wanted = widths[nth]!;
    const last = groups.at(-1);
    if (last && last.wanted < SEGMENT_MIN_PX && wanted < SEGMENT_MIN_PX) merge(last, single(bin, nth, wanted));
    else groups.push(single(bin, nth, wanted));
  }
  while (groups.length > most) groups = halved(groups, groups.length - most);
  return groups;
}

function single(bin: Bin, nth: number, wanted: number): Group {
  return { x: 0, width: 0, from: nth, to: nth, folders: bin.Folders, items: bin.Items, bytes: bin.Bytes, isExact: bin.IsExact, wanted };
}

function merge(into: Group, next: Group): void {
  into.to = next.to;
  into.folders += next.folders;
  into.items += next.items;
  into.bytes += next.bytes;
  into.isExact &&= next.isExact;
  into.wanted += next.wanted;
}

/** Merges `count` groups, narrow ones first, into the one before them. */
function halved(groups: Group[], count: number): Group[] {
  const narrow = groups.map((group, nth) => [group.wanted, nth] as const).sort((a, b) => a[0] - b[0]);
  const gone = new Set(narrow.slice(0, Math.max(1, count)).map(([, nth]) => nth));
  const kept: Group[] = [];
  for (const [nth, group] of groups.entries()) {
    const last = kept.at(-1);
    if (last && gone.has(nth)) merge(last, group);
    else kept.push(group);
  }
  return kept.length < groups.length ? kept : [kept.reduce((into, next) => (merge(into, next), into))];
}

/** Gives each group its whole pixels; what the narrow ones take beyond their share, the wide ones give. */
function placed(groups: Group[], whole: number): Segment[] {
  const spare = groups.map((group) => Math.max(0, group.wanted - SEGMENT_MIN_PX));
  const given = spare.reduce((sum, one) => sum + one, 0);
  const left = whole - groups.length * SEGMENT_MIN_PX;
  let sum = 0;
  return groups.map(({ wanted: _, ...group }, nth) => {
    const x = Math.round(sum);
    sum += SEGMENT_MIN_PX + (given > 0 ? (spare[nth]! / given) * left : left / groups.length);
    return { ...group, x, width: Math.round(sum) - x };
  });
}

/** Returns the offset of the segment at a place; -1 if there is none. */
export function segmentAt(segments: readonly Segment[], x: number): number {
  let [low, high] = [0, segments.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { x: from, width } = segments[middle]!;
    if (x < from) high = middle - 1;
    else if (x >= from + width) low = middle + 1;
    else return middle;
  }
  return -1;
}

/** Returns the offset of the segment that holds a bin. */
export function segmentOfBin(segments: readonly Segment[], nth: number): number {
  return segments.findIndex((one) => one.from <= nth && nth <= one.to);
}

/** Returns where on the line a key stands, in pixels; between two segments, the end of the first. */
export function placeOf(line: Line, segments: readonly Segment[], key: KeyValue): number {
  let end = 0;
  for (const segment of segments) {
    const first = part(line.bins[segment.from]!.First, line.attribute);
    const last = part(line.bins[segment.to]!.Last, line.attribute);
    if (!first || !last) continue;
    if (compare(key, first) <= 0) return Math.max(end, compare(key, first) === 0 ? segment.x : end);
    if (compare(key, last) <= 0) return segment.x + Math.round(inside(line, segment, key) * segment.width);
    end = segment.x + segment.width;
  }
  return end;
}

function inside(line: Line, segment: Segment, key: KeyValue): number {
  const count = segment.to - segment.from + 1;
  for (let nth = segment.from; nth <= segment.to; nth++) {
    const first = part(line.bins[nth]!.First, line.attribute)!;
    const last = part(line.bins[nth]!.Last, line.attribute)!;
    if (compare(key, last) > 0) continue;
    const share = compare(key, first) <= 0 ? 0 : fraction(first, last, key);
    return (nth - segment.from + share) / count;
  }
  return 1;
}

export interface Band {
  x: number;
  width: number;
  /** Whether the range goes on beyond this side of what is shown. */
  goesOnLeft: boolean;
  goesOnRight: boolean;
}

/** Returns the band that a range covers of a line. */
export function bandOf(line: Line, segments: readonly Segment[], ends: Ends): Band | undefined {
  const last = segments.at(-1);
  if (!last) return undefined;
  const whole = last.x + last.width;
  const left = ends.lower ? edgeOf(line, segments, ends.lower, 'lower') : 0;
  const right = ends.upper ? edgeOf(line, segments, ends.upper, 'upper') : whole;
  const [first, final] = [part(line.bins[0]!.First, line.attribute), part(line.bins.at(-1)!.Last, line.attribute)];
  return {
    x: left,
    width: Math.max(0, right - left),
    goesOnLeft: !ends.lower || (!!first && compare(ends.lower.key, first) < 0),
    goesOnRight: !ends.upper || (!!final && compare(ends.upper.key, final) > 0),
  };
}

/** An end that includes the last key of a segment stands behind it, though the key's own place is before. */
function edgeOf(line: Line, segments: readonly Segment[], bound: Bound, side: 'lower' | 'upper'): number {
  if ((side === 'upper') === bound.includes) {
    for (const segment of segments) {
      const last = part(line.bins[segment.to]!.Last, line.attribute);
      if (last && compare(last, bound.key) === 0) return segment.x + segment.width;
    }
  }
  return placeOf(line, segments, bound.key);
}

/** Returns the bound nearest to a place: the first key of a segment for a lower end, the last for an upper one. */
export function boundAt(line: Line, segments: readonly Segment[], x: number, side: 'lower' | 'upper'): Bound | undefined {
  const edge = side === 'lower' ? (one: Segment) => one.x : (one: Segment) => one.x + one.width;
  let nearest: Segment | undefined;
  for (const one of segments) {
    if (!nearest || Math.abs(edge(one) - x) < Math.abs(edge(nearest) - x)) nearest = one;
  }
  return nearest && boundOf(line, nearest, side);
}

/** Returns a segment's end as the end of a range; a folder's is that of all keys that begin with its name. */
export function boundOf(line: Line, segment: Segment, side: 'lower' | 'upper'): Bound | undefined {
  const bin = line.bins[side === 'lower' ? segment.from : segment.to]!;
  if (side === 'lower' && bin.Folder !== undefined) return { key: { S: bin.Folder }, includes: true };
  const key = part(side === 'lower' ? bin.First : bin.Last, line.attribute);
  return key && { key, includes: true };
}

export interface Label {
  segment: number;
  x: number;
  text: string;
}

/** Returns the labels that fit in their segments, the text cut to it by `fit`. */
export function labels(segments: readonly Segment[], textOf: (segment: Segment) => string | undefined, fit: (text: string, width: number) => string | undefined): Label[] {
  const found: Label[] = [];
  for (const [nth, segment] of segments.entries()) {
    if (segment.width < 24) continue;
    const text = textOf(segment);
    const fitted = text === undefined ? undefined : fit(text, segment.width - 10);
    if (fitted) found.push({ segment: nth, x: segment.x + 5, text: fitted });
  }
  return found;
}
