// What to do where there is nothing yet, or what an endpoint leaves out.

import type { ComponentChildren } from 'preact';
import { Icon } from './Icon';

export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A sentence for a part that is left out. */
export function LeftOut({ children }: { children: ComponentChildren }) {
  return (
    <p class="left-out">
      <Icon name="info" /> <span>{children}</span>
    </p>
  );
}
