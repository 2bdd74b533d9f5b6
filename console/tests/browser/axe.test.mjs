// Every screen and dialog in both themes and at 360 px: axe finds nothing, and nothing is wider than the page.

import { api, axe, shot, visit, withConsole } from './harness.mjs';
import { is, text, until } from './own.mjs';

const US = encodeURIComponent('{"country":{"S":"US"}}');
const query = { TableName: 'cities', KeyConditionExpression: 'country = :c AND begins_with(place, :p)', FilterExpression: 'population > :n', ExpressionAttributeValues: { ':c': { S: 'US' }, ':p': { S: 'FLORIDA#' }, ':n': { N: '500000' } } };
const explain = (operation, request) => `#/explain/${encodeURIComponent(JSON.stringify({ operation, request }))}`;
const draft = encodeURIComponent(JSON.stringify({ pk: ['US'], sk: [{ op: 'begins_with', v: ['FLORIDA#'] }], filters: [{ path: 'population', operator: '>', type: 'N', values: ['500000'] }] }));

const button = (page, name, exact = true) => page.getByRole('button', { name, exact }).first();
const dialog = (page) => page.getByRole('dialog').last();
const item = { pk: { S: '1' }, n: { N: '1' }, at: { N: '1764547200' }, list: { L: [{ S: 'a' }, { M: { b: { BOOL: true } } }] }, set: { NS: ['1', '2'] }, raw: { B: 'AAEC/w==' }, none: { NULL: true } };

/** Screens: an address, what says that it is there, and what is done on it, each thing shown by itself. */
const places = [
  { name: 'start', hash: '#/', there: (page) => page.getByRole('heading', { name: 'Point an SDK here' }) },
  { name: 'keys-of-table', hash: '#/keys/cities', there: (page) => button(page, 'US') },
  { name: 'keys', hash: `#/keys/cities?pk=${US}`, there: (page) => page.getByRole('tree') },
  { name: 'items', hash: '#/items/cities', there: (page) => page.getByRole('grid') },
  { name: 'items-json', hash: `#/query/cities?q=${draft}&run=1&view=json`, there: (page) => page.getByText('"place"').first() },
  { name: 'query', hash: `#/query/cities?q=${draft}&run=1`, there: (page) => page.getByText('returned of').first() },
  { name: 'partiql', hash: '#/query/cities?as=partiql&s=SELECT%20*%20FROM%20cities%20WHERE%20country%20%3D%20%27NL%27&run=1', there: (page) => page.locator('.cm-content') },
  { name: 'explain-empty', hash: '#/explain', there: (page) => page.getByRole('heading', { name: 'Explain' }) },
  { name: 'explain', hash: explain('Query', query), there: (page) => page.getByRole('heading', { name: 'Advice' }) },
  { name: 'requests', hash: '#/requests', there: (page) => page.getByText(/server \w/).first() },
  { name: 'requests-patterns', hash: '#/requests?view=patterns', there: (page) => page.getByRole('button', { name: 'Patterns', pressed: true }) },
  { name: 'bill', hash: '#/requests/bill', there: (page) => page.getByRole('tab', { name: 'Bill', selected: true }) },
  { name: 'server', hash: '#/server', there: (page) => page.getByRole('heading').first() },
  { name: 'tables', hash: '#/tables', there: (page) => page.getByRole('heading').first() },
  { name: 'table', hash: '#/tables/cities', there: (page) => page.getByRole('heading', { name: 'Indexes' }) },
  { name: 'nowhere', hash: '#/nowhere', there: (page) => page.getByText('There is no such screen') },
];

// Not the screen of items, whose tabs remember what was open.
const mixed = '#/query/mixed?q=%7B%22pk%22%3A%5B%221%22%5D%7D&run=1';

/** Dialogs: an address and what opens it. */
const dialogs = [
  { name: 'keys-of-keyboard', hash: '#/', open: (page) => page.keyboard.press('?') },
  { name: 'palette', hash: '#/', open: async (page) => { await page.keyboard.press('Control+k'); await page.keyboard.type('cit'); } },
  { name: 'access', hash: '#/', open: (page) => page.getByRole('button', { name: /Access|credentials/ }).first().click() },
  { name: 'code', hash: `#/query/cities?q=${draft}`, open: (page) => button(page, 'Code').click() },
  { name: 'save-query', hash: `#/query/cities?q=${draft}`, open: (page) => button(page, 'Save the query').click() },
  { name: 'history', hash: `#/query/cities?q=${draft}`, open: (page) => button(page, 'History and saved queries').click() },
  { name: 'new-item', hash: '#/items/mixed', open: (page) => button(page, 'New item').click() },
  { name: 'edit-item', hash: mixed, open: async (page) => { await page.getByRole('button', { name: 'Open row 1', exact: true }).click(); await page.getByRole('button', { name: /^Edit/ }).first().click(); } },
  { name: 'delete-item', hash: mixed, open: async (page) => { await page.getByRole('checkbox', { name: 'Select row 1' }).check(); await page.getByRole('button', { name: /^Delete/ }).first().click(); } },
  { name: 'columns', hash: mixed, open: (page) => page.getByRole('button', { name: /columns/i }).first().click() },
  { name: 'create-table', hash: '#/tables?new=table', open: async () => {} },
  { name: 'add-index', hash: '#/tables/cities', open: (page) => button(page, 'Add an index').click() },
];

async function fits(page, what) {
  const wide = await page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const clipped = (node) => { for (let up = node.parentElement; up; up = up.parentElement) if (getComputedStyle(up).overflowX !== 'visible') return true; return false; };
    return [...document.querySelectorAll('body *')].filter((node) => node.getBoundingClientRect().right > innerWidth + 1 && !clipped(node)).slice(0, 3).map((node) => node.outerHTML.slice(0, 160));
  });
  is(wide, [], `${what} is wider than the page`);
}

async function look(page, what, faults, rules) {
  await shot(page, `axe-${what}`);
  try {
    await axe(page, what, rules);
    await fits(page, what);
  } catch (error) {
    faults.push(error.message);
  }
}

async function each(page, { kind, rules }, faults, only) {
  for (const { name, hash, there } of places) {
    if (only && !name.includes(only)) continue;
    await visit(page, hash);
    try {
      await there(page).waitFor();
      if (name === 'explain') await whatIf(page);
    } catch (error) {
      faults.push(`${name}-${kind}: ${error.message.split('\n')[0]}`);
    }
    await look(page, `${name}-${kind}`, faults, rules);
  }
  for (const { name, hash, open } of dialogs) {
    if (only && !name.includes(only)) continue;
    // From another screen, so that nothing is open from before.
    await visit(page, '#/nowhere');
    await visit(page, hash);
    try {
      await open(page);
      await dialog(page).waitFor();
      await look(page, `dialog-${name}-${kind}`, faults, rules);
      await page.keyboard.press('Escape');
      await until(async () => (await page.getByRole('dialog').count()) === 0, 'the end of the dialog', 3000);
    } catch (error) {
      faults.push(`dialog ${name}-${kind}: ${error.message.split('\n')[0]}`);
      await page.reload();
    }
  }
}

async function whatIf(page) {
  await page.getByRole('button', { name: /^(Try|Compare) an|^What if there/ }).first().click();
  await page.getByRole('heading', { name: 'What if there were an index' }).waitFor();
  await page.getByRole('button', { name: 'Create this index' }).waitFor();
}

const kinds = [
  { kind: 'light', theme: 'light', width: 1280 },
  // Another theme changes colours alone.
  { kind: 'dark', theme: 'dark', width: 1280, rules: ['color-contrast'] },
  { kind: 'narrow', theme: 'light', width: 360, height: 740 },
];
const only = process.argv[2];
const faults = [];
await withConsole({ args: ['--console', 'off', '--sample', 'world'] }, async ({ page, endpoint }) => {
  page.setDefaultTimeout(12_000);
  await api(endpoint, 'CreateTable', { TableName: 'mixed', AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }], BillingMode: 'PAY_PER_REQUEST' });
  await api(endpoint, 'PutItem', { TableName: 'mixed', Item: item });
  for (const { theme, width, height = 800, ...kind } of kinds) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height });
    await page.reload();
    await each(page, kind, faults, only);
  }
});
if (faults.length > 0) throw new Error(`\n${faults.join('\n\n')}`);
