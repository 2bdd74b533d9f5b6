// Definitions of tables from a model, a template or a request: what is made, and what is not taken, before it is made.

import { useState } from 'preact/hooks';
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

export function ModelDialog({ file, text, close }: { file: string; text: string; close: () => void }) {
  const { answer, fault, isWaiting } = useAsk(file, (signal) => call<Model>('ReadModel', { FileName: file, Text: text }, { own: true, signal }));
  const [chosen, choose] = useState<ReadonlySet<string> | null>(null);
  const [failed, fail] = useState<Fault | null>(null);
  const [at, setAt] = useState<string | null>(null);
  const there = new Set(tableNames.value ?? []);
  const tables = answer?.Tables ?? [];
  const names = chosen ?? new Set(tables.map((one) => one.Request.TableName).filter((name) => !there.has(name)));
  const toggle = (name: string): void => choose(names.has(name) ? new Set([...names].filter((one) => one !== name)) : new Set([...names, name]));
  const create = async (): Promise<void> => {
    fail(null);
    const left = tables.filter((one) => names.has(one.Request.TableName) && !there.has(one.Request.TableName));
    try {
      for (const { Request: request, Items: items = [] } of left) {
        setAt(request.TableName);
        await createAndWait(request);
        let stopped: Fault | null = null;
        const all = new Import(request.TableName, items.map((_, nth) => nth), (nth) => items[nth] as Item, (progress) => (stopped = progress.fault));
        await all.run();
        if (stopped !== null) throw stopped as Fault;
      }
      say(`${counted(left.length, 'table is', 'tables are')} created`);
      close();
      go(link(left[0] ? 'items' : 'tables', left[0] ? [left[0].Request.TableName] : []));
    } catch (error) {
      fail(asFault(error));
    } finally {
      setAt(null);
      await refreshTables();
    }
  };
  const wanted = [...names].filter((name) => !there.has(name)).length;
  return (
    <Dialog
      title={`Tables of ${file}`}
      size="wide"
      close={close}
      isBusy={at !== null}
      submit={() => void create()}
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
      {features.has('ReadModel') === false ? <LeftOut>{leftOut('Reading models', 'ReadModel')} Rows of CSV and JSON can be imported.</LeftOut> : fault && <ErrorBox fault={fault} />}
      {tables.map((one) => (
        <ModelTableRow key={one.Request.TableName} table={one} isThere={there.has(one.Request.TableName)} isChosen={names.has(one.Request.TableName)} toggle={toggle} />
      ))}
      {(answer?.NotTaken?.length ?? 0) > 0 && (
        <div>
          <h3>Not taken</h3>
          <ul class="import-refused">
            {answer?.NotTaken?.map((words) => <li key={words}>{words}</li>)}
          </ul>
        </div>
      )}
      {at && <p role="status">Creating {at}</p>}
      {failed && <ErrorBox fault={failed} />}
    </Dialog>
  );
}

function ModelTableRow({ table, isThere, isChosen, toggle }: { table: ModelTable; isThere: boolean; isChosen: boolean; toggle: (name: string) => void }) {
  const { TableName: name, KeySchema: schema } = table.Request;
  return (
    <details class="model-table">
      <summary>
        <input type="checkbox" aria-label={`Create ${name}`} checked={isChosen && !isThere} disabled={isThere} onClick={(event) => event.stopPropagation()} onChange={() => toggle(name)} /> <code>{name}</code>{' '}
        <span class="hint">
          {schema.map((key) => key.AttributeName).join(', ')} · {counted(table.Items?.length ?? 0, 'item')}
          {isThere && ' · a table of this name is there'}
        </span>
      </summary>
      <Code operation="CreateTable" request={table.Request} />
    </details>
  );
}
