// What a request returned: the grid or its JSON, the item that is open, editing, download, and the way to the next page.

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { readOnly } from '../base/access';
import { asFault } from '../base/faults';
import { useShortcuts } from '../base/keyboard';
import { kept } from '../base/storage';
import { keyNames, type Keyed, type TableDescription } from '../base/tables';
import { useTtl } from '../base/ttl';
import { binaryForms } from '../data/binary';
import { shownJson, writeJson } from '../data/json';
import { at } from '../data/record';
import { count, counted, percent, readUnits, writeUnits } from '../data/sizes';
import { type Item, plainItem, typedText } from '../data/values';
import { Bar } from '../parts/Bar';
import { Button } from '../parts/Button';
import { CodeBlock } from '../parts/CodeBlock';
import { EmptyState } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { Grid, type GridColumn } from '../parts/Grid';
import { Icon } from '../parts/Icon';
import { Menu } from '../parts/Menu';
import { Spinner, useLate } from '../parts/Spinner';
import { say } from '../parts/Toast';
import { binaryForm, showsTypes, TypeTag, ValueCell, visible } from '../parts/ValueView';
import { ColumnsDialog } from './ColumnsDialog';
import { type ColumnInfo, columnsOf, widthOf } from './columns';
import { ConflictDialog } from './ConflictDialog';
import { DeleteDialog } from './DeleteDialog';
import { fileForms, fileText, saveFile } from './download';
import { ItemDialog } from './ItemDialog';
import { ItemPanel } from './ItemPanel';
import { see } from './seen';
import { type Paged, type Reading, usePage } from './page';
import { type Conflict, ValueEditor } from './ValueEditor';
import { keyOf, readItem } from './writing';

export type View = 'table' | 'json' | 'ddb';

export interface ResultsProps {
  table: TableDescription | null;
  keyed: Keyed | null;
  reading: Reading | null;
  /** Changes to read anew. */
  run: unknown;
  start: string | null;
  goTo: (start: string | null) => void;
  view: View;
  setView: (view: View) => void;
  /** The columns, in order; null for all. */
  columns: string[] | null;
  setColumns: (names: string[] | null) => void;
  /** Stands at the left of the bar above the grid. */
  lead?: ComponentChildren;
  /** What stands there while nothing was asked. */
  idle?: ComponentChildren;
  /** The key of the item that is open, as JSON. */
  item?: string | null;
  setItem?: (key: string | null) => void;
  /** Asks to put a new item. */
  wantsNew?: number;
}

type Widths = Record<string, number>;
const widths = kept<Record<string, Widths>>('widths', {}, (read) => typeof read === 'object' && read !== null);

function setWidth(place: string, name: string, width: number): void {
  const all = Object.entries(widths.peek()).slice(-30);
  widths.value = { ...Object.fromEntries(all), [place]: { ...widths.peek()[place], [name]: Math.round(width) } };
}

const checkWidth = 56;

interface Editing {
  row: number;
  name: string;
  beside: DOMRect;
}

interface Whole {
  mode: 'new' | 'copy' | 'edit';
  item: Item | null;
  row: number | null;
}

/** What of the results is open, selected and edited. */
interface State {
  props: ResultsProps;
  paged: Paged;
  items: Item[];
  keys: string[];
  all: ColumnInfo[];
  shown: ColumnInfo[];
  ttl: string | undefined;
  canEdit: boolean;
  isPartial: boolean;
  open: number | null;
  setOpen: (row: number | null) => void;
  selected: ReadonlySet<number>;
  toggle: (row: number, isRange: boolean) => void;
  editing: Editing | null;
  edit: (editing: Editing | null) => void;
  whole: Whole | null;
  setWhole: (whole: Whole | null) => void;
  conflict: { conflict: Conflict; row: number | null } | null;
  setConflict: (conflict: State['conflict']) => void;
  deleting: number[] | null;
  setDeleting: (rows: number[] | null) => void;
}

/** The rows that are selected; with Shift a range is. */
function useSelection(version: unknown): [ReadonlySet<number>, (row: number, isRange: boolean) => void] {
  const [selected, select] = useState<ReadonlySet<number>>(new Set());
  const anchor = useRef(0);
  useEffect(() => select(new Set()), [version]);
  const toggle = (row: number, isRange: boolean): void => {
    const next = new Set(selected);
    const [from, to] = isRange ? [Math.min(anchor.current, row), Math.max(anchor.current, row)] : [row, row];
    const isOn = !selected.has(row);
    for (let one = from; one <= to; one += 1)
      if (isOn) next.add(one);
      else next.delete(one);
    anchor.current = row;
    select(next);
  };
  return [selected, toggle];
}

const textOfKey = (table: TableDescription | null, item: Item | undefined): string | null => {
  const key = table && item ? keyOf(table, item) : null;
  return key === null ? null : JSON.stringify(key);
};

/** The row that is open. Its key stands in the address, so that a link opens the item. */
function useOpen(props: ResultsProps, paged: Paged): [number | null, (row: number | null) => void] {
  const [open, set] = useState<number | null>(null);
  const items = paged.page?.items ?? [];
  useEffect(() => {
    const row = props.item ? items.findIndex((item) => textOfKey(props.table, item) === props.item) : -1;
    set(row < 0 ? null : row);
  }, [paged.page?.took]);
  const setOpen = (row: number | null): void => {
    set(row);
    props.setItem?.(row === null ? null : textOfKey(props.table, items[row]));
  };
  return [open, setOpen];
}

/** Whether attributes may be missing, by an index, a projection or a statement. */
const mayMiss = ({ keyed, reading }: ResultsProps): boolean =>
  (keyed?.projection?.ProjectionType ?? 'ALL') !== 'ALL' ||
  reading?.request['ProjectionExpression'] !== undefined ||
  reading?.operation === 'ExecuteStatement';

function useResults(props: ResultsProps): State {
  const paged = usePage(props.reading, props.start, props.run, true);
  const { table, keyed } = props;
  const items = paged.page?.items ?? [];
  const ttl = useTtl(table?.TableName)?.AttributeName;
  const [open, setOpen] = useOpen(props, paged);
  const [selected, toggle] = useSelection(paged.page?.took);
  const [editing, edit] = useState<Editing | null>(null);
  const [whole, setWhole] = useState<Whole | null>(null);
  const [conflict, setConflict] = useState<State['conflict']>(null);
  const [deleting, setDeleting] = useState<number[] | null>(null);
  const keys = useMemo(() => keysOf(table, keyed), [table, keyed]);
  const all = useMemo(() => columnsOf(items, keys), [items, keys]);
  const shown = useMemo(() => chosenOf(all, props.columns), [all, props.columns]);
  useEffect(() => {
    edit(null);
    if (table && items.length > 0)
      see(
        table.TableName,
        all.filter((one) => one.count > 0),
      );
  }, [paged.page?.took]);
  useEffect(() => {
    if (props.wantsNew) setWhole({ mode: 'new', item: null, row: null });
  }, [props.wantsNew]);
  const canEdit = table !== null && !readOnly.value;
  return {
    props,
    paged,
    items,
    keys,
    all,
    shown,
    ttl,
    canEdit,
    isPartial: mayMiss(props),
    open,
    setOpen,
    selected,
    toggle,
    editing,
    edit,
    whole,
    setWhole,
    conflict,
    setConflict,
    deleting,
    setDeleting,
  };
}

/** Edits a value in place, or opens its item where it cannot be edited. */
function beginEdit(state: State, row: number, name: string, beside: DOMRect): void {
  const item = state.items[row];
  const { table } = state.props;
  if (!item) return;
  if (!state.canEdit || table === null || keyNames(table).includes(name) || keyOf(table, item) === null) state.setOpen(row);
  else state.edit({ row, name, beside });
}

async function openWhole({ items, props: { table }, paged }: State, row: number): Promise<void> {
  const item = items[row];
  const key = item && table ? keyOf(table, item) : null;
  if (!key || !table) return;
  try {
    const found = await readItem(table, key);
    if (found === null) say('The item is no longer in the table', 'fault');
    paged.change(row, found);
  } catch (error) {
    say(asFault(error).message, 'fault');
  }
}

export function Results(props: ResultsProps) {
  const state = useResults(props);
  const [picksColumns, pickColumns] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const { paged, selected } = state;
  useShortcuts([
    { keys: 'alt+g', words: 'Go to the grid', run: () => root.current?.querySelector<HTMLElement>('.grid')?.focus(), whileTyping: true },
    { keys: 'Escape', words: 'Close the item', run: () => state.setOpen(null) },
  ]);
  return (
    <div class="results" ref={root}>
      <Bar_
        props={props}
        paged={paged}
        shown={state.shown}
        selected={selected}
        pickColumns={() => pickColumns(true)}
        remove={() => state.setDeleting([...selected])}
        create={state.canEdit ? () => state.setWhole({ mode: 'new', item: null, row: null }) : undefined}
      />
      <div class="results-body">
        <Body props={props} paged={paged}>
          {props.view === 'table' ? <Table state={state} /> : <Texts view={props.view} items={state.items} />}
        </Body>
        <Opened state={state} />
      </div>
      <Foot props={props} paged={paged} />
      <Dialogs state={state} />
      {picksColumns && <ColumnsDialog all={state.all} chosen={props.columns} choose={props.setColumns} close={() => pickColumns(false)} />}
    </div>
  );
}

function columnTitle(one: ColumnInfo, isKey: boolean): ComponentChildren {
  return (
    <>
      {isKey && <Icon name="key" />}
      <bdi class="name">{visible(one.name)}</bdi> <TypeTag type={one.usual} />
    </>
  );
}

function Table({ state }: { state: State }) {
  const { props, paged, items, keys, shown, open, setOpen, selected, toggle } = state;
  const { table, keyed } = props;
  const place = `${table?.TableName ?? ''} ${keyed?.index ?? ''}`;
  const columns: GridColumn[] = [
    { id: ' check', label: 'Selected', title: '', width: checkWidth },
    ...shown.map((one) => ({
      id: one.name,
      label: `${one.name}, ${one.usual}`,
      width: widths.value[place]?.[one.name] ?? one.width,
      isRight: one.usual === 'N',
      title: columnTitle(one, keys.includes(one.name)),
    })),
  ];
  return (
    <Grid
      label={table ? `Items of ${table.TableName}` : 'Items'}
      columns={columns}
      frozen={1 + shown.filter((one, nth) => keys.includes(one.name) && nth < 2).length}
      rows={items.length}
      version={paged.page?.took}
      current={open}
      isSelected={(row) => selected.has(row)}
      select={toggle}
      resize={(name, width) => setWidth(place, name, width)}
      fit={(name) => setWidth(place, name, widthOf(name, items))}
      open={({ row, column }, beside) => (column === 0 ? setOpen(row) : beginEdit(state, row, shown[column - 1]?.name ?? '', beside))}
      activate={({ row }) => open !== null && open !== row && setOpen(row)}
      cell={(row, column) => (
        <Cell
          row={row}
          item={items[row] as Item}
          info={shown[column - 1]}
          isOn={selected.has(row)}
          toggle={toggle}
          open={() => setOpen(open === row ? null : row)}
          ttl={state.ttl}
        />
      )}
    />
  );
}

function Opened({ state }: { state: State }) {
  const { open, items, isPartial, canEdit, setWhole, props } = state;
  const item = open === null ? undefined : items[open];
  if (item === undefined || open === null) return null;
  return (
    <ItemPanel
      table={props.table}
      item={item}
      isPartial={isPartial}
      ttl={state.ttl}
      close={() => state.setOpen(null)}
      loadWhole={props.table && isPartial ? () => void openWhole(state, open) : undefined}
      editValue={canEdit ? (name, beside) => beginEdit(state, open, name, beside) : undefined}
      edit={canEdit && !isPartial ? () => setWhole({ mode: 'edit', item, row: open }) : undefined}
      copy={canEdit ? () => setWhole({ mode: 'copy', item, row: null }) : undefined}
      remove={canEdit ? () => state.setDeleting([open]) : undefined}
    />
  );
}

function Dialogs({ state }: { state: State }) {
  const { props, paged, items, editing, edit, whole, setWhole, conflict, setConflict, deleting, setDeleting } = state;
  const { table } = props;
  if (table === null) return null;
  return (
    <>
      {editing && items[editing.row] && (
        <ValueEditor
          key={`${editing.row} ${editing.name}`}
          table={table}
          item={items[editing.row] as Item}
          name={editing.name}
          beside={editing.beside}
          close={() => edit(null)}
          done={(item) => paged.change(editing.row, item)}
          conflict={(found) => setConflict({ conflict: found, row: editing.row })}
        />
      )}
      {whole && (
        <ItemDialog
          table={table}
          mode={whole.mode}
          item={whole.item}
          close={() => setWhole(null)}
          done={(item) => (whole.row === null ? paged.again() : paged.change(whole.row, item))}
          conflict={(found) => setConflict({ conflict: found, row: whole.row })}
        />
      )}
      {conflict && (
        <ConflictDialog
          table={table}
          conflict={conflict.conflict}
          close={() => setConflict(null)}
          done={(item) => {
            setWhole(null);
            edit(null);
            if (conflict.row !== null) paged.change(conflict.row, item);
          }}
        />
      )}
      {deleting && (
        <DeleteDialog
          table={table}
          items={deleting.map((row) => items[row]).filter((item) => item !== undefined)}
          close={() => setDeleting(null)}
          done={paged.again}
        />
      )}
    </>
  );
}

/** The keys that stand first: those of the index, then those of the table. */
function keysOf(table: TableDescription | null, keyed: Keyed | null): string[] {
  const ofIndex = keyed ? [...keyed.partition, ...keyed.sort] : [];
  return [...new Set([...ofIndex, ...(table ? keyNames(table) : [])])];
}

function chosenOf(all: ColumnInfo[], chosen: string[] | null): ColumnInfo[] {
  if (chosen === null) return all;
  const known = new Map(all.map((one) => [one.name, one]));
  const found = chosen.map((name) => known.get(name)).filter((one) => one !== undefined);
  return found.length > 0 ? found : all;
}

function Cell({
  row,
  item,
  info,
  isOn,
  toggle,
  open,
  ttl,
}: {
  row: number;
  item: Item;
  info: ColumnInfo | undefined;
  isOn: boolean;
  toggle: (row: number, isRange: boolean) => void;
  open: () => void;
  ttl?: string;
}) {
  if (info !== undefined) return <ValueCell value={at(item, info.name)} name={info.name} usual={info.usual} isTtl={info.name === ttl} />;
  return (
    <>
      <input
        type="checkbox"
        class="row-check"
        tabIndex={-1}
        aria-label={`Select row ${row + 1}`}
        checked={isOn}
        onClick={(event) => toggle(row, event.shiftKey)}
      />
      <button type="button" class="row-open" tabIndex={-1} aria-label={`Open row ${row + 1}`} onClick={open}>
        <Icon name="right" />
      </button>
    </>
  );
}

const mostText = 2_000_000;

function Texts({ view, items }: { view: View; items: Item[] }) {
  const lines: string[] = [];
  let size = 0;
  for (const item of items) {
    const line = view === 'json' ? shownJson(writeJson(plainItem(item), 2)) : typedText(item);
    size += line.length;
    if (size > mostText && lines.length > 0) break;
    lines.push(line);
  }
  const left = items.length - lines.length;
  return (
    <div class="results-text">
      <CodeBlock text={`[\n${lines.join(',\n')}\n]`} label={view === 'json' ? 'Items as JSON' : 'Items as DynamoDB JSON'} />
      {left > 0 && <p class="hint">{counted(left, 'more item')} of this page: download them, or look at them as a table.</p>}
    </div>
  );
}

function Body({ props, paged, children }: { props: ResultsProps; paged: Paged; children: ComponentChildren }) {
  if (paged.fault) {
    return (
      <div class="results-words">
        <ErrorBox fault={paged.fault} retry={paged.again} />
      </div>
    );
  }
  if (props.reading === null) return <div class="results-words">{props.idle}</div>;
  if (paged.page === null) return <div class="results-words">{paged.isReading && <Spinner words="Reading" />}</div>;
  if (paged.page.items.length > 0) return <>{children}</>;
  return <Nothing props={props} paged={paged} />;
}

function Nothing({ props, paged }: { props: ResultsProps; paged: Paged }) {
  const page = paged.page;
  if (page === null) return null;
  if (props.reading?.request['Select'] === 'COUNT') {
    return (
      <EmptyState title={counted(page.count, 'item')}>
        <p>
          {page.next === null ? 'That is all.' : 'In this page; there is more.'} {counted(page.examined, 'item was', 'items were')}{' '}
          examined.
        </p>
      </EmptyState>
    );
  }
  if (
    props.reading?.operation === 'ExecuteStatement' &&
    page.next === null &&
    !/^\s*select/i.test(String(props.reading.request['Statement']))
  ) {
    return (
      <EmptyState title="Done">
        <p>The statement returned no items.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={page.next === null ? 'No item matches' : 'Nothing yet'}>
      <p>
        {counted(page.examined, 'item was', 'items were')} examined, none was returned.
        {page.next !== null && ' There is more to read.'}
      </p>
      {page.next !== null && (
        <Button kind="main" icon="right" onClick={() => props.goTo(page.next)}>
          Read on
        </Button>
      )}
    </EmptyState>
  );
}

function Download({ name, items, shown, isSelection }: { name: string; items: Item[]; shown: ColumnInfo[]; isSelection: boolean }) {
  const columns = shown.map((column) => column.name);
  const entries = fileForms.map((one) => ({
    title: `${one.title}, ${counted(items.length, 'item')}`,
    disabled: items.length === 0,
    run: () => saveFile(`${name}.${one.extension}`, one.type, fileText(one.form, items, columns, binaryForm.value)),
  }));
  return (
    <Menu kind="quiet" icon="download" label={isSelection ? 'Download what is selected' : 'Download what is shown'} entries={entries} />
  );
}

/** How values are shown, on all screens. */
function Forms() {
  const entries = [
    { title: 'Types in each cell', checked: showsTypes.value, run: () => (showsTypes.value = !showsTypes.value) },
    ...binaryForms.map((form) => ({
      title: `Binary as ${form.title}`,
      checked: binaryForm.value === form.value,
      run: () => (binaryForm.value = form.value),
    })),
  ];
  return <Menu kind="quiet" icon="more" label="How values are shown" entries={entries} />;
}

interface BarProps {
  props: ResultsProps;
  paged: Paged;
  shown: ColumnInfo[];
  selected: ReadonlySet<number>;
  pickColumns: () => void;
  remove: () => void;
  create?: () => void;
}

function Bar_({ props, paged, shown, selected, pickColumns, remove, create }: BarProps) {
  const items = paged.page?.items ?? [];
  const chosen = selected.size > 0 ? items.filter((_, row) => selected.has(row)) : items;
  const views: { id: View; title: string }[] = [
    { id: 'table', title: 'Table' },
    { id: 'json', title: 'JSON' },
    { id: 'ddb', title: 'DynamoDB' },
  ];
  return (
    <div class="results-bar">
      {props.lead}
      <span class="space" />
      {selected.size > 0 && (
        <>
          <span class="hint">{count(selected.size)} selected</span>
          {create && (
            <Button kind="quiet" icon="trash" onClick={remove}>
              Delete
            </Button>
          )}
        </>
      )}
      {create && (
        <Button kind="quiet" icon="plus" onClick={create}>
          New item
        </Button>
      )}
      <div class="button-group" role="group" aria-label="View">
        {views.map((view) => (
          <Button key={view.id} pressed={props.view === view.id} onClick={() => props.setView(view.id)}>
            {view.title}
          </Button>
        ))}
      </div>
      <Button kind="quiet" icon="columns" label="Columns" disabled={items.length === 0} onClick={pickColumns} />
      <Download name={props.table?.TableName ?? 'items'} items={chosen} shown={shown} isSelection={selected.size > 0} />
      <Forms />
      <Button kind="quiet" icon="reload" label="Read again" disabled={props.reading === null} onClick={paged.again} />
    </div>
  );
}

function Foot({ props, paged }: { props: ResultsProps; paged: Paged }) {
  const { page } = paged;
  const isLate = useLate(paged.isReading);
  const back = useRef<(string | null)[]>([]);
  const key = JSON.stringify(props.reading);
  useEffect(() => {
    back.current = [];
  }, [key]);
  if (props.reading === null) return null;
  const next = (): void => {
    back.current.push(props.start);
    props.goTo(page?.next ?? null);
  };
  const thrown = page ? page.examined - page.count : 0;
  return (
    <div class="results-foot" role="status">
      {page && (
        <>
          <span class="figures">
            <Bar examined={page.examined} returned={page.count} />
            <span>
              <b>{count(page.count)}</b> returned of <b>{count(page.examined)}</b> examined
              {page.pages > 1 && ` in ${page.pages} pages`}
            </span>
            {thrown > 0 && <span class="thrown">{percent(thrown / page.examined)} thrown away</span>}
          </span>
          <span class="figures">{page.took.writeUnits > 0 ? writeUnits(page.took.writeUnits) : readUnits(page.took.readUnits)}</span>
        </>
      )}
      <span class="space" />
      {isLate && (
        <>
          <span class="spinning" aria-hidden="true" /> Reading
          <Button kind="quiet" icon="stop" onClick={paged.stop}>
            Stop
          </Button>
        </>
      )}
      {props.start !== null && (
        <>
          <Button kind="quiet" onClick={() => props.goTo(null)}>
            First page
          </Button>
          <Button
            kind="quiet"
            icon="left"
            label="Page before"
            disabled={back.current.length === 0}
            onClick={() => props.goTo(back.current.pop() ?? null)}
          />
        </>
      )}
      <Button icon="right" disabled={!page || page.next === null || paged.isReading} onClick={next}>
        {page && page.next === null ? 'No more' : 'Next page'}
      </Button>
    </div>
  );
}
