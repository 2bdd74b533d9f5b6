// The AWS CLI, and our own.

import { inlined } from '../expressions';
import type { Record_ } from '../record';
import type { AttributeValue } from '../values';
import { type CodeRequest, type CodeTarget, countsOnly, kebab, readsOn } from './code';
import { hasBinary, plainJson, shellQuoted } from './strings';

const joined = (parts: string[]): string => parts.join(' \\\n  ');

/** A flag of the AWS CLI for a member of a request. */
function option(name: string, value: unknown): string {
  const flag = `--${kebab(name)}`;
  if (value === true) return flag;
  if (value === false) return `--no-${kebab(name)}`;
  const word = shellQuoted(typeof value === 'string' ? value : plainJson(value));
  // A value that begins with a minus sign would be read as an option.
  return typeof value === 'string' && value.startsWith('-') ? `${flag}=${word}` : `${flag} ${word}`;
}

export function awsCli(asked: CodeRequest, target: CodeTarget): string {
  const keys = target.accessKeyId === null ? '' : `AWS_ACCESS_KEY_ID=${shellQuoted(target.accessKeyId)} AWS_SECRET_ACCESS_KEY=any `;
  const options = Object.entries(asked.request).map(([name, value]) => option(name, value));
  const note = hasBinary(asked.request) ? '# Version 2 of the AWS CLI, which reads binary values as base64\n' : '';
  return `${note}${joined([`${keys}aws dynamodb ${kebab(asked.operation)}`, `--endpoint-url ${shellQuoted(target.endpoint)}`, `--region ${shellQuoted(target.region)}`, ...options])}\n`;
}

const reserved =
  /^(and|or|not|between|in|size|begins_with|contains|attribute_exists|attribute_not_exists|attribute_type|true|false|null)$/i;

const isPlainName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reserved.test(name);

const word = (name: string): string => (isPlainName(name) ? name : `\`${name}\``);

const isSimple = (value: AttributeValue): boolean => 'S' in value || 'N' in value || 'BOOL' in value;

/** Whether the commands for people can say it; all else is sent by `hashrange api`. */
function isSayable({ operation, request }: CodeRequest): boolean {
  if (operation !== 'Query' && operation !== 'Scan') return false;
  const known = new Set([
    'TableName',
    'IndexName',
    'KeyConditionExpression',
    'FilterExpression',
    'ProjectionExpression',
    'ScanIndexForward',
    'ConsistentRead',
    'Limit',
    'Select',
    'ExpressionAttributeNames',
    'ExpressionAttributeValues',
  ]);
  const names = Object.values((request['ExpressionAttributeNames'] ?? {}) as Record<string, string>);
  const values = Object.values((request['ExpressionAttributeValues'] ?? {}) as Record<string, AttributeValue>);
  return (
    Object.keys(request).every((name) => known.has(name)) &&
    (request['Select'] === undefined || request['Select'] === 'COUNT') &&
    values.every(isSimple) &&
    !names.some((name) => name.includes('`'))
  );
}

function said(asked: CodeRequest): string[] {
  const { request } = asked;
  const names = (request['ExpressionAttributeNames'] ?? {}) as Record_<string>;
  const values = (request['ExpressionAttributeValues'] ?? {}) as Record_<AttributeValue>;
  const written = (name: string): string => shellQuoted(inlined(String(request[name]), names, values, word));
  const parts = [`hashrange ${asked.operation.toLowerCase()} ${shellQuoted(String(request['TableName']))}`];
  if (request['KeyConditionExpression'] !== undefined) parts[0] += ` ${written('KeyConditionExpression')}`;
  if (request['IndexName'] !== undefined) parts.push(`--index ${shellQuoted(String(request['IndexName']))}`);
  if (request['FilterExpression'] !== undefined) parts.push(`--filter ${written('FilterExpression')}`);
  if (request['ProjectionExpression'] !== undefined) parts.push(`--select ${written('ProjectionExpression')}`);
  if (request['ScanIndexForward'] === false) parts.push('--reverse');
  if (request['ConsistentRead'] === true) parts.push('--consistent');
  if (request['Limit'] !== undefined) parts.push(`--limit ${String(request['Limit'])}`);
  if (countsOnly(asked)) parts.push('--count');
  else if (readsOn(asked)) parts.push('--all');
  return parts;
}

export function hashrangeCli(asked: CodeRequest, target: CodeTarget): string {
  const { Statement: statement, Parameters: parameters } = asked.request;
  const place = [
    `--endpoint ${shellQuoted(target.endpoint)}`,
    ...(target.region === 'us-east-1' ? [] : [`--region ${shellQuoted(target.region)}`]),
  ];
  if (asked.operation === 'ExecuteStatement' && parameters === undefined && asked.request['NextToken'] === undefined) {
    return `${joined([`hashrange sql ${shellQuoted(String(statement))}`, ...place])}\n`;
  }
  const parts = isSayable(asked) ? said(asked) : [`hashrange api ${asked.operation} ${shellQuoted(plainJson(asked.request))}`];
  return `${joined([...parts, ...place])}\n`;
}
