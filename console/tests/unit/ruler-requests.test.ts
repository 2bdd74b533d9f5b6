import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableDescription } from '../../src/base/tables';
import { placeOfKey, placeOfRange, readAsked, typeIn, type Asked } from '../../src/screens/explain/explanation';
import { money } from '../../src/data/explained';
import { advised, byKey, changed, conjuncts, creationOf, definitionOf, draftFor, withoutTest, withTest } from '../../src/screens/explain/rewrite';

const cities: TableDescription = {
  TableName: 'cities',
  KeySchema: [{ AttributeName: 'country', KeyType: 'HASH' }, { AttributeName: 'place', KeyType: 'RANGE' }],
  AttributeDefinitions: [{ AttributeName: 'country', AttributeType: 'S' }, { AttributeName: 'place', AttributeType: 'S' }, { AttributeName: 'population', AttributeType: 'N' }],
  LocalSecondaryIndexes: [{ IndexName: 'by-population', KeySchema: [{ AttributeName: 'country', KeyType: 'HASH' }, { AttributeName: 'population', KeyType: 'RANGE' }] }],
  BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
};

const query = (KeyConditionExpression: string, FilterExpression?: string, more = {}): Asked => ({
  operation: 'Query',
  request: { TableName: 'cities', KeyConditionExpression, ...(FilterExpression && { FilterExpression }), ExpressionAttributeNames: { '#c': 'country' }, ExpressionAttributeValues: { ':c': { S: 'NL' }, ':p': { N: '5' }, ':n': { S: 'A' } }, ...more },
});

test('conjunctions are told apart, anything else is left alone', () => {
  const found = conjuncts('#c = :c AND p BETWEEN :a AND :b AND begins_with(s, :p) AND (x = :x OR y = :y) AND size(l) > :n', { '#c': 'country' })!;
  assert.deepEqual(found.map((one) => [one.attribute, one.operator]), [['country', '='], ['p', 'range'], ['s', 'range'], [undefined, undefined], [undefined, undefined]]);
  assert.equal(found[3]!.text, '(x = :x OR y = :y)');
  for (const not of ['a = :a OR b = :b', 'NOT a = :a', 'a = :a AND', '((a = :a)', 7]) assert.equal(conjuncts(not, {}), undefined, String(not));
  assert.deepEqual(conjuncts(undefined, {}), []);
});

test('a filter becomes a key condition of the index that fits', () => {
  const next = byKey(query('#c = :c', 'population > :p'), { index: 'by-population', partition: ['country'], sort: ['population'] })!;
  assert.deepEqual(next.request, {
    TableName: 'cities', IndexName: 'by-population', KeyConditionExpression: '#c = :c AND population > :p',
    ExpressionAttributeNames: { '#c': 'country' }, ExpressionAttributeValues: { ':c': { S: 'NL' }, ':p': { N: '5' } },
  });
});

test('what a key does not take stays a filter, and a filter on a key is not written', () => {
  const key = { index: 'i', partition: ['country'], sort: ['population'] };
  assert.equal(byKey(query('#c = :c', 'population > :p AND contains(city, :n)'), key)!.request['FilterExpression'], 'contains(city, :n)');
  assert.equal(byKey(query('#c = :c', 'population > :p AND population < :p'), key), undefined);
  assert.equal(byKey(query('#c = :c', 'population > :p OR city = :n'), key), undefined);
  assert.equal(byKey({ operation: 'Scan', request: { TableName: 'cities' } }, key), undefined);
});

test('advice names the index, and the request follows', () => {
  const advice = { Kind: 'FilterWaste', Finding: '', Evidence: '', Remedy: "the index by-population has population as sort key: query it by country = 'NL' AND population > 5" };
  const change = advised(query('#c = :c', 'population > :p'), advice, cities, 'place')!;
  assert.equal(change.title, 'Ask through the index by-population');
  assert.equal(change.asked.request['IndexName'], 'by-population');
  assert.equal(advised(query('#c = :c', 'x > :p'), { ...advice, Remedy: 'put x in the sort key of the table or of an index, or in a sparse index' }, null, 'place'), undefined);
});

test('advice with a condition is asked by a button', () => {
  const asked = query('#c = :c AND begins_with(place, :n)');
  const closed = advised(asked, { Kind: 'OpenPrefix', Finding: '', Evidence: '', Remedy: "end the prefix with the delimiter: 'A#'" }, cities, 'place')!;
  assert.equal(closed.asked.request['KeyConditionExpression'], '#c = :c AND begins_with(#k0, :k0)');
  assert.deepEqual((closed.asked.request['ExpressionAttributeValues'] as Record<string, unknown>)[':k0'], { S: 'A#' });
  const both = advised(asked, { Kind: 'OpenRange', Finding: '', Evidence: '', Remedy: "give both ends, which BETWEEN includes: place BETWEEN 'A' AND 'B'" }, cities, 'place')!;
  assert.match(both.asked.request['KeyConditionExpression'] as string, /BETWEEN :k0 AND :k1/);
  const end = advised(query('#c = :c AND place >= :n'), { Kind: 'UpperEnd', Finding: '', Evidence: '', Remedy: 'end the range with "A\\udbff\\udfff"' }, cities, 'place')!;
  assert.deepEqual(Object.values(end.asked.request['ExpressionAttributeValues'] as object).slice(-2), [{ S: 'A' }, { S: 'A\u{10ffff}' }]);
});

test('a statement is asked of the index', () => {
  const asked = { operation: 'ExecuteStatement', request: { Statement: "SELECT city FROM cities WHERE capital = 'yes'" } };
  const change = advised(asked, { Kind: 'IndexFits', Finding: '', Evidence: '', Remedy: 'FROM "cities"."capitals" reads only what has the value' }, cities, undefined)!;
  assert.equal(change.asked.request['Statement'], `SELECT city FROM "cities"."capitals" WHERE capital = 'yes'`);
});

test('an index is drafted from the conditions of a request', () => {
  const draft = draftFor(query('#c = :c', 'population > :p AND city = :n', { ProjectionExpression: 'city, mayor' }), cities)!;
  assert.deepEqual(draft, { name: 'by-city-population', partition: ['country'], sort: ['city', 'population'], projection: 'INCLUDE', include: ['mayor'], isLocal: false });
  assert.equal(draftFor(query('#c = :c'), cities), undefined);
  const whole = draftFor({ operation: 'Scan', request: { FilterExpression: 'city = :n', ExpressionAttributeValues: { ':n': { S: 'A' } } } }, cities)!;
  assert.deepEqual([whole.partition, whole.sort, whole.projection], [['city'], [], 'ALL']);
});

test('a draft is defined with the types of its keys', () => {
  const draft = draftFor(query('#c = :c', 'city = :n'), cities)!;
  const type = (name: string) => typeIn(cities, name, query('#c = :c', 'city = :n'));
  assert.deepEqual(definitionOf(draft, type).AttributeDefinitions, [{ AttributeName: 'country', AttributeType: 'S' }, { AttributeName: 'city', AttributeType: 'S' }]);
  const creation = creationOf(draft, cities, type);
  assert.equal((creation['AttributeDefinitions'] as unknown[]).length, 4);
  assert.equal(JSON.stringify(creation).includes('ProvisionedThroughput'), false);
  assert.equal(typeIn(cities, 'height', query('#c = :c', 'height >= :p')), 'N');
});

test('names and values that are no longer used are left out', () => {
  assert.deepEqual(changed({ FilterExpression: 'a = :a', ExpressionAttributeValues: { ':a': { S: '' } } }, { FilterExpression: undefined }), {});
});

test('a condition replaces the one of its attribute', () => {
  const next = withTest(query('#c = :c AND place > :n'), { attribute: 'place', operator: '=', values: [{ S: 'X' }] })!;
  assert.equal(next.request['KeyConditionExpression'], '#c = :c AND #k0 = :k0');
});

test('a condition can be left out, but not that of the partition', () => {
  const next = withoutTest(query('#c = :c AND place > :n'), 'place')!;
  assert.deepEqual([next.request['KeyConditionExpression'], next.request['ExpressionAttributeValues']], ['#c = :c', { ':c': { S: 'NL' } }]);
  assert.equal(withoutTest(query('#c = :c'), 'country'), undefined);
});

const keyed = { table: 'cities', index: null, partition: ['country'], sort: ['place'], isLocal: false, projection: null };

test('a range of an explanation has its place on the ruler', () => {
  const place = placeOfRange(keyed, { Partition: "country = 'US'", Sort: "place >= 'A#' AND place < 'A$'", FirstKey: '' });
  assert.deepEqual(place.source.partitionKey, { country: { S: 'US' } });
  assert.deepEqual(place.ends, { lower: { key: { S: 'A#' }, includes: true }, upper: { key: { S: 'A$' }, includes: false } });
  assert.equal(placeOfRange(keyed, undefined).isOfPartition, false);
  const several = { ...keyed, sort: ['stage', 'on'] };
  assert.deepEqual(placeOfRange(several, { Partition: "country = 'US'", Sort: "stage = 'OPEN' AND on > '2026'", FirstKey: '' }).source.sortKey, { stage: { S: 'OPEN' } });
});

test('the item of a write has its place', () => {
  assert.deepEqual(placeOfKey(keyed, "country = 'US' AND place = 'B'")!.ends.lower, { key: { S: 'B' }, includes: true });
  assert.equal(placeOfKey(keyed, 'cut...'), undefined);
});

test('requests of an address are checked', () => {
  assert.deepEqual(readAsked('{"operation":"Query","request":{"TableName":"t"}}'), { operation: 'Query', request: { TableName: 't' } });
  for (const bad of ['', '{', '[]', '{"operation":1,"request":{}}', '{"operation":"Query","request":[]}', 'null']) assert.equal(readAsked(bad), undefined, bad);
});

test('prices have their digits', () => {
  assert.deepEqual([money(2.125, 'USD'), money(0, 'USD'), money(0.0625, 'USD'), money(91.25, 'EUR')], ['$2.13', '$0.00', '$0.0625', '91.25 EUR']);
});
