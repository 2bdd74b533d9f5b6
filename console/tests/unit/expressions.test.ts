import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ask,
  type FilterRow,
  filterFault,
  inlined,
  parsePath,
  pathOf,
  type Question,
  splitPaths,
  updateOf,
} from '../../src/data/expressions';
import { TypedFault } from '../../src/data/values';

const question = (part: Partial<Question> = {}): Question => ({
  table: 't',
  index: null,
  partition: [{ name: 'pk', type: 'S', operator: '=', values: ['a'] }],
  sort: [],
  filters: [],
  projection: '',
  isDescending: false,
  isConsistent: false,
  isCount: false,
  limit: '',
  ...part,
});
const filter = (part: Partial<FilterRow>): FilterRow => ({ path: 'x', operator: '=', type: 'S', values: ['v'], ...part });

test('a partition key makes a Query', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(ask(question()))), {
    operation: 'Query',
    leftOut: [],
    request: {
      TableName: 't',
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ExpressionAttributeValues: { ':pk': { S: 'a' } },
    },
  });
});

test('without one it is a Scan, which says what it leaves out', () => {
  const asked = ask(
    question({
      partition: [{ name: 'pk', type: 'S', operator: '=', values: [''] }],
      sort: [{ name: 'sk', type: 'N', operator: '>', values: ['1'] }],
    }),
  );
  assert.equal(asked.operation, 'Scan');
  assert.equal(asked.leftOut.length, 1);
});

for (const [operator, values, words] of [
  ['=', ['1'], '#sk = :sk'],
  ['<', ['1'], '#sk < :sk'],
  ['<=', ['1'], '#sk <= :sk'],
  ['>', ['1'], '#sk > :sk'],
  ['>=', ['1'], '#sk >= :sk'],
  ['BETWEEN', ['1', '2'], '#sk BETWEEN :sk AND :sk_2'],
  ['begins_with', ['1'], 'begins_with(#sk, :sk)'],
] as const) {
  test(`a sort key by ${operator}`, () => {
    const { request } = ask(
      question({ sort: [{ name: 'sk', type: operator === 'begins_with' ? 'S' : 'N', operator, values: [...values] }] }),
    );
    assert.equal(request['KeyConditionExpression'], `#pk = :pk AND ${words}`);
  });
}

test('of several sort key attributes, leading ones are equal and one ends the range', () => {
  const sort = [
    { name: 'a', type: 'S' as const, operator: '=' as const, values: ['1'] },
    { name: 'b', type: 'S' as const, operator: '>' as const, values: ['2'] },
    { name: 'c', type: 'S' as const, operator: '=' as const, values: ['3'] },
  ];
  const asked = ask(question({ sort }));
  assert.equal(asked.request['KeyConditionExpression'], '#pk = :pk AND #a1 = :a1 AND #b > :b');
  assert.equal(asked.leftOut.length, 1);
});

for (const [row, words] of [
  [{}, '#x = :x'],
  [{ operator: '<>' }, '#x <> :x'],
  [{ operator: 'BETWEEN', values: ['1', '2'] }, '#x BETWEEN :x AND :x_2'],
  [{ operator: 'IN', values: ['1', '2', '3'] }, '#x IN (:x, :x_2, :x_3)'],
  [{ operator: 'begins_with' }, 'begins_with(#x, :x)'],
  [{ operator: 'contains' }, 'contains(#x, :x)'],
  [{ operator: 'not contains' }, 'NOT contains(#x, :x)'],
  [{ operator: 'attribute_exists' }, 'attribute_exists(#x)'],
  [{ operator: 'attribute_not_exists' }, 'attribute_not_exists(#x)'],
  [{ operator: 'attribute_type', values: ['N'] }, 'attribute_type(#x, :x)'],
  [{ operator: 'size', comparator: '>', values: ['3'] }, 'size(#x) > :x'],
  [{ path: 'm.l[2].n' }, '#m.#l[2].#n = :n'],
] as [Partial<FilterRow>, string][]) {
  test(`a filter ${words}`, () => assert.equal(ask(question({ filters: [filter(row)] })).request['FilterExpression'], words));
}

test('a filter that is off or has no attribute is left out', () =>
  assert.equal(ask(question({ filters: [filter({ isOff: true }), filter({ path: ' ' })] })).request['FilterExpression'], undefined));

test('names become placeholders whatever they hold', () => {
  const { request } = ask(
    question({ filters: [filter({ path: '"first name"' }), filter({ path: 'size' }), filter({ path: '__proto__' })] }),
  );
  assert.equal(request['FilterExpression'], '#a1 = :a1 AND #size = :size AND #a2 = :a2');
  assert.deepEqual(Object.values(request['ExpressionAttributeNames'] as object), ['pk', 'first name', 'size', '__proto__']);
});

test('paths', () => {
  assert.deepEqual(parsePath('a.b[0][1].c'), [{ name: 'a' }, { name: 'b' }, { nth: 0 }, { nth: 1 }, { name: 'c' }]);
  assert.deepEqual(parsePath('"a.b\\"c".d'), [{ name: 'a.b"c' }, { name: 'd' }]);
  for (const name of ['a.b', 'a"b', 'a\\', ' a', 'a[0]', 'plain', 'first name', ',']) assert.deepEqual(parsePath(pathOf(name)), [{ name }]);
  for (const bad of ['', '.a', 'a.', 'a..b', '[0]', 'a[x]', 'a]']) assert.throws(() => parsePath(bad), TypedFault, bad);
  assert.deepEqual(splitPaths('a, "b,c".d ,e[0],'), ['a', '"b,c".d', 'e[0]']);
});

test('faults of rows are told', () => {
  assert.equal(filterFault(filter({ type: 'N', values: ['x'] })), 'x is no number');
  assert.equal(filterFault(filter({ type: 'N', values: [''] })), 'A number is missing');
  assert.equal(filterFault(filter({})), null);
  assert.throws(() => ask(question({ limit: '0' })), TypedFault);
  assert.throws(() => ask(question({ limit: '1.5' })), TypedFault);
});

test('an update is conditional on what was read', () => {
  const made = updateOf('t', { pk: { S: 'a' } }, [
    { name: 'n', before: { N: '1' }, after: { N: '2' } },
    { name: 'gone', before: { S: 'x' } },
    { name: 'new', after: { BOOL: true } },
  ]);
  assert.equal(made['UpdateExpression'], 'SET #n = :n, #new = :new REMOVE #gone');
  assert.equal(made['ConditionExpression'], '#n = :old_n AND #gone = :old_gone AND attribute_not_exists(#new)');
});

test('an update that only adds attributes needs the item', () => {
  assert.match(
    String(updateOf('t', { pk: { S: 'a' } }, [{ name: 'n', after: { N: '2' } }])['ConditionExpression']),
    /attribute_exists\(#pk\)$/,
  );
});

test('an expression is written with its values for people', () => {
  assert.equal(
    inlined('#a = :a AND begins_with(#b, :b)', { '#a': 'x', '#b': 'y' }, { ':a': { N: '1' }, ':b': { S: "it's :a" } }),
    "x = 1 AND begins_with(y, 'it''s :a')",
  );
});
