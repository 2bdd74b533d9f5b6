// Conditions of an explanation, read back into values: `place >= 'FLORIDA#' AND place < 'FLORIDA$'`.
//
// The server writes names as words or in backquotes, text in single quotes or, with control characters in it, in double
// quotes with the escapes of JSON, numbers bare, binary data as b"base64". A text that was cut does not end and gives nothing.

import type { KeyValue } from './keys';

export type Comparison = '=' | '<' | '<=' | '>' | '>=';

export interface KeyTest {
  attribute: string;
  operator: Comparison | 'BETWEEN' | 'begins_with';
  values: KeyValue[];
}

class Reader {
  at = 0;
  constructor(readonly text: string) {}

  skip(): void {
    while (this.text[this.at] === ' ') this.at++;
  }

  take(word: string): boolean {
    this.skip();
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  match(pattern: RegExp): string | undefined {
    this.skip();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return undefined;
    this.at += found[0].length;
    return found[0];
  }

  isAtEnd(): boolean {
    this.skip();
    return this.at >= this.text.length;
  }
}

const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const BACKQUOTED = /`(?:[^`]|``)*`/y;
const QUOTED = /'(?:[^']|'')*'/y;
const ESCAPED = /"(?:[^"\\]|\\.)*"/y;
const BINARY = /b"[A-Za-z0-9+/=]*"/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const COMPARISON = /<=|>=|=|<|>/y;

function name(reader: Reader): string | undefined {
  const quoted = reader.match(BACKQUOTED);
  return quoted === undefined ? reader.match(WORD) : quoted.slice(1, -1).replaceAll('``', '`');
}

function value(reader: Reader): KeyValue | undefined {
  const binary = reader.match(BINARY);
  if (binary !== undefined) return { B: binary.slice(2, -1) };
  const text = reader.match(QUOTED);
  if (text !== undefined) return { S: text.slice(1, -1).replaceAll("''", "'") };
  const escaped = reader.match(ESCAPED);
  if (escaped !== undefined) return unescaped(escaped);
  const number = reader.match(NUMBER);
  return number === undefined ? undefined : { N: number };
}

function unescaped(text: string): KeyValue | undefined {
  try {
    return { S: JSON.parse(text) as string };
  } catch {
    return undefined;
  }
}

function test(reader: Reader): KeyTest | undefined {
  if (reader.take('begins_with(')) {
    const attribute = name(reader);
    const prefix = reader.take(',') ? value(reader) : undefined;
    if (attribute === undefined || !prefix || !reader.take(')')) return undefined;
    return { attribute, operator: 'begins_with', values: [prefix] };
  }
  const attribute = name(reader);
  if (attribute === undefined) return undefined;
  if (reader.take('BETWEEN ')) {
    const lower = value(reader);
    const upper = reader.take('AND ') ? value(reader) : undefined;
    return lower && upper && { attribute, operator: 'BETWEEN', values: [lower, upper] };
  }
  const operator = reader.match(COMPARISON) as Comparison | undefined;
  const compared = operator && value(reader);
  return operator && compared && { attribute, operator, values: [compared] };
}

/** Returns the tests of a conjunction; none if the text is anything else, or was cut. */
export function readTests(text: string | undefined): KeyTest[] | undefined {
  if (text === undefined) return undefined;
  const reader = new Reader(text);
  const tests: KeyTest[] = [];
  do {
    const one = test(reader);
    if (!one) return undefined;
    tests.push(one);
  } while (reader.take('AND ') && tests.length < 20);
  return reader.isAtEnd() ? tests : undefined;
}

/** Returns the value that a text such as `'FLORIDA#'` stands for. */
export function readValue(text: string | undefined): KeyValue | undefined {
  if (text === undefined) return undefined;
  const reader = new Reader(text);
  const read = value(reader);
  return reader.isAtEnd() ? read : undefined;
}

/** Returns a value as the server writes it. */
export function literal(of: KeyValue): string {
  if ('N' in of) return of.N;
  if ('B' in of) return `b"${of.B}"`;
  if (!/[\p{Cc}\u{fdd0}-\u{fdef}\u{fffe}\u{ffff}\u{10fffe}\u{10ffff}]/u.test(of.S)) return `'${of.S.replaceAll("'", "''")}'`;
  const unseen = /[\p{Cc}\u{fdd0}-\u{fdef}\u{fffe}\u{ffff}\u{10fffe}\u{10ffff}]/gu;
  const escaped = of.S.replace(/["\\]/g, '\\$&').replace(unseen, units);
  return `"${escaped}"`;
}

function units(one: string): string {
  return [...Array(one.length).keys()].map((nth) => '\\u' + one.charCodeAt(nth).toString(16).padStart(4, '0')).join('');
}

/** Returns an attribute's name as the server writes it, reserved words apart. */
export function nameText(attribute: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(attribute) ? attribute : '`' + attribute.replaceAll('`', '``') + '`';
}
