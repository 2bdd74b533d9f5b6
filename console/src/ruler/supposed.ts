// The line of an index that does not exist, from what an explanation tells of it: the keys at its ends and around the range.

import type { Bin, Line } from './bins';
import type { Key, KeyType, KeyValue } from './keys';
import { readFirstValue } from './literals';
import type { Ends } from './range';

export interface Around {
  First?: string;
  Before?: string;
  FirstInRange?: string;
  LastInRange?: string;
  After?: string;
  Last?: string;
}

/** Returns the line and the ends of the range in it; none if no entry is known. */
export function supposedLine(around: Around, attribute: string, type: KeyType, examined: { items: number; bytes: number; isExact: boolean }): { line: Line; ends: Ends } | undefined {
  const [first, before, from, to, after, last] = [around.First, around.Before, around.FirstInRange, around.LastInRange, around.After, around.Last].map(readFirstValue);
  const bins: Bin[] = [];
  const add = (low: KeyValue | undefined, high: KeyValue | undefined, counted?: { items: number; bytes: number; isExact: boolean }): void => {
    if (!low || !high) return;
    const isOne = JSON.stringify(low) === JSON.stringify(high);
    const [First, Last]: Key[] = [{ [attribute]: low }, { [attribute]: high }];
    bins.push({ First: First!, Last: Last!, Folders: 0, Items: counted?.items ?? (isOne ? 1 : 2), Bytes: counted?.bytes ?? 0, IsExact: counted?.isExact ?? false });
  };
  add(first, before);
  add(from, to, examined);
  add(after, last);
  if (bins.length === 0) return undefined;
  const line: Line = { kind: type === 'N' ? 'Values' : 'Folders', attribute, type, bins, items: examined.items, bytes: examined.bytes, isExact: false, seeks: 0, keysRead: 0, readUnits: 0 };
  const place = from ?? after;
  const ends: Ends = from && to ? { lower: { key: from, includes: true }, upper: { key: to, includes: true } } : place ? { lower: { key: place, includes: true }, upper: { key: place, includes: false } } : {};
  return { line, ends };
}
