// Tables and questions drawn from a seed: what the grid shows, its counts and units are what the service answers. SEED
// sets another seed.

import { api, shot, visit, withConsole } from './harness.mjs';
import { is, text, until } from './own.mjs';

let state = Number(process.env.SEED ?? 20261201);
const below = (bound) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
};
const oneOf = (things) => things[below(things.length)];
const word = () => oneOf(['open', 'paid', 'Öl', 'a#b', '2026-11', 'zz', '<b>', "it's", ' ']);
const number = () => oneOf([() => String(below(1000)), () => `-${below(100)}.${below(90) + 1}5`, () => `1234567890123456789012345678901234567${below(10)}`, () => '1E-7', () => `${below(9) + 1}E+30`])();

const types = { S: (nth) => ({ S: `${oneOf(['a', 'b', 'c'])}#${String(nth).padStart(3, '0')}` }), N: (nth) => ({ N: String(nth * 3 - 100) }), B: (nth) => ({ B: Buffer.from([below(3), nth % 256]).toString('base64') }) };

function value() {
  return oneOf([() => ({ S: word() }), () => ({ N: number() }), () => ({ BOOL: below(2) === 1 }), () => ({ NULL: true }), () => ({ L: [{ S: word() }, { N: number() }] }), () => ({ M: { in: { S: word() } } }), () => ({ SS: ['x', word() + 'y'] }), () => ({ B: Buffer.from(word()).toString('base64') })])();
}

/** Draws a table: the type of its keys, sixty to two hundred items, some attributes on some of them. */
async function drawTable(endpoint, name) {
  const sort = oneOf(['S', 'N', 'B']);
  await api(endpoint, 'CreateTable', {
    TableName: name, BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'sk', AttributeType: sort }, { AttributeName: 'total', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
    GlobalSecondaryIndexes: [{ IndexName: 'by-total', KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'total', KeyType: 'RANGE' }], Projection: { ProjectionType: 'ALL' } }],
  });
  const count = 60 + below(140);
  for (let nth = 0; nth < count; nth += 25) {
    const puts = Array.from({ length: Math.min(25, count - nth) }, (_, at) => {
      const Item = { pk: { S: oneOf(['one', 'two']) }, sk: types[sort](nth + at), status: { S: oneOf(['open', 'paid', 'gone']) } };
      if (below(3) > 0) Item.total = { N: number() };
      for (const attribute of ['any', 'other', 'third']) if (below(2) === 1) Item[attribute] = value();
      return { PutRequest: { Item } };
    });
    await api(endpoint, 'BatchWriteItem', { RequestItems: { [name]: puts } });
  }
  return { name, sort };
}

const filters = [
  [{ path: 'status', operator: '=', type: 'S', values: ['open'] }, '#f = :f', { S: 'open' }],
  [{ path: 'status', operator: 'contains', type: 'S', values: ['p'] }, 'contains(#f, :f)', { S: 'p' }],
  [{ path: 'total', operator: '>', type: 'N', values: ['100'] }, '#f > :f', { N: '100' }],
  [{ path: 'any', operator: 'attribute_exists', type: 'S', values: [] }, 'attribute_exists(#f)', null],
  [{ path: 'third', operator: 'attribute_not_exists', type: 'S', values: [] }, 'attribute_not_exists(#f)', null],
];

/** Draws a question: as the form has it, and as the service is asked. */
function drawQuestion({ name, sort }) {
  const draft = { pk: [], sk: [], filters: [], limit: '', isDescending: false, isConsistent: false };
  const request = { TableName: name, ReturnConsumedCapacity: 'TOTAL' };
  const names = {};
  const values = {};
  const isIndexed = below(3) === 0;
  if (isIndexed) [draft.index, request.IndexName] = ['by-total', 'by-total'];
  const isQuery = below(5) > 0;
  if (isQuery) {
    draft.pk = [oneOf(['one', 'two'])];
    [names['#p'], values[':p'], request.KeyConditionExpression] = ['pk', { S: draft.pk[0] }, '#p = :p'];
    const [type, attribute] = isIndexed ? ['N', 'total'] : [sort, 'sk'];
    const bound = { S: ['b', 'c'], N: ['-10', '400'], B: [Buffer.from([1]).toString('base64'), Buffer.from([2, 99]).toString('base64')] }[type];
    const operator = oneOf(['none', '=', '<', '<=', '>', '>=', 'BETWEEN', ...(type === 'N' ? [] : ['begins_with'])]);
    if (operator !== 'none') {
      names['#s'] = attribute;
      draft.sk = [{ op: operator, v: operator === 'BETWEEN' ? bound : [bound[0]] }];
      values[':s'] = { [type]: bound[0] };
      if (operator === 'BETWEEN') values[':t'] = { [type]: bound[1] };
      request.KeyConditionExpression += operator === 'BETWEEN' ? ' AND #s BETWEEN :s AND :t' : operator === 'begins_with' ? ' AND begins_with(#s, :s)' : ` AND #s ${operator} :s`;
    }
    if (below(2) === 1) [draft.isDescending, request.ScanIndexForward] = [true, false];
  }
  if (below(2) === 1) {
    // A filter may not test an attribute of the key.
    const [row, expression, operand] = oneOf(filters.filter(([one]) => !(isQuery && isIndexed && one.path === 'total')));
    draft.filters = [row];
    names['#f'] = row.path;
    if (operand) values[':f'] = operand;
    request.FilterExpression = expression;
  }
  if (below(4) === 0) [draft.limit, request.Limit] = ['20', 20];
  if (!isIndexed && below(4) === 0) [draft.isConsistent, request.ConsistentRead] = [true, true];
  if (Object.keys(names).length > 0) request.ExpressionAttributeNames = names;
  if (Object.keys(values).length > 0) request.ExpressionAttributeValues = values;
  return { draft, operation: isQuery ? 'Query' : 'Scan', request };
}

/** Returns the items that the grid's page has, by what it gives as a file. */
async function shownItems(page) {
  const { readFileSync } = await import('node:fs');
  await page.getByRole('button', { name: 'Download what is shown' }).click();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /^DynamoDB JSON/ }).click()]);
  return readFileSync(await file.path(), 'utf8').trim().split('\n').map((line) => JSON.parse(line).Item);
}

const sorted = (items) => items.map((item) => JSON.stringify(item, Object.keys(Object.assign({}, ...items)).sort().concat(['S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M', 'SS', 'in'])));

async function compare(page, endpoint, question) {
  const { draft, operation, request } = question;
  const answer = await api(endpoint, operation, request);
  await visit(page, '#/start');
  await visit(page, `#/query/${request.TableName}?q=${encodeURIComponent(JSON.stringify(draft))}&run=1`);
  // The form asks for a page of the service; without a limit it ends by itself.
  const region = page.getByRole('region', { name: 'Answer' });
  const words = `${answer.Count.toLocaleString('en-US')} returned of ${answer.ScannedCount.toLocaleString('en-US')} examined`;
  await until(async () => (await text(region)).includes(words), `${words} of ${JSON.stringify(request)}`, 8000);
  const units = answer.ConsumedCapacity.CapacityUnits;
  is((await text(region)).includes(`${units.toLocaleString('en-US', { maximumFractionDigits: 1 })} read unit`), true, `${units} units of ${JSON.stringify(request)}`);
  if (answer.Count > 0) is(sorted(await shownItems(page)), sorted(answer.Items), `items of ${JSON.stringify(request)}`);
  is(await page.getByRole('button', { name: 'Next page' }).count(), answer.LastEvaluatedKey ? 1 : 0, `a next page of ${JSON.stringify(request)}`);
  return answer.Count;
}

await withConsole({ args: ['--console', 'off'] }, async ({ page, endpoint }) => {
  let [asked, returned] = [0, 0];
  for (let table = 0; table < 4; table += 1) {
    const drawn = await drawTable(endpoint, `drawn-${table}`);
    await page.reload();
    for (let nth = 0; nth < 10; nth += 1) {
      returned += await compare(page, endpoint, drawQuestion(drawn));
      asked += 1;
    }
  }
  await shot(page, 'compare');
  console.log(`figure: ${asked} questions, ${returned} items, all as the service answers`);
});
