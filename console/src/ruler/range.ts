// The range of a key condition: one operator and its values, and the two ends that it has on a line of keys.

import { afterPrefix, compare, startsWith, typeOf, type KeyType, type KeyValue } from './keys';
import { literal, nameText, type KeyTest } from './literals';

export type RangeOperator = KeyTest['operator'];

/** A condition on the sort key. */
export interface KeyRange {
  operator: RangeOperator;
  values: KeyValue[];
}

/** An end of a range; `includes` the key itself or not. */
export interface Bound {
  key: KeyValue;
  includes: boolean;
}

/** The ends of a range; an absent one is open. */
export interface Ends {
  lower?: Bound;
  upper?: Bound;
}

export function endsOf(range: KeyRange): Ends {
  const [first, second] = range.values;
  if (!first) return {};
  switch (range.operator) {
    case '=':
      return { lower: { key: first, includes: true }, upper: { key: first, includes: true } };
    case '<':
      return { upper: { key: first, includes: false } };
    case '<=':
      return { upper: { key: first, includes: true } };
    case '>':
      return { lower: { key: first, includes: false } };
    case '>=':
      return { lower: { key: first, includes: true } };
    case 'BETWEEN':
      return second ? { lower: { key: first, includes: true }, upper: { key: second, includes: true } } : {};
    case 'begins_with': {
      const end = afterPrefix(first);
      const lower = { key: first, includes: true };
      return end ? { lower, upper: { key: end, includes: false } } : { lower };
    }
  }
}

/** Returns the ends that several tests on one attribute leave together; none if one attribute is not all that they test. */
export function endsOfTests(tests: KeyTest[], attribute: string): Ends {
  let ends: Ends = {};
  for (const test of tests.filter((one) => one.attribute === attribute)) ends = narrowed(ends, endsOf(test));
  return ends;
}

function narrowed(a: Ends, b: Ends): Ends {
  const lower = tighter(a.lower, b.lower, 1);
  const upper = tighter(a.upper, b.upper, -1);
  return { ...(lower && { lower }), ...(upper && { upper }) };
}

function tighter(a: Bound | undefined, b: Bound | undefined, sign: 1 | -1): Bound | undefined {
  if (!a || !b) return a ?? b;
  const order = compare(a.key, b.key) * sign;
  if (order === 0) return a.includes ? b : a;
  return order > 0 ? a : b;
}

/** Returns the range that dragged ends mean; none if both are open. */
export function rangeOfEnds(ends: Ends): KeyRange | null {
  const { lower, upper } = ends;
  if (lower && upper) {
    if (compare(lower.key, upper.key) === 0) return { operator: '=', values: [lower.key] };
    const prefix = prefixOf(lower, upper);
    if (prefix) return { operator: 'begins_with', values: [prefix] };
    return { operator: 'BETWEEN', values: [lower.key, upper.key] };
  }
  if (lower) return { operator: lower.includes ? '>=' : '>', values: [lower.key] };
  if (upper) return { operator: upper.includes ? '<=' : '<', values: [upper.key] };
  return null;
}

/** Returns the prefix whose range has these ends. */
function prefixOf(lower: Bound, upper: Bound): KeyValue | undefined {
  if (!lower.includes || upper.includes || typeOf(lower.key) === 'N') return undefined;
  const end = afterPrefix(lower.key);
  return end && compare(end, upper.key) === 0 ? lower.key : undefined;
}

/** Returns the condition as text, such as `place BETWEEN 'A' AND 'B'`. */
export function rangeText(attribute: string, range: KeyRange): string {
  const name = nameText(attribute);
  const [first, second] = range.values;
  if (!first) return name;
  if (range.operator === 'begins_with') return `begins_with(${name}, ${literal(first)})`;
  if (range.operator === 'BETWEEN') return `${name} BETWEEN ${literal(first)} AND ${second ? literal(second) : '?'}`;
  return `${name} ${range.operator} ${literal(first)}`;
}

/** Returns whether a condition can be asked: its values are of the key's type, not empty where the service wants text, and in order. */
export function rangeFault(type: KeyType, range: KeyRange): string | undefined {
  const wanted = range.operator === 'BETWEEN' ? 2 : 1;
  const values = range.values.slice(0, wanted);
  if (values.length < wanted || values.some((one) => typeOf(one) !== type)) return 'a value is missing';
  if (type === 'N' && range.operator === 'begins_with') return 'a number has no beginning: choose another operator';
  if (type === 'N' && values.some((one) => !('N' in one) || !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(one.N))) return 'not a number';
  if (type === 'B' && values.some((one) => 'B' in one && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(one.B))) {
    return 'binary data are written in base64';
  }
  const [lower, upper] = values;
  if (lower && upper && compare(lower, upper) > 0) return 'the upper end sorts before the lower one';
  return undefined;
}

/** Returns whether a range takes a key. */
export function takes(range: KeyRange, key: KeyValue): boolean {
  if (range.operator === 'begins_with') return !!range.values[0] && startsWith(key, range.values[0]);
  const { lower, upper } = endsOf(range);
  const isAbove = !lower || compare(lower.key, key) < (lower.includes ? 1 : 0);
  const isBelow = !upper || compare(key, upper.key) < (upper.includes ? 1 : 0);
  return isAbove && isBelow;
}
