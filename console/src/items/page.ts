// One page of items: read, held, and changed where an edit changed an item.

import { useEffect, useRef, useState } from 'preact/hooks';
import { callAndMeter, type Took } from '../base/client';
import { asFault, type Fault, isAbort } from '../base/faults';
import type { Item } from '../data/values';

export type ReadOperation = 'Query' | 'Scan' | 'ExecuteStatement';

export interface Reading {
  operation: ReadOperation;
  request: Record<string, unknown>;
}

export interface Page {
  items: Item[];
  count: number;
  examined: number;
  /** Where the next page begins, as text: a key, or the token of a statement. */
  next: string | null;
  took: Took;
  /** Pages that were read for this one, where they kept nothing. */
  pages: number;
}

interface PageAnswer {
  Items?: Item[];
  Item?: Item;
  Count?: number;
  ScannedCount?: number;
  LastEvaluatedKey?: Item;
  NextToken?: string;
}

/** Pages without any item are followed up to so many, so that a rare match is found by one click. */
const mostEmptyPages = 20;

function started(reading: Reading, start: string | null): Record<string, unknown> {
  const told = { ...reading.request, ReturnConsumedCapacity: 'INDEXES' };
  if (start === null) return told;
  return reading.operation === 'ExecuteStatement'
    ? { ...told, NextToken: start }
    : { ...told, ExclusiveStartKey: JSON.parse(start) as unknown };
}

async function readOne(reading: Reading, start: string | null, signal: AbortSignal): Promise<Page> {
  const { body, took } = await callAndMeter<PageAnswer>(reading.operation, started(reading, start), { signal });
  const items = body.Items ?? [];
  const last = body.LastEvaluatedKey;
  return {
    items,
    count: body.Count ?? items.length,
    examined: body.ScannedCount ?? took.examined,
    next: last && Object.keys(last).length > 0 ? JSON.stringify(last) : (body.NextToken ?? null),
    took,
    pages: 1,
  };
}

/** Reads a page. One that the filter left empty is followed by the next ones, as `isFollowed` says. */
export async function readPage(reading: Reading, start: string | null, isFollowed: boolean, signal: AbortSignal): Promise<Page> {
  let page = await readOne(reading, start, signal);
  while (isFollowed && page.count === 0 && page.next !== null && page.pages < mostEmptyPages) {
    const more = await readOne(reading, page.next, signal);
    page = {
      ...more,
      examined: page.examined + more.examined,
      pages: page.pages + 1,
      took: { ...more.took, readUnits: page.took.readUnits + more.took.readUnits, ms: page.took.ms + more.took.ms },
    };
  }
  return page;
}

export interface Paged {
  page: Page | null;
  fault: Fault | null;
  isReading: boolean;
  again: () => void;
  stop: () => void;
  /** Puts an item in the place of one that was edited; null takes it away. */
  change: (row: number, item: Item | null) => void;
}

/** Reads the page of a request that begins at `start`; a request is read anew where it, the start or the run changes. */
export function usePage(reading: Reading | null, start: string | null, run: unknown, isFollowed: boolean): Paged {
  const [state, set] = useState<{ page: Page | null; fault: Fault | null; isReading: boolean }>({
    page: null,
    fault: null,
    isReading: false,
  });
  const [round, next] = useState(0);
  const ending = useRef<AbortController | null>(null);
  const key = reading === null ? null : JSON.stringify([reading, start]);
  useEffect(() => {
    if (reading === null) {
      set({ page: null, fault: null, isReading: false });
      return;
    }
    const mine = new AbortController();
    ending.current = mine;
    set((before) => ({ ...before, isReading: true }));
    readPage(reading, start, isFollowed, mine.signal).then(
      (page) => !mine.signal.aborted && set({ page, fault: null, isReading: false }),
      (error: unknown) => {
        if (mine.signal.aborted) return;
        set((before) => (isAbort(error) ? { ...before, isReading: false } : { page: null, fault: asFault(error), isReading: false }));
      },
    );
    return () => mine.abort();
  }, [key, run, round]);
  const change = (row: number, item: Item | null): void =>
    set((before) => {
      if (before.page === null) return before;
      const items = before.page.items.flatMap((one, nth) => (nth !== row ? [one] : item === null ? [] : [item]));
      return { ...before, page: { ...before.page, items } };
    });
  const stop = (): void => {
    ending.current?.abort();
    set((before) => ({ ...before, isReading: false }));
  };
  return { ...state, again: () => next(round + 1), stop, change };
}
