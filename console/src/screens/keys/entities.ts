// Entity types of a table: their matrix of keys, and which of them a bin of the ruler belongs to.

import { call } from '../../base/client';
import type { Bin } from '../../ruler/bins';
import { entityColours, KeyForm, type EntityColour } from '../../ruler/colours';
import { part, textOf, type Key } from '../../ruler/keys';
import type { RulerSource } from '../../ruler/source';

export interface Cell {
  Partition: string;
  Sort?: string;
  Entity: string;
  Items: number;
  Bytes: number;
  Example: Key;
}

export interface EntityKey {
  Attribute: string;
  Pattern: string;
  OfTable?: 'HASH' | 'RANGE';
  Indexes?: string[];
  Items: number;
}

export interface Entity {
  Name: string;
  Items: number;
  Share: number;
  Bytes: number;
  Keys: EntityKey[];
  Example?: string;
}

export interface Entities {
  Items: number;
  Bytes: number;
  Entities: Entity[];
  Matrix?: { Index?: string; Cells: Cell[] }[];
  SampledItems?: number;
  IsAll?: boolean;
  Notes?: string[];
}

export const askEntities = (table: string, signal: AbortSignal): Promise<Entities> => call<Entities>('DescribeEntities', { TableName: table }, { own: true, signal });

export function coloursOf(entities: Entities | null): Map<string, EntityColour> {
  return entityColours((entities?.Entities ?? []).map((one) => one.Name));
}

export interface Matrix {
  rows: string[];
  columns: string[];
  cells: Map<string, Cell[]>;
}

export const cellOf = (matrix: Matrix, row: string, column: string): Cell[] => matrix.cells.get(JSON.stringify([row, column])) ?? [];

/** Returns partition key templates by sort key templates, the frequent ones first. */
export function matrixOf(entities: Entities, index: string | undefined): Matrix | undefined {
  const found = entities.Matrix?.find((one) => one.Index === index);
  if (!found || found.Cells.length === 0) return undefined;
  const cells = new Map<string, Cell[]>();
  const weights: Record<'row' | 'column', Map<string, number>> = { row: new Map(), column: new Map() };
  for (const cell of found.Cells.slice(0, 400)) {
    const [row, column] = [cell.Partition, cell.Sort ?? ''];
    const key = JSON.stringify([row, column]);
    cells.set(key, [...(cells.get(key) ?? []), cell]);
    weights.row.set(row, (weights.row.get(row) ?? 0) + cell.Items);
    weights.column.set(column, (weights.column.get(column) ?? 0) + cell.Items);
  }
  const byWeight = (of: Map<string, number>) => [...of].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  return { rows: byWeight(weights.row), columns: byWeight(weights.column), cells };
}

/** Returns the entity type of a bin: of a folder or key that only one type's keys of this partition have. */
export function typeFinder(entities: Entities | null, source: RulerSource): (bin: Bin) => (EntityColour & { name: string }) | undefined {
  const colours = coloursOf(entities);
  const cells = entities?.Matrix?.find((one) => one.Index === source.index)?.Cells ?? [];
  const known = source.partitionKey;
  const partition = known && source.partition.map((name) => textOf(part(known, name) ?? { S: '' })).join(', ');
  const forms = cells
    .filter((cell) => partition === undefined || new KeyForm(cell.Partition).takes(partition))
    .map((cell) => ({ name: cell.Entity, form: new KeyForm(known ? (cell.Sort ?? '') : cell.Partition) }));
  // One type alone would colour everything alike, and say nothing.
  if (colours.size < 2) return () => undefined;
  const told = new Map<string, (EntityColour & { name: string }) | undefined>();
  return (bin) => {
    const [first, last] = [texts(bin.First, source), texts(bin.Last, source)];
    const id = `${first}\u0000${last}`;
    if (!told.has(id) && told.size < 5000) {
      const names = new Set(forms.filter(({ form }) => form.takes(first) && form.takes(last)).map(({ name }) => name));
      const [name] = names;
      const colour = name !== undefined && names.size === 1 ? colours.get(name) : undefined;
      told.set(id, colour && { ...colour, name: name! });
    }
    return told.get(id);
  };
}

function texts(key: Key, source: RulerSource): string {
  const names = source.partitionKey ? source.sort : source.partition;
  return names.flatMap((name) => (part(key, name) ? [textOf(part(key, name)!)] : [])).join(', ');
}
