// Tabs by the pattern of ARIA: arrows move, Home and End jump.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useId } from './ids';

export interface Tab {
  id: string;
  title: ComponentChildren;
}

export interface TabsProps {
  label: string;
  tabs: Tab[];
  chosen: string;
  choose: (id: string) => void;
  children?: ComponentChildren;
}

export function Tabs({ label, tabs, chosen, choose, children }: TabsProps) {
  const base = useId('tabs');
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    choose(next.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            aria-selected={tab.id === chosen}
            aria-controls={children === undefined ? undefined : `${base}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => choose(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      {children !== undefined && (
        <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${chosen}`} class="tabpanel">
          {children}
        </div>
      )}
    </>
  );
}
