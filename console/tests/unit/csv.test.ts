import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delimiterOf, readCsv, writeCsv } from '../../src/data/csv';

const cases: [string, string[][]][] = [
  [
    'a,b\r\nc,d\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a,b\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['"a,1","b ""x""","c\r\nd"\n', [['a,1', 'b "x"', 'c\r\nd']]],
  ['a,,\n', [['a', '', '']]],
  [',\n', [['', '']]],
  ['a,', [['a', '']]],
  ['\n\na\n\n', [['a']]],
  ['\ufeffa,b\n', [['a', 'b']]],
  ['"open', [['open']]],
  ['""\n', []],
  ['a"b,c\n', [['a"b', 'c']]],
  ['', []],
];
for (const [text, rows] of cases) test(`${JSON.stringify(text)} is read`, () => assert.deepEqual(readCsv(text), rows));

test('a tab may part cells', () => assert.deepEqual(readCsv('a\tb,c\n', '\t'), [['a', 'b,c']]));
test('the delimiter is guessed from the first line', () =>
  assert.deepEqual(['a,b;c,d', 'a\tb', 'a;b', 'a'].map(delimiterOf), [',', '\t', ';', ',']));
test('what is written is read again', () => {
  const rows = [
    ['id', 'text'],
    ['007', ' x '],
    ['"', ',\n\r'],
    ['', '😀'],
    ['=1+1', "'"],
  ];
  assert.deepEqual(readCsv(writeCsv(rows)), rows);
});
