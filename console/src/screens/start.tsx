// Start: what to do on an empty server, and else the tables with the way to their contents.

import { useEffect, useState } from 'preact/hooks';
import { readOnly } from '../base/access';
import { type Address, go, link } from '../base/address';
import { useAsk } from '../base/ask';
import { call } from '../base/client';
import { asFault, type Fault } from '../base/faults';
import { features } from '../base/features';
import { endpoint } from '../base/setup';
import { keyedOf, knownTables, refreshTables, type TableDescription, tableNames, tablesFault, describe } from '../base/tables';
import { bytes, count, counted } from '../data/sizes';
import { DropZone } from '../import/DropZone';
import { Button, LinkButton } from '../parts/Button';
import { Code } from '../parts/Code';
import { LeftOut } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { Icon } from '../parts/Icon';
import { Spinner } from '../parts/Spinner';
import { say } from '../parts/Toast';

interface Sample {
  Name: string;
  Title: string;
  Tables: string[];
  Items: number;
}

function Samples() {
  const { answer, fault } = useAsk('samples', (signal) => call<{ Samples: Sample[] }>('ListSamples', {}, { own: true, signal }));
  const [loading, load] = useState<string | null>(null);
  const [failed, fail] = useState<Fault | null>(null);
  const start = async (sample: Sample): Promise<void> => {
    load(sample.Name);
    fail(null);
    try {
      const loaded = await call<{ Tables: string[]; Items: number }>('LoadSample', { Name: sample.Name }, { own: true, unrecorded: false });
      await refreshTables();
      say(`${counted(loaded.Items, 'item')} loaded`);
      if (loaded.Tables[0]) go(link('items', [loaded.Tables[0]]));
    } catch (error) {
      fail(asFault(error));
    } finally {
      load(null);
    }
  };
  if (features.has('ListSamples') === false) {
    return (
      <LeftOut>
        Samples are left out: this endpoint cannot load them. A Hashrange server does, also by <code>hashrange serve --sample orders</code>.
      </LeftOut>
    );
  }
  const there = new Set(tableNames.value ?? []);
  return (
    <>
      {fault && <ErrorBox fault={fault} />}
      {!answer && !fault && <Spinner />}
      <ul class="samples">
        {answer?.Samples.map((sample) => (
          <li key={sample.Name}>
            <div>
              <p>
                <b>{sample.Name}</b> <span class="hint">{counted(sample.Items, 'item')}</span>
              </p>
              <p class="hint">{sample.Title}</p>
            </div>
            {sample.Tables.some((name) => there.has(name)) ? (
              <LinkButton href={link('items', [sample.Tables.find((name) => there.has(name)) ?? ''])}>Show</LinkButton>
            ) : (
              <Button
                disabled={loading !== null || readOnly.value}
                onClick={() => void start(sample)}
                label={`Load the sample ${sample.Name}`}
              >
                {loading === sample.Name ? 'Loading' : 'Load'}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {failed && <ErrorBox fault={failed} />}
    </>
  );
}

const mostCards = 60;

function TableCard({ name, table }: { name: string; table: TableDescription | undefined }) {
  const all = table ? keyedOf(table) : [];
  const keys = all[0] ? [...all[0].partition, ...all[0].sort] : [];
  const indexes = all.slice(1);
  return (
    <li class="card">
      <a class="card-link mono" href={link('items', [name])}>
        {name}
      </a>
      <p class="card-figures">
        {table?.ItemCount === undefined ? '\u00a0' : `${counted(table.ItemCount, 'item')} · ${bytes(table.TableSizeBytes ?? 0)}`}
        {table?.TableStatus && table.TableStatus !== 'ACTIVE' && <span class="thrown"> · {table.TableStatus.toLowerCase()}</span>}
      </p>
      <p class="card-keys mono">{keys.length > 0 ? keys.join(' · ') : '\u00a0'}</p>
      <p class="hint card-indexes">{indexes.length === 0 ? 'no index' : indexes.map((one) => one.index).join(', ')}</p>
      <p class="card-ways">
        <a href={link('items', [name])}>Items</a>
        <a href={link('query', [name])}>Query</a>
        <a href={link('keys', [name])}>Keys</a>
        <a href={link('tables', [name])}>Definition</a>
      </p>
    </li>
  );
}

function Cards({ names }: { names: string[] }) {
  const known = knownTables.value;
  const shown = names.slice(0, mostCards);
  useEffect(() => {
    void (async () => {
      for (const name of shown) await describe(name).catch(() => undefined);
    })();
  }, [names]);
  return (
    <section aria-labelledby="start-tables">
      <h2 id="start-tables" class="start-title">
        Tables
      </h2>
      <ul class="cards">
        {shown.map((name) => (
          <TableCard key={name} name={name} table={known.get(name)} />
        ))}
      </ul>
      {names.length > shown.length && <p class="hint">{count(names.length - shown.length)} more: find them at the left, or by Ctrl K.</p>}
    </section>
  );
}

export function Screen(_props: { address: Address }) {
  const names = tableNames.value;
  const fault = tablesFault.value;
  const isEmpty = names?.length === 0;
  return (
    <div class="screen start">
      <h1>{isEmpty ? 'An empty database' : 'Start'}</h1>
      {fault && <ErrorBox fault={fault} retry={() => void refreshTables()} />}
      {names === null && !fault && <Spinner words="Listing the tables" />}
      {names && names.length > 0 && <Cards names={names} />}
      {(names !== null || fault === null) && (
        <div class="start-parts">
          <section aria-labelledby="start-sample">
            <h2 id="start-sample" class="start-title">
              Load a sample
            </h2>
            <Samples />
          </section>
          <section aria-labelledby="start-own">
            <h2 id="start-own" class="start-title">
              {isEmpty ? 'Bring your own' : 'Add a table'}
            </h2>
            <DropZone />
            <p class="row">
              <LinkButton icon="plus" href={link('tables', [], { new: 'table' })}>
                Create a table
              </LinkButton>
            </p>
          </section>
        </div>
      )}
      <section aria-labelledby="start-connect">
        <h2 id="start-connect" class="start-title">
          Point an SDK here
        </h2>
        <p class="hint">
          <Icon name="info" /> The endpoint is <code>{endpoint}</code>.
        </p>
        <Code operation="ListTables" request={{}} />
      </section>
    </div>
  );
}
