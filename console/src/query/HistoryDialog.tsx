// What was asked before, and what was saved.

import { useState } from 'preact/hooks';
import { go } from '../base/address';
import { ago } from '../data/times';
import { Button } from '../parts/Button';
import { Dialog } from '../parts/Dialog';
import { EmptyState } from '../parts/EmptyState';
import { Tabs } from '../parts/Tabs';
import { asked, type Entry, forgetSaved, saved } from './history';

const mostShown = 100;

function Entries({ entries, close, forget }: { entries: Entry[]; close: () => void; forget?: (entry: Entry) => void }) {
  const [words, filter] = useState('');
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((one) => parts.every((part) => `${one.name ?? ''} ${one.table} ${one.words}`.toLowerCase().includes(part)));
  if (entries.length === 0) {
    return (
      <EmptyState title={forget ? 'Nothing is saved yet' : 'Nothing was asked yet'}>
        <p>{forget ? 'Save a query by its star.' : 'Each request that you run stands here, in this browser only.'}</p>
      </EmptyState>
    );
  }
  const now = Date.now();
  return (
    <>
      <input
        type="search"
        class="history-filter"
        aria-label="Filter"
        placeholder="Filter"
        value={words}
        onInput={(event) => filter(event.currentTarget.value)}
      />
      <ul class="history-list">
        {found.slice(0, mostShown).map((entry) => (
          <li key={`${entry.at} ${entry.hash}`}>
            <button
              type="button"
              class="history-entry"
              onClick={() => {
                close();
                go(entry.hash);
              }}
            >
              {entry.name && <b>{entry.name}</b>}
              <span class="mono">{entry.words}</span>
              <span class="hint">{ago(entry.at, now)}</span>
            </button>
            {forget && <Button kind="quiet" icon="trash" label={`Forget ${entry.name}`} onClick={() => forget(entry)} />}
          </li>
        ))}
      </ul>
    </>
  );
}

export function HistoryDialog({ close }: { close: () => void }) {
  const [shown, show] = useState(saved.peek().length > 0 && asked.peek().length === 0 ? 'saved' : 'asked');
  return (
    <Dialog
      title="Queries"
      size="wide"
      close={close}
      foot={shown === 'asked' && asked.value.length > 0 && <Button onClick={() => (asked.value = [])}>Forget the history</Button>}
    >
      <Tabs
        label="Which queries"
        tabs={[
          { id: 'asked', title: 'History' },
          { id: 'saved', title: 'Saved' },
        ]}
        chosen={shown}
        choose={show}
      >
        {shown === 'asked' ? (
          <Entries entries={asked.value} close={close} />
        ) : (
          <Entries entries={saved.value} close={close} forget={(entry) => forgetSaved(entry.name ?? '')} />
        )}
      </Tabs>
    </Dialog>
  );
}
