// Small values in the browser's storage. Each is checked when it is read, for it is input like any other; where a
// browser refuses to store, they live as long as the page.

import { effect, signal, type Signal } from '@preact/signals';

const prefix = 'hashrange.';
const longest = 400_000;

function readText(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

function writeText(name: string, text: string): void {
  if (text.length > longest) return;
  try {
    localStorage.setItem(prefix + name, text);
  } catch {
    // A full or forbidden storage: the value lives as long as the page.
  }
}

/** Returns a stored value, or `usual` where it is absent or `accepts` refuses it. */
export function load<T>(name: string, usual: T, accepts: (read: unknown) => boolean): T {
  const text = readText(name);
  if (text === null) return usual;
  try {
    const read: unknown = JSON.parse(text);
    return accepts(read) ? (read as T) : usual;
  } catch {
    return usual;
  }
}

export const save = (name: string, value: unknown): void => writeText(name, JSON.stringify(value));

/** Returns a signal whose value is stored whenever it changes. */
export function kept<T>(name: string, usual: T, accepts: (read: unknown) => boolean): Signal<T> {
  const value = signal(load(name, usual, accepts));
  let first = true;
  effect(() => {
    const now = value.value;
    if (!first) save(name, now);
    first = false;
  });
  return value;
}

export const isText = (read: unknown): read is string => typeof read === 'string';

export const isListOf =
  <T>(accepts: (read: unknown) => read is T) =>
  (read: unknown): read is T[] =>
    Array.isArray(read) && read.every(accepts);
