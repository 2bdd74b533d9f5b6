// Short messages about what was done, read out by screen readers.

import { signal } from '@preact/signals';
import { Icon } from './Icon';

interface Said {
  id: number;
  words: string;
  kind: 'done' | 'fault';
}

const said = signal<Said[]>([]);
let next = 0;

/** Says that something was done, for some seconds. */
export function say(words: string, kind: Said['kind'] = 'done'): void {
  const one = { id: (next += 1), words, kind };
  said.value = [...said.peek().slice(-2), one];
  setTimeout(() => (said.value = said.peek().filter((other) => other.id !== one.id)), kind === 'fault' ? 9000 : 4500);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {said.value.map((one) => (
        <p key={one.id} class={`toast ${one.kind}`}>
          <Icon name={one.kind === 'done' ? 'check' : 'warn'} /> {one.words}
        </p>
      ))}
    </div>
  );
}
