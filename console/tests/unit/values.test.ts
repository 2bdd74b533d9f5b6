import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryOf, binaryText, lengthOf } from '../../src/data/binary';
import { escapedText, JsonFault, parseJson, placeOf, readEscaped, shownJson, writeJson } from '../../src/data/json';
import { momentOfNumber, momentOfText, momentWords } from '../../src/data/times';
import * as values from '../../src/data/values';

const digits38 = '12345678901234567890123456789012345678';

test('a number of 38 digits goes through JSON as it stood', () => {
  const text = `{"n":${digits38},"tiny":1E-130,"exact":0.10}`;
  assert.equal(writeJson(parseJson(text)), text);
});

test('members named __proto__ and constructor are members', () => {
  const read = parseJson('{"__proto__":{"a":1},"constructor":"x","toString":null}');
  assert.equal(writeJson(read), '{"__proto__":{"a":1},"constructor":"x","toString":null}');
});

test('escapes are read', () => assert.equal(parseJson(String.raw`"a\"\\\/\b\f\n\r\té😀"`), 'a"\\/\b\f\n\r\té😀'));

for (const [text, offset] of [
  ['{', 1],
  ['[1,]', 3],
  ['{"a":1,"a":2}', 10],
  ['01', 1],
  ['"a', 0],
  ['"\n"', 0],
  ['nul', 0],
  ['[1] 2', 4],
  ['', 0],
  ['+1', 0],
  ['1.', 1],
  ['{"a" 1}', 5],
] as [string, number][]) {
  test(`${JSON.stringify(text)} is refused at ${offset}`, () =>
    assert.throws(
      () => parseJson(text),
      (error) => error instanceof JsonFault && error.offset === offset,
    ));
}

test('what is nested too deep is refused, not overflown', () => assert.throws(() => parseJson('['.repeat(100_000)), JsonFault));

test('a place is told by line and column', () => assert.deepEqual(placeOf('a\nbc', 3), { line: 2, column: 2 }));

for (const good of [
  '0',
  '-0',
  '1',
  '+1',
  '.5',
  '5.',
  '1e5',
  digits38,
  `-${digits38}`,
  `${digits38}0000`,
  '1E-130',
  '9.9999999999999999999999999999999999999E+125',
  '0e999999',
  '000.000',
]) {
  test(`${good} is a number`, () => assert.equal(values.numberFault(good), null));
}
for (const bad of ['', ' ', '-', '.', 'e5', '1e', '1e126', '1E-131', `${digits38}9`, 'NaN', 'Infinity', '0x10', '1,000', '1 000', '--1']) {
  test(`${JSON.stringify(bad)} is no number`, () => assert.notEqual(values.numberFault(bad), null));
}

const every: values.AttributeValue[] = [
  { S: '' },
  { S: ' "quoted"\n line ' },
  { N: digits38 },
  { N: '-0.00' },
  { B: '' },
  { B: 'AAEC/w==' },
  { BOOL: true },
  { BOOL: false },
  { NULL: true },
  { SS: ['a', '"b"', 'c\nd', ''] },
  { NS: ['1', '2.50'] },
  { BS: ['AA==', 'AQ=='] },
  { L: [] },
  { L: [{ S: 'a' }, { L: [{ N: '1' }] }] },
  { M: {} },
  { M: { a: { NULL: true }, ['__proto__']: { S: 'x' } } },
];
for (const value of every) {
  test(`${JSON.stringify(value)} is the same after it was shown and typed`, () => {
    const type = values.typeOf(value);
    assert.equal(values.canonical(values.fromTyped(type, values.toTyped(value))), values.canonical(value));
  });
}

for (const [type, text] of [
  ['N', 'x'],
  ['B', '%%%'],
  ['BOOL', 'yes'],
  ['SS', ''],
  ['NS', '1\nx'],
  ['NS', '1\n1'],
  ['L', '{}'],
  ['M', '[]'],
  ['L', '[1]'],
  ['M', '{"a":{"S":1}}'],
  ['M', '{"a":{"S":"x","N":"1"}}'],
  ['L', '[{"N":1}]'],
] as [values.TypeName, string][]) {
  test(`${text} is refused as ${values.typeWords[type]}`, () => assert.throws(() => values.fromTyped(type, text), values.TypedFault));
}

test('plain JSON keeps digits, and arrays are lists', () => {
  const item = values.itemOfPlain(parseJson(`{"n":${digits38},"l":[1,"a",null,true],"m":{"x":{}}}`) as never);
  assert.deepEqual(item['n'], { N: digits38 });
  assert.equal(writeJson(values.plainItem(item)), `{"n":${digits38},"l":[1,"a",null,true],"m":{"x":{}}}`);
});

test('numbers that JSON has no form for are written in its form', () => {
  assert.equal(writeJson(values.plain({ NS: ['+1', '.5', '5.', '007', '1E+5'] })), '[1,0.5,5,7,1e+5]');
});

test('DynamoDB JSON is told from plain JSON', () => {
  assert.equal(values.looksTyped(parseJson('{"a":{"S":"x"},"b":{"M":{}}}') as never), true);
  assert.equal(values.looksTyped(parseJson('{"a":{"S":"x"},"b":1}') as never), false);
  assert.equal(values.looksTyped(parseJson('{}') as never), false);
});

test('a brief form is short however large the value is', () => {
  const large: values.AttributeValue = { L: Array.from({ length: 100_000 }, () => ({ S: 'x'.repeat(100) })) };
  assert.ok(values.brief(large, 200).length < 600);
  assert.ok(values.brief({ S: 'x'.repeat(400_000) }, 200).length < 300);
  assert.equal(values.brief({ M: { a: { N: '1' }, b: { S: 'x' } } }), '{a: 1, b: "x"}');
});

test('binary has three forms', () => {
  assert.equal(binaryText('aMOp', 'text'), 'hé');
  assert.equal(binaryText('AAH/', 'hex'), '0001ff');
  assert.equal(binaryText('//4=', 'text'), '0xfffe');
  assert.equal(binaryOf('0x00 01 FF', 'hex'), 'AAH/');
  assert.equal(binaryOf('0', 'hex'), null);
  assert.equal(binaryOf('AAH', 'base64'), null);
  assert.equal(binaryOf('hé', 'text'), 'aMOp');
  assert.equal(lengthOf('AAH/'), 3);
  assert.equal(lengthOf('//4='), 2);
});

test('times are told where the name says so', () => {
  assert.equal(momentOfNumber('1764000000', 'createdAt'), 1_764_000_000_000);
  assert.equal(momentOfNumber('1764000000000', 'updated_at'), 1_764_000_000_000);
  assert.equal(momentOfNumber('1764000000', 'population'), null);
  assert.equal(momentOfNumber('1764000000', 'x', true), 1_764_000_000_000);
  assert.equal(momentOfNumber(digits38, 'createdAt'), null);
  assert.equal(momentOfText('2026-11-25T07:30:00Z'), Date.UTC(2026, 10, 25, 7, 30));
  assert.equal(momentOfText('2026-11-25'), null);
  assert.equal(momentWords(Date.UTC(2026, 10, 25, 7, 30), Date.UTC(2026, 11, 1)), '2026-11-25 07:30:00 UTC, 5 days ago');
});

test('JSON to look at is the same JSON, without signs that hide or turn or pile up', () => {
  for (const text of ['a\u202eb', '\u0085\u2028\u2029', '\u007f\ufeff', `Z${'\u0301'.repeat(50)}`, '\u{e0001}\u{e0100}', '👩‍👩‍👧 é ñ', '"\\\r\n\t']) {
    const json = JSON.stringify({ [text]: text });
    const shown = shownJson(json);
    assert.deepEqual(JSON.parse(shown), JSON.parse(json));
    assert.doesNotMatch(shown, /[\u007f-\u009f\u2028-\u202e\ufeff]|\p{M}{7}/u);
    assert.equal(readEscaped(escapedText(text)), text);
  }
  assert.equal(shownJson('"👩‍👩‍👧"'), '"👩‍👩‍👧"');
  assert.equal(readEscaped('a\nb'), 'a\nb');
  assert.equal(readEscaped('a\\'), null);
});
