// What a request will read, by the server's own EXPLAIN, before it runs.

import { call } from '../base/client';
import { dollars, count, counted, bytes, units } from '../data/sizes';

export interface Span {
  AtLeast: number;
  AtMost: number;
}

export interface ReadStep {
  Table: string;
  Index?: string;
  Access: string;
  Ranges?: { Partition?: string; Sort?: string }[];
  Filter?: string;
  Sample?: { Items: number; Matching: number; IsAll: boolean };
  Estimate?: { Items: Span; Bytes: Span; Pages: Span; Units: Span };
}

export interface WriteStep {
  Table: string;
  Action: string;
  Key?: string;
  Units?: { Units: number; Index?: string }[];
}

export interface Advice {
  Kind: string;
  Finding: string;
  Evidence?: string;
  Remedy?: string;
}

export interface Prediction {
  Explanation: {
    Operation: string;
    Steps: { Read?: ReadStep; Write?: WriteStep }[];
    Price?: { Currency: string; Million: Span };
    Advice?: Advice[];
  };
  Text: string;
}

export const predict = (operation: string, request: Record<string, unknown>, signal: AbortSignal): Promise<Prediction> =>
  call<Prediction>('Explain', { Operation: operation, Request: request }, { own: true, signal });

const span = (of: Span, write: (n: number) => string): string =>
  of.AtLeast === of.AtMost ? write(of.AtMost) : `${write(of.AtLeast)} to ${write(of.AtMost)}`;

export const itemsWords = (of: Span): string =>
  of.AtLeast === of.AtMost ? counted(of.AtMost, 'item') : `${count(of.AtLeast)} to ${counted(of.AtMost, 'item')}`;
export const bytesWords = (of: Span): string => span(of, bytes);
export const unitsWords = (of: Span): string => `${span(of, units)} read ${of.AtMost === 1 ? 'unit' : 'units'}`;
export const priceWords = (of: Span): string => `${span(of, dollars)} a million`;

const access: Record<string, string> = {
  OneItem: 'reads one item by its key',
  KeyRange: 'reads a range of sort keys in one partition',
  Partition: 'reads all of one partition',
  SeveralRanges: 'reads several ranges, one after the other',
  WholeTable: 'reads the whole table',
  WholeIndex: 'reads the whole index',
  Segment: 'reads one of several parts',
};

export const accessWords = (step: ReadStep): string => access[step.Access] ?? step.Access;
