// Which columns could be the key: a combination that is unique, and what happens where it is not.

import { type Rows, textAt } from './rows';

export interface KeyChoice {
  partition: string;
  sort: string | null;
}

const sampled = 20_000;
const mostColumns = 10;
const separator = '\u0000';

interface Candidate {
  name: string;
  nth: number;
  distinct: number;
  isFilled: boolean;
}

const looksLikeKey = (name: string): number =>
  /^(pk|id|key|uuid)$/i.test(name) ? 2 : /(^|[_-])(id|key|uuid|code|number|no)$|Id$|ID$/.test(name) ? 1 : 0;

const looksLikeOrder = (name: string): boolean => /date|time|created|placed|(^|_)(at|on)$|At$|^sk$/i.test(name);

/** How good a pair is: what tells an order is a sort key, not a partition key. */
const rankOf = (pair: KeyChoice): number => (looksLikeOrder(pair.partition) ? -2 : 0) + (looksLikeOrder(pair.sort ?? '') ? 1 : 0);

function candidates(rows: Rows): Candidate[] {
  const n = Math.min(rows.count, sampled);
  return rows.columns
    .map((column, nth): Candidate => {
      const values = new Set<string>();
      let isFilled = column.type === 'S' || column.type === 'N';
      for (let row = 0; row < n && isFilled; row += 1) {
        const text = textAt(rows, row, column.name);
        if (text === '' || text.length > 1000) isFilled = false;
        values.add(text);
      }
      return { name: column.name, nth, distinct: values.size, isFilled };
    })
    .filter((one) => one.isFilled)
    .sort((one, other) => looksLikeKey(other.name) - looksLikeKey(one.name) || one.nth - other.nth)
    .slice(0, mostColumns);
}

function isUnique(rows: Rows, names: string[], n: number): boolean {
  const seen = new Set<string>();
  for (let row = 0; row < n; row += 1) {
    const key = names.map((name) => textAt(rows, row, name)).join(separator);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

/** Suggests keys, the likeliest first: a unique column, else a unique pair of which the first groups. */
export function suggestKeys(rows: Rows): KeyChoice[] {
  const n = Math.min(rows.count, sampled);
  const all = candidates(rows);
  const single = all.filter((one) => one.distinct === n).map((one): KeyChoice => ({ partition: one.name, sort: null }));
  const pairs: KeyChoice[] = [];
  for (const first of all) {
    for (const second of all) {
      if (first === second || first.distinct === n || first.distinct < 2 || pairs.length >= 12) continue;
      if (first.distinct * second.distinct >= n && isUnique(rows, [first.name, second.name], n))
        pairs.push({ partition: first.name, sort: second.name });
    }
  }
  pairs.sort((one, other) => rankOf(other) - rankOf(one));
  return [...single, ...pairs].slice(0, 5);
}

export interface KeyCheck {
  /** Rows that a later one with the same key replaces. */
  replaced: number;
  /** Rows without a value for the key. */
  missing: number;
  /** The rows that are written: the last of each key. */
  rows: number[];
  /** An example of a key that several rows have. */
  example: string | null;
}

export function checkKeys(rows: Rows, names: string[]): KeyCheck {
  const last = new Map<string, number>();
  let missing = 0;
  let example: string | null = null;
  for (let row = 0; row < rows.count; row += 1) {
    const parts = names.map((name) => textAt(rows, row, name));
    if (parts.some((part) => part === '')) {
      missing += 1;
      continue;
    }
    const key = parts.join(separator);
    if (last.has(key)) example ??= parts.join(' / ');
    last.delete(key);
    last.set(key, row);
  }
  return { replaced: rows.count - missing - last.size, missing, rows: [...last.values()], example };
}
