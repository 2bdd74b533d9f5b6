// The tree of keys below a partition, a level at a time. Arrows move, right opens, left closes.

import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../base/client';
import { asFault, isAbort, type Fault } from '../../base/faults';
import { features, leftOut } from '../../base/features';
import { bytes, counted } from '../../data/sizes';
import { ErrorBox } from '../../parts/ErrorBox';
import { LeftOut } from '../../parts/EmptyState';
import { Icon } from '../../parts/Icon';
import { useLate } from '../../parts/Spinner';
import { part, textOf, type Key } from '../../ruler/keys';
import { attributeOf, type RulerSource } from '../../ruler/source';
import { told, toldName } from '../../ruler/told';

interface Node {
  Kind: 'FOLDER' | 'ITEM';
  Name: string;
  Key: Key;
  Items?: number;
  Bytes?: number;
  GoesOn?: boolean;
  Continued?: boolean;
}

interface Level {
  nodes: Node[];
  next: unknown;
  isOpen: boolean;
}

const PAGE = 40;
const ROWS_MAX = 600;
const DEPTH_MAX = 32;

interface Row {
  path: string;
  depth: number;
  node: Node | 'more';
  isOpen: boolean;
}

function rowsOf(levels: ReadonlyMap<string, Level>, path: string, depth: number, rows: Row[] = []): Row[] {
  const level = levels.get(path);
  if (!level?.isOpen || depth > DEPTH_MAX) return rows;
  for (const node of level.nodes) {
    if (rows.length >= ROWS_MAX) return rows;
    const below = pathOf(path, node);
    rows.push({ path: below, depth, node, isOpen: levels.get(below)?.isOpen ?? false });
    if (node.Kind === 'FOLDER') rowsOf(levels, below, depth + 1, rows);
  }
  if (level.next !== undefined && rows.length < ROWS_MAX) rows.push({ path, depth, node: 'more', isOpen: false });
  return rows;
}

/** A place in the tree: the values of leading attributes and the prefix of the next one. */
const pathOf = (path: string, node: Node): string => JSON.stringify([...(JSON.parse(path) as unknown[]), node.Kind, node.Key]);

/** Levels that were read, by their places; a level is read when it is first opened. */
function useLevels(source: RulerSource) {
  const [levels, set] = useState<ReadonlyMap<string, Level>>(new Map());
  const [fault, setFault] = useState<Fault | null>(null);
  const [isWaiting, wait] = useState(true);
  const ask = async (path: string, start: unknown, signal?: AbortSignal): Promise<void> => {
    const at = sourceAt(source, path);
    wait(true);
    setFault(null);
    try {
      const request = { TableName: at.table, IndexName: at.index, PartitionKey: at.partitionKey, SortKey: at.sortKey, Prefix: at.prefix, Delimiter: at.delimiter, Counts: true, Limit: PAGE, ExclusiveStart: start };
      const page = await call<{ Nodes: Node[]; LastEvaluated?: unknown }>('Tree', request, { own: true, signal });
      set((before) => {
        const known = before.get(path)?.nodes ?? [];
        return new Map(before).set(path, { nodes: start === undefined ? page.Nodes : joined(known, page.Nodes), next: page.LastEvaluated, isOpen: true });
      });
    } catch (error) {
      if (isAbort(error)) return;
      setFault(asFault(error));
    }
    wait(false);
  };
  useEffect(() => {
    const ending = new AbortController();
    set(new Map());
    void ask(ROOT, undefined, ending.signal);
    return () => ending.abort();
  }, [JSON.stringify(source)]);
  const turn = (path: string, isOpen: boolean): void => set((before) => (before.has(path) ? new Map(before).set(path, { ...before.get(path)!, isOpen }) : before));
  return { levels, fault, isWaiting, ask, turn };
}

const ROOT = '[]';

export function Tree({ source, openAt, openItem }: { source: RulerSource; openAt: (source: RulerSource) => void; openItem: (key: Key) => void }) {
  const { levels, fault, isWaiting, ask, turn } = useLevels(source);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const isLate = useLate(isWaiting);
  if (features.has('Tree') === false) return <LeftOut>{leftOut('The tree', 'Tree')}</LeftOut>;
  const rows = rowsOf(levels, ROOT, 0);
  const open = ({ path, node, isOpen }: Row): void => {
    if (node === 'more') void ask(path, levels.get(path)?.next);
    else if (node.Kind === 'ITEM') openItem({ ...source.partitionKey, ...source.sortKey, ...node.Key });
    else if (levels.has(path)) turn(path, !isOpen);
    else void ask(path, undefined);
  };
  const focus = (nth: number): void => {
    const to = Math.min(rows.length - 1, Math.max(0, nth));
    setActive(to);
    list.current?.querySelectorAll<HTMLElement>('[role="treeitem"]')[to]?.focus();
  };
  const press = (event: KeyboardEvent, nth: number): void => {
    const row = rows[nth]!;
    const isFolder = row.node !== 'more' && row.node.Kind === 'FOLDER';
    const parent = rows.slice(0, nth).findLastIndex((one) => one.depth < row.depth);
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(nth + 1),
      ArrowUp: () => focus(nth - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      ArrowRight: () => (isFolder && !row.isOpen ? open(row) : focus(nth + 1)),
      ArrowLeft: () => (isFolder && row.isOpen ? turn(row.path, false) : parent >= 0 && focus(parent)),
      Enter: () => open(row),
      ' ': () => open(row),
    };
    const move = moves[event.key];
    if (!move || event.target !== event.currentTarget) return;
    event.preventDefault();
    move();
  };
  return (
    <div class="tree">
      {fault && <ErrorBox fault={fault} retry={() => void ask(ROOT, undefined)} />}
      <ul role="tree" aria-label="Folders and items" ref={list}>
        {rows.map((row, nth) => (
          <TreeRow key={`${row.path}${row.node === 'more' ? '+' : ''}`} row={row} isActive={nth === Math.min(active, rows.length - 1)} open={() => (setActive(nth), open(row))} press={(event) => press(event, nth)} show={() => openAt(sourceAt(source, row.path))} />
        ))}
      </ul>
      {isLate && <p class="hint" role="status">Reading</p>}
      {rows.length >= ROWS_MAX && <p class="hint">More rows than a tree is good for: open a folder on the ruler.</p>}
    </div>
  );
}

/** Binary data stand in hex, as on the ruler. */
function nameOf(node: Node): string {
  const [value, more] = Object.values(node.Key);
  return value && 'B' in value && more === undefined ? told(value, 120) : toldName(node.Name, 120);
}

function TreeRow({ row, isActive, open, press, show }: { row: Row; isActive: boolean; open: () => void; press: (event: KeyboardEvent) => void; show: () => void }) {
  const { node } = row;
  const isFolder = node !== 'more' && node.Kind === 'FOLDER';
  return (
    <li role="treeitem" tabIndex={isActive ? 0 : -1} aria-level={row.depth + 1} aria-expanded={isFolder ? row.isOpen : undefined} onKeyDown={press} onClick={open} style={{ paddingLeft: `${row.depth * 18 + 4}px` }}>
      {node === 'more' ? (
        <span class="tree-more">more</span>
      ) : (
        <>
          <span class="tree-mark">{isFolder && <Icon name={row.isOpen ? 'down' : 'right'} />}</span>
          <span class={isFolder ? 'mono tree-folder' : 'mono'}>{nameOf(node)}</span>
          {isFolder && (
            <button
              type="button"
              class="tree-show"
              tabIndex={-1}
              aria-hidden="true"
              title="Open on the ruler"
              onClick={(event) => {
                event.stopPropagation();
                show();
              }}
            >
              <Icon name="keys" />
            </button>
          )}
          <span class="space" />
          <span class="figure">{node.Items === undefined ? '' : `${node.GoesOn ? 'at least ' : ''}${counted(node.Items, 'item')}`}</span>
          <span class="figure tree-bytes">{node.Bytes === undefined ? '' : bytes(node.Bytes)}</span>
        </>
      )}
    </li>
  );
}

/** Returns the place that a path leads to: each folder is a prefix, or the value of a leading attribute. */
function sourceAt(source: RulerSource, path: string): RulerSource {
  const steps = JSON.parse(path) as (string | Key)[];
  let at = source;
  for (const key of steps.filter((step): step is Key => typeof step === 'object')) {
    const attribute = attributeOf(at);
    const value = attribute === undefined ? undefined : part(key, attribute);
    if (!value || attribute === undefined) return at;
    const isLast = source.sort.at(-1) === attribute;
    at = isLast ? { ...at, prefix: textOf(value) } : { ...at, sortKey: { ...at.sortKey, [attribute]: value }, prefix: undefined };
  }
  return at;
}

function joined(before: Node[], page: Node[]): Node[] {
  const [first, ...rest] = page;
  const last = before.at(-1);
  if (!first?.Continued || !last) return [...before, ...page];
  const whole = { ...first, Items: (last.Items ?? 0) + (first.Items ?? 0), Bytes: (last.Bytes ?? 0) + (first.Bytes ?? 0) };
  return [...before.slice(0, -1), whole, ...rest];
}
