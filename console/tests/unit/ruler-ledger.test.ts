import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaleOf } from '../../src/charts/LineChart';
import { bandOf, layout } from '../../src/ruler/layout';
import { supposedLine } from '../../src/ruler/supposed';
import { requestFor } from '../../src/ruler/query';
import { patternWords, summed } from '../../src/screens/requests/Bill';
import { isBusy, Ledger, LINES_MAX, patternsOf, SECONDS_MAX, type LedgerLine, type Second } from '../../src/screens/requests/ledger';
import { joined, type Point } from '../../src/screens/server/state';

const line = (Number: number): LedgerLine => ({ Number, AtMs: Number, Id: `${Number}`, Operation: 'Query', Peer: '', Examined: 0, ExaminedBytes: 0, Returned: 0, ReadUnits: 0, WriteUnits: 0, TookMs: 1, Status: 200, RequestBytes: 0, ResponseBytes: 0 });
const second = (AtMs: number, Requests: number, more: Partial<Second['Patterns'][number]> = {}): Second => ({
  AtMs, Requests, Failed: 0, ReadUnits: Requests, WriteUnits: 0,
  Patterns: [{ Operation: 'Query', Table: 't', Pattern: 'a = ?', Requests, Failed: 0, ReadUnits: Requests, WriteUnits: 0, Examined: Requests * 2, Returned: Requests, P50Ms: 1, P99Ms: Requests, WorstMs: Requests, ...more }],
});

test('the ledger keeps the newest lines, and counts what it does not have', () => {
  const ledger = new Ledger();
  for (let nth = 0; nth < 60; nth++) ledger.take({ Server: 's', Cursor: 'c', Requests: [...Array(200).keys()].map((one) => line(nth * 200 + one)), Lost: 1, LeftOut: 2, OneIn: 7 });
  assert.equal(ledger.lines.length, LINES_MAX);
  assert.deepEqual([ledger.lines[0]!.Number, ledger.lines.at(-1)!.Number], [12_000 - LINES_MAX, 11_999]);
  assert.deepEqual([ledger.lost, ledger.leftOut, ledger.oneIn, ledger.seen], [60, 120, 7, 12_000]);
});

test('a minute of seconds is kept, each once', () => {
  const ledger = new Ledger();
  for (let nth = 0; nth < 100; nth++) ledger.take({ Server: 's', Cursor: 'c', Seconds: [second(nth * 1000, 1), second(nth * 1000 + 1000, 5)] });
  assert.equal(ledger.seconds.length, SECONDS_MAX);
  assert.deepEqual(ledger.seconds.slice(-2).map((one) => one.Requests), [1, 5]);
});

test('patterns sum the counts of seconds and keep the longest times', () => {
  const rows = patternsOf([second(0, 3), second(1000, 5), { ...second(2000, 1), Patterns: [] }]);
  assert.equal(rows.length, 1);
  assert.deepEqual([rows[0]!.Requests, rows[0]!.Examined, rows[0]!.Returned, rows[0]!.P99Ms, rows[0]!.perSecond], [8, 16, 8, 5, [3, 5, 0]]);
  assert.deepEqual([isBusy([second(0, 20)]), isBusy([second(0, 26)]), isBusy([])], [false, true, false]);
});

test('the bill is summed by what is asked for', () => {
  const row = (Table: string, Caller: string, ReadUnits: number) => ({ Operation: 'Query', Table, Pattern: { Keys: [{ Test: 'EQUAL', Text: 'a = ?', Names: ['a'] }], Filter: [{ Test: 'RANGE', Text: 'b > ?', Names: ['b'] }], Returns: 'Count' }, Caller, Requests: 1, Failed: 0, ReadUnits, WriteUnits: 0, Examined: 1, ExaminedBytes: 1, Returned: 1 });
  const rows = [row('t', 'x', 1), row('t', 'y', 2), row('u', 'x', 5)];
  assert.equal(patternWords(rows[0]!.Pattern), 'a = ? FILTER b > ? RETURNS count');
  assert.deepEqual(summed(rows, 'table').map((one) => [one.Table, one.ReadUnits]), [['u', 5], ['t', 3]]);
  assert.deepEqual(summed(rows, 'caller').map((one) => [one.words, one.Requests]), [['x', 2], ['y', 1]]);
  assert.equal(summed(rows, 'operation').length, 1);
});

test('points of an hour are joined, and older ones go', () => {
  const point = (AtMs: number, Requests = 1): Point => ({ AtMs, Seconds: 10, Requests, Failed: 0, Throttled: 0, MemoryBytes: 1, Connections: 1, Operations: [] });
  const hour = [...Array(360).keys()].map((nth) => point(nth * 10_000));
  const next = joined(hour, [point(3_590_000, 9), point(3_600_000)]);
  assert.deepEqual([next.length, next[0]!.AtMs, next.at(-2)!.Requests], [360, 10_000, 9]);
});

test('axes have round steps', () => {
  const of = (...values: (number | undefined)[]) => [{ name: '', token: '', values }];
  assert.deepEqual(scaleOf(of(0, 270), false).ticks, [0, 100, 200, 300]);
  assert.deepEqual(scaleOf(of(1), false, false, true).ticks, [0, 1]);
  assert.deepEqual(scaleOf(of(90 * 1024 * 1024), false, true).ticks, [0, 50, 100].map((n) => n * 1024 * 1024));
  assert.deepEqual(scaleOf(of(0.2, 30), true).ticks.map((tick) => Number(tick.toFixed(3))), [0.1, 1, 10, 100]);
  assert.deepEqual(scaleOf(of(undefined), false).ticks, [0, 1]);
});

test('an index that is not there has a line around its range', () => {
  const examined = { items: 7, bytes: 70, isExact: true };
  const known = supposedLine({ First: "'A'", Before: "'K'", FirstInRange: "'L', 5", LastInRange: "'L', 9", After: "'M'", Last: "'Z'" }, examined)!;
  assert.deepEqual(known.line.bins.map((bin) => [bin.FirstName, bin.Items, bin.IsExact]), [["'A'", 2, false], ["'L', 5", 7, true], ["'M'", 2, false]]);
  const segments = layout(known.line.bins, 300, 'items');
  assert.deepEqual(segments.map((one) => one.width), [100, 100, 100]);
  const band = bandOf(known.line, segments, known.ends)!;
  assert.deepEqual([band.x, band.width], [100, 100]);
  const empty = supposedLine({ First: "'A'", Before: "'K'", After: "'M'", Last: "'Z'" }, { ...examined, items: 0 })!;
  assert.deepEqual(bandOf(empty.line, layout(empty.line.bins, 300, 'items'), empty.ends)!.x, 150);
  assert.equal(supposedLine({}, examined), undefined);
});

test('a place on the ruler is a request', () => {
  const source = { table: 't', partition: ['__proto__'], sort: ['a', 'b'], partitionKey: JSON.parse('{"__proto__": {"S": "x"}}') as Record<string, { S: string }>, sortKey: { a: { N: '1' } }, prefix: 'p#' };
  assert.deepEqual(requestFor(source).request, {
    TableName: 't', KeyConditionExpression: '#k0 = :k0 AND #k1 = :k1 AND begins_with(#k2, :k2)',
    ExpressionAttributeNames: { '#k0': '__proto__', '#k1': 'a', '#k2': 'b' }, ExpressionAttributeValues: { ':k0': { S: 'x' }, ':k1': { N: '1' }, ':k2': { S: 'p#' } },
  });
  assert.equal(requestFor({ table: 't', partition: ['a'], sort: [] }).operation, 'Scan');
});
