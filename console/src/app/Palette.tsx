// Ctrl-K: tables, keys and actions by a few letters.

import { useMemo, useState } from 'preact/hooks';
import { askingForAccess, readOnly } from '../base/access';
import { address, go, link } from '../base/address';
import { knownTables, refreshTables, tableNames } from '../base/tables';
import { theme } from '../base/theme';
import { Icon, type IconName } from '../parts/Icon';
import { useDialogFocus } from '../parts/focus';
import { areKeysOpen } from './state';
import { screens } from './screens';

interface Entry {
  title: string;
  about: string;
  icon: IconName;
  run: () => void;
}

const mostShown = 12;

function actions(): Entry[] {
  return [
    { title: 'Create a table', about: 'action', icon: 'plus', run: () => go(link('tables', [], { new: 'table' })) },
    { title: 'Import a file', about: 'action', icon: 'upload', run: () => go(link('start')) },
    { title: 'PartiQL statement', about: 'action', icon: 'code', run: () => go(link('query', [], { as: 'partiql' })) },
    { title: 'List the tables again', about: 'action', icon: 'reload', run: () => void refreshTables() },
    {
      title: readOnly.peek() ? 'Let this page write' : 'Read-only mode',
      about: 'action',
      icon: 'lock',
      run: () => (readOnly.value = !readOnly.peek()),
    },
    { title: 'Access and region', about: 'action', icon: 'key', run: () => (askingForAccess.value = true) },
    { title: 'Colours: light', about: 'action', icon: 'sun', run: () => (theme.value = 'light') },
    { title: 'Colours: dark', about: 'action', icon: 'moon', run: () => (theme.value = 'dark') },
    { title: 'Colours: by the system', about: 'action', icon: 'system', run: () => (theme.value = 'system') },
    { title: 'Keys of this page', about: 'action', icon: 'info', run: () => (areKeysOpen.value = true) },
  ];
}

function ofTables(): Entry[] {
  const found: Entry[] = [];
  for (const name of tableNames.peek() ?? []) {
    found.push({ title: name, about: 'items', icon: 'table', run: () => go(link('items', [name])) });
    found.push({ title: `Query ${name}`, about: 'screen', icon: 'query', run: () => go(link('query', [name])) });
    found.push({ title: `Keys of ${name}`, about: 'screen', icon: 'keys', run: () => go(link('keys', [name])) });
    found.push({ title: `Definition of ${name}`, about: 'screen', icon: 'edit', run: () => go(link('tables', [name])) });
    for (const index of knownTables.peek().get(name)?.GlobalSecondaryIndexes ?? []) {
      found.push({
        title: `${name}, index ${index.IndexName}`,
        about: 'index',
        icon: 'index',
        run: () => go(link('items', [name], { index: index.IndexName })),
      });
    }
  }
  return found;
}

/** A key: what is typed is asked of the table that is shown, as a partition key. */
function ofKey(typed: string): Entry[] {
  const now = address.peek();
  const table = screens.find((one) => one.id === now.screen)?.isOfTable ? now.path[0] : undefined;
  if (!table || typed === '') return [];
  return [
    {
      title: `Items of ${table} with partition key ${typed}`,
      about: 'key',
      icon: 'key',
      run: () => go(link('query', [table], { pk: JSON.stringify([typed]), run: '1' })),
    },
  ];
}

const isMatch = (entry: Entry, parts: string[]): boolean => parts.every((part) => entry.title.toLowerCase().includes(part));

function find(typed: string): Entry[] {
  const parts = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = screens.map((screen): Entry => ({
    title: screen.title,
    about: 'screen',
    icon: screen.icon,
    run: () => go(link(screen.id)),
  }));
  const found = [...ofTables(), ...shown, ...actions()].filter((entry) => isMatch(entry, parts));
  const rank = (entry: Entry): number => (entry.title.toLowerCase().startsWith(parts[0] ?? '') ? 0 : 1);
  const sorted = parts.length === 0 ? found : found.sort((one, other) => rank(one) - rank(other));
  const keys = ofKey(typed.trim());
  return [...sorted.slice(0, mostShown - keys.length), ...keys];
}

export function Palette({ close }: { close: () => void }) {
  const [typed, type] = useState('');
  const [chosen, choose] = useState(0);
  const dialog = useDialogFocus();
  const entries = useMemo(() => find(typed), [typed, tableNames.value]);
  const at = Math.min(chosen, entries.length - 1);
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    close();
    entry.run();
  };
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined && entries.length > 0) choose((to + entries.length) % entries.length);
    else if (event.key === 'Enter') run(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      class="palette"
      ref={dialog}
      aria-label="Find"
      aria-modal="true"
      onCancel={(event) => (event.preventDefault(), close())}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <input
        data-first
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={at >= 0 ? `palette-${at}` : undefined}
        aria-label="Find tables, keys and actions"
        placeholder="Tables, keys and actions"
        value={typed}
        spellcheck={false}
        onInput={(event) => {
          type(event.currentTarget.value);
          choose(0);
        }}
        onKeyDown={move}
      />
      <ul id="palette-list" role="listbox" aria-label="Found">
        {entries.map((entry, nth) => (
          <li
            key={`${entry.about} ${entry.title}`}
            id={`palette-${nth}`}
            role="option"
            aria-selected={nth === at}
            onClick={() => run(entry)}
            onPointerMove={() => nth !== at && choose(nth)}
          >
            <Icon name={entry.icon} /> <span class="name">{entry.title}</span> <span class="about">{entry.about}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p class="hint">Nothing has this in its name.</p>}
    </dialog>
  );
}
