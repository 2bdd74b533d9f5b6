// Bins from the service's own operations, for endpoints without the operation Ruler: keys are read page by page with Query
// or Scan, and what was read is told as "at least".

import { call } from '../base/client';
import type { Bin, RulerAnswer } from './bins';
import { part, textOf, typeOf, type Key, type KeyType } from './keys';
import type { RulerSource } from './source';

const PAGE_ITEMS = 1_000;
const BINS_MOST = 400;
const DELIMITERS = ['#', '|', '/', ':'];

interface Page {
  Items?: Key[];
  LastEvaluatedKey?: Key;
  ConsumedCapacity?: { CapacityUnits?: number };
}

/** Reads one page of keys, and returns the bins that it shows. */
export async function fallback(source: RulerSource, cursor: string | undefined, signal: AbortSignal): Promise<RulerAnswer> {
  const start = cursor === undefined ? undefined : (JSON.parse(cursor) as Key);
  const isQuery = source.partitionKey !== undefined;
  const page = await call<Page>(isQuery ? 'Query' : 'Scan', requestOf(source, start), { unrecorded: true, signal });
  const keys = page.Items ?? [];
  const bins = isQuery ? collectionBins(source, keys) : partitionBins(source, keys);
  const next = page.LastEvaluatedKey;
  const covered = keys.at(-1);
  return {
    ...bins,
    Covers: { ...(start && { After: start }), ...(next && covered && { Until: covered }) },
    Items: keys.length,
    Bytes: 0,
    IsExact: next === undefined,
    ...(next && { Cursor: JSON.stringify(next) }),
    Work: { Seeks: 1, KeysRead: keys.length, ReadUnits: page.ConsumedCapacity?.CapacityUnits ?? 0 },
  };
}

function requestOf(source: RulerSource, start: Key | undefined): Record<string, unknown> {
  const names: Record<string, string> = {};
  const values: Key = {};
  const projected = [...source.partition, ...source.sort].map((name, nth) => {
    names[`#p${nth}`] = name;
    return `#p${nth}`;
  });
  const common = {
    TableName: source.table,
    ...(source.index !== undefined && { IndexName: source.index }),
    ProjectionExpression: projected.join(', '),
    ExpressionAttributeNames: names,
    Limit: PAGE_ITEMS,
    ReturnConsumedCapacity: 'TOTAL',
    ...(start && { ExclusiveStartKey: start }),
  };
  if (!source.partitionKey) return common;
  return { ...common, KeyConditionExpression: conditionOf(source, projected, values), ExpressionAttributeValues: values };
}

function conditionOf(source: RulerSource, projected: string[], values: Key): string {
  const conditions: string[] = [];
  const equal = { ...source.partitionKey, ...source.sortKey };
  for (const [nth, name] of [...source.partition, ...source.sort].entries()) {
    const value = part(equal, name);
    if (!value) continue;
    values[`:p${nth}`] = value;
    conditions.push(`${projected[nth]} = :p${nth}`);
  }
  const open = projected[source.partition.length + Object.keys(source.sortKey ?? {}).length];
  if (open === undefined) return conditions.join(' AND ');
  if (source.from && source.to) {
    values[':from'] = source.from;
    values[':to'] = source.to;
    conditions.push(`${open} BETWEEN :from AND :to`);
  } else if (source.prefix) {
    values[':prefix'] = { S: source.prefix };
    conditions.push(`begins_with(${open}, :prefix)`);
  }
  return conditions.join(' AND ');
}

type Bins = Pick<RulerAnswer, 'Kind' | 'KeyAttribute' | 'KeyType' | 'Delimiter' | 'Bins'>;

function collectionBins(source: RulerSource, keys: Key[]): Bins {
  const attribute = source.sort[Object.keys(source.sortKey ?? {}).length] ?? source.sort[0] ?? source.partition[0]!;
  const first = part(keys[0], attribute);
  const type: KeyType = first ? typeOf(first) : 'S';
  const delimiter = type === 'S' ? (source.delimiter ?? delimiterOf(keys, attribute)) : undefined;
  const of = { KeyAttribute: attribute, KeyType: type };
  if (delimiter !== undefined) {
    return { Kind: 'Folders', ...of, Delimiter: delimiter, Bins: folderBins(keys, attribute, source.prefix ?? '', delimiter) };
  }
  return { Kind: type === 'B' ? 'Bytes' : 'Values', ...of, Bins: equalBins(keys, attribute) };
}

function delimiterOf(keys: Key[], attribute: string): string | undefined {
  const texts = keys.map((key) => textOf(part(key, attribute) ?? { S: '' }));
  return DELIMITERS.find((one) => texts.filter((text) => text.includes(one)).length * 2 > texts.length);
}

function folderBins(keys: Key[], attribute: string, prefix: string, delimiter: string): Bin[] {
  const bins: Bin[] = [];
  for (const key of keys) {
    const text = textOf(part(key, attribute) ?? { S: '' });
    const end = text.indexOf(delimiter, prefix.length);
    const folder = end < 0 ? undefined : text.slice(0, end + delimiter.length);
    const last = bins.at(-1);
    if (last && folder !== undefined && last.Folder === folder) grow(last, key);
    else bins.push(binOf(key, (folder ?? text).slice(prefix.length) || text, folder));
  }
  return merged(bins);
}

function binOf(key: Key, name: string, folder: string | undefined): Bin {
  return { First: key, Last: key, Name: name, ...(folder !== undefined && { Folder: folder }), Folders: folder === undefined ? 0 : 1, Items: 1, Bytes: 0, IsExact: true };
}

function grow(bin: Bin, key: Key): void {
  bin.Last = key;
  bin.Items++;
}

function equalBins(keys: Key[], attribute: string): Bin[] {
  return merged(keys.map((key) => binOf(key, textOf(part(key, attribute) ?? { S: '' }), undefined)));
}

/** Merges neighbours, so that there are no more bins than a ruler has places. */
function merged(bins: Bin[]): Bin[] {
  const each = Math.ceil(bins.length / BINS_MOST);
  if (each <= 1) return bins;
  const found: Bin[] = [];
  for (let nth = 0; nth < bins.length; nth += each) {
    const group = bins.slice(nth, nth + each);
    const sum = (of: (bin: Bin) => number) => group.reduce((total, bin) => total + of(bin), 0);
    if (group.length === 1) found.push(group[0]!);
    else found.push({ First: group[0]!.First, Last: group.at(-1)!.Last, Folders: sum((bin) => bin.Folders), Items: sum((bin) => bin.Items), Bytes: 0, IsExact: true });
  }
  return found;
}

function partitionBins(source: RulerSource, keys: Key[]): Bins {
  const bins: Bin[] = [];
  let last = '';
  for (const key of keys) {
    const values = Object.fromEntries(source.partition.flatMap((name) => (part(key, name) ? [[name, part(key, name)!]] : []))) as Key;
    const text = JSON.stringify(values);
    if (text === last) bins.at(-1)!.Items++;
    else bins.push({ First: values, Last: values, Name: Object.values(values).map(textOf).join(' · '), Folders: 1, Items: 1, Bytes: 0, IsExact: true });
    last = text;
  }
  const attribute = source.partition[0]!;
  const first = part(keys[0], attribute);
  return { Kind: 'Partitions', KeyAttribute: attribute, KeyType: first ? typeOf(first) : 'S', Bins: merged(bins) };
}
