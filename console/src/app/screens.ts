// The screens, each loaded when it is first shown.

import type { ComponentType } from 'preact';
import type { Address } from '../base/address';
import { lazy } from '../base/lazy';
import type { IconName } from '../parts/Icon';

export interface ScreenProps {
  address: Address;
}

export interface ScreenEntry {
  id: string;
  title: string;
  icon: IconName;
  words: string;
  /** Whether its address has a table as first part. */
  isOfTable: boolean;
  Screen: ComponentType<ScreenProps>;
}

export const screens: ScreenEntry[] = [
  {
    id: 'start',
    title: 'Start',
    icon: 'start',
    words: 'Samples, import, how to connect',
    isOfTable: false,
    Screen: lazy(async () => (await import('../screens/start')).Screen),
  },
  {
    id: 'tables',
    title: 'Tables',
    icon: 'table',
    words: 'Create, change and delete tables',
    isOfTable: true,
    Screen: lazy(async () => (await import('../screens/tables')).Screen),
  },
  {
    id: 'keys',
    title: 'Keys',
    icon: 'keys',
    words: 'The ruler: partitions, folders, findings',
    isOfTable: true,
    Screen: lazy(async () => (await import('../screens/keys')).Screen),
  },
  {
    id: 'items',
    title: 'Items',
    icon: 'items',
    words: 'Browse and edit items',
    isOfTable: true,
    Screen: lazy(async () => (await import('../screens/items')).Screen),
  },
  {
    id: 'query',
    title: 'Query',
    icon: 'query',
    words: 'Key conditions, filters, PartiQL',
    isOfTable: true,
    Screen: lazy(async () => (await import('../screens/query')).Screen),
  },
  {
    id: 'explain',
    title: 'Explain',
    icon: 'explain',
    words: 'What a request reads',
    isOfTable: false,
    Screen: lazy(async () => (await import('../screens/explain')).Screen),
  },
  {
    id: 'requests',
    title: 'Requests',
    icon: 'requests',
    words: 'Every request that reaches the server',
    isOfTable: false,
    Screen: lazy(async () => (await import('../screens/requests')).Screen),
  },
  {
    id: 'server',
    title: 'Server',
    icon: 'server',
    words: 'Health, latency, jobs',
    isOfTable: false,
    Screen: lazy(async () => (await import('../screens/server')).Screen),
  },
];
