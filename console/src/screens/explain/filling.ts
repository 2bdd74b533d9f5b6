// Indexes that are being made: how far each is, until the table says ACTIVE.

import { signal } from '@preact/signals';
import { call } from '../../base/client';
import { asFault } from '../../base/faults';
import { askJobs } from '../../base/jobs';
import { describe } from '../../base/tables';

export interface Filling {
  table: string;
  index: string;
  state: 'asked' | 'filling' | 'active' | 'failed';
  done?: number;
  of?: number;
  perSecond?: number;
  fault?: string;
}

export const fillings = signal<ReadonlyMap<string, Filling>>(new Map());

const keyOf = (table: string, index: string): string => JSON.stringify([table, index]);

export const fillingOf = (table: string, index: string): Filling | undefined => fillings.value.get(keyOf(table, index));

function tell(filling: Filling): void {
  fillings.value = new Map(fillings.peek()).set(keyOf(filling.table, filling.index), filling);
}

const POLL_MS = 700;
const POLLS_MAX = 100_000;

/** Sends the request that makes an index, and follows it. */
export async function makeIndex(table: string, index: string, request: Record<string, unknown>): Promise<void> {
  tell({ table, index, state: 'asked' });
  try {
    await call('UpdateTable', request);
  } catch (error) {
    tell({ table, index, state: 'failed', fault: asFault(error).message });
    return;
  }
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const next = await look(table, index);
    tell(next);
    if (next.state === 'active' || next.state === 'failed') return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function look(table: string, index: string): Promise<Filling> {
  try {
    const described = await describe(table);
    const found = described.GlobalSecondaryIndexes?.find((one) => one.IndexName === index);
    if (!found) return { table, index, state: 'failed', fault: 'The index is gone.' };
    if (found.IndexStatus === 'ACTIVE') return { table, index, state: 'active' };
    return { table, index, state: 'filling', ...(await progress(table, index)) };
  } catch (error) {
    // The connection may come back: the index is made by the server, whoever looks.
    const fault = asFault(error);
    return { table, index, state: fault.kind === 'notFound' ? 'failed' : 'filling', fault: fault.message };
  }
}

async function progress(table: string, index: string): Promise<Pick<Filling, 'done' | 'of' | 'perSecond'>> {
  try {
    const job = (await askJobs()).find((one) => one.Kind === 'IndexFill' && one.Table === table && one.Index === index);
    return job ? { done: job.Done, of: job.Of, perSecond: job.PerSecond } : {};
  } catch {
    return {};
  }
}
