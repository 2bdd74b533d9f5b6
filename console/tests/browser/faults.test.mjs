// Servers that restart, refuse, are slow, speak nonsense or lose the connection; credentials that are missing, wrong,
// expired or of another time; endpoints of others. Each has words of its own, and nothing that was typed is lost.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { api, freePort, serveConsole, shot, startServer, stop, visit } from './harness.mjs';
import { has, is, text, until } from './own.mjs';

/** A server between the page and another one: `how` says what it does with a request of the page. */
async function startBetween(endpoint) {
  const target = new URL(endpoint);
  const between = { how: () => 'pass', seen: [] };
  const server = createServer((asked, answer) => {
    const parts = [];
    asked.on('data', (part) => parts.push(part));
    asked.on('end', async () => {
      const body = Buffer.concat(parts);
      const operation = String(asked.headers['x-amz-target'] ?? '').split('.').at(-1);
      between.seen.push(operation);
      const how = between.how(operation);
      if (how === 'cut') return asked.socket.destroy();
      if (typeof how === 'object') return answer.writeHead(how.status, { 'content-type': how.type ?? 'application/x-amz-json-1.0' }).end(how.body);
      if (typeof how === 'number') await new Promise((go) => setTimeout(go, how));
      const passed = request({ host: target.hostname, port: target.port, path: asked.url, method: asked.method, headers: asked.headers }, (got) => {
        if (how === 'loseAnswer') return got.resume().on('end', () => asked.socket.destroy());
        answer.writeHead(got.statusCode, got.headers);
        got.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      passed.end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  between.url = `http://127.0.0.1:${server.address().port}`;
  between.close = () => (server.closeAllConnections(), server.close());
  return between;
}

const on = (operations, how) => (operation) => (operations.includes(operation) ? how : 'pass');
const html = { status: 502, type: 'text/html', body: '<!doctype html><html><body><h1>502 Bad Gateway</h1><script>window.hurt=1</script></body></html>' };
const json = (status, type, message) => ({ status, body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message }) });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
process.on('exit', () => browser.close());

/** Opens a page on an address; errors of scripts fail the test at its end. */
async function open(page_, hash = '', prepare = undefined) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
  page.setDefaultTimeout(10_000);
  if (prepare) await page.addInitScript(prepare);
  await page.goto(page_ + hash);
  await page.waitForSelector('.shell');
  return { page, end: async () => { is(errors, [], 'errors of scripts'); await context.close(); } };
}

const answer = (page) => page.getByRole('region', { name: 'Answer' });
const run = (page) => page.getByRole('region', { name: 'What is asked' }).getByRole('button', { name: 'Run' }).click();
const filterValue = (page) => page.getByRole('group', { name: 'Filter 1', exact: true }).getByRole('textbox', { name: 'Value', exact: true });

/** Each fault of a query has words; what stands in the form stays; trying again answers. */
async function queries(between, page) {
  await visit(page, '#/query/cities');
  await page.getByRole('textbox', { name: 'country, value' }).fill('NL');
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('combobox', { name: 'Attribute' }).fill('population');
  await filterValue(page).fill('99999');
  await page.getByRole('combobox', { name: 'Type of the value' }).selectOption('N');
  for (const [how, words] of [
    ['cut', /The server did not answer.*(network|running)/],
    [html, /was not answered by a database.*502 Bad Gateway/],
    [json(500, 'InternalServerError', 'The request processing has failed'), /The request processing has failed/],
    [json(503, 'ServiceUnavailableException', 'too many requests'), /too many requests/],
    [json(400, 'ProvisionedThroughputExceededException', 'The level of configured provisioned throughput was exceeded'), /throughput.*Wait a moment/],
    [{ status: 200, body: '{"Items": [' }, /was not answered by a database/],
    [{ status: 200, body: '' }, /./],
  ]) {
    between.how = on(['Query', 'Scan'], how);
    await run(page);
    await until(async () => words.test((await text(answer(page)))), `the words of ${JSON.stringify(how)}: ${words}`);
    is([await page.getByRole('textbox', { name: 'country, value' }).inputValue(), await filterValue(page).inputValue()], ['NL', '99999'], 'what was typed');
    await shot(page, `faults-query-${typeof how === 'string' ? how : how.status}`);
    between.how = () => 'pass';
    const again = answer(page).getByRole('button', { name: 'Try again' });
    if ((await again.count()) > 0) await again.click();
    else await run(page);
    await until(async () => /returned of \d+ examined/.test(await text(answer(page))), `the answer after ${JSON.stringify(how)}`);
  }
  is(await page.evaluate(() => window.hurt ?? null), null, 'a script of the gateway');
}

/** A slow answer shows that it is awaited, and does not replace a later one. */
async function slowAnswers(between, page) {
  await visit(page, '#/query/cities');
  const pk = page.getByRole('textbox', { name: 'country, value' });
  let nth = 0;
  between.how = (operation) => (operation === 'Query' ? ((nth += 1), nth === 1 ? 2500 : 'pass') : 'pass');
  await pk.fill('US');
  await run(page);
  await page.getByText('Reading', { exact: false }).first().waitFor();
  await pk.fill('NL');
  await run(page);
  await page.getByRole('gridcell', { name: 'NL', exact: true }).first().waitFor();
  await new Promise((go) => setTimeout(go, 2600));
  is(await page.getByRole('gridcell', { name: 'US', exact: true }).count(), 0, 'cells of the answer that came late');
  between.how = () => 'pass';
}

/** An edit that is not answered is kept, and sent again; one that was done all the same is no conflict with oneself. */
async function edits(between, page, endpoint) {
  await api(endpoint, 'CreateTable', { TableName: 'notes', AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }], BillingMode: 'PAY_PER_REQUEST' });
  await api(endpoint, 'PutItem', { TableName: 'notes', Item: { id: { S: '1' }, words: { S: 'old' } } });
  await visit(page, '#/items/notes');
  const stored = async () => (await api(endpoint, 'GetItem', { TableName: 'notes', Key: { id: { S: '1' } } })).Item.words.S;
  for (const [how, words] of [['cut', /did not answer/], [json(500, 'InternalServerError', 'The store does not accept writes: no space is left'), /does not accept writes.*reads only/], ['loseAnswer', /did not answer/]]) {
    const value = `new ${JSON.stringify(how).length}`;
    await page.getByRole('gridcell', { name: /old|new/ }).dblclick();
    const box = page.getByRole('dialog', { name: 'Edit words' });
    await box.getByRole('textbox', { name: 'Value' }).fill(value);
    between.how = on(['UpdateItem'], how);
    await box.getByRole('button', { name: 'Save' }).click();
    await until(async () => words.test(await text(box)), `the words of ${JSON.stringify(how)} for an edit`);
    is(await box.getByRole('textbox', { name: 'Value' }).inputValue(), value, 'what was typed');
    await shot(page, `faults-edit-${typeof how === 'string' ? how : how.status}`);
    between.how = () => 'pass';
    await box.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await page.getByRole('dialog').count()) === 0, `the edit after ${JSON.stringify(how)}`);
    is(await stored(), value, 'the edit');
    await page.getByRole('gridcell', { name: value }).waitFor();
  }
}

/** The list of tables is lost and found. */
async function lostAndFound(between, page) {
  between.how = () => 'cut';
  await page.getByRole('button', { name: 'List the tables again' }).click();
  await page.getByRole('button', { name: 'no connection: try again' }).waitFor();
  await shot(page, 'faults-lost');
  between.how = () => 'pass';
  await page.getByRole('button', { name: 'no connection: try again' }).click();
  await until(async () => (await page.getByRole('button', { name: 'no connection: try again' }).count()) === 0, 'the connection');
}

/** Every screen on a server that does not answer: words and a way to try again. */
async function deadScreens(between, base) {
  between.how = () => 'cut';
  for (const hash of ['#/', '#/tables', '#/tables/cities', '#/keys/cities', '#/items/cities', '#/query/cities', '#/requests', '#/server', `#/explain/${encodeURIComponent('{"operation":"Scan","request":{"TableName":"cities"}}')}`]) {
    const { page, end } = await open(base, hash);
    await until(async () => /did not answer/.test(await text(page.getByRole('main'))), `words on ${hash}`);
    await shot(page, `faults-dead-${hash.replace(/\W+/g, '-').slice(0, 20)}`);
    await end();
  }
  between.how = () => 'pass';
}

async function faultsOfServers() {
  const started = await startServer(['--console', 'off', '--sample', 'world']);
  const between = await startBetween(started.endpoint);
  const served = await serveConsole(between.url, { Version: 'between' });
  const { page, end } = await open(served.page, '#/items/cities');
  await page.getByRole('grid').waitFor();
  await queries(between, page);
  await slowAnswers(between, page);
  await edits(between, page, started.endpoint);
  await lostAndFound(between, page);
  await end();
  await deadScreens(between, served.page);
  between.close();
  await served.close();
  await stop(started.server);
}

/** A restart: the ledger says that it was lost and goes on; a query is answered by the new server. */
async function restarts() {
  const first = await startServer(['--console', 'off', '--sample', 'world']);
  const served = await serveConsole(first.endpoint, { Version: 'restarts' });
  const { page, end } = await open(served.page, '#/requests?view=lines');
  await page.getByText(/server \w/).first().waitFor();
  await api(first.endpoint, 'Scan', { TableName: 'cities', Limit: 7 });
  await page.getByRole('row').filter({ hasText: 'Scan' }).first().waitFor();
  await stop(first.server);
  await until(async () => /Trying again since/.test(await text(page.getByRole('main'))), 'the words of a lost ledger');
  await shot(page, 'faults-ledger-lost');
  const second = await startServer(['--console', 'off', '--sample', 'world'], first.port);
  await until(async () => !/Trying again since/.test(await text(page.getByRole('main'))), 'the ledger again', 30_000);
  await until(async () => /connection is back|Another server|anew/.test(await text(page.getByRole('main'))), 'the words of a new watch');
  is(await page.getByRole('row').filter({ hasText: 'Scan' }).count(), 1, 'lines that were there');
  await until(async () => {
    await api(second.endpoint, 'Scan', { TableName: 'cities', Limit: 9 });
    return (await page.getByRole('row').filter({ hasText: 'Scan' }).count()) > 1;
  }, 'lines of the new server');
  await shot(page, 'faults-ledger-found');
  await end();
  await served.close();
  await stop(second.server);
}

async function typeKeys(page, { id, secret, session }) {
  if ((await page.getByRole('dialog', { name: /Access/ }).count()) === 0) await page.getByRole('button', { name: /Access|credentials|AKID/ }).first().click();
  const dialog = page.getByRole('dialog', { name: /Access/ });
  await dialog.getByRole('textbox', { name: /Access key id/ }).fill(id);
  await dialog.getByLabel('Secret access key').fill(secret);
  await dialog.getByLabel('Session token').fill(session ?? '');
  await dialog.getByRole('button', { name: 'Use' }).click();
}

/** Credentials: asked for, wrong, right, of another time, expired; never kept. */
async function credentials() {
  const folder = mkdtempSync(join(tmpdir(), 'hashrange-console-'));
  const file = join(folder, 'credentials');
  writeFileSync(file, '[default]\naws_access_key_id = AKIDCONSOLE\naws_secret_access_key = correct-secret\n');
  const started = await startServer(['--console', 'off', '--credentials', file]);
  const between = await startBetween(started.endpoint);
  const served = await serveConsole(between.url, { NeedsKeys: true });
  const { page, end } = await open(served.page, '#/start');
  await page.getByRole('dialog', { name: /Access/ }).waitFor();
  await shot(page, 'faults-credentials-asked');
  await typeKeys(page, { id: 'AKIDCONSOLE', secret: 'wrong' });
  await until(async () => /(credentials|signature).*(Access)/i.test(await text(page.getByRole('main'))), 'the words of wrong credentials');
  await shot(page, 'faults-credentials-wrong');
  await typeKeys(page, { id: 'NOBODY', secret: 'wrong' });
  await until(async () => /(credentials|token|invalid).*(Access)/i.test(await text(page.getByRole('main'))), 'the words of unknown credentials');
  between.how = () => json(400, 'ExpiredTokenException', 'The security token included in the request is expired');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await until(async () => /token is past its time/.test(await text(page.getByRole('main'))), 'the words of an expired token');
  between.how = () => 'pass';
  is(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])).then((kept) => /correct-secret|wrong/.test(kept)), false, 'secrets that are kept');
  await end();
  between.close();
  await served.close();
  await signedBy(started);
  await stop(started.server);
  rmSync(folder, { recursive: true });
}

/** The right keys sign; a clock that is twenty minutes ahead has words of its own. */
async function signedBy(started) {
  const served = await serveConsole(started.endpoint, { NeedsKeys: true });
  const right = { id: 'AKIDCONSOLE', secret: 'correct-secret' };
  const { page, end } = await open(served.page, '#/start');
  await typeKeys(page, right);
  await page.getByRole('heading', { name: 'An empty database' }).waitFor();
  await page.reload();
  await page.getByRole('dialog', { name: /Access/ }).waitFor();
  await end();
  const ahead = await open(served.page, '#/start', () => {
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor(...args) { super(...(args.length === 0 ? [RealDate.now() + 1_200_000] : args)); }
      static now() { return RealDate.now() + 1_200_000; }
    };
  });
  await typeKeys(ahead.page, right);
  await until(async () => /clock differs/.test(await text(ahead.page.getByRole('main'))), 'the words of a clock');
  await shot(ahead.page, 'faults-clock');
  await ahead.end();
  await served.close();
}

/** Another implementation: tables, items and queries work, and a sentence says what it lacks. */
async function another(endpoint, name) {
  const served = await serveConsole(endpoint, { Version: name });
  await api(endpoint, 'CreateTable', { TableName: 'people', AttributeDefinitions: [{ AttributeName: 'city', AttributeType: 'S' }, { AttributeName: 'name', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'city', KeyType: 'HASH' }, { AttributeName: 'name', KeyType: 'RANGE' }], ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 } });
  await until(async () => (await api(endpoint, 'DescribeTable', { TableName: 'people' })).Table.TableStatus === 'ACTIVE', 'the table');
  for (const [city, person] of [['Oslo', 'Ida'], ['Oslo', 'Jon'], ['Bergen', 'Liv']]) await api(endpoint, 'PutItem', { TableName: 'people', Item: { city: { S: city }, name: { S: person }, n: { N: '1' } } });
  const { page, end } = await open(served.page, '#/items/people');
  await page.getByRole('gridcell', { name: 'Liv' }).waitFor();
  await page.getByRole('gridcell', { name: '1', exact: true }).first().dblclick();
  const box = page.getByRole('dialog', { name: 'Edit n' });
  await box.getByRole('textbox', { name: 'Value' }).fill('12345678901234567890123456789012345678');
  await box.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('gridcell', { name: '12345678901234567890123456789012345678' }).waitFor();
  await visit(page, '#/query/people');
  await page.getByRole('textbox', { name: 'city, value' }).fill('Oslo');
  await run(page);
  await until(async () => /2 returned of 2 examined/.test(await text(answer(page))), `a query of ${name}`);
  for (const [hash, words] of [['#/query/people', /What it will cost.*(does not have|left out)/], ['#/requests', /The ledger of requests.*(does not have|left out)/], ['#/keys/people?pk=%7B%22city%22%3A%7B%22S%22%3A%22Oslo%22%7D%7D', /does not have|left out/], ['#/server', /does not have|left out/], ['#/start', /left out/], [`#/explain/${encodeURIComponent('{"operation":"Scan","request":{"TableName":"people"}}')}`, /does not have|left out/]]) {
    await visit(page, hash);
    await until(async () => words.test(await text(page.getByRole('main'))), `what ${name} lacks on ${hash}`);
    await shot(page, `faults-${name}-${hash.replace(/\W+/g, '-').slice(0, 12)}`);
  }
  await end();
  await served.close();
}

async function dynalite() {
  const folder = process.env.DYNALITE;
  if (!folder || !existsSync(folder)) return console.log('dynalite: left out; DYNALITE names its folder');
  const { default: make } = await import(pathToFileURL(join(folder, 'index.js')).href);
  const server = make({ createTableMs: 0 });
  const port = await freePort();
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  await another(`http://127.0.0.1:${port}`, 'dynalite');
  server.close();
}

async function moto() {
  const endpoint = process.env.MOTO;
  if (!endpoint) return console.log('moto: left out; MOTO is its address');
  await another(endpoint, 'moto');
}

const parts = { faultsOfServers, restarts, credentials, dynalite, moto };
for (const [name, part] of Object.entries(parts)) {
  if (process.argv[2] && process.argv[2] !== name) continue;
  const began = Date.now();
  try {
    await part();
  } catch (error) {
    for (const context of browser.contexts()) for (const page of context.pages()) await shot(page, 'failed').catch(() => {});
    throw error;
  }
  console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
await browser.close();
