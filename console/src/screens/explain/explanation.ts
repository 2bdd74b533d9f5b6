// The request that an explanation is of, and where its ranges and keys stand on the ruler.

import type { RulerSource } from '../../ruler/source';
import { typeOf, type Key, type KeyType } from '../../ruler/keys';
import { endsOfTests, type Ends } from '../../ruler/range';
import { readTests } from '../../ruler/literals';
import type { RangeRead, ReadStep } from '../../data/explained';
import { keyedOf, keyType, type Keyed, type TableDescription } from '../../base/tables';

/** A request as the address has it. */
export interface Asked {
  operation: string;
  request: Record<string, unknown>;
}

export function readAsked(text: string | undefined): Asked | undefined {
  try {
    const read = JSON.parse(text ?? '') as unknown;
    if (typeof read !== 'object' || read === null) return undefined;
    const { operation, request } = read as Record<string, unknown>;
    if (typeof operation !== 'string' || typeof request !== 'object' || request === null || Array.isArray(request)) return undefined;
    return { operation, request: request as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

export interface Placed {
  source: RulerSource;
  ends: Ends;
  /** Whether the read begins and ends with one partition. */
  isOfPartition: boolean;
}

/** The table or index of a read, with its keys. */
export function keyedOfStep(table: TableDescription | null, index: string | undefined): Keyed | undefined {
  return table ? keyedOf(table).find((one) => one.index === (index ?? null)) : undefined;
}

/** Returns what a ruler shows of a read: its partition, and the ends of the range in it. */
export function placeOfRange(keyed: Keyed, range: RangeRead | undefined): Placed {
  const bare = { table: keyed.table, index: keyed.index ?? undefined, partition: keyed.partition, sort: keyed.sort };
  const equal = readTests(range?.Partition);
  const partitionKey: Key = Object.fromEntries((equal ?? []).map((test) => [test.attribute, test.values[0]!]));
  const isWhole = keyed.partition.every((name) => Object.hasOwn(partitionKey, name));
  if (!isWhole) return { source: bare, ends: {}, isOfPartition: false };
  const tests = readTests(range?.Sort) ?? [];
  const sortKey: Key = {};
  for (const name of keyed.sort.slice(0, -1)) {
    const test = tests.find((one) => one.attribute === name && one.operator === '=');
    if (!test) break;
    sortKey[name] = test.values[0]!;
  }
  const attribute = keyed.sort[Object.keys(sortKey).length];
  const ends = attribute === undefined ? {} : endsOfTests(tests, attribute);
  return { source: { ...bare, partitionKey, ...(Object.keys(sortKey).length > 0 && { sortKey }) }, ends, isOfPartition: true };
}

/** Returns where the item of a write stands. */
export function placeOfKey(keyed: Keyed, key: string): Placed | undefined {
  const tests = readTests(key);
  if (!tests) return undefined;
  const text = (names: string[]) => tests.filter((one) => names.includes(one.attribute));
  const partitionKey: Key = Object.fromEntries(text(keyed.partition).map((test) => [test.attribute, test.values[0]!]));
  if (!keyed.partition.every((name) => Object.hasOwn(partitionKey, name)) || keyed.sort.length === 0) return undefined;
  const source = { table: keyed.table, index: keyed.index ?? undefined, partition: keyed.partition, sort: keyed.sort, partitionKey };
  return { source, ends: endsOfTests(tests, keyed.sort[0]!), isOfPartition: true };
}

/** The type of a key attribute: as defined, else by the literals of the explanation and of the request, else text. */
export function typeIn(table: TableDescription, attribute: string, asked: Asked, read?: ReadStep): KeyType {
  if (table.AttributeDefinitions.some((one) => one.AttributeName === attribute)) return keyType(table, attribute);
  const told = readTests(read?.Filter)?.find((test) => test.attribute === attribute)?.values[0];
  return told ? typeOf(told) : (typeByValues(asked, attribute) ?? 'S');
}

/** Finds the type of the value that a request compares an attribute with. */
function typeByValues(asked: Asked, attribute: string): KeyType | undefined {
  const { request } = asked;
  const names = (request['ExpressionAttributeNames'] ?? {}) as Record<string, string>;
  const values = (request['ExpressionAttributeValues'] ?? {}) as Record<string, Record<string, unknown>>;
  const spellings = [attribute, ...Object.keys(names).filter((name) => names[name] === attribute)];
  const text = [request['KeyConditionExpression'], request['FilterExpression']].filter((one) => typeof one === 'string').join(' AND ');
  for (const spelling of spellings) {
    const escaped = spelling.replace(/[.*+?^${}()|[\]\\#]/g, '\\$&');
    const found = new RegExp(`(?:^|[\\s(])${escaped}\\s*(?:[=<>]+|BETWEEN|,)\\s*(:\\w+)`, 'i').exec(text)?.[1];
    const type = found && Object.hasOwn(values, found) ? Object.keys(values[found]!)[0] : undefined;
    if (type === 'S' || type === 'N' || type === 'B') return type;
  }
  return undefined;
}
