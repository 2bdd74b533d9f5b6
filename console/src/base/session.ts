// What this session of the page has used, for the line at the foot.

import { signal } from '@preact/signals';
import type { Fault } from './faults';
import type { Took } from './client';

export interface Used {
  requests: number;
  failed: number;
  readUnits: number;
  writeUnits: number;
  nanodollars: number;
  isPriced: boolean;
}

export interface Note {
  operation: string;
  took?: Took;
  fault?: Fault;
  unrecorded: boolean;
}

export const used = signal<Used>({ requests: 0, failed: 0, readUnits: 0, writeUnits: 0, nanodollars: 0, isPriced: false });

/** The last request of the user, for the foot line. */
export const last = signal<Note | null>(null);

/** Whether the server could not be reached when it was asked last. */
export const isLost = signal(false);

/** Counts a request. The page's own descriptions and polls count only as far as they use units. */
export function note(one: Note): void {
  const { took, fault } = one;
  if (fault?.kind === 'connection') isLost.value = true;
  else if (isLost.peek()) isLost.value = false;
  if (!one.unrecorded) last.value = one;
  const before = used.peek();
  const units = (took?.readUnits ?? 0) + (took?.writeUnits ?? 0);
  if (one.unrecorded && units === 0) return;
  used.value = {
    requests: before.requests + 1,
    failed: before.failed + (fault ? 1 : 0),
    readUnits: before.readUnits + (took?.readUnits ?? 0),
    writeUnits: before.writeUnits + (took?.writeUnits ?? 0),
    nanodollars: before.nanodollars + (took?.nanodollars ?? 0),
    isPriced: before.isPriced || took?.nanodollars !== undefined,
  };
}
