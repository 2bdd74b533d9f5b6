// The screen of keys: its figures against the service's own answers, by mouse, by touch, by keyboard; hostile keys.

import { axe, shot, visit } from './harness.mjs';
import { atMost, elements, frames, has, is, text, until, withOwn } from './own.mjs';

const US = encodeURIComponent('{"country":{"S":"US"}}');
const ruler = (page) => page.getByRole('listbox', { name: 'Segments of the ruler' });

async function countOf(call, prefix) {
  const answer = await call('Query', {
    TableName: 'cities', Select: 'COUNT', KeyConditionExpression: 'country = :c AND begins_with(place, :p)',
    ExpressionAttributeValues: { ':c': { S: 'US' }, ':p': { S: prefix } },
  });
  return answer.Count;
}

await withOwn({ args: ['--sample', 'world'], hash: '#/keys/cities' }, async ({ page, call }) => {
  await page.getByRole('button', { name: 'US', exact: true }).first().waitFor();
  await page.locator('.matrix .cell').first().waitFor();
  const first = await text(page.locator('.partitions tbody tr').first());
  const { Count } = await call('Query', { TableName: 'cities', Select: 'COUNT', KeyConditionExpression: 'country = :c', ExpressionAttributeValues: { ':c': { S: 'US' } } });
  has(first, new RegExp(`^US ${Count.toLocaleString('en-US')} `), 'the largest partition');
  await shot(page, 'keys-table');
  await page.locator('.partitions').getByRole('button', { name: 'US', exact: true }).click();

  await until(async () => (await text(page.locator('.ruler-total').first())).startsWith('7,018 items'), 'the count of the partition');
  await until(async () => (await page.locator('[role=treeitem]').count()) > 20, 'the tree');
  await page.locator('.ruler canvas[data-calls]').waitFor();
  atMost(Number(await page.locator('.ruler canvas').getAttribute('data-calls')), 400, 'draw calls');
  atMost(await elements(page), 2000, 'elements of the screen');

  // By keyboard alone: Alabama, then into it, then back.
  await ruler(page).focus();
  await page.keyboard.press('Home');
  has(await text(page.locator('.ruler-said')), /^ALABAMA# 119 items/, 'the first segment');
  await page.keyboard.press('Enter');
  await until(async () => /ALABAMA#/.test(await text(page.locator('.ruler-way'))), 'the folder');
  await until(async () => (await text(page.locator('.ruler-total').first())).startsWith('119 items'), 'the count of the folder');
  await ruler(page).focus();
  await page.keyboard.press('Backspace');
  await until(async () => !/ALABAMA#/.test(await text(page.locator('.ruler-way'))), 'the partition again');

  // What is typed moves the band and its figures.
  await page.getByRole('combobox', { name: 'Operator' }).selectOption('begins_with');
  await page.getByRole('textbox', { name: 'Value' }).fill('FLORIDA#');
  const florida = await countOf(call, 'FLORIDA#');
  await until(async () => (await text(page.locator('.range-figures'))).includes(`examines ${florida} items`), 'the figures of the range');
  await shot(page, 'keys-range');

  // An end that is dragged writes the condition; so does one that arrows move.
  const upper = page.getByRole('slider', { name: 'Upper end of the range' });
  const box = await upper.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 20, { steps: 8 });
  await page.mouse.up();
  await until(async () => (await page.getByRole('combobox', { name: 'Operator' }).inputValue()) === 'BETWEEN', 'a range of two ends');
  is(await page.getByRole('textbox', { name: 'Lower end' }).inputValue(), 'FLORIDA#', 'the end that was not moved');
  const dragged = await page.getByRole('textbox', { name: 'Upper end' }).inputValue();
  const answer = await call('Query', { TableName: 'cities', Select: 'COUNT', KeyConditionExpression: 'country = :c AND place BETWEEN :l AND :u', ExpressionAttributeValues: { ':c': { S: 'US' }, ':l': { S: 'FLORIDA#' }, ':u': { S: dragged } } });
  await until(async () => (await text(page.locator('.range-figures'))).includes(`examines ${answer.Count.toLocaleString('en-US')}`) || answer.Count > 1000, 'the figures of the dragged range');
  await upper.focus();
  await page.keyboard.press('ArrowRight');
  await until(async () => (await page.getByRole('textbox', { name: 'Upper end' }).inputValue()) !== dragged, 'the end moved by a key');

  // Segments that are dragged over become the range.
  const line = await page.locator('.ruler-keys').boundingBox();
  const sweep = async () => {
    await page.mouse.move(line.x + 300, line.y + 30);
    await page.mouse.down();
    await page.mouse.move(line.x + 600, line.y + 30, { steps: 30 });
    await page.mouse.up();
  };
  const measured = await frames(page, sweep);
  console.log(`frames while segments are dragged over: ${measured.frames}, 95 of 100 within ${measured.p95.toFixed(0)} ms, the longest ${measured.longest.toFixed(0)} ms`);
  has(await page.getByRole('combobox', { name: 'Operator' }).inputValue(), /BETWEEN/, 'the range that was dragged');
  const address = page.url();
  await page.reload();
  await until(async () => (await page.getByRole('combobox', { name: 'Operator' }).inputValue()) === 'BETWEEN', 'the range of the address');
  is(page.url(), address, 'the address');

  // The same in a table.
  await page.getByRole('button', { name: 'As table' }).click();
  has(await text(page.locator('.ruler-table tbody tr').first()), /^ALABAMA# .*119/, 'the first row');
  await shot(page, 'keys-as-table');
  await axe(page, 'keys, light');

  // The tree by keyboard.
  const item = page.getByRole('treeitem').first();
  await item.focus();
  await page.keyboard.press('ArrowRight');
  await until(async () => (await page.locator('[role=treeitem][aria-level="2"]').count()) > 5, 'the second level');
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await page.locator('[role=treeitem][aria-level="2"]').count()) === 0, 'the level closed');
});

await withOwn({ args: ['--sample', 'world'], hash: `#/keys/cities?index=by-population&pk=${US}`, theme: 'dark' }, async ({ page, call }) => {
  await until(async () => (await text(page.locator('.ruler-total').first())).startsWith('7,018 items'), 'the ruler of numbers');
  const millions = await call('Query', { TableName: 'cities', IndexName: 'by-population', Select: 'COUNT', KeyConditionExpression: 'country = :c AND population >= :p', ExpressionAttributeValues: { ':c': { S: 'US' }, ':p': { N: '1000000' } } });
  await page.getByRole('combobox', { name: 'Operator' }).selectOption('>=');
  await page.getByRole('textbox', { name: 'Value' }).fill('1000000');
  await until(async () => (await text(page.locator('.range-figures'))).includes(`examines ${millions.Count} items`), 'figures of a range of numbers');
  await shot(page, 'keys-numbers-dark');
  await axe(page, 'keys, dark');
});

await withOwn({ args: ['--sample', 'world'], hash: `#/keys/cities?pk=${US}`, width: 360, height: 740, hasTouch: true, budget: 500, mocked: ['Ruler'] }, async ({ page }) => {
  // A line that is counted call by call: "at least" until it is done, or until the budget is used.
  await until(async () => /at least/.test(await text(page.locator('.ruler-total').first())), 'a count that is not exact');
  await until(async () => (await page.getByRole('button', { name: 'Count on' }).count()) === 1 || /^7,018 items/.test(await text(page.locator('.ruler-total').first())), 'the end of the unasked counting', 30_000);
  if ((await page.getByRole('button', { name: 'Count on' }).count()) === 1) await page.getByRole('button', { name: 'Count on' }).click();
  await until(async () => (await text(page.locator('.ruler-total').first())).startsWith('7,018 items'), 'the exact count', 30_000);
  const line = await page.locator('.ruler-keys').boundingBox();
  await page.touchscreen.tap(line.x + 60, line.y + 30);
  await until(async () => (await page.locator('.ruler-way span').count()) > 3, 'the folder that was touched');
  // A finger moves an end of the range.
  await visit(page, `#/keys/cities?pk=${US}&op=begins_with&v1=${encodeURIComponent('{"S":"FLORIDA#"}')}`);
  const upper = page.getByRole('slider', { name: 'Upper end of the range' });
  await upper.waitFor();
  const end = await upper.boundingBox();
  const touch = await page.context().newCDPSession(page);
  const send = (type, x) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y: end.y + 20 }] });
  await send('touchStart', end.x + 12);
  for (let nth = 1; nth <= 8; nth++) await send('touchMove', end.x + 12 + nth * 10);
  await send('touchEnd');
  await until(async () => (await page.getByRole('combobox', { name: 'Operator' }).inputValue()) === 'BETWEEN', 'the range that a finger has drawn');
  await shot(page, 'keys-360');
  await axe(page, 'keys at 360 px');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  atMost(wide, 360, 'width of the page');
});

const HOSTILE = ['<img src=x onerror=alert(1)>', 'a\u202eb\u0000c', `m${'\u0301'.repeat(200)}`, '__proto__', "'; DROP TABLE x; --", '\u{10ffff}', ' ', '#', '##', 'javascript:alert(1)'];

async function hostileTable({ call }) {
  await call('CreateTable', {
    TableName: 'hostile', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: '__proto__', AttributeType: 'S' }, { AttributeName: 'constructor', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: '__proto__', KeyType: 'HASH' }, { AttributeName: 'constructor', KeyType: 'RANGE' }],
  });
  for (const pk of HOSTILE) {
    for (const sk of HOSTILE) await call('PutItem', { TableName: 'hostile', Item: JSON.parse(`{"__proto__": ${JSON.stringify({ S: pk })}, "constructor": ${JSON.stringify({ S: `${sk}#${sk}` })}}`) });
  }
}

await withOwn({ hash: '', prepare: hostileTable }, async ({ page }) => {
  let isHurt = false;
  page.on('dialog', () => (isHurt = true));
  await visit(page, '#/keys/hostile');
  await until(async () => (await page.locator('.partitions tbody tr').count()) === HOSTILE.length, 'the hostile partitions');
  for (const pk of HOSTILE) {
    await visit(page, `#/keys/hostile?pk=${encodeURIComponent(`{"__proto__":${JSON.stringify({ S: pk })}}`)}`);
    await until(async () => /^10 items/.test(await text(page.locator('.ruler-total').first())), `the ruler of ${JSON.stringify(pk).slice(0, 20)}`);
    if (!(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))) throw new Error('a key makes the page wide');
  }
  is(isHurt, false, 'a dialog of a key');
  is(await page.evaluate(() => ({}).S ?? null), null, 'the prototype of objects');
  is(await page.locator('main img').count(), 0, 'elements out of a key');
  await shot(page, 'keys-hostile');
  await axe(page, 'hostile keys');
});

/** A hundred thousand folders; with MILLION=1 of ten items each. */
async function manyFolders({ call }) {
  const [folders, each] = [100_000, process.env.MILLION ? 10 : 2];
  await call('CreateTable', {
    TableName: 'big', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'sk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
  });
  let next = 0;
  const write = async () => {
    while (next < folders * each) {
      const batch = [...Array(25).keys()].map(() => next++).filter((nth) => nth < folders * each);
      const put = (nth) => ({ PutRequest: { Item: { pk: { S: 'one' }, sk: { S: `F${String(Math.floor(nth / each)).padStart(7, '0')}#${nth % each}` } } } });
      await call('BatchWriteItem', { RequestItems: { big: batch.map(put) } });
    }
  };
  await Promise.all([...Array(6)].map(write));
}

await withOwn({ prepare: manyFolders }, async ({ page }) => {
  await visit(page, `#/keys/big?pk=${encodeURIComponent('{"pk":{"S":"one"}}')}`);
  await page.locator('.ruler canvas[data-calls]').waitFor();
  const counting = await frames(page, () => page.getByRole('button', { name: 'Count on' }).waitFor());
  console.log(`frames while a hundred thousand folders are counted: 95 of 100 within ${counting.p95.toFixed(0)} ms, the longest ${counting.longest.toFixed(0)} ms`);
  has(await text(page.locator('.ruler-total').first()), /^at least [\d,]+ items/, 'what is counted so far');
  atMost(Number(await page.locator('.ruler canvas').getAttribute('data-calls')), 400, 'draw calls');
  atMost(Number(await page.locator('.ruler canvas').getAttribute('data-segments')), 347, 'segments in 1,040 pixels');
  atMost(await elements(page), 2000, 'elements over a hundred thousand folders');
  const moved = await frames(page, async () => {
    await page.locator('.ruler-keys').hover({ position: { x: 100, y: 30 } });
    for (let x = 100; x < 900; x += 20) await page.mouse.move(250 + x, (await page.locator('.ruler-keys').boundingBox()).y + 30);
  });
  console.log(`frames under the pointer: 95 of 100 within ${moved.p95.toFixed(0)} ms, the longest ${moved.longest.toFixed(0)} ms`);
  // Several folders of one segment are zoomed into until they stand alone.
  for (let zoom = 0; zoom < 6 && (await page.locator('.ruler-way').innerText()).includes('#') === false; zoom++) {
    await page.locator('.ruler-keys').click({ position: { x: 500, y: 30 } });
    await page.waitForTimeout(400);
  }
  has(await text(page.locator('.ruler-way')), /F0\d+#/, 'the stretch, or the folder');
  await shot(page, 'keys-many-folders');
});

await withOwn({ args: ['--sample', 'world'], hash: `#/keys/cities?pk=${US}`, without: ['Ruler', 'DescribeEntities', 'DescribeFindings', 'Explain', 'Tree', 'Partitions'] }, async ({ page }) => {
  // Page by page, a thousand keys each: what goes on after that is asked for.
  await page.getByRole('button', { name: 'Count on' }).click();
  await until(async () => (await text(page.locator('.ruler-total').first())).startsWith('7,018 items'), 'the ruler by the own answers of the service');
  has(await text(page.locator('main')), /does not have the operation Ruler/, 'what the endpoint lacks');
  await shot(page, 'keys-elsewhere');
});

console.log('keys: well');
