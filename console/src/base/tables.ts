// The tables of the endpoint, and their descriptions: asked once, shared by all screens.

import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from './client';
import { asFault, type Fault } from './faults';

export interface KeyPart {
  AttributeName: string;
  KeyType: 'HASH' | 'RANGE';
}

export interface Projection {
  ProjectionType?: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  NonKeyAttributes?: string[];
}

export interface Throughput {
  ReadCapacityUnits?: number;
  WriteCapacityUnits?: number;
}

export interface IndexDescription {
  IndexName: string;
  KeySchema: KeyPart[];
  Projection?: Projection;
  IndexStatus?: string;
  Backfilling?: boolean;
  ItemCount?: number;
  IndexSizeBytes?: number;
  ProvisionedThroughput?: Throughput;
}

export interface TableDescription {
  TableName: string;
  TableStatus?: string;
  KeySchema: KeyPart[];
  AttributeDefinitions: { AttributeName: string; AttributeType: 'S' | 'N' | 'B' }[];
  GlobalSecondaryIndexes?: IndexDescription[];
  LocalSecondaryIndexes?: IndexDescription[];
  ItemCount?: number;
  TableSizeBytes?: number;
  CreationDateTime?: number;
  TableArn?: string;
  BillingModeSummary?: { BillingMode?: string };
  ProvisionedThroughput?: Throughput;
  StreamSpecification?: { StreamEnabled?: boolean; StreamViewType?: string };
  LatestStreamArn?: string;
  DeletionProtectionEnabled?: boolean;
  TableClassSummary?: { TableClass?: string };
}

/** The names of the tables, in order; null while nobody knows them. */
export const tableNames = signal<string[] | null>(null);
export const tablesFault = signal<Fault | null>(null);

const described = signal<ReadonlyMap<string, TableDescription>>(new Map());
const failures = signal<ReadonlyMap<string, Fault>>(new Map());
const asking = new Map<string, Promise<TableDescription>>();

/** At most so many names are held; a server with more is searched by the filter of the list. */
const mostNames = 10_000;

/** Asks the names anew. */
export async function refreshTables(): Promise<void> {
  try {
    const names: string[] = [];
    let start: string | undefined;
    do {
      const page: { TableNames?: string[]; LastEvaluatedTableName?: string } = await call(
        'ListTables',
        { ExclusiveStartTableName: start },
        { unrecorded: true },
      );
      names.push(...(page.TableNames ?? []));
      start = page.LastEvaluatedTableName;
    } while (start !== undefined && names.length < mostNames);
    tableNames.value = names;
    tablesFault.value = null;
  } catch (error) {
    tablesFault.value = asFault(error);
  }
}

async function ask(name: string): Promise<TableDescription> {
  try {
    const answer = await call<{ Table: TableDescription }>('DescribeTable', { TableName: name }, { unrecorded: true });
    described.value = new Map(described.peek()).set(name, answer.Table);
    // A table that was made elsewhere since the names were asked.
    if (tableNames.peek()?.includes(name) === false) void refreshTables();
    if (failures.peek().has(name)) failures.value = new Map([...failures.peek()].filter(([one]) => one !== name));
    return answer.Table;
  } catch (error) {
    const fault = asFault(error);
    failures.value = new Map(failures.peek()).set(name, fault);
    if (fault.kind === 'notFound') forget(name);
    throw error;
  } finally {
    asking.delete(name);
  }
}

/** Asks a description anew. Calls that are on their way are shared. */
export function describe(name: string): Promise<TableDescription> {
  const now = asking.get(name) ?? ask(name);
  asking.set(name, now);
  return now;
}

/** Forgets a table that was deleted. */
export function forget(name: string): void {
  described.value = new Map([...described.peek()].filter(([one]) => one !== name));
  tableNames.value = tableNames.peek()?.filter((one) => one !== name) ?? null;
}

/** Returns a table's description, asked when the component is first shown. */
export function useTable(name: string | null | undefined): { table: TableDescription | null; fault: Fault | null; again: () => void } {
  useEffect(() => {
    if (name && !described.peek().has(name)) describe(name).catch(() => undefined);
  }, [name]);
  const table = name ? (described.value.get(name) ?? null) : null;
  const fault = name ? (failures.value.get(name) ?? null) : null;
  return { table, fault, again: () => void (name && describe(name).catch(() => undefined)) };
}

export const knownTables = computed(() => described.value);

/** A thing with keys: a table, or one of its indexes. */
export interface Keyed {
  table: string;
  index: string | null;
  partition: string[];
  sort: string[];
  isLocal: boolean;
  projection: Projection | null;
}

const names = (schema: KeyPart[], type: 'HASH' | 'RANGE'): string[] =>
  schema.filter((part) => part.KeyType === type).map((part) => part.AttributeName);

/** Returns the table and its indexes, with their keys. */
export function keyedOf(table: TableDescription): Keyed[] {
  const of = (index: IndexDescription | null, isLocal: boolean): Keyed => ({
    table: table.TableName,
    index: index?.IndexName ?? null,
    partition: names((index ?? table).KeySchema, 'HASH'),
    sort: names((index ?? table).KeySchema, 'RANGE'),
    isLocal,
    projection: index?.Projection ?? null,
  });
  return [
    of(null, false),
    ...(table.GlobalSecondaryIndexes ?? []).map((index) => of(index, false)),
    ...(table.LocalSecondaryIndexes ?? []).map((index) => of(index, true)),
  ];
}

/** Returns the names of the table's key attributes, partition key first. */
export const keyNames = (table: TableDescription): string[] => [...names(table.KeySchema, 'HASH'), ...names(table.KeySchema, 'RANGE')];

/** Returns the type that the definition gives an attribute, for keys only. */
export const keyType = (table: TableDescription, name: string): 'S' | 'N' | 'B' =>
  table.AttributeDefinitions.find((one) => one.AttributeName === name)?.AttributeType ?? 'S';
