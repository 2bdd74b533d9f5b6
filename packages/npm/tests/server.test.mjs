// The package as installed: the server from JavaScript, and the program by npx.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { start, reset, stateOf } from 'hashrange';

const table = (name, options) =>
  new CreateTableCommand({
    TableName: name,
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
    ...options,
  });
const tables = async (client) => (await client.send(new ListTablesCommand())).TableNames;
const answers = (endpoint) => fetch(endpoint).then((answer) => answer.ok, () => false);

test('a server runs until it is stopped', async () => {
  const server = await start();
  assert.deepEqual(await tables(new DynamoDBClient(server.config)), []);
  await server.stop();
  assert.equal(await answers(server.endpoint), false);
  await server.stop();
});

/** Fills a server with tables, half of them protected, and empties it. */
async function fillAndReset(...args) {
  const server = await start({ args });
  const client = new DynamoDBClient(server.config);
  for (let nth = 0; nth < 120; nth += 1) {
    await client.send(table(`table-${nth}`, { DeletionProtectionEnabled: nth % 2 === 0 }));
  }
  await server.reset();
  assert.deepEqual(await tables(client), []);
  await client.send(table('table-0'));
  await server.stop();
}

test('reset deletes every table, also protected ones', () => fillAndReset());

test('reset takes the tables of its own namespace', () => fillAndReset('--namespaces'));

test('reset deletes every table in a folder', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'hashrange-'));
  await fillAndReset('--data-dir', folder);
  rmSync(folder, { recursive: true });
});

test('a state is saved and restored as often as one likes', async () => {
  const server = await start();
  const client = new DynamoDBClient(server.config);
  await server.save();
  await server.save('second');
  assert.deepEqual((await server.saves()).sort(), ['default', 'second']);
  for (let nth = 0; nth < 2; nth += 1) {
    await client.send(table('orders'));
    await server.restore();
    assert.deepEqual(await tables(client), []);
  }
  await server.deleteSave('second');
  assert.deepEqual(await server.saves(), ['default']);
  await assert.rejects(server.restore('second'), /Restore was refused/);
  await server.stop();
});

test('the clock is set, moved and stopped, also by its endpoint alone', async () => {
  const server = await start({ args: ['--namespaces'] });
  const state = stateOf(server.endpoint);
  const eight = new Date('2030-01-31T08:00:00Z');
  assert.deepEqual(await server.setClock({ now: eight, stopped: true }), { now: eight, stopped: true });
  assert.deepEqual(await state.clock(), { now: eight, stopped: true });
  const later = await state.setClock({ advance: '1h' });
  assert.equal(later.now.getTime(), eight.getTime() + 3_600_000);
  assert.equal((await state.setClock({ advance: 1500 })).now.getTime(), later.now.getTime() + 1500);
  await assert.rejects(server.setClock({ now: 'yesterday' }), /SetClock was refused/);
  await server.reset();
  assert.equal((await server.clock()).stopped, false);
  await server.stop();
});

test('data stay in a folder that is named', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'hashrange-'));
  const args = [`--data-dir=${path.join(folder, 'data')}`];
  const first = await start({ args });
  await new DynamoDBClient(first.config).send(table('orders'));
  await first.stop();
  const second = await start({ args });
  assert.deepEqual(await tables(new DynamoDBClient(second.config)), ['orders']);
  await second.stop();
  rmSync(folder, { recursive: true });
});

test('the environment of whoever tests does not reach the server', async () => {
  process.env.HASHRANGE_PORT = 'not a port';
  const server = await start();
  delete process.env.HASHRANGE_PORT;
  assert.ok(await answers(server.endpoint));
  await server.stop();
});

test('what keeps a server from starting is said', async () => {
  await assert.rejects(start({ args: ['--no-such-option'] }), /--no-such-option/);
  await assert.rejects(start({ args: ['--sample=none'] }), /there is no sample/);
  await assert.rejects(start({ program: '/no/such/program' }), /\/no\/such\/program .* does not start: .*ENOENT/);
  await assert.rejects(start({ program: '/bin/true' }), /it ended with 0\nit said nothing/);
  const taken = net.createServer();
  await new Promise((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address();
  await assert.rejects(start({ port }), new RegExp(String(port)));
  taken.close();
});

test('a store that cannot be reached is said, and no password', async () => {
  const isSaid = ({ message }) => /the database at 127\.0\.0\.1 cannot be reached/.test(message) && !message.includes('secret');
  await assert.rejects(start({ store: 'postgres://me:secret@127.0.0.1:1/orders' }), isSaid);
  await assert.rejects(start({ args: ['--store=postgres://someone@127.0.0.1:1/orders'] }), isSaid);
});

test('a server that went away is said', async () => {
  const server = await start();
  await server.stop();
  await assert.rejects(reset(server.endpoint), /does not answer/);
});

test('a server that is forgotten ends with its process', async () => {
  const code = "require('hashrange').start().then((server) => console.log(server.endpoint))";
  const ended = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(ended.status, 0, ended.stderr);
  assert.equal(await answers(ended.stdout.trim()), false);
});

test('npx runs the program and ends as it ends', () => {
  const npx = (...args) => spawnSync('npx', ['--no-install', 'hashrange', ...args], { encoding: 'utf8' });
  assert.match(npx('--version').stdout, /^hashrange \d/);
  assert.equal(npx('--no-such-option').status, 2);
});

test('a signal to the launcher stops the server', async () => {
  const launcher = path.resolve('node_modules/.bin/hashrange');
  const args = ['serve', '--memory', '--port=0', '--log-format=json'];
  const child = spawn(launcher, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const endpoint = await new Promise((resolve) => {
    let log = '';
    child.stderr.on('data', (text) => {
      log += text;
      const found = /"endpoint":"([^"]+)"/.exec(log);
      if (found) resolve(found[1]);
    });
  });
  assert.ok(await answers(endpoint));
  child.kill('SIGTERM');
  assert.equal(await new Promise((resolve) => child.on('exit', resolve)), 0);
  assert.equal(await answers(endpoint), false);
});
