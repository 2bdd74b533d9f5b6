// PartiQL: what completes a statement, samples to begin with, and the table that a statement names.

import { keyedOf, keyNames, keyType, type TableDescription } from '../base/tables';
import type { Completion } from '../parts/Editor';

const plain = /^[A-Za-z_][A-Za-z0-9_]*$/;
const reserved =
  /^(select|from|where|and|or|not|in|is|by|order|set|value|values|size|date|time|count|index|key|user|name|type|table|update|insert|delete|exists|between|like|limit|year|month|day)$/i;

/** A name as a statement writes it: in double quotes where it is no plain word. */
export const named = (name: string): string => (plain.test(name) && !reserved.test(name) ? name : `"${name.replace(/"/g, '""')}"`);

const quoted = (name: string): string => `"${name.replace(/"/g, '""')}"`;

/** Returns the table, and the index, that a statement names first. */
export function sourceOf(statement: string): { table: string; index: string | null } | null {
  const found = /\b(?:from|into|update)\s+(?:"((?:[^"]|"")+)"|([\w.-]+?))(?:\s*\.\s*(?:"((?:[^"]|"")+)"|([\w-]+)))?(?=[\s;(]|$)/i.exec(
    statement,
  );
  if (found === null) return null;
  const [, quotedTable, plainTable, quotedIndex, plainIndex] = found;
  return { table: (quotedTable ?? plainTable ?? '').replace(/""/g, '"'), index: (quotedIndex ?? plainIndex)?.replace(/""/g, '"') ?? null };
}

const keywords = [
  'SELECT',
  'FROM',
  'WHERE',
  'AND',
  'OR',
  'NOT',
  'IN',
  'BETWEEN',
  'IS MISSING',
  'IS NOT MISSING',
  'IS NULL',
  'ORDER BY',
  'ASC',
  'DESC',
  'INSERT INTO',
  'VALUE',
  'UPDATE',
  'SET',
  'REMOVE',
  'DELETE FROM',
  'RETURNING ALL OLD *',
  'RETURNING ALL NEW *',
  'RETURNING MODIFIED NEW *',
  'EXPLAIN',
  'EXPLAIN ANALYZE',
];

const functions: Completion[] = [
  { label: 'begins_with', apply: 'begins_with(', detail: 'text begins with' },
  { label: 'contains', apply: 'contains(', detail: 'text or set contains' },
  { label: 'attribute_type', apply: 'attribute_type(', detail: 'type of an attribute' },
  { label: 'size', apply: 'size(', detail: 'length of a value' },
  { label: 'EXISTS', apply: 'EXISTS(', detail: 'in transactions' },
  { label: 'list_append', apply: 'list_append(', detail: 'in SET' },
  { label: 'set_add', apply: 'set_add(', detail: 'in SET' },
  { label: 'set_delete', apply: 'set_delete(', detail: 'in SET' },
];

export interface Known {
  tables: string[];
  describe: (table: string) => TableDescription | undefined;
  attributes: string[];
}

/** Returns what may stand behind `before`. */
export function complete(before: string, text: string, known: Known): Completion[] {
  const ofIndex = /(?:"((?:[^"]|"")+)"|([\w-]+))\.$/.exec(before);
  if (ofIndex) {
    const table = known.describe((ofIndex[1] ?? ofIndex[2] ?? '').replace(/""/g, '"'));
    if (table)
      return keyedOf(table).flatMap((one) =>
        one.index === null ? [] : [{ label: quoted(one.index), detail: [...one.partition, ...one.sort].join(', ') }],
      );
  }
  if (/\b(from|into|update)\s+$/i.test(before)) {
    return known.tables
      .slice(0, 1000)
      .flatMap((name) => [
        { label: quoted(name), detail: 'table', boost: 1 },
        ...keyedOf(known.describe(name) ?? { TableName: name, KeySchema: [], AttributeDefinitions: [] }).flatMap((one) =>
          one.index === null ? [] : [{ label: `${quoted(name)}.${quoted(one.index)}`, detail: 'index' }],
        ),
      ]);
  }
  const source = sourceOf(text);
  const table = source ? known.describe(source.table) : undefined;
  const keys = table ? [...new Set(keyedOf(table).flatMap((one) => [...one.partition, ...one.sort]))] : [];
  const attributes = [...new Set([...keys, ...known.attributes])].slice(0, 500);
  return [
    ...attributes.map((name) => ({
      label: named(name),
      detail: keys.includes(name) ? 'key' : 'attribute',
      boost: keys.includes(name) ? 3 : 2,
    })),
    ...keywords.map((word) => ({ label: word })),
    ...functions,
  ];
}

const sampleValue = (type: 'S' | 'N' | 'B'): string => (type === 'N' ? '1' : "'...'");

export interface Sample {
  title: string;
  statement: string;
}

/** Returns statements to begin with, for a table. */
export function samplesOf(table: TableDescription): Sample[] {
  const name = quoted(table.TableName);
  const keys = keyNames(table);
  const conditions = keys.map((key) => `${named(key)} = ${sampleValue(keyType(table, key))}`);
  const key = conditions.join(' AND ');
  const [partition = ''] = conditions;
  const [, sort] = keys;
  const members = keys.map((one) => `'${one.replace(/'/g, "''")}': ${sampleValue(keyType(table, one))}`).join(', ');
  const index = keyedOf(table).find((one) => one.index !== null);
  const ofIndex = index
    ? `SELECT *\nFROM ${name}.${quoted(index.index ?? '')}\nWHERE ${index.partition.map((one) => `${named(one)} = ${sampleValue(keyType(table, one))}`).join(' AND ')}`
    : null;
  return [
    { title: 'Items of one partition', statement: `SELECT *\nFROM ${name}\nWHERE ${partition}` },
    ...(sort && keyType(table, sort) === 'S'
      ? [{ title: 'A range of sort keys', statement: `SELECT *\nFROM ${name}\nWHERE ${partition} AND begins_with(${named(sort)}, '...')` }]
      : []),
    ...(sort
      ? [{ title: 'Last sort keys first', statement: `SELECT *\nFROM ${name}\nWHERE ${partition}\nORDER BY ${named(sort)} DESC` }]
      : []),
    ...(ofIndex ? [{ title: `By the index ${index?.index}`, statement: ofIndex }] : []),
    { title: 'All items (a Scan)', statement: `SELECT *\nFROM ${name}` },
    { title: 'Insert an item', statement: `INSERT INTO ${name}\nVALUE {${members}}` },
    { title: 'Update an item', statement: `UPDATE ${name}\nSET note = '...'\nWHERE ${key}\nRETURNING ALL NEW *` },
    { title: 'Delete an item', statement: `DELETE FROM ${name}\nWHERE ${key}\nRETURNING ALL OLD *` },
  ];
}

export const isRead = (statement: string): boolean => /^\s*(select|explain(?!\s+analyze))\b/i.test(statement);
