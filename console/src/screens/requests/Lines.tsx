// Lines of the ledger: a window of a bounded list, the newest at the top. While older ones are looked at, the list stands
// still, and what has come meanwhile is counted.

import { useEffect, useRef, useState } from 'preact/hooks';
import { count, millis, units } from '../../data/sizes';
import { Bar } from '../../parts/Bar';
import { Button } from '../../parts/Button';
import { toldText } from '../../ruler/told';
import { money } from '../../data/explained';
import type { LedgerLine } from './ledger';

const ROW = 26;
const SPARE = 6;

export const clock = (ms: number): string => {
  const at = new Date(ms);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
};

const COLUMNS = ['time', 'caller', 'operation', 'table, index', 'pattern', 'read', 'examined', 'returned', 'units', 'a million', 'took', 'outcome'];

interface LinesProps {
  lines: readonly LedgerLine[];
  isPaused: boolean;
  chosen: number | undefined;
  choose: (line: LedgerLine) => void;
  /** What stands there while nothing has come. */
  words: string;
}

/** Lines that stand still while they are scrolled, pressed or paused, and how many have come meanwhile. */
function useHeld(lines: readonly LedgerLine[], isStill: boolean) {
  const held = useRef<{ lines: readonly LedgerLine[]; at: number } | null>(null);
  const [isTaken, take] = useState(false);
  const keep = (): void => {
    held.current ??= { lines, at: lines.at(-1)?.Number ?? 0 };
  };
  if (isStill) keep();
  else if (!isTaken) held.current = null;
  // A filter has emptied the list.
  if (lines.length === 0) held.current = null;
  return {
    shown: held.current?.lines ?? lines,
    missed: held.current ? countBehind(lines, held.current.at) : 0,
    hold: (): void => {
      if (lines.length === 0) return;
      keep();
      take(true);
    },
    release: (): void => {
      held.current = null;
      take(false);
    },
  };
}

export function Lines({ lines, isPaused, chosen, choose, words }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(-1);
  const { shown, missed, hold, release } = useHeld(lines, isPaused || top > ROW);
  const line = (nth: number): LedgerLine | undefined => shown[shown.length - 1 - nth];
  const reveal = (nth: number): void => {
    setActive(nth);
    const at = nth * ROW;
    const view = box.current;
    if (view && at < view.scrollTop) view.scrollTop = at;
    else if (view && at + 2 * ROW > view.scrollTop + view.clientHeight) view.scrollTop = at + 2 * ROW - view.clientHeight;
  };
  const press = (event: KeyboardEvent): void => {
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: shown.length - 1, PageDown: active + 15, PageUp: active - 15 }[event.key];
    const now = active >= 0 ? line(active) : undefined;
    if (to !== undefined && shown.length > 0) {
      hold();
      reveal(Math.min(shown.length - 1, Math.max(0, to)));
    } else if (event.key === 'Enter' && now) choose(now);
    else return;
    event.preventDefault();
  };
  const newest = (): void => {
    release();
    setActive(-1);
    setTop(0);
    if (box.current) box.current.scrollTop = 0;
  };
  const activeLine = active >= 0 ? line(active) : undefined;
  return (
    <div class="ledger-box">
      {missed > 0 && (
        <Button kind="main" icon="up" class="ledger-missed" onClick={newest}>
          {`${count(missed)} newer`}
        </Button>
      )}
      <div
        class="ledger"
        ref={box}
        role="grid"
        aria-label="Requests, the newest first"
        aria-rowcount={shown.length + 1}
        aria-activedescendant={activeLine ? `line-${activeLine.Number}` : undefined}
        tabIndex={0}
        onKeyDown={press}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onPointerDown={hold}
      >
        <div class="ledger-head" role="row" aria-rowindex={1}>
          {COLUMNS.map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
        <Rows box={box} top={top} shown={shown} active={active} chosen={chosen} choose={(nth, one) => (setActive(nth), choose(one))} />
        {shown.length === 0 && <p class="ledger-none">{words}</p>}
      </div>
    </div>
  );
}

interface RowsProps {
  box: { current: HTMLDivElement | null };
  top: number;
  shown: readonly LedgerLine[];
  active: number;
  chosen: number | undefined;
  choose: (nth: number, line: LedgerLine) => void;
}

const stateOf = (line: LedgerLine): string => `${line.Error || line.Status === undefined ? ' failed' : ''}${line.IsSlow ? ' slow' : ''}`;

/** The rows that are in view, and a few beside them. */
function Rows({ box, top, shown, active, chosen, choose }: RowsProps) {
  const [height, setHeight] = useState(400);
  useEffect(() => {
    if (!box.current) return;
    const watching = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 400));
    watching.observe(box.current);
    return () => watching.disconnect();
  }, []);
  const from = Math.max(0, Math.floor(top / ROW) - SPARE);
  const to = Math.min(shown.length, Math.ceil((top + height) / ROW) + SPARE);
  const rows = [...Array(Math.max(0, to - from)).keys()].map((nth) => from + nth);
  return (
    <div class="ledger-rows" role="rowgroup" style={{ height: `${shown.length * ROW}px` }}>
      {rows.map((nth) => {
        const one = shown[shown.length - 1 - nth]!;
        return (
          <div
            key={one.Number}
            id={`line-${one.Number}`}
            role="row"
            aria-rowindex={nth + 2}
            aria-selected={one.Number === chosen}
            class={`ledger-row${stateOf(one)}${nth === active ? ' active' : ''}`}
            style={{ top: `${nth * ROW}px` }}
            onClick={() => choose(nth, one)}
          >
            <Cells line={one} />
          </div>
        );
      })}
    </div>
  );
}

function countBehind(lines: readonly LedgerLine[], number: number): number {
  let found = 0;
  while (found < lines.length && lines[lines.length - 1 - found]!.Number > number) found++;
  return found;
}

function Cells({ line }: { line: LedgerLine }) {
  const table = line.Table === undefined ? '' : toldText(line.Table, 80);
  const more = line.MoreTables ? ` +${line.MoreTables}` : '';
  const isWrite = line.WriteUnits > 0 && line.ReadUnits === 0;
  return (
    <>
      <span role="gridcell" class="mono">{clock(line.AtMs)}</span>
      <span role="gridcell">{toldText(line.Caller ?? line.Peer, 40)}</span>
      <span role="gridcell" class="ledger-operation">{toldText(line.Operation, 40)}</span>
      <span role="gridcell">
        {table}
        {more}
        {line.Index !== undefined && <span class="hint"> {toldText(line.Index, 80)}</span>}
      </span>
      <span role="gridcell" class="mono" title={line.Pattern && toldText(line.Pattern, 600)}>{line.Pattern === undefined ? '' : toldText(line.Pattern, 160)}</span>
      <span role="gridcell">{line.Examined > 0 && !isWrite && <Bar examined={line.Examined} returned={line.Returned} />}</span>
      <span role="gridcell" class="figure">{line.Examined > 0 ? count(line.Examined) : ''}</span>
      <span role="gridcell" class="figure">{line.Examined > 0 && !isWrite ? count(line.Returned) : ''}</span>
      <span role="gridcell" class="figure">{unitsOf(line.ReadUnits, line.WriteUnits)}</span>
      <span role="gridcell" class="figure">{line.MillionCosts === undefined ? '' : money(line.MillionCosts, line.Currency ?? 'USD')}</span>
      <span role="gridcell" class="figure">{millis(line.TookMs)}</span>
      <span role="gridcell" class="ledger-outcome">{outcome(line)}</span>
    </>
  );
}

export function unitsOf(read: number, write: number): string {
  const parts = [...(read > 0 ? [`${units(read)} R`] : []), ...(write > 0 ? [`${units(write)} W`] : [])];
  return parts.join(' ');
}

export function outcome(line: Pick<LedgerLine, 'Error' | 'Status'>): string {
  if (line.Error) return toldText(line.Error.replace(/Exception$/, ''), 60);
  return line.Status === undefined ? 'client gone' : line.Status === 200 ? '' : String(line.Status);
}
