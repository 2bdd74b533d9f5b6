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
import { checkKeys, type KeyCheck, type KeyChoice, suggestKeys } from './keys';
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
  (
    file
      .replace(/\.[^.]+$/, '')
      .replace(/[^A-Za-z0-9_.-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 255) || 'table'
  ).padEnd(3, '_');

interface Writing {
  progress: Progress | null;
  fault: Fault | null;
  isCreating: boolean;
  start: (request: Record<string, unknown> | null, name: string, rows: Rows, order: number[]) => void | Promise<void>;
  goOn: () => void;
  stop: () => void;
}

/** Creates the table where `request` says how, and writes the rows in their order. */
function useWriting(): Writing {
  const [fault, fail] = useState<Fault | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [isCreating, create] = useState(false);
  const running = useRef<Import | null>(null);
  useEffect(() => () => running.current?.stop(), []);
  const start: Writing['start'] = async (request, name, rows, order) => {
    fail(null);
    create(true);
    try {
      if (request !== null) await createAndWait(request);
      await refreshTables();
      running.current = new Import(name, order, (row) => itemAt(rows, row), setProgress);
      create(false);
      await running.current.run();
    } catch (error) {
      fail(asFault(error));
    } finally {
      create(false);
    }
  };
  return { progress, fault, isCreating, start, goOn: () => void running.current?.run(), stop: () => running.current?.stop() };
}

interface Choices {
  rows: Rows;
  setType: (nth: number, type: ColumnType) => void;
  suggested: KeyChoice[];
  name: string;
  setName: (name: string) => void;
  key: KeyChoice;
  setKey: (key: KeyChoice) => void;
  isThere: boolean;
  keys: string[];
  check: KeyCheck;
  wrong: string | null;
}

/** What is chosen before the writing: types, table and key, and what follows from them. */
function useChoices(file: string, read: Rows): Choices {
  const [columns, setColumns] = useState<Column[]>(read.columns);
  const rows = useMemo((): Rows => ({ ...read, columns }), [read, columns]);
  const suggested = useMemo(() => suggestKeys(read), [read]);
  const [name, setName] = useState(nameOf(file));
  const [key, setKey] = useState<KeyChoice>(suggested[0] ?? { partition: columns[0]?.name ?? '', sort: null });
  const isThere = tableNames.value?.includes(name) ?? false;
  const { table } = useTable(isThere ? name : null);
  const keys = table ? keyNames(table) : [key.partition, key.sort ?? ''].filter(Boolean);
  const check = useMemo(() => checkKeys(rows, keys), [rows, keys.join('\u0000')]);
  const wrong = wrongOf(rows, keys, name, table ? (one) => keyType(table, one) : null);
  const setType = (nth: number, type: ColumnType): void =>
    setColumns(columns.map((one, at) => (at === nth ? { ...one, type, why: undefined } : one)));
  return { rows, setType, suggested, name, setName, key, setKey, isThere, keys, check, wrong };
}

export function ImportDialog({ file, rows: read, close }: { file: string; rows: Rows; close: () => void }) {
  const choices = useChoices(file, read);
  const writing = useWriting();
  const { progress, isCreating } = writing;
  const { name, keys, rows, check, wrong, isThere } = choices;
  const start = (): void => {
    if (!wrong && !progress && !isCreating)
      void writing.start(isThere ? null : requestOf(name, keys, rows.columns), name, rows, check.rows);
  };
  return (
    <Dialog
      title={`Import ${file}`}
      size="wide"
      close={close}
      isBusy={isCreating || progress?.isRunning === true}
      submit={start}
      foot={<ImportFoot choices={choices} writing={writing} close={close} />}
    >
      {progress ? <Running progress={progress} name={name} rows={rows} file={file} /> : <ImportChoices choices={choices} />}
      {writing.fault && <ErrorBox fault={writing.fault} />}
    </Dialog>
  );
}

function ImportFoot({ choices, writing, close }: { choices: Choices; writing: Writing; close: () => void }) {
  const { progress, isCreating } = writing;
  const isRunning = isCreating || progress?.isRunning === true;
  const isDone = progress !== null && !progress.isRunning && progress.done === progress.of;
  const show = (): void => {
    close();
    go(link('items', [choices.name]));
  };
  return (
    <>
      {progress?.isRunning && (
        <Button icon="stop" onClick={writing.stop}>
          Stop
        </Button>
      )}
      {!isRunning && <Button onClick={close}>{progress ? 'Close' : 'Cancel'}</Button>}
      {progress && !isRunning && !isDone && (
        <Button kind="main" onClick={writing.goOn}>
          Go on
        </Button>
      )}
      {!progress && (
        <Button kind="main" icon="upload" type="submit" disabled={choices.wrong !== null || isCreating || choices.check.rows.length === 0}>
          {choices.isThere ? 'Put' : 'Create the table and put'} {counted(choices.check.rows.length, 'item')}
        </Button>
      )}
      {isDone && (
        <Button kind="main" onClick={show}>
          Show the items
        </Button>
      )}
    </>
  );
}

function ImportChoices({ choices }: { choices: Choices }) {
  const { rows, suggested, name, key, setKey, isThere, keys } = choices;
  const { columns } = rows;
  return (
    <>
      <div class="import-choices">
        <TextField
          label="Table"
          value={name}
          set={choices.setName}
          isMono
          isFirst
          hint={isThere ? 'It is there: items with the same key are replaced.' : undefined}
        />
        {isThere ? (
          <p class="hint import-key">Key: {keys.join(', ')}</p>
        ) : (
          <>
            <KeySelect
              label="Partition key"
              columns={columns}
              value={key.partition}
              set={(to) => setKey({ partition: to, sort: key.sort === to ? null : key.sort })}
            />
            <KeySelect
              label="Sort key"
              columns={columns.filter((one) => one.name !== key.partition)}
              value={key.sort ?? ''}
              set={(to) => setKey({ ...key, sort: to || null })}
              isOptional
            />
          </>
        )}
      </div>
      {!isThere && suggested.length > 1 && (
        <p class="row import-suggested">
          <span class="hint">Unique:</span>
          {suggested.map((one) => (
            <Button
              key={`${one.partition} ${one.sort}`}
              pressed={one.partition === key.partition && one.sort === key.sort}
              onClick={() => setKey(one)}
            >
              <span class="mono">{one.sort === null ? one.partition : `${one.partition} + ${one.sort}`}</span>
            </Button>
          ))}
        </p>
      )}
      <Check check={choices.check} total={rows.count} wrong={choices.wrong} />
      <Preview rows={rows} keys={keys} setType={choices.setType} />
    </>
  );
}

function KeySelect({
  label,
  columns,
  value,
  set,
  isOptional,
}: {
  label: string;
  columns: Column[];
  value: string;
  set: (name: string) => void;
  isOptional?: boolean;
}) {
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
    if (typeOfKey && rows.kind === 'cells' && typeOfKey(key) !== column.type)
      return `${key} is of type ${typeOfKey(key)} in the table: choose that type for its column.`;
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
            {check.replaced > 0 &&
              `: ${counted(check.replaced, 'row')} would be replaced by a later one with the same key${check.example ? `, such as ${check.example.slice(0, 80)}` : ''}; ${counted(check.rows.length, 'item is', 'items are')} left.`}
            {check.missing > 0 &&
              ` ${counted(check.missing, 'row has', 'rows have')} no value for the key and ${check.missing === 1 ? 'is' : 'are'} left out.`}
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
                  <select
                    aria-label={`Type of ${column.name}`}
                    value={column.type}
                    onChange={(event) => setType(nth, event.currentTarget.value as ColumnType)}
                  >
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
    saveFile(
      `refused-of-${file}.jsonl`,
      'application/x-ndjson',
      refused
        .map(
          (one) =>
            `${JSON.stringify({ row: one.row + 1, why: one.words, cells: rows.kind === 'cells' ? rows.cells[one.row] : rows.items[one.row] })}\n`,
        )
        .join(''),
    );
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
