// The walk of somebody who has never seen the product: from an empty server to an answer for half a unit, with the sample
// and then with a file of his own. It finds things by their roles and words alone, as a reader does.

import { api, shot, withConsole } from './harness.mjs';
import { has, is, text, until } from './own.mjs';

const ordersOf = { customer: 'C-0003', status: 'open', from: '2026-11-01' };

/** Returns a picker of steps: each ends with a picture. */
function steps(page, name) {
  let nth = 0;
  return async (words, run) => {
    nth += 1;
    try {
      await run();
    } catch (error) {
      error.message = `${name}, step ${nth}, ${words}: ${error.message}`;
      throw error;
    }
    await shot(page, `walk-${name}-${nth}-${words.replace(/[^a-z]+/gi, '-')}`);
  };
}

async function answersOf(endpoint, table, { customer, status, from }, names) {
  return api(endpoint, 'Query', {
    TableName: table,
    KeyConditionExpression: '#c = :c',
    FilterExpression: '#s = :s AND #p >= :p',
    ExpressionAttributeNames: { '#c': names.customer, '#s': names.status, '#p': names.placed },
    ExpressionAttributeValues: { ':c': { S: customer }, ':s': { S: status }, ':p': { S: from } },
  });
}

/** Adds a filter to the form of queries. */
async function addFilter(page, nth, path, operator, value) {
  await page.getByRole('button', { name: 'Add a filter' }).click();
  const row = page.getByRole('group', { name: `Filter ${nth}`, exact: true });
  await row.getByRole('combobox', { name: 'Attribute' }).fill(path);
  await row.getByRole('combobox', { name: 'Operator' }).selectOption(operator);
  await row.getByRole('textbox', { name: 'Value', exact: true }).fill(value);
}

/** Asks for the open orders of a customer's last month, is told the waste, supposes an index, makes it, asks again. */
async function fromQuestionToIndex({ page, endpoint, step, table, names, asked }) {
  const expected = await answersOf(endpoint, table, asked, names);
  await step('asks by the form', async () => {
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Query' }).click();
    await page.getByRole('textbox', { name: `${names.customer}, value` }).fill(asked.customer);
    await addFilter(page, 1, names.status, '=', asked.status);
    await addFilter(page, 2, names.placed, '>=', asked.from);
    await until(async () => /thrown away/.test(await text(page.getByRole('region', { name: 'What is asked' }))), 'the prediction');
  });
  await step('is shown what the filter threw away', async () => {
    await page.getByRole('region', { name: 'What is asked' }).getByRole('button', { name: 'Run' }).click();
    const answer = page.getByRole('region', { name: 'Answer' });
    await until(async () => (await text(answer)).includes(`${expected.Count} returned of ${expected.ScannedCount.toLocaleString('en-US')} examined`), 'the answer');
    has(await text(answer), /9[78]\.\d % (was )?(paid for, )?thrown away|9[78](\.\d)? %/, 'the waste');
  });
  await step('explains it', async () => {
    await page.getByRole('link', { name: 'Explain', exact: true }).last().click();
    await page.getByRole('heading', { name: new RegExp(`Query of ${table}`) }).waitFor();
    await until(async () => /9[78](\.\d)? %/.test(await text(page.getByRole('main'))), 'the share that is thrown away');
  });
  await step('sees the index before it exists', async () => {
    await page.getByRole('button', { name: /^Try an index by/ }).first().click();
    await page.getByRole('heading', { name: 'What if there were an index' }).waitFor();
    await page.getByRole('table').filter({ hasText: 'read units' }).last().waitFor();
    const compared = await text(page.getByRole('table').filter({ hasText: 'a million such requests' }));
    has(compared, /read units [\d. to]+ (0\.5|1)/, 'the units with the index');
    has(compared, new RegExp(`examines [\\d, to]+ items? ${expected.Count} items`), 'the items with the index');
  });
  await step('makes it', async () => {
    await page.getByRole('button', { name: 'Create this index' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Create/ }).click();
    await until(async () => {
      const { Table } = await api(endpoint, 'DescribeTable', { TableName: table });
      return Table.GlobalSecondaryIndexes?.every((one) => one.IndexStatus === 'ACTIVE');
    }, 'the index');
  });
  await step('asks again', async () => {
    await page.getByRole('dialog').getByRole('button', { name: /^Ask again through/ }).click();
    await page.getByRole('heading', { name: new RegExp(`Query of ${table}, index`) }).waitFor();
    await page.getByRole('button', { name: 'Run it' }).click();
    await page.getByText('it ran: figures are counted').waitFor();
    await until(async () => /0\.5 read units?/.test(await text(page.getByRole('main'))), 'half a unit');
  });
}

/** A script beside the page sends a Scan; it is found in the ledger. */
async function findsTheScan({ page, endpoint, step, table, examined }) {
  await step('finds the Scan of a script', async () => {
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Requests' }).click();
    await page.getByText(/Waiting for requests|lines? here/).first().waitFor();
    await page.getByText(/server /).first().waitFor();
    const { ScannedCount } = await api(endpoint, 'Scan', { TableName: table, FilterExpression: '#s = :s', ExpressionAttributeNames: { '#s': 'nothing' }, ExpressionAttributeValues: { ':s': { S: 'of it' } } });
    const row = page.getByRole('row').filter({ hasText: 'Scan' }).filter({ hasText: table });
    await row.first().waitFor();
    has(await text(row.first()), new RegExp(ScannedCount.toLocaleString('en-US')), 'what the Scan examined');
    is(ScannedCount <= examined, true, 'what was examined');
    await row.first().click();
    await page.getByText(/nothing/).first().waitFor();
  });
}

await withConsole({ args: ['--console', 'off'] }, async ({ page, endpoint }) => {
  const step = steps(page, 'shop');
  await step('opens an empty server', async () => {
    await page.getByRole('heading', { name: 'An empty database' }).waitFor();
  });
  await step('loads the sample', async () => {
    await page.getByRole('button', { name: 'Load the sample shop' }).click();
    await page.getByRole('grid', { name: 'Items of shop-orders' }).waitFor();
  });
  await fromQuestionToIndex({ page, endpoint, step, table: 'shop-orders', names: { customer: 'customer', status: 'status', placed: 'placed' }, asked: ordersOf });
  await findsTheScan({ page, endpoint, step, table: 'shop-orders', examined: 20_000 });
});

const digits = '12345678901234567890123456789012345678';

/** Returns ten thousand orders as CSV: numbers of 38 digits, leading zeros, quoted text of several lines. */
function ownFile() {
  const rows = ['client,order,state,day,amount,zip,words'];
  const days = (nth) => `2026-${String(1 + (nth % 11)).padStart(2, '0')}-${String(1 + (nth % 28)).padStart(2, '0')}`;
  for (let nth = 0; nth < 10_000; nth += 1) {
    const client = nth % 10 === 0 ? 'K1' : `K${2 + (nth % 400)}`;
    const order = String((nth * 7919) % 100_003).padStart(6, '0');
    const amount = `${digits.slice(0, 32)}${String(nth).padStart(6, '0')}`;
    rows.push(`${client},${order},${nth % 7 === 0 ? 'open' : 'done'},${days(nth)},${amount},${String(nth % 1000).padStart(5, '0')},${nth % 3 === 0 ? '"two\nlines, ""quoted"""' : 'Grüße'}`);
  }
  return `${rows.join('\r\n')}\r\n`;
}

async function allOf(endpoint, table) {
  const items = [];
  let start;
  do {
    const answer = await api(endpoint, 'Scan', { TableName: table, ExclusiveStartKey: start });
    items.push(...answer.Items);
    start = answer.LastEvaluatedKey;
  } while (start);
  return items;
}

/** Compares what is stored with the file, by the order's number. */
function compare(items, csv) {
  const lines = csv.slice(csv.indexOf('\r\n') + 2, -2).split('\r\n');
  is(items.length, lines.length, 'the rows');
  const stored = new Map(items.map((item) => [item.order.S, item]));
  for (const line of lines) {
    const [client, order, state, day, amount, zip] = line.split(',');
    const words = line.includes('"') ? 'two\nlines, "quoted"' : 'Grüße';
    is(stored.get(order), { client: { S: client }, order: { S: order }, state: { S: state }, day: { S: day }, amount: { N: amount }, zip: { S: zip }, words: { S: words } }, `order ${order}`);
  }
}

/** Returns an item with its attributes in the order of their names. */
const sorted = (item) => Object.fromEntries(['client', 'order', 'state', 'day', 'amount', 'zip', 'words'].map((name) => [name, item[name]]));

await withConsole({ args: ['--console', 'off'] }, async ({ page, endpoint }) => {
  const step = steps(page, 'file');
  const csv = ownFile();
  await step('drops a file', async () => {
    await page.getByRole('heading', { name: 'An empty database' }).waitFor();
    const transfer = await page.evaluateHandle((content) => {
      const data = new DataTransfer();
      data.items.add(new File([content], 'my orders.csv', { type: 'text/csv' }));
      return data;
    }, csv);
    await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await page.getByRole('dialog', { name: 'Import my orders.csv' }).waitFor();
    await page.getByText('10,000 rows, each with a key of its own.').waitFor();
  });
  await step('imports it', async () => {
    const dialog = page.getByRole('dialog');
    is(await dialog.getByRole('combobox', { name: 'Type of zip' }).inputValue(), 'S', 'the type of leading zeros');
    is(await dialog.getByRole('combobox', { name: 'Type of amount' }).inputValue(), 'N', 'the type of amounts');
    await dialog.getByRole('combobox', { name: 'Partition key' }).selectOption('client');
    await dialog.getByRole('combobox', { name: 'Sort key' }).selectOption('order');
    await dialog.getByRole('button', { name: /^Create the table and put/ }).click();
    await dialog.getByRole('button', { name: 'Show the items' }).waitFor({ timeout: 40_000 });
  });
  await step('sees its rows', async () => {
    await page.getByRole('button', { name: 'Show the items' }).click();
    await page.getByRole('grid', { name: 'Items of my-orders' }).waitFor();
    compare((await allOf(endpoint, 'my-orders')).map(sorted), csv);
  });
  await fromQuestionToIndex({ page, endpoint, step, table: 'my-orders', names: { customer: 'client', status: 'state', placed: 'day' }, asked: { customer: 'K1', status: 'open', from: '2026-11-01' } });
  await findsTheScan({ page, endpoint, step, table: 'my-orders', examined: 10_000 });
});
