// An explanation that the server gives of a request: its members, as docs/explain.md has them, and their words.

import { call } from '../base/client';
import { bytes, count, counted, dollars, units as unitsText } from './sizes';

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

/** Asks for the plan of a request, which runs nothing. */
export const explain = (operation: string, request: Record<string, unknown>, signal: AbortSignal): Promise<Explained> =>
  call<Explained>('Explain', { Operation: operation, Request: request }, { own: true, signal });

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

export const readUnitsBetween = (bounds: Bounds): string => `${unitsBetween(bounds)} read ${bounds.AtMost === 1 ? 'unit' : 'units'}`;
export const priceOfMillion = (bounds: Bounds): string => `${between(bounds, dollars)} a million`;

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
