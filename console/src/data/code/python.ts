// boto3.

import { type CodeRequest, type CodeTarget, countsOnly, readsOn, snake } from './code';
import { hasBinary, isBinary, isRecord, quoted } from './strings';

function value(of: unknown, depth: number): string {
  if (of === null || of === undefined) return 'None';
  if (typeof of === 'boolean') return of ? 'True' : 'False';
  if (typeof of === 'string') return quoted(of);
  if (typeof of !== 'object') return String(of);
  if (isBinary(of)) {
    return 'B' in of ? `{"B": ${binary(of.B)}}` : `{"BS": [${of.BS.map(binary).join(', ')}]}`;
  }
  const members = isRecord(of)
    ? Object.entries(of).map(([name, one]) => `${quoted(name)}: ${value(one, depth + 1)}`)
    : (of as unknown[]).map((one) => value(one, depth + 1));
  return lines(members, isRecord(of) ? '{}' : '[]', depth);
}

const binary = (base64: string): string => `base64.b64decode(${quoted(base64)})`;

/** Sets members on one line where they fit, else on lines of their own. */
export function lines(members: string[], signs: string, depth: number): string {
  const line = members.join(', ');
  if (line.length + depth * 4 <= 76 && !line.includes('\n')) return `${signs[0]}${line}${signs[1]}`;
  const pad = '    '.repeat(depth + 1);
  return `${signs[0]}\n${members.map((one) => `${pad}${one},\n`).join('')}${'    '.repeat(depth)}${signs[1]}`;
}

function client(target: CodeTarget): string {
  const keys =
    target.accessKeyId === null ? '' : `\n    aws_access_key_id=${quoted(target.accessKeyId)},\n    aws_secret_access_key="any",`;
  return `client = boto3.client(\n    "dynamodb",\n    endpoint_url=${quoted(target.endpoint)},\n    region_name=${quoted(target.region)},${keys}\n)\n`;
}

function run(asked: CodeRequest): string {
  if (!readsOn(asked)) return `answer = client.${snake(asked.operation)}(**request)\nprint(answer)\n`;
  const pages = `client.get_paginator("${snake(asked.operation)}").paginate(**request)`;
  if (countsOnly(asked)) return `print(sum(page["Count"] for page in ${pages}))\n`;
  return `for page in ${pages}:\n    for item in page["Items"]:\n        print(item)\n`;
}

export function python(asked: CodeRequest, target: CodeTarget): string {
  const imports = `${hasBinary(asked.request) ? 'import base64\n\n' : ''}import boto3\n`;
  return `${imports}\n${client(target)}\nrequest = ${value(asked.request, 0)}\n${run(asked)}`;
}
