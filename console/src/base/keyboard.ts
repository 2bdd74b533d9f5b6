// Keys that work everywhere on the page. A screen adds its own while it is shown.

import { useEffect } from 'preact/hooks';

export interface Shortcut {
  /** Such as `mod+k`, `mod+Enter`, `g`, `/`; `mod` is Ctrl, and Cmd on a Mac. */
  keys: string;
  /** What it does, for the list of keys. */
  words: string;
  run: () => void;
  /** Whether it works while something is typed; keys with `mod` always do. */
  whileTyping?: boolean;
  /** Whether it works while a dialog is open. */
  inDialogs?: boolean;
}

const shortcuts = new Set<Shortcut>();

const isMac = typeof navigator !== 'undefined' && /Mac|iP(hone|ad)/.test(navigator.platform);

/** Returns a shortcut's keys as people read them: Ctrl K. */
export const keyWords = (keys: string): string =>
  keys
    .split('+')
    .map((part) =>
      part === 'mod'
        ? isMac
          ? '⌘'
          : 'Ctrl'
        : part === 'alt'
          ? 'Alt'
          : part === 'shift'
            ? 'Shift'
            : part.length === 1
              ? part.toUpperCase()
              : part,
    )
    .join(' ');

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function name(event: KeyboardEvent): string {
  const parts: string[] = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push('mod');
  if (event.altKey) parts.push('alt');
  if (event.shiftKey && event.key.length > 1) parts.push('shift');
  parts.push(event.key.length === 1 ? event.key.toLowerCase() : event.key);
  return parts.join('+');
}

if (typeof addEventListener !== 'undefined') {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const pressed = name(event);
    const typing = isTyping(event.target);
    // What was added last is nearest to what is shown, so it is asked first.
    for (const one of [...shortcuts].reverse()) {
      if (one.keys !== pressed || (typing && !one.whileTyping && !pressed.includes('mod'))) continue;
      if (document.querySelector('[aria-modal="true"]') !== null && !one.inDialogs) continue;
      event.preventDefault();
      one.run();
      return;
    }
  });
}

export const allShortcuts = (): Shortcut[] => [...shortcuts];

/** Adds shortcuts while the component is shown. */
export function useShortcuts(list: Shortcut[]): void {
  useEffect(() => {
    for (const one of list) shortcuts.add(one);
    return () => {
      for (const one of list) shortcuts.delete(one);
    };
  });
}
