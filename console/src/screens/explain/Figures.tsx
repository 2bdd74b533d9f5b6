// The funnel of a read, and what it costs: every figure is the explanation's.

import type { ComponentChildren } from 'preact';
import { bytes, count, counted, percent, units } from '../../data/sizes';
import { accessWords, amountOf, between, bytesBetween, itemsBetween, unitsBetween, type Explanation, type ReadStep, type UnitsOn } from '../../data/explained';

/** Part of what is examined that the filter throws away; none without a filter. */
export function thrownOf(read: ReadStep): number | undefined {
  if (read.Filter === undefined) return undefined;
  if (read.Counted) return read.Counted.Examined.Items > 0 ? read.Counted.FilteredOut / read.Counted.Examined.Items : undefined;
  return read.Sample.Items > 0 ? 1 - read.Sample.Matching / read.Sample.Items : undefined;
}

function Row({ name, items, size, share, kind, children }: { name: string; items: string; size: string; share: number; kind: 'kept' | 'thrown' | 'examined'; children?: ComponentChildren }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="figure funnel-items">{items}</td>
      <td class="figure">{size}</td>
      <td class="funnel-bar">
        <span class={`funnel-${kind}`} style={{ width: `${Math.max(share > 0 ? 0.4 : 0, share * 100)}%` }} />
      </td>
      <td class="funnel-more">{children}</td>
    </tr>
  );
}

export function Funnel({ read }: { read: ReadStep }) {
  const thrown = thrownOf(read);
  const counted_ = read.Counted;
  return (
    <table class="funnel">
      <caption class="hidden">What is examined, kept and returned</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">stage</th>
          <th scope="col">items</th>
          <th scope="col">bytes</th>
          <th scope="col">part</th>
          <th scope="col">more</th>
        </tr>
      </thead>
      <tbody>
        {counted_ ? (
          <>
            <Row name="examined" items={counted(counted_.Examined.Items, 'item')} size={bytes(counted_.Examined.Bytes)} share={1} kind="examined" />
            {thrown !== undefined && (
              <Row name="thrown away" items={counted(counted_.FilteredOut, 'item')} size="" share={thrown} kind="thrown">
                {thrown > 0 ? `paid for, ${percent(thrown)}` : ''}
              </Row>
            )}
            <Row name="returned" items={counted(counted_.Returned.Items, 'item')} size={bytes(counted_.Returned.Bytes)} share={counted_.Examined.Items > 0 ? counted_.Returned.Items / counted_.Examined.Items : 0} kind="kept">
              {counted_.Fetched.Items > 0 && `${counted(counted_.Fetched.Items, 'item')} fetched from the table`}
            </Row>
          </>
        ) : (
          <>
            <Row name="examines" items={itemsBetween(read.Estimate.Items)} size={bytesBetween(read.Estimate.Bytes)} share={1} kind="examined" />
            {thrown !== undefined && (
              <Row name="throws away" items={read.Sample.IsAll ? counted(read.Sample.Items - read.Sample.Matching, 'item') : percent(thrown)} size="" share={thrown} kind="thrown">
                {read.Sample.IsAll ? `paid for, ${percent(thrown)}` : `of ${counted(read.Sample.Items, 'item')} looked at, paid for`}
              </Row>
            )}
            {thrown !== undefined && (
              <Row name="keeps" items={read.Sample.IsAll ? counted(read.Sample.Matching, 'item') : `${count(read.Sample.Matching)} of ${count(read.Sample.Items)}`} size="" share={1 - thrown} kind="kept">
                {''}
              </Row>
            )}
          </>
        )}
      </tbody>
    </table>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function UnitsTable({ units: all, kind }: { units: UnitsOn[]; kind: 'read' | 'write' }) {
  return (
    <>
      {all.map((one, nth) => (
        <span key={nth} class="units-on">
          <b>{units(one.Units)}</b> {kind} {one.Units === 1 ? 'unit' : 'units'} <span class="hint">on {one.Index === undefined ? (one.Table ?? 'the table') : `${one.Table ? `${one.Table}, ` : ''}index ${one.Index}`}</span>
        </span>
      ))}
    </>
  );
}

const ms = (n: number): string => (n === 0 ? 'under 1 ms' : `${count(n)} ms`);

/** Pages, units, price and time beside each other. */
export function Facts({ read, explanation }: { read: ReadStep; explanation: Explanation }) {
  const done = read.Counted;
  const price = amountOf(explanation.Price);
  return (
    <dl class="facts">
      <Fact name="pages">
        {done ? `${count(done.Pages)}${done.IsAll ? '' : ', stopped there'}` : between(read.Estimate.Pages, count)}
      </Fact>
      <Fact name="read units">{done ? <UnitsTable units={done.Units} kind="read" /> : <b>{unitsBetween(read.Estimate.Units)}</b>}</Fact>
      {price && (
        <Fact name="a million such requests">
          <b>{price}</b> <span class="hint">on demand, {explanation.Price!.Region}</span>
        </Fact>
      )}
      {explanation.Time && (
        <Fact name="time">
          {ms(explanation.Time.PlanMs)} planning{explanation.Time.RunMs !== undefined && `, ${ms(explanation.Time.RunMs)} running`}
        </Fact>
      )}
      {done?.RoundTrips !== undefined && <Fact name="round trips">{count(done.RoundTrips)} to the database</Fact>}
      <Fact name="access">{accessWords(read)}</Fact>
    </dl>
  );
}
