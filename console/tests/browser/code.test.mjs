// The code that the console prints runs as it is printed, and answers what the API answers. A language takes part where
// its program is installed: python3 with boto3, aws, the server's own binary, and a folder with the AWS SDK for
// JavaScript that AWS_SDK_JS names.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { api, startServer, stop } from './harness.mjs';

const here = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'console-code-'));
const bundle = join(folder, 'code.mjs');
await build({
  absWorkingDir: here,
  entryPoints: ['src/data/code/code.ts'],
  bundle: true,
  format: 'esm',
  outfile: bundle,
  platform: 'node',
});
const { codeOf } = await import(bundle);

const binary = process.env.HASHRANGE ?? join(here, '..', 'target', 'debug', 'hashrange');
const has = (command, args) => spawnSync(command, args).status === 0;
const sdk = process.env.AWS_SDK_JS;
if (sdk) symlinkSync(join(sdk, 'node_modules'), join(folder, 'node_modules'));

const languages = [
  { id: 'python', isThere: has('python3', ['-c', 'import boto3']), file: 'code.py', command: 'python3' },
  { id: 'javascript', isThere: Boolean(sdk), file: 'request.mjs', command: process.execPath },
  { id: 'aws', isThere: has('aws', ['--version']), file: 'aws.sh', command: 'bash' },
  { id: 'hashrange', isThere: true, file: 'own.sh', command: 'bash' },
].filter((one) => one.isThere);

async function run({ id, file, command }, asked, endpoint) {
  const text = codeOf(id, asked, { endpoint, region: 'us-east-1', accessKeyId: 'any' });
  const path = join(folder, file);
  // The binary is called hashrange in what is printed.
  writeFileSync(path, id === 'hashrange' ? text.replace(/^hashrange/m, binary) : text);
  const child = spawn(command, [path], { cwd: folder, env: { ...process.env, AWS_PAGER: '' } });
  let out = '';
  let wrong = '';
  child.stdout.on('data', (part) => (out += part));
  child.stderr.on('data', (part) => (wrong += part));
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, `${id} failed:\n${text}\n${wrong}`);
  return out;
}

const nasty = `it's "quoted" \\ $HOME \`x\` %s\n\u202e😀`;
const put = (Item) => ({ operation: 'PutItem', request: { TableName: 'things', Item } });

test('code of writes leaves what was meant', async () => {
  const { endpoint, server } = await startServer();
  try {
    await api(endpoint, 'CreateTable', {
      TableName: 'things',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    for (const language of languages) {
      const pk = { S: `${language.id} ${nasty}` };
      const item = {
        pk,
        n: { N: '12345678901234567890123456789012345678' },
        ['__proto__']: { M: { ["a'b"]: { L: [{ NULL: true }, { BOOL: false }] } } },
        set: { SS: ['a', "b'c"] },
        ...(language.id === 'aws' ? {} : { data: { B: 'AAH/' }, many: { BS: ['AA=='] } }),
      };
      await run(language, put(item), endpoint);
      const get = async () => (await api(endpoint, 'GetItem', { TableName: 'things', Key: { pk } })).Item;
      assert.deepEqual({ ...(await get()) }, item, language.id);
      await run(
        language,
        {
          operation: 'UpdateItem',
          request: {
            TableName: 'things',
            Key: { pk },
            UpdateExpression: 'SET #n = :n',
            ConditionExpression: '#n = :old',
            ExpressionAttributeNames: { '#n': 'n' },
            ExpressionAttributeValues: { ':n': { N: '2' }, ':old': item.n },
          },
        },
        endpoint,
      );
      assert.equal((await get()).n.N, '2', language.id);
      await run(language, { operation: 'DeleteItem', request: { TableName: 'things', Key: { pk } } }, endpoint);
      assert.equal(await get(), undefined, language.id);
    }
  } finally {
    await stop(server);
  }
});

test('code of reads answers what the API answers', async () => {
  const { endpoint, server } = await startServer(['--sample', 'world']);
  const values = { ':c': { S: 'NL' }, ':p': { S: 'UTRECHT#' }, ':n': { N: '30000' } };
  const requests = [
    {
      operation: 'Query',
      request: {
        TableName: 'cities',
        KeyConditionExpression: '#c = :c AND begins_with(#p, :p)',
        FilterExpression: '#n > :n',
        ProjectionExpression: '#city',
        ExpressionAttributeNames: { '#c': 'country', '#p': 'place', '#n': 'population', '#city': 'city' },
        ExpressionAttributeValues: values,
      },
    },
    {
      operation: 'Query',
      request: {
        TableName: 'cities',
        IndexName: 'by-population',
        KeyConditionExpression: '#c = :c',
        ScanIndexForward: false,
        Limit: 3,
        ExpressionAttributeNames: { '#c': 'country' },
        ExpressionAttributeValues: { ':c': { S: 'BR' } },
      },
    },
    {
      operation: 'ExecuteStatement',
      request: { Statement: `SELECT city FROM "cities" WHERE country = 'NL' AND begins_with(place, 'UTRECHT#')` },
    },
  ];
  try {
    for (const asked of requests) {
      const { Items } = await api(endpoint, asked.operation, asked.request);
      for (const language of languages) {
        const out = await run(language, asked, endpoint);
        for (const item of Items) assert.ok(out.includes(item.city.S), `${language.id}: ${item.city.S} is not in\n${out}`);
      }
    }
    const counting = { operation: 'Scan', request: { TableName: 'cities', Select: 'COUNT' } };
    for (const language of languages) assert.match((await run(language, counting, endpoint)).replace(/,/g, ''), /46570/, language.id);
  } finally {
    await stop(server);
  }
});

test('code of tables creates and changes them', async () => {
  const { endpoint, server } = await startServer();
  try {
    for (const language of languages) {
      const name = `t-${language.id}`;
      const create = {
        TableName: name,
        AttributeDefinitions: ['a', 'b', 'c'].map((one) => ({ AttributeName: one, AttributeType: 'S' })),
        KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'by-b',
            KeySchema: [
              { AttributeName: 'b', KeyType: 'HASH' },
              { AttributeName: 'c', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['d'] },
          },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      };
      await run(language, { operation: 'CreateTable', request: create }, endpoint);
      await run(
        language,
        {
          operation: 'UpdateTimeToLive',
          request: { TableName: name, TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } },
        },
        endpoint,
      );
      await run(
        language,
        { operation: 'UpdateTable', request: { TableName: name, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'by-b' } }] } },
        endpoint,
      );
      const ttl = await api(endpoint, 'DescribeTimeToLive', { TableName: name });
      assert.equal(ttl.TimeToLiveDescription.AttributeName, 'expires', language.id);
      assert.equal((await api(endpoint, 'DescribeTable', { TableName: name })).Table.StreamSpecification.StreamEnabled, true, language.id);
      await run(language, { operation: 'DeleteTable', request: { TableName: name } }, endpoint);
    }
  } finally {
    await stop(server);
  }
});
