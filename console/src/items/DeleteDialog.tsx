// Deleting items, after they were shown by their keys.

import { useState } from 'preact/hooks';
import { asFault, type Fault } from '../base/faults';
import type { TableDescription } from '../base/tables';
import { count, counted } from '../data/sizes';
import type { Item } from '../data/values';
import { Button } from '../parts/Button';
import { CodeBlock } from '../parts/CodeBlock';
import { Code } from '../parts/Code';
import { Dialog } from '../parts/Dialog';
import { ErrorBox } from '../parts/ErrorBox';
import { say } from '../parts/Toast';
import { deleteRequest, keyOf, keyWords, remove } from './writing';

const mostListed = 100;

export function DeleteDialog({
  table,
  items,
  close,
  done,
}: {
  table: TableDescription;
  items: Item[];
  close: () => void;
  done: () => void;
}) {
  const [keys, setKeys] = useState(() => items.map((item) => keyOf(table, item)).filter((key) => key !== null));
  const [fault, fail] = useState<Fault | null>(null);
  const [isBusy, work] = useState(false);
  const [deleted, setDeleted] = useState(0);
  const send = async (): Promise<void> => {
    work(true);
    fail(null);
    let nth = 0;
    try {
      for (const key of keys) {
        await remove(deleteRequest(table, key));
        nth += 1;
        setDeleted(deleted + nth);
      }
      say(`${counted(deleted + nth, 'item is', 'items are')} deleted`);
      close();
      done();
    } catch (error) {
      setKeys(keys.slice(nth));
      fail(asFault(error));
    } finally {
      work(false);
    }
  };
  const leave = (): void => {
    close();
    if (deleted > 0) done();
  };
  const [first] = keys;
  return (
    <Dialog
      title={`Delete ${counted(keys.length, 'item')} of ${table.TableName}`}
      close={leave}
      isBusy={isBusy}
      submit={() => void send()}
      foot={
        <>
          <Button onClick={leave} disabled={isBusy}>
            Cancel
          </Button>
          <Button kind="danger" icon="trash" type="submit" disabled={isBusy || keys.length === 0}>
            Delete {counted(keys.length, 'item')}
          </Button>
        </>
      }
    >
      <CodeBlock text={keys.slice(0, mostListed).map(keyWords).join('\n')} label="Keys of the items to delete" />
      {keys.length > mostListed && <p class="hint">and {count(keys.length - mostListed)} more</p>}
      {isBusy && <p class="hint">{count(deleted)} deleted</p>}
      {fault && (
        <ErrorBox fault={fault}>{deleted > 0 && <p>{counted(deleted, 'item was', 'items were')} deleted before that.</p>}</ErrorBox>
      )}
      {keys.length === 1 && first && <Code operation="DeleteItem" request={deleteRequest(table, first)} />}
    </Dialog>
  );
}
