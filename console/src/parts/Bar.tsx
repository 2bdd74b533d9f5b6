// Examined against returned: one hue for what was read and kept, one, hatched, for what was paid for and thrown away.

import { count, percent } from '../data/sizes';

export function Bar({ examined, returned, isWide }: { examined: number; returned: number; isWide?: boolean }) {
  const kept = examined > 0 ? Math.min(1, returned / examined) : 1;
  const words =
    examined === 0
      ? 'read nothing'
      : `examined ${count(examined)}, returned ${count(returned)}${kept < 1 ? `, thrown away ${percent(1 - kept)}` : ''}`;
  return (
    <span class={`bar ${isWide ? 'wide' : ''} ${examined === 0 ? 'none' : ''}`} role="img" aria-label={words} title={words}>
      <span class="bar-kept" style={{ width: `${kept * 100}%` }} />
      {kept < 1 && <span class="bar-thrown" style={{ width: `${(1 - kept) * 100}%` }} />}
    </span>
  );
}
