// Makes the pictures of README and docs from the running product: npm run pictures. In light colours, at most 1,280 pixels
// wide. What depends on the moment, such as the port, is the same each time.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withPalette } from '../../tools/png.mjs';
import { api, visit, withConsole } from './harness.mjs';
import { text, until } from './own.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'docs', 'pictures');
const mostBytes = 300_000;
const size = { width: 1280, height: 800 };

const q = (draft) => encodeURIComponent(JSON.stringify(draft));
const shop = { pk: ['C-0004'], filters: [{ path: 'status', operator: '=', type: 'S', values: ['open'] }, { path: 'placed', operator: '>=', type: 'S', values: ['2026-11-01'] }] };
const request = { TableName: 'shop-orders', KeyConditionExpression: 'customer = :c', FilterExpression: '#s = :s AND placed >= :p', ExpressionAttributeNames: { '#s': 'status' }, ExpressionAttributeValues: { ':c': { S: 'C-0004' }, ':s': { S: 'open' }, ':p': { S: '2026-11-01' } } };
let total = 0;

async function take(page, name) {
  // The endpoint of a picture is that of the first steps.
  await page.evaluate(() => {
    const shown = document.querySelector('.endpoint');
    if (shown) shown.textContent = 'localhost:8000';
    document.querySelector('.toasts')?.remove();
    document.activeElement?.blur();
  });
  await page.mouse.move(0, 0);
  await page.waitForTimeout(300);
  const png = withPalette(await page.screenshot({ animations: 'disabled', caret: 'hide' }));
  writeFileSync(join(folder, `${name}.png`), png);
  total += png.length;
  console.log(`${name}.png ${png.length}`);
}

async function keys(page) {
  await visit(page, `#/keys/cities?pk=${encodeURIComponent('{"country":{"S":"US"}}')}`);
  await until(async () => (await text(page.locator('.ruler-total').first())).startsWith('7,018 items'), 'the ruler');
  await page.getByRole('tree').waitFor();
  await page.getByRole('combobox', { name: 'Operator' }).selectOption('begins_with');
  await page.getByRole('textbox', { name: 'Value' }).fill('FLORIDA#');
  await page.getByText(/examines 488 items/).first().waitFor();
  await take(page, 'console-keys');
}

async function query(page) {
  await page.setViewportSize({ ...size, height: 940 });
  await visit(page, `#/query/shop-orders?q=${q(shop)}&run=1`);
  await page.getByText('12 returned of 1,000 examined').waitFor();
  await page.getByText(/thrown away/).first().waitFor();
  await page.waitForTimeout(600);
  await take(page, 'console-query');
  await page.setViewportSize(size);
}

async function explain(page) {
  await visit(page, `#/explain/${encodeURIComponent(JSON.stringify({ operation: 'Query', request }))}`);
  await page.getByRole('button', { name: /^Try an index by/ }).first().click();
  await page.getByRole('button', { name: 'Create this index' }).waitFor();
  await page.getByRole('heading', { name: 'What if there were an index' }).evaluate((node) => node.closest('section').scrollIntoView({ block: 'end' }));
  await take(page, 'console-explain');
}

async function requests(page, endpoint) {
  await visit(page, '#/requests?view=lines');
  await page.getByText(/server \w/).first().waitFor();
  const end = Date.now() + 6000;
  const city = (country) => ({ TableName: 'cities', KeyConditionExpression: 'country = :c', ExpressionAttributeValues: { ':c': { S: country } }, Limit: 40 });
  const countries = ['NL', 'US', 'DE', 'FR', 'CH', 'SE', 'JP', 'BR'];
  for (let nth = 0; Date.now() < end; nth += 1) {
    if (nth % 3 !== 0) await api(endpoint, 'Query', city(countries[nth % 8]));
    if (nth % 5 === 0) await api(endpoint, 'GetItem', { TableName: 'shop-orders', Key: { customer: { S: 'C-0004' }, order_id: { S: 'O-0347849' } } });
    if (nth % 11 === 4) await api(endpoint, 'Query', request);
    if (nth % 17 === 8) await api(endpoint, 'UpdateItem', { TableName: 'shop-orders', Key: { customer: { S: 'C-0004' }, order_id: { S: 'O-0347849' } }, UpdateExpression: 'SET seen = :n', ExpressionAttributeValues: { ':n': { N: String(nth) } } });
    if (nth % 29 === 20) await api(endpoint, 'PutItem', { TableName: 'shop-orders', Item: { customer: { S: 'C-0004' } } }).catch(() => {});
    if (nth % 23 === 12) await api(endpoint, 'Scan', { TableName: 'shop-orders', FilterExpression: '#s = :s', ExpressionAttributeNames: { '#s': 'status' }, ExpressionAttributeValues: { ':s': { S: 'returned' } } });
    await new Promise((go) => setTimeout(go, 12 + (nth * 7) % 40));
  }
  await page.waitForTimeout(1500);
  await page.getByRole('row').filter({ hasText: 'GetItem' }).first().waitFor();
  await take(page, 'console-requests');
}

mkdirSync(folder, { recursive: true });
await withConsole({ args: ['--console', 'off', '--sample', 'world'], ...size }, async ({ page, endpoint }) => {
  await api(endpoint, 'LoadSample', { Name: 'shop' }, true);
  await page.reload();
  await keys(page);
  await query(page);
  await explain(page);
  await requests(page, endpoint);
});
console.log(`${total} bytes, at most ${mostBytes}`);
if (total > mostBytes) throw new Error('the pictures are too large');
