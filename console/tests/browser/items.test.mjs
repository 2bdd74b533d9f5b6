// Items: pages compared with the API's, edited in place, in conflict, hostile, very large.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { api, axe, rowTexts, shot, visit, withConsole } from './harness.mjs';

const digits38 = '12345678901234567890123456789012345678';

async function makeTable(endpoint, name, items) {
  await api(endpoint, 'CreateTable', {
    TableName: name,
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  for (const Item of items) await api(endpoint, 'PutItem', { TableName: name, Item });
}

const editor = '[role=dialog][aria-label^="Edit"]';

async function openCell(page, row, name) {
  const column = await page.evaluate(
    (title) =>
      [...document.querySelectorAll('[role=columnheader]')]
        .find((head) => head.querySelector('.name')?.textContent === title)
        ?.getAttribute('aria-colindex'),
    name,
  );
  await page.locator(`[role=row][aria-rowindex="${row + 2}"] [role=gridcell][aria-colindex="${column}"]`).dblclick();
  await page.waitForSelector(editor);
}

test('a page is the same as the API answers, page after page, and back', async () => {
  await withConsole({ args: ['--sample', 'world'], hash: '#/items/cities' }, async ({ page, endpoint }) => {
    await page.waitForSelector('.grid-row');
    const first = await api(endpoint, 'Scan', { TableName: 'cities', Limit: 100 });
    const second = await api(endpoint, 'Scan', { TableName: 'cities', Limit: 100, ExclusiveStartKey: first.LastEvaluatedKey });
    for (const [row, item] of first.Items.slice(0, 10).entries()) {
      const shown = await rowTexts(page, row);
      assert.equal(shown.place, item.place.S);
      assert.equal(shown.latitude, item.latitude?.N ?? '');
    }
    await page.click('text=Next page');
    await page.waitForFunction(
      (place) => document.querySelector('[aria-rowindex="2"]')?.textContent.includes(place),
      second.Items[0].place.S,
    );
    assert.match(await page.textContent('.results-foot'), /100 returned of 100 examined/);
    await page.goBack();
    await page.waitForFunction(
      (place) => document.querySelector('[aria-rowindex="2"]')?.textContent.includes(place),
      first.Items[0].place.S,
    );
  });
});

test('a key is found, by an index too, and the address says so', async () => {
  await withConsole({ args: ['--sample', 'world'], hash: '#/items/cities' }, async ({ page, endpoint }) => {
    await page.fill('.key-input input >> nth=0', 'NL');
    await page.press('.key-input input >> nth=0', 'Enter');
    await page.waitForFunction(() => document.querySelector('[aria-rowindex="2"]')?.textContent.includes('DRENTHE'));
    await page.fill('#sort-value', 'UTRECHT#');
    await page.press('#sort-value', 'Enter');
    const expected = await api(endpoint, 'Query', {
      TableName: 'cities',
      KeyConditionExpression: 'country = :c AND begins_with(place, :p)',
      ExpressionAttributeValues: { ':c': { S: 'NL' }, ':p': { S: 'UTRECHT#' } },
    });
    await page.waitForFunction(
      (count) => document.querySelector('.results-foot')?.textContent.includes(`${count} returned`),
      expected.Count,
    );
    const hash = await page.evaluate(() => location.hash);
    await page.reload();
    await page.waitForFunction(
      (count) => document.querySelector('.results-foot')?.textContent.includes(`${count} returned`),
      expected.Count,
    );
    assert.equal(await page.evaluate(() => location.hash), hash);
    await page.selectOption('.index-choice', 'capitals');
    await page.waitForFunction(() => document.querySelector('[role=columnheader] .name')?.textContent === 'capital');
  });
});

test('an edit is an update whose expression is shown, and numbers keep their digits', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await makeTable(endpoint, 'things', [
      { pk: { S: 'a' }, n: { N: digits38 }, tags: { SS: ['x', 'y'] }, data: { B: 'AAH/' }, expires: { N: '1764000000' } },
    ]);
    await visit(page, '#/items/things');
    await page.waitForSelector('.grid-row');
    const shown = await rowTexts(page, 0);
    assert.equal(shown.n, digits38);
    assert.equal(shown.data, 'AAH/');
    assert.match(await page.textContent('.grid-row'), /2025-11-24 16:00:00 UTC/);
    await openCell(page, 0, 'n');
    const next = `${digits38.slice(0, -1)}9`;
    await page.fill(`${editor} input`, next);
    assert.match(await page.textContent('.update-words'), new RegExp(`SET n = ${next}.*if n = ${digits38}`, 's'));
    await page.press(`${editor} input`, 'Enter');
    await page.waitForSelector(editor, { state: 'detached' });
    const stored = await api(endpoint, 'GetItem', { TableName: 'things', Key: { pk: { S: 'a' } } });
    assert.deepEqual(stored.Item, {
      pk: { S: 'a' },
      n: { N: next },
      tags: { SS: ['x', 'y'] },
      data: { B: 'AAH/' },
      expires: { N: '1764000000' },
    });
  });
});

test('by keyboard alone: a table is found, a value edited, an item opened and closed', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await makeTable(endpoint, 'things', [{ pk: { S: 'a' }, note: { S: 'old' } }]);
    await page.reload();
    await page.waitForSelector('.card:has-text("things")');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('things');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.grid-row');
    await page.keyboard.press('Alt+g');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForSelector(editor);
    await page.keyboard.type('new');
    await page.keyboard.press('Enter');
    await page.waitForSelector(editor, { state: 'detached' });
    assert.equal((await api(endpoint, 'GetItem', { TableName: 'things', Key: { pk: { S: 'a' } } })).Item.note.S, 'new');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'grid');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.panel:has-text("new")');
    assert.match(await page.evaluate(() => location.hash), /item=/);
    await page.reload();
    await page.waitForSelector('.panel:has-text("new")');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.panel', { state: 'detached' });
    await page.keyboard.press('?');
    await page.waitForSelector('dialog:has-text("Go to the grid")');
  });
});

test('a conflict shows both versions, and the choice is done', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await makeTable(endpoint, 'things', [{ pk: { S: 'a' }, note: { S: 'read' } }]);
    await visit(page, '#/items/things');
    await page.waitForSelector('.grid-row');
    await openCell(page, 0, 'note');
    await api(endpoint, 'PutItem', { TableName: 'things', Item: { pk: { S: 'a' }, note: { S: 'theirs' }, more: { N: '1' } } });
    await page.fill(`${editor} input`, 'mine');
    await page.press(`${editor} input`, 'Enter');
    await page.waitForSelector('dialog:has-text("changed by somebody else")');
    const words = await page.textContent('.conflict');
    for (const part of ['read', 'theirs', 'mine']) assert.ok(words.includes(part), part);
    await shot(page, 'conflict');
    await page.click('text=Write mine over it');
    await page.waitForSelector('dialog', { state: 'detached' });
    const stored = await api(endpoint, 'GetItem', { TableName: 'things', Key: { pk: { S: 'a' } } });
    assert.deepEqual(stored.Item, { pk: { S: 'a' }, note: { S: 'mine' }, more: { N: '1' } });
  });
});

test('items are put, copied and deleted, by keyboard and button', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await makeTable(endpoint, 'things', [{ pk: { S: 'a' }, note: { S: 'one' } }]);
    await visit(page, '#/items/things');
    await page.waitForSelector('.grid-row');
    await page.click('text=New item');
    await page.waitForSelector('.cm-content');
    await page.click('.cm-content');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"pk": "b", "n": 1.50, "list": [1, "x", null]}');
    await page.click('dialog >> text="Put"');
    await page.waitForSelector('dialog', { state: 'detached' });
    const stored = await api(endpoint, 'GetItem', { TableName: 'things', Key: { pk: { S: 'b' } } });
    assert.deepEqual(stored.Item, { pk: { S: 'b' }, n: { N: '1.5' }, list: { L: [{ N: '1' }, { S: 'x' }, { NULL: true }] } });
    await page.waitForFunction(() => document.querySelectorAll('.grid-row').length === 2);
    const row = await page.evaluate(() => [...document.querySelectorAll('.grid-row')].findIndex((one) => one.textContent.includes('one')));
    await page.focus('.grid');
    await page.keyboard.press('Control+Home');
    for (let nth = 0; nth < row; nth += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.click('.results-bar >> text=Delete');
    await page.click('dialog footer >> text=Delete 1 item');
    await page.waitForSelector('dialog', { state: 'detached' });
    const left = await api(endpoint, 'Scan', { TableName: 'things' });
    assert.deepEqual(
      left.Items.map((item) => item.pk.S),
      ['b'],
    );
  });
});

test('what is shown is downloaded without loss', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    const item = { pk: { S: 'a,"b"\n' }, n: { N: digits38 }, m: { M: { x: { NS: ['1', '2'] } } } };
    await makeTable(endpoint, 'things', [item]);
    await visit(page, '#/items/things');
    await page.waitForSelector('.grid-row');
    const read = async (title) => {
      await page.click('[aria-label="Download what is shown"]');
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`[role=menuitem]:has-text("${title}")`)]);
      return readFileSync(await download.path(), 'utf8');
    };
    assert.equal(await read('CSV'), `pk,m,n\r\n"a,""b""\n","{""x"":[1,2]}",${digits38}\r\n`);
    assert.equal(await read('JSON Lines'), `{"m":{"x":[1,2]},"n":${digits38},"pk":"a,\\"b\\"\\n"}\n`);
    assert.deepEqual(JSON.parse(await read('DynamoDB JSON')), { Item: item });
  });
});

const hostile = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '\u202eright to left',
  '\u0000\u0001\u001b[31m',
  '__proto__',
  'constructor',
  '{{7*7}}',
  `e${'\u0301'.repeat(1000)}`,
  'javascript:alert(1)',
  "'; DROP TABLE x; --",
  '\ufeff',
  '\u2028\u2029',
  '😀'.repeat(100),
];

test('hostile names and values are text on every form of the screen', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    const items = hostile.map((text) => ({
      pk: { S: text },
      [text]: { S: text },
      m: { M: { [text]: { L: [{ S: text }] } } },
      big: { S: 'a\u0301'.repeat(20_000) },
    }));
    await makeTable(endpoint, 'hostile', items);
    page.on('dialog', () => assert.fail('a dialog of the browser was opened'));
    await visit(page, '#/items/hostile');
    await page.waitForSelector('.grid-row');
    assert.equal(await page.evaluate(() => document.querySelectorAll('.results img, .results script').length), 0);
    const titles = await page.evaluate(() => {
      document.querySelector('.grid').scrollTo({ left: 0 });
      return document.querySelectorAll('[role=columnheader]').length;
    });
    assert.ok(titles >= 2);
    await shot(page, 'hostile');
    for (let row = 0; row < hostile.length; row += 1) {
      await page.click(`[role=row][aria-rowindex="${row + 2}"] .row-open`);
      await page.waitForSelector('.attributes');
      await page.click('.panel [role=tab]:has-text("DynamoDB JSON")');
      await page.click('.panel [role=tab]:has-text("Attributes")');
      await page.click('[aria-label="Close the item"]');
    }
    for (const view of ['json', 'ddb']) {
      await page.evaluate((to) => (location.hash = location.hash.replace(/&?view=\w+/, '') + `&view=${to}`), view);
      await page.waitForSelector('.results-text');
    }
    assert.equal(await page.evaluate(() => document.querySelectorAll('.results img, .results script').length), 0);
  });
});

test('an item of 5,000 attributes and a table of hundreds stay small in the page', async (t) => {
  await withConsole({}, async ({ page, endpoint }) => {
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, nth) => [`attribute_${nth}`, { N: String(nth) }]));
    await makeTable(endpoint, 'wide', [
      { pk: { S: 'a' }, ...wide },
      ...Array.from({ length: 99 }, (_, nth) => ({ pk: { S: `b${nth}` }, [`attribute_${nth}`]: { S: 'x' } })),
    ]);
    await visit(page, '#/items/wide');
    await page.waitForSelector('.grid-row');
    const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
    assert.ok((await nodes()) < 3000, `${await nodes()} nodes`);
    const frames = await page.evaluate(async () => {
      const grid = document.querySelector('.grid');
      const times = [];
      let before = performance.now();
      for (let nth = 0; nth < 60; nth += 1) {
        grid.scrollLeft += 1000;
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - before);
        before = performance.now();
      }
      return times.sort((one, other) => one - other);
    });
    t.diagnostic(`frames while scrolling: median ${frames[30].toFixed(1)} ms, worst ${frames[59].toFixed(1)} ms; ${await nodes()} nodes`);
    await page.focus('.grid');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[role=columnheader]')].some((head) => head.getAttribute('aria-colindex') === '5002'),
    );
    assert.ok((await nodes()) < 3000, `${await nodes()} nodes`);
    const scan = await api(endpoint, 'Scan', { TableName: 'wide' });
    const row = scan.Items.findIndex((item) => item.pk.S === 'a');
    await page.keyboard.press('Home');
    for (let nth = 0; nth < row; nth += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.attributes');
    assert.ok((await nodes()) < 6000, `${await nodes()} nodes with the item open`);
    await page.fill('.panel-filter', 'attribute_4999');
    await page.waitForFunction(() => document.querySelectorAll('.attributes > div').length === 1);
  });
});

test('several tabs have a page each', async () => {
  await withConsole({ args: ['--sample', 'world'], hash: '#/items/cities' }, async ({ page, endpoint }) => {
    await makeTable(endpoint, 'things', [{ pk: { S: 'a' } }]);
    await page.waitForSelector('.grid-row');
    await visit(page, '#/items/things');
    await page.waitForFunction(() => document.querySelectorAll('.item-tab').length === 2);
    await page.click('.item-tab a:has-text("cities")');
    await page.waitForFunction(() => document.querySelector('.item-tab.shown')?.textContent.includes('cities'));
    await page.click('[aria-label="Close the tab cities"]');
    await page.waitForFunction(
      () =>
        document.querySelectorAll('.item-tab').length === 1 && document.querySelector('.item-tab.shown')?.textContent.includes('things'),
    );
  });
});

test('read-only mode refuses what would write', async () => {
  await withConsole({}, async ({ page, endpoint }) => {
    await makeTable(endpoint, 'things', [{ pk: { S: 'a' }, note: { S: 'x' } }]);
    await page.click('[aria-label^="Read-only mode is off"]');
    await visit(page, '#/items/things');
    await page.waitForSelector('.grid-row');
    assert.equal(await page.locator('text=New item').count(), 0);
    await visit(page, `#/query/things?as=partiql&s=${encodeURIComponent("DELETE FROM things WHERE pk = 'a'")}`);
    await page.click('.query-buttons >> text=Run');
    await page.waitForSelector('.error-box:has-text("read-only mode")');
    assert.equal((await api(endpoint, 'Scan', { TableName: 'things' })).Count, 1);
  });
});

test('a server that goes and comes back: words, and nothing lost that was typed', async () => {
  await withConsole({ expected: [/ERR_/, /Failed to load resource/] }, async ({ page, endpoint, server }) => {
    await makeTable(endpoint, 'things', [{ pk: { S: 'a' }, note: { S: 'x' } }]);
    await visit(page, '#/items/things');
    await page.waitForSelector('.grid-row');
    await openCell(page, 0, 'note');
    server.kill('SIGSTOP');
    server.kill('SIGKILL');
    await page.fill(`${editor} input`, 'typed');
    await page.press(`${editor} input`, 'Enter');
    await page.waitForSelector(`${editor} .error-box:has-text("did not answer")`);
    assert.equal(await page.inputValue(`${editor} input`), 'typed');
    await page.waitForSelector('.lost');
  });
});

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
]) {
  test(`axe finds nothing in items, ${theme}, ${width} px`, async () => {
    await withConsole({ args: ['--sample', 'world'], theme, width, hash: '#/items/cities' }, async ({ page }) => {
      await page.waitForSelector('.grid-row');
      await axe(page, 'the grid');
      await page.click('.row-open >> nth=1');
      await page.waitForSelector('.attributes');
      await axe(page, 'an item');
      await page.click('[aria-label="Edit city"]');
      await page.waitForSelector(editor);
      await axe(page, 'the editor of a value');
    });
  });
}
