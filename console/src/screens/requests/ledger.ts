// The watch of recent requests: a long poll that goes on while the screen is shown, lines in a bounded list, seconds with
// their patterns. What the server lost or left out is counted and told.

import { signal } from '@preact/signals';
import { call } from '../../base/client';
import { asFault, isAbort, type Fault } from '../../base/faults';

export interface LedgerLine {
  Number: number;
  AtMs: number;
  Id: string;
  Operation: string;
  Table?: string;
  MoreTables?: number;
  Index?: string;
  Pattern?: string;
  Caller?: string;
  Peer: string;
  Agent?: string;
  Examined: number;
  ExaminedBytes: number;
  Returned: number;
  ReadUnits: number;
  WriteUnits: number;
  MillionCosts?: number;
  Currency?: string;
  TookMs: number;
  ReadMs?: number;
  WaitedMs?: number;
  RanMs?: number;
  Status?: number;
  Error?: string;
  RequestBytes: number;
  ResponseBytes: number;
  Body?: string;
  IsSlow?: boolean;
}

export interface PatternSecond {
  Operation: string;
  Table?: string;
  Index?: string;
  Pattern?: string;
  Requests: number;
  Failed: number;
  ReadUnits: number;
  WriteUnits: number;
  Examined: number;
  Returned: number;
  P50Ms: number;
  P99Ms: number;
  WorstMs: number;
}

export interface Second {
  AtMs: number;
  Requests: number;
  Failed: number;
  ReadUnits: number;
  WriteUnits: number;
  Others?: number;
  Patterns: PatternSecond[];
}

export interface Filter {
  Operation?: string;
  Table?: string;
  Index?: string;
  Caller?: string;
  Text?: string;
  Failed?: boolean;
  SlowerThanMs?: number;
  ExaminesOver?: number;
}

interface Answer {
  Server: string;
  Cursor: string;
  IsNew?: boolean;
  Because?: string;
  Requests?: LedgerLine[];
  Seconds?: Second[];
  Lost?: number;
  LeftOut?: number;
  OneIn?: number;
  ValuesAreKept?: boolean;
}

export const LINES_MAX = 5_000;
export const SECONDS_MAX = 60;
const WAIT_SECONDS = 15;
/** Polls are at least so far apart, however busy the server is. */
const PACE_MS = 300;
const RETRY_MS = [500, 1000, 2000, 4000];

/** The newest lines and seconds. Readers compare `version`. */
export class Ledger {
  /** Newest last. */
  lines: LedgerLine[] = [];
  seconds: Second[] = [];
  lost = 0;
  leftOut = 0;
  oneIn = 1;
  seen = 0;
  valuesAreKept: boolean | undefined;
  server = '';

  /** Takes an answer in. Lines beyond the bound are dropped, oldest first. */
  take(answer: Answer): void {
    const fresh = answer.Requests ?? [];
    this.seen += fresh.length;
    const all = this.lines.length + fresh.length > LINES_MAX ? this.lines.slice(-(LINES_MAX - Math.min(LINES_MAX, fresh.length))) : this.lines;
    this.lines = fresh.length === 0 ? this.lines : (fresh.length >= LINES_MAX ? fresh : [...all, ...fresh]).slice(-LINES_MAX);
    if (answer.Seconds?.length) this.seconds = joined(this.seconds, answer.Seconds);
    this.lost += answer.Lost ?? 0;
    this.leftOut += answer.LeftOut ?? 0;
    this.oneIn = answer.OneIn ?? 1;
    this.valuesAreKept = answer.ValuesAreKept ?? this.valuesAreKept;
    this.server = answer.Server;
  }

  clear(): void {
    this.lines = [];
    this.lost = 0;
    this.leftOut = 0;
    this.seen = 0;
  }
}

/** Seconds in order, each once: a later answer about a second takes its place. */
function joined(before: Second[], fresh: Second[]): Second[] {
  const all = new Map(before.map((second) => [second.AtMs, second]));
  for (const second of fresh) all.set(second.AtMs, second);
  return [...all.values()].sort((a, b) => a.AtMs - b.AtMs).slice(-SECONDS_MAX);
}

export type WatchState = { kind: 'starting' | 'watching' } | { kind: 'lost'; fault: Fault; since: number } | { kind: 'refused'; fault: Fault };

/** A watch while a screen is shown. */
export class Watch {
  readonly ledger = new Ledger();
  /** Grows with every change of what is shown. */
  readonly version = signal(0);
  readonly state = signal<WatchState>({ kind: 'starting' });
  /** What happened to the watch, for people: that it began anew, and why. */
  readonly notices = signal<{ at: number; words: string }[]>([]);
  #cursor: string | undefined;
  #filter: Filter = {};
  #isEnded = false;
  #ending = new AbortController();
  #failures = 0;

  start(): void {
    void this.#run();
  }

  /** Ends the watch at the server, too. */
  end(): void {
    this.#isEnded = true;
    this.#ending.abort();
    const cursor = this.#cursor;
    if (cursor !== undefined) call('StopWatchingRequests', { Cursor: cursor }, { own: true }).catch(() => undefined);
  }

  /** Lets the server send what passes a filter, from now on. */
  filter(filter: Filter): void {
    if (JSON.stringify(filter) === JSON.stringify(this.#filter)) return;
    this.#filter = filter;
    this.ledger.clear();
    this.version.value++;
    // The poll that waits has the filter before.
    this.#ending.abort();
    this.#ending = new AbortController();
  }

  again(): void {
    this.#failures = 0;
    if (this.state.peek().kind !== 'refused') return;
    this.state.value = { kind: 'starting' };
    this.start();
  }

  async #run(): Promise<void> {
    while (!this.#isEnded) {
      const began = performance.now();
      const isGoingOn = await this.#poll();
      if (!isGoingOn) return;
      const left = PACE_MS - (performance.now() - began);
      if (left > 0) await pause(left);
    }
  }

  async #poll(): Promise<boolean> {
    const isFirst = this.#cursor === undefined;
    try {
      const request = { Cursor: this.#cursor, Filter: Object.keys(this.#filter).length > 0 ? this.#filter : undefined, Limit: 200, WaitSeconds: isFirst ? 0 : WAIT_SECONDS };
      const answer = await call<Answer>('WatchRequests', request, { own: true, signal: this.#ending.signal });
      if (this.#isEnded) return false;
      this.#taken(answer, isFirst);
      return true;
    } catch (error) {
      if (isAbort(error)) return !this.#isEnded;
      return this.#failed(asFault(error));
    }
  }

  #taken(answer: Answer, isFirst: boolean): void {
    this.#failures = 0;
    this.#cursor = answer.Cursor;
    if (answer.IsNew && !isFirst) this.#notice(answer.Because === 'OtherServer' ? `Another server answers now: ${answer.Server}. What it saw before is not here.` : 'The watch had ended at the server, as after a restart; it began anew.');
    if (this.state.peek().kind === 'lost') this.#notice('The connection is back.');
    if (this.state.peek().kind !== 'watching') this.state.value = { kind: 'watching' };
    const isChanged = (answer.Requests?.length ?? 0) > 0 || (answer.Seconds?.length ?? 0) > 0 || isFirst;
    this.ledger.take(answer);
    if (isChanged) this.version.value++;
  }

  async #failed(fault: Fault): Promise<boolean> {
    if (fault.kind === 'unknownOperation' || fault.kind === 'credentialsMissing' || fault.kind === 'credentialsWrong' || fault.kind === 'validation') {
      this.state.value = { kind: 'refused', fault };
      return false;
    }
    const before = this.state.peek();
    this.state.value = { kind: 'lost', fault, since: before.kind === 'lost' ? before.since : Date.now() };
    await pause(RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]!);
    this.#failures++;
    return !this.#isEnded;
  }

  #notice(words: string): void {
    this.notices.value = [...this.notices.peek().slice(-4), { at: Date.now(), words }];
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export interface PatternRow extends PatternSecond {
  key: string;
  /** Requests of each second that is looked at, oldest first. */
  perSecond: number[];
}

export const patternKey = (one: Pick<PatternSecond, 'Operation' | 'Table' | 'Index' | 'Pattern'>): string => JSON.stringify([one.Operation, one.Table, one.Index, one.Pattern]);

/** Returns the patterns of some seconds: counts are summed, times are the largest of the seconds. */
export function patternsOf(seconds: readonly Second[]): PatternRow[] {
  const rows = new Map<string, PatternRow>();
  for (const [nth, second] of seconds.entries()) {
    for (const one of second.Patterns) {
      const key = patternKey(one);
      const row = rows.get(key) ?? { ...one, key, Requests: 0, Failed: 0, ReadUnits: 0, WriteUnits: 0, Examined: 0, Returned: 0, P50Ms: 0, P99Ms: 0, WorstMs: 0, perSecond: Array<number>(seconds.length).fill(0) };
      rows.set(key, row);
      row.perSecond[nth] = one.Requests;
      for (const name of ['Requests', 'Failed', 'ReadUnits', 'WriteUnits', 'Examined', 'Returned'] as const) row[name] += one[name];
      for (const name of ['P50Ms', 'P99Ms', 'WorstMs'] as const) row[name] = Math.max(row[name], one[name]);
    }
  }
  return [...rows.values()];
}

/** A server is busy when lines would pass faster than they can be read. */
export const BUSY_A_SECOND = 25;

export function isBusy(seconds: readonly Second[]): boolean {
  return (seconds.at(-1)?.Requests ?? 0) > BUSY_A_SECOND;
}
