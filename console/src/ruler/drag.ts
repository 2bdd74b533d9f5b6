// What a drag on the ruler means as a key condition. Pure.

import type { Line } from './bins';
import { compare, part } from './keys';
import { boundOf, type Segment } from './layout';
import { rangeOfEnds, type Bound, type Ends, type KeyRange } from './range';

/** What limits the line itself: a prefix that is open, or the ends of a stretch. */
export interface Limits {
  prefix?: string | undefined;
  isStretch?: boolean;
}

/** Returns the condition that takes the segments `from..=to`; none for all of an open line. */
export function rangeOfSpan(line: Line, segments: readonly Segment[], from: number, to: number, limits: Limits = {}): KeyRange | null {
  const [first, last] = [segments[Math.min(from, to)], segments[Math.max(from, to)]];
  if (!first || !last) return null;
  const folder = first.from === last.to ? line.bins[first.from]!.Folder : undefined;
  if (folder !== undefined) return { operator: 'begins_with', values: [{ S: folder }] };
  const isFirst = first.from === 0 && !limits.isStretch;
  const isLast = last.to === line.bins.length - 1 && !limits.isStretch;
  if (isFirst && isLast) return limits.prefix ? { operator: 'begins_with', values: [{ S: limits.prefix }] } : null;
  const isOpen = !limits.prefix;
  const lower = isFirst && isOpen ? undefined : boundOf(line, first, 'lower');
  const upper = isLast && isOpen ? undefined : boundOf(line, last, 'upper');
  return rangeOfEnds({ ...(lower && { lower }), ...(upper && { upper }) });
}

/** Returns the condition after one end was moved to a segment; the other end stays where it is. */
export function rangeOfMove(line: Line, segments: readonly Segment[], ends: Ends, side: 'lower' | 'upper', to: number, limits: Limits = {}): KeyRange | null {
  const segment = segments[to];
  if (!segment) return rangeOfEnds(ends);
  const isEnd = side === 'lower' ? segment.from === 0 : segment.to === line.bins.length - 1;
  const isOpen = isEnd && !limits.isStretch && !limits.prefix;
  const moved = isOpen ? undefined : boundOf(line, segment, side);
  const lower = side === 'lower' ? moved : closed(line, ends.lower, 'lower');
  const upper = side === 'upper' ? moved : closed(line, ends.upper, 'upper');
  if (lower && upper && compare(lower.key, upper.key) > 0) {
    // An end that passes the other one stops at it.
    const stop = side === 'lower' ? upper : lower;
    return { operator: '=', values: [stop.key] };
  }
  const folder = folderBetween(line, lower, upper);
  if (folder !== undefined) return { operator: 'begins_with', values: [{ S: folder }] };
  return rangeOfEnds({ ...(lower && { lower }), ...(upper && { upper }) });
}

/** Returns the folder whose beginning and last key these are. */
function folderBetween(line: Line, lower: Bound | undefined, upper: Bound | undefined): string | undefined {
  if (!lower || !upper || !('S' in lower.key)) return undefined;
  const text = lower.key.S;
  const bin = line.bins.find((one) => one.Folder === text);
  const last = bin && part(bin.Last, line.attribute);
  return last && compare(last, upper.key) === 0 ? text : undefined;
}

/** An end that leaves its key out becomes one that takes the nearest key inside, for BETWEEN takes both of its ends. */
function closed(line: Line, bound: Bound | undefined, side: 'lower' | 'upper'): Bound | undefined {
  if (!bound || bound.includes) return bound;
  if (side === 'upper') {
    const inside = line.bins.findLast((bin) => isBelow(line, bin.Last, bound));
    const key = inside && part(inside.Last, line.attribute);
    return key ? { key, includes: true } : bound;
  }
  const inside = line.bins.find((bin) => isAbove(line, bin.First, bound));
  const key = inside && part(inside.First, line.attribute);
  return key ? { key, includes: true } : bound;
}

function isBelow(line: Line, key: Line['bins'][number]['Last'], bound: Bound): boolean {
  const value = part(key, line.attribute);
  return !!value && compare(value, bound.key) < 0;
}

function isAbove(line: Line, key: Line['bins'][number]['First'], bound: Bound): boolean {
  const value = part(key, line.attribute);
  return !!value && compare(value, bound.key) > 0;
}
