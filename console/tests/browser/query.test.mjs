// Query: each operator and filter compared with the API's answer, prediction, PartiQL, code, history, links.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { api, axe, rowTexts, shot, visit, withConsole } from './harness.mjs';

const world = { args: ['--sample', 'world'] };
const address = (draft, run = true) => `#/query/cities?q=${encodeURIComponent(JSON.stringify(draft))}${run ? '&run=1' : ''}`;

async function answered(page, count, examined) {
  await page.waitForFunction(
    ([returned, all]) =>
      document.querySelector('.results-foot')?.textContent.replace(/,/g, '').includes(`${returned} returned of ${all} examined`),
    [count, examined],
  );
}

const conditions = [
  [
    { pk: ['NL'], sk: [{ op: '=', v: ['DRENTHE#ASSEN#2759633'] }] },
    'country = :a AND place = :b',
    { ':a': { S: 'NL' }, ':b': { S: 'DRENTHE#ASSEN#2759633' } },
  ],
  [{ pk: ['NL'], sk: [{ op: '<', v: ['F'] }] }, 'country = :a AND place < :b', { ':a': { S: 'NL' }, ':b': { S: 'F' } }],
  [
    { pk: ['NL'], sk: [{ op: '<=', v: ['DRENTHE#ASSEN#2759633'] }] },
    'country = :a AND place <= :b',
    { ':a': { S: 'NL' }, ':b': { S: 'DRENTHE#ASSEN#2759633' } },
  ],
  [{ pk: ['NL'], sk: [{ op: '>', v: ['U'] }] }, 'country = :a AND place > :b', { ':a': { S: 'NL' }, ':b': { S: 'U' } }],
  [
    { pk: ['NL'], sk: [{ op: '>=', v: ['ZEELAND#ZIERIKZEE#2743913'] }] },
    'country = :a AND place >= :b',
    { ':a': { S: 'NL' }, ':b': { S: 'ZEELAND#ZIERIKZEE#2743913' } },
  ],
  [
    { pk: ['NL'], sk: [{ op: 'BETWEEN', v: ['F', 'H'] }] },
    'country = :a AND place BETWEEN :b AND :c',
    { ':a': { S: 'NL' }, ':b': { S: 'F' }, ':c': { S: 'H' } },
  ],
  [
    { pk: ['NL'], sk: [{ op: 'begins_with', v: ['UTRECHT#'] }] },
    'country = :a AND begins_with(place, :b)',
    { ':a': { S: 'NL' }, ':b': { S: 'UTRECHT#' } },
  ],
];

test('each operator of a sort key reads what the API reads', async () => {
  await withConsole(world, async ({ page, endpoint }) => {
    for (const [draft, KeyConditionExpression, ExpressionAttributeValues] of conditions) {
      const expected = await api(endpoint, 'Query', { TableName: 'cities', KeyConditionExpression, ExpressionAttributeValues });
      await visit(page, address(draft));
      await answered(page, expected.Count, expected.ScannedCount);
      if (expected.Items[0]) assert.equal((await rowTexts(page, 0)).place, expected.Items[0].place.S);
    }
  });
});

const S = (text) => ({ S: text });
const filters = [
  [{ path: 'population', operator: '>', type: 'N', values: ['500000'] }, 'population > :a', { ':a': { N: '500000' } }],
  [
    { path: 'population', operator: 'BETWEEN', type: 'N', values: ['100000', '200000'] },
    'population BETWEEN :a AND :b',
    { ':a': { N: '100000' }, ':b': { N: '200000' } },
  ],
  [
    { path: 'city', operator: 'IN', type: 'S', values: ['Amsterdam', 'Delft'] },
    'city IN (:a, :b)',
    { ':a': S('Amsterdam'), ':b': S('Delft') },
  ],
  [{ path: 'city', operator: '<>', type: 'S', values: ['Delft'] }, 'city <> :a', { ':a': S('Delft') }],
  [{ path: 'city', operator: 'begins_with', type: 'S', values: ['A'] }, 'begins_with(city, :a)', { ':a': S('A') }],
  [{ path: 'city', operator: 'contains', type: 'S', values: ['dam'] }, 'contains(city, :a)', { ':a': S('dam') }],
  [{ path: 'city', operator: 'not contains', type: 'S', values: ['dam'] }, 'NOT contains(city, :a)', { ':a': S('dam') }],
  [{ path: 'capital', operator: 'attribute_exists', type: 'S', values: [''] }, 'attribute_exists(capital)', undefined],
  [{ path: 'capital', operator: 'attribute_not_exists', type: 'S', values: [''] }, 'attribute_not_exists(capital)', undefined],
  [{ path: 'population', operator: 'attribute_type', type: 'S', values: ['N'] }, 'attribute_type(population, :a)', { ':a': S('N') }],
  [{ path: 'city', operator: 'size', type: 'S', comparator: '>', values: ['15'] }, 'size(city) > :a', { ':a': { N: '15' } }],
];

test('each filter keeps what the API keeps', async () => {
  await withConsole(world, async ({ page, endpoint }) => {
    for (const [row, FilterExpression, values] of filters) {
      const expected = await api(endpoint, 'Query', {
        TableName: 'cities',
        KeyConditionExpression: 'country = :pk',
        FilterExpression,
        ExpressionAttributeValues: { ':pk': S('NL'), ...values },
      });
      await visit(page, address({ pk: ['NL'], filters: [row] }));
      await answered(page, expected.Count, expected.ScannedCount);
    }
  });
});

test('the form is filled by keyboard; it says Query or Scan and the cost before it runs', async () => {
  await withConsole({ ...world, hash: '#/query/cities' }, async ({ page }) => {
    await page.waitForSelector('.verdict:has-text("reads the whole table")');
    await page.waitForSelector('.verb.scan');
    await page.getByLabel('country, value').focus();
    await page.keyboard.type('NL');
    await page.waitForSelector('.verdict:has-text("reads all of one partition"):has-text("6.5 read units"):has-text("411 items")');
    assert.equal(await page.locator('.results-foot').count(), 0);
    await page.click('text=Add a filter');
    await page.getByLabel('Attribute', { exact: true }).fill('population');
    await page.getByLabel('Operator').selectOption('>');
    await page.getByLabel('Type of the value').selectOption('N');
    await page.getByLabel('Value', { exact: true }).fill('500000');
    await page.waitForSelector('.verdict:has-text("keeps 2 of 411 items"):has-text("99.5 %")');
    await page.keyboard.press('Control+Enter');
    await answered(page, 2, 411);
    await shot(page, 'query-filter');
    await page.getByLabel('Value', { exact: true }).fill('x');
    await page.waitForSelector('.field-fault:has-text("x is no number")');
    await page.goBack();
    await page.waitForSelector('.results-words:has-text("Nothing is asked yet")');
  });
});

test('order, limit, projection, count and the next page', async () => {
  await withConsole(world, async ({ page, endpoint }) => {
    const request = {
      TableName: 'cities',
      IndexName: 'by-population',
      KeyConditionExpression: 'country = :a',
      ExpressionAttributeValues: { ':a': S('BR') },
      ScanIndexForward: false,
      Limit: 5,
      ProjectionExpression: 'city, population',
    };
    const first = await api(endpoint, 'Query', request);
    await visit(page, address({ index: 'by-population', pk: ['BR'], isDescending: true, limit: '5', projection: 'city, population' }));
    await answered(page, 5, 5);
    for (const [row, item] of first.Items.entries()) {
      const shown = await rowTexts(page, row);
      assert.deepEqual([shown.city, shown.population], [item.city.S, item.population.N]);
    }
    const second = await api(endpoint, 'Query', { ...request, ExclusiveStartKey: first.LastEvaluatedKey });
    await page.click('text=Next page');
    await page.waitForFunction((city) => document.querySelector('[aria-rowindex="2"]')?.textContent.includes(city), second.Items[0].city.S);
    await page.click('text=First page');
    await page.waitForFunction((city) => document.querySelector('[aria-rowindex="2"]')?.textContent.includes(city), first.Items[0].city.S);
    await visit(page, address({ pk: ['NL'], isCount: true }));
    await page.waitForSelector('.empty:has-text("411 items")');
  });
});

test('a page that the filter left empty is followed, and says what was examined', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await api(endpoint, 'CreateTable', {
      TableName: 'large',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    });
    for (let nth = 0; nth < 8; nth += 1)
      await api(endpoint, 'PutItem', {
        TableName: 'large',
        Item: { pk: S('a'), sk: { N: String(nth) }, text: S('x'.repeat(390_000)), last: { BOOL: nth === 7 } },
      });
    await visit(
      page,
      `#/query/large?q=${encodeURIComponent(JSON.stringify({ pk: ['a'], filters: [{ path: 'last', operator: '=', type: 'BOOL', values: ['true'] }] }))}&run=1`,
    );
    await page.waitForFunction(() =>
      /1 returned of 8 examined in [34] pages/.test(document.querySelector('.results-foot')?.textContent ?? ''),
    );
    assert.equal((await rowTexts(page, 0)).sk, '7');
  });
});

test('PartiQL completes, runs, and tells faults before it runs', async () => {
  await withConsole({ ...world, hash: '#/query/cities?as=partiql' }, async ({ page, endpoint }) => {
    await page.click('.cm-content');
    await page.keyboard.type('SELECT city FROM ');
    await page.keyboard.press('Control+Space');
    await page.waitForSelector('.cm-tooltip-autocomplete:has-text("by-population")');
    await shot(page, 'partiql-completion');
    await page.keyboard.press('Escape');
    await page.keyboard.insertText(`"cities" WHERE coun`);
    await page.keyboard.press('Control+Space');
    await page.waitForSelector('.cm-tooltip-autocomplete:has-text("country")');
    // The editor takes Enter for a completion only after it was in sight for a moment.
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    await page.keyboard.insertText(` = 'NL' AND`);
    await page.waitForSelector('.verdict:has-text("wasn\'t well formed")');
    await page.keyboard.insertText(` begins_with(place, 'UTRECHT#')`);
    await page.waitForSelector('.verdict:has-text("reads a range of sort keys")');
    await page.keyboard.press('Control+Enter');
    const expected = await api(endpoint, 'ExecuteStatement', {
      Statement: `SELECT city FROM "cities" WHERE country = 'NL' AND begins_with(place, 'UTRECHT#')`,
    });
    await page.waitForFunction(
      (count) => document.querySelector('.results-foot')?.textContent.includes(`${count} returned`),
      expected.Items.length,
    );
    assert.equal((await rowTexts(page, 0)).city, expected.Items[0].city.S);
  });
});

test('a sample of a statement is taken from a menu that is in sight', async () => {
  await withConsole({ ...world, hash: '#/query/cities?as=partiql' }, async ({ page }) => {
    await page.click('text=Samples');
    const entry = page.locator('[role=menuitem]:has-text("By the index by-state")');
    const box = await entry.boundingBox();
    assert.ok(box.y > 0 && box.y + box.height < 800 && box.x > 0 && box.x + box.width < 1280, JSON.stringify(box));
    await shot(page, 'samples-menu');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await page.click('text=Samples');
    await entry.click();
    await page.waitForSelector('.cm-content:has-text("by-state")');
  });
});

test('a link never runs a statement that writes', async () => {
  await withConsole(world, async ({ page, endpoint }) => {
    const statement = "DELETE FROM cities WHERE country = 'NL' AND place = 'DRENTHE#ASSEN#2759633'";
    await visit(page, `#/query/cities?as=partiql&s=${encodeURIComponent(statement)}&run=1`);
    await page.waitForSelector('.verdict:has-text("DELETE")');
    await page.waitForTimeout(500);
    const get = () => api(endpoint, 'GetItem', { TableName: 'cities', Key: { country: S('NL'), place: S('DRENTHE#ASSEN#2759633') } });
    assert.ok((await get()).Item);
    await page.click('.query-buttons >> text=Run');
    await page.waitForSelector('.empty:has-text("Done")');
    assert.equal((await get()).Item, undefined);
  });
});

test('history and saved queries are kept in the browser', async () => {
  await withConsole({ ...world, hash: address({ pk: ['NL'] }, false) }, async ({ page }) => {
    await page.waitForSelector('.verdict');
    await page.click('.query-buttons >> text=Run');
    await answered(page, 411, 411);
    await page.click('[aria-label="Save the query"]');
    await page.keyboard.type('Dutch cities');
    await page.keyboard.press('Enter');
    await visit(page, '#/query/cities');
    await page.reload();
    await page.click('[aria-label="History and saved queries"]');
    await page.waitForSelector('.history-entry:has-text("country = \'NL\'")');
    await page.click('[role=tab]:has-text("Saved")');
    await page.click('.history-entry:has-text("Dutch cities")');
    await page.waitForFunction(
      () =>
        document.querySelector('[aria-label="country, value"], input.mono') &&
        [...document.querySelectorAll('input')].some((one) => one.value === 'NL'),
    );
  });
});

test('without EXPLAIN the form says what is left out, and works', async () => {
  await withConsole(world, async ({ page }) => {
    await page.route('**/', async (route) => {
      const target = route.request().headers()['x-amz-target'] ?? '';
      if (!target.startsWith('Hashrange_2026.')) await route.continue();
      else
        await route.fulfill({
          status: 400,
          contentType: 'application/x-amz-json-1.0',
          body: '{"__type":"com.amazon.coral.service#UnknownOperationException"}',
        });
    });
    await visit(page, address({ pk: ['NL'] }));
    await answered(page, 411, 411);
    await page.waitForSelector('.left-out:has-text("does not have the operation Explain")');
    await page.waitForSelector('.verdict:has-text("reads one range of one partition")');
  });
});

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
]) {
  test(`axe finds nothing in queries, ${theme}, ${width} px`, async () => {
    await withConsole(
      {
        ...world,
        theme,
        width,
        hash: address({ pk: ['NL'], filters: [{ path: 'population', operator: '>', type: 'N', values: ['500000'] }] }),
      },
      async ({ page }) => {
        await answered(page, 2, 411);
        await page.waitForSelector('.verdict-advice');
        await axe(page, 'the form');
        await page.click('.query-buttons >> text=Code');
        await page.waitForSelector('dialog .code');
        await axe(page, 'code');
        await page.keyboard.press('Escape');
        await visit(page, '#/query/cities?as=partiql&s=SELECT%20*%20FROM%20cities');
        await page.waitForSelector('.cm-content');
        await page.waitForSelector('.verdict');
        await axe(page, 'PartiQL');
      },
    );
  });
}
