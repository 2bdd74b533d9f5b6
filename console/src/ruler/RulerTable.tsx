// What the ruler shows, as a table beside it; where it is not shown, screen readers have its first rows.

import { useState } from 'preact/hooks';
import { bytes, count, percent } from '../data/sizes';
import { Button } from '../parts/Button';
import type { Bin, Line } from './bins';
import { part } from './keys';
import { told, toldKey, toldName } from './told';

const ROWS = 100;

const nameOf = (bin: Bin, first: string): string => (bin.Name !== undefined ? toldName(bin.Name, 80) : bin.Folders > 1 ? `${count(bin.Folders)} folders` : first);

export function RulerTable({ line, isShown, open, title }: { line: Line; isShown: boolean; open: ((nth: number) => void) | undefined; title: string }) {
  const [start, setStart] = useState(0);
  const from = Math.min(start, Math.max(0, line.bins.length - 1));
  const rows = line.bins.slice(from, from + ROWS);
  const value = (nth: number, member: 'First' | 'Last') => {
    const bin = rows[nth]!;
    const key = bin[member];
    if (line.kind === 'Supposed') return toldName((member === 'First' ? bin.FirstName : bin.LastName) ?? '', 80);
    const of = part(key, line.attribute);
    return of ? told(of, 80) : toldKey(key, undefined, 80);
  };
  const isMore = line.bins.length > ROWS;
  const what = line.kind === 'Partitions' ? 'partition' : line.kind === 'Folders' ? 'folder' : 'keys';
  return (
    <div class={isShown ? 'ruler-table' : 'hidden'} tabIndex={isShown ? 0 : undefined} role={isShown ? 'region' : undefined} aria-label={isShown ? `${title} as a table` : undefined}>
      <table>
        <caption class="hidden">
          {title}: {count(from + 1)} to {count(from + rows.length)} of {count(line.bins.length)}
        </caption>
        <thead>
          <tr>
            <th scope="col">{what}</th>
            <th scope="col">first key</th>
            <th scope="col">last key</th>
            <th scope="col" class="figure">items</th>
            <th scope="col" class="figure">bytes</th>
            <th scope="col" class="figure">share</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((bin, nth) => (
            <tr key={from + nth}>
              <th scope="row" class="mono">
                {isShown && open ? (
                  <button type="button" class="crumb mono" onClick={() => open(from + nth)}>
                    {nameOf(bin, value(nth, 'First'))}
                  </button>
                ) : (
                  nameOf(bin, value(nth, 'First'))
                )}
              </th>
              <td class="mono">{value(nth, 'First')}</td>
              <td class="mono">{value(nth, 'Last')}</td>
              <td class="figure">{bin.IsExact ? count(bin.Items) : `at least ${count(bin.Items)}`}</td>
              <td class="figure">{bin.Bytes > 0 ? bytes(bin.Bytes) : ''}</td>
              <td class="figure">{line.isExact && line.items > 0 ? percent(bin.Items / line.items) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {isShown && isMore && (
        <p class="ruler-pages">
          <Button kind="quiet" icon="left" label="Rows before" disabled={from === 0} onClick={() => setStart(Math.max(0, from - ROWS))} />
          <span>
            {count(from + 1)} to {count(from + rows.length)} of {count(line.bins.length)}
          </span>
          <Button kind="quiet" icon="right" label="Rows behind" disabled={from + ROWS >= line.bins.length} onClick={() => setStart(from + ROWS)} />
        </p>
      )}
    </div>
  );
}
