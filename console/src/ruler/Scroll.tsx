// A wide table in a narrow place: it scrolls, by keyboard too.

import type { ComponentChildren } from 'preact';

export function Scroll({ label, children, kind = '' }: { label: string; children: ComponentChildren; kind?: string }) {
  return (
    <div class={`scroll-x ${kind}`} tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
