// The line of an index that does not exist, from what an explanation tells of it: the keys at its ends and around the range.
// Its keys have several attributes perhaps, so their places are numbered, and their texts are names.

import type { Collection } from '../data/explained';
import type { Bin, Line } from './bins';
import type { Key } from './keys';
import type { Ends } from './range';

export interface Examined {
  items: number;
  bytes: number;
  isExact: boolean;
}

const ATTRIBUTE = 'place';

/** Returns the line and the ends of the range in it; none if no entry is known. */
export function supposedLine(around: Collection, examined: Examined): { line: Line; ends: Ends } | undefined {
  const bins: Bin[] = [];
  const place = (nth: number): Key => ({ [ATTRIBUTE]: { N: String(nth) } });
  const add = (nth: number, low: string | undefined, high: string | undefined, counted?: Examined): void => {
    if (low === undefined || high === undefined) return;
    const items = counted?.items ?? (low === high ? 1 : 2);
    bins.push({ First: place(nth), Last: place(nth + 1), FirstName: low, LastName: high, Folders: 0, Items: items, Bytes: counted?.bytes ?? 0, IsExact: counted?.isExact ?? false });
  };
  add(0, around.First, around.Before);
  add(2, around.FirstInRange, around.LastInRange, examined);
  add(4, around.After, around.Last);
  if (bins.length === 0) return undefined;
  const line: Line = { kind: 'Supposed', attribute: ATTRIBUTE, type: 'N', bins, items: examined.items, bytes: examined.bytes, isExact: false, seeks: 0, keysRead: 0, readUnits: 0 };
  // A range of nothing is a place between what is before and behind it.
  const isEmpty = around.FirstInRange === undefined;
  const at = (nth: number) => ({ key: { N: String(nth) }, includes: true });
  return { line, ends: isEmpty ? { lower: at(2), upper: at(2) } : { lower: at(2), upper: at(3) } };
}
