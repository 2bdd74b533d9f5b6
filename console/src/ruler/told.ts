// Keys as people read them: hostile ones, too. Characters that cannot be seen, or that turn the line round, stand as
// escapes; marks that pile up on a letter are cut; binary data stand in hex.

import { bytesOf, part, type Key, type KeyValue } from './keys';

/** Control characters, separators of lines, marks of direction, joiners and others without a picture, those that are none, and lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Cn}\p{Co}\p{Cs}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{fe00}-\u{fe0f}]/u;
const MARK = /\p{M}/u;
/** Marks that one letter may carry. */
const MARKS_MAX = 3;
export const TOLD_MAX = 200;

function escaped(one: string): string {
  return `\\u{${one.codePointAt(0)!.toString(16)}}`;
}

/** Returns a text as it may stand on the page, at most `most` characters of it. */
export function toldText(text: string, most = TOLD_MAX): string {
  let told = '';
  let count = 0;
  let marks = 0;
  let cut = 0;
  // What is cut is bounded as well: a megabyte of marks is not walked to its end.
  for (const one of text.slice(0, most * 8)) {
    if (count >= most) return `${told}…`;
    if (MARK.test(one)) {
      marks++;
      if (marks > MARKS_MAX) {
        cut++;
        continue;
      }
    } else marks = 0;
    told += UNSEEN.test(one) ? escaped(one) : one;
    count++;
  }
  return cut > 0 || text.length > most * 8 ? `${told}…` : told;
}

export function toldBytes(base64: string, most = TOLD_MAX): string {
  const bytes = bytesOf(base64.slice(0, most * 4));
  const shown = bytes.slice(0, Math.floor(most / 2));
  const hex = [...shown].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `0x${hex}${shown.length < bytes.length ? '…' : ''}`;
}

/** Returns a part of a key: blanks at its ends are seen, and an empty one says so. */
export function toldName(text: string, most = TOLD_MAX): string {
  if (text === '') return '(empty)';
  return toldText(text, most).replace(/^ +| +$/g, (blanks) => '␣'.repeat(blanks.length));
}

/** Returns a value as a label: text as it is, numbers as they are, binary data in hex. */
export function told(value: KeyValue, most = TOLD_MAX): string {
  if ('B' in value) return toldBytes(value.B, most);
  return 'S' in value ? toldName(value.S, most) : toldText(value.N, most);
}

/** Returns a key on one line: its values, in the order of `names`. */
export function toldKey(key: Key, names?: string[], most = TOLD_MAX): string {
  const values = (names ?? Object.keys(key)).flatMap((name) => part(key, name) ?? []);
  return values.map((value) => told(value, most)).join(' · ');
}

const UNSEEN_ALL = new RegExp(UNSEEN.source, 'gu');

/** Returns JSON on several lines, in which what cannot be seen stands as escapes: the same value to who reads it. */
export function toldJson(value: unknown): string {
  const units = (one: string) => [...Array(one.length).keys()].map((nth) => `\\u${one.charCodeAt(nth).toString(16).padStart(4, '0')}`).join('');
  return JSON.stringify(value, null, 2).replace(UNSEEN_ALL, (one) => (one === '\n' ? one : units(one)));
}

const LINES_MAX = 2_000;

/** Returns a text of several lines as it may stand on the page. */
export function toldLines(text: string): string {
  const lines = text.split('\n');
  const told = lines.slice(0, LINES_MAX).map((line) => toldText(line, 4_000));
  return (lines.length > LINES_MAX ? [...told, '…'] : told).join('\n');
}
