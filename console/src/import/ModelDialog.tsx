// Definitions of tables from a model, a template or a request: what is made, and what is not taken, before it is made.

import { useRef, useState } from 'preact/hooks';
import { go, link } from '../base/address';
import { useAsk } from '../base/ask';
import { call } from '../base/client';
import { asFault, type Fault } from '../base/faults';
import { features, leftOut } from '../base/features';
import { refreshTables, tableNames } from '../base/tables';
import { counted } from '../data/sizes';
import type { Item } from '../data/values';
import { Button } from '../parts/Button';
import { Code } from '../parts/Code';
import { Dialog } from '../parts/Dialog';
import { LeftOut } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { Spinner } from '../parts/Spinner';
import { say } from '../parts/Toast';
import { Import } from './run';
import { createAndWait } from './waitFor';

interface ModelTable {
  Request: Record<string, unknown> & { TableName: string; KeySchema: { AttributeName: string }[] };
  Items?: Item[];
}

interface Model {
  Tables: ModelTable[];
  NotTaken?: string[];
}

interface Creating {
  failed: Fault | null;
  /** The table that is made now. */
  at: string | null;
  /** Whether this dialog has made the table and not written all of its items. */
  begun: (name: string) => boolean;
  create: (tables: ModelTable[]) => Promise<void>;
}

/** Makes tables with their items, one after the other. What a fault leaves is gone on with by the same button. */
function useCreating(close: () => void): Creating {
  const [failed, fail] = useState<Fault | null>(null);
  const [at, setAt] = useState<string | null>(null);
  const writing = useRef(new Map<string, Import>());
  const stopped = useRef<Fault | null>(null);
  const makeOne = async ({ Request: request, Items: items = [] }: ModelTable): Promise<void> => {
    const { TableName: name } = request;
    setAt(name);
    if (!writing.current.has(name)) {
      await createAndWait(request);
      const rows = items.map((_, nth) => nth);
      writing.current.set(
        name,
        new Import(
          name,
          rows,
          (nth) => items[nth] as Item,
          (progress) => (stopped.current = progress.fault),
        ),
      );
    }
    await writing.current.get(name)?.run();
    if (stopped.current !== null) throw stopped.current;
    writing.current.delete(name);
  };
  const create = async (tables: ModelTable[]): Promise<void> => {
    fail(null);
    try {
      for (const table of tables) await makeOne(table);
      say(`${counted(tables.length, 'table is', 'tables are')} created`);
      close();
      go(link(tables[0] ? 'items' : 'tables', tables[0] ? [tables[0].Request.TableName] : []));
    } catch (error) {
      fail(asFault(error));
    } finally {
      setAt(null);
      await refreshTables();
    }
  };
  return { failed, at, begun: (name) => writing.current.has(name), create };
}

export function ModelDialog({ file, text, close }: { file: string; text: string; close: () => void }) {
  const { answer, fault, isWaiting } = useAsk(file, (signal) =>
    call<Model>('ReadModel', { FileName: file, Text: text }, { own: true, signal }),
  );
  const [chosen, choose] = useState<ReadonlySet<string> | null>(null);
  const there = new Set(tableNames.value ?? []);
  const tables = answer?.Tables ?? [];
  const names = chosen ?? new Set(tables.map((one) => one.Request.TableName).filter((name) => !there.has(name)));
  const toggle = (name: string): void =>
    choose(names.has(name) ? new Set([...names].filter((one) => one !== name)) : new Set([...names, name]));
  const { failed, at, begun, create } = useCreating(close);
  const left = tables.filter(({ Request: { TableName: name } }) => names.has(name) && (!there.has(name) || begun(name)));
  const wanted = left.length;
  return (
    <Dialog
      title={`Tables of ${file}`}
      size="wide"
      close={close}
      isBusy={at !== null}
      submit={() => void create(left)}
      foot={
        <>
          <Button onClick={close} disabled={at !== null}>
            Cancel
          </Button>
          <Button kind="main" type="submit" disabled={wanted === 0 || at !== null}>
            Create {counted(wanted, 'table')}
          </Button>
        </>
      }
    >
      {isWaiting && !answer && <Spinner words="Reading the model" />}
      {features.has('ReadModel') === false ? (
        <LeftOut>{leftOut('Reading models', 'ReadModel')} Rows of CSV and JSON can be imported.</LeftOut>
      ) : (
        fault && <ErrorBox fault={fault} />
      )}
      {tables.map((one) => (
        <ModelTableRow
          key={one.Request.TableName}
          table={one}
          isThere={there.has(one.Request.TableName)}
          isChosen={names.has(one.Request.TableName)}
          toggle={toggle}
        />
      ))}
      {(answer?.NotTaken?.length ?? 0) > 0 && (
        <div>
          <h3>Not taken</h3>
          <ul class="import-refused">
            {answer?.NotTaken?.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </div>
      )}
      {at && <p role="status">Creating {at}</p>}
      {failed && <ErrorBox fault={failed} />}
    </Dialog>
  );
}

function ModelTableRow({
  table,
  isThere,
  isChosen,
  toggle,
}: {
  table: ModelTable;
  isThere: boolean;
  isChosen: boolean;
  toggle: (name: string) => void;
}) {
  const { TableName: name, KeySchema: schema } = table.Request;
  return (
    <details class="model-table">
      <summary>
        <input
          type="checkbox"
          aria-label={`Create ${name}`}
          checked={isChosen && !isThere}
          disabled={isThere}
          onClick={(event) => event.stopPropagation()}
          onChange={() => toggle(name)}
        />{' '}
        <code>{name}</code>{' '}
        <span class="hint">
          {schema.map((key) => key.AttributeName).join(', ')} · {counted(table.Items?.length ?? 0, 'item')}
          {isThere && ' · a table of this name is there'}
        </span>
      </summary>
      <Code operation="CreateTable" request={table.Request} />
    </details>
  );
}
