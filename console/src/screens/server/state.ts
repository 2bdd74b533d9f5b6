// What a server tells of itself, asked again while its screen is shown; the points of an hour are kept.

import { useEffect, useState } from 'preact/hooks';
import { call } from '../../base/client';
import { asFault, isAbort, type Fault } from '../../base/faults';
import type { Job } from '../../base/jobs';

export interface Point {
  AtMs: number;
  Seconds: number;
  Requests: number;
  Failed: number;
  Throttled: number;
  MemoryBytes: number;
  DiskBytes?: number;
  CacheHits?: number;
  CacheReads?: number;
  Connections: number;
  Operations: { Operation: string; Requests: number; Failed: number; P50Ms: number; P99Ms: number; WorstMs: number }[];
}

export interface Described {
  Server: {
    Name: string;
    Version: string;
    StartedAtMs: number;
    NowMs: number;
    Store: string;
    Folder?: string;
    Region: string;
    Profile?: string;
    Credentials: string;
    Namespaces: boolean;
    TakesWrites: boolean;
    WhyNoWrites?: string;
    Banner?: string;
  };
  Now: {
    MemoryBytes: number;
    MemoryOfCachesBytes?: number;
    DiskBytes?: number;
    DiskFreeBytes?: number;
    Connections: number;
    RequestsWaiting?: number;
    CacheHits?: number;
    CacheReads?: number;
    Panics: number;
  };
  Points: Point[];
  Jobs?: Job[];
  Servers?: { Name: string; IsThis: boolean; BeatAtMs?: number; Address?: string }[];
}

const POINTS_MAX = 360;
const POLL_MS = 2000;
const RETRY_MS = 3000;

/** Returns the points of an hour, with newer ones in their place; those of another server are not joined. */
export function joined(before: readonly Point[], fresh: readonly Point[]): Point[] {
  const all = new Map(before.map((point) => [point.AtMs, point]));
  for (const point of fresh) all.set(point.AtMs, point);
  const sorted = [...all.values()].sort((a, b) => a.AtMs - b.AtMs);
  const newest = sorted.at(-1)?.AtMs ?? 0;
  return sorted.filter((point) => point.AtMs > newest - 3_600_000).slice(-POINTS_MAX);
}

export interface ServerState {
  described: Described | null;
  fault: Fault | null;
  /** When it answered last. */
  at: number;
  again: () => void;
}

export function useServer(): ServerState {
  const [state, set] = useState<Omit<ServerState, 'again'>>({ described: null, fault: null, at: 0 });
  const [round, next] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    let timer = 0;
    let known: Described | null = null;
    const step = async (): Promise<void> => {
      let wait = POLL_MS;
      try {
        if (document.visibilityState === 'visible' || known === null) {
          const answer: Described = await call<Described>('DescribeServer', { Since: known?.Points.at(-1)?.AtMs }, { own: true, signal: ending.signal });
          const isSame = known !== null && known.Server.Name === answer.Server.Name && known.Server.StartedAtMs === answer.Server.StartedAtMs;
          // A server that was started anew, or another one, has an hour of its own.
          const points = known !== null && !isSame ? answer.Points : joined(known?.Points ?? [], answer.Points);
          known = { ...answer, Points: points };
          set({ described: known, fault: null, at: Date.now() });
        }
      } catch (error) {
        if (isAbort(error)) return;
        const fault = asFault(error);
        set((before) => ({ ...before, fault }));
        if (fault.kind !== 'connection' && fault.kind !== 'server' && fault.kind !== 'throttled') return;
        wait = RETRY_MS;
      }
      if (!ending.signal.aborted) timer = window.setTimeout(() => void step(), wait);
    };
    void step();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [round]);
  return { ...state, again: () => next(round + 1) };
}
