// What a Query of the range would examine and cost, by the server's own plan, while the band is dragged.

import { useEffect, useState } from 'preact/hooks';
import { asFault, isAbort, type Fault } from '../../base/faults';
import { features } from '../../base/features';
import { amountOf, bytesBetween, explain, type Explained, itemsBetween, unitsBetween } from '../../data/explained';

const SETTLED_MS = 200;

export function RangeFigures({ operation, request }: { operation: string; request: Record<string, unknown> }) {
  const [state, set] = useState<{ explained: Explained | null; fault: Fault | null }>({ explained: null, fault: null });
  const key = JSON.stringify([operation, request]);
  useEffect(() => {
    const ending = new AbortController();
    const timer = setTimeout(() => {
      explain(operation, request, ending.signal).then(
        (explained) => set({ explained, fault: null }),
        (error: unknown) => !isAbort(error) && set({ explained: null, fault: asFault(error) }),
      );
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [key]);
  if (features.has('Explain') === false) return null;
  if (state.fault) return <p class="range-figures fault">{state.fault.message}</p>;
  const read = state.explained?.Explanation.Steps[0]?.Read;
  const price = amountOf(state.explained?.Explanation.Price);
  return (
    <p class="range-figures" aria-live="polite">
      {read && (
        <>
          <span>
            examines <b>{itemsBetween(read.Estimate.Items)}</b>
          </span>
          <span>{bytesBetween(read.Estimate.Bytes)}</span>
          <span>{unitsBetween(read.Estimate.Units)} read units</span>
          {price && <span>{price} a million</span>}
        </>
      )}
    </p>
  );
}
