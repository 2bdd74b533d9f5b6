// The ledger: what reaches the server is there, what the page asks by itself is not; filters, a busy server, a restart, the
// bill.

import http from 'node:http';
import { axe, shot, startServer, visit } from './harness.mjs';
import { atMost, elements, frames, has, is, text, until, withOwn } from './own.mjs';

const rows = (page) => page.locator('.ledger-row');
const cells = async (row) => (await row.locator('[role=gridcell]').allInnerTexts()).map((one) => one.trim());

/** Sends requests as fast as they are answered, at most so many a second; returns how many it was. */
function drive(endpoint, aSecond, seconds) {
  const url = new URL(endpoint);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const bodies = [
    ['Query', { TableName: 'cities', KeyConditionExpression: 'country = :c AND begins_with(place, :p)', ExpressionAttributeValues: { ':c': { S: 'US' }, ':p': { S: 'FLORIDA#MIAMI' } } }],
    ['GetItem', { TableName: 'cities', Key: { country: { S: 'US' }, place: { S: 'TEXAS#HOUSTON#4699066' } } }],
    ['Query', { TableName: 'cities', KeyConditionExpression: 'country = :c', FilterExpression: 'population > :n', ExpressionAttributeValues: { ':c': { S: 'MC' }, ':n': { N: '500000' } } }],
    ['GetItem', { TableName: 'nowhere', Key: { a: { S: 'b' } } }],
  ].map(([operation, body]) => [operation, JSON.stringify(body)]);
  const began = Date.now();
  let [sent, answered] = [0, 0];
  const one = () =>
    new Promise((resolve) => {
      const [operation, body] = bodies[sent++ % 20 === 19 ? 3 : sent % 3];
      const headers = { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'content-type': 'application/x-amz-json-1.0', 'content-length': Buffer.byteLength(body), authorization: 'AWS4-HMAC-SHA256 Credential=driver/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=x' };
      const going = http.request({ host: url.hostname, port: url.port, method: 'POST', path: '/', agent, headers }, (answer) => {
        answer.resume();
        answer.on('end', () => (answered++, resolve()));
      });
      going.on('error', resolve);
      going.end(body);
    });
  const run = async () => {
    while (Date.now() < began + seconds * 1000) {
      const due = ((Date.now() - began) / 1000) * aSecond - sent;
      if (due < 1) await new Promise((go) => setTimeout(go, 5));
      else await one();
    }
  };
  return Promise.all([...Array(8)].map(run)).then(() => (agent.destroy(), answered / seconds));
}

const query = { TableName: 'cities', KeyConditionExpression: 'country = :c', FilterExpression: 'population > :p', ExpressionAttributeValues: { ':c': { S: 'NL' }, ':p': { N: '500000' } } };

await withOwn({ args: ['--sample', 'world'], hash: '#/requests' }, async ({ page, through, mock }) => {
  await page.getByText('Waiting for requests').waitFor();
  const answer = await through('Query', query);
  await through('GetItem', { TableName: 'nowhere', Key: { a: { S: '1' } } }).catch(() => {});
  await until(async () => (await rows(page).count()) === 2, 'two lines');
  const line = await cells(rows(page).nth(1));
  is([line[1], line[2], line[3]], ['test', 'Query', 'cities'], 'caller, operation, table');
  is([line[6], line[7]], [String(answer.ScannedCount), String(answer.Count)], 'examined and returned');
  has((await cells(rows(page).nth(0)))[11], /ResourceNotFound/, 'the outcome of a failure');
  // A while later the page has asked more than once, and none of that is there.
  await page.waitForTimeout(1200);
  is(await rows(page).count(), 2, 'lines, without those of the page');

  // By keyboard: the second line, explained.
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const detail = page.locator('.ledger-detail');
  has(await text(detail), /Query of cities/, 'the chosen request');
  await shot(page, 'requests-lines');
  await axe(page, 'the ledger, light');
  if ((await detail.getByRole('link', { name: 'Explain' }).count()) > 0) {
    await detail.getByRole('link', { name: 'Explain' }).click();
    await until(async () => /examines 411 items/.test(await text(page.locator('.funnel'))), 'the explanation of a line');
    await page.goBack();
  }

  // A filter is the server's: only what passes comes.
  await page.getByRole('button', { name: 'Failed' }).click();
  await page.getByText('No request has passed this filter yet.').waitFor();
  await page.waitForTimeout(800);
  await through('Query', query);
  await through('GetItem', { TableName: 'nowhere', Key: { a: { S: '1' } } }).catch(() => {});
  await until(async () => (await rows(page).count()) === 1, 'the failed one');
  has(page.url(), /failed=1/, 'the filter in the address');

  // Leaving ends the watch.
  const { stopped } = mock;
  await visit(page, '#/tables');
  await until(() => mock.stopped > stopped, 'the end of the watch');
});

await withOwn({ args: ['--sample', 'world'], hash: '#/requests', theme: 'dark' }, async ({ page, endpoint }) => {
  // Busy: patterns first, then lines, within bounds.
  const driven = drive(endpoint, 5000, 14);
  await page.getByRole('button', { name: 'Patterns', pressed: true }).waitFor();
  await until(async () => (await page.locator('.patterns tbody tr').count()) >= 4, 'the patterns');
  const measured = await frames(page, () => page.waitForTimeout(2500));
  console.log(`frames over patterns: 95 of 100 within ${measured.p95.toFixed(0)} ms, the longest ${measured.longest.toFixed(0)} ms`);
  await shot(page, 'requests-patterns-dark');
  await axe(page, 'patterns, dark');
  await page.getByRole('button', { name: 'Lines', exact: true }).click();
  const lines = await frames(page, () => page.waitForTimeout(3000));
  console.log(`frames over lines: 95 of 100 within ${lines.p95.toFixed(0)} ms, the longest ${lines.longest.toFixed(0)} ms`);
  const told = await text(page.locator('.ledger-told'));
  has(told, /lines here/, 'what is told of the lines');
  atMost(Number(/([\d,]+) lines? here/.exec(told)[1].replace(',', '')), 5000, 'lines that are kept');
  atMost(await elements(page), 2500, 'elements at 5,000 requests a second');
  // Scrolled away from the newest, the list stands still and counts what has come.
  await page.locator('.ledger').evaluate((element) => (element.scrollTop = 2000));
  await page.locator('.ledger-missed').waitFor();
  await page.locator('.ledger-missed').click();
  is(await page.locator('.ledger').evaluate((element) => element.scrollTop), 0, 'the newest again');
  await page.getByRole('button', { name: 'Pause' }).click();
  const before = await cells(rows(page).first());
  await page.waitForTimeout(900);
  is(await cells(rows(page).first()), before, 'a list that is paused');
  await shot(page, 'requests-busy-dark');
  console.log(`requests a second: ${(await driven).toFixed(0)}`);
  const memory = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  atMost(Math.round(memory / 1e6), 120, 'megabytes of the page');
});

await withOwn({ hash: '#/requests', width: 360, height: 740, mocked: ['WatchRequests', 'StopWatchingRequests'] }, async ({ page, mock }) => {
  await page.getByText('Waiting for requests').waitFor();
  const hurt = [];
  page.on('dialog', () => hurt.push(1));
  mock.add({ Operation: 'Query', Table: '<img src=x onerror=alert(1)>', Index: '\u202eabc', Pattern: `a\u0000${'\u0301'.repeat(5000)} = ?`, Caller: '__proto__', Agent: 'x'.repeat(5000), Examined: 10, ExaminedBytes: 1, Returned: 1, ReadUnits: 0.5, WriteUnits: 0, TookMs: 1, Status: 200, RequestBytes: 1, ResponseBytes: 1, Body: '{"TableName": "\\u202e<b>"}' });
  await rows(page).first().waitFor();
  await rows(page).first().click();
  await page.locator('.ledger-detail').waitFor();
  is(hurt, [], 'dialogs of a hostile line');
  is(await page.locator('main img').count(), 0, 'elements out of a line');
  await shot(page, 'requests-360');
  await axe(page, 'the ledger at 360 px');
  atMost(await page.evaluate(() => document.documentElement.scrollWidth), 360, 'width of the page');
  // The watch ends at the server, as by a restart: it begins anew, and says so.
  mock.watch++;
  mock.add({ Operation: 'Scan', Table: 't', Examined: 0, ExaminedBytes: 0, Returned: 0, ReadUnits: 0, WriteUnits: 0, TookMs: 1, Status: 200, RequestBytes: 1, ResponseBytes: 1 });
  await page.getByRole('button', { name: 'Close the request' }).click();
  mock.add({ Operation: 'Scan', Table: 't', Examined: 0, ExaminedBytes: 0, Returned: 0, ReadUnits: 0, WriteUnits: 0, TookMs: 1, Status: 200, RequestBytes: 1, ResponseBytes: 1 });
  await until(async () => /began anew/.test(await text(page.locator('.notices'))), 'the word of a new watch');
});

// A server that restarts: the page says that it is gone, and goes on by itself when it is back.
await withOwn({ hash: '#/requests', expected: [/ERR_|502|Failed to load/] }, async ({ page, server, port }) => {
  await page.getByText('Waiting for requests').waitFor();
  server.kill('SIGKILL');
  await until(async () => /Trying again/.test(await text(page.locator('.notices'))), 'the word of a lost connection', 30_000);
  await shot(page, 'requests-lost');
  const again = await startServer([], port);
  await until(async () => /began anew|Another server|is back/.test(await text(page.locator('.notices'))), 'the word of its return', 30_000);
  const { api } = await import('./harness.mjs');
  await api(`http://127.0.0.1:${port}`, 'ListTables', {});
  await until(async () => (await rows(page).count()) >= 1, 'a line of the new server');
  again.server.kill('SIGKILL');
});

await withOwn({ args: ['--sample', 'world'], hash: '#/requests/bill' }, async ({ page, call }) => {
  await page.getByRole('button', { name: 'Start recording' }).click();
  await page.getByRole('button', { name: 'Stop recording' }).waitFor();
  const answer = await call('Query', { ...query, ReturnConsumedCapacity: 'TOTAL' });
  await until(async () => /FILTER population > \?/.test(await text(page.locator('.bill'))), 'the kind of request', 20_000);
  const row = await text(page.locator('.bill tbody tr').first());
  has(row, new RegExp(`Query cities country = \\? FILTER population > \\? 1 ${answer.ConsumedCapacity.CapacityUnits} ${answer.ScannedCount} : ${answer.Count}`), 'the row of the bill');
  await shot(page, 'requests-bill');
  await axe(page, 'the bill');
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByRole('button', { name: 'Start recording' }).waitFor();
});

await withOwn({ hash: '#/requests', without: ['WatchRequests', 'DescribeRecording'] }, async ({ page }) => {
  await until(async () => /does not have the operation WatchRequests/.test(await text(page.locator('main'))), 'what the endpoint lacks');
  await visit(page, '#/requests/bill');
  await until(async () => /does not have the operation DescribeRecording/.test(await text(page.locator('main'))), 'what the endpoint lacks of the bill');
});

console.log('requests: well');
