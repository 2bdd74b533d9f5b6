// Bins of a line of keys, as the server's operation Ruler answers them, and the merging of answers that refine each other.

import { compare, fraction, part, type Key, type KeyType, type KeyValue } from './keys';

export interface Bin {
  First: Key;
  Last: Key;
  /** Short text for a label, if the bin is one folder, one item or one partition. */
  Name?: string;
  /** The same of the first and last of what the bin has, if it is several. */
  FirstName?: string;
  LastName?: string;
  /** Prefix to go down with, if the bin is exactly one folder. */
  Folder?: string;
  /** Leading parts of a sort key to go down with, if the bin is exactly one value of a leading attribute. */
  SortKey?: Key;
  /** Folders or partitions in the bin; 0 for plain items. */
  Folders: number;
  Items: number;
  Bytes: number;
  /** Whether both counts are exact; else they are the least that was seen. */
  IsExact: boolean;
  Parts?: unknown;
  /** Its part of the width while the line is not counted to its end: what refines a stretch keeps the stretch's width. */
  weight?: number;
}

export interface RulerAnswer {
  Kind: 'Folders' | 'Values' | 'Bytes' | 'Partitions';
  KeyAttribute: string;
  KeyType: KeyType;
  Delimiter?: string;
  Bins: Bin[];
  Covers: { After?: Key; Until?: Key };
  Items: number;
  Bytes: number;
  IsExact: boolean;
  Cursor?: string;
  Work?: { Seeks: number; KeysRead: number; ReadUnits: number };
}

/** What is known of a line. */
export interface Line {
  /** `Supposed`: of an index that does not exist. */
  kind: RulerAnswer['Kind'] | 'Supposed';
  attribute: string;
  type: KeyType;
  delimiter?: string;
  bins: Bin[];
  items: number;
  bytes: number;
  isExact: boolean;
  cursor?: string;
  seeks: number;
  keysRead: number;
  readUnits: number;
}

/** Most bins that are kept of one line; the server's bins of a call are fewer. */
export const BINS_MAX = 2_000;

export function lineOf(answer: RulerAnswer): Line {
  return counted({
    kind: answer.Kind,
    attribute: answer.KeyAttribute,
    type: answer.KeyType,
    ...(answer.Delimiter !== undefined && { delimiter: answer.Delimiter }),
    bins: answer.Bins.slice(0, BINS_MAX).map((bin) => ({ ...bin, weight: 1 })),
    items: 0,
    bytes: 0,
    isExact: true,
    ...(answer.Cursor !== undefined && { cursor: answer.Cursor }),
    ...workOf(answer),
  });
}

function workOf(answer: RulerAnswer): Pick<Line, 'seeks' | 'keysRead' | 'readUnits'> {
  return { seeks: answer.Work?.Seeks ?? 0, keysRead: answer.Work?.KeysRead ?? 0, readUnits: answer.Work?.ReadUnits ?? 0 };
}

/** Returns the line with a refining answer in the place of what it covers. */
export function refined(line: Line, answer: RulerAnswer): Line {
  const { After, Until } = answer.Covers ?? {};
  const isPlaced = line.kind !== 'Partitions';
  const [after, until] = [part(After, line.attribute), part(Until, line.attribute)];
  const [before, behind] = isPlaced ? around(line, after, until) : aroundNames(line, answer);
  const kept = weightOf(before) + weightOf(behind);
  const fresh = weighted(answer.Bins, Math.max(weightOf(line.bins) - kept, 0.001));
  const bins = coarser(seamed(seamed(before, fresh), behind));
  const work = workOf(answer);
  const { cursor: _, ...rest } = line;
  return counted({
    ...rest,
    bins,
    ...(answer.Cursor !== undefined && { cursor: answer.Cursor }),
    seeks: line.seeks + work.seeks,
    keysRead: line.keysRead + work.keysRead,
    readUnits: line.readUnits + work.readUnits,
  });
}

function weightOf(bins: readonly Bin[]): number {
  return bins.reduce((sum, bin) => sum + (bin.weight ?? 1), 0);
}

/** Divides the weight of a stretch among its bins, by their items. */
function weighted(bins: readonly Bin[], weight: number): Bin[] {
  const items = bins.reduce((sum, bin) => sum + bin.Items, 0);
  return bins.map((bin) => ({ ...bin, weight: items > 0 ? (weight * bin.Items) / items : weight / bins.length }));
}

/** Merges counted neighbours by twos while there are too many: a stretch that is zoomed into is read anew. */
function coarser(bins: Bin[]): Bin[] {
  let all = bins;
  while (all.length > BINS_MAX) {
    const merged: Bin[] = [];
    let canMerge = false;
    for (const bin of all) {
      const last = merged.at(-1);
      if (canMerge && last?.IsExact && bin.IsExact) {
        merged[merged.length - 1] = together(last, bin);
        canMerge = false;
      } else {
        merged.push(bin);
        canMerge = true;
      }
    }
    // Bins that are not counted stay as they are.
    if (merged.length === all.length) return all;
    all = merged;
  }
  return all;
}

function together(one: Bin, next: Bin): Bin {
  const [first, last] = [one.FirstName ?? one.Name, next.LastName ?? next.Name];
  return {
    First: one.First,
    Last: next.Last,
    ...(first !== undefined && { FirstName: first }),
    ...(last !== undefined && { LastName: last }),
    Folders: one.Folders + next.Folders,
    Items: one.Items + next.Items,
    Bytes: one.Bytes + next.Bytes,
    IsExact: one.IsExact && next.IsExact,
    weight: (one.weight ?? 1) + (next.weight ?? 1),
  };
}

/** Returns the bins before and behind a stretch; those that reach over an end are cut there, and no longer exact. */
function around(line: Line, after: KeyValue | undefined, until: KeyValue | undefined): [Bin[], Bin[]] {
  const of = (key: Key) => part(key, line.attribute);
  const before: Bin[] = [];
  const behind: Bin[] = [];
  for (const bin of line.bins) {
    const [first, last] = [of(bin.First), of(bin.Last)];
    if (!first || !last) continue;
    if (after && compare(last, after) <= 0) before.push(bin);
    else if (until && compare(first, until) > 0) behind.push(bin);
    else if (until && compare(last, until) > 0) {
      const left = (bin.weight ?? 1) * (1 - fraction(first, last, until));
      behind.push({ ...bin, First: { ...bin.First, [line.attribute]: until }, IsExact: false, Items: 1, Bytes: 0, weight: left });
    } else if (after && compare(first, after) < 0) before.push({ ...bin, Last: { ...bin.Last, [line.attribute]: after } });
  }
  return [before, behind];
}

/** Joins two stretches; a folder, or a partition, that lies on both sides of the seam is one bin. */
function seamed(before: Bin[], behind: Bin[]): Bin[] {
  const [last, first] = [before.at(-1), behind[0]];
  const isCounted = last?.IsExact && first?.IsExact;
  const isOne = isCounted && (last.Folder !== undefined ? last.Folder === first.Folder : last.Folders === 1 && first.Folders === 1 && same(last.Last, first.First));
  if (!isOne) return [...before, ...behind];
  const whole: Bin = { ...last, Last: first.Last, Items: last.Items + first.Items, Bytes: last.Bytes + first.Bytes, weight: (last.weight ?? 1) + (first.weight ?? 1) };
  return [...before.slice(0, -1), whole, ...behind.slice(1)];
}

/** Partitions sort by a hash that the page does not know: their stretch is found by its beginning and the number of partitions. */
function aroundNames(line: Line, answer: RulerAnswer): [Bin[], Bin[]] {
  const { After: after, Until: until } = answer.Covers ?? {};
  const from = after ? line.bins.findLastIndex((bin) => same(bin.Last, after)) + 1 : 0;
  const before = line.bins.slice(0, from);
  if (!until) return [before, []];
  let left = answer.Bins.reduce((sum, bin) => sum + bin.Folders, 0);
  for (let nth = from; nth < line.bins.length; nth++) {
    const bin = line.bins[nth]!;
    if (bin.Folders > left) return [before, [...(left > 0 ? [remainder(bin, bin.Folders - left)] : [bin]), ...line.bins.slice(nth + 1)]];
    left -= bin.Folders;
  }
  return [before, []];
}

/** The last of the partitions of a bin, not counted yet. */
function remainder(bin: Bin, folders: number): Bin {
  const { Name: _, FirstName: __, ...rest } = bin;
  return { ...rest, ...(folders === 1 && bin.LastName !== undefined && { First: bin.Last, Name: bin.LastName }), Folders: folders, Items: folders, Bytes: 0, IsExact: false, weight: ((bin.weight ?? 1) * folders) / bin.Folders };
}

export function same(a: Key, b: Key): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => JSON.stringify(a[name]) === JSON.stringify(part(b, name)));
}

function counted(line: Line): Line {
  let [items, bytes, isExact] = [0, 0, true];
  for (const bin of line.bins) {
    items += bin.Items;
    bytes += bin.Bytes;
    isExact &&= bin.IsExact;
  }
  return { ...line, items, bytes, isExact: isExact && line.cursor === undefined };
}

/** Returns whether a line is a handful of items, which are told one by one and need no line. */
export function isHandful(line: Line): boolean {
  return line.kind !== 'Partitions' && line.cursor === undefined && line.bins.length <= 12 && line.bins.every((bin) => bin.Folders === 0 && bin.Items <= 1);
}
