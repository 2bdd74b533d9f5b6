// One read of an explanation: its conditions, its ruler, its funnel.

import { useEffect, useState } from 'preact/hooks';
import { go, link } from '../../base/address';
import { useTable } from '../../base/tables';
import { counted } from '../../data/sizes';
import { SelectField } from '../../parts/Field';
import { itemLink } from '../../ruler/query';
import type { KeyRange } from '../../ruler/range';
import { Ruler } from '../../ruler/Ruler';
import { attributeOf, toQuery, type RulerSource } from '../../ruler/source';
import { toldText } from '../../ruler/told';
import { keyedOfStep, placeOfRange, readAsked, type Asked } from './explanation';
import { type Explanation, type ReadStep } from '../../data/explained';
import { Facts, Funnel, thrownOf } from './Figures';
import { withoutTest, withTest } from './rewrite';

function Line({ name, text }: { name: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd class="mono">{toldText(text, 4000)}</dd>
    </div>
  );
}

/** What is asked: the partition, the range in it, the filter. */
function Asks({ read, range }: { read: ReadStep; range: number }) {
  const shown = read.Ranges?.[range];
  if (!shown?.Partition && read.Filter === undefined) return null;
  return (
    <dl class="conditions asks">
      <Line name="partition" text={shown?.Partition} />
      <Line name="range" text={shown?.Sort} />
      <Line name="parts" text={shown?.Parts} />
      <Line name="filter" text={read.Filter} />
    </dl>
  );
}

/** How it is read. */
export function Conditions({ read, range }: { read: ReadStep; range: number }) {
  const shown = read.Ranges?.[range];
  return (
    <dl class="conditions">
      <Line name="returns" text={read.Returns} />
      <Line name="reads" text={`${read.ConsistentRead ? 'consistent' : 'eventually consistent'}, ${read.Backward ? 'backward' : 'forward'}${read.Limit === undefined ? '' : `, limit ${read.Limit}`}`} />
      {read.Past !== undefined && <Line name="past" text={read.Past} />}
      {read.StartAfter !== undefined && <Line name="begins behind" text={read.StartAfter} />}
      {read.FetchesFromTable && <Line name="fetches" text="each item from the table, for what the index lacks" />}
      {shown && <Line name="bytes" text={`${shown.FirstKey}${shown.EndKey === undefined ? ' and on' : ` to ${shown.EndKey}`}`} />}
    </dl>
  );
}

/** Chooses one of several ranges. */
function Ranges({ read, range, choose }: { read: ReadStep; range: number; choose: (nth: number) => void }) {
  const all = read.Ranges ?? [];
  if (all.length < 2) return null;
  const more = read.MoreRanges ?? 0;
  return (
    <SelectField
      label={`${counted(all.length + more, 'range')}${more > 0 ? `, ${counted(all.length, 'of them', 'of them')} here` : ''}`}
      value={String(range)}
      set={(nth) => choose(Number(nth))}
      isMono
      choices={all.map((one, nth) => ({ value: String(nth), title: toldText([one.Partition, one.Sort].filter(Boolean).join(' AND '), 90) }))}
    />
  );
}

const RESTED_MS = 450;

/** A band that is dragged is shown at once, and asked when it rests. */
function useBand(asked: Asked, attribute: string | undefined, ask: ((next: Asked) => void) | undefined): [{ range: KeyRange | null } | null, (range: KeyRange | null) => void] {
  const [band, setBand] = useState<{ range: KeyRange | null } | null>(null);
  useEffect(() => {
    if (!band || attribute === undefined) return;
    const timer = setTimeout(() => {
      const next = band.range ? withTest(asked, { attribute, ...band.range }) : withoutTest(asked, attribute);
      if (next) ask?.(next);
    }, RESTED_MS);
    return () => clearTimeout(timer);
  }, [band]);
  return [band, (range) => setBand({ range })];
}

export function ReadPart({ read, explanation, asked, ask }: { read: ReadStep; explanation: Explanation; asked: Asked; ask: ((next: Asked) => void) | undefined }) {
  const { table } = useTable(read.Table);
  const [range, choose] = useState(0);
  const keyed = keyedOfStep(table, read.Index);
  const place = keyed && !read.WhatIf && read.Past === undefined ? placeOfRange(keyed, read.Ranges?.[range]) : undefined;
  const [looked, look] = useState<{ of: string; source: RulerSource } | null>(null);
  const of = JSON.stringify([place?.source]);
  const source = looked?.of === of ? looked.source : place?.source;
  const isHere = source && place && JSON.stringify(source.partitionKey) === JSON.stringify(place.source.partitionKey);
  const thrown = thrownOf(read);
  const attribute = source && attributeOf(source);
  const isPlain = ask !== undefined && readAsked(JSON.stringify(asked))?.operation === 'Query' && read.Ranges?.length === 1 && attribute !== undefined;
  const [band, move] = useBand(asked, attribute, ask);
  return (
    <>
      <Ranges read={read} range={range} choose={choose} />
      <Asks read={read} range={range} />
      {source && (
        <section aria-label="Ruler">
          <Ruler
            source={source}
            onSource={(next) => look({ of, source: next })}
            ends={isHere && !band ? place.ends : undefined}
            range={isHere && band ? band.range : undefined}
            onRange={isPlain && isHere ? move : undefined}
            thrown={isHere && !band ? thrown : undefined}
            onItem={(key) => go(itemLink(source, key))}
          >
            <a class="button quiet" href={link('keys', [read.Table], toQuery(source))}>
              On the keys screen
            </a>
          </Ruler>
        </section>
      )}
      {read.Refused && <p class="fault">Not read: {read.Refused}</p>}
      <section aria-label="Figures" class="figures">
        <Funnel read={read} />
        <Facts read={read} explanation={explanation} />
      </section>
    </>
  );
}
