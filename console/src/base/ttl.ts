// The attribute by which items of a table expire, for words beside its numbers.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from './client';

export interface TimeToLive {
  TimeToLiveStatus?: string;
  AttributeName?: string;
}

const known = signal<ReadonlyMap<string, TimeToLive>>(new Map());

export async function refreshTtl(table: string): Promise<void> {
  try {
    const answer = await call<{ TimeToLiveDescription?: TimeToLive }>('DescribeTimeToLive', { TableName: table }, { unrecorded: true });
    known.value = new Map(known.peek()).set(table, answer.TimeToLiveDescription ?? {});
  } catch {
    // An endpoint without it: numbers stand without words.
  }
}

export function useTtl(table: string | null | undefined): TimeToLive | undefined {
  useEffect(() => {
    if (table && !known.peek().has(table)) void refreshTtl(table);
  }, [table]);
  return table ? known.value.get(table) : undefined;
}
