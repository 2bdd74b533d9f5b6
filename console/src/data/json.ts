// JSON without loss: numbers stay the text that they were written as. `JSON.parse` would round 38 digits to 17.

import { record } from './record';

/** A number as it stood in the text. */
export class NumberText {
  constructor(readonly text: string) {}
}

export type Json = null | boolean | string | NumberText | Json[] | JsonObject;

export interface JsonObject {
  [name: string]: Json;
}

export class JsonFault extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const deepest = 100;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const blank = /[ \t\r\n]*/y;
// A text up to its end quote: no raw control characters, escapes as they may be.
const quoted = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class Reader {
  at = 0;
  constructor(readonly text: string) {}

  fail(what: string): never {
    throw new JsonFault(what, this.at);
  }

  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at += found[0].length;
    return found[0];
  }

  next(): string {
    this.take(blank);
    return this.text[this.at] ?? '';
  }

  expect(sign: string): void {
    if (this.next() !== sign) this.fail(`${sign} is expected`);
    this.at += 1;
  }

  text_(): string {
    const found = this.take(quoted);
    return found === null ? this.fail('this text does not end, or has a sign that must be escaped') : (JSON.parse(found) as string);
  }

  word(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  value(depth: number): Json {
    if (depth > deepest) this.fail('it is nested too deep');
    const sign = this.next();
    if (sign === '{') return this.object(depth);
    if (sign === '[') return this.array(depth);
    if (sign === '"') return this.text_();
    if (this.word('true')) return true;
    if (this.word('false')) return false;
    if (this.word('null')) return null;
    const found = this.take(number);
    return found === null ? this.fail(sign === '' ? 'it ends too early' : 'a value is expected') : new NumberText(found);
  }

  object(depth: number): JsonObject {
    const made = record<Json>();
    this.expect('{');
    if (this.next() === '}') {
      this.at += 1;
      return made;
    }
    for (;;) {
      if (this.next() !== '"') this.fail('a name in double quotes is expected');
      const name = this.text_();
      if (Object.hasOwn(made, name)) this.fail(`${name} is there twice`);
      this.expect(':');
      made[name] = this.value(depth + 1);
      if (this.next() === ',') this.at += 1;
      else break;
    }
    this.expect('}');
    return made;
  }

  array(depth: number): Json[] {
    const made: Json[] = [];
    this.expect('[');
    if (this.next() === ']') {
      this.at += 1;
      return made;
    }
    for (;;) {
      made.push(this.value(depth + 1));
      if (this.next() === ',') this.at += 1;
      else break;
    }
    this.expect(']');
    return made;
  }
}

/** Reads one value. Throws a JsonFault that names the offset. */
export function parseJson(text: string): Json {
  const reader = new Reader(text.startsWith('\ufeff') ? text.slice(1) : text);
  const value = reader.value(0);
  if (reader.next() !== '') reader.fail('something follows the value');
  return value;
}

/** Returns the line and the column of an offset, from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);

/** Writes a value; with an indent each member stands on a line. */
// Controls, separators of lines, marks of direction and others without a picture; not joiners, which emoji are made with.
const unseen = /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]/g;

// Marks that pile up on one letter: a browser needs minutes for a line with many thousands.
const piled = /\p{M}{7,}/gu;

const unitsOf = (text: string): string => Array.from(text.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Returns the same JSON to look at: signs that cannot be seen, that turn a line round or pile up, are escapes. They stand in texts alone. */
export const shownJson = (json: string): string => json.replace(unseen, unitsOf).replace(piled, unitsOf);

/** Returns a text as it stands between the quotes of JSON. */
export const escapedText = (text: string): string => shownJson(JSON.stringify(text)).slice(1, -1);

/** Reads what `escapedText` wrote, with line ends as they are typed; null where it is none. */
export function readEscaped(text: string): string | null {
  try {
    return JSON.parse(`"${text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`) as string;
  } catch {
    return null;
  }
}

export function writeJson(value: Json, indent = 0, depth = 0): string {
  if (value instanceof NumberText) return value.text;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((one) => writeJson(one, indent, depth + 1))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${indent > 0 ? ' ' : ''}${writeJson(one, indent, depth + 1)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (members.length === 0) return `${open}${close}`;
  if (indent === 0) return `${open}${members.join(',')}${close}`;
  const pad = ' '.repeat(indent * (depth + 1));
  return `${open}\n${members.map((one) => pad + one).join(',\n')}\n${' '.repeat(indent * depth)}${close}`;
}
