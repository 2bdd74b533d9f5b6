// Requests changed as advice says: conditions moved from a filter into a key, an index read instead, a prefix closed.
// Pure. What cannot be changed with certainty gives nothing, and the advice stands as text.

import { endsOf } from '../../ruler/range';
import { readTests, readValue, type KeyTest } from '../../ruler/literals';
import type { KeyValue } from '../../ruler/keys';
import type { Keyed, TableDescription } from '../../base/tables';
import { keyedOf } from '../../base/tables';
import type { Asked } from './explanation';
import type { Advice, Explained, PatternTest } from '../../data/explained';

/** One condition of a conjunction; `attribute` and `operator` if it is a plain comparison. */
export interface Conjunct {
  text: string;
  attribute?: string;
  operator?: '=' | 'range';
  /** Names and placeholders that it uses. */
  tokens: string[];
}

const TOKEN = /\s+|[:#]?[A-Za-z_][\w]*|<>|<=|>=|[=<>(),.[\]]|\d+|./gy;

function tokensOf(expression: string): string[] {
  return [...expression.matchAll(TOKEN)].map((found) => found[0]).filter((one) => one.trim() !== '');
}

/** Returns the conditions that all have to hold; none if they are not a plain conjunction. */
export function conjuncts(expression: unknown, names: Record<string, string>): Conjunct[] | undefined {
  if (expression === undefined) return [];
  if (typeof expression !== 'string' || expression.length > 4096) return undefined;
  const found: string[][] = [[]];
  let [depth, isBetween] = [0, false];
  for (const token of tokensOf(expression)) {
    const word = token.toUpperCase();
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth === 0 && (word === 'OR' || word === 'NOT')) return undefined;
    if (depth === 0 && word === 'BETWEEN') isBetween = true;
    if (depth === 0 && word === 'AND' && !isBetween) {
      found.push([]);
      continue;
    }
    if (word === 'AND') isBetween = false;
    found.at(-1)!.push(token);
  }
  if (depth !== 0 || found.some((one) => one.length === 0)) return undefined;
  return found.map((tokens) => conjunctOf(tokens, names));
}

function conjunctOf(tokens: string[], names: Record<string, string>): Conjunct {
  const text = spaced(tokens);
  const [first, second, third, fourth, fifth, sixth] = tokens;
  const name = (token: string | undefined) => (token?.startsWith('#') ? (Object.hasOwn(names, token) ? names[token] : undefined) : /^[A-Za-z_]\w*$/.test(token ?? '') ? token : undefined);
  const isValue = (token: string | undefined) => token?.startsWith(':') ?? false;
  const plain = name(first);
  if (tokens.length === 3 && plain && isValue(third) && ['=', '<', '<=', '>', '>='].includes(second!)) return { text, tokens, attribute: plain, operator: second === '=' ? '=' : 'range' };
  if (tokens.length === 5 && plain && second!.toUpperCase() === 'BETWEEN' && isValue(third) && isValue(fifth)) return { text, tokens, attribute: plain, operator: 'range' };
  const prefixed = name(third);
  if (tokens.length === 6 && first === 'begins_with' && second === '(' && prefixed && fourth === ',' && isValue(fifth) && sixth === ')') return { text, tokens, attribute: prefixed, operator: 'range' };
  return { text, tokens };
}

function spaced(tokens: string[]): string {
  let text = '';
  for (const token of tokens) {
    const isTight = text === '' || text.endsWith('(') || text.endsWith('.') || text.endsWith('[') || [')', ',', '.', '[', ']'].includes(token) || (token === '(' && /\w$/.test(text) && !/\b(AND|OR|NOT|IN)$/i.test(text));
    text += isTight ? token : ` ${token}`;
  }
  return text;
}

type Request = Record<string, unknown>;

export function namesOf(request: Request): Record<string, string> {
  const names = request['ExpressionAttributeNames'];
  return typeof names === 'object' && names !== null ? (names as Record<string, string>) : {};
}

export function allConjuncts(request: Request): Conjunct[] | undefined {
  const names = namesOf(request);
  const keys = conjuncts(request['KeyConditionExpression'], names);
  const filter = conjuncts(request['FilterExpression'], names);
  return keys && filter ? [...keys, ...filter] : undefined;
}

/** Returns the Query that answers a request by a key: what the key takes becomes its condition, the rest the filter. */
export function byKey(asked: Asked, keyed: Pick<Keyed, 'index' | 'partition' | 'sort'>): Asked | undefined {
  if (asked.operation !== 'Query' && asked.operation !== 'Scan') return undefined;
  const all = allConjuncts(asked.request);
  if (!all) return undefined;
  const equal = (name: string) => all.find((one) => one.attribute === name && one.operator === '=');
  const taken: Conjunct[] = [];
  for (const name of keyed.partition) {
    const found = equal(name);
    if (!found) return undefined;
    taken.push(found);
  }
  for (const name of keyed.sort) {
    const found = equal(name) ?? all.find((one) => one.attribute === name && one.operator === 'range');
    if (!found) break;
    taken.push(found);
    if (found.operator === 'range') break;
  }
  const rest = all.filter((one) => !taken.includes(one));
  const keys = [...keyed.partition, ...keyed.sort];
  // A filter may not test key attributes.
  const names = namesOf(asked.request);
  if (rest.some((one) => one.tokens.some((token) => keys.includes(Object.hasOwn(names, token) ? names[token]! : token)))) return undefined;
  return { operation: 'Query', request: changed(asked.request, { IndexName: keyed.index ?? undefined, KeyConditionExpression: joined(taken), FilterExpression: joined(rest), Segment: undefined, TotalSegments: undefined, ExclusiveStartKey: undefined, ScanIndexForward: asked.request['ScanIndexForward'] }) };
}

function joined(of: Conjunct[]): string | undefined {
  return of.length === 0 ? undefined : of.map((one) => one.text).join(' AND ');
}

/** Returns a request with other members; names and values that nothing uses any more are left out, as the service wants it. */
export function changed(request: Request, members: Request): Request {
  const next: Request = Object.fromEntries(Object.entries({ ...request, ...members }).filter(([, value]) => value !== undefined));
  const text = ['KeyConditionExpression', 'FilterExpression', 'ProjectionExpression', 'ConditionExpression', 'UpdateExpression'].map((name) => next[name]).join(' ');
  const used = new Set(tokensOf(text));
  for (const member of ['ExpressionAttributeNames', 'ExpressionAttributeValues']) {
    const all = next[member];
    if (typeof all !== 'object' || all === null) continue;
    const kept = Object.entries(all).filter(([name]) => used.has(name));
    if (kept.length > 0) next[member] = Object.fromEntries(kept);
    else delete next[member];
  }
  return next;
}

/** Returns the request with another condition on a sort key attribute. */
export function withTest(asked: Asked, test: KeyTest): Asked | undefined {
  const names = namesOf(asked.request);
  const keys = conjuncts(asked.request['KeyConditionExpression'], names);
  if (asked.operation !== 'Query' || !keys || keys.length === 0) return undefined;
  const name = fresh('#k', Object.keys(names));
  const values = (asked.request['ExpressionAttributeValues'] ?? {}) as Record<string, unknown>;
  const placeholders: string[] = [];
  for (const _ of test.values) placeholders.push(fresh(':k', [...Object.keys(values), ...placeholders]));
  const [first, second] = placeholders;
  const text = test.operator === 'begins_with' ? `begins_with(${name}, ${first})` : test.operator === 'BETWEEN' ? `${name} BETWEEN ${first} AND ${second}` : `${name} ${test.operator} ${first}`;
  const kept = keys.filter((one) => one.attribute !== test.attribute);
  const added = Object.fromEntries(test.values.map((value, nth) => [placeholders[nth]!, value]));
  const request = { ...asked.request, ExpressionAttributeNames: { ...names, [name]: test.attribute }, ExpressionAttributeValues: { ...values, ...added } };
  return { operation: 'Query', request: changed(request, { KeyConditionExpression: [...kept.map((one) => one.text), text].join(' AND '), ExclusiveStartKey: undefined }) };
}

/** Returns the request without conditions on a sort key attribute. */
export function withoutTest(asked: Asked, attribute: string): Asked | undefined {
  const keys = conjuncts(asked.request['KeyConditionExpression'], namesOf(asked.request));
  const kept = keys?.filter((one) => one.attribute !== attribute);
  if (asked.operation !== 'Query' || !kept || kept.length === 0) return undefined;
  return { operation: 'Query', request: changed(asked.request, { KeyConditionExpression: joined(kept), ExclusiveStartKey: undefined }) };
}

function fresh(beginning: string, taken: string[]): string {
  let nth = 0;
  while (taken.includes(`${beginning}${nth}`)) nth++;
  return `${beginning}${nth}`;
}

export interface Change {
  title: string;
  asked: Asked;
}

/** Returns the request that a piece of advice names, if the page can write it. */
export function advised(asked: Asked, advice: Advice, table: TableDescription | null, sortAttribute: string | undefined): Change | undefined {
  switch (advice.Kind) {
    case 'ConsistentRead':
      return { title: 'Ask without ConsistentRead', asked: { ...asked, request: changed(asked.request, { ConsistentRead: undefined }) } };
    case 'OpenPrefix':
    case 'OpenRange':
    case 'UpperEnd':
    case 'VersionPointer':
      return withCondition(asked, advice, sortAttribute);
    case 'FilterWaste':
    case 'IndexFits':
    case 'NarrowIndex':
    case 'SparseIndex':
      return table ? throughIndex(asked, advice, table) : undefined;
    default:
      return undefined;
  }
}

/** The remedy ends with a condition, or with the value of one. */
function withCondition(asked: Asked, advice: Advice, sortAttribute: string | undefined): Change | undefined {
  const said = advice.Remedy.slice(advice.Remedy.indexOf(': ') + 2);
  const [test, more] = readTests(said) ?? [];
  if (test && !more) return changeBy(asked, test);
  const value = readValue(said);
  if (value && advice.Kind === 'OpenPrefix' && sortAttribute !== undefined) return changeBy(asked, { attribute: sortAttribute, operator: 'begins_with', values: [value] });
  const upper = readValue(/^end the range with (.*)$/.exec(advice.Remedy)?.[1]);
  const lower = sortAttribute === undefined ? undefined : lowerOf(asked, sortAttribute);
  return upper && lower && sortAttribute !== undefined ? changeBy(asked, { attribute: sortAttribute, operator: 'BETWEEN', values: [lower, upper] }) : undefined;
}

function lowerOf(asked: Asked, attribute: string): KeyValue | undefined {
  const keys = conjuncts(asked.request['KeyConditionExpression'], namesOf(asked.request)) ?? [];
  const of = keys.filter((one) => one.attribute === attribute);
  const values = (asked.request['ExpressionAttributeValues'] ?? {}) as Record<string, KeyValue>;
  const first = of[0]?.tokens.find((token) => token.startsWith(':'));
  const isLower = of[0]?.tokens.some((token) => ['>', '>=', 'begins_with'].includes(token) || token.toUpperCase() === 'BETWEEN');
  const value = first !== undefined && Object.hasOwn(values, first) ? values[first] : undefined;
  return isLower && value ? endsOf({ operator: '>=', values: [value] }).lower?.key : undefined;
}

function changeBy(asked: Asked, test: KeyTest): Change | undefined {
  const next = withTest(asked, test);
  return next && { title: 'Ask that instead', asked: next };
}

/** The remedy names an index, or the table, whose key has what the filter tests. */
function throughIndex(asked: Asked, advice: Advice, table: TableDescription): Change | undefined {
  const words = `${advice.Evidence} ${advice.Remedy}`;
  if (typeof asked.request['Statement'] === 'string') return statementThrough(asked, advice);
  const named = keyedOf(table).filter((one) => one.index !== null && new RegExp(`index ${escaped(one.index)}(?![\\w.-])`).test(words));
  const keyed = named.sort((a, b) => b.index!.length - a.index!.length)[0] ?? (/^(?:the table has|a Query of the table by) /.test(advice.Remedy) ? keyedOf(table)[0] : undefined);
  if (!keyed) return undefined;
  const isScan = advice.Kind === 'SparseIndex' || (advice.Kind === 'NarrowIndex' && asked.operation === 'Scan');
  if (isScan && asked.operation === 'Scan') return { title: `Scan ${whatOf(keyed)}`, asked: { ...asked, request: changed(asked.request, { IndexName: keyed.index ?? undefined, ExclusiveStartKey: undefined }) } };
  return throughKey(asked, keyed);
}

const whatOf = (keyed: Pick<Keyed, 'index'>): string => (keyed.index === null ? 'the key of the table' : `the index ${keyed.index}`);

/** Returns the request as a Query of a table or an index that is there; none if it is that already. */
export function throughKey(asked: Asked, keyed: Pick<Keyed, 'index' | 'partition' | 'sort'>): Change | undefined {
  const next = byKey(asked, keyed);
  return next && JSON.stringify(next.request) !== JSON.stringify(asked.request) ? { title: `Ask through ${whatOf(keyed)}`, asked: next } : undefined;
}

function statementThrough(asked: Asked, advice: Advice): Change | undefined {
  const from = /FROM ("(?:[^"]|"")+"(?:\."(?:[^"]|"")+")?)/.exec(advice.Remedy)?.[1];
  const statement = asked.request['Statement'] as string;
  const next = from && statement.replace(/\bFROM\s+(?:"(?:[^"]|"")+"|[\w.-]+)(?:\.(?:"(?:[^"]|"")+"|[\w-]+))?/i, () => `FROM ${from}`);
  return next && next !== statement ? { title: `Ask ${from}`, asked: { ...asked, request: { ...asked.request, Statement: next } } } : undefined;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** An index as the form has it. */
export interface IndexDraft {
  name: string;
  partition: string[];
  sort: string[];
  projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  include: string[];
  isLocal: boolean;
}

interface Tested {
  equal: string[];
  ranges: string[];
  /** Attributes of the filter, and thus not of the key that is read. */
  filtered: string[];
}

/** Returns what a request tests, by the server's pattern of it, else by its expressions. */
function testedOf(asked: Asked, pattern: Explained['Pattern']): Tested {
  if (pattern && (pattern.Keys || pattern.Filter)) {
    const names = (tests: PatternTest[] | undefined, test?: string) => unique((tests ?? []).filter((one) => test === undefined || one.Test === test).flatMap((one) => one.Names));
    const both = [...(pattern.Keys ?? []), ...(pattern.Filter ?? [])];
    return { equal: names(both, 'EQUAL'), ranges: names(both, 'RANGE'), filtered: names(pattern.Filter) };
  }
  const all = allConjuncts(asked.request) ?? [];
  const named = (operator: Conjunct['operator']) => unique(all.filter((one) => one.operator === operator).map((one) => one.attribute!));
  return { equal: named('='), ranges: named('range'), filtered: unique((conjuncts(asked.request['FilterExpression'], namesOf(asked.request)) ?? []).flatMap((one) => one.attribute ?? [])) };
}

/** Returns the index whose key a request's own conditions ask for; none if the key of the table is that, or nothing is fixed. */
export function draftFor(asked: Asked, table: TableDescription, pattern?: Explained['Pattern']): IndexDraft | undefined {
  const { equal, ranges: all, filtered } = testedOf(asked, pattern);
  const ranges = all.filter((one) => !equal.includes(one));
  const own = keyedOf(table)[0]!;
  if (equal.length === 0 || filtered.length === 0) return undefined;
  const partition = own.partition.every((name) => equal.includes(name)) ? own.partition : equal.slice(0, 1);
  const range = ranges.find((one) => filtered.includes(one)) ?? ranges[0];
  const sort = [...equal.filter((one) => !partition.includes(one)), ...(range === undefined ? [] : [range])].slice(0, 4);
  if (partition.join() === own.partition.join() && sort.join() === own.sort.join()) return undefined;
  return { name: nameFor(table, [...sort, ...(sort.length === 0 ? partition : [])]), partition: [...partition], sort, ...projectionFor(asked, table, [...partition, ...sort]), isLocal: false };
}

function unique(names: string[]): string[] {
  return [...new Set(names)];
}

function nameFor(table: TableDescription, attributes: string[]): string {
  const taken = keyedOf(table).map((one) => one.index);
  const plain = `by-${attributes.join('-').replace(/[^\w.-]+/g, '-').toLowerCase()}`.slice(0, 200).padEnd(3, 'x');
  let name = plain;
  for (let nth = 2; taken.includes(name); nth++) name = `${plain}-${nth}`;
  return name;
}

/** What the request returns or tests beyond keys is projected; a request of whole items wants all. */
function projectionFor(asked: Asked, table: TableDescription, keys: string[]): Pick<IndexDraft, 'projection' | 'include'> {
  const names = namesOf(asked.request);
  const returned = asked.request['ProjectionExpression'];
  const isCount = asked.request['Select'] === 'COUNT';
  if (typeof returned !== 'string' && !isCount) return { projection: 'ALL', include: [] };
  const first = (path: string) => /^#?\w+/.exec(path.trim())?.[0] ?? '';
  const paths = typeof returned === 'string' ? returned.split(',').map(first) : [];
  const tested = (conjuncts(asked.request['FilterExpression'], names) ?? []).flatMap((one) => one.attribute ?? []);
  const own = keyedOf(table)[0]!;
  const held = [...keys, ...own.partition, ...own.sort];
  const wanted = unique([...paths.map((one) => (Object.hasOwn(names, one) ? names[one]! : one)), ...tested]).filter((one) => one !== '' && !held.includes(one));
  return wanted.length === 0 ? { projection: 'KEYS_ONLY', include: [] } : { projection: 'INCLUDE', include: wanted.slice(0, 20) };
}

/** Returns the members of a request that define a draft: for WhatIf, and for UpdateTable. */
export function definitionOf(draft: IndexDraft, typeOf: (attribute: string) => string): { IndexName: string; KeySchema: { AttributeName: string; KeyType: string }[]; Projection: Record<string, unknown>; AttributeDefinitions: { AttributeName: string; AttributeType: string }[] } {
  const keys = [...draft.partition.map((name) => ({ AttributeName: name, KeyType: 'HASH' })), ...draft.sort.map((name) => ({ AttributeName: name, KeyType: 'RANGE' }))];
  return {
    IndexName: draft.name,
    KeySchema: keys,
    Projection: { ProjectionType: draft.projection, ...(draft.projection === 'INCLUDE' && { NonKeyAttributes: draft.include }) },
    AttributeDefinitions: unique(keys.map((one) => one.AttributeName)).map((name) => ({ AttributeName: name, AttributeType: typeOf(name) })),
  };
}

/** Returns the request of UpdateTable that makes an index. */
export function creationOf(draft: IndexDraft, table: TableDescription, typeOf: (attribute: string) => string): Record<string, unknown> {
  const { AttributeDefinitions, ...index } = definitionOf(draft, typeOf);
  const isProvisioned = table.BillingModeSummary?.BillingMode !== 'PAY_PER_REQUEST' && (table.ProvisionedThroughput?.ReadCapacityUnits ?? 0) > 0;
  const throughput = { ReadCapacityUnits: table.ProvisionedThroughput?.ReadCapacityUnits, WriteCapacityUnits: table.ProvisionedThroughput?.WriteCapacityUnits };
  return {
    TableName: table.TableName,
    AttributeDefinitions: [...table.AttributeDefinitions.filter((one) => !AttributeDefinitions.some((other) => other.AttributeName === one.AttributeName)), ...AttributeDefinitions],
    GlobalSecondaryIndexUpdates: [{ Create: { ...index, ...(isProvisioned && { ProvisionedThroughput: throughput }) } }],
  };
}
