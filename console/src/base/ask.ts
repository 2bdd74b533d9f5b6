// A request whose answer a component shows: what it is now, and what went wrong.

import { useEffect, useRef, useState } from 'preact/hooks';
import { asFault, type Fault, isAbort } from './faults';

export interface Asked<T> {
  /** The newest answer; it stays while the next one is on its way, so that nothing jumps. */
  answer: T | null;
  fault: Fault | null;
  isWaiting: boolean;
  again: () => void;
}

/**
 * Asks when `key` changes, `null` asks nothing. The request before it is ended. An answer to another key is shown no
 * longer, unless `keeps` says so: for what changes while it is typed.
 */
export function useAsk<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>, how: { keeps?: boolean } = {}): Asked<T> {
  const [state, set] = useState<{ key: string | null; answer: T | null; fault: Fault | null; isWaiting: boolean }>({
    key: null,
    answer: null,
    fault: null,
    isWaiting: key !== null,
  });
  const [round, next] = useState(0);
  const newest = useRef(ask);
  newest.current = ask;
  useEffect(() => {
    if (key === null) {
      set({ key, answer: null, fault: null, isWaiting: false });
      return;
    }
    const ending = new AbortController();
    set((before) => ({
      ...before,
      answer: before.key === key || how.keeps ? before.answer : null,
      fault: before.key === key ? before.fault : null,
      key,
      isWaiting: true,
    }));
    newest.current(ending.signal).then(
      (answer) => !ending.signal.aborted && set({ key, answer, fault: null, isWaiting: false }),
      (error: unknown) =>
        !isAbort(error) && !ending.signal.aborted && set((before) => ({ ...before, fault: asFault(error), isWaiting: false })),
    );
    return () => ending.abort();
  }, [key, round]);
  return { answer: state.answer, fault: state.fault, isWaiting: state.isWaiting, again: () => next(round + 1) };
}
