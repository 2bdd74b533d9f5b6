// Rows of a file become items: the types of columns, the table, its key, what would be replaced; then the writing.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { go, link } from '../base/address';
import { asFault, type Fault } from '../base/faults';
import { keyNames, keyType, refreshTables, tableNames, useTable } from '../base/tables';
import { count, counted } from '../data/sizes';
import { brief, type Item } from '../data/values';
import { saveFile } from '../items/download';
import { Button } from '../parts/Button';
import { Dialog } from '../parts/Dialog';
import { ErrorBox } from '../parts/ErrorBox';
import { TextField } from '../parts/Field';
import { Icon } from '../parts/Icon';
import { visible } from '../parts/ValueView';
import { checkKeys, suggestKeys } from './keys';
import { type Column, type ColumnType, itemAt, type Rows, textAt } from './rows';
import { Import, type Progress } from './run';
import { createAndWait } from './waitFor';

const previewed = 8;
const types: { value: ColumnType; title: string }[] = [
  { value: 'S', title: 'text' },
  { value: 'N', title: 'number' },
  { value: 'BOOL', title: 'boolean' },
  { value: 'JSON', title: 'JSON' },
  { value: 'skip', title: 'leave out' },
];

/** Returns a table's name made of a file's. */
export const nameOf = (file: string): string =>
  (file.replace(/\.[^.]+$/, '').replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 255) || 'table').padEnd(3, '_');

export function ImportDialog({ file, rows: read, close }: { file: string; rows: Rows; close: () => void }) {
  const [columns, setColumns] = useState<Column[]>(read.columns);
  const rows = useMemo((): Rows => ({ ...read, columns }), [read, columns]);
  const suggested = useMemo(() => suggestKeys(read), [read]);
  const [name, setName] = useState(nameOf(file));
  const [partition, setPartition] = useState(suggested[0]?.partition ?? columns[0]?.name ?? '');
  const [sort, setSort] = useState(suggested[0]?.sort ?? '');
  const [fault, fail] = useState<Fault | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [isCreating, create] = useState(false);
  const running = useRef<Import | null>(null);
  const isThere = tableNames.value?.includes(name) ?? false;
  const { table } = useTable(isThere ? name : null);
  const keys = table ? keyNames(table) : [partition, sort].filter(Boolean);
  const check = useMemo(() => checkKeys(rows, keys), [rows, keys.join('\u0000')]);
  const wrong = wrongOf(rows, keys, name, table ? (key) => keyType(table, key) : null);
  useEffect(() => () => running.current?.stop(), []);

  const start = async (): Promise<void> => {
    if (wrong || progress || isCreating) return;
    fail(null);
    create(true);
    try {
      if (!isThere) await createAndWait(requestOf(name, keys, columns));
      await refreshTables();
      running.current = new Import(name, check.rows, (row) => itemAt(rows, row), setProgress);
      create(false);
      await running.current.run();
    } catch (error) {
      fail(asFault(error));
    } finally {
      create(false);
    }
  };
  const isDone = progress !== null && !progress.isRunning && progress.done === progress.of;
  const isRunning = isCreating || progress?.isRunning === true;
  return (
    <Dialog
      title={`Import ${file}`}
      size="wide"
      close={close}
      isBusy={isRunning}
      submit={() => void start()}
      foot={
        <>
          {progress?.isRunning && (
            <Button icon="stop" onClick={() => running.current?.stop()}>
              Stop
            </Button>
          )}
          {!isRunning && <Button onClick={close}>{progress ? 'Close' : 'Cancel'}</Button>}
          {progress && !progress.isRunning && !isDone && (
            <Button kind="main" onClick={() => void running.current?.run()}>
              Go on
            </Button>
          )}
          {!progress && (
            <Button kind="main" icon="upload" type="submit" disabled={wrong !== null || isCreating || check.rows.length === 0}>
              {isThere ? 'Put' : 'Create the table and put'} {counted(check.rows.length, 'item')}
            </Button>
          )}
          {isDone && (
            <Button
              kind="main"
              onClick={() => {
                close();
                go(link('items', [name]));
              }}
            >
              Show the items
            </Button>
          )}
        </>
      }
    >
      {progress ? (
        <Running progress={progress} name={name} rows={rows} file={file} />
      ) : (
        <>
          <div class="import-choices">
            <TextField label="Table" value={name} set={setName} isMono isFirst hint={isThere ? 'It is there: items with the same key are replaced.' : undefined} />
            {isThere ? (
              <p class="hint import-key">Key: {keys.join(', ')}</p>
            ) : (
              <>
                <KeySelect label="Partition key" columns={columns} value={partition} set={(to) => (setPartition(to), to === sort && setSort(''))} />
                <KeySelect label="Sort key" columns={columns.filter((one) => one.name !== partition)} value={sort} set={setSort} isOptional />
              </>
            )}
          </div>
          {!isThere && suggested.length > 1 && (
            <p class="row import-suggested">
              <span class="hint">Unique:</span>
              {suggested.map((one) => (
                <Button key={`${one.partition} ${one.sort}`} pressed={one.partition === partition && (one.sort ?? '') === sort} onClick={() => (setPartition(one.partition), setSort(one.sort ?? ''))}>
                  <span class="mono">{one.sort === null ? one.partition : `${one.partition} + ${one.sort}`}</span>
                </Button>
              ))}
            </p>
          )}
          <Check check={check} total={rows.count} wrong={wrong} />
          <Preview rows={rows} keys={keys} setType={(nth, type) => setColumns(columns.map((one, at) => (at === nth ? { ...one, type, why: undefined } : one)))} />
        </>
      )}
      {fault && <ErrorBox fault={fault} />}
    </Dialog>
  );
}

function KeySelect({ label, columns, value, set, isOptional }: { label: string; columns: Column[]; value: string; set: (name: string) => void; isOptional?: boolean }) {
  return (
    <div class="field">
      <label for={`import-${label}`}>{label}</label>
      <select id={`import-${label}`} class="mono" value={value} onChange={(event) => set(event.currentTarget.value)}>
        {isOptional && <option value="">none</option>}
        {columns.map((one) => (
          <option key={one.name} value={one.name} selected={one.name === value} disabled={one.type !== 'S' && one.type !== 'N'}>
            {one.name}
          </option>
        ))}
      </select>
    </div>
  );
}

function wrongOf(rows: Rows, keys: string[], name: string, typeOfKey: ((key: string) => string) | null): string | null {
  if (!/^[A-Za-z0-9_.-]{3,255}$/.test(name)) return 'A table name has 3 to 255 letters, digits, dots, dashes and underscores.';
  for (const key of keys) {
    const column = rows.columns.find((one) => one.name === key);
    if (!column || column.type === 'skip') return `The key attribute ${key} is not among the columns.`;
    if (typeOfKey && rows.kind === 'cells' && typeOfKey(key) !== column.type) return `${key} is of type ${typeOfKey(key)} in the table: choose that type for its column.`;
  }
  return null;
}

function requestOf(name: string, keys: string[], columns: Column[]): Record<string, unknown> {
  const type = (key: string): string => (columns.find((one) => one.name === key)?.type === 'N' ? 'N' : 'S');
  return {
    TableName: name,
    AttributeDefinitions: keys.map((key) => ({ AttributeName: key, AttributeType: type(key) })),
    KeySchema: keys.map((key, nth) => ({ AttributeName: key, KeyType: nth === 0 ? 'HASH' : 'RANGE' })),
    BillingMode: 'PAY_PER_REQUEST',
  };
}

function Check({ check, total, wrong }: { check: ReturnType<typeof checkKeys>; total: number; wrong: string | null }) {
  const isFine = check.replaced === 0 && check.missing === 0;
  return (
    <div class={`import-check ${isFine && !wrong ? 'fine' : ''}`} role="status">
      <Icon name={isFine && !wrong ? 'check' : 'warn'} />
      <span>
        {wrong ?? (
          <>
            {counted(total, 'row')}
            {isFine && ', each with a key of its own.'}
            {check.replaced > 0 && `: ${counted(check.replaced, 'row')} would be replaced by a later one with the same key${check.example ? `, such as ${check.example.slice(0, 80)}` : ''}; ${counted(check.rows.length, 'item is', 'items are')} left.`}
            {check.missing > 0 && ` ${counted(check.missing, 'row has', 'rows have')} no value for the key and ${check.missing === 1 ? 'is' : 'are'} left out.`}
          </>
        )}
      </span>
    </div>
  );
}

function Preview({ rows, keys, setType }: { rows: Rows; keys: string[]; setType: (nth: number, type: ColumnType) => void }) {
  const shown = rows.columns.slice(0, 60);
  return (
    <div class="scroll-x import-preview" tabIndex={0} role="region" aria-label="First rows">
      <table class="plain-table">
        <thead>
          <tr>
            {shown.map((column, nth) => (
              <th key={column.name} title={column.why}>
                <span class="mono">
                  {keys.includes(column.name) && <Icon name="key" />} {visible(column.name.slice(0, 40))}
                </span>
                {rows.kind === 'cells' ? (
                  <select aria-label={`Type of ${column.name}`} value={column.type} onChange={(event) => setType(nth, event.currentTarget.value as ColumnType)}>
                    {types.map((one) => (
                      <option key={one.value} value={one.value} selected={one.value === column.type}>
                        {one.title}
                      </option>
                    ))}
                  </select>
                ) : (
                  <span class="hint">{column.why}</span>
                )}
                {rows.kind === 'cells' && column.why && <span class="import-why">{column.why}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: Math.min(previewed, rows.count) }, (_, row) => (
            <tr key={row}>
              {shown.map((column) => (
                <td key={column.name} class={`mono${column.type === 'N' ? ' figure' : ''}${column.type === 'skip' ? ' hint' : ''}`}>
                  {visible(cellText(rows, row, column))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.columns.length > shown.length && <p class="hint">and {counted(rows.columns.length - shown.length, 'more column')}</p>}
    </div>
  );
}

function cellText(rows: Rows, row: number, column: Column): string {
  if (rows.kind === 'cells') return textAt(rows, row, column.name).slice(0, 60);
  const item = rows.items[row] as Item;
  return Object.hasOwn(item, column.name) ? brief(item[column.name] as never, 60) : '';
}

function Running({ progress, name, rows, file }: { progress: Progress; name: string; rows: Rows; file: string }) {
  const { refused } = progress;
  const written = progress.done - refused.length;
  const isDone = progress.done === progress.of;
  const keep = (): void =>
    saveFile(`refused-of-${file}.jsonl`, 'application/x-ndjson', refused.map((one) => `${JSON.stringify({ row: one.row + 1, why: one.words, cells: rows.kind === 'cells' ? rows.cells[one.row] : rows.items[one.row] })}\n`).join(''));
  return (
    <div class="import-running">
      <p role="status">
        {isDone ? 'Done: ' : progress.isRunning ? 'Writing: ' : 'Stopped: '}
        <b>{count(written)}</b> of {counted(progress.of, 'item')} into <code>{name}</code>
        {!isDone && !progress.isRunning && '. Nothing is lost: the rest is sent when you go on.'}
      </p>
      <progress max={progress.of} value={progress.done} aria-label="Items written" />
      {progress.fault && <ErrorBox fault={progress.fault} />}
      {refused.length > 0 && (
        <>
          <p class="row">
            <span class="fault">{counted(refused.length, 'row was', 'rows were')} refused.</span>
            <Button icon="download" onClick={keep}>
              Keep them as a file
            </Button>
          </p>
          <ul class="import-refused">
            {refused.slice(0, 50).map((one) => (
              <li key={one.row}>
                <span class="hint">row {count(one.row + 1)}</span> {one.words}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
