import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { codeOf, kebab, snake } from '../../src/data/code/code';
import { quoted, rustQuoted, shellQuoted } from '../../src/data/code/strings';

const nasty = [
  '',
  "it's",
  '"',
  '\\',
  '\\n',
  'a\nb',
  '\t',
  '\u0001x1',
  '\u0000',
  '${x} $(y) `z`',
  '\u202eabc',
  '\u2028',
  '😀',
  '\ud800',
  '%s',
  '-a',
  '\u0085f',
  '\x7f',
  'é',
];

for (const text of nasty) {
  test(`${JSON.stringify(text)} is a literal of JavaScript`, () => assert.equal(JSON.parse(quoted(text)), text));
  test(`${JSON.stringify(text)} has no hidden sign in Rust`, () =>
    assert.ok(!/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/.test(rustQuoted(text))));
  if (!/[\u0000\ud800]/.test(text)) {
    test(`${JSON.stringify(text)} is a word of the shell`, () => {
      const said = spawnSync('bash', ['-c', `printf '%s' ${shellQuoted(text)}`], { encoding: 'utf8' });
      assert.equal(said.stdout, text);
    });
  }
}

const target = { endpoint: 'http://127.0.0.1:8000', region: 'us-east-1', accessKeyId: 'any' };
const query = {
  operation: 'Query',
  request: {
    TableName: 'cities',
    KeyConditionExpression: '#c = :c',
    FilterExpression: '#p > :p',
    ExpressionAttributeNames: { '#c': 'country', '#p': 'size' },
    ExpressionAttributeValues: { ':c': { S: "d'Or" }, ':p': { N: '5' } },
    ReturnConsumedCapacity: 'INDEXES',
  },
};

test('names take the form of each language', () => {
  assert.equal(snake('ExpressionAttributeNames'), 'expression_attribute_names');
  assert.equal(kebab('ScanIndexForward'), 'scan-index-forward');
});

test('a query by our own command', () => {
  assert.equal(
    codeOf('hashrange', query, target),
    "hashrange query cities 'country = '\\''d'\\'''\\''Or'\\''' \\\n  --filter '`size` > 5' \\\n  --all \\\n  --endpoint http://127.0.0.1:8000\n",
  );
});

test('a query by the AWS CLI', () => {
  const code = codeOf('aws', query, target);
  assert.ok(
    code.startsWith('AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any aws dynamodb query \\\n  --endpoint-url http://127.0.0.1:8000'),
  );
  assert.ok(!code.includes('consumed'));
});

test('binary values are decoded in each language', () => {
  const request = { operation: 'PutItem', request: { TableName: 't', Item: { pk: { B: 'AAH/' }, ['__proto__']: { S: 'x' } } } };
  assert.match(codeOf('python', request, target), /^import base64\n[\s\S]*base64\.b64decode\("AAH\/"\)/);
  assert.match(codeOf('javascript', request, target), /Buffer\.from\("AAH\/", "base64"\)[\s\S]*\["__proto__"\]/);
  assert.match(codeOf('rust', request, target), /Blob::new\(\*b"\\x00\\x01\\xff"\)/);
});

test('credentials of the environment are not named', () => {
  for (const language of ['python', 'javascript', 'rust', 'aws'] as const)
    assert.ok(!/any/.test(codeOf(language, query, { ...target, accessKeyId: null })), language);
});

test('a page that has a limit is one request', () => {
  const limited = { ...query, request: { ...query.request, Limit: 5 } };
  assert.match(codeOf('python', limited, target), /client\.query\(\*\*request\)/);
  assert.match(codeOf('javascript', limited, target), /new QueryCommand\(request\)/);
  assert.match(codeOf('rust', limited, target), /\.limit\(5\)\n        \.send\(\)\n        \.await\?/);
});
