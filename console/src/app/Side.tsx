// The column at the left: screens, and tables with a filter.

import { signal } from '@preact/signals';
import { address, link } from '../base/address';
import { useShortcuts } from '../base/keyboard';
import { refreshTables, tableNames, tablesFault } from '../base/tables';
import { count } from '../data/sizes';
import { Button, LinkButton } from '../parts/Button';
import { Icon } from '../parts/Icon';
import { isSideOpen } from './state';
import { screens } from './screens';

const filter = signal('');
const mostShown = 300;

const matching = (names: string[], words: string): string[] => {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return names.filter((name) => parts.every((part) => name.toLowerCase().includes(part)));
};

/** The screen that a table opens in: the one that is shown if it is of a table, else its items. */
function screenOfTable(): string {
  const now = address.value.screen;
  return now === 'keys' || now === 'query' || now === 'items' ? now : 'items';
}

function TableList() {
  const names = tableNames.value;
  const chosen = screens.find((one) => one.id === address.value.screen)?.isOfTable ? address.value.path[0] : undefined;
  if (names === null) return <p class="hint side-words">{tablesFault.value ? 'The tables could not be listed.' : ' '}</p>;
  if (names.length === 0) return <p class="hint side-words">No tables yet.</p>;
  const shown = matching(names, filter.value);
  return (
    <ul>
      {shown.slice(0, mostShown).map((name) => (
        <li key={name}>
          <a href={link(screenOfTable(), [name])} aria-current={name === chosen ? 'true' : undefined} title={name}>
            <Icon name="table" /> <span class="name">{name}</span>
          </a>
        </li>
      ))}
      {shown.length > mostShown && <li class="hint side-words">{count(shown.length - mostShown)} more: type to find them</li>}
      {shown.length === 0 && <li class="hint side-words">None has this in its name.</li>}
    </ul>
  );
}

export function Side() {
  useShortcuts(isSideOpen.value ? [{ keys: 'Escape', words: 'Close the column', run: () => (isSideOpen.value = false) }] : []);
  const now = address.value;
  const current = screens.find((one) => one.id === now.screen);
  const table = current?.isOfTable ? now.path[0] : undefined;
  return (
    <>
      {isSideOpen.value && <div class="side-cover" onClick={() => (isSideOpen.value = false)} />}
      <aside class="side" aria-label="Screens and tables">
        <nav aria-label="Screens">
          <ul>
            {screens.map((screen) => (
              <li key={screen.id}>
                <a
                  href={link(screen.id, screen.isOfTable && table ? [table] : [])}
                  aria-current={screen.id === now.screen ? 'page' : undefined}
                  title={screen.words}
                >
                  <Icon name={screen.icon} /> <span class="name">{screen.title}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <nav aria-label="Tables" class="side-tables">
          <div class="side-head">
            <h2>Tables</h2>
            {tableNames.value && tableNames.value.length > 0 && <span class="figure">{count(tableNames.value.length)}</span>}
            <span class="space" />
            <Button kind="quiet" icon="reload" label="List the tables again" onClick={() => void refreshTables()} />
            <LinkButton kind="quiet" icon="plus" label="Create a table" href={link('tables', [], { new: 'table' })} />
          </div>
          {(tableNames.value?.length ?? 0) > 7 && (
            <input
              type="search"
              class="side-filter"
              aria-label="Filter tables"
              placeholder="Filter"
              value={filter.value}
              onInput={(event) => (filter.value = event.currentTarget.value)}
              spellcheck={false}
            />
          )}
          <TableList />
        </nav>
      </aside>
    </>
  );
}
