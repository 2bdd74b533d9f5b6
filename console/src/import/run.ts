// Writes many items by BatchWriteItem: what is left unprocessed is sent again, what is refused is found and kept, and
// nothing is lost when it is stopped or the connection goes.

import { call } from '../base/client';
import { asFault, type Fault, isAbort } from '../base/faults';
import type { Item } from '../data/values';

export interface Refused {
  row: number;
  words: string;
}

export interface Progress {
  done: number;
  of: number;
  refused: Refused[];
  /** What stopped it; the rest goes on from there. */
  fault: Fault | null;
  isRunning: boolean;
}

interface Written {
  PutRequest: { Item: Item };
}

interface BatchAnswer {
  UnprocessedItems?: { [table: string]: Written[] | undefined };
}

const perBatch = 25;
const lanes = 4;
const mostTries = 12;
const longestPause = 5000;

/** Waits for longer with each try; an abort ends it. */
const pause = (nth: number, signal: AbortSignal): Promise<void> =>
  new Promise((go, stop) => {
    const timer = setTimeout(go, Math.min(longestPause, 50 * 2 ** nth) * (0.5 + Math.random() / 2));
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      stop(new DOMException('stopped', 'AbortError'));
    });
  });

const isPassing = (fault: Fault): boolean => fault.kind === 'throttled' || fault.kind === 'server';

export class Import {
  private readonly waiting: number[];
  private readonly refused: Refused[] = [];
  private done = 0;
  private readonly total: number;
  private ending = new AbortController();

  constructor(
    private readonly table: string,
    rows: number[],
    private readonly item: (row: number) => Item,
    private readonly tell: (progress: Progress) => void,
  ) {
    this.waiting = [...rows].reverse();
    this.total = rows.length;
  }

  /** Writes what is left. Ends when all is written, or by a fault, or by `stop`. */
  async run(): Promise<void> {
    this.ending = new AbortController();
    let fault: Fault | null = null;
    this.report(null, true);
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        try {
          while (fault === null && this.waiting.length > 0 && !this.ending.signal.aborted) await this.batch();
        } catch (error) {
          if (!isAbort(error)) fault ??= asFault(error);
        }
      }),
    );
    this.report(fault, false);
  }

  stop(): void {
    this.ending.abort();
  }

  private report(fault: Fault | null, isRunning: boolean): void {
    this.tell({ done: this.done, of: this.total, refused: [...this.refused], fault, isRunning });
  }

  private async batch(): Promise<void> {
    const rows: number[] = [];
    const items: Item[] = [];
    while (rows.length < perBatch && this.waiting.length > 0) {
      const row = this.waiting.pop() as number;
      try {
        items.push(this.item(row));
        rows.push(row);
      } catch (error) {
        this.refuse(row, (error as Error).message);
      }
    }
    if (rows.length === 0) return;
    try {
      await this.send(rows, items);
    } catch (error) {
      // What may not have been written goes back in line: a put that is sent twice writes the same.
      if (!isAbort(error) && asFault(error).kind === 'validation') await this.oneByOne(rows, items);
      else {
        this.waiting.push(...[...rows].reverse());
        throw error;
      }
    }
    this.report(null, true);
  }

  private refuse(row: number, words: string): void {
    this.refused.push({ row, words });
    this.done += 1;
  }

  /** Sends a batch until nothing of it is left. */
  private async send(rows: number[], items: Item[]): Promise<void> {
    let left: Written[] = items.map((item) => ({ PutRequest: { Item: item } }));
    for (let nth = 0; left.length > 0; nth += 1) {
      if (nth > 0) await pause(nth, this.ending.signal);
      try {
        const answer = await call<BatchAnswer>(
          'BatchWriteItem',
          { RequestItems: { [this.table]: left }, ReturnConsumedCapacity: 'TOTAL' },
          { signal: this.ending.signal },
        );
        const after = answer.UnprocessedItems?.[this.table] ?? [];
        if (after.length < left.length) nth = 0;
        left = after;
      } catch (error) {
        if (isAbort(error) || !isPassing(asFault(error)) || nth >= mostTries) throw error;
      }
      if (nth >= mostTries) throw new Error(`The table took none of ${left.length} items in ${mostTries} tries.`);
    }
    this.done += rows.length;
  }

  /** Finds the items that the service refuses, so that the others are written. */
  private async oneByOne(rows: number[], items: Item[]): Promise<void> {
    for (const [nth, item] of items.entries()) {
      const row = rows[nth] as number;
      try {
        await this.send([row], [item]);
      } catch (error) {
        const fault = isAbort(error) ? null : asFault(error);
        if (fault?.kind !== 'validation') {
          this.waiting.push(...rows.slice(nth).reverse());
          throw error;
        }
        this.refuse(row, fault.message);
      }
    }
  }
}
