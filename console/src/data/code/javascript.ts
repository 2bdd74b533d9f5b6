// The AWS SDK for JavaScript, version 3, as a module of Node.

import { type CodeRequest, type CodeTarget, countsOnly, readsOn } from './code';
import { isBinary, isRecord, quoted } from './strings';

function value(of: unknown, depth: number): string {
  if (typeof of === 'string') return quoted(of);
  if (of === null || typeof of !== 'object') return String(of);
  if (isBinary(of)) return 'B' in of ? `{ B: ${binary(of.B)} }` : `{ BS: [${of.BS.map(binary).join(', ')}] }`;
  if (!isRecord(of))
    return set(
      (of as unknown[]).map((one) => value(one, depth + 1)),
      '[',
      ']',
      depth,
    );
  return set(
    Object.entries(of).map(([name, one]) => `${member(name)}: ${value(one, depth + 1)}`),
    '{ ',
    ' }',
    depth,
  );
}

const binary = (base64: string): string => `Buffer.from(${quoted(base64)}, "base64")`;

/** A member named __proto__ must be computed, or it would set the prototype. */
function member(name: string): string {
  if (name === '__proto__') return `[${quoted(name)}]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

function set(members: string[], open: string, close: string, depth: number): string {
  if (members.length === 0) return `${open}${close}`.replace(/ /g, '');
  const line = members.join(', ');
  if (line.length + depth * 2 <= 76 && !line.includes('\n')) return `${open}${line}${close}`;
  const pad = '  '.repeat(depth + 1);
  return `${open.trim()}\n${members.map((one) => `${pad}${one},\n`).join('')}${'  '.repeat(depth)}${close.trim()}`;
}

function run(asked: CodeRequest): string {
  if (!readsOn(asked))
    return `const answer = await client.send(new ${asked.operation}Command(request));\nconsole.dir(answer, { depth: null });\n`;
  const pages = `for await (const page of paginate${asked.operation}({ client }, request))`;
  if (countsOnly(asked)) return `let count = 0;\n${pages} count += page.Count;\nconsole.log(count);\n`;
  return `${pages} {\n  for (const item of page.Items) console.dir(item, { depth: null });\n}\n`;
}

export function javascript(asked: CodeRequest, target: CodeTarget): string {
  const used = readsOn(asked) ? `paginate${asked.operation}` : `${asked.operation}Command`;
  const keys =
    target.accessKeyId === null ? '' : `\n  credentials: { accessKeyId: ${quoted(target.accessKeyId)}, secretAccessKey: "any" },`;
  return [
    `import { DynamoDBClient, ${used} } from "@aws-sdk/client-dynamodb";\n`,
    `const client = new DynamoDBClient({\n  endpoint: ${quoted(target.endpoint)},\n  region: ${quoted(target.region)},${keys}\n});\n`,
    `const request = ${value(asked.request, 0)};\n${run(asked)}`,
  ].join('\n');
}
