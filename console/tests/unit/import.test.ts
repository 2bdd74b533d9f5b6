import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkKeys, suggestKeys } from '../../src/import/keys';
import { guessType, itemAt, readFile, type Rows, rowsOfCsv } from '../../src/import/rows';
import { addIndexRequest, createRequest, emptyIndex, emptyTable, tableFault } from '../../src/tables/definition';
import { complete, samplesOf, sourceOf } from '../../src/query/partiql';
import { columnsInSight } from '../../src/parts/Grid';
import { readDraft, writeDraft, emptyDraft } from '../../src/query/question';
import { bytes, dollars, percent, units } from '../../src/data/sizes';

const types: [string[], string][] = [
  [['1', '2', '-3', '0', '1.5'], 'N'],
  [['01', '2'], 'S'],
  [['-01'], 'S'],
  [['1.50', '2.25'], 'N'],
  [['1.9', '1.10'], 'S'],
  [['-0'], 'S'],
  [['1e5'], 'S'],
  [['+1'], 'S'],
  [['', ''], 'S'],
  [['true', 'false', ''], 'BOOL'],
  [['True'], 'S'],
  [['1', 'x'], 'S'],
  [['1'.repeat(38)], 'N'],
  [['1'.repeat(39)], 'S'],
  [['1,000'], 'S'],
  [['.5'], 'S'],
];
for (const [values, type] of types)
  test(`${JSON.stringify(values).slice(0, 60)} is of type ${type}`, () => assert.equal(guessType(values).type, type));

const rows = (text: string): Rows => rowsOfCsv(text);

test('a unique column is suggested, of several the one that is called id', () => {
  assert.deepEqual(suggestKeys(rows('name,id\na,1\nb,2\n'))[0], { partition: 'id', sort: null });
});

test('else a pair that is unique', () => {
  const [first] = suggestKeys(rows('customer,date,n\na,1,x\na,2,x\nb,1,x\nb,2,x\n'));
  assert.deepEqual(first, { partition: 'customer', sort: 'date' });
});

test('rows that share a key and rows without one are counted, and the last wins', () => {
  const check = checkKeys(rows('k,v\na,1\nb,2\na,3\n,4\n'), ['k']);
  assert.deepEqual(check, { replaced: 1, missing: 1, rows: [1, 2], example: 'a' });
});

test('keys of several attributes are not mixed up', () => assert.equal(checkKeys(rows('a,b\nx,yz\nxy,z\n'), ['a', 'b']).replaced, 0));

test('a hostile header is a name like any other', () => {
  const read = rows('__proto__,__proto__,\n1,2,3\n');
  assert.deepEqual(
    read.columns.map((column) => column.name),
    ['__proto__', '__proto___2', 'column3'],
  );
  assert.deepEqual(Object.entries(itemAt(read, 0)), [
    ['__proto__', { N: '1' }],
    ['__proto___2', { N: '2' }],
    ['column3', { N: '3' }],
  ]);
});

test('files are told apart', () => {
  const kind = (name: string, text: string): string => {
    const read = readFile(name, text);
    return 'model' in read ? 'model' : read.rows.kind;
  };
  assert.equal(kind('a.csv', 'a\n1\n'), 'cells');
  assert.equal(kind('a.json', '[{"a":1}]'), 'items');
  assert.equal(kind('a.json', '{"a":1}\n{"a":2}\n'), 'items');
  assert.equal(kind('a.json', '{"Items":[{"a":{"S":"x"}}]}'), 'items');
  assert.equal(kind('a.json', '{"ModelName":"x","DataModel":[]}'), 'model');
  assert.equal(kind('a.tf', 'resource "aws_dynamodb_table" "x" {}'), 'model');
});

test('a table as a request', () => {
  assert.match(tableFault(emptyTable) ?? '', /3 to 255/);
  const draft = {
    ...emptyTable,
    name: 'orders',
    indexes: [{ ...emptyIndex(1), partition: [{ name: 'shop', type: 'S' as const }], sort: [{ name: 'n', type: 'N' as const }] }],
  };
  assert.equal(tableFault(draft), null);
  const request = createRequest(draft) as { AttributeDefinitions: { AttributeName: string }[]; GlobalSecondaryIndexes: unknown[] };
  assert.deepEqual(
    request.AttributeDefinitions.map((one) => one.AttributeName),
    ['pk', 'sk', 'shop', 'n'],
  );
  assert.match(tableFault({ ...draft, indexes: [{ ...emptyIndex(1), partition: [{ name: 'pk', type: 'N' }] }] }) ?? '', /two types/);
});

test('an index of a provisioned table has its units', () => {
  const table = {
    TableName: 't',
    KeySchema: [],
    AttributeDefinitions: [],
    ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
  };
  const request = addIndexRequest(table, { ...emptyIndex(1), partition: [{ name: 'a', type: 'S' }] });
  assert.match(JSON.stringify(request), /"ReadCapacityUnits":3/);
});

test('the table of a statement', () => {
  assert.deepEqual(sourceOf('SELECT * FROM "a.b"."by-c" WHERE x = 1'), { table: 'a.b', index: 'by-c' });
  assert.deepEqual(sourceOf('update cities set a = 1'), { table: 'cities', index: null });
  assert.deepEqual(sourceOf('INSERT INTO "it""s" VALUE {}'), { table: 'it"s', index: null });
  assert.equal(sourceOf('SELECT'), null);
});

const table = {
  TableName: 'cities',
  KeySchema: [
    { AttributeName: 'country', KeyType: 'HASH' as const },
    { AttributeName: 'date', KeyType: 'RANGE' as const },
  ],
  AttributeDefinitions: [],
  GlobalSecondaryIndexes: [{ IndexName: 'by-x', KeySchema: [{ AttributeName: 'x', KeyType: 'HASH' as const }] }],
};

test('statements are completed with tables, indexes, keys and keywords', () => {
  const known = { tables: ['cities'], describe: () => table, attributes: ['first name'] };
  const labels = (before: string, text = before): string[] => complete(before, text, known).map((one) => one.label);
  assert.deepEqual(labels('SELECT * FROM '), ['"cities"', '"cities"."by-x"']);
  assert.deepEqual(labels('SELECT * FROM "cities".'), ['"by-x"']);
  const all = labels('SELECT ', 'SELECT  FROM cities');
  for (const label of ['country', '"date"', '"first name"', 'WHERE', 'begins_with']) assert.ok(all.includes(label), label);
  assert.ok(samplesOf(table).every((sample) => sample.statement.includes('"cities"')));
});

test('only columns in sight are drawn', () => {
  const widths = Array.from({ length: 5000 }, () => 100);
  assert.deepEqual(columnsInSight(widths, 2, 0, 500), { first: 2, last: 8, before: 0 });
  assert.deepEqual(columnsInSight(widths, 2, 100_050, 500), { first: 1002, last: 1009, before: 100_000 });
  assert.equal(columnsInSight(widths, 2, 499_800, 500).last, 5000);
});

test('a draft goes through an address', () => {
  const draft = {
    ...emptyDraft,
    pk: ['NL'],
    sk: [{ op: 'BETWEEN' as const, v: ['a', 'b'] }],
    isDescending: true,
    filters: [{ path: 'n', operator: 'size' as const, comparator: '>' as const, type: 'N' as const, values: ['1'], isOff: undefined }],
  };
  assert.deepEqual(readDraft(writeDraft(draft)), draft);
  for (const hostile of ['', 'null', '[]', '{"pk":1,"sk":[null],"filters":[null,1]}', '{"index":{}}']) readDraft(hostile);
});

test('figures as people read them', () => {
  assert.deepEqual([bytes(0), bytes(1023), bytes(51_817), bytes(5_955_192)], ['0 B', '1,023 B', '50.6 KB', '5.7 MB']);
  assert.deepEqual([percent(0), percent(1), percent(0.997), percent(0.9999), percent(0.0001), percent(0.5)], ['0', '100', '99.7', 'over 99.9', 'under 0.1', '50'].map((one) => `${one}\u00a0%`));
  assert.deepEqual([dollars(0), dollars(0.8125), dollars(91.25), dollars(0.0000000625)], ['$0', '$0.81', '$91.25', '$0.0000000625']);
  assert.deepEqual([units(0.5), units(17), units(1234.56)], ['0.5', '17', '1,234.6']);
});
