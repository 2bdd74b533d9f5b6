// What a ruler shows, and the reading of it: the first answer, its refinement while it is looked at, and a store of lines
// that were read.

import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../base/client';
import { asFault, isAbort, type Fault } from '../base/faults';
import { features } from '../base/features';
import { lineOf, refined, type Line, type RulerAnswer } from './bins';
import { fallback } from './fallback';
import { part, valueOf, type Key, type KeyType, type KeyValue } from './keys';

/** A line of keys: a table or an index, and the part of it that is shown. */
export interface RulerSource {
  table: string;
  index?: string | undefined;
  /** Names of the partition key attributes, and of the sort key attributes, in their order. */
  partition: string[];
  sort: string[];
  /** Values of all partition key attributes; absent: the partitions are the line. */
  partitionKey?: Key | undefined;
  /** Values of leading sort key attributes, where there are several. */
  sortKey?: Key | undefined;
  /** The folder that is open. */
  prefix?: string | undefined;
  /** Ends of what is shown, both included, where there are no folders to open. */
  from?: KeyValue | undefined;
  to?: KeyValue | undefined;
  delimiter?: string | undefined;
}

/** Returns the sort key attribute that the line is of; none for partitions. */
export function attributeOf(source: RulerSource): string | undefined {
  return source.partitionKey ? source.sort[Object.keys(source.sortKey ?? {}).length] : undefined;
}

/** As many as a wide screen has places for; folders beyond that are several to a bin. */
const BINS = 400;

export function requestOf(source: RulerSource, cursor?: string): Record<string, unknown> {
  const attribute = attributeOf(source);
  const end = (value: KeyValue | undefined) => (value && attribute !== undefined ? { [attribute]: value } : undefined);
  const isOpen = source.sortKey && Object.keys(source.sortKey).length > 0;
  return withoutAbsent({
    TableName: source.table,
    IndexName: source.index,
    PartitionKey: source.partitionKey,
    SortKey: isOpen ? source.sortKey : undefined,
    Prefix: source.prefix || undefined,
    From: end(source.from),
    To: end(source.to),
    Delimiter: source.delimiter || undefined,
    Bins: BINS,
    Cursor: cursor,
  });
}

function withoutAbsent(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Returns the bins of a source; from an endpoint without the operation, those that its own answers show. */
export async function askRuler(source: RulerSource, cursor: string | undefined, signal: AbortSignal, isOwnOnly = false): Promise<RulerAnswer> {
  if (features.has('Ruler') !== false) {
    try {
      return await call<RulerAnswer>('Ruler', requestOf(source, cursor), { own: true, signal });
    } catch (error) {
      if (isAbort(error) || isOwnOnly || asFault(error).kind !== 'unknownOperation') throw error;
    }
  }
  return fallback(source, cursor, signal);
}

/** Calls after the first that refine a line unasked: 100,000 keys. Then a button counts on. */
export const REFINING_CALLS = 5;
/** Elsewhere pages are read that somebody may pay for: the first one unasked. */
const callsUnasked = (): number => (features.has('Ruler') === false ? 0 : REFINING_CALLS);
const LINES_KEPT = 40;
const lines = new Map<string, Line>();

function remember(key: string, line: Line): void {
  lines.delete(key);
  lines.set(key, line);
  for (const oldest of lines.keys()) {
    if (lines.size <= LINES_KEPT) break;
    lines.delete(oldest);
  }
}

/** Forgets what was read of a table, as after a change of it. */
export function forgetLines(): void {
  lines.clear();
}

export interface LineState {
  line: Line | undefined;
  fault: Fault | undefined;
  isReading: boolean;
  /** Whether counting has stopped before its end; `countOn` goes on. */
  hasStopped: boolean;
  countOn: () => void;
  again: () => void;
}

const PAUSE_MS = 60;

/** Reads the line of a source and refines it while `isSeen`. */
export function useLine(source: RulerSource | undefined, isSeen: boolean, isOwnOnly = false): LineState {
  const key = source ? JSON.stringify(requestOf(source)) : '';
  const [, redraw] = useState(0);
  const state = useRef({ key: '', calls: 0, most: REFINING_CALLS, fault: undefined as Fault | undefined, isReading: false });
  const [round, setRound] = useState(0);
  if (state.current.key !== key) state.current = { key, calls: 0, most: REFINING_CALLS, fault: undefined, isReading: false };
  useEffect(() => {
    if (!source) return;
    const now = state.current;
    const ending = new AbortController();
    let timer = 0;
    const step = async (): Promise<void> => {
      const line = lines.get(key);
      if (line && (line.cursor === undefined || now.calls > now.most || !isSeen)) return;
      now.isReading = true;
      redraw((nth) => nth + 1);
      try {
        const answer = await askRuler(source, line?.cursor, ending.signal, isOwnOnly);
        now.calls++;
        if (now.most === REFINING_CALLS) now.most = callsUnasked();
        now.fault = undefined;
        remember(key, line ? refined(line, answer) : lineOf(answer));
        timer = window.setTimeout(() => void step(), PAUSE_MS);
      } catch (error) {
        if (isAbort(error)) return;
        now.fault = asFault(error);
      }
      now.isReading = false;
      if (!ending.signal.aborted) redraw((nth) => nth + 1);
    };
    void step();
    return () => {
      ending.abort();
      now.isReading = false;
      clearTimeout(timer);
    };
  }, [key, isSeen, round]);
  const line = lines.get(key);
  const start = (): void => {
    state.current.calls = 0;
    // What was asked for goes on for some calls, here and elsewhere.
    state.current.most = REFINING_CALLS + 1;
    state.current.fault = undefined;
    setRound((nth) => nth + 1);
  };
  return {
    line,
    fault: state.current.fault,
    isReading: state.current.isReading,
    hasStopped: line?.cursor !== undefined && state.current.calls > state.current.most,
    countOn: start,
    again: () => {
      lines.delete(key);
      start();
    },
  };
}

/** Returns the source one step down: into a folder, into a value of a leading attribute, or into a stretch of keys. */
export function opened(source: RulerSource, line: Line, from: number, to: number): RulerSource | undefined {
  const [first, last] = [line.bins[from]!, line.bins[to]!];
  if (line.kind === 'Partitions') {
    return from === to && first.Folders <= 1 ? { ...inPartition(source), partitionKey: partitionOf(source, first.First) } : undefined;
  }
  const [low, high] = [part(first.First, line.attribute), part(last.Last, line.attribute)];
  if (!low || !high) return undefined;
  if (from === to && first.SortKey) return { ...source, sortKey: first.SortKey, prefix: undefined, from: undefined, to: undefined };
  if (from === to && first.Folder !== undefined) return { ...source, prefix: first.Folder, from: undefined, to: undefined };
  const nth = source.sort.indexOf(line.attribute);
  if (JSON.stringify(low) === JSON.stringify(high)) {
    if (nth < 0 || nth >= source.sort.length - 1) return undefined;
    return { ...source, sortKey: { ...source.sortKey, [line.attribute]: low }, prefix: undefined, from: undefined, to: undefined };
  }
  const isAll = from === 0 && to === line.bins.length - 1;
  return isAll ? undefined : { ...source, from: low, to: high };
}

/** The answer's keys are whole ones. */
function partitionOf(source: RulerSource, key: Key): Key {
  return Object.fromEntries(source.partition.flatMap((name) => (part(key, name) ? [[name, part(key, name)!]] : []))) as Key;
}

function inPartition(source: RulerSource): RulerSource {
  const { table, index, partition, sort } = source;
  return { table, index, partition, sort };
}

export interface Crumb {
  text: string;
  source: RulerSource;
}

/** Returns the way down to a source: the table or index, the partition, each folder, the stretch. */
export function crumbs(source: RulerSource, delimiter: string | undefined, told: (value: KeyValue) => string): Crumb[] {
  const bare = inPartition(source);
  const way: Crumb[] = [{ text: source.index ?? source.table, source: bare }];
  if (!source.partitionKey) return way;
  const of = (key: Key) => Object.values(key).map(told).join(' · ');
  let at: RulerSource = { ...bare, partitionKey: source.partitionKey, delimiter: source.delimiter };
  way.push({ text: of(source.partitionKey), source: at });
  for (const [name, value] of Object.entries(source.sortKey ?? {})) {
    at = { ...at, sortKey: { ...at.sortKey, [name]: value } };
    way.push({ text: told(value), source: at });
  }
  for (const prefix of foldersOf(source.prefix ?? '', source.delimiter ?? delimiter)) {
    const before = at.prefix ?? '';
    at = { ...at, prefix };
    way.push({ text: told({ S: prefix.slice(before.length) }), source: at });
  }
  if (source.from || source.to) way.push({ text: stretch(source.from, source.to, told), source });
  return way;
}

function stretch(from: KeyValue | undefined, to: KeyValue | undefined, told: (value: KeyValue) => string): string {
  return `${from ? told(from) : ''} … ${to ? told(to) : ''}`.trim();
}

const DEPTH_MAX = 32;

/** Returns the prefixes of the folders on the way to a prefix: `A#B#` gives `A#` and `A#B#`. */
export function foldersOf(prefix: string, delimiter: string | undefined): string[] {
  if (prefix === '') return [];
  const found: string[] = [];
  let at = 0;
  while (delimiter && at < prefix.length && found.length < DEPTH_MAX) {
    const end = prefix.indexOf(delimiter, at);
    if (end < 0) break;
    at = end + delimiter.length;
    found.push(prefix.slice(0, at));
  }
  if (found.at(-1) !== prefix) found.push(prefix);
  return found;
}

/** A source as the parts of an address, and back: keys as JSON. */
export function toQuery(source: RulerSource): Record<string, string | undefined> {
  const json = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));
  return {
    index: source.index,
    pk: json(source.partitionKey),
    sk: source.sortKey && Object.keys(source.sortKey).length > 0 ? json(source.sortKey) : undefined,
    prefix: source.prefix,
    from: json(source.from),
    to: json(source.to),
    delimiter: source.delimiter,
  };
}

export function fromQuery(query: ReadonlyMap<string, string>): Partial<RulerSource> {
  return {
    index: query.get('index'),
    partitionKey: readKey(query.get('pk')),
    sortKey: readKey(query.get('sk')),
    prefix: query.get('prefix'),
    from: readValue(query.get('from')),
    to: readValue(query.get('to')),
    delimiter: query.get('delimiter'),
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Returns a key value out of an address, which anybody may have written. */
function asValue(read: unknown): KeyValue | undefined {
  if (typeof read !== 'object' || read === null) return undefined;
  const [[type, text] = [], more] = Object.entries(read) as [string, unknown][];
  const isKnown = type === 'S' || type === 'N' || type === 'B';
  return isKnown && typeof text === 'string' && more === undefined ? valueOf(type as KeyType, text) : undefined;
}

export function readValue(text: string | undefined): KeyValue | undefined {
  return asValue(parsed(text));
}

export function readKey(text: string | undefined): Key | undefined {
  const read = parsed(text);
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
  const entries = Object.entries(read).map(([name, one]) => [name, asValue(one)] as const);
  if (entries.length === 0 || entries.length > 8 || entries.some(([, value]) => !value)) return undefined;
  return Object.fromEntries(entries) as Key;
}
