// The ruler above a form for key conditions: dragging its ends writes the rows, typing in them moves its band.
//
//   <KeyRuler keyed={keyed} partition={rows.partition} sort={rows.sort}
//     setSort={(nth, operator, values) => ...} />  the condition of the nth sort key attribute; operator null: none
//
// It is there while the partition key is typed in full and the endpoint has the operation Ruler.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { go } from '../base/address';
import { features } from '../base/features';
import type { Keyed } from '../base/tables';
import type { KeyOperator, KeyRow } from '../data/expressions';
import { textOf, valueOf, type Key } from './keys';
import { itemLink } from './query';
import { rangeFault, type KeyRange } from './range';
import { Ruler } from './Ruler';
import { attributeOf, type RulerSource } from './source';

export interface KeyRulerProps {
  keyed: Keyed;
  partition: KeyRow[];
  sort: KeyRow[];
  setSort: (nth: number, operator: KeyOperator | null, values: string[]) => void;
  /** Part of the range that the filter throws away, by the server's sample. */
  thrown?: number | undefined;
}

const typed = (row: KeyRow): boolean => (row.values[0] ?? '') !== '' && rangeFault(row.type, { operator: '=', values: [valueOf(row.type, row.values[0]!)] }) === undefined;

/** Returns the line that the rows are about: leading sort key attributes with = are behind it. None: not all is typed yet. */
function sourceOf(keyed: Keyed, partition: KeyRow[], sort: KeyRow[]): RulerSource | null {
  if (partition.length === 0 || !partition.every(typed)) return null;
  const key = (rows: KeyRow[]) => Object.fromEntries(rows.map((row) => [row.name, valueOf(row.type, row.values[0]!)])) as Key;
  const fixed: KeyRow[] = [];
  for (const row of sort.slice(0, -1)) {
    if (row.operator !== '=' || !typed(row)) break;
    fixed.push(row);
  }
  return { table: keyed.table, index: keyed.index ?? undefined, partition: keyed.partition, sort: keyed.sort, partitionKey: key(partition), sortKey: fixed.length > 0 ? key(fixed) : undefined };
}

function rangeOf(row: KeyRow): KeyRange | null {
  if ((row.values[0] ?? '') === '') return null;
  const range: KeyRange = { operator: row.operator, values: row.values.slice(0, row.operator === 'BETWEEN' ? 2 : 1).map((text) => valueOf(row.type, text)) };
  return rangeFault(row.type, range) === undefined ? range : null;
}

const RESTED_MS = 350;

export function KeyRuler({ keyed, partition, sort, setSort, thrown }: KeyRulerProps) {
  const base = JSON.stringify([keyed.table, keyed.index, partition, sort.slice(0, -1)]);
  const now = useMemo(() => sourceOf(keyed, partition, sort), [base]);
  const [source, rest] = useState(now);
  useEffect(() => {
    // A key that is still typed is not read.
    const timer = setTimeout(() => rest(now), RESTED_MS);
    return () => clearTimeout(timer);
  }, [now]);
  const attribute = source ? attributeOf(source) : undefined;
  const nth = attribute === undefined ? -1 : keyed.sort.indexOf(attribute);
  const row = sort[nth];
  if (!source || source.table !== keyed.table || (source.index ?? null) !== keyed.index || !row || features.has('Ruler') === false) return null;
  const write = (range: KeyRange | null): void => setSort(nth, range?.operator ?? null, range?.values.map(textOf) ?? ['']);
  return (
    <div class="key-ruler">
      <Ruler source={source} range={rangeOf(row)} onRange={write} thrown={thrown} onItem={(key) => go(itemLink(source, key))} isOwnOnly isCompact />
    </div>
  );
}
