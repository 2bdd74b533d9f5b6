// What was asked in this browser, and what was saved under a name. Bounded, and kept nowhere else.

import { kept } from '../base/storage';

export interface Entry {
  /** When it was asked, or saved, in milliseconds. */
  at: number;
  /** What was asked, in a line. */
  words: string;
  hash: string;
  table: string;
  name?: string;
}

const most = 200;
const longestHash = 4000;

const isEntry = (one: unknown): one is Entry => {
  const entry = one as Partial<Entry> | null;
  return (
    typeof entry === 'object' &&
    entry !== null &&
    typeof entry.at === 'number' &&
    typeof entry.words === 'string' &&
    typeof entry.hash === 'string' &&
    entry.hash.startsWith('#/') &&
    typeof entry.table === 'string'
  );
};
const areEntries = (read: unknown): boolean => Array.isArray(read) && read.every(isEntry);

export const asked = kept<Entry[]>('query-history', [], areEntries);
export const saved = kept<Entry[]>('saved-queries', [], areEntries);

export function remember(entry: Entry): void {
  if (entry.hash.length > longestHash) return;
  asked.value = [entry, ...asked.peek().filter((one) => one.hash !== entry.hash)].slice(0, most);
}

export function saveAs(name: string, entry: Entry): void {
  saved.value = [{ ...entry, name }, ...saved.peek().filter((one) => one.name !== name)].slice(0, most);
}

export const forgetSaved = (name: string): void => {
  saved.value = saved.peek().filter((one) => one.name !== name);
};
