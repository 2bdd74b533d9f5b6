// The ruler over the rows of a form for key conditions: dragging its ends writes the rows, typing in them moves its band.
//
//   <KeyRuler keyed={keyed} partition={rows.partition} sort={rows.sort}
//     setPartition={(values) => ...}          a partition was opened: the texts of its key
//     setSort={(nth, operator, values) => ...} /> the condition of the nth sort key attribute; operator null: none
//
// While a partition key is not typed yet the partitions are the line, and a click takes one.

import { useMemo } from 'preact/hooks';
import type { Keyed } from '../base/tables';
import type { KeyOperator, KeyRow } from '../data/expressions';
import { textOf, valueOf, type Key } from './keys';
import { rangeFault, type KeyRange } from './range';
import { Ruler } from './Ruler';
import { attributeOf, type RulerSource } from './source';

export interface KeyRulerProps {
  keyed: Keyed;
  partition: KeyRow[];
  sort: KeyRow[];
  setPartition: (values: string[]) => void;
  setSort: (nth: number, operator: KeyOperator | null, values: string[]) => void;
  /** Part of the range that the filter throws away, by the server's sample. */
  thrown?: number | undefined;
}

const typed = (row: KeyRow): boolean => (row.values[0] ?? '') !== '';

/** Returns the line that the rows are about: leading sort key attributes with = are behind it. */
function sourceOf(keyed: Keyed, partition: KeyRow[], sort: KeyRow[]): RulerSource {
  const source: RulerSource = { table: keyed.table, index: keyed.index ?? undefined, partition: keyed.partition, sort: keyed.sort };
  if (!partition.every(typed)) return source;
  const key = (rows: KeyRow[]) => Object.fromEntries(rows.map((row) => [row.name, valueOf(row.type, row.values[0]!)])) as Key;
  const fixed: KeyRow[] = [];
  for (const row of sort.slice(0, -1)) {
    if (row.operator !== '=' || !typed(row)) break;
    fixed.push(row);
  }
  return { ...source, partitionKey: key(partition), sortKey: fixed.length > 0 ? key(fixed) : undefined };
}

function rangeOf(row: KeyRow | undefined): KeyRange | null {
  if (!row || !typed(row)) return null;
  const range: KeyRange = { operator: row.operator, values: row.values.slice(0, row.operator === 'BETWEEN' ? 2 : 1).map((text) => valueOf(row.type, text)) };
  return rangeFault(row.type, range) === undefined ? range : null;
}

export function KeyRuler({ keyed, partition, sort, setPartition, setSort, thrown }: KeyRulerProps) {
  const base = JSON.stringify([keyed.table, keyed.index, partition, sort.slice(0, -1)]);
  const source = useMemo(() => sourceOf(keyed, partition, sort), [base]);
  const attribute = attributeOf(source);
  const nth = attribute === undefined ? -1 : keyed.sort.indexOf(attribute);
  const row = sort[nth];
  const write = (range: KeyRange | null): void => setSort(nth, range?.operator ?? null, range?.values.map(textOf) ?? ['']);
  if (!source.partitionKey) {
    const open = (next: RulerSource): void => {
      if (next.partitionKey) setPartition(keyed.partition.map((name) => textOf(next.partitionKey![name] ?? { S: '' })));
    };
    return <Ruler source={source} onSource={open} title="Partitions" />;
  }
  if (attribute === undefined || !row) return null;
  return <Ruler source={source} range={rangeOf(row)} onRange={write} thrown={thrown} title={`Keys by ${attribute}`} />;
}
