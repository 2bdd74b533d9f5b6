// The console by keyboard alone: each stop of Tab can be seen, grid and ruler go by arrows, dialogs hold the focus and give
// it back, a query is written, run and saved, an item is edited.

import { api, shot, visit, withConsole } from './harness.mjs';
import { has, is, text, until } from './own.mjs';

/** Returns what has the focus: its role or tag, its words, and whether one sees that it has it. */
const focused = (page) => page.evaluate(() => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const box = node.getBoundingClientRect();
  const seen = (one) => {
    const style = getComputedStyle(one);
    const has = (value) => value !== 'none' && value !== '';
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || (has(style.boxShadow) && one.matches(':focus, :focus-within'));
  };
  let isSeen = false;
  for (let one = node, nth = 0; one && nth < 4; one = one.parentElement, nth += 1) if (seen(one)) isSeen = true;
  // A composite shows its current part instead.
  const part = node.getAttribute('aria-activedescendant');
  if (part && document.getElementById(part)) isSeen = true;
  if (node.querySelector?.('.current, [aria-current], [aria-selected=true], .focused')) isSeen = true;
  return {
    what: `${node.getAttribute('role') ?? node.tagName.toLowerCase()} ${(node.getAttribute('aria-label') ?? node.labels?.[0]?.textContent ?? node.textContent ?? '').trim().slice(0, 40)}`,
    isSeen, isInView: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    isInDialog: node.closest('dialog, [role=dialog]') !== null,
  };
});

/** Presses Tab until the focus comes round; fails on stops that cannot be seen. */
async function tabRound(page, where, most = 150) {
  const stops = [];
  for (let nth = 0; nth < most; nth += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now === null) break;
    if (!now.isSeen || !now.isInView) throw new Error(`${where}: ${now.what} has the focus, ${now.isSeen ? 'out of sight' : 'and nothing shows it'}`);
    stops.push(now.what);
  }
  if (stops.length < 5) throw new Error(`${where}: Tab stops at ${stops.join(', ')}`);
  return stops;
}

/** Opens a dialog by its key, walks through it, leaves it, and looks where the focus is. */
async function dialogHolds(page, what, open) {
  await open();
  await page.getByRole('dialog').last().waitFor();
  await until(async () => (await focused(page))?.isInDialog === true, `the focus in ${what}`);
  for (let nth = 0; nth < 25; nth += 1) {
    await page.keyboard.press(nth % 7 === 6 ? 'Shift+Tab' : 'Tab');
    const now = await focused(page);
    // The browser's own bar is a stop of a modal dialog, too.
    if (now !== null && !now.isInDialog) throw new Error(`${what}: the focus left it to ${now.what}`);
  }
  await shot(page, `keyboard-${what.replace(/\W+/g, '-')}`);
  await page.keyboard.press('Escape');
  await until(async () => (await page.getByRole('dialog').count()) === 0, `the end of ${what}`);
}

/** Focuses the control with these words by Tab alone. */
async function tabTo(page, words, most = 120) {
  for (let nth = 0; nth < most; nth += 1) {
    await page.keyboard.press('Tab');
    if (words.test((await focused(page))?.what ?? '')) return;
  }
  throw new Error(`Tab does not come to ${words}`);
}

async function screens(page) {
  for (const [hash, there] of [
    ['#/start', page.getByRole('heading', { name: 'Point an SDK here' })],
    ['#/tables', page.getByRole('link', { name: 'cities' }).last()],
    ['#/tables/cities', page.getByRole('heading', { name: 'Indexes' })],
    [`#/keys/cities?pk=${encodeURIComponent('{"country":{"S":"NL"}}')}`, page.getByRole('tree')],
    ['#/items/cities', page.getByRole('grid')],
    ['#/query/cities', page.getByRole('button', { name: 'Run' }).first()],
    [`#/explain/${encodeURIComponent('{"operation":"Scan","request":{"TableName":"cities"}}')}`, page.getByRole('heading', { name: 'Advice' })],
    ['#/requests', page.getByText(/server \w/).first()],
    ['#/server', page.getByRole('heading').first()],
  ]) {
    await visit(page, hash);
    await there.waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    const stops = await tabRound(page, hash);
    if (!stops.some((one) => /Go to the content/.test(one))) throw new Error(`${hash}: no way past the navigation`);
  }
}

/** From the editor of queries to an answer, to the grid, to an item that is changed, and a query that is kept. */
async function queryAndEdit(page, endpoint) {
  await visit(page, '#/start');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('query people');
  await page.getByText(/Query people/).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Run' }).first().waitFor();
  await tabTo(page, /city, value/);
  await page.keyboard.type('Oslo');
  await page.keyboard.press('Control+Enter');
  await until(async () => /2 returned of 2 examined/.test(await text(page.getByRole('region', { name: 'Answer' }))), 'the answer');
  await dialogHolds(page, 'saving a query', () => page.keyboard.press('Control+s'));
  is(await page.evaluate(() => document.activeElement?.closest('.query-side') !== null), true, 'the focus is where it was');
  await page.keyboard.press('Control+s');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('those of Oslo');
  await page.keyboard.press('Enter');
  await page.getByText('Saved as those of Oslo').waitFor();
  await tabTo(page, /^grid/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const box = page.getByRole('dialog', { name: 'Edit n' });
  await box.waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('12345678901234567890123456789012345678');
  await page.keyboard.press('Enter');
  await until(async () => (await page.getByRole('dialog').count()) === 0, 'the end of the edit');
  const { Item } = await api(endpoint, 'GetItem', { TableName: 'people', Key: { city: { S: 'Oslo' }, name: { S: 'Jon' } } });
  is(Item.n.N, '12345678901234567890123456789012345678', 'the number that was typed');
  has((await focused(page))?.what ?? '', /^grid/, 'the focus after an edit');
  await page.keyboard.press('Control+h');
  await page.getByRole('dialog', { name: 'Queries' }).waitFor();
  await page.keyboard.press('Escape');
}

async function ruler(page) {
  await visit(page, `#/keys/cities?pk=${encodeURIComponent('{"country":{"S":"US"}}')}`);
  await until(async () => (await text(page.locator('.ruler-total').first())).startsWith('7,018 items'), 'the ruler');
  await page.evaluate(() => document.activeElement?.blur());
  await tabTo(page, /Segments of the ruler/);
  await page.keyboard.press('Home');
  const first = await text(page.locator('.ruler-said'));
  await page.keyboard.press('ArrowRight');
  const second = await text(page.locator('.ruler-said'));
  is(first === second, false, 'the segment after an arrow');
  await page.keyboard.press('Enter');
  await until(async () => (await page.locator('.ruler-way span').count()) > 3, 'the folder');
  await tabToRuler(page);
  await page.keyboard.press('Backspace');
  await until(async () => (await text(page.locator('.ruler-total').first())).startsWith('7,018 items'), 'the whole ruler again');
}

async function tabToRuler(page) {
  if (/Segments of the ruler/.test((await focused(page))?.what ?? '')) return;
  await page.evaluate(() => document.activeElement?.blur());
  await tabTo(page, /Segments of the ruler/);
}

await withConsole({ args: ['--console', 'off', '--sample', 'world'] }, async ({ page, endpoint }) => {
  await api(endpoint, 'CreateTable', { TableName: 'people', AttributeDefinitions: [{ AttributeName: 'city', AttributeType: 'S' }, { AttributeName: 'name', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'city', KeyType: 'HASH' }, { AttributeName: 'name', KeyType: 'RANGE' }], BillingMode: 'PAY_PER_REQUEST' });
  for (const [city, person] of [['Oslo', 'Ida'], ['Oslo', 'Jon'], ['Bergen', 'Liv']]) await api(endpoint, 'PutItem', { TableName: 'people', Item: { city: { S: city }, name: { S: person }, n: { N: '1' } } });
  await page.reload();
  await page.getByRole('navigation', { name: 'Tables' }).getByRole('link', { name: 'people' }).waitFor();
  await screens(page);
  await queryAndEdit(page, endpoint);
  await ruler(page);
  await visit(page, '#/start');
  await dialogHolds(page, 'the palette', () => page.keyboard.press('Control+k'));
  await dialogHolds(page, 'the keys', () => page.keyboard.press('?'));
  await visit(page, '#/items/people');
  await page.getByRole('grid').waitFor();
  await tabTo(page, /New item/);
  await dialogHolds(page, 'a new item', () => page.keyboard.press('Enter'));
  has((await focused(page))?.what ?? '', /New item/, 'the focus after a dialog');
  await page.keyboard.press('Alt+3');
  await until(async () => (await page.evaluate(() => location.hash)).startsWith('#/keys/people'), 'the screen of keys by its number');
});
