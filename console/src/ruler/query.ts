// The request that a place on the ruler stands for.

import { link } from '../base/address';
import { part, textOf, type Key, type KeyValue } from './keys';
import type { KeyRange } from './range';
import { attributeOf, type RulerSource } from './source';

/** Returns the Query of a source's partition and folder, or of a range in it; a Scan where no partition is open. */
export function requestFor(source: RulerSource, range: KeyRange | null = null): { operation: 'Query' | 'Scan'; request: Record<string, unknown> } {
  const of = { TableName: source.table, ...(source.index !== undefined && { IndexName: source.index }) };
  if (!source.partitionKey) return { operation: 'Scan', request: of };
  const writer = new Writer();
  const conditions = Object.entries({ ...source.partitionKey, ...source.sortKey }).map(([name, value]) => `${writer.name(name)} = ${writer.value(value)}`);
  const attribute = attributeOf(source);
  const shown = range ?? rangeOfPlace(source);
  if (attribute !== undefined && shown) conditions.push(conditionOf(writer, attribute, shown));
  return { operation: 'Query', request: { ...of, KeyConditionExpression: conditions.join(' AND '), ExpressionAttributeNames: writer.names, ExpressionAttributeValues: writer.values } };
}

/** Returns the condition of the folder or stretch that is open. */
export function rangeOfPlace(source: RulerSource): KeyRange | null {
  if (source.from && source.to) return { operator: 'BETWEEN', values: [source.from, source.to] };
  return source.prefix ? { operator: 'begins_with', values: [{ S: source.prefix }] } : null;
}

class Writer {
  readonly names: Record<string, string> = {};
  readonly values: Key = {};

  name(attribute: string): string {
    const name = `#k${Object.keys(this.names).length}`;
    this.names[name] = attribute;
    return name;
  }

  value(of: KeyValue): string {
    const name = `:k${Object.keys(this.values).length}`;
    this.values[name] = of;
    return name;
  }
}

function conditionOf(writer: Writer, attribute: string, { operator, values }: KeyRange): string {
  const name = writer.name(attribute);
  const [first, second] = values.map((value) => writer.value(value));
  if (operator === 'begins_with') return `begins_with(${name}, ${first})`;
  return operator === 'BETWEEN' ? `${name} BETWEEN ${first} AND ${second}` : `${name} ${operator} ${first}`;
}

/** The Items screen at the place of a ruler. */
export function itemsLink(source: RulerSource, range: KeyRange | null = null): string {
  const { partitionKey, sortKey } = source;
  if (!partitionKey) return link('items', [source.table], { index: source.index });
  const texts = source.partition.map((name) => textOf(part(partitionKey, name) ?? { S: '' }));
  // Its form has one row for the sort key.
  const first = source.sort[0] === undefined ? undefined : part(sortKey, source.sort[0]);
  const shown: KeyRange | null = first ? { operator: '=', values: [first] } : (range ?? rangeOfPlace(source));
  return link('items', [source.table], { index: source.index, pk: JSON.stringify(texts), op: shown?.operator, sk: shown && JSON.stringify(shown.values.map(textOf)) });
}

/** The Query screen at the place of a ruler. */
export function queryLink(source: RulerSource, range: KeyRange | null = null): string {
  const { partitionKey } = source;
  const shown = range ?? rangeOfPlace(source);
  const equal = source.sort.flatMap((name) => (part(source.sortKey, name) ? [{ op: '=', v: [textOf(part(source.sortKey, name)!)] }] : []));
  const draft = {
    index: source.index,
    pk: partitionKey && source.partition.map((name) => textOf(part(partitionKey, name) ?? { S: '' })),
    sk: partitionKey && [...equal, ...(shown ? [{ op: shown.operator, v: shown.values.map(textOf) }] : [])],
  };
  return link('query', [source.table], { q: JSON.stringify(draft) });
}

/** The Items screen at one item. */
export function itemLink(source: RulerSource, key: Key): string {
  const of = (names: string[]) => Object.fromEntries(names.flatMap((name) => (part(key, name) ? [[name, part(key, name)!]] : []))) as Key;
  const sort = source.sort[0] === undefined ? undefined : part(key, source.sort[0]);
  return itemsLink({ ...source, partitionKey: of(source.partition), sortKey: undefined, prefix: undefined, from: undefined, to: undefined }, sort ? { operator: '=', values: [sort] } : null);
}
