// Identifiers that tie labels to what they label.

import { useState } from 'preact/hooks';

let next = 0;

/** Returns an identifier that is this component's alone. */
export function useId(kind: string): string {
  const [id] = useState(() => `${kind}-${(next += 1)}`);
  return id;
}
