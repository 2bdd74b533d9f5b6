// Writes of single items, each on the condition that the item is as it was read.

import { call } from '../base/client';
import type { Fault } from '../base/faults';
import { keyNames, type TableDescription } from '../base/tables';
import { type Change, Placeholders, updateOf } from '../data/expressions';
import { at, record } from '../data/record';
import { type AttributeValue, isSame, type Item } from '../data/values';

/** Returns the key of an item, or null where an index or a projection left part of it out. */
export function keyOf(table: TableDescription, item: Item): Item | null {
  const members = keyNames(table).map((name): [string, AttributeValue | undefined] => [name, at(item, name)]);
  return members.some(([, value]) => value === undefined) ? null : record(members as [string, AttributeValue][]);
}

/** Returns what differs between two images of an item, but for its key. */
export function changesOf(before: Item, after: Item, keys: string[]): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !keys.includes(name));
  return names
    .filter((name) => !isSame(at(before, name), at(after, name)))
    .map((name) => ({ name, before: at(before, name), after: at(after, name) }));
}

export function updateRequest(table: TableDescription, key: Item, changes: Change[]): Record<string, unknown> {
  return updateOf(table.TableName, key, changes);
}

/** Sends an update, and returns the item as it is now. */
export async function update(request: Record<string, unknown>): Promise<Item> {
  const answer = await call<{ Attributes?: Item }>('UpdateItem', {
    ...request,
    ReturnValues: 'ALL_NEW',
    ReturnConsumedCapacity: 'INDEXES',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return answer.Attributes ?? record();
}

/** Returns the item that a refused condition found; null where there is none any more. */
export async function found(fault: Fault, table: TableDescription, key: Item): Promise<Item | null> {
  const told = fault.body['Item'];
  return told !== undefined ? (told as Item) : readItem(table, key);
}

export async function readItem(table: TableDescription, key: Item): Promise<Item | null> {
  const answer = await call<{ Item?: Item }>('GetItem', {
    TableName: table.TableName,
    Key: key,
    ConsistentRead: true,
    ReturnConsumedCapacity: 'INDEXES',
  });
  return answer.Item ?? null;
}

/** Makes the put of a new item; `isNew` refuses to replace one that is there. */
export function putRequest(table: TableDescription, item: Item, isNew: boolean): Record<string, unknown> {
  const request: Record<string, unknown> = { TableName: table.TableName, Item: item };
  if (!isNew) return request;
  const holders = new Placeholders();
  const [partition = ''] = keyNames(table);
  request['ConditionExpression'] = `attribute_not_exists(${holders.name(partition)})`;
  holders.into(request);
  return request;
}

export const put = (request: Record<string, unknown>): Promise<unknown> =>
  call('PutItem', { ...request, ReturnConsumedCapacity: 'INDEXES', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });

export const deleteRequest = (table: TableDescription, key: Item): Record<string, unknown> => ({ TableName: table.TableName, Key: key });

export const remove = (request: Record<string, unknown>): Promise<unknown> =>
  call('DeleteItem', { ...request, ReturnConsumedCapacity: 'INDEXES' });

/** A key in one line, for titles and confirmations. */
export const keyWords = (key: Item): string =>
  Object.entries(key)
    .map(([, value]) => ('S' in value ? value.S : 'N' in value ? value.N : 'B' in value ? value.B : ''))
    .join(' / ');
