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
export function columnsInSight(
  widths: number[],
  frozen: number,
  left: number,
  width: number,
): { first: number; last: number; before: number } {
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

/** Where rows and columns are, for what is in sight. */
interface Layout {
  widths: number[];
  frozen: number;
  still: number;
  total: number;
  rowHeight: number;
  sight: { first: number; last: number; before: number };
  firstRow: number;
  lastRow: number;
}

function layoutOf({ columns, rows, rowHeight = 26, frozen: wanted }: GridProps, seen: Seen): Layout {
  const widths = columns.map((column) => column.width);
  // On a narrow screen columns that stand still would leave no room for the others.
  const frozen = sum(widths.slice(0, wanted)) > seen.width * 0.6 ? Math.min(1, wanted) : wanted;
  const still = sum(widths.slice(0, frozen));
  return {
    widths,
    frozen,
    still,
    total: sum(widths),
    rowHeight,
    sight: columnsInSight(widths, frozen, seen.left, Math.max(0, seen.width - still)),
    firstRow: Math.max(0, Math.floor(seen.top / rowHeight) - overscan),
    lastRow: Math.min(rows, Math.ceil((seen.top + seen.height) / rowHeight) + overscan),
  };
}

/** Scrolls a cell into sight. */
function scrollTo(box: HTMLDivElement, { widths, frozen, still, rowHeight }: Layout, place: CellPlace): void {
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
}

/** Returns the cell that a key leads to, or null. */
function placeOf(event: KeyboardEvent, at: CellPlace, last: CellPlace, page: number): CellPlace | null {
  const far = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case 'ArrowDown':
      return { ...at, row: far ? last.row : at.row + 1 };
    case 'ArrowUp':
      return { ...at, row: far ? 0 : at.row - 1 };
    case 'ArrowRight':
      return { ...at, column: far ? last.column : at.column + 1 };
    case 'ArrowLeft':
      return { ...at, column: far ? 0 : at.column - 1 };
    case 'PageDown':
      return { ...at, row: at.row + page };
    case 'PageUp':
      return { ...at, row: at.row - page };
    case 'Home':
      return { row: far ? 0 : at.row, column: 0 };
    case 'End':
      return { row: far ? last.row : at.row, column: last.column };
    default:
      return null;
  }
}

export function Grid(props: GridProps) {
  const { columns, rows } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, look] = useSeen(scroller);
  const [active, setActive] = useState<CellPlace>({ row: 0, column: 0 });
  const id = useId('grid');
  const layout = layoutOf(props, seen);
  const last: CellPlace = { row: rows - 1, column: columns.length - 1 };
  const at: CellPlace = { row: Math.min(active.row, last.row), column: Math.min(active.column, last.column) };
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setActive({ row: 0, column: at.column });
  }, [props.version]);
  const activate = (place: CellPlace): void => {
    setActive(place);
    props.activate?.(place);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || rows === 0) return;
    const column = columns[at.column];
    const page = Math.max(1, Math.floor((seen.height - headHeight) / layout.rowHeight) - 1);
    const to = placeOf(event, at, last, page);
    if (event.altKey) {
      if (!column || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
      props.resize?.(column.id, Math.max(48, column.width + (event.key === 'ArrowLeft' ? -16 : 16)));
    } else if (to !== null) {
      const place = { row: Math.max(0, Math.min(last.row, to.row)), column: Math.max(0, Math.min(last.column, to.column)) };
      activate(place);
      if (scroller.current) scrollTo(scroller.current, layout, place);
    } else if (event.key === 'Enter' || event.key === 'F2') {
      props.open?.(at, document.getElementById(`${id}-${at.row}-${at.column}`)?.getBoundingClientRect() ?? new DOMRect(100, 100, 100, 26));
    } else if (event.key === ' ') props.select?.(at.row, event.shiftKey);
    else return;
    event.preventDefault();
  };
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
      <div
        class="grid-inner"
        role="presentation"
        style={{ width: `${layout.total}px`, height: `${headHeight + rows * layout.rowHeight}px` }}
      >
        <div class="grid-head" role="row" aria-rowindex={1} style={{ width: `${layout.total}px`, height: `${headHeight}px` }}>
          {line(layout, (nth, style, isStill) => (
            <Head key={`h${nth}`} grid={props} nth={nth} style={style} isStill={isStill} isEdge={nth === layout.frozen - 1} />
          ))}
        </div>
        {Array.from({ length: Math.max(0, layout.lastRow - layout.firstRow) }, (_, nth) => layout.firstRow + nth).map((row) => (
          <Row key={row} id={id} row={row} grid={props} layout={layout} active={at} activate={activate} />
        ))}
      </div>
    </div>
  );
}

/** Renders the cells of a row that are in sight: those that stand still, a space, those that move. */
function line(
  { frozen, widths, sight }: Layout,
  render: (column: number, style: Record<string, string>, isStill: boolean) => ComponentChildren,
): ComponentChildren {
  const still = Array.from({ length: frozen }, (_, nth) => nth);
  const moving = Array.from({ length: Math.max(0, sight.last - sight.first) }, (_, nth) => sight.first + nth);
  return (
    <>
      {still.map((nth) => render(nth, { width: `${widths[nth]}px`, left: `${sum(widths.slice(0, nth))}px` }, true))}
      {sight.before > 0 && <div class="grid-space" role="presentation" style={{ width: `${sight.before}px` }} />}
      {moving.map((nth) => render(nth, { width: `${widths[nth]}px` }, false))}
    </>
  );
}

interface RowProps {
  id: string;
  row: number;
  grid: GridProps;
  layout: Layout;
  active: CellPlace;
  activate: (place: CellPlace) => void;
}

function Row({ id, row, grid, layout, active, activate }: RowProps) {
  const style = {
    transform: `translateY(${headHeight + row * layout.rowHeight}px)`,
    height: `${layout.rowHeight}px`,
    width: `${layout.total}px`,
  };
  const classOf = (nth: number, isStill: boolean): string =>
    [
      'grid-cell',
      grid.columns[nth]?.isRight && 'right',
      isStill && 'still',
      nth === layout.frozen - 1 && 'edge',
      active.row === row && active.column === nth && 'active',
    ]
      .filter(Boolean)
      .join(' ');
  return (
    <div
      role="row"
      class={`grid-row${grid.current === row ? ' current' : ''}`}
      aria-rowindex={row + 2}
      aria-selected={grid.isSelected?.(row)}
      style={style}
    >
      {line(layout, (nth, place, isStill) => (
        <div
          key={nth}
          id={`${id}-${row}-${nth}`}
          role="gridcell"
          aria-colindex={nth + 1}
          class={classOf(nth, isStill)}
          style={place}
          onPointerDown={() => activate({ row, column: nth })}
          onDblClick={(event) => grid.open?.({ row, column: nth }, event.currentTarget.getBoundingClientRect())}
        >
          {grid.cell(row, nth)}
        </div>
      ))}
    </div>
  );
}

interface HeadProps {
  grid: GridProps;
  nth: number;
  style: Record<string, string>;
  isStill: boolean;
  isEdge: boolean;
}

function Head({ grid: { columns, resize, fit }, nth, style, isStill, isEdge }: HeadProps) {
  const column = columns[nth] as GridColumn;
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
    <div
      role="columnheader"
      aria-colindex={nth + 1}
      aria-label={column.label}
      class={`grid-title${isStill ? ' still' : ''}${isEdge ? ' edge' : ''}${column.isRight ? ' right' : ''}`}
      style={style}
      title={column.label}
    >
      {column.title}
      {resize && <span class="grid-handle" aria-hidden="true" onPointerDown={drag} onDblClick={() => fit?.(column.id)} />}
    </div>
  );
}
