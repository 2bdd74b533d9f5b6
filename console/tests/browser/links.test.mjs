// The address of each screen names all that it shows: it is the same after a reload, after back and forward, and in
// another browser. Several tabs, queries that are kept, and the mode that only reads.

import { api, shot, visit, withConsole } from './harness.mjs';
import { is, text, until } from './own.mjs';

const q = (draft) => encodeURIComponent(JSON.stringify(draft));
const US = encodeURIComponent('{"country":{"S":"US"}}');
const florida = { pk: ['US'], sk: [{ op: 'begins_with', v: ['FLORIDA#'] }], filters: [{ path: 'population', operator: '>', type: 'N', values: ['500000'] }] };

/** Screens with what a person sees on them, and the words that tell that it is there. */
const places = [
  ['#/items/cities?index=capitals', (page) => page.getByRole('columnheader', { name: /^capital/ })],
  [`#/query/cities?q=${q(florida)}&run=1`, (page) => page.getByText('1 returned of 488 examined')],
  [`#/query/cities?q=${q({ pk: ['NL'] })}&run=1&view=json&cols=${encodeURIComponent('["country","city"]')}`, (page) => page.getByText('"NL"').first()],
  [`#/query/cities?as=partiql&s=${encodeURIComponent("SELECT city FROM cities WHERE country = 'NL' AND begins_with(place, 'UTRECHT#')")}&run=1`, (page) => page.getByRole('gridcell', { name: 'Utrecht', exact: true })],
  [`#/keys/cities?pk=${US}&prefix=FLORIDA%23`, (page) => page.getByText(/FLORIDA#/).first()],
  [`#/explain/${encodeURIComponent(JSON.stringify({ operation: 'Query', request: { TableName: 'cities', KeyConditionExpression: 'country = :c', ExpressionAttributeValues: { ':c': { S: 'NL' } } } }))}`, (page) => page.getByRole('heading', { name: 'Query of cities' })],
  ['#/requests?view=patterns&operation=Scan', (page) => page.getByRole('button', { name: 'Patterns', pressed: true })],
  ['#/requests/bill', (page) => page.getByRole('tab', { name: 'Bill', selected: true })],
  ['#/tables/cities', (page) => page.getByRole('heading', { name: 'Indexes' })],
];

/** The words on a screen, without times and figures of this moment. */
const told = async (page) => (await text(page.getByRole('main'))).replace(/\d[\d:.,]*( ms| s| seconds?| minutes?)?( ago)?/g, '0').replace(/server [0-9a-f]+|request id \S+/g, '');

async function addresses({ page, base, context }) {
  for (const [hash, there] of places) {
    await visit(page, hash);
    await there(page).waitFor();
    await page.waitForTimeout(500);
    const before = await told(page);
    const address = await page.evaluate(() => location.hash);
    await page.reload();
    await there(page).waitFor();
    await until(async () => (await told(page)) === before, `the same after a reload of ${hash}`).catch(async (error) => {
      throw new Error(`${error.message}\nbefore: ${before.slice(0, 600)}\nafter:  ${(await told(page)).slice(0, 600)}`);
    });
    is(await page.evaluate(() => location.hash), address, 'the address after a reload');
    const other = await context.browser().newContext({ viewport: { width: 1280, height: 800 } });
    const friend = await other.newPage();
    await friend.goto(base + address);
    await there(friend).waitFor();
    await other.close();
  }
  for (const [hash, there] of [...places].reverse().slice(1)) {
    await page.goBack();
    await there(page).waitFor({ timeout: 15_000 }).catch((error) => { throw new Error(`back to ${hash}: ${error.message}`); });
  }
  for (const [, there] of places.slice(1, 4)) {
    await page.goForward();
    await there(page).waitFor();
  }
}

/** Pages of a grid, and a filter typed by hand, come back. */
async function pagesAndForms({ page }) {
  await visit(page, '#/items/cities');
  await page.getByRole('gridcell').first().waitFor();
  const first = await text(page.getByRole('row').nth(1));
  await page.getByRole('button', { name: 'Next page' }).click();
  await until(async () => (await text(page.getByRole('row').nth(1))) !== first, 'the second page');
  const second = await text(page.getByRole('row').nth(1));
  await page.reload();
  await until(async () => (await text(page.getByRole('row').nth(1))) === second, 'the second page after a reload');
  await page.goBack();
  await until(async () => (await text(page.getByRole('row').nth(1))) === first, 'the first page by going back');
}

async function tabs({ page }) {
  await visit(page, '#/items/cities');
  await page.getByRole('grid').waitFor();
  await page.getByRole('button', { name: 'Open this in a tab of its own' }).click();
  await page.getByRole('textbox', { name: 'country' }).fill('NL');
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: 'NL' }).first().waitFor();
  const open = page.getByRole('group', { name: 'Open tabs' }).getByRole('link');
  const count = await open.count();
  is(count >= 2, true, 'two tabs');
  await open.first().click();
  await until(async () => (await page.getByRole('textbox', { name: 'country' }).inputValue()) === '', 'the first tab as it was');
  await page.reload();
  await until(async () => (await open.count()) === count, 'the tabs after a reload');
  await open.last().click();
  await until(async () => (await page.getByRole('textbox', { name: 'country' }).inputValue()) === 'NL', 'the second tab as it was');
  await shot(page, 'links-tabs');
}

async function kept({ page }) {
  await visit(page, `#/query/cities?q=${q(florida)}`);
  await page.getByRole('button', { name: 'Save the query' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('large in Florida');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('region', { name: 'What is asked' }).getByRole('button', { name: 'Run' }).click();
  await page.getByText('1 returned of 488 examined').waitFor();
  await visit(page, '#/start');
  await page.reload();
  await visit(page, '#/query/cities');
  await page.getByRole('button', { name: 'History and saved queries' }).click();
  const dialog = page.getByRole('dialog', { name: 'Queries' });
  await dialog.getByText(/FLORIDA#/).first().waitFor();
  await dialog.getByRole('tab', { name: 'Saved' }).click();
  await dialog.getByText('large in Florida').first().click();
  await until(async () => (await page.getByRole('textbox', { name: 'country, value' }).inputValue()) === 'US', 'the query that was kept');
}

/** In the mode that only reads nothing offers to write, and a statement that writes is refused by the page. */
async function readsOnly({ page, endpoint }) {
  await visit(page, '#/items/cities');
  await page.getByRole('button', { name: 'New item' }).waitFor();
  await page.getByRole('button', { name: /^Read-only mode is off/ }).click();
  await until(async () => (await page.getByRole('button', { name: 'New item' }).count()) === 0, 'no new item');
  await page.reload();
  await page.getByRole('grid').waitFor();
  is(await page.getByRole('button', { name: 'New item' }).count(), 0, 'new items after a reload');
  await page.getByRole('button', { name: 'Open row 1', exact: true }).click();
  await page.getByRole('complementary', { name: 'Item' }).waitFor();
  is(await page.getByRole('button', { name: /^(Edit|Delete|Remove)/ }).count(), 0, 'edits');
  await visit(page, '#/tables/cities');
  await page.getByRole('heading', { name: 'Indexes' }).waitFor();
  is(await page.getByRole('button', { name: /Add an index|Delete|Remove|Change|Set/ }).count(), 0, 'changes of a table');
  const statement = "DELETE FROM cities WHERE country = 'NL' AND place = 'x'";
  await visit(page, `#/query/cities?as=partiql&s=${encodeURIComponent(statement)}&run=1`);
  await page.waitForTimeout(500);
  await page.getByRole('region', { name: 'What is asked' }).getByRole('button', { name: 'Run' }).click();
  await page.getByText(/read-only mode/).first().waitFor();
  await page.getByRole('button', { name: /^Read-only mode is on/ }).click();
  is((await api(endpoint, 'DescribeTable', { TableName: 'cities' })).Table.ItemCount, 46_570, 'the items');
}

await withConsole({ args: ['--console', 'off', '--sample', 'world'] }, async (all) => {
  for (const part of [pagesAndForms, tabs, kept, readsOnly, addresses]) await part(all);
});
