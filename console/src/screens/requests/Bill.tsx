// The bill of what is recorded: kinds of requests with their units.

import { useEffect, useState } from 'preact/hooks';
import { call } from '../../base/client';
import { asFault, type Fault } from '../../base/faults';
import { features, leftOut } from '../../base/features';
import { count, units } from '../../data/sizes';
import { Bar } from '../../parts/Bar';
import { Button } from '../../parts/Button';
import { EmptyState, LeftOut } from '../../parts/EmptyState';
import { ErrorBox } from '../../parts/ErrorBox';
import { SelectField } from '../../parts/Field';
import { Spinner } from '../../parts/Spinner';
import { toldText } from '../../ruler/told';
import type { PatternTest } from '../../data/explained';

interface RecordedRow {
  Operation: string;
  Table?: string;
  Index?: string;
  Pattern?: { Keys?: PatternTest[]; Filter?: PatternTest[]; Returns?: string | string[]; Text?: string; [member: string]: unknown };
  Caller?: string;
  Requests: number;
  Failed: number;
  ReadUnits: number;
  WriteUnits: number;
  Examined: number;
  ExaminedBytes: number;
  Returned: number;
}

interface Recorded {
  IsOn: boolean;
  Recording?: { BeganMs: number; UntilMs: number; Rows: RecordedRow[]; Others?: number };
}

type By = 'pattern' | 'table' | 'operation' | 'caller';

interface Sum extends Omit<RecordedRow, 'Pattern'> {
  words: string;
}

export function patternWords(pattern: RecordedRow['Pattern']): string {
  if (!pattern) return '';
  const texts = (tests: PatternTest[] | undefined) => (tests ?? []).map((test) => test.Text).join(' AND ');
  const filter = texts(pattern.Filter);
  const returned = pattern.Returns;
  const returns = returned === undefined ? '' : `RETURNS ${Array.isArray(returned) ? returned.join(', ') : typeof returned === 'string' ? returned.toLowerCase() : 'parts'}`;
  return [typeof pattern.Text === 'string' ? pattern.Text : '', texts(pattern.Keys), filter && `FILTER ${filter}`, returns].filter(Boolean).join(' ');
}

/** Returns the rows summed by what they are to be told apart by. */
export function summed(rows: readonly RecordedRow[], by: By): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const words = by === 'pattern' ? patternWords(row.Pattern) : by === 'caller' ? (row.Caller ?? '') : '';
    const told = { Operation: by === 'pattern' || by === 'operation' ? row.Operation : '', Table: by === 'pattern' || by === 'table' ? row.Table : undefined, Index: by === 'pattern' || by === 'table' ? row.Index : undefined };
    const key = JSON.stringify([told, words]);
    const sum = sums.get(key) ?? { ...told, words, Requests: 0, Failed: 0, ReadUnits: 0, WriteUnits: 0, Examined: 0, ExaminedBytes: 0, Returned: 0 };
    sums.set(key, sum);
    for (const name of ['Requests', 'Failed', 'ReadUnits', 'WriteUnits', 'Examined', 'ExaminedBytes', 'Returned'] as const) sum[name] += row[name];
  }
  return [...sums.values()].sort((a, b) => b.ReadUnits + b.WriteUnits * 5 - (a.ReadUnits + a.WriteUnits * 5));
}

const ROWS_MAX = 200;
const REFRESH_MS = 3000;

export function Bill() {
  const [answer, setAnswer] = useState<Recorded | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [by, sumBy] = useState<By>('pattern');
  const ask = async (operation: Operation): Promise<void> => {
    try {
      if (operation !== 'DescribeRecording') await call(operation, {}, { own: true });
      setAnswer(await call<Recorded>('DescribeRecording', {}, { own: true }));
      setFault(null);
    } catch (error) {
      setFault(asFault(error));
    }
  };
  useEffect(() => {
    void ask('DescribeRecording');
    const timer = setInterval(() => document.visibilityState === 'visible' && features.has('DescribeRecording') !== false && void ask('DescribeRecording'), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (features.has('DescribeRecording') === false) return <LeftOut>{leftOut('The bill', 'DescribeRecording')}</LeftOut>;
  if (!answer) return fault ? <ErrorBox fault={fault} retry={() => void ask('DescribeRecording')} /> : <Spinner />;
  const sums = summed(answer.Recording?.Rows ?? [], by);
  return (
    <div class="bill">
      {fault && <ErrorBox fault={fault} retry={() => void ask('DescribeRecording')} />}
      <BillHead answer={answer} by={by} sumBy={sumBy} ask={ask} />
      {sums.length === 0 ? (
        <EmptyState title={answer.IsOn ? 'Nothing recorded yet' : 'Nothing is recorded'}>
          <p>{answer.IsOn ? 'Each request that reaches the server is summed here by its pattern.' : 'A recording sums each kind of request with its units. It costs a GetItem 17 % more work while it is on.'}</p>
        </EmptyState>
      ) : (
        <BillTable sums={sums} by={by} />
      )}
      <p class="hint">
        <code>hashrange cost</code> prints this with prices, and compares two runs.
      </p>
    </div>
  );
}

type Operation = 'DescribeRecording' | 'StartRecording' | 'StopRecording';

function BillHead({ answer, by, sumBy, ask }: { answer: Recorded; by: By; sumBy: (by: By) => void; ask: (operation: Operation) => Promise<void> }) {
  const rows = answer.Recording?.Rows ?? [];
  return (
    <div class="row">
      {answer.IsOn ? (
        <>
          <Button icon="reload" onClick={() => void ask('StartRecording')}>
            Begin anew
          </Button>
          <Button icon="stop" onClick={() => void ask('StopRecording')}>
            Stop recording
          </Button>
        </>
      ) : (
        <Button kind="main" icon="play" onClick={() => void ask('StartRecording')}>
          Start recording
        </Button>
      )}
      <SelectField label="Sum by" isLabelHidden value={by} set={sumBy} choices={(['pattern', 'table', 'operation', 'caller'] as const).map((one) => ({ value: one, title: `by ${one}` }))} />
      {answer.Recording && (
        <span class="hint">
          {count(rows.reduce((sum, row) => sum + row.Requests, 0))} requests from {new Date(answer.Recording.BeganMs).toLocaleTimeString()} to {new Date(answer.Recording.UntilMs).toLocaleTimeString()}
        </span>
      )}
    </div>
  );
}

function BillTable({ sums, by }: { sums: Sum[]; by: By }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="The bill">
      <table class="plain-table">
        <thead>
          <tr>
            {by !== 'table' && by !== 'caller' && <th scope="col">operation</th>}
            {(by === 'pattern' || by === 'table') && <th scope="col">table, index</th>}
            {(by === 'pattern' || by === 'caller') && <th scope="col">{by}</th>}
            <th scope="col" class="figure">requests</th>
            <th scope="col" class="figure">failed</th>
            <th scope="col" class="figure">read units</th>
            <th scope="col" class="figure">write units</th>
            <th scope="col">examined against returned</th>
          </tr>
        </thead>
        <tbody>
          {sums.slice(0, ROWS_MAX).map((sum, nth) => (
            <tr key={nth}>
              {by !== 'table' && by !== 'caller' && <td>{toldText(sum.Operation, 60)}</td>}
              {(by === 'pattern' || by === 'table') && (
                <td>
                  {sum.Table === undefined ? '' : toldText(sum.Table, 60)}
                  {sum.Index !== undefined && <span class="hint"> {toldText(sum.Index, 60)}</span>}
                </td>
              )}
              {(by === 'pattern' || by === 'caller') && <td class="mono pattern-text">{toldText(sum.words, 400)}</td>}
              <td class="figure">{count(sum.Requests)}</td>
              <td class={sum.Failed > 0 ? 'figure fault' : 'figure'}>{sum.Failed > 0 ? count(sum.Failed) : ''}</td>
              <td class="figure">{sum.ReadUnits > 0 ? units(sum.ReadUnits) : ''}</td>
              <td class="figure">{sum.WriteUnits > 0 ? units(sum.WriteUnits) : ''}</td>
              <td class="pattern-bar">
                {sum.Examined > 0 && sum.ReadUnits > 0 && (
                  <>
                    <Bar examined={sum.Examined} returned={sum.Returned} />
                    <span>
                      {count(sum.Examined)} : {count(sum.Returned)}
                    </span>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
