// Items: any page of a table or an index, several tabs, edited in place.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Address, go, link } from '../base/address';
import { keyedOf, type Keyed, keyType, type TableDescription, tableNames, useTable } from '../base/tables';
import { ask, keyOperators, type KeyOperator, type KeyRow } from '../data/expressions';
import { counted } from '../data/sizes';
import { TypedFault } from '../data/values';
import type { Reading } from '../items/page';
import { Results, type View } from '../items/Results';
import { changed, closeTab, duplicate, itemTabs, tie } from '../items/tabs';
import { Button, LinkButton } from '../parts/Button';
import { EmptyState } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { Icon } from '../parts/Icon';
import { Spinner } from '../parts/Spinner';

const pageSizes = ['100', '300', '1000'];

function TabStrip({ address, shown }: { address: Address; shown: string | null }) {
  return (
    <div class="item-tabs" role="group" aria-label="Open tabs">
      {itemTabs.value.map((tab) => (
        <span key={tab.id} class={`item-tab${tab.id === shown ? ' shown' : ''}`}>
          <a href={tab.hash} aria-current={tab.id === shown ? 'true' : undefined}>
            {tab.table}
          </a>
          <button
            type="button"
            aria-label={`Close the tab ${tab.table}`}
            onClick={() => {
              const next = closeTab(tab.id);
              if (tab.id === shown) go(next);
            }}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <Button kind="quiet" icon="plus" label="Open this in a tab of its own" onClick={() => duplicate(address)} />
    </div>
  );
}

/** Reads a row of a key from the address; `name~operator` has its values as a JSON list. */
function rowsOf(table: TableDescription, keyed: Keyed, address: Address): { partition: KeyRow[]; sort: KeyRow[] } {
  const values = (text: string | undefined): string[] => {
    try {
      const read: unknown = JSON.parse(text ?? '[]');
      return Array.isArray(read) ? read.map(String) : [];
    } catch {
      return [];
    }
  };
  const pk = values(address.query.get('pk'));
  const sk = values(address.query.get('sk'));
  const operator =
    keyOperators.find((one) => one === address.query.get('op')) ??
    (keyed.sort[0] && keyType(table, keyed.sort[0]) === 'S' ? 'begins_with' : '=');
  return {
    partition: keyed.partition.map((name, nth) => ({ name, type: keyType(table, name), operator: '=', values: [pk[nth] ?? ''] })),
    sort: keyed.sort.slice(0, 1).map((name) => ({ name, type: keyType(table, name), operator, values: [sk[0] ?? '', sk[1] ?? ''] })),
  };
}

function useReading(table: TableDescription, keyed: Keyed, address: Address): { reading: Reading | null; wrong: string | null } {
  return useMemo(() => {
    const { partition, sort } = rowsOf(table, keyed, address);
    const size = pageSizes.find((one) => one === address.query.get('size')) ?? '100';
    try {
      const { operation, request } = ask({
        table: table.TableName,
        index: keyed.index,
        partition,
        sort,
        filters: [],
        projection: '',
        isDescending: address.query.get('desc') === '1',
        isConsistent: false,
        isCount: false,
        limit: size,
      });
      return { reading: { operation, request }, wrong: null };
    } catch (error) {
      if (error instanceof TypedFault) return { reading: null, wrong: error.message };
      throw error;
    }
  }, [table, keyed, address]);
}

function KeyBar({ table, keyed, address }: { table: TableDescription; keyed: Keyed; address: Address }) {
  const { partition, sort } = rowsOf(table, keyed, address);
  const [pk, setPk] = useState(partition.map((row) => row.values[0] ?? ''));
  const [sk, setSk] = useState(sort[0]?.values ?? []);
  const operator = sort[0]?.operator ?? '=';
  const typed = JSON.stringify([address.query.get('pk'), address.query.get('sk')]);
  useEffect(() => {
    setPk(partition.map((row) => row.values[0] ?? ''));
    setSk(sort[0]?.values ?? []);
  }, [typed]);
  const use = (values: string[] = pk, range: string[] = sk, by: KeyOperator = operator): void =>
    go(
      changed(address, {
        pk: values.some((one) => one !== '') ? JSON.stringify(values) : null,
        sk: range.some((one) => one !== '') ? JSON.stringify(range) : null,
        op: by,
        start: null,
      }),
    );
  const enter = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') use();
  };
  const isReady = pk.every((one) => one !== '');
  return (
    <div class="key-bar">
      {partition.map((row, nth) => (
        <label key={row.name} class="key-input">
          <span class="mono">{row.name}</span>
          <input
            class="mono"
            value={pk[nth] ?? ''}
            placeholder="any"
            spellcheck={false}
            onInput={(event) => setPk(pk.map((one, at) => (at === nth ? event.currentTarget.value : one)))}
            onKeyDown={enter}
            onBlur={() => isReady && use()}
          />
        </label>
      ))}
      {sort.map((row) => (
        <SortInput
          key={row.name}
          row={row}
          values={sk}
          set={setSk}
          compare={(by) => use(pk, sk, by)}
          enter={enter}
          isReady={isReady}
          hint={isReady ? 'any' : `after ${keyed.partition.join(', ')}`}
        />
      ))}
      {(pk.some((one) => one !== '') || sk.some((one) => one !== '')) && (
        <>
          <Button onClick={() => use()} disabled={!isReady}>
            Find
          </Button>
          <Button kind="quiet" icon="close" label="All items" onClick={() => go(changed(address, { pk: null, sk: null, start: null }))} />
        </>
      )}
    </div>
  );
}

interface SortInputProps {
  row: KeyRow;
  values: string[];
  set: (values: string[]) => void;
  compare: (operator: KeyOperator) => void;
  enter: (event: KeyboardEvent) => void;
  isReady: boolean;
  hint: string;
}

/** The condition of the sort key: it may be typed once the partition key is there. */
function SortInput({ row, values, set, compare, enter, isReady, hint }: SortInputProps) {
  const common = { class: 'mono', disabled: !isReady, spellcheck: false, onKeyDown: enter };
  const operators = keyOperators.filter((one) => one !== 'begins_with' || row.type !== 'N');
  return (
    <div class="key-input">
      <label for="sort-value" class="mono">
        {row.name}
      </label>
      <select
        aria-label={`How ${row.name} is compared`}
        value={row.operator}
        onChange={(event) => compare(event.currentTarget.value as KeyOperator)}
      >
        {operators.map((one) => (
          <option key={one} selected={one === row.operator}>
            {one}
          </option>
        ))}
      </select>
      <input
        {...common}
        id="sort-value"
        value={values[0] ?? ''}
        placeholder={hint}
        onInput={(event) => set([event.currentTarget.value, values[1] ?? ''])}
      />
      {row.operator === 'BETWEEN' && (
        <input
          {...common}
          aria-label={`${row.name}, to`}
          value={values[1] ?? ''}
          onInput={(event) => set([values[0] ?? '', event.currentTarget.value])}
        />
      )}
    </div>
  );
}

function Lead({ table, keyed, all, address }: { table: TableDescription; keyed: Keyed; all: Keyed[]; address: Address }) {
  const isQuery = address.query.get('pk') !== undefined;
  return (
    <>
      <select
        class="index-choice mono"
        aria-label="Table or index"
        value={keyed.index ?? ''}
        onChange={(event) =>
          go(changed(address, { index: event.currentTarget.value, pk: null, sk: null, op: null, start: null, cols: null }))
        }
      >
        {all.map((one) => (
          <option key={one.index ?? ''} value={one.index ?? ''} selected={one.index === keyed.index}>
            {one.index ?? table.TableName}
          </option>
        ))}
      </select>
      <KeyBar key={`${table.TableName} ${keyed.index}`} table={table} keyed={keyed} address={address} />
      {isQuery && keyed.sort.length > 0 && (
        <Button
          kind="quiet"
          icon={address.query.get('desc') === '1' ? 'up' : 'down'}
          label={address.query.get('desc') === '1' ? 'Last sort key first' : 'First sort key first'}
          onClick={() => go(changed(address, { desc: address.query.get('desc') === '1' ? null : '1', start: null }))}
        />
      )}
    </>
  );
}

function Shown({ table, address }: { table: TableDescription; address: Address }) {
  const all = useMemo(() => keyedOf(table), [table]);
  const keyed = all.find((one) => one.index === (address.query.get('index') ?? null)) ?? all[0];
  if (keyed === undefined) return null;
  return <Of key={table.TableName} table={table} keyed={keyed} all={all} address={address} />;
}

function Of({ table, keyed, all, address }: { table: TableDescription; keyed: Keyed; all: Keyed[]; address: Address }) {
  const { reading, wrong } = useReading(table, keyed, address);
  const stable = useMemo(() => reading, [JSON.stringify(reading)]);
  const columns = address.query.get('cols');
  const to = (query: Record<string, string | undefined | null>): void => go(changed(address, query));
  const view = (['json', 'ddb'] as const).find((one) => one === address.query.get('view')) ?? 'table';
  return (
    <Results
      table={table}
      keyed={keyed}
      reading={stable}
      run={0}
      start={address.query.get('start') ?? null}
      goTo={(start) => to({ start, item: null })}
      view={view}
      setView={(next: View) => to({ view: next === 'table' ? null : next })}
      columns={columns ? parseNames(columns) : null}
      setColumns={(names) => to({ cols: names ? JSON.stringify(names) : null })}
      item={address.query.get('item') ?? null}
      setItem={(key) => go(changed(address, { item: key }), { replace: true })}
      wantsNew={address.query.get('new') === 'item' ? 1 : 0}
      lead={<Lead table={table} keyed={keyed} all={all} address={address} />}
      idle={wrong && <p class="fault">{wrong}</p>}
    />
  );
}

function parseNames(text: string): string[] | null {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read.map(String) : null;
  } catch {
    return null;
  }
}

function Head({ table, address, shown }: { table: string; address: Address; shown: string | null }) {
  const size = address.query.get('size') ?? '100';
  return (
    <header class="items-head">
      <h1 class="hidden">Items of {table}</h1>
      <TabStrip address={address} shown={shown} />
      <span class="space" />
      <select
        class="page-size"
        aria-label="Items a page"
        value={size}
        onChange={(event) => go(changed(address, { size: event.currentTarget.value, start: null }))}
      >
        {pageSizes.map((one) => (
          <option key={one} value={one} selected={one === size}>
            {counted(Number(one), 'item')} a page
          </option>
        ))}
      </select>
      <LinkButton
        kind="quiet"
        icon="query"
        href={link('query', [table], { index: address.query.get('index'), pk: address.query.get('pk') })}
      >
        Query
      </LinkButton>
    </header>
  );
}

export function Screen({ address }: { address: Address }) {
  const name = address.path[0];
  const [shown, show] = useState<string | null>(null);
  useEffect(() => show(tie(address)), [address]);
  const { table, fault, again } = useTable(name);
  if (!name) return <Choose />;
  return (
    <div class="screen full">
      <Head table={name} address={address} shown={shown} />
      {fault && !table ? (
        <div class="screen">
          <ErrorBox fault={fault} retry={again} />
        </div>
      ) : table ? (
        address.query.get('tab') !== undefined && <Shown key={`${address.query.get('tab')} ${name}`} table={table} address={address} />
      ) : (
        <Spinner words="Describing the table" />
      )}
    </div>
  );
}

function Choose() {
  const names = tableNames.value;
  const [first] = itemTabs.value;
  useEffect(() => {
    const to = first?.hash ?? (names?.length === 1 && names[0] ? link('items', [names[0]]) : null);
    if (to) go(to, { replace: true });
  }, [names]);
  if (names === null) return <Spinner />;
  return (
    <EmptyState title={names.length === 0 ? 'There is no table yet' : 'Which table?'}>
      {names.length === 0 ? (
        <LinkButton kind="main" href={link('start')}>
          Load a sample or a file
        </LinkButton>
      ) : (
        <ul class="choose-list">
          {names.slice(0, 100).map((name) => (
            <li key={name}>
              <a class="mono" href={link('items', [name])}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </EmptyState>
  );
}
