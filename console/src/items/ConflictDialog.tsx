// Somebody else changed the item: both versions, and the choice.

import { useState } from 'preact/hooks';
import { asFault, type Fault } from '../base/faults';
import { keyNames, type TableDescription } from '../base/tables';
import { at } from '../data/record';
import { isSame, type Item } from '../data/values';
import { Button } from '../parts/Button';
import { Dialog } from '../parts/Dialog';
import { ErrorBox } from '../parts/ErrorBox';
import { say } from '../parts/Toast';
import { ValueCell } from '../parts/ValueView';
import type { Conflict } from './ValueEditor';
import { changesOf, found, keyWords, put, putRequest, update, updateRequest } from './writing';

export interface ConflictDialogProps {
  table: TableDescription;
  conflict: Conflict;
  close: () => void;
  /** The item as it is at the end; null where there is none. */
  done: (item: Item | null) => void;
}

export function ConflictDialog({ table, conflict, close, done }: ConflictDialogProps) {
  const [now, setNow] = useState(conflict.now);
  const [fault, fail] = useState<Fault | null>(null);
  const [isBusy, work] = useState(false);
  const mine = changesOf(conflict.before, conflict.mine, keyNames(table));
  const names = [
    ...new Set([
      ...mine.map((change) => change.name),
      ...(now ? changesOf(conflict.before, now, keyNames(table)).map((change) => change.name) : []),
    ]),
  ];
  const take = (): void => {
    done(now);
    close();
  };
  const write = async (): Promise<void> => {
    work(true);
    fail(null);
    try {
      if (now === null) {
        await put(putRequest(table, conflict.mine, true));
        done(conflict.mine);
      } else {
        const over = mine.map((change) => ({ ...change, before: at(now, change.name) }));
        done(await update(updateRequest(table, conflict.key, over)));
      }
      say('Your version is saved');
      close();
    } catch (error) {
      const what = asFault(error);
      if (what.kind === 'condition') setNow(await found(what, table, conflict.key).catch(() => now));
      fail(what);
    } finally {
      work(false);
    }
  };
  return (
    <Dialog
      title="The item was changed by somebody else"
      size="wide"
      close={close}
      isBusy={isBusy}
      foot={
        <>
          <Button onClick={close}>Go on editing</Button>
          <Button onClick={take}>{now === null ? 'Leave it deleted' : 'Take the version of the table'}</Button>
          <Button kind="main" disabled={isBusy} onClick={() => void write()}>
            {now === null ? 'Put mine again' : 'Write mine over it'}
          </Button>
        </>
      }
    >
      <p>
        {now === null ? 'It was deleted since it was read: ' : 'It is no longer as it was read: '}
        <code>{keyWords(conflict.key)}</code>
      </p>
      <Versions names={names} conflict={conflict} now={now} />
      {fault && <ErrorBox fault={fault} />}
    </Dialog>
  );
}

function Versions({ names, conflict, now }: { names: string[]; conflict: Conflict; now: Item | null }) {
  return (
    <div class="scroll-x">
      <table class="plain-table conflict">
        <thead>
          <tr>
            <th>Attribute</th>
            <th>When it was read</th>
            <th>In the table now</th>
            <th>Yours</th>
          </tr>
        </thead>
        <tbody>
          {names.slice(0, 200).map((name) => (
            <tr key={name}>
              <td class="mono">{name}</td>
              {[conflict.before, now, conflict.mine].map((item, nth) => (
                <td key={nth} class={`mono${nth > 0 && !isSame(at(item, name), at(conflict.before, name)) ? ' changed' : ''}`}>
                  {at(item, name) === undefined ? <span class="hint">none</span> : <ValueCell value={at(item, name)} name={name} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
