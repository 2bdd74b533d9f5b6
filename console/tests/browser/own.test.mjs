// Operations of Hashrange's own in the shapes that are documented, answered by the test: samples, models, jobs.

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { api, shot, visit, withConsole } from './harness.mjs';

const folder = mkdtempSync(join(tmpdir(), 'console-own-'));
const json = (body) => ({ status: 200, contentType: 'application/x-amz-json-1.0', body: JSON.stringify(body) });

/** Answers own operations by functions of their requests; the others go to the server. */
async function answer(page, operations) {
  await page.route('**/', async (route) => {
    const [prefix, operation] = (route.request().headers()['x-amz-target'] ?? '').split('.');
    const own = prefix === 'Hashrange_2026' ? operations[operation] : undefined;
    if (own) await route.fulfill(json(await own(JSON.parse(route.request().postData()), route.request())));
    else await route.continue();
  });
}

const keyed = (name) => ({
  TableName: name,
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
});

test('a sample is loaded by its button, and its items are shown', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await answer(page, {
      ListSamples: () => ({ Samples: [{ Name: 'shop', Title: 'A shop and its orders', Tables: ['shop-orders'], Items: 2 }] }),
      LoadSample: async (request, sent) => {
        assert.deepEqual(request, { Name: 'shop' });
        assert.equal(sent.headers()['x-hashrange-unrecorded'], undefined);
        await api(endpoint, 'CreateTable', keyed('shop-orders'));
        for (const pk of ['a', 'b']) await api(endpoint, 'PutItem', { TableName: 'shop-orders', Item: { pk: { S: pk } } });
        return { Tables: ['shop-orders'], Items: 2 };
      },
    });
    await page.reload();
    await page.waitForSelector('.samples:has-text("A shop and its orders")');
    await shot(page, 'samples');
    await page.click('[aria-label="Load the sample shop"]');
    await page.waitForFunction(() => document.querySelectorAll('.grid-row').length === 2);
  });
});

test('a model becomes tables with their items, and what is not taken is told', async () => {
  const path = join(folder, 'model.json');
  writeFileSync(path, '{"ModelName":"x","DataModel":[]}');
  await withConsole({}, async ({ page, endpoint }) => {
    await answer(page, {
      ReadModel: (request) => {
        assert.equal(request.FileName, 'model.json');
        return {
          Tables: [{ Request: keyed('first'), Items: [{ pk: { S: 'a' }, n: { N: '1' } }] }, { Request: keyed('second') }],
          NotTaken: ['The facet Orders is not kept'],
        };
      },
    });
    await page.setInputFiles('input[type=file]', path);
    await page.waitForSelector('dialog:has-text("The facet Orders is not kept")');
    await page.uncheck('[aria-label="Create second"]');
    await page.click('dialog footer >> text=Create 1 table');
    await page.waitForSelector('.grid-row');
    assert.deepEqual((await api(endpoint, 'ListTables', {})).TableNames, ['first']);
    assert.deepEqual((await api(endpoint, 'Scan', { TableName: 'first' })).Items, [{ pk: { S: 'a' }, n: { N: '1' } }]);
  });
});

test('a job is shown with its progress until it is done', async () => {
  await withConsole({ args: ['--sample', 'world'] }, async ({ page }) => {
    let nth = 0;
    await answer(page, {
      DescribeServer: () => {
        nth += 1;
        return {
          Jobs:
            nth > 2
              ? []
              : [
                  {
                    Kind: 'IndexFill',
                    Table: 'cities',
                    Index: 'by-city',
                    Done: 20_000 * nth,
                    Of: 46_570,
                    PerSecond: 10_000,
                    StartedAtMs: Date.now(),
                    Words: 'by-city of cities is being filled',
                  },
                ],
        };
      },
    });
    await visit(page, '#/tables/cities');
    await page.waitForSelector('.job:has-text("by-city of cities is being filled"):has-text("20,000 of 46,570 items")');
    await page.waitForSelector('.job:has-text("40,000 of 46,570 items")');
    await page.waitForSelector('.job', { state: 'detached' });
  });
});

test('the calls of the page itself are not recorded, those of the user are', async () => {
  await withConsole({ args: ['--sample', 'world'] }, async ({ page }) => {
    const seen = [];
    page.on('request', (request) => {
      const target = request.headers()['x-amz-target'];
      if (target) seen.push(`${target.split('.')[1]} ${request.headers()['x-hashrange-unrecorded'] ?? '-'}`);
    });
    await visit(page, `#/query/cities?q=${encodeURIComponent('{"pk":["NL"]}')}&run=1`);
    await page.waitForFunction(() => document.querySelector('.results-foot')?.textContent.includes('411 returned'));
    await page.waitForSelector('.verdict-figures');
    assert.ok(seen.includes('Query -'));
    assert.ok(seen.includes('Explain 1'));
    assert.ok(
      seen.every((one) => one.startsWith('Query') || one.endsWith(' 1')),
      seen.join(),
    );
    assert.ok(seen.length < 15, seen.join());
  });
});

test('the token of the address is taken out of it and sent with every request', async () => {
  await withConsole({ hash: '#token=abc%2Fdef' }, async ({ page }) => {
    assert.equal(await page.evaluate(() => location.hash), '');
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.method() === 'POST'),
      page.click('[aria-label="List the tables again"]'),
    ]);
    assert.equal(request.headers()['x-hashrange-token'], 'abc/def');
    await page.reload();
    const [again] = await Promise.all([
      page.waitForRequest((one) => one.method() === 'POST'),
      page.click('[aria-label="List the tables again"]'),
    ]);
    assert.equal(again.headers()['x-hashrange-token'], 'abc/def');
  });
});
