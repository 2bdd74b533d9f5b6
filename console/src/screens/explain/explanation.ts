// The members of an explanation, as docs/explain.md has them, and their words.

import type { RulerSource } from '../../ruler/source';
import { typeOf, type Key, type KeyType } from '../../ruler/keys';
import { endsOfTests, type Ends } from '../../ruler/range';
import { readTests } from '../../ruler/literals';
import { bytes, count, counted, units as unitsText } from '../../data/sizes';
import { keyedOf, keyType, type Keyed, type TableDescription } from '../../base/tables';

export interface Bounds {
  AtLeast: number;
  AtMost?: number;
}

export interface Amount {
  Items: number;
  Bytes: number;
}

export interface UnitsOn {
  Table?: string;
  Index?: string;
  Units: number;
}

export interface RangeRead {
  Partition?: string;
  Sort?: string;
  Parts?: string;
  FirstKey: string;
  EndKey?: string;
}

export interface Collection {
  First?: string;
  Before?: string;
  FirstInRange?: string;
  LastInRange?: string;
  After?: string;
  Last?: string;
}

export interface Supposed {
  IsLocal: boolean;
  Key: string;
  Projection: string;
  LookedAt: Amount;
  IsAll: boolean;
  CannotTell?: boolean;
  Entries: Amount;
  EntriesBetween?: Bounds;
  Examined: Amount;
  ExaminedBetween?: Bounds;
  Units: number;
  UnitsBetween?: Bounds;
  EntryBytes?: number;
  WriteUnits?: number;
}

export interface Counted {
  Pages: number;
  IsAll: boolean;
  Examined: Amount;
  Returned: Amount;
  FilteredOut: number;
  Fetched: Amount;
  Units: UnitsOn[];
  RoundTrips?: number;
}

export interface ReadStep {
  Table: string;
  Past?: string;
  Index?: string;
  Access: 'OneItem' | 'KeyRange' | 'Partition' | 'SeveralRanges' | 'WholeTable' | 'WholeIndex' | 'Segment';
  Ranges?: RangeRead[];
  MoreRanges?: number;
  Backward: boolean;
  StartAfter?: string;
  Filter?: string;
  Returns: string;
  Limit?: number;
  FetchesFromTable: boolean;
  ConsistentRead: boolean;
  Refused?: string;
  Collection?: Collection;
  WhatIf?: Supposed;
  Sample: { Items: number; Bytes: number; Matching: number; IsAll: boolean };
  Estimate: { Items: Bounds; Bytes: Bounds; Pages: Bounds; Units: Bounds };
  Counted?: Counted;
}

export interface WriteStep {
  Table: string;
  Action: 'Put' | 'Update' | 'Delete' | 'Check';
  Key: string;
  ByteKey: string;
  Condition?: string;
  Update?: string;
  Refused?: string;
  BytesBefore?: number;
  BytesAfter?: number;
  Indexes?: { Index: string; Removed?: string; Written?: string }[];
  Units: UnitsOn[];
  RoundTrips?: number;
}

export interface Step {
  Read?: ReadStep;
  Write?: WriteStep;
  Failed?: { Table?: string; Refused: string };
}

export interface Advice {
  Kind: string;
  Finding: string;
  Evidence: string;
  Remedy: string;
}

export interface PatternTest {
  Test: string;
  Text: string;
  Names: string[];
}

export interface Explanation {
  Operation: string;
  Analyzed: boolean;
  Steps: Step[];
  Together?: { IsTransaction: boolean; Items: number; Bytes: number; RoundTrips?: number; Units?: UnitsOn[]; Unprocessed?: number; Refused?: string; AlreadyDone?: boolean };
  Price?: { Region: string; Currency: string; Million: Bounds };
  Advice: Advice[];
  Time?: { PlanMs: number; RunMs?: number };
}

export interface Explained {
  Explanation: Explanation;
  Text: string;
  Pattern?: { Keys?: PatternTest[]; Filter?: PatternTest[] };
}

/** A request as the address has it. */
export interface Asked {
  operation: string;
  request: Record<string, unknown>;
}

export function readAsked(text: string | undefined): Asked | undefined {
  try {
    const read = JSON.parse(text ?? '') as unknown;
    if (typeof read !== 'object' || read === null) return undefined;
    const { operation, request } = read as Record<string, unknown>;
    if (typeof operation !== 'string' || typeof request !== 'object' || request === null || Array.isArray(request)) return undefined;
    return { operation, request: request as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

const ACCESS: Record<ReadStep['Access'], string> = {
  OneItem: 'one item by its whole key',
  KeyRange: 'a range of sort keys in one partition',
  Partition: 'all of one partition',
  SeveralRanges: 'several ranges, one after the other',
  WholeTable: 'the whole table',
  WholeIndex: 'the whole index',
  Segment: 'one of several equal parts',
};

export const accessWords = (step: ReadStep): string => ACCESS[step.Access];

/** "488 items", "1,000 to 46,570 items", "at least 1,000 items" */
export function between(bounds: Bounds, words: (n: number) => string): string {
  if (bounds.AtMost === undefined) return `at least ${words(bounds.AtLeast)}`;
  if (bounds.AtMost === bounds.AtLeast) return words(bounds.AtLeast);
  return `${words(bounds.AtLeast)} to ${words(bounds.AtMost)}`;
}

export const itemsBetween = (bounds: Bounds): string => (bounds.AtMost === bounds.AtLeast ? counted(bounds.AtLeast, 'item') : `${between(bounds, count)} items`);
export const bytesBetween = (bounds: Bounds): string => between(bounds, bytes);
export const unitsBetween = (bounds: Bounds): string => between(bounds, unitsText);

export function amountOf(price: Explanation['Price']): string | undefined {
  if (!price) return undefined;
  return between(price.Million, (n) => money(n, price.Currency));
}

/** "$2.13"; other currencies by their code. */
export function money(n: number, currency: string): string {
  const digits = n === 0 || Math.abs(n) >= 0.995 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(Math.abs(n))) + 1);
  const text = n.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1');
  return currency === 'USD' ? `$${text}` : `${text} ${currency}`;
}

export interface Placed {
  source: RulerSource;
  ends: Ends;
  /** Whether the read begins and ends with one partition. */
  isOfPartition: boolean;
}

/** The table or index of a read, with its keys. */
export function keyedOfStep(table: TableDescription | null, index: string | undefined): Keyed | undefined {
  return table ? keyedOf(table).find((one) => one.index === (index ?? null)) : undefined;
}

/** Returns what a ruler shows of a read: its partition, and the ends of the range in it. */
export function placeOfRange(keyed: Keyed, range: RangeRead | undefined): Placed {
  const bare = { table: keyed.table, index: keyed.index ?? undefined, partition: keyed.partition, sort: keyed.sort };
  const equal = readTests(range?.Partition);
  const partitionKey: Key = Object.fromEntries((equal ?? []).map((test) => [test.attribute, test.values[0]!]));
  const isWhole = keyed.partition.every((name) => Object.hasOwn(partitionKey, name));
  if (!isWhole) return { source: bare, ends: {}, isOfPartition: false };
  const tests = readTests(range?.Sort) ?? [];
  const sortKey: Key = {};
  for (const name of keyed.sort.slice(0, -1)) {
    const test = tests.find((one) => one.attribute === name && one.operator === '=');
    if (!test) break;
    sortKey[name] = test.values[0]!;
  }
  const attribute = keyed.sort[Object.keys(sortKey).length];
  const ends = attribute === undefined ? {} : endsOfTests(tests, attribute);
  return { source: { ...bare, partitionKey, ...(Object.keys(sortKey).length > 0 && { sortKey }) }, ends, isOfPartition: true };
}

/** Returns where the item of a write stands. */
export function placeOfKey(keyed: Keyed, key: string): Placed | undefined {
  const tests = readTests(key);
  if (!tests) return undefined;
  const text = (names: string[]) => tests.filter((one) => names.includes(one.attribute));
  const partitionKey: Key = Object.fromEntries(text(keyed.partition).map((test) => [test.attribute, test.values[0]!]));
  if (!keyed.partition.every((name) => Object.hasOwn(partitionKey, name)) || keyed.sort.length === 0) return undefined;
  const source = { table: keyed.table, index: keyed.index ?? undefined, partition: keyed.partition, sort: keyed.sort, partitionKey };
  return { source, ends: endsOfTests(tests, keyed.sort[0]!), isOfPartition: true };
}

/** The type of a key attribute: as defined, else by the literals of the explanation and of the request, else text. */
export function typeIn(table: TableDescription, attribute: string, asked: Asked, read?: ReadStep): KeyType {
  if (table.AttributeDefinitions.some((one) => one.AttributeName === attribute)) return keyType(table, attribute);
  const told = readTests(read?.Filter)?.find((test) => test.attribute === attribute)?.values[0];
  return told ? typeOf(told) : (typeByValues(asked, attribute) ?? 'S');
}

/** Finds the type of the value that a request compares an attribute with. */
function typeByValues(asked: Asked, attribute: string): KeyType | undefined {
  const { request } = asked;
  const names = (request['ExpressionAttributeNames'] ?? {}) as Record<string, string>;
  const values = (request['ExpressionAttributeValues'] ?? {}) as Record<string, Record<string, unknown>>;
  const spellings = [attribute, ...Object.keys(names).filter((name) => names[name] === attribute)];
  const text = [request['KeyConditionExpression'], request['FilterExpression']].filter((one) => typeof one === 'string').join(' AND ');
  for (const spelling of spellings) {
    const escaped = spelling.replace(/[.*+?^${}()|[\]\\#]/g, '\\$&');
    const found = new RegExp(`(?:^|[\\s(])${escaped}\\s*(?:[=<>]+|BETWEEN|,)\\s*(:\\w+)`, 'i').exec(text)?.[1];
    const type = found && Object.hasOwn(values, found) ? Object.keys(values[found]!)[0] : undefined;
    if (type === 'S' || type === 'N' || type === 'B') return type;
  }
  return undefined;
}
