// Attribute values, to and from text that people read and type. A number is text from the socket to the screen and back:
// none of its 38 digits is lost.

import { binaryOf, type BinaryForm, binaryText } from './binary';
import { isObject, type Json, JsonFault, NumberText, parseJson, placeOf, writeJson, shownJson } from './json';
import { record, type Record_ } from './record';

export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: boolean }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] }
  | { L: AttributeValue[] }
  | { M: Record_<AttributeValue> };

export type Item = Record_<AttributeValue>;
export type TypeName = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS' | 'L' | 'M';

export const typeWords: Record<TypeName, string> = {
  S: 'text',
  N: 'number',
  B: 'binary',
  BOOL: 'boolean',
  NULL: 'null',
  SS: 'set of texts',
  NS: 'set of numbers',
  BS: 'set of binaries',
  L: 'list',
  M: 'map',
};

export const typeNames = Object.keys(typeWords) as TypeName[];

/** What is wrong with something that was typed. */
export class TypedFault extends Error {}

const fail = (words: string): never => {
  throw new TypedFault(words);
};

/** Returns the type of a value, and its content. */
export function opened(value: AttributeValue): { type: TypeName; content: unknown } {
  const type = Object.keys(value)[0] as TypeName;
  return { type, content: (value as Record<string, unknown>)[type] };
}

export const typeOf = (value: AttributeValue): TypeName => opened(value).type;

const numberForm = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

/** Returns what is wrong with the text of a number, or null. The limits are the service's. */
export function numberFault(text: string): string | null {
  const found = numberForm.exec(text.trim());
  if (found === null) return `${text.trim() === '' ? 'Nothing' : text.trim()} is no number`;
  const [, , whole = '', part = '', power = '0'] = found;
  if (whole === '' && part === '') return `${text.trim()} is no number`;
  const digits = (whole + part).replace(/^0+/, '');
  const counted = digits.replace(/0+$/, '');
  if (counted === '') return null;
  if (counted.length > 38) return `A number has at most 38 digits, this one has ${counted.length}`;
  const magnitude = Number(power) + digits.length - part.length - 1;
  if (magnitude > 125) return 'A number is below 1E+126';
  if (magnitude < -130) return 'A number other than 0 is at least 1E-130';
  return null;
}

function numberOf(text: string): string {
  const fault = numberFault(text);
  return fault === null ? text.trim() : fail(fault);
}

const quote = (text: string): string => JSON.stringify(text);

/** Writes a value in one line of at most about `most` signs, for a cell. What is longer ends with an ellipsis. */
export function brief(value: AttributeValue, most = 200, form: BinaryForm = 'base64'): string {
  const { type, content } = opened(value);
  switch (type) {
    case 'S':
      return cut(content as string, most);
    case 'N':
      return content as string;
    case 'B':
      return cut(binaryText(content as string, form, most), most);
    case 'BOOL':
      return String(content);
    case 'NULL':
      return 'null';
    case 'SS':
    case 'NS':
    case 'BS':
      return briefList(
        (content as string[]).map((one) => (type === 'SS' ? quote(one.slice(0, most)) : one)),
        '{}',
        most,
      );
    case 'L':
      return briefParts(content as AttributeValue[], '[]', most, (one, left) => inner(one, left, form));
    case 'M':
      return briefParts(
        Object.entries(content as Item),
        '{}',
        most,
        ([name, one], left) => `${cut(name, left)}: ${inner(one, left, form)}`,
      );
  }
}

const inner = (value: AttributeValue, most: number, form: BinaryForm): string =>
  'S' in value ? quote(cut(value.S, most)) : brief(value, most, form);

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, Math.max(1, most))}…`);

const briefList = (parts: string[], [open, close]: string, most: number): string =>
  briefParts(parts, `${open}${close}`, most, (one) => one);

function briefParts<T>(parts: T[], signs: string, most: number, write: (part: T, left: number) => string): string {
  let text = '';
  let nth = 0;
  for (; nth < parts.length && text.length < most; nth += 1) text += (nth > 0 ? ', ' : '') + write(parts[nth] as T, most - text.length);
  const left = parts.length - nth;
  return `${signs[0]}${text}${left > 0 ? `, … ${left} more` : ''}${signs[1]}`;
}

/** Returns the text to edit: sets have one element a line, lists and maps are DynamoDB JSON. */
export function toTyped(value: AttributeValue, form: BinaryForm = 'base64'): string {
  const { type, content } = opened(value);
  switch (type) {
    case 'S':
    case 'N':
      return content as string;
    case 'B':
      return binaryText(content as string, form);
    case 'BOOL':
      return String(content);
    case 'NULL':
      return '';
    case 'SS':
      return (content as string[]).map((one) => (/[\r\n]|^"|^$/.test(one) ? quote(one) : one)).join('\n');
    case 'NS':
      return (content as string[]).join('\n');
    case 'BS':
      return (content as string[]).map((one) => binaryText(one, form)).join('\n');
    case 'L':
    case 'M':
      return typedText(content);
  }
}

/** Reads what was typed as a value of a type. Throws a TypedFault. */
export function fromTyped(type: TypeName, text: string, form: BinaryForm = 'base64'): AttributeValue {
  switch (type) {
    case 'S':
      return { S: text };
    case 'N':
      return { N: numberOf(text) };
    case 'B':
      return { B: binaryFrom(text, form) };
    case 'BOOL':
      return { BOOL: text === 'true' || (text !== 'false' && fail('A boolean is true or false')) };
    case 'NULL':
      return { NULL: true };
    case 'SS':
      return { SS: elements(text, (line) => (line.startsWith('"') ? (readText(line) ?? line) : line)) };
    case 'NS':
      return { NS: elements(text, numberOf) };
    case 'BS':
      return { BS: elements(text, (line) => binaryFrom(line, form)) };
    case 'L': {
      const read = readJson(text);
      return Array.isArray(read) ? { L: read.map(valueOfTyped) } : fail('A list stands in [ ]');
    }
    case 'M': {
      const read = readJson(text);
      return isObject(read) ? { M: itemOfTyped(read) } : fail('A map stands in { }');
    }
  }
}

function binaryFrom(text: string, form: BinaryForm): string {
  const found = binaryOf(text, form);
  return found ?? fail(`This is no ${form}`);
}

const readText = (line: string): string | null => {
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === 'string' ? read : null;
  } catch {
    return null;
  }
};

function elements(text: string, read: (line: string) => string): string[] {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map(read);
  if (lines.length === 0) fail('A set has at least one element, one a line');
  if (new Set(lines).size < lines.length) fail('A set has each element once');
  return lines;
}

/** Reads JSON, with the place of a fault in words. */
export function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { line, column } = placeOf(text, error.offset);
    return fail(`Line ${line}, column ${column}: ${error.message}`);
  }
}

const isTexts = (value: Json | undefined): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Reads a value in DynamoDB JSON. Throws a TypedFault. */
export function valueOfTyped(json: Json): AttributeValue {
  const members = isObject(json) ? Object.entries(json) : [];
  const [type, content] = members[0] ?? ['', null];
  if (members.length !== 1) fail(`${cut(writeJson(json), 60)} is no value of DynamoDB JSON, such as {"S": "text"}`);
  if (type === 'S' && typeof content === 'string') return { S: content };
  if (type === 'N' && typeof content === 'string') return { N: numberOf(content) };
  if (type === 'B' && typeof content === 'string') return { B: binaryFrom(content, 'base64') };
  if (type === 'BOOL' && typeof content === 'boolean') return { BOOL: content };
  if (type === 'NULL' && content === true) return { NULL: true };
  if (type === 'SS' && isTexts(content)) return { SS: content };
  if (type === 'NS' && isTexts(content)) return { NS: content.map(numberOf) };
  if (type === 'BS' && isTexts(content)) return { BS: content.map((one) => binaryFrom(one, 'base64')) };
  if (type === 'L' && Array.isArray(content)) return { L: content.map(valueOfTyped) };
  if (type === 'M' && isObject(content)) return { M: itemOfTyped(content) };
  return fail(`${cut(writeJson(json), 60)} is no value of DynamoDB JSON`);
}

/** Reads an item in DynamoDB JSON. */
export const itemOfTyped = (json: Record_<Json>): Item =>
  record(Object.entries(json).map(([name, value]): [string, AttributeValue] => [name, valueOfTyped(value)]));

/** Reads a value of plain JSON: a number is a number, an array a list. */
export function valueOfPlain(json: Json): AttributeValue {
  if (json === null) return { NULL: true };
  if (typeof json === 'string') return { S: json };
  if (typeof json === 'boolean') return { BOOL: json };
  if (json instanceof NumberText) return { N: numberOf(json.text) };
  return Array.isArray(json) ? { L: json.map(valueOfPlain) } : { M: itemOfPlain(json) };
}

export const itemOfPlain = (json: Record_<Json>): Item =>
  record(Object.entries(json).map(([name, value]): [string, AttributeValue] => [name, valueOfPlain(value)]));

const isTypedValue = (json: Json): boolean =>
  isObject(json) && Object.keys(json).length === 1 && typeNames.includes(Object.keys(json)[0] as TypeName);

/** Whether an object is an item in DynamoDB JSON: every member is a value with its type. */
export const looksTyped = (json: Record_<Json>): boolean => Object.keys(json).length > 0 && Object.values(json).every(isTypedValue);

/** Returns a value as plain JSON: sets are arrays, binary is base64. Numbers keep their digits. */
export function plain(value: AttributeValue): Json {
  const { type, content } = opened(value);
  switch (type) {
    case 'N':
      return new NumberText(jsonNumber(content as string));
    case 'NULL':
      return null;
    case 'NS':
      return (content as string[]).map((one) => new NumberText(jsonNumber(one)));
    case 'L':
      return (content as AttributeValue[]).map(plain);
    case 'M':
      return plainItem(content as Item);
    default:
      return content as Json;
  }
}

export const plainItem = (item: Item): Record_<Json> =>
  record(Object.entries(item).map(([name, value]): [string, Json] => [name, plain(value)]));

/** Returns a number as JSON writes it: no plus sign, no bare point. */
function jsonNumber(text: string): string {
  const found = numberForm.exec(text);
  if (found === null) return JSON.stringify(text);
  const [, sign = '', whole = '', part, power] = found;
  const start = whole.replace(/^0+(?=\d)/, '') || '0';
  return `${sign === '-' ? '-' : ''}${start}${part ? `.${part}` : ''}${power === undefined ? '' : `e${power}`}`;
}

/** Writes DynamoDB JSON for people: what is short stands on the line of its name, what cannot be seen as escapes. */
export const typedText = (value: unknown): string => shownJson(typedLines(value, 0));

function typedLines(value: unknown, depth: number): string {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || (depth > 0 && flat.length <= 60 && isFlat(value))) return spaced(flat, value);
  const isList = Array.isArray(value);
  const members = isList ? value.map((one) => typedLines(one, depth + 1)) : Object.entries(value).map(([name, one]) => `${quote(name)}: ${typedLines(one, depth + 1)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (members.length === 0) return `${open}${close}`;
  const pad = '  '.repeat(depth + 1);
  return `${open}\n${members.map((one) => pad + one).join(',\n')}\n${'  '.repeat(depth)}${close}`;
}

/** Whether it is a value such as {"S": "text"}, or a list of texts. */
const isFlat = (value: object): boolean => {
  const members = Object.values(value);
  return Array.isArray(value)
    ? value.every((one) => typeof one === 'string')
    : members.length === 1 &&
        (typeof members[0] !== 'object' || Array.isArray(members[0])) &&
        (!Array.isArray(members[0]) || isFlat(members[0]));
};

const spaced = (flat: string, value: unknown): string => {
  const [name] = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  return name === undefined ? flat : `{${quote(name)}: ${flat.slice(quote(name).length + 2)}`;
};

/** Whether two values are the same; sets have no order, objects neither. */
export const isSame = (one: AttributeValue | undefined, other: AttributeValue | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && canonical(one) === canonical(other));

export function canonical(value: AttributeValue): string {
  const { type, content } = opened(value);
  if (type === 'SS' || type === 'NS' || type === 'BS') return `${type}${JSON.stringify([...(content as string[])].sort())}`;
  if (type === 'L') return `L[${(content as AttributeValue[]).map(canonical).join()}]`;
  if (type === 'M')
    return `M{${Object.keys(content as Item)
      .sort()
      .map((name) => `${quote(name)}:${canonical((content as Item)[name] as AttributeValue)}`)
      .join()}}`;
  return `${type}${JSON.stringify(content)}`;
}
