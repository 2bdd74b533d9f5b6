// What is shown as a file: CSV, JSON Lines, DynamoDB JSON.

import { binaryText, type BinaryForm } from '../data/binary';
import { writeCsv } from '../data/csv';
import { writeJson } from '../data/json';
import { at } from '../data/record';
import { type AttributeValue, type Item, plain, plainItem } from '../data/values';

export type FileForm = 'csv' | 'jsonl' | 'ddb';

export const fileForms: { form: FileForm; title: string; extension: string; type: string }[] = [
  { form: 'csv', title: 'CSV', extension: 'csv', type: 'text/csv' },
  { form: 'jsonl', title: 'JSON Lines', extension: 'jsonl', type: 'application/x-ndjson' },
  { form: 'ddb', title: 'DynamoDB JSON', extension: 'ddb.jsonl', type: 'application/x-ndjson' },
];

function cell(value: AttributeValue | undefined, form: BinaryForm): string {
  if (value === undefined) return '';
  if ('S' in value) return value.S;
  if ('N' in value) return value.N;
  if ('B' in value) return binaryText(value.B, form);
  return writeJson(plain(value));
}

export function fileText(form: FileForm, items: Item[], columns: string[], binary: BinaryForm): string {
  if (form === 'csv') return writeCsv([columns, ...items.map((item) => columns.map((name) => cell(at(item, name), binary)))]);
  return items.map((item) => `${form === 'ddb' ? JSON.stringify({ Item: item }) : writeJson(plainItem(item))}\n`).join('');
}

/** Gives the browser a file to keep. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
