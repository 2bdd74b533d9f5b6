// Definitions of tables as requests: what a form has, and what a description says.

import type { IndexDescription, TableDescription } from '../base/tables';

export type KeyType = 'S' | 'N' | 'B';

export interface Part {
  name: string;
  type: KeyType;
}

export interface IndexDraft {
  name: string;
  isLocal: boolean;
  partition: Part[];
  sort: Part[];
  projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  included: string;
}

export interface TableDraft {
  name: string;
  partition: Part;
  sort: Part | null;
  indexes: IndexDraft[];
  billing: 'PAY_PER_REQUEST' | 'PROVISIONED';
  readUnits: string;
  writeUnits: string;
  stream: '' | 'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'KEYS_ONLY';
  ttl: string;
  isProtected: boolean;
}

/** The service's limit of attributes in each part of an index key. */
export const mostParts = 4;

export const emptyIndex = (nth: number): IndexDraft => ({
  name: `index-${nth}`,
  isLocal: false,
  partition: [{ name: '', type: 'S' }],
  sort: [],
  projection: 'ALL',
  included: '',
});

export const emptyTable: TableDraft = {
  name: '',
  partition: { name: 'pk', type: 'S' },
  sort: { name: 'sk', type: 'S' },
  indexes: [],
  billing: 'PAY_PER_REQUEST',
  readUnits: '5',
  writeUnits: '5',
  stream: '',
  ttl: '',
  isProtected: false,
};

const nameForm = /^[A-Za-z0-9_.-]{3,255}$/;

/** What an index lacks, or null. */
export function indexFault(index: IndexDraft): string | null {
  if (!nameForm.test(index.name)) return 'An index name has 3 to 255 letters, digits, dots, dashes and underscores.';
  if ([...(index.isLocal ? [] : index.partition), ...index.sort].some((part) => part.name === ''))
    return `An attribute of ${index.name} has no name.`;
  if (index.isLocal && index.sort.length !== 1) return `A local index has one sort key: ${index.name}.`;
  if (index.projection === 'INCLUDE' && includedOf(index).length === 0) return `Name the attributes that ${index.name} includes.`;
  return null;
}

/** What a table lacks, or null. */
export function tableFault(draft: TableDraft): string | null {
  if (!nameForm.test(draft.name)) return 'A table name has 3 to 255 letters, digits, dots, dashes and underscores.';
  if (draft.partition.name === '' || draft.sort?.name === '') return 'A key attribute has no name.';
  if (draft.partition.name === draft.sort?.name) return 'Partition key and sort key are different attributes.';
  const types = new Map<string, KeyType>();
  for (const part of partsOf(draft)) {
    const before = types.get(part.name);
    if (before !== undefined && before !== part.type) return `${part.name} has two types: ${before} and ${part.type}.`;
    types.set(part.name, part.type);
  }
  if (draft.billing === 'PROVISIONED' && ![draft.readUnits, draft.writeUnits].every((units) => /^[1-9]\d{0,8}$/.test(units)))
    return 'Provisioned units are whole numbers from 1.';
  return draft.indexes.map(indexFault).find((fault) => fault !== null) ?? null;
}

const partsOf = (draft: TableDraft): Part[] => [
  draft.partition,
  ...(draft.sort ? [draft.sort] : []),
  ...draft.indexes.flatMap((index) => [...(index.isLocal ? [] : index.partition), ...index.sort]),
];

const includedOf = (index: IndexDraft): string[] =>
  index.included
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

function indexRequest(index: IndexDraft, partition: Part[]): Record<string, unknown> {
  return {
    IndexName: index.name,
    KeySchema: [
      ...(index.isLocal ? partition : index.partition).map((part) => ({ AttributeName: part.name, KeyType: 'HASH' })),
      ...index.sort.map((part) => ({ AttributeName: part.name, KeyType: 'RANGE' })),
    ],
    Projection: { ProjectionType: index.projection, ...(index.projection === 'INCLUDE' ? { NonKeyAttributes: includedOf(index) } : {}) },
  };
}

const definitions = (parts: Part[]): unknown[] =>
  [...new Map(parts.map((part) => [part.name, part.type]))].map(([name, type]) => ({ AttributeName: name, AttributeType: type }));

export function createRequest(draft: TableDraft): Record<string, unknown> {
  const units =
    draft.billing === 'PROVISIONED'
      ? { ProvisionedThroughput: { ReadCapacityUnits: Number(draft.readUnits), WriteCapacityUnits: Number(draft.writeUnits) } }
      : {};
  const global = draft.indexes.filter((index) => !index.isLocal).map((index) => ({ ...indexRequest(index, []), ...units }));
  const local = draft.indexes.filter((index) => index.isLocal).map((index) => indexRequest(index, [draft.partition]));
  return {
    TableName: draft.name,
    AttributeDefinitions: definitions(partsOf(draft)),
    KeySchema: [
      { AttributeName: draft.partition.name, KeyType: 'HASH' },
      ...(draft.sort ? [{ AttributeName: draft.sort.name, KeyType: 'RANGE' }] : []),
    ],
    ...(global.length > 0 ? { GlobalSecondaryIndexes: global } : {}),
    ...(local.length > 0 ? { LocalSecondaryIndexes: local } : {}),
    BillingMode: draft.billing,
    ...units,
    ...(draft.stream === '' ? {} : { StreamSpecification: { StreamEnabled: true, StreamViewType: draft.stream } }),
    ...(draft.isProtected ? { DeletionProtectionEnabled: true } : {}),
  };
}

export const ttlRequest = (table: string, attribute: string, isOn: boolean): Record<string, unknown> => ({
  TableName: table,
  TimeToLiveSpecification: { AttributeName: attribute, Enabled: isOn },
});

/** Makes the request that adds an index to a table that is there. */
export function addIndexRequest(table: TableDescription, index: IndexDraft): Record<string, unknown> {
  const known = table.AttributeDefinitions.map((one): Part => ({ name: one.AttributeName, type: one.AttributeType }));
  const isProvisioned =
    (table.BillingModeSummary?.BillingMode ?? 'PROVISIONED') === 'PROVISIONED' && (table.ProvisionedThroughput?.ReadCapacityUnits ?? 0) > 0;
  const units = isProvisioned
    ? {
        ProvisionedThroughput: {
          ReadCapacityUnits: table.ProvisionedThroughput?.ReadCapacityUnits,
          WriteCapacityUnits: table.ProvisionedThroughput?.WriteCapacityUnits,
        },
      }
    : {};
  return {
    TableName: table.TableName,
    AttributeDefinitions: definitions([...known, ...index.partition, ...index.sort]),
    GlobalSecondaryIndexUpdates: [{ Create: { ...indexRequest(index, []), ...units } }],
  };
}

export const dropIndexRequest = (table: string, index: string): Record<string, unknown> => ({
  TableName: table,
  GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: index } }],
});

function copyOf(index: IndexDescription, units: boolean): Record<string, unknown> {
  const { ProvisionedThroughput: told } = index;
  return {
    IndexName: index.IndexName,
    KeySchema: index.KeySchema,
    Projection: index.Projection,
    ...(units && told
      ? { ProvisionedThroughput: { ReadCapacityUnits: told.ReadCapacityUnits, WriteCapacityUnits: told.WriteCapacityUnits } }
      : {}),
  };
}

/** Returns the request that would make a table such as the described one. */
export function requestOf(table: TableDescription): Record<string, unknown> {
  const isOnDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const told = table.ProvisionedThroughput;
  return {
    TableName: table.TableName,
    AttributeDefinitions: table.AttributeDefinitions,
    KeySchema: table.KeySchema,
    ...(table.GlobalSecondaryIndexes?.length
      ? { GlobalSecondaryIndexes: table.GlobalSecondaryIndexes.map((index) => copyOf(index, !isOnDemand)) }
      : {}),
    ...(table.LocalSecondaryIndexes?.length
      ? { LocalSecondaryIndexes: table.LocalSecondaryIndexes.map((index) => copyOf(index, false)) }
      : {}),
    BillingMode: isOnDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    ...(isOnDemand || !told
      ? {}
      : { ProvisionedThroughput: { ReadCapacityUnits: told.ReadCapacityUnits, WriteCapacityUnits: told.WriteCapacityUnits } }),
    ...(table.StreamSpecification?.StreamEnabled
      ? { StreamSpecification: { StreamEnabled: true, StreamViewType: table.StreamSpecification.StreamViewType } }
      : {}),
    ...(table.DeletionProtectionEnabled ? { DeletionProtectionEnabled: true } : {}),
  };
}
