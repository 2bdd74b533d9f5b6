// Keys: entity types, partitions, the ruler and the tree of one, findings. The address has all of it.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { explainLink, go, link, type Address } from '../base/address';
import { useAsk } from '../base/ask';
import { features, leftOut } from '../base/features';
import { keyedOf, keyType, tableNames, useTable, type Keyed, type TableDescription } from '../base/tables';
import { counted } from '../data/sizes';
import { LinkButton } from '../parts/Button';
import { EmptyState, LeftOut } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { SelectField } from '../parts/Field';
import { Spinner } from '../parts/Spinner';
import { Tabs } from '../parts/Tabs';
import { KeyForm } from '../ruler/colours';
import { part, textOf, type Key, type KeyValue } from '../ruler/keys';
import { itemLink, itemsLink, queryLink, requestFor } from '../ruler/query';
import type { KeyRange } from '../ruler/range';
import { RangeEditor } from '../ruler/RangeEditor';
import { Ruler, type RulerMark } from '../ruler/Ruler';
import { attributeOf, fromQuery, readValue, toQuery, type RulerSource } from '../ruler/source';
import { toldText } from '../ruler/told';
import { askEntities, typeFinder, type Cell, type Entities } from './keys/entities';
import { Findings, useFindings, type Finding } from './keys/Findings';
import { MatrixOfTypes } from './keys/Matrix';
import { Partitions, type KnownPartitions } from './keys/Partitions';
import { RangeFigures } from './keys/RangeFigures';
import { Tree } from './keys/Tree';

export function Screen({ address }: { address: Address }) {
  const name = address.path[0];
  const { table, fault, again } = useTable(name);
  if (!name) return <Choose />;
  return (
    <div class="screen keys-screen">
      {fault && !table && <ErrorBox fault={fault} retry={again} />}
      {!table && !fault && <Spinner />}
      {table && <KeysOf table={table} address={address} />}
    </div>
  );
}

function Choose() {
  const names = tableNames.value;
  return (
    <div class="screen">
      <h1>Keys</h1>
      {names && names.length === 0 && (
        <EmptyState title="No tables yet">
          <p>Load a sample or create a table, then look at its keys here.</p>
          <LinkButton href={link('start')} kind="main">
            Start
          </LinkButton>
        </EmptyState>
      )}
      {names && names.length > 0 && (
        <>
          <p>Which table?</p>
          <ul class="row">
            {names.slice(0, 100).map((one) => (
              <li key={one}>
                <LinkButton href={link('keys', [one])} icon="table">
                  {one}
                </LinkButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const keyWords = (keyed: Keyed): string => [...keyed.partition, ...keyed.sort].join(', ');

function readRange(query: ReadonlyMap<string, string>): KeyRange | null {
  const operator = query.get('op') as KeyRange['operator'] | undefined;
  const values = [readValue(query.get('v1')), readValue(query.get('v2'))].filter((one): one is KeyValue => one !== undefined);
  const isKnown = operator !== undefined && ['=', '<', '<=', '>', '>=', 'BETWEEN', 'begins_with'].includes(operator);
  return isKnown && values.length >= (operator === 'BETWEEN' ? 2 : 1) ? { operator, values } : null;
}

const rangeQuery = (range: KeyRange | null): Record<string, string | undefined> => ({
  op: range?.operator,
  v1: range?.values[0] && JSON.stringify(range.values[0]),
  v2: range?.values[1] && JSON.stringify(range.values[1]),
});

function KeysOf({ table, address }: { table: TableDescription; address: Address }) {
  const all = keyedOf(table);
  const keyed = all.find((one) => one.index === (address.query.get('index') ?? null)) ?? all[0]!;
  const source: RulerSource = { ...fromQuery(address.query), table: table.TableName, index: keyed.index ?? undefined, partition: keyed.partition, sort: keyed.sort };
  const isComplete = keyed.partition.every((name) => part(source.partitionKey, name));
  const place: RulerSource = isComplete ? source : { ...source, partitionKey: undefined, sortKey: undefined, prefix: undefined, from: undefined, to: undefined };
  const range = readRange(address.query);
  const show = (next: RulerSource, band: KeyRange | null = null, replace = false): void => go(link('keys', [table.TableName], { ...toQuery(next), ...rangeQuery(band) }), { replace });
  const entities = useAsk(table.TableName, (signal) => askEntities(table.TableName, signal));
  const findings = useFindings(table.TableName);
  const showKey = (finding: Finding, key: Key): void => {
    const of = all.find((one) => one.index === (finding.Index ?? null)) ?? all[0]!;
    show(sourceOfKey(of, key), rangeOfKey(of, key));
    scrollTo({ top: 0 });
  };
  const request = requestFor(place, place.partitionKey ? range : null);
  return (
    <>
      <div class="screen-head">
        <h1>{toldText(table.TableName)}</h1>
        <SelectField
          label="Table or index"
          isLabelHidden
          value={keyed.index ?? ''}
          set={(index) => go(link('keys', [table.TableName], { index: index || undefined }))}
          choices={all.map((one) => ({ value: one.index ?? '', title: `${one.index ?? 'table'} (${keyWords(one)})` }))}
        />
        <span class="space" />
        <LinkButton href={itemsLink(place, place.partitionKey ? range : null)} icon="items">
          Items
        </LinkButton>
        <LinkButton href={queryLink(place, place.partitionKey ? range : null)} icon="query">
          Query
        </LinkButton>
        <LinkButton href={explainLink(request.operation, request.request)} icon="explain">
          Explain
        </LinkButton>
      </div>
      {place.partitionKey ? (
        <OnePartition table={table} keyed={keyed} place={place} range={range} show={show} entities={entities.answer} findings={findings.answer?.Findings ?? []} />
      ) : (
        <AllPartitions table={table} keyed={keyed} place={place} show={show} entities={entities} />
      )}
      <section aria-labelledby="findings-title">
        <h2 id="findings-title">Findings</h2>
        <Findings asked={findings} show={showKey} />
      </section>
    </>
  );
}

function sourceOfKey(keyed: Keyed, key: Key): RulerSource {
  const partitionKey = Object.fromEntries(keyed.partition.flatMap((name) => (part(key, name) ? [[name, part(key, name)!]] : []))) as Key;
  const isWhole = keyed.partition.every((name) => part(partitionKey, name));
  return { table: keyed.table, index: keyed.index ?? undefined, partition: keyed.partition, sort: keyed.sort, partitionKey: isWhole ? partitionKey : undefined };
}

function rangeOfKey(keyed: Keyed, key: Key): KeyRange | null {
  const value = keyed.sort.length === 1 ? part(key, keyed.sort[0]!) : undefined;
  return value ? { operator: '=', values: [value] } : null;
}

const sizeOf = (table: TableDescription, keyed: Keyed): number =>
  [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])].find((one) => one.IndexName === keyed.index)?.IndexSizeBytes ?? table.TableSizeBytes ?? 0;

type Show = (next: RulerSource, band?: KeyRange | null, replace?: boolean) => void;

interface Shown {
  table: TableDescription;
  keyed: Keyed;
  place: RulerSource;
  show: Show;
}

function AllPartitions({ table, keyed, place, show, entities }: Shown & { entities: ReturnType<typeof useAsk<Entities>> }) {
  const colourOf = useMemo(() => typeFinder(entities.answer, place), [entities.answer, keyed.index]);
  const [known, know] = useState<(KnownPartitions & { of: string | null }) | null>(null);
  const open = (key: Key): void => show({ ...place, partitionKey: key });
  const openCell = (cell: Cell): void => {
    const of = sourceOfKey(keyed, cell.Example);
    const form = cell.Sort === undefined || keyed.sort.length !== 1 ? undefined : new KeyForm(cell.Sort);
    if (!of.partitionKey) return;
    const isFolder = form !== undefined && form.beginning !== '' && !form.isOneText && keyType(table, keyed.sort[0]!) === 'S';
    show(of, isFolder ? { operator: 'begins_with', values: [{ S: form.beginning }] } : rangeOfKey(keyed, cell.Example));
  };
  return (
    <>
      <section aria-labelledby="types-title">
        <h2 id="types-title">Entity types</h2>
        {features.has('DescribeEntities') === false && <LeftOut>{leftOut('The matrix of entity types', 'DescribeEntities')}</LeftOut>}
        {features.has('DescribeEntities') !== false && entities.fault && <ErrorBox fault={entities.fault} retry={entities.again} />}
        {entities.answer ? <MatrixOfTypes entities={entities.answer} keyed={keyed} open={openCell} /> : <p class="types-wait" />}
      </section>
      <section aria-labelledby="partitions-title">
        <h2 id="partitions-title">Partitions</h2>
        <Ruler source={place} onSource={(next) => show(next)} colourOf={colourOf} onLine={(line, isDone) => know({ line, isDone, of: keyed.index })} title={`Partitions of ${keyed.index ?? table.TableName}`} />
        <Partitions key={keyed.index ?? ''} keyed={keyed} sizeBytes={sizeOf(table, keyed)} known={known?.of === keyed.index ? known : null} open={open} />
      </section>
    </>
  );
}

function marksOf(findings: Finding[], place: RulerSource): RulerMark[] {
  const attribute = attributeOf(place);
  if (attribute === undefined) return [];
  return findings.flatMap((finding, nth) =>
    finding.Index !== place.index
      ? []
      : finding.Keys.flatMap((key, at) => {
          const value = part(key, attribute);
          const isHere = place.partition.every((name) => JSON.stringify(part(key, name)) === JSON.stringify(part(place.partitionKey, name)));
          return value && isHere ? [{ id: `${nth}-${at}`, key: value, words: `${finding.Rule}: ${toldText(textOf(value), 80)}` }] : [];
        }),
  );
}

function OnePartition({ table, keyed, place, range, show, entities, findings }: Shown & { range: KeyRange | null; entities: Entities | null; findings: Finding[] }) {
  const attribute = attributeOf(place);
  const [view, setView] = useState('tree');
  const colourOf = useMemo(() => typeFinder(entities, place), [entities, JSON.stringify(place)]);
  const marks = useMemo(() => marksOf(findings, place), [findings, JSON.stringify(place)]);
  const [band, setBand] = useState<KeyRange | null>(range);
  const given = JSON.stringify(range);
  useEffect(() => setBand(range), [given]);
  const move = (next: KeyRange | null): void => {
    setBand(next);
    show(place, next, true);
  };
  const openItem = (key: Key): void => go(itemLink(place, key));
  if (attribute === undefined) {
    return (
      <EmptyState title="One item">
        <p>{keyed.index ? 'The index' : 'The table'} has no sort key: a partition is what has this key.</p>
        <LinkButton href={itemsLink(place)} kind="main">
          Show it
        </LinkButton>
      </EmptyState>
    );
  }
  const request = requestFor(place, band);
  return (
    <>
      <section aria-label="Ruler" class="keys-ruler">
        <Ruler
          source={place}
          onSource={(next) => show(next, next.partitionKey ? band : null)}
          range={band}
          onRange={move}
          marks={marks}
          onMark={(mark) => move({ operator: '=', values: [mark.key] })}
          colourOf={colourOf}
          onItem={openItem}
        />
        <div class="keys-condition">
          <RangeEditor key={attribute} attribute={attribute} type={keyType(table, attribute)} range={band} onRange={move} />
          <RangeFigures operation={request.operation} request={request.request} />
        </div>
      </section>
      <section aria-label="Below">
        <Tabs label="Below the ruler" tabs={[{ id: 'tree', title: 'Tree' }, { id: 'types', title: `Entity types${entities ? ` (${counted(entities.Entities.length, 'type')})` : ''}` }]} chosen={view} choose={setView}>
          {view === 'tree' && place.from ? (
            <p class="hint">A stretch of keys has no tree: its parts stand in the table of the ruler.</p>
          ) : view === 'tree' ? (
            <Tree source={place} openAt={(next) => show(next)} openItem={openItem} />
          ) : (
            entities && <MatrixOfTypes entities={entities} keyed={keyed} open={(cell) => show(sourceOfKey(keyed, cell.Example))} />
          )}
        </Tabs>
      </section>
    </>
  );
}
