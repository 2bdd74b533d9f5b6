import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHandful, lineOf, refined, type Bin, type RulerAnswer } from '../../src/ruler/bins';
import { entityColours, KeyForm } from '../../src/ruler/colours';
import { rangeOfMove, rangeOfSpan } from '../../src/ruler/drag';
import { compareNumbers, compareText, fraction, afterPrefix } from '../../src/ruler/keys';
import { bandOf, boundAt, labels, layout, placeOf, SEGMENT_MIN_PX, segmentAt } from '../../src/ruler/layout';
import { literal, readTests, readValue } from '../../src/ruler/literals';
import { endsOf, endsOfTests, rangeFault, rangeOfEnds, rangeText, takes } from '../../src/ruler/range';
import { crumbs, foldersOf, fromQuery, opened, requestOf, toQuery } from '../../src/ruler/source';
import { told, toldJson, toldLines, toldText } from '../../src/ruler/told';

function folder(name: string, items: number, more: Partial<Bin> = {}): Bin {
  return { First: { sk: { S: `${name}#1` } }, Last: { sk: { S: `${name}#9` } }, Name: `${name}#`, Folder: `${name}#`, Folders: 1, Items: items, Bytes: items * 100, IsExact: true, ...more };
}

function answer(bins: Bin[], more: Partial<RulerAnswer> = {}): RulerAnswer {
  return { Kind: 'Folders', KeyAttribute: 'sk', KeyType: 'S', Delimiter: '#', Bins: bins, Covers: {}, Items: 0, Bytes: 0, IsExact: true, ...more };
}

const letters = (count: number) => [...Array(count).keys()].map((nth) => folder(String(nth).padStart(6, '0'), 1 + (nth % 7)));

test('segments fill the width, in order, each of three pixels or more', () => {
  for (const [count, width] of [[1, 300], [3, 300], [51, 900], [500, 360], [500, 2560], [499, 7], [2000, 340]] as const) {
    for (const scale of ['items', 'bytes', 'equal'] as const) {
      const segments = layout(letters(count), width, scale);
      assert.equal(segments[0]!.x, 0);
      assert.equal(segments.at(-1)!.x + segments.at(-1)!.width, width);
      for (const [nth, one] of segments.entries()) {
        assert.ok(one.width >= SEGMENT_MIN_PX, `${one.width} px`);
        assert.equal(Number.isInteger(one.x) && Number.isInteger(one.width), true);
        if (nth > 0) {
          const before = segments[nth - 1]!;
          assert.equal(before.x + before.width, one.x);
          assert.equal(before.to + 1, one.from);
        }
      }
      assert.equal(segments.at(-1)!.to, count - 1);
    }
  }
});

test('merged segments say how many folders and items they are', () => {
  const segments = layout(letters(500), 300, 'items');
  assert.ok(segments.length <= 100);
  assert.equal(segments.reduce((sum, one) => sum + one.folders, 0), 500);
  assert.equal(segments.reduce((sum, one) => sum + one.items, 0), letters(500).reduce((sum, one) => sum + one.Items, 0));
});

test('a huge folder leaves small ones a place', () => {
  const segments = layout([folder('A', 1), folder('B', 1_000_000), folder('C', 1)], 300, 'items');
  assert.equal(segments.length, 3);
  assert.ok(segments[1]!.width > 200);
});

test('what refines a stretch keeps its width, so that nothing jumps', () => {
  const unsure = { IsExact: false };
  const rough = lineOf(answer([folder('A', 10), folder('B', 1, unsure), folder('C', 1, unsure), folder('D', 1, unsure)], { Cursor: '1' }));
  const before = layout(rough.bins, 400, 'items');
  assert.deepEqual(before.map((one) => one.width), [100, 100, 100, 100]);
  const many = [...Array(300).keys()].map((nth) => folder(`B${nth + 1000}`, 5));
  const finer = refined(rough, answer(many, { Covers: { After: { sk: { S: 'A#9' } }, Until: { sk: { S: 'B#9' } } }, Cursor: '2' }));
  const after = layout(finer.bins, 400, 'items');
  const of = (nth: number) => after.find((one) => one.from === nth)!;
  assert.deepEqual([of(0).x, of(0).width, of(301).x, of(302).x], [0, 100, 200, 300]);
  assert.equal(after.reduce((sum, one) => sum + one.folders, 0), 303);
});

test('a line of more bins than are kept becomes coarser, and loses nothing', () => {
  let line = lineOf(answer([folder('A', 1), folder('Z', 1, { IsExact: false })], { Cursor: '1' }));
  for (let nth = 0; nth < 30; nth++) {
    const bins = [...Array(300).keys()].map((one) => folder(`M${String(nth * 300 + one).padStart(6, '0')}`, 2));
    line = refined(line, answer(bins, { Covers: { After: line.bins.at(-2)!.Last, Until: bins.at(-1)!.Last }, Cursor: '2' }));
  }
  assert.ok(line.bins.length <= 2001, String(line.bins.length));
  assert.equal(line.items, 1 + 30 * 300 * 2 + 1);
  assert.equal(line.bins.reduce((sum, one) => sum + one.Folders, 0), 9002);
  assert.equal(line.bins.at(-1)!.Name, 'Z#');
});

test('nothing and no place give no segments', () => {
  assert.deepEqual(layout([], 100, 'items'), []);
  assert.deepEqual(layout(letters(3), 2, 'items'), []);
});

test('a place finds its segment', () => {
  const segments = layout(letters(20), 400, 'items');
  for (const [nth, one] of segments.entries()) {
    assert.equal(segmentAt(segments, one.x), nth);
    assert.equal(segmentAt(segments, one.x + one.width - 1), nth);
  }
  assert.equal(segmentAt(segments, -1), -1);
  assert.equal(segmentAt(segments, 400), -1);
});

test('labels stand only where they fit', () => {
  const segments = layout([folder('A', 1), folder('LONG-NAME', 100), folder('C', 100)], 220, 'items');
  const fit = (text: string, width: number) => (text.length * 7 <= width ? text : undefined);
  const found = labels(segments, (one) => (one.from === 1 ? 'LONG-NAME' : one.from === 2 ? 'C' : 'A'), fit);
  assert.deepEqual(found.map((one) => one.segment), [1, 2]);
});

const line = lineOf(answer([folder('A', 10), folder('B', 10), folder('C', 10), folder('D', 10)]));
const segments = layout(line.bins, 400, 'items');

test('a range is a band over its folders', () => {
  const band = bandOf(line, segments, endsOf({ operator: 'begins_with', values: [{ S: 'B#' }] }))!;
  assert.deepEqual([band.x, band.width, band.goesOnLeft, band.goesOnRight], [100, 100, false, false]);
  const open = bandOf(line, segments, endsOf({ operator: '>=', values: [{ S: 'C' }] }))!;
  assert.deepEqual([open.x, open.width, open.goesOnRight], [200, 200, true]);
  const all = bandOf(line, segments, {})!;
  assert.deepEqual([all.x, all.width, all.goesOnLeft, all.goesOnRight], [0, 400, true, true]);
  const between = bandOf(line, segments, endsOf({ operator: 'BETWEEN', values: [{ S: 'A#1' }, { S: 'B#9' }] }))!;
  assert.deepEqual([between.x, between.width], [0, 200]);
});

test('a key between two folders stands between them', () => {
  assert.equal(placeOf(line, segments, { S: 'AZ' }), 100);
  assert.equal(placeOf(line, segments, { S: '' }), 0);
  assert.equal(placeOf(line, segments, { S: 'Z' }), 400);
  const inside = placeOf(line, segments, { S: 'B#5' });
  assert.ok(inside > 100 && inside < 200);
});

test('dragged segments are a condition', () => {
  assert.deepEqual(rangeOfSpan(line, segments, 1, 1), { operator: 'begins_with', values: [{ S: 'B#' }] });
  assert.deepEqual(rangeOfSpan(line, segments, 2, 1), { operator: 'BETWEEN', values: [{ S: 'B#' }, { S: 'C#9' }] });
  assert.deepEqual(rangeOfSpan(line, segments, 0, 1), { operator: '<=', values: [{ S: 'B#9' }] });
  assert.deepEqual(rangeOfSpan(line, segments, 2, 3), { operator: '>=', values: [{ S: 'C#' }] });
  assert.equal(rangeOfSpan(line, segments, 0, 3), null);
  assert.deepEqual(rangeOfSpan(line, segments, 0, 3, { prefix: 'X#' }), { operator: 'begins_with', values: [{ S: 'X#' }] });
});

test('an end that is moved leaves the other where it is', () => {
  const ends = endsOf({ operator: 'begins_with', values: [{ S: 'B#' }] });
  assert.deepEqual(rangeOfMove(line, segments, ends, 'upper', 2), { operator: 'BETWEEN', values: [{ S: 'B#' }, { S: 'C#9' }] });
  assert.deepEqual(rangeOfMove(line, segments, ends, 'lower', 0), { operator: '<=', values: [{ S: 'B#9' }] });
  const two = endsOf({ operator: 'BETWEEN', values: [{ S: 'B#' }, { S: 'C#9' }] });
  assert.deepEqual(rangeOfMove(line, segments, two, 'upper', 1), { operator: 'begins_with', values: [{ S: 'B#' }] });
  assert.deepEqual(rangeOfMove(line, segments, two, 'lower', 3), { operator: '=', values: [{ S: 'C#9' }] });
});

test('a band that was dragged stands where it was dragged', () => {
  for (let from = 0; from < 4; from++) {
    for (let to = from; to < 4; to++) {
      const range = rangeOfSpan(line, segments, from, to);
      const band = bandOf(line, segments, range ? endsOf(range) : {})!;
      assert.deepEqual([band.x, band.width], [from * 100, (to - from + 1) * 100], `${from} to ${to}`);
    }
  }
});

test('an end snaps to the nearest segment', () => {
  assert.deepEqual(boundAt(line, segments, 110, 'lower'), { key: { S: 'B#' }, includes: true });
  assert.deepEqual(boundAt(line, segments, 190, 'upper'), { key: { S: 'B#9' }, includes: true });
});

test('a refining answer takes the place of what it covers', () => {
  const rough = lineOf(answer([folder('A', 10), folder('B', 1, { IsExact: false }), folder('C', 1, { IsExact: false }), folder('D', 1, { IsExact: false })], { Cursor: 'B', Work: { Seeks: 3, KeysRead: 20, ReadUnits: 1 } }));
  assert.equal(rough.isExact, false);
  const finer = refined(rough, answer([folder('B', 20), folder('C', 30)], { Covers: { After: { sk: { S: 'A#9' } }, Until: { sk: { S: 'C#9' } } }, Cursor: 'D', Work: { Seeks: 1, KeysRead: 50, ReadUnits: 2 } }));
  assert.deepEqual(finer.bins.map((one) => [one.Name, one.Items, one.IsExact]), [['A#', 10, true], ['B#', 20, true], ['C#', 30, true], ['D#', 1, false]]);
  assert.equal(finer.keysRead, 70);
  const whole = refined(finer, answer([folder('D', 40)], { Covers: { After: { sk: { S: 'C#9' } } } }));
  assert.deepEqual([whole.items, whole.isExact, whole.cursor], [100, true, undefined]);
});

test('an answer that ends inside a bin leaves the rest of it unsure', () => {
  const rough = lineOf(answer([folder('A', 1, { IsExact: false })], { Cursor: '1' }));
  const finer = refined(rough, answer([folder('A', 5, { Last: { sk: { S: 'A#5' } } })], { Covers: { Until: { sk: { S: 'A#5' } } }, Cursor: '2' }));
  assert.deepEqual(finer.bins.map((one) => [one.Items, one.IsExact]), [[5, true], [1, false]]);
  const last = refined(finer, answer([folder('A', 7, { First: { sk: { S: 'A#6' } } })], { Covers: { After: { sk: { S: 'A#5' } } } }));
  assert.deepEqual(last.bins.map((one) => [one.Items, one.IsExact]), [[12, true]]);
});

test('a folder that two answers divide is one bin', () => {
  const first = lineOf(answer([folder('A', 5, { Last: { sk: { S: 'A#5' } } })], { Cursor: '1', Covers: { Until: { sk: { S: 'A#5' } } } }));
  const whole = refined(first, answer([folder('A', 4, { First: { sk: { S: 'A#6' } } }), folder('B', 1)], { Covers: { After: { sk: { S: 'A#5' } } } }));
  assert.deepEqual(whole.bins.map((one) => [one.Name, one.Items, one.IsExact]), [['A#', 9, true], ['B#', 1, true]]);
});

test('partitions are counted on by their number, for their order is not known here', () => {
  const partition = (name: string, items: number, more: Partial<Bin> = {}): Bin => ({ First: { pk: { S: name }, sk: { S: '1' } }, Last: { pk: { S: name }, sk: { S: '9' } }, Name: name, Folders: 1, Items: items, Bytes: items, IsExact: true, ...more });
  const unsure = { IsExact: false };
  const two = { ...partition('c', 2, unsure), Last: { pk: { S: 'd' }, sk: { S: '1' } }, Name: undefined, FirstName: 'c', LastName: 'd', Folders: 2 };
  const rough = lineOf(answer([partition('a', 3), partition('b', 1, unsure), two, partition('e', 1, unsure)], { Kind: 'Partitions', KeyAttribute: 'pk', Cursor: '1' }));
  const covers = { After: { pk: { S: 'a' }, sk: { S: '9' } }, Until: { pk: { S: 'c' }, sk: { S: '4' } } };
  const finer = refined(rough, answer([partition('b', 7), partition('c', 4, unsure)], { Kind: 'Partitions', KeyAttribute: 'pk', Covers: covers, Cursor: '2' }));
  assert.deepEqual(finer.bins.map((one) => [one.Name, one.Items, one.Folders, one.IsExact]), [['a', 3, 1, true], ['b', 7, 1, true], ['c', 4, 1, false], ['d', 1, 1, false], ['e', 1, 1, false]]);
  const whole = refined(finer, answer([partition('c', 9), partition('d', 5), partition('e', 2)], { Kind: 'Partitions', KeyAttribute: 'pk', Covers: { After: { pk: { S: 'b' }, sk: { S: '9' } } } }));
  assert.deepEqual([whole.items, whole.isExact, whole.bins.length], [26, true, 5]);
});

test('a dozen items need no line', () => {
  const item = (nth: number): Bin => ({ First: { sk: { S: `${nth}` } }, Last: { sk: { S: `${nth}` } }, Name: `${nth}`, Folders: 0, Items: 1, Bytes: 9, IsExact: true });
  const items = (count: number) => lineOf(answer([...Array(count).keys()].map(item)));
  assert.equal(isHandful(items(12)), true);
  assert.equal(isHandful(items(13)), false);
  assert.equal(isHandful(line), false);
});

test('numbers compare exactly, text by code points', () => {
  const numbers = ['-1e125', '-20', '-3', '-0.5', '0', '0.00001', '0.5', '3', '12345678901234567890123456789012345678', '12345678901234567890123456789012345679', '1E+100'];
  for (const [nth, one] of numbers.entries()) for (const [other, two] of numbers.entries()) assert.equal(Math.sign(compareNumbers(one, two)) + 0, Math.sign(nth - other), `${one} ${two}`);
  assert.equal(compareNumbers('1.50', '1.5'), 0);
  assert.equal(compareNumbers('-0', '0'), 0);
  assert.ok(compareText('\u{ffff}', '\u{1f600}') < 0);
  assert.ok(compareText('a', 'b') < 0 && compareText('a', 'ab') < 0);
});

test('places between keys are fractions', () => {
  assert.equal(fraction({ N: '0' }, { N: '10' }, { N: '5' }), 0.5);
  assert.equal(fraction({ S: 'a' }, { S: 'b' }, { S: 'a' }), 0);
  const half = fraction({ S: 'X#a' }, { S: 'X#c' }, { S: 'X#b' });
  assert.ok(half > 0.4 && half < 0.6);
});

test('the end of a prefix is what sorts behind it', () => {
  assert.deepEqual(afterPrefix({ S: 'FLORIDA#' }), { S: 'FLORIDA$' });
  assert.deepEqual(afterPrefix({ S: 'a\u{10ffff}' }), { S: 'b' });
  assert.equal(afterPrefix({ S: '\u{10ffff}' }), undefined);
  assert.deepEqual(afterPrefix({ S: '\u{d7ff}' }), { S: '\u{e000}' });
  assert.deepEqual(afterPrefix({ B: 'Af8=' }), { B: 'Ag==' });
});

test('conditions of explanations are read back', () => {
  assert.deepEqual(readTests("place >= 'FLORIDA#' AND place < 'FLORIDA$'"), [
    { attribute: 'place', operator: '>=', values: [{ S: 'FLORIDA#' }] },
    { attribute: 'place', operator: '<', values: [{ S: 'FLORIDA$' }] },
  ]);
  assert.deepEqual(readTests("`first name` = 'it''s' AND n BETWEEN -1.5 AND 20"), [
    { attribute: 'first name', operator: '=', values: [{ S: "it's" }] },
    { attribute: 'n', operator: 'BETWEEN', values: [{ N: '-1.5' }, { N: '20' }] },
  ]);
  assert.deepEqual(readTests('b < b"AQI=" AND begins_with(s, "a\\u000a\\"")'), [
    { attribute: 'b', operator: '<', values: [{ B: 'AQI=' }] },
    { attribute: 's', operator: 'begins_with', values: [{ S: 'a\n"' }] },
  ]);
  for (const cut of ["place >= 'FLOR...", 'a = 1 OR a = 2', '', 'a', "a = 'b' AND", '__proto__']) assert.equal(readTests(cut), undefined, cut);
});

test('literals are read back as they were written', () => {
  for (const value of [{ S: "it's" }, { S: 'a\nb"\\' }, { S: 'a\u{10ffff}' }, { S: '' }, { N: '1.5' }, { B: 'AQI=' }]) assert.deepEqual(readValue(literal(value)), value);
});

test('ends of several tests are the tightest', () => {
  const ends = endsOfTests(readTests("p >= 'A' AND p < 'C' AND p > 'A'")!, 'p');
  assert.deepEqual(ends, { lower: { key: { S: 'A' }, includes: false }, upper: { key: { S: 'C' }, includes: false } });
});

test('ranges have words, and words their range', () => {
  assert.equal(rangeText('place', { operator: 'begins_with', values: [{ S: 'A#' }] }), "begins_with(place, 'A#')");
  assert.equal(rangeText('n', { operator: 'BETWEEN', values: [{ N: '1' }, { N: '2' }] }), 'n BETWEEN 1 AND 2');
  const begins = { operator: 'begins_with', values: [{ S: 'A#' }] } as const;
  assert.deepEqual(rangeOfEnds(endsOf({ operator: 'begins_with', values: [...begins.values] })), begins);
  assert.equal(rangeOfEnds({}), null);
});

test('a condition that cannot be asked says why', () => {
  assert.equal(rangeFault('N', { operator: '=', values: [{ N: '1.5e3' }] }), undefined);
  assert.match(rangeFault('N', { operator: '=', values: [{ N: 'x' }] })!, /not a number/);
  assert.match(rangeFault('S', { operator: 'BETWEEN', values: [{ S: 'b' }, { S: 'a' }] })!, /sorts before/);
  assert.match(rangeFault('N', { operator: 'begins_with', values: [{ N: '1' }] })!, /beginning/);
});

test('a range takes what it says', () => {
  assert.equal(takes({ operator: 'begins_with', values: [{ S: 'A#' }] }, { S: 'A#1' }), true);
  assert.equal(takes({ operator: '<', values: [{ N: '10' }] }, { N: '9.99' }), true);
  assert.equal(takes({ operator: 'BETWEEN', values: [{ S: 'a' }, { S: 'c' }] }, { S: 'c' }), true);
});

test('key templates take their keys', () => {
  assert.equal(new KeyForm('ORDER#{}').takes('ORDER#1'), true);
  assert.equal(new KeyForm('ORDER#{}').takes('ORDERS'), false);
  assert.equal(new KeyForm('PROFILE').takes('PROFILE'), true);
  assert.equal(new KeyForm('{a}#{b}#X').takes('1#2#X'), true);
  assert.equal(new KeyForm('{a}#X').takes('#X'), true);
  assert.equal(new KeyForm('AB{x}BC').takes('ABC'), false);
});

test('entity types have one colour whatever the order they come in', () => {
  assert.deepEqual(entityColours(['b', 'a']).get('a'), entityColours(['a', 'b', 'a']).get('a'));
  assert.equal(entityColours([...Array(30).keys()].map((nth) => String(nth).padStart(2, '0'))).get('27')!.letter, 'AB');
});

const source = { table: 't', partition: ['pk'], sort: ['sk'], partitionKey: { pk: { S: 'US' } } };

test('folders open, stretches zoom, one item does neither', () => {
  assert.deepEqual(opened(source, line, 1, 1)?.prefix, 'B#');
  assert.deepEqual(opened(source, line, 1, 2), { ...source, from: { S: 'B#1' }, to: { S: 'C#9' } });
  assert.equal(opened(source, line, 0, 3), undefined);
});

test('a leading sort key attribute opens into the next', () => {
  const several = { table: 't', index: 'i', partition: ['pk'], sort: ['stage', 'on'], partitionKey: { pk: { S: 'x' } } };
  const stages = lineOf(answer([{ First: { stage: { S: 'OPEN' } }, Last: { stage: { S: 'OPEN' } }, Name: 'OPEN', Folders: 1, Items: 4, Bytes: 4, IsExact: true }, folder('Z', 1)], { KeyAttribute: 'stage' }));
  assert.deepEqual(opened(several, stages, 0, 0)?.sortKey, { stage: { S: 'OPEN' } });
});

test('the way down has a step for each folder', () => {
  assert.deepEqual(foldersOf('A#B#', '#'), ['A#', 'A#B#']);
  assert.deepEqual(foldersOf('A#B', '#'), ['A#', 'A#B']);
  assert.deepEqual(foldersOf('a##b', '##'), ['a##', 'a##b']);
  const way = crumbs({ ...source, prefix: 'A#B#' }, '#', (value) => told(value));
  assert.deepEqual(way.map((one) => one.text), ['t', 'US', 'A#', 'B#']);
  assert.equal(way[2]!.source.prefix, 'A#');
});

test('a source stands in the address and comes back', () => {
  const whole = { ...source, index: 'i', prefix: 'A#', from: { S: 'a' }, to: { S: 'b' }, sortKey: { x: { N: '1' } }, delimiter: '/' };
  const query = new Map(Object.entries(toQuery(whole)).filter((pair): pair is [string, string] => pair[1] !== undefined));
  const { table, partition, sort, ...rest } = whole;
  assert.deepEqual(fromQuery(query), rest);
  assert.deepEqual(requestOf({ ...source, prefix: '' }), { TableName: 't', PartitionKey: { pk: { S: 'US' } }, Bins: 400 });
  for (const text of ['', '{', '[]', '{"pk":{"M":{}}}', '{"pk":{"S":1}}', 'null', '{"pk":{"S":"a","N":"1"}}']) assert.equal(fromQuery(new Map([['pk', text]])).partitionKey, undefined, text);
});

test('keys that cannot be seen are told as escapes, and marks are cut', () => {
  assert.equal(told({ S: 'a\u202eb\u0000' }), 'a\\u{202e}b\\u{0}');
  assert.equal(told({ S: '' }), '(empty)');
  assert.equal(told({ S: ' a\u{10ffff} ' }), '␣a\\u{10ffff}␣');
  assert.equal(told({ B: 'AQI=' }), '0x0102');
  assert.equal(told({ S: '\ud800' }), '\\u{d800}');
  const marks = toldText('a' + '\u0301'.repeat(1_000_000) + 'b');
  assert.ok(marks.length < 20, marks);
  assert.ok(toldText('x'.repeat(5000)).length <= 201);
});

test('JSON and lines are told without what turns them round, and JSON keeps its value', () => {
  const value = { a: 'x\u202ey', b: ['\u{e0001}', '\n', 'é'] };
  const text = toldJson(value);
  assert.deepEqual(JSON.parse(text), value);
  assert.equal(/[\u202e\u{e0001}]/u.test(text), false);
  assert.equal(toldLines('a\n\u202eb'), 'a\n\\u{202e}b');
});
