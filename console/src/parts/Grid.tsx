// A grid of any size: only the rows and columns in sight are in the page. The first columns may stand still while the
// others move. By keyboard: arrows, Home, End, Page Up and Down, Enter opens, Space selects, Alt with arrows resizes.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useId } from './ids';

export interface GridColumn {
  id: string;
  title: ComponentChildren;
  /** What a screen reader says for the title. */
  label: string;
  width: number;
  isRight?: boolean;
}

export interface CellPlace {
  row: number;
  column: number;
}

export interface GridProps {
  label: string;
  columns: GridColumn[];
  /** How many of the first columns stand still. */
  frozen: number;
  rows: number;
  cell: (row: number, column: number) => ComponentChildren;
  rowHeight?: number;
  isSelected?: (row: number) => boolean;
  /** The row whose details are open. */
  current?: number | null;
  open?: (place: CellPlace, cell: DOMRect) => void;
  activate?: (place: CellPlace) => void;
  select?: (row: number, isRange: boolean) => void;
  resize?: (column: string, width: number) => void;
  fit?: (column: string) => void;
  /** Changes where the rows are others, so that the view goes back to the top. */
  version?: unknown;
}

const headHeight = 28;
const overscan = 4;

interface Seen {
  top: number;
  left: number;
  width: number;
  height: number;
}

/** Returns the first and the last column that are in sight, of those that move. */
export function columnsInSight(widths: number[], frozen: number, left: number, width: number): { first: number; last: number; before: number } {
  let at = 0;
  let first = frozen;
  while (first < widths.length && at + (widths[first] ?? 0) <= left) at += widths[first++] ?? 0;
  const before = at;
  let last = first;
  while (last < widths.length && at < left + width) at += widths[last++] ?? 0;
  return { first, last: Math.min(widths.length, last + 1), before };
}

function useSeen(scroller: { current: HTMLDivElement | null }): [Seen, () => void] {
  const [seen, see] = useState<Seen>({ top: 0, left: 0, width: 1200, height: 800 });
  const look = (): void => {
    const box = scroller.current;
    if (box) see({ top: box.scrollTop, left: box.scrollLeft, width: box.clientWidth, height: box.clientHeight });
  };
  useLayoutEffect(() => {
    look();
    if (!scroller.current) return;
    const watch = new ResizeObserver(look);
    watch.observe(scroller.current);
    return () => watch.disconnect();
  }, []);
  return [seen, look];
}

const sum = (widths: number[]): number => widths.reduce((all, one) => all + one, 0);

export function Grid(props: GridProps) {
  const { columns, rows, rowHeight = 26 } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, look] = useSeen(scroller);
  const [active, activate] = useState<CellPlace>({ row: 0, column: 0 });
  const id = useId('grid');
  const widths = columns.map((column) => column.width);
  // On a narrow screen columns that stand still would leave no room for the others.
  const wanted = sum(widths.slice(0, props.frozen));
  const frozen = wanted > seen.width * 0.6 ? Math.min(1, props.frozen) : props.frozen;
  const still = sum(widths.slice(0, frozen));
  const total = sum(widths);
  const sight = columnsInSight(widths, frozen, seen.left, Math.max(0, seen.width - still));
  const firstRow = Math.max(0, Math.floor(seen.top / rowHeight) - overscan);
  const lastRow = Math.min(rows, Math.ceil((seen.top + seen.height) / rowHeight) + overscan);
  const at: CellPlace = { row: Math.min(active.row, rows - 1), column: Math.min(active.column, columns.length - 1) };

  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    activate({ row: 0, column: at.column });
  }, [props.version]);

  const show = (place: CellPlace): void => {
    const box = scroller.current;
    if (!box) return;
    const top = place.row * rowHeight;
    const room = box.clientHeight - headHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowHeight > box.scrollTop + room) box.scrollTop = top + rowHeight - room;
    if (place.column < frozen) return;
    const left = sum(widths.slice(frozen, place.column));
    const width = widths[place.column] ?? 0;
    const across = box.clientWidth - still;
    if (left < box.scrollLeft) box.scrollLeft = left;
    else if (left + width > box.scrollLeft + across) box.scrollLeft = Math.min(left, left + width - across);
  };
  const move = (place: CellPlace): void => {
    const next = { row: Math.max(0, Math.min(rows - 1, place.row)), column: Math.max(0, Math.min(columns.length - 1, place.column)) };
    activate(next);
    show(next);
    props.activate?.(next);
  };
  const cellBox = (place: CellPlace): DOMRect =>
    document.getElementById(`${id}-${place.row}-${place.column}`)?.getBoundingClientRect() ?? new DOMRect(100, 100, 100, 26);
  const keys = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || rows === 0) return;
    const page = Math.max(1, Math.floor((seen.height - headHeight) / rowHeight) - 1);
    const far = event.ctrlKey || event.metaKey;
    const column = columns[at.column];
    if (event.altKey && column && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      props.resize?.(column.id, Math.max(48, column.width + (event.key === 'ArrowLeft' ? -16 : 16)));
    } else if (event.key === 'ArrowDown') move({ ...at, row: far ? rows - 1 : at.row + 1 });
    else if (event.key === 'ArrowUp') move({ ...at, row: far ? 0 : at.row - 1 });
    else if (event.key === 'ArrowRight') move({ ...at, column: far ? columns.length - 1 : at.column + 1 });
    else if (event.key === 'ArrowLeft') move({ ...at, column: far ? 0 : at.column - 1 });
    else if (event.key === 'PageDown') move({ ...at, row: at.row + page });
    else if (event.key === 'PageUp') move({ ...at, row: at.row - page });
    else if (event.key === 'Home') move({ row: far ? 0 : at.row, column: 0 });
    else if (event.key === 'End') move({ row: far ? rows - 1 : at.row, column: columns.length - 1 });
    else if (event.key === 'Enter' || event.key === 'F2') props.open?.(at, cellBox(at));
    else if (event.key === ' ') props.select?.(at.row, event.shiftKey);
    else return;
    event.preventDefault();
  };
  const shown = columns.slice(sight.first, sight.last).map((_, nth) => sight.first + nth);
  const still_ = Array.from({ length: frozen }, (_, nth) => nth);
  const stillLeft = still_.map((nth) => sum(widths.slice(0, nth)));

  const line = (render: (column: number, style: Record<string, string>, isStill: boolean) => ComponentChildren): ComponentChildren => (
    <>
      {still_.map((nth) => render(nth, { width: `${widths[nth]}px`, left: `${stillLeft[nth]}px` }, true))}
      {sight.before > 0 && <div class="grid-space" role="presentation" style={{ width: `${sight.before}px` }} />}
      {shown.map((nth) => render(nth, { width: `${widths[nth]}px` }, false))}
    </>
  );

  return (
    <div
      class="grid"
      role="grid"
      aria-label={props.label}
      aria-rowcount={rows + 1}
      aria-colcount={columns.length}
      aria-multiselectable={props.select ? true : undefined}
      aria-activedescendant={rows > 0 ? `${id}-${at.row}-${at.column}` : undefined}
      tabIndex={0}
      ref={scroller}
      onScroll={look}
      onKeyDown={keys}
    >
      <div class="grid-inner" role="presentation" style={{ width: `${total}px`, height: `${headHeight + rows * rowHeight}px` }}>
        <div class="grid-head" role="row" aria-rowindex={1} style={{ width: `${total}px`, height: `${headHeight}px` }}>
          {line((nth, style, isStill) => (
            <Head key={`h${nth}`} column={columns[nth] as GridColumn} nth={nth} style={style} isStill={isStill} isEdge={nth === frozen - 1} resize={props.resize} fit={props.fit} />
          ))}
        </div>
        {Array.from({ length: Math.max(0, lastRow - firstRow) }, (_, nth) => firstRow + nth).map((row) => (
          <div
            key={row}
            role="row"
            class={`grid-row${props.current === row ? ' current' : ''}`}
            aria-rowindex={row + 2}
            aria-selected={props.isSelected?.(row)}
            style={{ transform: `translateY(${headHeight + row * rowHeight}px)`, height: `${rowHeight}px`, width: `${total}px` }}
          >
            {line((nth, style, isStill) => (
              <div
                key={nth}
                id={`${id}-${row}-${nth}`}
                role="gridcell"
                aria-colindex={nth + 1}
                class={`grid-cell${columns[nth]?.isRight ? ' right' : ''}${isStill ? ' still' : ''}${nth === frozen - 1 ? ' edge' : ''}${at.row === row && at.column === nth ? ' active' : ''}`}
                style={style}
                onPointerDown={() => {
                  activate({ row, column: nth });
                  props.activate?.({ row, column: nth });
                }}
                onDblClick={(event) => props.open?.({ row, column: nth }, event.currentTarget.getBoundingClientRect())}
              >
                {props.cell(row, nth)}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

interface HeadProps {
  column: GridColumn;
  nth: number;
  style: Record<string, string>;
  isStill: boolean;
  isEdge: boolean;
  resize?: (column: string, width: number) => void;
  fit?: (column: string) => void;
}

function Head({ column, nth, style, isStill, isEdge, resize, fit }: HeadProps) {
  const drag = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    const from = event.clientX;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const go = (moved: PointerEvent): void => resize?.(column.id, Math.max(48, column.width + moved.clientX - from));
    handle.addEventListener('pointermove', go);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', go), { once: true });
  };
  return (
    <div role="columnheader" aria-colindex={nth + 1} aria-label={column.label} class={`grid-title${isStill ? ' still' : ''}${isEdge ? ' edge' : ''}${column.isRight ? ' right' : ''}`} style={style} title={column.label}>
      {column.title}
      {resize && <span class="grid-handle" aria-hidden="true" onPointerDown={drag} onDblClick={() => fit?.(column.id)} />}
    </div>
  );
}
