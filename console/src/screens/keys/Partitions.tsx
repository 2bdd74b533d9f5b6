// Partitions as a list: the largest first, or in the order of their hashes.

import { useEffect, useState } from 'preact/hooks';
import { call } from '../../base/client';
import { asFault, isAbort, type Fault } from '../../base/faults';
import { features, leftOut } from '../../base/features';
import type { Keyed } from '../../base/tables';
import { bytes, count, readUnits } from '../../data/sizes';
import { Button } from '../../parts/Button';
import { ErrorBox } from '../../parts/ErrorBox';
import { LeftOut } from '../../parts/EmptyState';
import { Spinner } from '../../parts/Spinner';
import { Tabs } from '../../parts/Tabs';
import type { Line } from '../../ruler/bins';
import { part, type Key } from '../../ruler/keys';
import { toldKey } from '../../ruler/told';
import { Scroll } from '../../ruler/Scroll';

interface Node {
  Kind: string;
  Key: Key;
  Name: string;
  Items?: number;
  Bytes?: number;
  GoesOn?: boolean;
  Continued?: boolean;
}

interface Page {
  Nodes: Node[];
  LastEvaluated?: unknown;
  Work?: { ReadUnits: number; KeysRead: number };
}

interface State {
  nodes: Node[];
  next: unknown;
  readUnits: number;
  fault: Fault | null;
  isWaiting: boolean;
}

const NODES_MAX = 1000;
const empty: State = { nodes: [], next: undefined, readUnits: 0, fault: null, isWaiting: true };

/** A table up to this size is read for its largest partitions unasked: one page of the operation. */
const UNASKED_BYTES = 16 * 1024 * 1024;

/** What the ruler beside the list has read already. */
export interface KnownPartitions {
  line: Line;
  isDone: boolean;
}

/** Returns the partitions that the ruler has counted, if it has all of them one by one. */
function nodesOf(known: KnownPartitions | null, partition: string[]): Node[] | null {
  if (!known?.line.isExact || known.line.bins.some((bin) => bin.Folders !== 1)) return null;
  const nodes = known.line.bins.map((bin) => ({
    Kind: 'PARTITION',
    Key: Object.fromEntries(partition.flatMap((name) => (part(bin.First, name) ? [[name, part(bin.First, name)!]] : []))) as Key,
    Name: bin.Name ?? '',
    Items: bin.Items,
    ...(bin.Bytes > 0 && { Bytes: bin.Bytes }),
  }));
  return nodes.slice(0, NODES_MAX);
}

export function Partitions({ keyed, sizeBytes, known, open }: { keyed: Keyed; sizeBytes: number; known: KnownPartitions | null; open: (key: Key) => void }) {
  const [order, setOrder] = useState(sizeBytes <= UNASKED_BYTES ? 'largest' : 'hash');
  const [state, set] = useState<State>(empty);
  const isLargest = order === 'largest';
  const ask = async (start: unknown, signal?: AbortSignal): Promise<void> => {
    set((before) => ({ ...(start === undefined ? empty : before), isWaiting: true, fault: null }));
    try {
      const request = { TableName: keyed.table, IndexName: keyed.index ?? undefined, Counts: isLargest || sizeBytes <= UNASKED_BYTES, LargestFirst: isLargest, Limit: 50, ExclusiveStart: start };
      const page = await call<Page>('Partitions', request, { own: true, signal });
      set((before) => ({ nodes: merged(before.nodes, page.Nodes, isLargest), next: page.LastEvaluated, readUnits: before.readUnits + (page.Work?.ReadUnits ?? 0), fault: null, isWaiting: false }));
    } catch (error) {
      if (!isAbort(error)) set((before) => ({ ...before, fault: asFault(error), isWaiting: false }));
    }
  };
  const counted = nodesOf(known, keyed.partition);
  const isDone = known?.isDone ?? false;
  const isCounted = counted !== null;
  useEffect(() => {
    // The ruler reads first: what it has counted is not read again.
    if (!isDone || isCounted) return;
    const ending = new AbortController();
    void ask(undefined, ending.signal);
    return () => ending.abort();
  }, [keyed.table, keyed.index, order, isDone, isCounted]);
  const sorted = counted && (isLargest ? [...counted].sort((a, b) => (b.Bytes ?? 0) - (a.Bytes ?? 0) || (b.Items ?? 0) - (a.Items ?? 0)) : counted);
  const shown: State = sorted ? { nodes: sorted, next: undefined, readUnits: 0, fault: null, isWaiting: false } : state;
  return <List state={shown} keyed={keyed} sizeBytes={sizeBytes} order={order} setOrder={setOrder} open={open} ask={ask} />;
}

interface ListProps {
  state: State;
  keyed: Keyed;
  sizeBytes: number;
  order: string;
  setOrder: (order: string) => void;
  open: (key: Key) => void;
  ask: (start: unknown) => Promise<void>;
}

const ROWS = 100;

function List({ state, keyed, sizeBytes, order, setOrder, open, ask }: ListProps) {
  const [rows, setRows] = useState(ROWS);
  const isLargest = order === 'largest';
  if (features.has('Partitions') === false && state.nodes.length === 0) return <LeftOut>{leftOut('The list of the largest partitions', 'Partitions')}</LeftOut>;
  const most = Math.max(1, ...state.nodes.map((node) => node.Bytes ?? 0));
  return (
    <div class="partitions">
      <Tabs label="Order of partitions" tabs={[{ id: 'largest', title: 'Largest first' }, { id: 'hash', title: 'By hash' }]} chosen={order} choose={setOrder} />
      {state.fault && <ErrorBox fault={state.fault} retry={() => void ask(undefined)} />}
      {state.nodes.length > 0 && (
        <Scroll label="Partitions">
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">{keyed.partition.join(' · ')}</th>
                <th scope="col" class="figure">items</th>
                <th scope="col" class="figure">bytes</th>
                <th scope="col" class="size-column">
                  <span class="hidden">size beside the largest</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {state.nodes.slice(0, rows).map((node) => (
                <tr key={JSON.stringify(node.Key)}>
                  <td>
                    <button type="button" class="crumb mono" onClick={() => open(node.Key)}>
                      {toldKey(node.Key, keyed.partition, 80)}
                    </button>
                  </td>
                  <td class="figure">{node.Items === undefined ? '' : `${node.GoesOn ? 'at least ' : ''}${count(node.Items)}`}</td>
                  <td class="figure">{node.Bytes === undefined ? '' : bytes(node.Bytes)}</td>
                  <td class="size-column">
                    {node.Bytes !== undefined && <span class="size-bar" style={{ width: `${(node.Bytes / most) * 100}%` }} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {state.isWaiting && <Spinner words={isLargest ? 'Reading the table for its largest partitions' : 'Reading partitions'} />}
      {!state.isWaiting && state.nodes.length === 0 && !state.fault && <p class="hint">No partitions.</p>}
      <p class="partitions-foot">
        {state.readUnits > 0 && <span class="hint">{readUnits(state.readUnits)}</span>}
        {state.nodes.length > rows && <Button onClick={() => setRows(rows + ROWS)}>{`${count(state.nodes.length - rows)} more`}</Button>}
        {isLargest && state.next !== undefined && sizeBytes > UNASKED_BYTES && <span class="hint">a page reads 16 MB of {bytes(sizeBytes)}, which is paid for</span>}
        {state.next !== undefined && !state.isWaiting && state.nodes.length < NODES_MAX && (
          <Button onClick={() => void ask(state.next)}>{isLargest ? 'Read on' : 'More partitions'}</Button>
        )}
      </p>
    </div>
  );
}

/** A partition that two pages divide is one line: its counts add up. */
function merged(before: Node[], page: Node[], isLargest: boolean): Node[] {
  const all = new Map(before.map((node) => [JSON.stringify(node.Key), node]));
  for (const node of page) {
    const id = JSON.stringify(node.Key);
    const known = node.Continued ? all.get(id) : undefined;
    all.set(id, known ? { ...node, Items: (known.Items ?? 0) + (node.Items ?? 0), Bytes: (known.Bytes ?? 0) + (node.Bytes ?? 0) } : node);
  }
  const nodes = [...all.values()];
  if (isLargest) nodes.sort((a, b) => (b.Bytes ?? 0) - (a.Bytes ?? 0));
  return nodes.slice(0, NODES_MAX);
}
