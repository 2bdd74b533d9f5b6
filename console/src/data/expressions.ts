// Requests made of what the form has: key conditions, filters and projections with placeholders, and the same in words.

import { record, type Record_ } from './record';
import { type AttributeValue, fromTyped, TypedFault, type TypeName } from './values';

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type KeyOperator = '=' | '<' | '<=' | '>' | '>=' | 'BETWEEN' | 'begins_with';
export type FilterOperator =
  | Comparator
  | 'BETWEEN'
  | 'IN'
  | 'begins_with'
  | 'contains'
  | 'not contains'
  | 'attribute_exists'
  | 'attribute_not_exists'
  | 'attribute_type'
  | 'size';

export const keyOperators: KeyOperator[] = ['=', '<', '<=', '>', '>=', 'BETWEEN', 'begins_with'];
export const filterOperators: FilterOperator[] = [
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'BETWEEN',
  'IN',
  'begins_with',
  'contains',
  'not contains',
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'size',
];
export const comparators: Comparator[] = ['=', '<>', '<', '<=', '>', '>='];

/** A condition on one attribute of a key, by a value of its type. */
export interface KeyRow {
  name: string;
  type: 'S' | 'N' | 'B';
  operator: KeyOperator;
  values: string[];
}

/** A row of the filter. */
export interface FilterRow {
  path: string;
  operator: FilterOperator;
  type: TypeName;
  values: string[];
  /** How the size is compared. */
  comparator?: Comparator;
  isOff?: boolean;
}

/** What the form asks. */
export interface Question {
  table: string;
  index: string | null;
  partition: KeyRow[];
  sort: KeyRow[];
  filters: FilterRow[];
  projection: string;
  isDescending: boolean;
  isConsistent: boolean;
  isCount: boolean;
  limit: string;
}

export interface Asked {
  operation: 'Query' | 'Scan';
  request: Record<string, unknown>;
  /** Rows that are not complete and are left out, in words. */
  leftOut: string[];
}

/** Writes the name of an attribute as a path: in double quotes where it has signs of paths. */
export const pathOf = (name: string): string =>
  /^[^.[\]",]+$/.test(name) && name.trim() === name ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;

export type Step = { name: string } | { nth: number };

/** Reads a document path: address.city, lines[0].sku, "a.b".c. */
export function parsePath(text: string): Step[] {
  const typed = text.trim();
  if (typed === '') throw new TypedFault('The name of an attribute is missing');
  const steps: Step[] = [];
  const part = /"((?:[^"\\]|\\.)*)"|([^.[\]"]+)|\[(\d+)\]|(\.)/gy;
  let isNameDue = true;
  for (let at = 0; at < typed.length; at = part.lastIndex) {
    part.lastIndex = at;
    const found = part.exec(typed);
    if (found === null) throw new TypedFault(`${typed} is no path: write address.city, lines[0] or "a.b"`);
    const [, quoted, name, nth, dot] = found;
    const isName = quoted !== undefined || name !== undefined;
    if (isName !== isNameDue) throw new TypedFault(`${typed} is no path: write address.city, lines[0] or "a.b"`);
    if (quoted !== undefined) steps.push({ name: quoted.replace(/\\(.)/g, '$1') });
    else if (name !== undefined) steps.push({ name });
    else if (nth !== undefined) steps.push({ nth: Number(nth) });
    isNameDue = dot !== undefined;
  }
  if (isNameDue) throw new TypedFault(`${typed} ends too early`);
  return steps;
}

/** Placeholders of names and values, each once. */
export class Placeholders {
  readonly names = record<string>();
  readonly values: Record_<AttributeValue> = record<AttributeValue>();
  private readonly byName = new Map<string, string>();

  name(name: string): string {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    const holder = this.free('#', name, this.names);
    this.byName.set(name, holder);
    this.names[holder] = name;
    return holder;
  }

  path(steps: Step[]): string {
    return steps.map((step, nth) => ('nth' in step ? `[${step.nth}]` : `${nth > 0 ? '.' : ''}${this.name(step.name)}`)).join('');
  }

  value(hint: string, value: AttributeValue): string {
    const holder = this.free(':', hint, this.values);
    this.values[holder] = value;
    return holder;
  }

  private free(sign: string, hint: string, taken: object): string {
    const word = /^[A-Za-z][A-Za-z0-9_]{0,30}$/.test(hint) ? hint : 'a';
    for (let nth = 1; ; nth += 1) {
      const holder = `${sign}${word}${nth === 1 && word !== 'a' ? '' : `${word === 'a' ? '' : '_'}${nth}`}`;
      if (!Object.hasOwn(taken, holder)) return holder;
    }
  }

  /** Adds what is used to a request. */
  into(request: Record<string, unknown>): void {
    if (Object.keys(this.names).length > 0) request['ExpressionAttributeNames'] = this.names;
    if (Object.keys(this.values).length > 0) request['ExpressionAttributeValues'] = this.values;
  }
}

const lastName = (steps: Step[]): string => {
  for (const step of [...steps].reverse()) if ('name' in step) return step.name;
  return 'v';
};

function keyCondition(row: KeyRow, holders: Placeholders): string {
  const name = holders.name(row.name);
  const value = (nth: number): string => holders.value(row.name, fromTyped(row.type, row.values[nth] ?? ''));
  if (row.operator === 'BETWEEN') return `${name} BETWEEN ${value(0)} AND ${value(1)}`;
  if (row.operator === 'begins_with') return `begins_with(${name}, ${value(0)})`;
  return `${name} ${row.operator} ${value(0)}`;
}

/** Whether a row of a key has what its operator needs. An empty text is no key. */
export const isComplete = (row: KeyRow): boolean =>
  (row.values[0] ?? '') !== '' && (row.operator !== 'BETWEEN' || (row.values[1] ?? '') !== '');

const needsNoValue = (operator: FilterOperator): boolean => operator === 'attribute_exists' || operator === 'attribute_not_exists';

function filterCondition(row: FilterRow, holders: Placeholders): string {
  const steps = parsePath(row.path);
  const path = holders.path(steps);
  const hint = lastName(steps);
  const value = (nth: number, type: TypeName = row.type): string => holders.value(hint, fromTyped(type, row.values[nth] ?? ''));
  switch (row.operator) {
    case 'attribute_exists':
    case 'attribute_not_exists':
      return `${row.operator}(${path})`;
    case 'begins_with':
    case 'contains':
      return `${row.operator}(${path}, ${value(0)})`;
    case 'not contains':
      return `NOT contains(${path}, ${value(0)})`;
    case 'attribute_type':
      return `attribute_type(${path}, ${value(0, 'S')})`;
    case 'size':
      return `size(${path}) ${row.comparator ?? '='} ${value(0, 'N')}`;
    case 'BETWEEN':
      return `${path} BETWEEN ${value(0)} AND ${value(1)}`;
    case 'IN':
      return `${path} IN (${row.values.map((_, nth) => value(nth)).join(', ')})`;
    default:
      return `${path} ${row.operator} ${value(0)}`;
  }
}

/** What a row of the filter lacks, or null. */
export function filterFault(row: FilterRow): string | null {
  try {
    if (row.operator === 'IN' && row.values.length === 0) return 'IN needs at least one value';
    if (row.type === 'N' && !needsNoValue(row.operator) && row.operator !== 'attribute_type' && (row.values[0] ?? '') === '')
      return 'A number is missing';
    filterCondition(row, new Placeholders());
    return null;
  } catch (error) {
    if (error instanceof TypedFault) return error.message;
    throw error;
  }
}

const isUsed = (row: FilterRow): boolean => !row.isOff && row.path.trim() !== '';

/** Splits a projection at its commas, but for those in double quotes. */
export const splitPaths = (text: string): string[] =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map((one) => one.trim()).filter(Boolean);

/** Returns the sort key rows that take part: leading ones with =, and the first that has another operator. */
export function usedSort(rows: KeyRow[]): KeyRow[] {
  const used: KeyRow[] = [];
  for (const row of rows) {
    if (!isComplete(row)) break;
    used.push(row);
    if (row.operator !== '=') break;
  }
  return used;
}

/** Makes the request of a question. Throws a TypedFault where something typed is wrong. */
export function ask(question: Question): Asked {
  const holders = new Placeholders();
  const isQuery = question.partition.length > 0 && question.partition.every(isComplete);
  const request: Record<string, unknown> = { TableName: question.table };
  if (question.index !== null) request['IndexName'] = question.index;
  const leftOut: string[] = [];
  if (isQuery) {
    const sort = usedSort(question.sort);
    for (const row of question.sort.slice(sort.length).filter(isComplete))
      leftOut.push(`${row.name}: the sort key attributes before it need =`);
    request['KeyConditionExpression'] = [...question.partition, ...sort].map((row) => keyCondition(row, holders)).join(' AND ');
    if (question.isDescending) request['ScanIndexForward'] = false;
  } else {
    for (const row of [...question.partition, ...question.sort].filter(isComplete))
      leftOut.push(`${row.name}: without the whole partition key there is no range to read`);
  }
  const filters = question.filters.filter(isUsed).map((row) => filterCondition(row, holders));
  if (filters.length > 0) request['FilterExpression'] = filters.join(' AND ');
  const paths = splitPaths(question.projection);
  if (question.isCount) request['Select'] = 'COUNT';
  else if (paths.length > 0) request['ProjectionExpression'] = paths.map((path) => holders.path(parsePath(path))).join(', ');
  if (question.isConsistent) request['ConsistentRead'] = true;
  const limit = question.limit.trim();
  if (limit !== '') request['Limit'] = limitOf(limit);
  holders.into(request);
  return { operation: isQuery ? 'Query' : 'Scan', request, leftOut };
}

function limitOf(text: string): number {
  const n = Number(text);
  if (!/^\d+$/.test(text) || n < 1 || n > 2_147_483_647) throw new TypedFault('A limit is a whole number from 1');
  return n;
}

/** Writes a value as it stands in conditions of the shell: 'text', 12, true. */
export function literal(value: AttributeValue): string {
  if ('S' in value) return `'${value.S.replace(/'/g, "''")}'`;
  if ('N' in value) return value.N;
  if ('BOOL' in value) return String(value.BOOL);
  if ('NULL' in value) return 'null';
  return JSON.stringify(value);
}

/** Writes an expression with its names and values in the place of placeholders, for people and for the shell. */
export function inlined(
  expression: string,
  names: Record_<string>,
  values: Record_<AttributeValue>,
  word: (name: string) => string = (name) => name,
): string {
  return expression.replace(/[#:][A-Za-z0-9_]+/g, (holder) => {
    if (holder.startsWith('#')) return Object.hasOwn(names, holder) ? word(names[holder] as string) : holder;
    return Object.hasOwn(values, holder) ? literal(values[holder] as AttributeValue) : holder;
  });
}

export interface Change {
  name: string;
  /** The value that was read; absent where the attribute is new. */
  before?: AttributeValue;
  /** The value to write; absent to remove it. */
  after?: AttributeValue;
}

/** Makes the update of some attributes of an item, on the condition that they are as they were read. */
export function updateOf(table: string, key: Record_<AttributeValue>, changes: Change[]): Record<string, unknown> {
  const holders = new Placeholders();
  const set: string[] = [];
  const remove: string[] = [];
  const conditions: string[] = [];
  for (const { name, before, after } of changes) {
    const path = holders.name(name);
    if (after === undefined) remove.push(path);
    else set.push(`${path} = ${holders.value(name, after)}`);
    conditions.push(before === undefined ? `attribute_not_exists(${path})` : `${path} = ${holders.value(`old_${name}`, before)}`);
  }
  // An item that is gone must not be made anew by an update.
  const [keyName] = Object.keys(key);
  if (keyName !== undefined && changes.every((change) => change.before === undefined))
    conditions.push(`attribute_exists(${holders.name(keyName)})`);
  const parts = [set.length > 0 ? `SET ${set.join(', ')}` : '', remove.length > 0 ? `REMOVE ${remove.join(', ')}` : ''];
  const request: Record<string, unknown> = {
    TableName: table,
    Key: key,
    UpdateExpression: parts.filter(Boolean).join(' '),
    ConditionExpression: conditions.join(' AND '),
  };
  holders.into(request);
  return request;
}
