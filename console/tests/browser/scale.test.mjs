// Large things: 100,000 folders, an item of nearly 400 KB with 5,000 attributes, thousands of requests a second. Elements,
// requests, bytes and lines have bounds; times of frames and the page's memory are printed, as they depend on the machine.

import { Agent, request } from 'node:http';
import { api, shot, visit, withConsole } from './harness.mjs';
import { elements, frames, text, until } from './own.mjs';

const folders = 100_000;
const mostElements = 5000;

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const authorization = `AWS4-HMAC-SHA256 Credential=load/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;

/** Sends a request without reading its answer as JSON; fetch is too slow for thousands a second. */
function send(endpoint, operation, body) {
  return new Promise((done, fail) => {
    const sent = request(endpoint, { method: 'POST', agent, headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${operation}`, authorization, 'content-length': Buffer.byteLength(body) } }, (answer) => {
      answer.resume().on('end', () => done(answer.statusCode));
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

async function create(endpoint, name) {
  await api(endpoint, 'CreateTable', { TableName: name, AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'sk', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }], BillingMode: 'PAY_PER_REQUEST' });
}

const skOf = (nth) => `folder-${String(nth).padStart(6, '0')}#item`;

async function loadFolders(endpoint) {
  await create(endpoint, 'folders');
  const began = Date.now();
  let next = 0;
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (next < folders) {
      const from = next;
      next += 25;
      const puts = Array.from({ length: 25 }, (_, nth) => ({ PutRequest: { Item: { pk: { S: 'all' }, sk: { S: skOf(from + nth) }, n: { N: String(from + nth) } } } }));
      await send(endpoint, 'BatchWriteItem', JSON.stringify({ RequestItems: { folders: puts } }));
    }
  }));
  console.log(`figure: ${folders} items written in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

async function memory(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  const of = (name) => metrics.find((one) => one.name === name)?.value ?? 0;
  return { heapMb: of('JSHeapUsedSize') / 2 ** 20, nodes: of('Nodes'), listeners: of('JSEventListeners') };
}

async function bound(page, what, run) {
  const asked = { requests: 0, bytes: 0 };
  const count = (one) => {
    if (one.method() !== 'POST') return;
    asked.requests += 1;
  };
  const weigh = async (answer) => {
    if (answer.request().method() === 'POST') asked.bytes += (await answer.body().catch(() => '')).length;
  };
  page.on('request', count);
  page.on('response', weigh);
  const times = await frames(page, run);
  page.off('request', count);
  page.off('response', weigh);
  const found = await elements(page);
  const { heapMb, nodes } = await memory(page);
  console.log(`figure: ${what}: ${found} elements, ${nodes} nodes with those that are let go, ${heapMb.toFixed(1)} MB of heap, ${asked.requests} requests, ${(asked.bytes / 1024).toFixed(0)} KB; frames ${times.frames}, 95 of 100 under ${times.p95.toFixed(0)} ms, longest ${times.longest.toFixed(0)} ms`);
  if (found > mostElements) throw new Error(`${what}: ${found} elements`);
  return asked;
}

function atMostOf(asked, most, what) {
  if (asked.requests > most.requests || asked.bytes > most.bytes) throw new Error(`${what}: ${JSON.stringify(asked)}, at most ${JSON.stringify(most)}`);
}

/** The ruler of 100,000 folders: opened, counted on, zoomed into. */
async function rulerOf(page) {
  const total = page.locator('.ruler-total').first();
  const asked = await bound(page, 'ruler of 100,000 folders', async () => {
    await visit(page, `#/keys/folders?pk=${encodeURIComponent('{"pk":{"S":"all"}}')}`);
    await until(async () => /items/.test(await text(total)), 'the ruler');
    await until(async () => /^100,000 items/.test(await text(total)) || (await page.getByRole('button', { name: 'Count on' }).count()) > 0, 'its count', 30_000);
  });
  atMostOf(asked, { requests: 60, bytes: 4 << 20 }, 'the ruler');
  const draws = Number(await page.locator('.ruler canvas').first().getAttribute('data-calls'));
  console.log(`figure: ruler of 100,000 folders: ${draws} calls to draw it`);
  if (draws > 4000) throw new Error(`${draws} calls to draw a ruler`);
  await shot(page, 'scale-ruler');
  const zoomed = await bound(page, 'ruler, moved by keyboard', async () => {
    await page.getByRole('listbox', { name: 'Segments of the ruler' }).focus();
    for (let nth = 0; nth < 60; nth += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await new Promise((go) => setTimeout(go, 700));
  });
  atMostOf(zoomed, { requests: 30, bytes: 2 << 20 }, 'moving on the ruler');
  await shot(page, 'scale-ruler-opened');
}

/** Page after page of a thousand items, scrolled to their end; the answers are those of the service. */
async function grid(page, endpoint) {
  await visit(page, '#/items/folders');
  await page.getByRole('grid').waitFor();
  await page.getByRole('combobox', { name: 'Items a page' }).selectOption({ label: '1,000 items a page' });
  const seen = [];
  const asked = await bound(page, 'grid, ten pages of 1,000', async () => {
    for (let nth = 0; nth < 10; nth += 1) {
      await page.getByRole('gridcell', { name: skOf(nth * 1000), exact: true }).waitFor();
      seen.push(nth);
      await page.getByRole('grid').evaluate(async (node) => {
        const scrolled = [node, ...node.querySelectorAll('*')].find((one) => one.scrollHeight > one.clientHeight + 200) ?? node;
        for (let to = 0; to <= 1; to += 0.1) {
          scrolled.scrollTop = to * scrolled.scrollHeight;
          await new Promise((go) => requestAnimationFrame(go));
        }
      });
      await page.getByRole('gridcell', { name: skOf(nth * 1000 + 999), exact: true }).waitFor();
      if (nth < 9) await page.getByRole('button', { name: 'Next page' }).click();
    }
  });
  atMostOf(asked, { requests: 25, bytes: 3 << 20 }, 'ten pages');
  const answer = await api(endpoint, 'Scan', { TableName: 'folders', Limit: 10_000 });
  if (answer.Items.at(-1).sk.S !== skOf(9999)) throw new Error('the last item of ten pages is another one');
}

async function wideItem(page, endpoint) {
  const Item = { pk: { S: 'wide' }, sk: { S: '1' } };
  for (let nth = 0; nth < 5000; nth += 1) Item[`attribute-${String(nth).padStart(4, '0')}`] = { S: 'x'.repeat(62) };
  await create(endpoint, 'wide');
  for (let nth = 0; nth < 4; nth += 1) await api(endpoint, 'PutItem', { TableName: 'wide', Item: { ...Item, sk: { S: String(nth) } } });
  await bound(page, 'four items of 5,000 attributes', async () => {
    await visit(page, '#/items/wide');
    await page.getByRole('gridcell', { name: 'wide' }).first().waitFor();
    await page.getByRole('grid').focus();
    for (let nth = 0; nth < 40; nth += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await page.getByRole('columnheader', { name: /attribute-4999/ }).waitFor();
    await page.getByRole('button', { name: 'Open row 1', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Filter attributes' }).fill('4321');
    await page.getByRole('complementary', { name: 'Item' }).getByText('attribute-4321').waitFor();
    await page.getByRole('searchbox', { name: 'Filter attributes' }).fill('');
  });
  await shot(page, 'scale-wide');
}

/** A load for some seconds; returns how many were answered. */
async function load(endpoint, ms) {
  const body = JSON.stringify({ TableName: 'folders', Key: { pk: { S: 'all' }, sk: { S: skOf(7) } } });
  const wrong = JSON.stringify({ TableName: 'folders', Key: { pk: { S: 'all' } } });
  const end = Date.now() + ms;
  let sent = 0;
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (Date.now() < end) {
      sent += 1;
      await send(endpoint, 'GetItem', sent % 500 === 0 ? wrong : body);
    }
  }));
  return sent;
}

async function ledger(page, endpoint) {
  await visit(page, '#/requests?view=lines');
  await page.getByText(/server \w/).first().waitFor();
  let sent = 0;
  const seconds = 6;
  const asked = await bound(page, 'ledger under load', async () => {
    sent = await load(endpoint, seconds * 1000);
    await new Promise((go) => setTimeout(go, 1200));
  });
  console.log(`figure: ledger: ${(sent / seconds).toFixed(0)} requests a second of the load, ${await text(page.locator('.ledger-told'))}`);
  atMostOf(asked, { requests: 5 * seconds, bytes: 1 << 20 }, 'polls of the ledger');
  const kept = Number((await text(page.locator('.ledger-told'))).match(/^([\d,]+) lines?/)[1].replace(',', ''));
  if (kept > 2000) throw new Error(`${kept} lines are kept`);
  await shot(page, 'scale-ledger');
  await visit(page, '#/requests?view=patterns');
  await page.getByRole('row').filter({ hasText: 'GetItem' }).first().waitFor();
  await bound(page, 'patterns under load', () => load(endpoint, 2000));
  await shot(page, 'scale-patterns');
}

await withConsole({ args: ['--console', 'off'] }, async ({ page, endpoint }) => {
  await loadFolders(endpoint);
  await page.reload();
  await rulerOf(page);
  await grid(page, endpoint);
  await wideItem(page, endpoint);
  await ledger(page, endpoint);
  agent.destroy();
});
