// Patterns by the second: what a busy server does, in a table that can be sorted.

import { useState } from 'preact/hooks';
import { count, millis, units } from '../../data/sizes';
import { Bar } from '../../parts/Bar';
import { Spark } from '../../charts/Spark';
import { toldText } from '../../ruler/told';
import type { PatternRow } from './ledger';

type Column = 'Requests' | 'Units' | 'Examined' | 'P99Ms' | 'WorstMs' | 'Failed';

const ROWS_MAX = 100;

const COLUMNS: { id: Column; title: string; about?: string }[] = [
  { id: 'Requests', title: 'a second' },
  { id: 'Failed', title: 'failed' },
  { id: 'Units', title: 'units a second' },
  { id: 'Examined', title: 'examined against returned' },
  { id: 'P99Ms', title: 'p99', about: 'largest of the seconds' },
  { id: 'WorstMs', title: 'worst' },
];

const value = (row: PatternRow, column: Column): number => (column === 'Units' ? row.ReadUnits + row.WriteUnits * 5 : row[column]);

const short = (n: number): string => (n >= 10 || n === 0 ? count(n) : n.toFixed(1));

export function Patterns({ rows, seconds, chosen, choose }: { rows: PatternRow[]; seconds: number; chosen: string | undefined; choose: (row: PatternRow) => void }) {
  const [by, sortBy] = useState<Column>('Units');
  const sorted = [...rows].sort((a, b) => value(b, by) - value(a, by) || b.Requests - a.Requests).slice(0, ROWS_MAX);
  const each = Math.max(1, seconds);
  return (
    <div class="scroll-x patterns" tabIndex={0} role="region" aria-label="Patterns by the second">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">operation</th>
            <th scope="col">table, index</th>
            <th scope="col">pattern</th>
            <th scope="col">the last minute</th>
            {COLUMNS.map((column) => (
              <th key={column.id} scope="col" class={column.id === 'Examined' ? '' : 'figure'} aria-sort={by === column.id ? 'descending' : 'none'}>
                <button type="button" class="sorter" onClick={() => sortBy(column.id)} title={column.about}>
                  {column.title} <span aria-hidden="true">{by === column.id ? '↓' : ''}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={row.key} class={row.key === chosen ? 'chosen' : ''}>
              <td>
                <button type="button" class="crumb" onClick={() => choose(row)}>
                  {toldText(row.Operation, 40)}
                </button>
              </td>
              <td>
                {row.Table === undefined ? '' : toldText(row.Table, 60)}
                {row.Index !== undefined && <span class="hint"> {toldText(row.Index, 60)}</span>}
              </td>
              <td class="mono pattern-text">{row.Pattern === undefined ? '' : toldText(row.Pattern, 200)}</td>
              <td>
                <Spark values={row.perSecond} />
              </td>
              <td class="figure">{short(row.Requests / each)}</td>
              <td class={row.Failed > 0 ? 'figure fault' : 'figure'}>{row.Failed > 0 ? count(row.Failed) : ''}</td>
              <td class="figure">
                {row.ReadUnits > 0 && `${units(row.ReadUnits / each)} R`} {row.WriteUnits > 0 && `${units(row.WriteUnits / each)} W`}
              </td>
              <td class="pattern-bar">
                {row.Examined > 0 && row.ReadUnits > 0 && (
                  <>
                    <Bar examined={row.Examined} returned={row.Returned} />
                    <span>
                      {count(row.Examined)} : {count(row.Returned)}
                    </span>
                  </>
                )}
              </td>
              <td class="figure">{millis(row.P99Ms)}</td>
              <td class="figure">{millis(row.WorstMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="ledger-none">No request in these seconds.</p>}
      {rows.length > ROWS_MAX && <p class="hint">{count(rows.length - ROWS_MAX)} more patterns: a filter finds them.</p>}
    </div>
  );
}
