// Rows of a file: CSV, TSV, JSON Lines or a JSON array. Cells of CSV are text whose type is chosen by column; JSON has
// its types.

import { delimiterOf, readCsv } from '../data/csv';
import { isObject, type Json, parseJson, writeJson } from '../data/json';
import { at, record } from '../data/record';
import {
  type AttributeValue,
  fromTyped,
  type Item,
  itemOfPlain,
  itemOfTyped,
  looksTyped,
  TypedFault,
  typeOf,
  type TypeName,
  valueOfPlain,
} from '../data/values';

/** What a column of CSV becomes. */
export type ColumnType = 'S' | 'N' | 'BOOL' | 'JSON' | 'skip';

export interface Column {
  name: string;
  type: ColumnType;
  /** Why the type was chosen, where that is not plain. */
  why?: string;
}

export interface Rows {
  kind: 'cells' | 'items';
  columns: Column[];
  count: number;
  cells: string[][];
  items: Item[];
}

export class FileFault extends Error {}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Returns what the numbers of a column would lose, or null where they would not be numbers at all. */
function numbersOf(values: string[]): { isNumber: boolean; why?: string } {
  let hasLost = false;
  const decimals = new Set<number>();
  for (const value of values) {
    if (!numberText.test(value)) {
      if (/^-?0\d/.test(value) && /^[-\d.]+$/.test(value)) return { isNumber: false, why: 'text: numbers would lose leading zeros' };
      return { isNumber: false };
    }
    if (value.replace(/^-?0?\.?0*|\./g, '').length > 38) return { isNumber: false, why: 'text: a number has at most 38 digits' };
    if (value === '-0') return { isNumber: false, why: 'text: -0 would become 0' };
    const part = value.split('.')[1];
    if (part !== undefined) decimals.add(part.length);
    if (part?.endsWith('0')) hasLost = true;
  }
  // Prices have the same number of digits behind the point everywhere; versions such as 1.9 and 1.10 have not.
  if (hasLost && decimals.size > 1) return { isNumber: false, why: 'text: numbers would lose zeros at the end' };
  return { isNumber: true, why: hasLost ? 'number: zeros at the end go' : undefined };
}

export function guessType(values: string[]): { type: ColumnType; why?: string } {
  const filled = values.filter((value) => value !== '');
  if (filled.length === 0) return { type: 'S', why: 'no values' };
  if (filled.every((value) => value === 'true' || value === 'false')) return { type: 'BOOL' };
  const { isNumber, why } = numbersOf(filled);
  return isNumber ? { type: 'N', why } : { type: 'S', why };
}

/** Names columns: empty names and those that are there already get a number. */
function names(header: string[]): string[] {
  const taken = new Set<string>();
  return header.map((cell, nth) => {
    const wanted = cell.trim() || `column${nth + 1}`;
    let name = wanted;
    for (let more = 2; taken.has(name); more += 1) name = `${wanted}_${more}`;
    taken.add(name);
    return name;
  });
}

const guessed = 20_000;

export function rowsOfCsv(text: string, delimiter = delimiterOf(text)): Rows {
  const [header, ...cells] = readCsv(text, delimiter);
  if (header === undefined || cells.length === 0) throw new FileFault('The file has no rows below its first line.');
  const columns = names(header).map((name, nth): Column => ({ name, ...guessType(cells.slice(0, guessed).map((row) => row[nth] ?? '')) }));
  return { kind: 'cells', columns, count: cells.length, cells, items: [] };
}

function itemOf(json: Json, place: string): Item {
  if (!isObject(json)) throw new FileFault(`${place} is no object: ${writeJson(json).slice(0, 60)}`);
  const inner = at(json, 'Item');
  if (Object.keys(json).length === 1 && isObject(inner) && looksTyped(inner)) return itemOfTyped(inner);
  try {
    return looksTyped(json) ? itemOfTyped(json) : itemOfPlain(json);
  } catch (error) {
    if (error instanceof TypedFault) throw new FileFault(`${place}: ${error.message}`);
    throw error;
  }
}

function rowsOfItems(items: Item[]): Rows {
  if (items.length === 0) throw new FileFault('The file has no items.');
  const types = new Map<string, Set<TypeName>>();
  for (const item of items)
    for (const [name, value] of Object.entries(item)) types.set(name, (types.get(name) ?? new Set()).add(typeOf(value)));
  const columns = [...types].map(([name, of]): Column => ({
    name,
    type: of.size === 1 && of.has('N') ? 'N' : 'S',
    why: [...of].join(', '),
  }));
  return { kind: 'items', columns, count: items.length, cells: [], items };
}

export function rowsOfLines(text: string): Rows {
  const items: Item[] = [];
  text.split('\n').forEach((line, nth) => {
    if (line.trim() === '') return;
    try {
      items.push(itemOf(parseJson(line), `Line ${nth + 1}`));
    } catch (error) {
      throw error instanceof FileFault ? error : new FileFault(`Line ${nth + 1} is no JSON: ${(error as Error).message}`);
    }
  });
  return rowsOfItems(items);
}

export type Read = { rows: Rows } | { model: string };

/** Reads a file by its name and its beginning: rows, or a definition of tables that the server reads. */
export function readFile(name: string, text: string): Read {
  if (/\.(tf|ya?ml|template)$/i.test(name)) return { model: text };
  const start = text.slice(0, 2000).trimStart();
  if (/\.(jsonl|ndjson|ddb)$/i.test(name)) return { rows: rowsOfLines(text) };
  if (!/\.(csv|tsv|txt)$/i.test(name) && (start.startsWith('{') || start.startsWith('['))) return readJsonFile(text);
  return { rows: rowsOfCsv(text, /\.tsv$/i.test(name) ? '\t' : undefined) };
}

function readJsonFile(text: string): Read {
  let read: Json;
  try {
    read = parseJson(text);
  } catch (error) {
    if (/^\s*\{.*\}\s*\n\s*\{/.test(text.slice(0, 1_000_000))) return { rows: rowsOfLines(text) };
    throw new FileFault(`The file is no JSON: ${(error as Error).message}`);
  }
  if (Array.isArray(read)) return { rows: rowsOfItems(read.map((one, nth) => itemOf(one, `Item ${nth + 1}`))) };
  if (!isObject(read)) throw new FileFault('The file has neither items nor tables.');
  const list = at(read, 'Items');
  if (Array.isArray(list)) return { rows: rowsOfItems(list.map((one, nth) => itemOf(one, `Item ${nth + 1}`))) };
  const isModel = ['ModelName', 'DataModel', 'Resources', 'KeySchema', 'Table', 'Tables', 'TableName', 'AWSTemplateFormatVersion'].some(
    (one) => at(read as { [name: string]: Json }, one) !== undefined,
  );
  return isModel ? { model: text } : { rows: rowsOfItems([itemOf(read, 'The object')]) };
}

function valueOf(type: ColumnType, text: string): AttributeValue | undefined {
  if (text === '' || type === 'skip') return undefined;
  if (type === 'S') return { S: text };
  if (type === 'JSON') return valueOfPlain(parseJson(text));
  return fromTyped(type, text.trim());
}

/** Returns a row as an item. Empty cells are absent attributes. Throws where a cell does not fit its column. */
export function itemAt(rows: Rows, nth: number): Item {
  const skipped = rows.columns.filter((column) => column.type === 'skip').map((column) => column.name);
  if (rows.kind === 'items') {
    const item = rows.items[nth] ?? record<AttributeValue>();
    return skipped.length === 0 ? item : record(Object.entries(item).filter(([name]) => !skipped.includes(name)));
  }
  const cells = rows.cells[nth] ?? [];
  const made = record<AttributeValue>();
  rows.columns.forEach((column, at_) => {
    try {
      const value = valueOf(column.type, cells[at_] ?? '');
      if (value !== undefined) made[column.name] = value;
    } catch (error) {
      throw new TypedFault(`${column.name}: ${(error as Error).message}`);
    }
  });
  return made;
}

/** Returns the text of one member of a row, for keys, without making the item. */
export function textAt(rows: Rows, nth: number, name: string): string {
  if (rows.kind === 'cells') return rows.cells[nth]?.[rows.columns.findIndex((column) => column.name === name)] ?? '';
  const value = at(rows.items[nth], name);
  return value === undefined || !('S' in value || 'N' in value || 'B' in value) ? '' : String(Object.values(value)[0]);
}
