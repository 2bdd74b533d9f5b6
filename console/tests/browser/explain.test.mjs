// The screen of explanations: its figures against the service's answers, advice by its buttons, an index that is supposed,
// made and then asked; writes, transactions, statements; a server that goes away.

import { axe, shot, stop, visit } from './harness.mjs';
import { atMost, elements, has, is, text, until, withOwn } from './own.mjs';

const to = (operation, request) => `#/explain/${encodeURIComponent(JSON.stringify({ operation, request }))}`;
const asked = (page) => JSON.parse(decodeURIComponent(new URL(page.url()).hash.split('/')[2]));
const funnel = async (page) => {
  const rows = await page.locator('.funnel').first().locator('tbody tr').all();
  return Object.fromEntries(await Promise.all(rows.map(async (row) => [await text(row.locator('th')), await text(row.locator('td').first())])));
};

const waste = { TableName: 'cities', KeyConditionExpression: 'country = :c', FilterExpression: 'population > :p', ExpressionAttributeValues: { ':c': { S: 'NL' }, ':p': { N: '500000' } } };
const byName = { TableName: 'cities', KeyConditionExpression: 'country = :c', FilterExpression: 'city = :n', ExpressionAttributeValues: { ':c': { S: 'US' }, ':n': { S: 'Miami' } } };

await withOwn({ args: ['--sample', 'world'], hash: to('Query', waste) }, async ({ page, call }) => {
  // The plan, then the run, against the answer of the request itself.
  const answer = await call('Query', { ...waste, ReturnConsumedCapacity: 'TOTAL' });
  await until(async () => (await funnel(page)).examines === `${answer.ScannedCount} items`, 'the plan');
  await page.getByRole('button', { name: 'Run it' }).click();
  await until(async () => (await funnel(page)).returned === `${answer.Count} items`, 'the run');
  is(await funnel(page), { examined: `${answer.ScannedCount} items`, 'thrown away': `${answer.ScannedCount - answer.Count} items`, returned: `${answer.Count} items` }, 'the funnel');
  has(await text(page.locator('.facts')), new RegExp(`${answer.ConsumedCapacity.CapacityUnits} read units on the table`), 'the units');
  await until(async () => (await page.locator('.ruler canvas[data-calls]').count()) > 0, 'the ruler');
  atMost(await elements(page), 900, 'elements of the screen');
  await shot(page, 'explain-waste');
  await axe(page, 'explain, light');

  // Advice with an index that is there: asked through it, only what is kept is examined.
  await page.getByRole('link', { name: 'Ask through the index by-population' }).click();
  await until(async () => (await funnel(page).catch(() => ({}))).examines === `${answer.Count} items`, 'the plan through the index');
  is(asked(page).request.IndexName, 'by-population', 'the index that is asked');
  await page.goBack();
  await until(async () => (await funnel(page).catch(() => ({}))).examines === `${answer.ScannedCount} items`, 'back again');
});

await withOwn({ args: ['--sample', 'world'], hash: to('Query', { TableName: 'cities', KeyConditionExpression: 'country = :c AND begins_with(place, :p)', ExpressionAttributeValues: { ':c': { S: 'US' }, ':p': { S: 'FLORIDA#' } } }) }, async ({ page, call }) => {
  // An end that is dragged over several segments is asked when it rests.
  const upper = page.getByRole('slider', { name: 'Upper end of the range' });
  const box = await upper.boundingBox();
  await page.mouse.move(box.x + 12, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 20, { steps: 20 });
  await page.mouse.up();
  await until(async () => /BETWEEN/.test(asked(page).request.KeyConditionExpression), 'the request of the dragged range');
  const answer = await call('Query', { ...asked(page).request, Select: 'COUNT' });
  if (answer.Count < 1500) throw new Error(`the end stopped after ${answer.Count} items`);
  await until(async () => /place <= 'ILL|place <= 'IND|place <= '[I-P]/.test(await text(page.locator('.asks'))), 'the range in words');
  await shot(page, 'explain-dragged');
});

await withOwn({ args: ['--sample', 'world'], hash: to('Query', byName), theme: 'dark' }, async ({ page, call }) => {
  // An index that is not there: beside the request, then made, then asked.
  await page.getByRole('button', { name: 'Try an index by country, city' }).click();
  await page.locator('.compared').waitFor();
  const row = (name) => page.locator('.compared tr', { has: page.getByRole('rowheader', { name, exact: true }) });
  has(await text(row('examines')), /^examines 1,000 to 46,570 items 2 items$/, 'the items of both');
  has(await text(row('read units')), /0.5$/, 'the units with the index');
  is(await page.locator('.what-if .ruler canvas').count(), 1, 'the ruler of the supposed index');
  await shot(page, 'explain-what-if');
  await axe(page, 'a supposed index, dark');
  await page.getByRole('button', { name: 'Create this index' }).click();
  const dialog = page.getByRole('dialog');
  has(await text(dialog), /"IndexName": "by-city"/, 'the request that is shown first');
  is((await call('DescribeTable', { TableName: 'cities' })).Table.GlobalSecondaryIndexes.some((one) => one.IndexName === 'by-city'), false, 'an index before it was sent');
  await dialog.getByRole('button', { name: 'Create the index' }).click();
  await dialog.getByRole('button', { name: 'Ask again through by-city' }).click({ timeout: 60_000 });
  await until(async () => (await funnel(page).catch(() => ({}))).examines === '2 items', 'the plan through the new index');
  const answer = await call('Query', asked(page).request);
  is([answer.Count, answer.ScannedCount], [2, 2], 'the answer through the new index');
  await shot(page, 'explain-through');
});

await withOwn({ args: ['--sample', 'world'], width: 360, height: 740 }, async ({ page, call }) => {
  // A write is decided, shown, and carried out only when that was said.
  const item = { country: { S: 'US' }, place: { S: 'FLORIDA#X#1' }, city: { S: 'X' }, population: { N: '2' } };
  const key = { country: item.country, place: item.place };
  await visit(page, to('PutItem', { TableName: 'cities', Item: item }));
  await until(async () => /nothing was written yet/.test(await text(page.locator('main'))), 'the plan of a write');
  await axe(page, 'a write at 360 px');
  atMost(await page.evaluate(() => document.documentElement.scrollWidth), 360, 'width of the page');
  await page.getByRole('button', { name: 'Run it' }).click();
  has(await text(page.getByRole('dialog')), /carries PutItem out/, 'what it says first');
  await page.getByRole('button', { name: 'Cancel' }).click();
  is((await call('GetItem', { TableName: 'cities', Key: key })).Item, undefined, 'an item after Cancel');
  await page.getByRole('button', { name: 'Run it' }).click();
  await page.getByRole('button', { name: 'Run and write' }).click();
  await until(async () => (await call('GetItem', { TableName: 'cities', Key: key })).Item !== undefined, 'the item');
  await until(async () => /it ran/.test(await text(page.locator('.state'))), 'the word that it ran');
  await shot(page, 'explain-write-360');

  // In read-only mode nothing is written.
  await page.getByRole('button', { name: /Read-only mode is off/ }).click();
  await visit(page, to('DeleteItem', { TableName: 'cities', Key: key }));
  await page.getByRole('button', { name: 'Run it' }).click();
  await page.getByRole('button', { name: 'Run and write' }).click();
  await until(async () => /read-only mode/.test(await text(page.getByRole('alert'))), 'the refusal of the page');
  is((await call('GetItem', { TableName: 'cities', Key: key })).Item?.city, { S: 'X' }, 'the item in read-only mode');

  // Several parts, one of them refused.
  const check = { ConditionCheck: { TableName: 'cities', Key: { country: { S: 'NL' }, place: { S: 'nowhere' } }, ConditionExpression: 'attribute_exists(country)' } };
  await visit(page, to('TransactWriteItems', { TransactItems: [{ Put: { TableName: 'cities', Item: item } }, check] }));
  await until(async () => /Nothing is done/.test(await text(page.locator('.together'))), 'what refuses a transaction');
  is(await page.locator('.steps details').count(), 2, 'the parts');
  await shot(page, 'explain-transaction-360');
});

await withOwn({ args: ['--sample', 'world'], expected: [/ERR_CONNECTION|502|Failed to load/] }, async ({ page, server }) => {
  await visit(page, to('ExecuteStatement', { Statement: "SELECT city FROM cities WHERE capital = 'yes'" }));
  await page.getByRole('link', { name: 'Ask "cities"."capitals"' }).click();
  await until(async () => /the whole index|all of one partition/.test(await text(page.locator('.facts'))), 'the statement through the index');

  // What cannot be explained says so in the server's sentence; what was typed stays.
  await visit(page, to('Query', { TableName: 'cities', KeyConditionExpression: 'place = :p', ExpressionAttributeValues: { ':p': { S: '<b>x</b>' } } }));
  await until(async () => /missed key schema element: country/.test(await text(page.getByRole('alert'))), 'the sentence of the server');
  await page.getByRole('button', { name: 'Request', exact: true }).click();
  await page.getByRole('textbox', { name: 'Request, in DynamoDB\'s JSON' }).fill('{"TableName": "cities", "KeyConditionExpression": "country = :c"');
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await until(async () => (await page.locator('.field-fault').count()) === 1, 'a fault of what was typed');
  await stop(server);
  await page.getByRole('textbox', { name: 'Request, in DynamoDB\'s JSON' }).fill('{"TableName": "cities", "Limit": 5}');
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('Scan');
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await until(async () => (await page.getByRole('alert').count()) > 0, 'the words for a lost connection');
  is(asked(page), { operation: 'Scan', request: { TableName: 'cities', Limit: 5 } }, 'what was typed');
  await shot(page, 'explain-lost');
});

console.log('explain: well');
