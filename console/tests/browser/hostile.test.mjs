// Hostile names and values on every screen: nothing runs, nothing becomes markup, nothing makes the page wide or leaves
// its place; what goes through the editor and the downloads comes back as it was.

import { readFileSync } from 'node:fs';
import { api, shot, visit, withConsole } from './harness.mjs';
import { atMost, elements, is, until } from './own.mjs';

const digits38 = '12345678901234567890123456789012345678';
const texts = [
  '<img src=x onerror="window.hurt=1">',
  '</script><script>window.hurt=1</script>',
  '"><svg onload=window.hurt=1>',
  'javascript:window.hurt=1',
  'a\u202egnp.exe\u202c \u2066left\u2069 \u200f',
  '\u0000\u0001\u001b[31m\u0007\r\n\t\u007f\u0085\ufeff\u2028\u2029',
  `Z${'\u0301\u0489'.repeat(200)}`,
  '\u{10ffff}\u{e0001}\ufffe\uffff',
  '=cmd|\' /C calc\'!A0',
  '{{constructor.constructor("window.hurt=1")()}}',
  '${window.hurt=1}',
  '%3Cimg%20src=x%20onerror=window.hurt=1%3E',
  "'; DROP TABLE x; --",
  ' \u00a0 ',
  '-0',
  '007',
];
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a.b', 'a[0]', 'a b', '"quoted"', "it's", '#name', ':value', '<b>bold</b>', '\u202eabc', 'N', 'S', 'line\nbreak', '0', 'é', '~0', '%7E', 'a,b'];
const numbers = [digits38, `-${digits38}`, '1E+125', '9.9999999999999999999999999999999999999E+125', '1E-130', '-1E-130', `0.${digits38.slice(0, 37)}1`, '9007199254740993', '0'];

/** Returns an object whose names may be any, as its own members. */
const own = (entries) => JSON.parse(`{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`);

const allBytes = Buffer.from(Array.from({ length: 256 }, (_, nth) => nth)).toString('base64');

function nested(levels) {
  let value = { S: texts[0] };
  for (let nth = 0; nth < levels; nth += 1) value = nth % 2 === 0 ? { L: [value] } : { M: own([['__proto__', value]]) };
  return value;
}

function items() {
  const of = (sk, entries) => own([['pk.1', { S: 'hostile' }], ['__proto__', { S: sk }], ...entries]);
  return [
    ...texts.map((text, nth) => of(`1#${text}#${nth}`, [['a.b', { S: text }], [`[${nth}]`, { S: text }]])),
    of('2#names', names.filter((name) => name !== '__proto__').map((name, nth) => [name, { S: texts[nth % texts.length] }])),
    of('3#values', [
      ['numbers', { L: numbers.map((N) => ({ N })) }], ['number set', { NS: [digits38, '-1', '1E-130'] }], ['text set', { SS: [...new Set(texts)] }],
      ['binary', { B: allBytes }], ['binary set', { BS: [allBytes, 'AA=='] }], ['empty', { S: '' }], ['empty binary', { B: '' }], ['empty list', { L: [] }], ['empty map', { M: {} }],
      ['map', { M: own(names.map((name) => [name, { S: name }])) }], ['yes', { BOOL: true }], ['nothing', { NULL: true }],
    ]),
    ...numbers.map((N, nth) => of(`4#number#${nth}`, [['N', { N }]])),
    of('5#deep', [['deep', nested(31)]]),
    of('6#marks', [['marks', { S: `e${'\u0301'.repeat(190_000)}` }]]),
    of('7#wide', Array.from({ length: 5000 }, (_, nth) => [`attribute ${String(nth).padStart(4, '0')}`, { S: 'x'.repeat(58) }])),
  ];
}

const table = 'hostile.names-and_dots...';
const indexed = { TableName: table, BillingMode: 'PAY_PER_REQUEST' };

async function prepare(endpoint) {
  await api(endpoint, 'CreateTable', {
    ...indexed,
    AttributeDefinitions: [{ AttributeName: 'pk.1', AttributeType: 'S' }, { AttributeName: '__proto__', AttributeType: 'S' }, { AttributeName: 'a.b', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk.1', KeyType: 'HASH' }, { AttributeName: '__proto__', KeyType: 'RANGE' }],
    GlobalSecondaryIndexes: [{ IndexName: 'by.a-b', KeySchema: [{ AttributeName: 'a.b', KeyType: 'HASH' }], Projection: { ProjectionType: 'ALL' } }],
  });
  for (const Item of items()) await api(endpoint, 'PutItem', { TableName: table, Item });
}

const path = encodeURIComponent(table);
const pk = encodeURIComponent(JSON.stringify({ 'pk.1': { S: 'hostile' } }));
const explain = (operation, request) => `#/explain/${encodeURIComponent(JSON.stringify({ operation, request }))}`;
const filterOf = (text, name = 'a.b') => ({
  TableName: table, KeyConditionExpression: '#p = :p AND begins_with(#s, :s)', FilterExpression: '#f = :f OR contains(#f, :f)',
  ExpressionAttributeNames: { '#p': 'pk.1', '#s': '__proto__', '#f': name }, ExpressionAttributeValues: { ':p': { S: 'hostile' }, ':s': { S: '1#' }, ':f': { S: text } },
});

async function check(page, what, mostElements = 5000) {
  is(await page.evaluate(() => window.hurt ?? null), null, `${what}: a script`);
  is(await page.evaluate(() => document.querySelectorAll('#app img, #app script, #app b > b, #app svg[onload], #app a[href^="javascript" i]').length), 0, `${what}: markup of a value`);
  is(await page.evaluate(() => [Object.keys(Object.prototype).length, typeof {}.S, typeof {}.M]), [0, 'undefined', 'undefined'], `${what}: the prototype of objects`);
  is(await page.evaluate(() => [Math.max(0, document.documentElement.scrollWidth - innerWidth), Math.max(0, document.documentElement.scrollHeight - innerHeight)]), [0, 0], `${what}: the page is larger than the window`);
  const found = await elements(page);
  if (found > mostElements) throw new Error(`${what}: ${found} elements`);
}

/** Returns the text of an editor, which keeps only what is in sight in the page. */
async function editorText(page, editor) {
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  return page.evaluate(() => navigator.clipboard.readText());
}

async function download(page, form) {
  await page.getByRole('button', { name: 'Download what is shown' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: new RegExp(`^${form}`) }).click()]);
  return readFileSync(await file.path(), 'utf8');
}

/** Reads CSV by its own grammar. */
function readCsv(text) {
  const rows = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  for (let found = cell.exec(text); found && found.index < text.length; found = cell.exec(text)) {
    rows.at(-1).push(found[1] === undefined ? found[2] : found[1].replaceAll('""', '"'));
    if (found[3] === '\r\n') rows.push([]);
  }
  return rows.filter((row) => row.length > 0 && !(row.length === 1 && row[0] === ''));
}

/** An item with its names in order, sets too, so that it can be compared. */
const canonical = (item) => JSON.stringify(item, (name, value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Array.isArray(value) && ['SS', 'NS', 'BS'].includes(name) ? [...value].sort() : value;
  return own(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
});

const allItems = async (endpoint) => {
  const found = [];
  let start;
  do {
    const answer = await api(endpoint, 'Query', { TableName: table, KeyConditionExpression: '#p = :p', ExpressionAttributeNames: { '#p': 'pk.1' }, ExpressionAttributeValues: { ':p': { S: 'hostile' } }, ExclusiveStartKey: start });
    found.push(...answer.Items);
    start = answer.LastEvaluatedKey;
  } while (start);
  return found;
};

async function screens(page) {
  const quoted = `"${table}"`;
  const statement = encodeURIComponent(`SELECT * FROM ${quoted} WHERE "pk.1" = 'hostile' AND "__proto__" BETWEEN '1#' AND '5'`);
  for (const [hash, there] of [
    [`#/items/${path}`, page.getByRole('grid')],
    [`#/items/${path}?index=by.a-b`, page.getByRole('grid')],
    [`#/query/${path}?pk=${encodeURIComponent('["hostile"]')}`, page.getByRole('button', { name: 'Run' }).first()],
    [`#/query/${path}?as=partiql&s=${statement}&run=1`, page.getByRole('grid')],
    [`#/keys/${path}`, page.getByRole('button', { name: /hostile/ })],
    [`#/keys/${path}?pk=${pk}`, page.getByRole('listbox', { name: 'Segments of the ruler' })],
    [`#/keys/${path}?index=by.a-b`, page.getByRole('heading', { name: 'Partitions' })],
    ...texts.slice(0, 7).map((text) => [explain('Query', filterOf(text)), page.getByRole('heading', { name: 'Advice' })]),
    [explain('Scan', { TableName: table, FilterExpression: '#f = :f', ExpressionAttributeNames: { '#f': texts[0] }, ExpressionAttributeValues: { ':f': { S: texts[1] } } }), page.getByRole('heading', { name: 'Advice' })],
    [explain('ExecuteStatement', { Statement: `SELECT * FROM ${quoted} WHERE "pk.1" = '${texts[0]}'` }), page.getByRole('heading', { name: 'Advice' })],
    [explain('PutItem', { TableName: table, Item: items()[0] }), page.getByRole('button', { name: 'Run it' })],
    [`#/tables/${path}`, page.getByRole('heading', { name: 'Indexes' })],
    ['#/start', page.getByRole('heading', { name: 'Point an SDK here' })],
    [`#/${encodeURIComponent(texts[0])}/${encodeURIComponent(texts[1])}`, page.getByText('There is no such screen')],
    [`#/items/${encodeURIComponent(texts[0])}`, page.getByRole('main')],
    [`#/explain/${encodeURIComponent(texts[0])}`, page.getByText('does not name a request')],
    [`#/query/${path}?q=${encodeURIComponent('{"__proto__":{"x":1},"pk":{"a":1},"filters":[{"path":1}]}')}&run=1&cols=%5B%7B%7D%5D&view=x&start=%22x`, page.getByRole('main')],
  ]) {
    await visit(page, hash);
    await there.first().waitFor();
    await check(page, decodeURIComponent(hash).slice(0, 120));
    await shot(page, `hostile-${hash.replace(/[^a-z]+/gi, '-').slice(0, 60)}`);
  }
}

/** Opens an item by its sort key and returns its editor's text; then adds an attribute and saves. */
async function throughEditor(page, endpoint, item) {
  const key = { 'pk.1': item['pk.1'] };
  Object.defineProperty(key, '__proto__', { value: item['__proto__'], enumerable: true });
  await visit(page, `#/query/${path}?q=${encodeURIComponent(JSON.stringify({ pk: ['hostile'], sk: [{ op: '=', v: [item['__proto__'].S] }] }))}&run=1`);
  await page.getByText('1 returned of 1 examined').waitFor();
  await page.getByRole('button', { name: 'Open row 1', exact: true }).click();
  await check(page, `the panel of ${item['__proto__'].S.slice(0, 20)}`);
  await page.getByRole('button', { name: 'Edit the item as JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'Item as JSON' });
  await editor.waitFor();
  const text = await editorText(page, editor);
  is(canonical(JSON.parse(text)), canonical(item), 'the text of the editor');
  await page.evaluate((changed) => navigator.clipboard.writeText(changed), text.replace('{', '{ "added by hand": {"N": "1"},'));
  await page.keyboard.press('Control+v');
  await page.getByRole('button', { name: 'Update', exact: true }).click();
  await until(async () => (await page.getByRole('dialog').count()) === 0, 'the end of the edit');
  const { Item: now } = await api(endpoint, 'GetItem', { TableName: table, Key: key });
  is(canonical(now), canonical(own([...Object.entries(item), ['added by hand', { N: '1' }]])), 'the item that was saved');
  await api(endpoint, 'PutItem', { TableName: table, Item: item });
}

/** Edits the attribute of a text with signs that fields of forms change: one sign more, and nothing else. */
async function inPlace(page, endpoint, item) {
  await visit(page, '#/start');
  await visit(page, `#/query/${path}?q=${encodeURIComponent(JSON.stringify({ pk: ['hostile'], sk: [{ op: '=', v: [item['__proto__'].S] }] }))}&run=1`);
  await page.getByText('1 returned of 1 examined').waitFor();
  await page.getByRole('button', { name: 'Open row 1', exact: true }).click();
  await page.getByRole('button', { name: 'Edit a.b' }).click();
  const box = page.getByRole('dialog', { name: 'Edit a.b' }).getByRole('textbox', { name: 'Value' });
  await box.press('End');
  await box.pressSequentially('!');
  await shot(page, 'hostile-in-place');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until(async () => (await page.getByRole('dialog').count()) === 0, 'the end of the edit');
  const now = (await allItems(endpoint)).find((one) => one['__proto__'].S === item['__proto__'].S);
  is(now['a.b'].S, `${item['a.b'].S}!`, 'a text edited in place');
  await api(endpoint, 'PutItem', { TableName: table, Item: item });
}

async function downloads(page, endpoint) {
  const all = (await allItems(endpoint)).slice(0, 100);
  await visit(page, `#/query/${path}?q=${encodeURIComponent(JSON.stringify({ pk: ['hostile'], sk: [{ op: '<', v: ['6'] }] }))}&run=1`);
  await page.getByText('returned of').waitFor();
  const shown = all.filter((item) => item['__proto__'].S < '6');
  const typed = (await download(page, 'DynamoDB JSON')).trim().split('\n').map((line) => JSON.parse(line).Item);
  is(typed.map(canonical), shown.map(canonical), 'DynamoDB JSON');
  const rows = readCsv(await download(page, 'CSV'));
  const [head, ...cells] = rows;
  is(cells.length, shown.length, 'the rows of CSV');
  for (const [nth, item] of shown.entries()) {
    for (const [name, value] of Object.entries(item)) {
      const expected = value.S ?? value.N ?? value.B;
      if (expected !== undefined) is(cells[nth][head.indexOf(name)], expected, `CSV of ${JSON.stringify(name)}`);
    }
  }
  const lines = (await download(page, 'JSON Lines')).trim().split('\n');
  is(lines.length, shown.length, 'the lines of JSON');
  const nth = shown.findIndex((item) => item['__proto__'].S === '4#number#0');
  is(lines[nth].includes(`"N":${digits38}`), true, 'a number of 38 digits in JSON');
}

/** Texts with half a pair cannot be stored: the page says what the server says, and keeps what was typed. */
async function loneSurrogates(page) {
  await visit(page, `#/query/${path}?q=${encodeURIComponent(JSON.stringify({ pk: ['x'] }))}`);
  const box = page.getByRole('textbox', { name: 'pk.1, value' });
  await box.waitFor();
  await box.evaluate((input) => {
    input.value = 'half \ud83d pair';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.getByRole('button', { name: 'Run' }).first().click();
  await until(async () => (await page.getByRole('region', { name: 'Answer' }).innerText()).trim() !== '', 'an answer');
  await check(page, 'half a pair');
}

async function ledger(page, endpoint) {
  await visit(page, '#/requests?view=lines');
  await page.getByText(/server \w/).first().waitFor();
  for (const text of texts) {
    await api(endpoint, 'Query', { ...filterOf(text), ExpressionAttributeNames: { '#p': 'pk.1', '#s': '__proto__', '#f': text } }).catch(() => {});
    await api(endpoint, 'ExecuteStatement', { Statement: `SELECT ${text} FROM "${table}"` }).catch(() => {});
    await api(endpoint, 'GetItem', { TableName: text.slice(0, 200), Key: {} }).catch(() => {});
  }
  await until(async () => (await page.getByRole('row').count()) > 20, 'lines of the ledger');
  await check(page, 'the ledger');
  await shot(page, 'hostile-ledger');
  for (const nth of [1, 2, 3, 8, 15]) {
    await page.getByRole('row').nth(nth).click();
    await page.getByRole('complementary').last().waitFor();
    await check(page, `line ${nth} of the ledger`);
  }
  await shot(page, 'hostile-ledger-line');
  await visit(page, '#/requests?view=patterns');
  await page.getByRole('row').nth(2).waitFor();
  await check(page, 'the patterns');
  await shot(page, 'hostile-patterns');
}

await withConsole({ args: ['--console', 'off'], expected: [/status of 40/] }, async ({ page, endpoint }) => {
  page.on('dialog', (dialog) => { throw new Error(`a dialog of a value: ${dialog.message()}`); });
  await prepare(endpoint);
  await page.reload();
  await screens(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await screens(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  const all = await allItems(endpoint);
  for (const sk of ['2#', '3#', '5#', '4#number#1', '1#<img', '1#\u0000']) await throughEditor(page, endpoint, all.find((item) => item['__proto__'].S.startsWith(sk)));
  for (const sk of ['1#\u0000', '1#a\u202e', '1#Z', '1#007']) await inPlace(page, endpoint, all.find((item) => item['__proto__'].S.startsWith(sk)));
  await downloads(page, endpoint);
  await loneSurrogates(page);
  await ledger(page, endpoint);
  for (const sk of ['6#', '7#']) {
    await visit(page, `#/query/${path}?q=${encodeURIComponent(JSON.stringify({ pk: ['hostile'], sk: [{ op: 'begins_with', v: [sk] }] }))}&run=1`);
    await page.getByText('1 returned of 1 examined').waitFor();
    await page.getByRole('button', { name: 'Open row 1', exact: true }).click();
    await page.getByRole('button', { name: 'Edit the item as JSON' }).click();
    await page.getByRole('textbox', { name: 'Item as JSON' }).waitFor();
    await shot(page, `hostile-large-${sk[0]}`);
    atMost(await elements(page), 5000, `elements with ${sk}`);
    await page.keyboard.press('Escape');
  }
});
