// Key values as the ruler compares, places and writes them.
//
// Order is the store's: text by its UTF-8 bytes, numbers exactly (38 digits, never as floating point), binary by bytes.
// Places between two keys are fractions and serve drawing alone.

export type KeyType = 'S' | 'N' | 'B';
export type KeyValue = { S: string } | { N: string } | { B: string };
export type Key = Record<string, KeyValue>;

export function typeOf(value: KeyValue): KeyType {
  return 'S' in value ? 'S' : 'N' in value ? 'N' : 'B';
}

export function textOf(value: KeyValue): string {
  return 'S' in value ? value.S : 'N' in value ? value.N : value.B;
}

export function valueOf(type: KeyType, text: string): KeyValue {
  return type === 'S' ? { S: text } : type === 'N' ? { N: text } : { B: text };
}

/** Returns the value of an attribute of a key, if the key has it. */
export function part(key: Key | undefined, attribute: string): KeyValue | undefined {
  return key && Object.hasOwn(key, attribute) ? key[attribute] : undefined;
}

/** Returns less than 0, 0 or more than 0, as `a` sorts before, with or after `b` of the same type. */
export function compare(a: KeyValue, b: KeyValue): number {
  if ('N' in a && 'N' in b) return compareNumbers(a.N, b.N);
  if ('B' in a && 'B' in b) return compareBytes(bytesOf(a.B), bytesOf(b.B));
  return compareText(textOf(a), textOf(b));
}

/** Compares by code points, which is the order of UTF-8; UTF-16 sorts surrogates below U+E000. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let nth = 0; nth < length; nth++) {
    const one = a.charCodeAt(nth);
    const other = b.charCodeAt(nth);
    if (one !== other) return ordered(one) - ordered(other);
  }
  return a.length - b.length;
}

function ordered(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

interface Decimal {
  sign: -1 | 0 | 1;
  /** Exponent of ten of the first digit. */
  exponent: number;
  digits: string;
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Returns the parts of a number of the service; none if the text is no number. */
export function decimal(text: string): Decimal | undefined {
  const found = NUMBER.exec(text.trim());
  if (!found) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = found;
  const all = whole + fraction;
  if (all === '') return undefined;
  const leading = /^0*/.exec(all)![0].length;
  const digits = all.slice(leading).replace(/0+$/, '');
  if (digits === '') return { sign: 0, exponent: 0, digits: '' };
  return { sign: sign === '-' ? -1 : 1, exponent: whole.length - leading - 1 + Number(exponent), digits };
}

export function compareNumbers(a: string, b: string): number {
  const one = decimal(a);
  const other = decimal(b);
  if (!one || !other) return compareText(a, b);
  if (one.sign !== other.sign) return one.sign - other.sign;
  if (one.exponent !== other.exponent) return (one.exponent - other.exponent) * one.sign;
  return (one.digits < other.digits ? -1 : one.digits > other.digits ? 1 : 0) * one.sign;
}

export function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let nth = 0; nth < length; nth++) {
    if (a[nth] !== b[nth]) return a[nth]! - b[nth]!;
  }
  return a.length - b.length;
}

/** Returns whether a value lies in `first..=last`. */
export function within(value: KeyValue, first: KeyValue, last: KeyValue): boolean {
  return compare(first, value) <= 0 && compare(value, last) <= 0;
}

/** Returns where between two keys a third lies, from 0 to 1, for drawing. */
export function fraction(first: KeyValue, last: KeyValue, value: KeyValue): number {
  if (compare(value, first) <= 0) return 0;
  if (compare(value, last) >= 0) return 1;
  if ('N' in first && 'N' in last && 'N' in value) {
    const [from, to, at] = [Number(first.N), Number(last.N), Number(value.N)];
    const share = (at - from) / (to - from);
    return Number.isFinite(share) ? clamp(share) : 0.5;
  }
  const [from, to, at] = [unitsOf(first), unitsOf(last), unitsOf(value)];
  let common = 0;
  while (common < from.length && from[common] === to[common]) common++;
  const place = (units: number[]) => scaled(units, common);
  const span = place(to) - place(from);
  return span > 0 ? clamp((place(at) - place(from)) / span) : 0.5;
}

const PLACES = 6;

function scaled(units: number[], from: number): number {
  let place = 0;
  let size = 1;
  for (let nth = from; nth < from + PLACES; nth++) {
    size /= 256;
    place += (units[nth] ?? 0) * size;
  }
  return place;
}

function unitsOf(value: KeyValue): number[] {
  if ('B' in value) return [...bytesOf(value.B)];
  // The first part of a key is enough to draw it.
  return [...new TextEncoder().encode(textOf(value).slice(0, 3000))];
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Returns the first value behind all with a prefix; none if nothing sorts behind them. */
export function afterPrefix(prefix: KeyValue): KeyValue | undefined {
  if ('B' in prefix) {
    const bytes = bytesOf(prefix.B);
    let kept = bytes.length;
    while (kept > 0 && bytes[kept - 1] === 255) kept--;
    if (kept === 0) return undefined;
    const end = bytes.slice(0, kept);
    end[kept - 1]!++;
    return { B: base64Of(end) };
  }
  const points = [...textOf(prefix)];
  while (points.length > 0) {
    const last = points.pop()!.codePointAt(0)!;
    if (last < 0x10ffff) {
      const next = last === 0xd7ff ? 0xe000 : last + 1;
      return { S: points.join('') + String.fromCodePoint(next) };
    }
  }
  return undefined;
}

export function startsWith(value: KeyValue, prefix: KeyValue): boolean {
  if ('B' in value && 'B' in prefix) {
    const [bytes, beginning] = [bytesOf(value.B), bytesOf(prefix.B)];
    return beginning.every((byte, nth) => bytes[nth] === byte);
  }
  return textOf(value).startsWith(textOf(prefix));
}
