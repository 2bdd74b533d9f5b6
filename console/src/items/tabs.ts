// The tabs of the Items screen: each is an address of its own; the browser's tab keeps them until it is closed.

import { signal } from '@preact/signals';
import { type Address, go, link } from '../base/address';

export interface ItemTab {
  id: string;
  table: string;
  hash: string;
}

const stored = 'hashrange.item-tabs';
const most = 30;

function load(): ItemTab[] {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(stored) ?? '[]');
    const isTab = (one: unknown): one is ItemTab =>
      typeof one === 'object' &&
      one !== null &&
      ['id', 'table', 'hash'].every((name) => typeof (one as Record<string, unknown>)[name] === 'string');
    return Array.isArray(read) ? read.filter(isTab).slice(0, most) : [];
  } catch {
    return [];
  }
}

export const itemTabs = signal<ItemTab[]>(load());

function set(tabs: ItemTab[]): void {
  itemTabs.value = tabs.slice(-most);
  try {
    sessionStorage.setItem(stored, JSON.stringify(itemTabs.value));
  } catch {
    // Tabs then live as long as the page.
  }
}

const nextId = (): string => String(1 + Math.max(0, ...itemTabs.peek().map((tab) => Number(tab.id) || 0)));

/** Returns the address with members changed; what is undefined is taken out. */
export function changed(address: Address, query: Record<string, string | undefined | null>): string {
  return link(address.screen, address.path, { ...Object.fromEntries(address.query), ...query });
}

/** Ties the address that is shown to a tab: its own, the one of its table, or a new one. Returns the tab's id. */
export function tie(address: Address): string | null {
  const table = address.path[0];
  if (!table) return null;
  const id = address.query.get('tab');
  const mine = itemTabs.peek().find((tab) => tab.id === id);
  if (id !== undefined) {
    const hash = link(address.screen, address.path, Object.fromEntries(address.query));
    if (mine === undefined) set([...itemTabs.peek(), { id, table, hash }]);
    else if (mine.hash !== hash) set(itemTabs.peek().map((tab) => (tab.id === id ? { id, table, hash } : tab)));
    return id;
  }
  const ofTable = address.query.size === 0 ? itemTabs.peek().find((tab) => tab.table === table) : undefined;
  go(ofTable?.hash ?? changed(address, { tab: nextId() }), { replace: true });
  return null;
}

/** Opens what is shown in a tab of its own. */
export const duplicate = (address: Address): void => go(changed(address, { tab: nextId() }));

/** Closes a tab, and returns the address to go to if it was shown. */
export function closeTab(id: string): string {
  const tabs = itemTabs.peek();
  const nth = tabs.findIndex((tab) => tab.id === id);
  const left = tabs.filter((tab) => tab.id !== id);
  set(left);
  return left[Math.min(nth, left.length - 1)]?.hash ?? link('items');
}

export const closeTabsOf = (table: string): void => set(itemTabs.peek().filter((tab) => tab.table !== table));
