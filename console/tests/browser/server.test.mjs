// The screen of the server: its figures are those of DescribeServer; charts by keyboard and as tables; a server that refuses
// writes, that has a banner, that goes away, that has nothing of it.

import { api, axe, shot } from './harness.mjs';
import { atMost, elements, has, is, text, until, withOwn } from './own.mjs';

const whole = (n) => n.toLocaleString('en-US', { maximumFractionDigits: 0 });

await withOwn({ hash: '#/server', mocked: ['DescribeServer'] }, async ({ page, front }) => {
  await page.locator('.chart').first().waitFor();
  const described = await api(front, 'DescribeServer', {}, true);
  has(await text(page.locator('.screen-head')), new RegExp(`^${described.Server.Name} takes reads and writes`), 'who answers');
  has(await text(page.locator('.server-facts')), /memory 80.4 MB .*connections 24/, 'the figures');
  const last = described.Points.at(-1).Operations.find((one) => one.Operation === 'Scan');
  const row = await text(page.locator('.operations-table tr', { hasText: 'Scan' }));
  has(row, new RegExp(`^Scan ${(last.Requests / 10).toLocaleString('en-US', { maximumFractionDigits: 1 })}`), 'the row of an operation');
  const jobs = await text(page.locator('.jobs'));
  has(jobs, /fills the index by-name of cities/, 'a job');
  has(jobs, /of 46,570 items, 9,300 a second/, 'its progress');
  has(await text(page.locator('.servers-table')), /second 10.0.0.2:8000/, 'the other server');

  // A chart by keyboard, and as a table.
  const chart = page.locator('.chart', { hasText: 'Requests' }).first();
  await chart.getByRole('slider').focus();
  await page.keyboard.press('Home');
  const first = described.Points[0];
  await until(async () => (await chart.getByRole('slider').getAttribute('aria-valuetext')).includes(`requests a second ${whole(first.Requests / 10)}`), 'the value an hour ago');
  await chart.getByRole('button', { name: 'As table' }).click();
  is(await chart.locator('tbody tr').count(), described.Points.length, 'rows of the table');
  await chart.getByRole('button', { name: 'As table' }).click();
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('GetItem');
  has(await text(page.locator('.latency')), /p50 0.21 ms/, 'the latency of one operation');
  atMost(await elements(page), 900, 'elements of the screen');
  await shot(page, 'server');
  await axe(page, 'the server, light');
});

await withOwn({ hash: '#/server', theme: 'dark', width: 360, height: 740, mocked: ['DescribeServer'] }, async ({ page, mock }) => {
  mock.change = (described) => {
    described.Server.TakesWrites = false;
    described.Server.WhyNoWrites = 'the disk is full: \u202e<b>12 bytes</b> are left';
    described.Server.Banner = 'PRODUCTION <script>';
    described.Now.Panics = 3;
    return described;
  };
  await until(async () => /takes no writes/.test(await text(page.locator('.screen-head'))), 'a server that refuses writes');
  has(await text(page.locator('.refused')), /the disk is full: \\u\{202e\}<b>12 bytes<\/b> are left/, 'its reason');
  has(await text(page.locator('.server-banner')), /PRODUCTION <script>/, 'its banner');
  await shot(page, 'server-360-dark');
  await axe(page, 'the server at 360 px, dark');
  atMost(await page.evaluate(() => document.documentElement.scrollWidth), 360, 'width of the page');
});

await withOwn({ hash: '#/server', expected: [/ERR_|502|Failed to load/], mocked: ['DescribeServer'] }, async ({ page, mock }) => {
  await page.locator('.chart').first().waitFor();
  mock.isGone = true;
  await until(async () => (await page.getByRole('alert').count()) > 0, 'the words for a lost connection');
  has(await text(page.getByRole('alert')), /What stands below is from/, 'what is still shown');
  is(await page.locator('.chart').count() > 0, true, 'the charts');
  mock.isGone = false;
  await until(async () => (await page.getByRole('alert').count()) === 0, 'the server again');
});

await withOwn({ hash: '#/server', without: ['DescribeServer'] }, async ({ page }) => {
  await until(async () => /does not have the operation DescribeServer/.test(await text(page.locator('main'))), 'what the endpoint lacks');
  has(await text(page.locator('main')), /tables 0/, 'what it tells anybody');
  await shot(page, 'server-elsewhere');
});

await withOwn({ hash: '#/server' }, async ({ page, call }) => {
  await page.locator('.server-facts').waitFor();
  const described = await call('DescribeServer', {}, true);
  has(await text(page.locator('.screen-head')), new RegExp(described.Server.Version.replaceAll('.', '\\.')), 'the version');
  await shot(page, 'server-real');
});

console.log('server: well');
