// A button that opens a list of actions. Arrows move, Escape and a click elsewhere close.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, type ButtonProps } from './Button';
import { Icon, type IconName } from './Icon';
import { useId } from './ids';

export interface MenuEntry {
  title: string;
  run: () => void;
  icon?: IconName;
  kind?: 'danger';
  disabled?: boolean;
  /** For entries of which some are on. */
  checked?: boolean;
}

export interface MenuProps {
  entries: MenuEntry[];
  children?: ComponentChildren;
  label?: string;
  icon?: IconName;
  kind?: ButtonProps['kind'];
}

export function Menu({ entries, children, label, icon, kind = 'plain' }: MenuProps) {
  const [isOpen, open] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId('menu');
  useEffect(() => {
    if (!isOpen) return;
    root.current?.querySelector<HTMLElement>('[role^="menuitem"]:not([disabled])')?.focus();
    const elsewhere = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) open(false);
    };
    addEventListener('pointerdown', elsewhere);
    return () => removeEventListener('pointerdown', elsewhere);
  }, [isOpen]);
  // A menu near the foot of the window opens upwards, one near its left edge to the right.
  const box = isOpen ? root.current?.getBoundingClientRect() : undefined;
  const where = `${box && box.bottom > innerHeight * 0.6 ? ' up' : ''}${box && box.right < 220 ? ' left' : ''}`;
  const close = (): void => {
    open(false);
    root.current?.querySelector('button')?.focus();
  };
  const move = (event: KeyboardEvent): void => {
    const all = [...(root.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]:not([disabled])') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') open(false);
    else if (to !== undefined && all.length > 0) all[(to + all.length) % all.length]?.focus();
    else return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={root} onKeyDown={isOpen ? move : undefined}>
      <Button kind={kind} icon={icon} label={label} expanded={isOpen} controls={id} onClick={() => open(!isOpen)}>
        {children}
      </Button>
      {isOpen && (
        <div class={`menu-list${where}`} role="menu" id={id}>
          {entries.map((entry) => (
            <button
              key={entry.title}
              type="button"
              role={entry.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
              aria-checked={entry.checked}
              class={entry.kind ?? ''}
              disabled={entry.disabled}
              onClick={() => {
                if (entry.checked === undefined) close();
                entry.run();
              }}
            >
              {entry.checked !== undefined && <span class="mark">{entry.checked && <Icon name="check" />}</span>}
              {entry.icon && <Icon name={entry.icon} />}
              {entry.title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
