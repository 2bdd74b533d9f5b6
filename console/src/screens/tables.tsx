// Tables: what they are, created, changed one thing at a time, deleted after their name was typed.

import { useEffect, useState } from 'preact/hooks';
import { readOnly } from '../base/access';
import { type Address, go, link } from '../base/address';
import { useAsk } from '../base/ask';
import { call } from '../base/client';
import { features } from '../base/features';
import { describe, type IndexDescription, keyType, knownTables, refreshTables, type TableDescription, tableNames, tablesFault, useTable } from '../base/tables';
import { useTtl } from '../base/ttl';
import { bytes, count, counted, percent } from '../data/sizes';
import { momentWords } from '../data/times';
import { Button, LinkButton } from '../parts/Button';
import { Code } from '../parts/Code';
import { EmptyState } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { Menu } from '../parts/Menu';
import { Spinner } from '../parts/Spinner';
import { TypeTag } from '../parts/ValueView';
import { AddIndexDialog, BillingDialog, DeleteTableDialog, DropIndexDialog, StreamDialog, TtlDialog } from '../tables/ChangeDialog';
import { CreateDialog } from '../tables/CreateDialog';
import { requestOf } from '../tables/definition';
import type { Job } from '../base/jobs';
import { useJobs } from '../tables/jobs';
import { TemplatesSection } from '../tables/TemplatesSection';

function Keys({ table, schema }: { table: TableDescription; schema: TableDescription['KeySchema'] }) {
  return (
    <span class="key-list">
      {schema.map((part) => (
        <span key={part.AttributeName} class="mono">
          {part.KeyType === 'RANGE' ? '↳ ' : ''}
          {part.AttributeName} <TypeTag type={keyType(table, part.AttributeName)} />
        </span>
      ))}
    </span>
  );
}

const projectionWords = (index: IndexDescription): string => {
  const { ProjectionType: type, NonKeyAttributes: names = [] } = index.Projection ?? {};
  if (type === 'KEYS_ONLY') return 'keys';
  return type === 'INCLUDE' ? `keys, ${names.join(', ')}` : 'all attributes';
};

function Progress({ job }: { job: Job }) {
  return (
    <div class="job">
      <p>{job.Words}</p>
      {job.Of !== undefined && job.Done !== undefined && job.Of > 0 && <progress max={job.Of} value={job.Done} aria-label={job.Words} />}
      <p class="hint">
        {job.Done !== undefined &&
          `${count(job.Done)}${job.Of ? ` of ${counted(job.Of, 'item')}, ${percent(job.Done / job.Of)}` : ' items'}`}
        {job.PerSecond !== undefined && ` · ${count(job.PerSecond)} a second`}
      </p>
    </div>
  );
}

type Change = 'index' | 'stream' | 'ttl' | 'billing' | 'delete' | { drop: string };

function Indexes({ table, change, mayWrite }: { table: TableDescription; change: (change: Change) => void; mayWrite: boolean }) {
  const local = (table.LocalSecondaryIndexes ?? []).map((index) => ({ index, isLocal: true }));
  const all = [...(table.GlobalSecondaryIndexes ?? []).map((index) => ({ index, isLocal: false })), ...local];
  return (
    <section class="table-part" aria-labelledby="part-indexes">
      <header>
        <h2 id="part-indexes">Indexes</h2>
        {mayWrite && (
          <Button kind="quiet" icon="plus" onClick={() => change('index')}>
            Add an index
          </Button>
        )}
      </header>
      {all.length === 0 ? (
        <p class="hint">None: questions by other attributes than the key read the whole table.</p>
      ) : (
        <div class="scroll-x">
          <table class="plain-table">
            <thead>
              <tr>
                <th>Index</th>
                <th>Key</th>
                <th>Holds</th>
                <th class="figure">Items</th>
                <th class="figure">Size</th>
                <th>State</th>
                <th>
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ index, isLocal }) => (
                <tr key={index.IndexName}>
                  <td>
                    <a class="mono" href={link('items', [table.TableName], { index: index.IndexName })}>
                      {index.IndexName}
                    </a>
                    {isLocal && <span class="hint"> local</span>}
                  </td>
                  <td>
                    <Keys table={table} schema={index.KeySchema} />
                  </td>
                  <td class="index-holds">{projectionWords(index)}</td>
                  <td class="figure">{index.ItemCount === undefined ? '' : count(index.ItemCount)}</td>
                  <td class="figure">{index.IndexSizeBytes === undefined ? '' : bytes(index.IndexSizeBytes)}</td>
                  <td>
                    {isLocal ? 'active' : (index.IndexStatus ?? '').toLowerCase()}
                    {index.Backfilling && ', filling'}
                  </td>
                  <td class="figure">
                    {!isLocal && mayWrite && (
                      <Button
                        kind="quiet"
                        icon="trash"
                        label={`Remove the index ${index.IndexName}`}
                        onClick={() => change({ drop: index.IndexName })}
                      />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Setting({ title, words, button, run }: { title: string; words: string; button?: string; run?: () => void }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <span>{words}</span>
        {run && (
          <Button kind="quiet" onClick={run} label={`${button}: ${title}`}>
            {button}
          </Button>
        )}
      </dd>
    </div>
  );
}

interface History {
  Status?: string;
  RetentionHours?: number;
  ReachesBackTo?: string | number;
}

function Settings({ table, change, mayWrite }: { table: TableDescription; change: (change: Change) => void; mayWrite: boolean }) {
  const ttl = useTtl(table.TableName);
  const history = useAsk(table.TableName, (signal) =>
    call<{ History: History }>('DescribeHistory', { TableName: table.TableName }, { own: true, signal }),
  );
  const isOn = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
  const stream = table.StreamSpecification?.StreamEnabled
    ? (table.StreamSpecification.StreamViewType ?? '').toLowerCase().replace(/_/g, ' ')
    : null;
  const units = table.ProvisionedThroughput;
  const isOnDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const run = (what: Change): (() => void) | undefined => (mayWrite ? () => change(what) : undefined);
  const past = history.answer?.History;
  return (
    <section class="table-part" aria-labelledby="part-settings">
      <header>
        <h2 id="part-settings">Settings</h2>
      </header>
      <dl class="settings">
        <Setting
          title="Time to live"
          words={isOn ? `by ${ttl?.AttributeName ?? ''}` : 'items do not expire'}
          button={isOn ? 'End' : 'Set'}
          run={run('ttl')}
        />
        <Setting title="Stream" words={stream ?? 'no changes are recorded'} button={stream ? 'End' : 'Begin'} run={run('stream')} />
        <Setting
          title="Billing"
          words={
            isOnDemand
              ? 'on demand'
              : `provisioned: ${count(units?.ReadCapacityUnits ?? 0)} read, ${count(units?.WriteCapacityUnits ?? 0)} write units a second`
          }
          button="Change"
          run={run('billing')}
        />
        <Setting
          title="Protection"
          words={table.DeletionProtectionEnabled ? 'the table cannot be deleted' : 'the table can be deleted'}
          button="Change"
          run={run('billing')}
        />
        {features.has('DescribeHistory') && past && (
          <Setting
            title="History"
            words={
              past.Status === 'DISABLED'
                ? 'earlier versions are not kept'
                : `${(past.Status ?? '').toLowerCase()}, ${past.RetentionHours ? `kept ${counted(past.RetentionHours, 'hour')}` : 'kept for ever'}`
            }
          />
        )}
        {table.CreationDateTime !== undefined && <Setting title="Created" words={momentWords(table.CreationDateTime * 1000)} />}
        {table.TableArn && <Setting title="ARN" words={table.TableArn} />}
      </dl>
    </section>
  );
}

/** Looks at a table again while something of it is on its way. */
function useFresh(table: TableDescription | null): void {
  const isMoving =
    table !== null &&
    (table.TableStatus !== 'ACTIVE' || (table.GlobalSecondaryIndexes ?? []).some((index) => index.IndexStatus !== 'ACTIVE'));
  useEffect(() => {
    if (!isMoving || table === null) return;
    const timer = setTimeout(() => void describe(table.TableName).catch(() => undefined), 1000);
    return () => clearTimeout(timer);
  }, [table, isMoving]);
}

function TableHead({ table, again, remove }: { table: TableDescription; again: () => void; remove: (() => void) | null }) {
  const { TableName: name } = table;
  return (
    <header class="screen-head">
      <h1 class="mono">{table.TableName}</h1>
      <span class="hint">
        {counted(table.ItemCount ?? 0, 'item')} · {bytes(table.TableSizeBytes ?? 0)}
        {table.TableStatus !== 'ACTIVE' && ` · ${(table.TableStatus ?? '').toLowerCase()}`}
      </span>
      <span class="space" />
      <LinkButton icon="items" href={link('items', [name])}>
        Items
      </LinkButton>
      <LinkButton icon="query" href={link('query', [name])}>
        Query
      </LinkButton>
      <LinkButton icon="keys" href={link('keys', [name])}>
        Keys
      </LinkButton>
      <Menu
        kind="quiet"
        icon="more"
        label="Actions of the table"
        entries={[
          { title: 'Describe again', icon: 'reload', run: again },
          { title: 'Delete the table', icon: 'trash', kind: 'danger', disabled: remove === null, run: () => remove?.() },
        ]}
      />
    </header>
  );
}

function One({ name }: { name: string }) {
  const { table, fault, again } = useTable(name);
  const [change, setChange] = useState<Change | null>(null);
  const isMoving = (table?.GlobalSecondaryIndexes ?? []).some((index) => index.IndexStatus !== 'ACTIVE');
  const jobs = useJobs(name, isMoving);
  useFresh(table);
  useEffect(() => void (table && describe(name).catch(() => undefined)), [name]);
  if (table === null)
    return fault ? (
      <div class="screen">
        <ErrorBox fault={fault} retry={again} />
      </div>
    ) : (
      <Spinner words="Describing the table" />
    );
  const mayWrite = !readOnly.value;
  const close = (): void => setChange(null);
  return (
    <div class="screen one-table">
      <TableHead table={table} again={again} remove={mayWrite ? () => setChange('delete') : null} />
      {fault && <ErrorBox fault={fault} retry={again} />}
      {jobs.map((job) => (
        <Progress key={`${job.Kind} ${job.Index}`} job={job} />
      ))}
      <section class="table-part" aria-labelledby="part-keys">
        <header>
          <h2 id="part-keys">Key</h2>
        </header>
        <Keys table={table} schema={table.KeySchema} />
      </section>
      <Indexes table={table} change={setChange} mayWrite={mayWrite} />
      <Settings table={table} change={setChange} mayWrite={mayWrite} />
      <TemplatesSection key={name} table={table} />
      <section class="table-part" aria-labelledby="part-code">
        <header>
          <h2 id="part-code">A table such as this, as code</h2>
        </header>
        <Code operation="CreateTable" request={requestOf(table)} />
      </section>
      {change === 'index' && <AddIndexDialog table={table} close={close} />}
      {change === 'stream' && <StreamDialog table={table} close={close} />}
      {change === 'ttl' && <TtlDialog table={table} close={close} />}
      {change === 'billing' && <BillingDialog table={table} close={close} />}
      {change === 'delete' && <DeleteTableDialog table={table} close={close} />}
      {typeof change === 'object' && change !== null && <DropIndexDialog table={table} index={change.drop} close={close} />}
    </div>
  );
}

const mostRows = 100;

function All() {
  const names = tableNames.value;
  const jobs = useJobs(null, false);
  const [words, filter] = useState('');
  const found = (names ?? []).filter((name) => name.toLowerCase().includes(words.toLowerCase()));
  const shown = found.slice(0, mostRows);
  useEffect(() => {
    let isOver = false;
    void (async () => {
      for (const name of shown) {
        if (isOver) return;
        if (!knownTables.peek().has(name)) await describe(name).catch(() => undefined);
      }
    })();
    return () => {
      isOver = true;
    };
  }, [shown.join('\n')]);
  if (names === null && tablesFault.value) return <div class="screen"><ErrorBox fault={tablesFault.value} retry={() => void refreshTables()} /></div>;
  if (names === null) return <Spinner words="Listing the tables" />;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Tables</h1>
        {names.length > 8 && (
          <input
            type="search"
            class="tables-filter"
            aria-label="Filter tables"
            placeholder={`Filter ${counted(names.length, 'table')}`}
            value={words}
            onInput={(event) => filter(event.currentTarget.value)}
          />
        )}
        <span class="space" />
        {!readOnly.value && (
          <LinkButton kind="main" icon="plus" href={link('tables', [], { new: 'table' })}>
            Create a table
          </LinkButton>
        )}
      </header>
      {jobs.map((job) => (
        <Progress key={`${job.Kind} ${job.Table} ${job.Index}`} job={job} />
      ))}
      {names.length === 0 ? (
        <EmptyState title="There is no table yet">
          <p>Create one, or load a sample or a file.</p>
          <LinkButton icon="start" href={link('start')}>
            Start
          </LinkButton>
        </EmptyState>
      ) : (
        <List names={shown} />
      )}
      {found.length > shown.length && <p class="hint">{count(found.length - shown.length)} more: type to find them.</p>}
    </div>
  );
}

function List({ names }: { names: string[] }) {
  const known = knownTables.value;
  return (
    <div class="scroll-x">
      <table class="plain-table tables-list">
        <thead>
          <tr>
            <th>Table</th>
            <th class="figure">Items</th>
            <th class="figure">Size</th>
            <th>Key</th>
            <th>Indexes</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <Row key={name} name={name} table={known.get(name)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ name, table }: { name: string; table: TableDescription | undefined }) {
  const indexes = [...(table?.GlobalSecondaryIndexes ?? []), ...(table?.LocalSecondaryIndexes ?? [])];
  const isStreamed = table?.StreamSpecification?.StreamEnabled;
  return (
    <tr>
      <td>
        <a class="mono" href={link('tables', [name])}>
          {name}
        </a>
      </td>
      <td class="figure">{table?.ItemCount === undefined ? '' : count(table.ItemCount)}</td>
      <td class="figure">{table?.TableSizeBytes === undefined ? '' : bytes(table.TableSizeBytes)}</td>
      <td class="mono">{table?.KeySchema.map((part) => part.AttributeName).join(', ')}</td>
      <td>{indexes.map((index) => index.IndexName).join(', ')}</td>
      <td>
        {(table?.TableStatus ?? '').toLowerCase()}
        {isStreamed && ', stream'}
      </td>
    </tr>
  );
}

export function Screen({ address }: { address: Address }) {
  const [name] = address.path;
  const isNew = address.query.get('new') === 'table';
  return (
    <>
      {name ? <One key={name} name={name} /> : <All />}
      {isNew && <CreateDialog close={() => go(link('tables', address.path), { replace: true })} />}
    </>
  );
}
