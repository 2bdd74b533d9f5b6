// Start: files become tables, nothing is lost on the way.

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { api, axe, shot, visit, withConsole } from './harness.mjs';

const folder = mkdtempSync(join(tmpdir(), 'console-start-'));

function file(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const orders = file(
  'orders.csv',
  [
    'id,customer,placed,total,zip,note',
    '1001,C-1,2026-11-01T10:00:00Z,12.50,01234,"hello, ""you"""',
    '1002,C-2,2026-11-02T10:00:00Z,3.00,10115,',
    '1003,C-1,2026-11-03T10:00:00Z,99.99,00501,"two\nlines"',
    '',
  ].join('\n'),
);

const choose = (page, path) => page.setInputFiles('input[type=file]', path);

async function imported(page, count) {
  await page.waitForFunction(
    (all) => document.querySelector('.import-running')?.textContent.replace(/,/g, '').includes(`Done: ${all} of ${all} item`),
    count,
    { timeout: 120_000 },
  );
}

test('an empty server says what to do, and a CSV becomes a table', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await page.waitForSelector('h1:has-text("An empty database")');
    await choose(page, orders);
    await page.waitForSelector('.import-check:has-text("3 rows, each with a key of its own")');
    assert.equal(await page.inputValue('#import-Partition\\ key'), 'id');
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.import-preview select')].map((one) => one.value)), [
      'N',
      'S',
      'S',
      'N',
      'S',
      'S',
    ]);
    await shot(page, 'import');
    await page.click('dialog footer >> text=Create the table and put 3 items');
    await imported(page, 3);
    await page.click('text=Show the items');
    await page.waitForSelector('.grid-row');
    const { Items } = await api(endpoint, 'Scan', { TableName: 'orders' });
    const first = Items.find((item) => item.id.N === '1001');
    assert.deepEqual(first, {
      id: { N: '1001' },
      customer: { S: 'C-1' },
      placed: { S: '2026-11-01T10:00:00Z' },
      total: { N: '12.5' },
      zip: { S: '01234' },
      note: { S: 'hello, "you"' },
    });
    assert.equal(Items.find((item) => item.id.N === '1002').note, undefined);
    assert.equal(Items.find((item) => item.id.N === '1003').note.S, 'two\nlines');
  });
});

test('rows that share a key are told before, and the last one wins', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await choose(page, file('visits.tsv', 'who\twhen\twhat\na\t1\tx\na\t2\ty\na\t1\tz\nb\t1\tq\n\t5\tnobody\n'));
    await page.selectOption('#import-Partition\\ key', 'who');
    await page.selectOption('#import-Sort\\ key', 'when');
    await page.waitForSelector(
      '.import-check:has-text("1 row would be replaced"):has-text("a / 1"):has-text("1 row has no value for the key")',
    );
    await page.click('dialog footer >> text=Create the table and put 3 items');
    await imported(page, 3);
    const { Items } = await api(endpoint, 'Scan', { TableName: 'visits' });
    assert.deepEqual(Items.map((item) => `${item.who.S}${item.when.N}${item.what.S}`).sort(), ['a1z', 'a2y', 'b1q']);
  });
});

test('JSON Lines keep their types, DynamoDB JSON too', async () => {
  const digits38 = '12345678901234567890123456789012345678';
  await withConsole({}, async ({ page, endpoint }) => {
    await choose(page, file('plain.jsonl', `{"id":"a","n":${digits38},"list":[1,"x"]}\n{"id":"b","__proto__":{"x":1}}\n`));
    await page.click('dialog footer >> text=Create the table and put 2 items');
    await imported(page, 2);
    const plain = await api(endpoint, 'Scan', { TableName: 'plain' });
    assert.deepEqual(
      plain.Items.find((item) => item.id.S === 'a'),
      { id: { S: 'a' }, n: { N: digits38 }, list: { L: [{ N: '1' }, { S: 'x' }] } },
    );
    assert.ok(
      Object.hasOwn(
        plain.Items.find((item) => item.id.S === 'b'),
        '__proto__',
      ),
    );
    await page.click('dialog footer >> text=Close');
    await visit(page, '#/start');
    await choose(page, file('typed.jsonl', '{"Item":{"id":{"S":"a"},"set":{"NS":["1","2"]},"data":{"B":"AAH/"}}}\n'));
    await page.click('dialog footer >> text=Create the table and put 1 item');
    await imported(page, 1);
    const typed = await api(endpoint, 'Scan', { TableName: 'typed' });
    assert.deepEqual(typed.Items, [{ id: { S: 'a' }, set: { NS: ['1', '2'] }, data: { B: 'AAH/' } }]);
  });
});

test('ten thousand rows, throttled and interrupted, all arrive', async () => {
  const rows = Array.from({ length: 10_000 }, (_, nth) => `${nth},c-${nth % 97},${nth % 2 === 0}`);
  const path = file('many.csv', `id,customer,paid\n${rows.join('\n')}\n`);
  await withConsole({ expected: [/ERR_FAILED/, /Failed to load resource/] }, async ({ page, endpoint }) => {
    let nth = 0;
    await page.route('**/', async (route) => {
      const request = route.request();
      if (request.headers()['x-amz-target'] !== 'DynamoDB_20120810.BatchWriteItem') return route.continue();
      nth += 1;
      if (nth === 150) return route.abort();
      if (nth % 10 === 3)
        return route.fulfill({
          status: 400,
          contentType: 'application/x-amz-json-1.0',
          body: '{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}',
        });
      if (nth % 10 !== 7) return route.continue();
      // Half of the batch is left unprocessed.
      const body = JSON.parse(request.postData());
      const [[table, all]] = Object.entries(body.RequestItems);
      const half = Math.ceil(all.length / 2);
      await api(endpoint, 'BatchWriteItem', { RequestItems: { [table]: all.slice(0, half) } });
      const left = all.slice(half);
      return route.fulfill({
        status: 200,
        contentType: 'application/x-amz-json-1.0',
        body: JSON.stringify({ UnprocessedItems: left.length > 0 ? { [table]: left } : {} }),
      });
    });
    await choose(page, path);
    await page.click('dialog footer >> text=Create the table and put 10,000 items');
    await page.waitForSelector('.import-running:has-text("Stopped:"):has-text("did not answer")', { timeout: 60_000 });
    await page.click('dialog footer >> text=Go on');
    await imported(page, 10_000);
    let count = 0;
    let start;
    do {
      const answer = await api(endpoint, 'Scan', { TableName: 'many', Select: 'COUNT', ExclusiveStartKey: start });
      count += answer.Count;
      start = answer.LastEvaluatedKey;
    } while (start);
    assert.equal(count, 10_000);
  });
});

test('what a table refuses is kept as a file', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await choose(page, file('mixed.jsonl', `{"id":"a"}\n{"id":"${'x'.repeat(2049)}"}\n{"id":"c"}\n`));
    await page.click('dialog footer >> text=Create the table and put 3 items');
    await page.waitForSelector('.import-running:has-text("1 row was refused")');
    await page.waitForSelector('.import-refused:has-text("row 2")');
    assert.equal((await api(endpoint, 'Scan', { TableName: 'mixed' })).Count, 2);
  });
});

test('a file that is no rows says what is wrong', async () => {
  await withConsole({}, async ({ page }) => {
    await choose(page, file('broken.jsonl', '{"a":1}\n{"a":\n'));
    await page.waitForSelector('.error-box:has-text("Line 2")');
    await choose(page, file('empty.csv', 'a,b\n'));
    await page.waitForSelector('.error-box:has-text("no rows")');
  });
});

test('samples are offered, or left out with a sentence', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    const isThere = await api(endpoint, 'ListSamples', {}, true).then(
      () => true,
      () => false,
    );
    if (!isThere) {
      await page.waitForSelector('.left-out:has-text("Samples are left out")');
      return;
    }
    await page.click('.samples li:has-text("world") >> text=Load');
    await page.waitForSelector('.grid-row', { timeout: 60_000 });
  });
});

test('the palette finds tables, keys and actions', async () => {
  await withConsole({ args: ['--sample', 'world'] }, async ({ page }) => {
    await page.waitForSelector('.card:has-text("46,570 items")');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('query cit');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.builder');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('NL');
    await page.click('.palette li:has-text("partition key NL")');
    await page.waitForFunction(() => document.querySelector('.results-foot')?.textContent.includes('411 returned'));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('dark');
    await page.keyboard.press('Enter');
    await page.waitForSelector('html[data-theme=dark]');
  });
});

test('credentials that are typed in sign, and are in no storage', async () => {
  const credentials = file('credentials', '[default]\naws_access_key_id = AKIDTEST\naws_secret_access_key = secret/of+test\n');
  await withConsole({ args: ['--credentials', credentials], setup: { NeedsKeys: true } }, async ({ page }) => {
    await page.waitForSelector('.error-box:has-text("asks for credentials")');
    await page.waitForSelector('dialog:has-text("Access")');
    const type = async (secret) => {
      await page.getByLabel('Access key id').fill('AKIDTEST');
      await page.getByLabel('Secret access key').fill(secret);
      await page.click('dialog footer >> text=Use');
    };
    await type('wrong/secret');
    await page.waitForSelector('.error-box:has-text("does not accept these credentials")');
    await page.click('.error-box button:has-text("Access")');
    await type('secret/of+test');
    await page.waitForSelector('h1:has-text("An empty database")');
    await page.click('text=Create a table');
    await page.waitForSelector('dialog');
    await page.keyboard.type('signed');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("signed")');
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
    assert.ok(!kept.includes('secret/of+test') && !kept.includes('wrong/secret'));
    assert.ok(!(await page.textContent('.code')).includes('AKIDTEST'));
  });
});

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
]) {
  test(`axe finds nothing at the start, ${theme}, ${width} px`, async () => {
    await withConsole({ args: ['--sample', 'world'], theme, width }, async ({ page }) => {
      await page.waitForSelector('.card:has-text("46,570 items")');
      await axe(page, 'the start');
      await choose(page, orders);
      await page.waitForSelector('.import-check');
      await axe(page, 'an import');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.waitForSelector('.palette');
      await axe(page, 'the palette');
    });
  });
}
