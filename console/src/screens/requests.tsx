// Requests: the ledger of everything that reaches the server, and the bill of what is recorded.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { go, link, type Address } from '../base/address';
import { leftOut } from '../base/features';
import { tableNames } from '../base/tables';
import { LineChart, type Series } from '../charts/LineChart';
import { count, counted, units } from '../data/sizes';
import { Button } from '../parts/Button';
import { LeftOut } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { SelectField } from '../parts/Field';
import { Tabs } from '../parts/Tabs';
import { Bill } from './requests/Bill';
import { Detail } from './requests/Detail';
import { isBusy, patternKey, patternsOf, SECONDS_MAX, Watch, type Filter, type LedgerLine, type Second } from './requests/ledger';
import { clock, Lines } from './requests/Lines';
import { Patterns } from './requests/Patterns';

export function Screen({ address }: { address: Address }) {
  const isBill = address.path[0] === 'bill';
  return (
    <div class="screen full requests-screen">
      <Tabs label="Requests" tabs={[{ id: 'live', title: 'Requests' }, { id: 'bill', title: 'Bill' }]} chosen={isBill ? 'bill' : 'live'} choose={(id) => go(link('requests', id === 'bill' ? ['bill'] : []))}>
        {isBill ? <Bill /> : <Live address={address} />}
      </Tabs>
    </div>
  );
}

const OPERATIONS = [
  'Query', 'Scan', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchGetItem', 'BatchWriteItem', 'TransactGetItems', 'TransactWriteItems', 'ExecuteStatement', 'BatchExecuteStatement',
  'ExecuteTransaction', 'DescribeTable', 'ListTables', 'CreateTable', 'UpdateTable', 'DeleteTable', 'GetRecords',
];

/** The filter stands in the address, so that a link shows the same. */
function readFilter(query: ReadonlyMap<string, string>): Filter {
  const number = (name: string): number | undefined => {
    const read = Number(query.get(name));
    return query.has(name) && Number.isFinite(read) && read >= 0 ? read : undefined;
  };
  const filter: Filter = {
    Operation: query.get('operation'),
    Table: query.get('table'),
    Index: query.get('index'),
    Caller: query.get('caller'),
    Text: query.get('text'),
    Failed: query.get('failed') === '1' ? true : undefined,
    SlowerThanMs: number('slower'),
    ExaminesOver: number('over'),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== '')) as Filter;
}

const filterQuery = (filter: Filter): Record<string, string | undefined> => ({
  operation: filter.Operation,
  table: filter.Table,
  index: filter.Index,
  caller: filter.Caller,
  text: filter.Text,
  failed: filter.Failed ? '1' : undefined,
  slower: filter.SlowerThanMs?.toString(),
  over: filter.ExaminesOver?.toString(),
});

function Live({ address }: { address: Address }) {
  const watch = useMemo(() => new Watch(), []);
  const filter = readFilter(address.query);
  const view = address.query.get('view');
  const [first, setFirst] = useState<'lines' | 'patterns' | undefined>();
  const [isPaused, pause] = useState(false);
  const [chosen, choose] = useState<LedgerLine | null>(null);
  useEffect(() => {
    watch.start();
    return () => watch.end();
  }, []);
  useEffect(() => watch.filter(filter), [JSON.stringify(filter)]);
  watch.version.value;
  const { ledger } = watch;
  const state = watch.state.value;
  const wanted = view === 'lines' || view === 'patterns' ? view : first;
  useEffect(() => {
    // The first seconds decide; afterwards nothing jumps.
    if (first !== undefined) return;
    if (isBusy(ledger.seconds)) setFirst('patterns');
    else if (ledger.seconds.length >= 3) setFirst('lines');
  });
  const shown = wanted ?? 'lines';
  const set = (next: Filter, to = shown): void => go(link('requests', [], { ...filterQuery(next), view: to }), { replace: true });
  if (state.kind === 'refused') {
    return state.fault.kind === 'unknownOperation' ? (
      <div class="screen">
        <LeftOut>{leftOut('The ledger of requests', 'WatchRequests')} What this page itself has used stands in the line at the foot.</LeftOut>
      </div>
    ) : (
      <div class="screen">
        <ErrorBox fault={state.fault} retry={() => watch.again()} />
      </div>
    );
  }
  const alike = chosen ? ledger.lines.filter((line) => patternKey(line) === patternKey(chosen)) : [];
  return (
    <div class="live">
      <div class="live-main">
        <Load seconds={ledger.seconds} />
        <div class="live-bar">
          <span class="button-group" role="group" aria-label="View">
            <Button pressed={shown === 'lines'} onClick={() => set(filter, 'lines')}>
              Lines
            </Button>
            <Button pressed={shown === 'patterns'} onClick={() => set(filter, 'patterns')}>
              Patterns
            </Button>
          </span>
          <FilterBar filter={filter} set={set} />
          {shown === 'lines' && (
            <Button icon={isPaused ? 'play' : 'stop'} pressed={isPaused} onClick={() => pause(!isPaused)}>
              {isPaused ? 'Go on' : 'Pause'}
            </Button>
          )}
        </div>
        <Notices watch={watch} />
        {shown === 'lines' ? (
          <>
            <Lines lines={ledger.lines} isPaused={isPaused} chosen={chosen?.Number} choose={choose} words={state.kind === 'starting' ? ' ' : Object.keys(filter).length > 0 ? 'No request has passed this filter yet.' : 'Waiting for requests. What this page asks by itself is left out.'} />
            <Told watch={watch} />
          </>
        ) : (
          <Patterns rows={patternsOf(filtered(ledger.seconds, filter))} seconds={ledger.seconds.length} chosen={chosen ? patternKey(chosen) : undefined} choose={(row) => set({ Operation: row.Operation, ...(row.Table !== undefined && { Table: row.Table }), ...(row.Index !== undefined && { Index: row.Index }), ...(row.Pattern && { Text: row.Pattern }) }, 'lines')} />
        )}
      </div>
      {chosen && <Detail line={chosen} alike={alike} valuesAreKept={ledger.valuesAreKept} close={() => choose(null)} narrow={(next) => set(next, 'lines')} />}
    </div>
  );
}

/** Patterns of the seconds pass the part of the filter that is about patterns. */
function filtered(seconds: Second[], filter: Filter): Second[] {
  const passes = (one: Second['Patterns'][number]): boolean =>
    (filter.Operation === undefined || one.Operation === filter.Operation) &&
    (filter.Table === undefined || one.Table === filter.Table) &&
    (filter.Index === undefined || one.Index === filter.Index) &&
    (filter.Text === undefined || `${one.Pattern ?? ''} ${one.Table ?? ''}`.includes(filter.Text)) &&
    (!filter.Failed || one.Failed > 0) &&
    (filter.SlowerThanMs === undefined || one.WorstMs >= filter.SlowerThanMs) &&
    (filter.ExaminesOver === undefined || one.Examined - one.Returned >= filter.ExaminesOver);
  if (Object.keys(filter).length === 0) return seconds;
  return seconds.map((second) => ({ ...second, Patterns: second.Patterns.filter(passes) }));
}

/** A minute in seconds, the last one at the right: what nobody watched has no value. */
function minuteOf(seconds: Second[]): { times: number[]; series: Series[] } {
  const last = seconds.at(-1)?.AtMs;
  const known = new Map(seconds.map((second) => [second.AtMs, second]));
  const times = last === undefined ? [] : [...Array(SECONDS_MAX).keys()].map((nth) => last - (SECONDS_MAX - 1 - nth) * 1000);
  const first = seconds[0]?.AtMs ?? 0;
  const of = (name: 'Requests' | 'Failed') => times.map((at) => known.get(at)?.[name] ?? (at < first ? undefined : 0));
  return {
    times,
    series: [
      { name: 'requests a second', token: '--read', values: of('Requests'), isArea: true },
      { name: 'failed', token: '--danger', values: of('Failed'), dash: [4, 3] },
    ],
  };
}

function Load({ seconds }: { seconds: Second[] }) {
  const { times, series } = useMemo(() => minuteOf(seconds), [seconds]);
  const last = seconds.at(-1);
  return (
    <div class="live-load">
      <LineChart title="Load" times={times} series={series} words={count} height={84} isWhole />
      <dl class="live-figures">
        <div>
          <dt>read units a second</dt>
          <dd>{units(last?.ReadUnits ?? 0)}</dd>
        </div>
        <div>
          <dt>write units a second</dt>
          <dd>{units(last?.WriteUnits ?? 0)}</dd>
        </div>
        {(last?.Others ?? 0) > 0 && (
          <div>
            <dt>of other patterns</dt>
            <dd>{count(last!.Others!)}</dd>
          </div>
        )}
      </dl>
      <span class="hidden">of the last {SECONDS_MAX} seconds</span>
    </div>
  );
}

function FilterBar({ filter, set }: { filter: Filter; set: (filter: Filter) => void }) {
  const { Operation, Table, Text, Failed, SlowerThanMs, ExaminesOver } = filter;
  const put = (change: Filter): void => set({ ...filter, ...change });
  const number = (text: string): number | undefined => (text.trim() === '' || !(Number(text) >= 0) ? undefined : Number(text));
  const tables = [...new Set([...(tableNames.value ?? []).slice(0, 300), ...(Table === undefined ? [] : [Table])])];
  return (
    <div class="filter-bar" role="group" aria-label="Filter at the server">
      <SelectField label="Operation" isLabelHidden value={Operation ?? ''} set={(to) => put({ Operation: to || undefined })} choices={[{ value: '', title: 'any operation' }, ...[...new Set([...OPERATIONS, ...(Operation ? [Operation] : [])])].map((one) => ({ value: one, title: one }))]} />
      <SelectField label="Table" isLabelHidden value={Table ?? ''} set={(to) => put({ Table: to || undefined, Index: undefined })} choices={[{ value: '', title: 'any table' }, ...tables.map((one) => ({ value: one, title: one }))]} />
      <Typed label="Text in pattern, error or table" placeholder="text" value={Text ?? ''} set={(to) => put({ Text: to || undefined })} />
      <Typed label="Slower than so many milliseconds" placeholder="slower than, ms" value={SlowerThanMs?.toString() ?? ''} set={(to) => put({ SlowerThanMs: number(to) })} isShort />
      <Typed label="Examines so many items more than it returns" placeholder="wastes over" value={ExaminesOver?.toString() ?? ''} set={(to) => put({ ExaminesOver: number(to) })} isShort />
      <Button pressed={Failed ?? false} onClick={() => put({ Failed: Failed ? undefined : true })}>
        Failed
      </Button>
      {filter.Caller !== undefined && <Button onClick={() => put({ Caller: undefined })}>{`caller ${filter.Caller} ×`}</Button>}
      {filter.Index !== undefined && <Button onClick={() => put({ Index: undefined })}>{`index ${filter.Index} ×`}</Button>}
      {Object.keys(filter).length > 0 && (
        <Button kind="quiet" icon="close" label="Without filter" onClick={() => set({})} />
      )}
    </div>
  );
}

/** Typed text becomes the filter when typing rests. */
function Typed({ label, placeholder, value, set, isShort }: { label: string; placeholder: string; value: string; set: (text: string) => void; isShort?: boolean }) {
  const [typed, type] = useState(value);
  useEffect(() => type(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => set(typed), 400);
    return () => clearTimeout(timer);
  }, [typed]);
  return <input class={isShort ? 'filter-short' : 'filter-text'} aria-label={label} title={label} placeholder={placeholder} value={typed} spellcheck={false} onInput={(event) => type(event.currentTarget.value)} onKeyDown={(event) => event.key === 'Enter' && set(typed)} />;
}

function Notices({ watch }: { watch: Watch }) {
  const state = watch.state.value;
  const last = watch.notices.value.at(-1);
  return (
    <div class="notices" role="status">
      {state.kind === 'lost' && (
        <p class="notice-lost">
          <span class="fault">{state.fault.message}</span> Trying again since {clock(state.since).slice(0, 8)}; what is here stays.
        </p>
      )}
      {last && state.kind !== 'lost' && (
        <p class="hint">
          {clock(last.at).slice(0, 8)}: {last.words}
        </p>
      )}
    </div>
  );
}

/** What is not among the lines, said. */
function Told({ watch }: { watch: Watch }) {
  const { ledger } = watch;
  return (
    <p class="ledger-told">
      <span>{counted(ledger.lines.length, 'line')} here</span>
      {ledger.oneIn > 1 && <span>one in {count(ledger.oneIn)} is sent; errors and the slowest always</span>}
      {ledger.leftOut > 0 && <span>{count(ledger.leftOut)} left out</span>}
      {ledger.lost > 0 && <span class="fault">{count(ledger.lost)} lost</span>}
      {ledger.server && <span>server {ledger.server}</span>}
    </p>
  );
}
