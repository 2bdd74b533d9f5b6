// Tables: created, changed, deleted, each as the API then describes it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, axe, shot, visit, withConsole } from './harness.mjs';

const describe = async (endpoint, TableName) => (await api(endpoint, 'DescribeTable', { TableName })).Table;

test('a table is created with keys, indexes of several attributes, stream and time to live', async () => {
  await withConsole({ hash: '#/tables?new=table' }, async ({ page, endpoint }) => {
    await page.waitForSelector('dialog');
    await page.keyboard.type('orders');
    await page.getByLabel('Partition key', { exact: true }).fill('customer');
    await page.getByLabel('Sort key', { exact: true }).fill('placed');
    await page.click('dialog >> text=Add an index');
    const index = page.getByRole('group', { name: 'Index index-1' });
    await index.getByLabel('Partition key', { exact: true }).fill('shop');
    await index.getByText('One more attribute').first().click();
    await index.getByLabel('Partition key, attribute 2', { exact: true }).fill('status');
    await index.getByText('Add a sort key').click();
    await index.getByLabel('Sort key', { exact: true }).fill('total');
    await index.getByLabel('Type of sort key', { exact: true }).selectOption('N');
    await index.getByLabel('Holds').selectOption('INCLUDE');
    await index.getByLabel('Attributes').fill('note, city');
    await page.getByLabel('Stream').selectOption('NEW_AND_OLD_IMAGES');
    await page.getByLabel('Time to live').fill('expires');
    await page.waitForSelector('dialog .code');
    await shot(page, 'create-table');
    await page.click('dialog footer >> text="Create"');
    await page.waitForSelector('h1:has-text("orders")');
    const table = await describe(endpoint, 'orders');
    assert.deepEqual(table.KeySchema, [
      { AttributeName: 'customer', KeyType: 'HASH' },
      { AttributeName: 'placed', KeyType: 'RANGE' },
    ]);
    const [made] = table.GlobalSecondaryIndexes;
    assert.deepEqual(made.KeySchema, [
      { AttributeName: 'shop', KeyType: 'HASH' },
      { AttributeName: 'status', KeyType: 'HASH' },
      { AttributeName: 'total', KeyType: 'RANGE' },
    ]);
    assert.deepEqual([made.Projection.ProjectionType, [...made.Projection.NonKeyAttributes].sort()], ['INCLUDE', ['city', 'note']]);
    assert.equal(table.StreamSpecification.StreamViewType, 'NEW_AND_OLD_IMAGES');
    const ttl = await api(endpoint, 'DescribeTimeToLive', { TableName: 'orders' });
    assert.equal(ttl.TimeToLiveDescription.AttributeName, 'expires');
  });
});

test('an index is added, filled and removed; stream, time to live and billing change', async () => {
  await withConsole({ args: ['--sample', 'world'], hash: '#/tables/cities' }, async ({ page, endpoint }) => {
    await page.click('text=Add an index');
    await page.getByLabel('Index', { exact: true }).fill('by-city');
    await page.getByLabel('Partition key', { exact: true }).fill('city');
    await page.getByLabel('Holds').selectOption('KEYS_ONLY');
    await page.click('dialog footer >> text=Add the index');
    await page.waitForSelector('tr:has-text("by-city"):has-text("active")', { timeout: 60_000 });
    await page.waitForFunction(
      () => [...document.querySelectorAll('tr')].some((row) => row.textContent.includes('by-city') && row.textContent.includes('46,570')),
      undefined,
      { timeout: 60_000 },
    );
    await page.click('[aria-label="Remove the index by-city"]');
    await page.click('dialog footer >> text=Remove the index');
    await page.waitForFunction(() => ![...document.querySelectorAll('tr')].some((row) => row.textContent.includes('by-city')), undefined, {
      timeout: 60_000,
    });
    await page.click('[aria-label="Begin: Stream"]');
    await page.click('dialog footer >> text=Begin the stream');
    await page.waitForSelector('.settings:has-text("new and old images")');
    await page.click('[aria-label="Set: Time to live"]');
    await page.getByLabel('Attribute', { exact: true }).fill('expires');
    await page.click('dialog footer >> text=Let them expire');
    await page.waitForSelector('.settings:has-text("by expires")');
    await page.click('[aria-label="Change: Billing"]');
    await page.getByLabel('Refuse to delete the table').check();
    await page.click('dialog footer >> text="Change"');
    await page.waitForSelector('.settings:has-text("cannot be deleted")');
    assert.equal((await describe(endpoint, 'cities')).DeletionProtectionEnabled, true);
  });
});

test('a key template is previewed and declared', async () => {
  await withConsole({ args: ['--sample', 'world'], hash: '#/tables/cities' }, async ({ page, endpoint }) => {
    await page.click('section:has(#part-templates) >> text=Add');
    await page.getByLabel('Template', { exact: true }).fill('gk = "{country}#{population:pad:9}"');
    await page.click('dialog footer >> text=Preview');
    await page.waitForSelector('dialog:has-text("get the attribute")');
    await shot(page, 'template');
    await page.click('dialog footer >> text=Declare');
    await page.waitForSelector('.templates:has-text("{country}#{population:pad:9}")');
    const { KeyTemplates } = await api(endpoint, 'DescribeKeyTemplates', { TableName: 'cities' }, true);
    assert.equal(KeyTemplates.length, 1);
  });
});

test('a table is deleted after its name was typed', async () => {
  await withConsole({ args: ['--sample', 'world'], hash: '#/tables/cities' }, async ({ page, endpoint }) => {
    await page.click('[aria-label="Actions of the table"]');
    await page.click('[role=menuitem]:has-text("Delete the table")');
    const button = page.locator('dialog footer >> text=Delete cities');
    assert.equal(await button.isDisabled(), true);
    await page.keyboard.type('citie');
    assert.equal(await button.isDisabled(), true);
    await page.keyboard.type('s');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.empty:has-text("There is no table yet")');
    assert.deepEqual((await api(endpoint, 'ListTables', {})).TableNames, []);
  });
});

test('a fault of the server is shown in its words, and the form stays', async () => {
  await withConsole({ args: ['--sample', 'world'], hash: '#/tables?new=table' }, async ({ page }) => {
    await page.waitForSelector('dialog');
    await page.keyboard.type('cities');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.error-box:has-text("Table already exists")');
    assert.equal(await page.getByLabel('Table', { exact: true }).inputValue(), 'cities');
  });
});

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
]) {
  test(`axe finds nothing in tables, ${theme}, ${width} px`, async () => {
    await withConsole({ args: ['--sample', 'world'], theme, width, hash: '#/tables' }, async ({ page }) => {
      await page.waitForSelector('td:has-text("46,570")');
      await axe(page, 'the list');
      await visit(page, '#/tables/cities');
      await page.waitForSelector('section:has(#part-templates) >> text=None:');
      await axe(page, 'a table');
      await visit(page, '#/tables?new=table');
      await page.waitForSelector('dialog');
      await page.click('dialog >> text=Add an index');
      await axe(page, 'the form of a table');
    });
  });
}
