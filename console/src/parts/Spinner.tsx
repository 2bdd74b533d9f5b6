// A sign of waiting, shown after 200 ms so that what is fast does not flicker.

import { useEffect, useState } from 'preact/hooks';

export function useLate(isWaiting: boolean, ms = 200): boolean {
  const [isLate, set] = useState(false);
  useEffect(() => {
    if (!isWaiting) {
      set(false);
      return;
    }
    const timer = setTimeout(() => set(true), ms);
    return () => clearTimeout(timer);
  }, [isWaiting, ms]);
  return isLate;
}

export function Spinner({ words = 'Loading' }: { words?: string }) {
  const isLate = useLate(true);
  return (
    <p class="spinner" role="status">
      {isLate && (
        <>
          <span class="spinning" aria-hidden="true" /> {words}
        </>
      )}
    </p>
  );
}
