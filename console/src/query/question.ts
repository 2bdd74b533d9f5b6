// What is asked, as the form and the address have it.

import { keyedOf, keyType, type Keyed, type TableDescription } from '../base/tables';
import {
  comparators,
  type FilterOperator,
  filterOperators,
  type FilterRow,
  type KeyOperator,
  keyOperators,
  type KeyRow,
  type Question,
} from '../data/expressions';
import { type TypeName, typeNames } from '../data/values';

/** The question without the definition of the table: it survives a table that changes. */
export interface Draft extends Omit<Question, 'table' | 'partition' | 'sort'> {
  pk: string[];
  sk: { op: KeyOperator; v: string[] }[];
}

export const emptyDraft: Draft = {
  index: null,
  pk: [],
  sk: [],
  filters: [],
  projection: '',
  isDescending: false,
  isConsistent: false,
  isCount: false,
  limit: '',
};

export const emptyFilter: FilterRow = { path: '', operator: '=', type: 'S', values: [''] };

const texts = (read: unknown): string[] => (Array.isArray(read) ? read.filter((one) => typeof one === 'string').slice(0, 200) : []);
const text = (read: unknown): string => (typeof read === 'string' ? read : '');

function filterOf(read: unknown): FilterRow {
  const row = (typeof read === 'object' && read !== null ? read : {}) as Partial<Record<keyof FilterRow, unknown>>;
  return {
    path: text(row.path),
    operator: filterOperators.find((one) => one === row.operator) ?? ('=' satisfies FilterOperator),
    type: typeNames.find((one) => one === row.type) ?? ('S' satisfies TypeName),
    values: texts(row.values),
    comparator: comparators.find((one) => one === row.comparator),
    isOff: row.isOff === true ? true : undefined,
  };
}

/** Reads a draft of an address; what is not understood is left out. */
export function readDraft(json: string | undefined): Draft | null {
  if (json === undefined) return null;
  try {
    const read = JSON.parse(json) as Partial<Record<keyof Draft, unknown>>;
    if (typeof read !== 'object' || read === null) return null;
    const sk = (Array.isArray(read.sk) ? read.sk : []) as { op?: unknown; v?: unknown }[];
    return {
      index: typeof read.index === 'string' ? read.index : null,
      pk: texts(read.pk),
      sk: sk.slice(0, 8).map((one) => ({ op: keyOperators.find((op) => op === one?.op) ?? '=', v: texts(one?.v) })),
      filters: (Array.isArray(read.filters) ? read.filters : []).slice(0, 50).map(filterOf),
      projection: text(read.projection),
      isDescending: read.isDescending === true,
      isConsistent: read.isConsistent === true,
      isCount: read.isCount === true,
      limit: text(read.limit),
    };
  } catch {
    return null;
  }
}

/** Writes a draft for an address, without what is as usual. */
export const writeDraft = (draft: Draft): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(draft).filter(
        ([, value]) => !(value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0)),
      ),
    ),
  );

export const keyedFor = (table: TableDescription, draft: Draft): Keyed | undefined => {
  const all = keyedOf(table);
  return all.find((one) => one.index === draft.index) ?? all[0];
};

/** The operator that a sort key begins with: begins_with for text, else =. */
const usualOperator = (table: TableDescription, keyed: Keyed, nth: number): KeyOperator =>
  nth < keyed.sort.length - 1 || keyType(table, keyed.sort[nth] ?? '') === 'N' ? '=' : 'begins_with';

/** Returns the rows of the key condition that a table or index has. */
export function rowsOf(table: TableDescription, keyed: Keyed, draft: Draft): { partition: KeyRow[]; sort: KeyRow[] } {
  return {
    partition: keyed.partition.map((name, nth) => ({ name, type: keyType(table, name), operator: '=', values: [draft.pk[nth] ?? ''] })),
    sort: keyed.sort.map((name, nth) => ({
      name,
      type: keyType(table, name),
      operator: draft.sk[nth]?.op ?? usualOperator(table, keyed, nth),
      values: draft.sk[nth]?.v ?? [''],
    })),
  };
}

export function questionOf(table: TableDescription, keyed: Keyed, draft: Draft): Question {
  return {
    table: table.TableName,
    index: keyed.index,
    ...rowsOf(table, keyed, draft),
    filters: draft.filters,
    projection: draft.projection,
    isDescending: draft.isDescending,
    isConsistent: draft.isConsistent && (keyed.index === null || keyed.isLocal),
    isCount: draft.isCount,
    limit: draft.limit,
  };
}
