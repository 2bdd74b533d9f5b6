import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainLink, link, parse } from '../../src/base/address';
import { faultOfAnswer } from '../../src/base/faults';
import { readSetup } from '../../src/base/setup';

const round = (screen: string, path: string[], query: Record<string, string>): void => {
  const read = parse(link(screen, path, query));
  assert.equal(read.screen, screen);
  assert.deepEqual(read.path, path);
  assert.deepEqual(Object.fromEntries(read.query), query);
};

test('addresses are read as they were made', () => {
  round('items', ['orders'], {});
  round('query', ['a/b?c=d&e#f'], { pk: 'NL#1/2&x=y', sk: '%41', emoji: '😀' });
  round('explain', ['{"operation":"Query","request":{"a":"/?&=#%"}}'], {});
});

test('what is hostile is read as text', () => {
  assert.deepEqual(parse('#/items/%E0%A4%A'), { screen: 'items', path: ['%E0%A4%A'], query: new Map() });
  assert.equal(parse('').screen, 'start');
  assert.equal(parse('#/?x=1').query.get('x'), '1');
});

test('a request goes to the Explain screen whole', () => {
  const request = { TableName: 't', ExpressionAttributeValues: { ':a': { S: '</script>' } } };
  assert.deepEqual(JSON.parse(parse(explainLink('Query', request)).path[0] ?? ''), { operation: 'Query', request });
});

test('faults have their kinds', () => {
  const kind = (type: string, message = ''): string =>
    faultOfAnswer(400, { __type: `com.amazon.coral.service#${type}`, message }, 'Query').kind;
  assert.equal(kind('ExpiredTokenException'), 'credentialsExpired');
  assert.equal(kind('InvalidSignatureException', 'Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z'), 'clock');
  assert.equal(kind('InvalidSignatureException', 'The request signature we calculated does not match'), 'credentialsWrong');
  assert.equal(kind('UnknownOperationException'), 'unknownOperation');
  assert.equal(kind('ProvisionedThroughputExceededException'), 'throttled');
  assert.equal(faultOfAnswer(500, 'no object', 'Query').kind, 'server');
});

test('a broken meta tag leaves what is usual', () => {
  assert.equal(readSetup('{').NeedsKeys, false);
  assert.equal(readSetup('{"NeedsKeys":true}').NeedsKeys, true);
  assert.equal(readSetup(null).Region, 'us-east-1');
});
