// An item as a whole: a new one, a copy, or one edited as DynamoDB JSON. An edit is sent as an update of what differs.

import { useMemo, useState } from 'preact/hooks';
import { asFault, type Fault } from '../base/faults';
import { keyNames, keyType, type TableDescription } from '../base/tables';
import { isObject, shownJson, writeJson } from '../data/json';
import { at, record } from '../data/record';
import {
  type AttributeValue,
  isSame,
  type Item,
  itemOfPlain,
  itemOfTyped,
  looksTyped,
  plainItem,
  readJson,
  TypedFault,
  typedText,
} from '../data/values';
import { Button } from '../parts/Button';
import { CodeDialog } from '../parts/Code';
import { Dialog } from '../parts/Dialog';
import { Editor } from '../parts/Editor';
import { ErrorBox } from '../parts/ErrorBox';
import { say } from '../parts/Toast';
import { type Conflict, updateWords } from './ValueEditor';
import { changesOf, found, keyOf, put, putRequest, update, updateRequest } from './writing';

export interface ItemDialogProps {
  table: TableDescription;
  mode: 'new' | 'copy' | 'edit';
  /** The item to begin with. */
  item: Item | null;
  close: () => void;
  done: (item: Item) => void;
  conflict: (conflict: Conflict) => void;
}

/** Returns an item with the keys of the table to fill in. */
function empty(table: TableDescription): Item {
  const values = { S: { S: '' }, N: { N: '0' }, B: { B: '' } };
  return record(keyNames(table).map((name): [string, AttributeValue] => [name, values[keyType(table, name)]]));
}

const json = (item: Item): string => typedText(item);

/** Reads what was typed: DynamoDB JSON, or plain JSON, whose numbers are numbers and whose texts are texts. */
export function readItemText(text: string): Item {
  const read = readJson(text);
  if (!isObject(read)) throw new TypedFault('An item stands in { }');
  return looksTyped(read) || Object.keys(read).length === 0 ? itemOfTyped(read) : itemOfPlain(read);
}

function check(table: TableDescription, text: string, mode: ItemDialogProps['mode'], before: Item | null): { item?: Item; wrong?: string } {
  try {
    const item = readItemText(text);
    for (const name of keyNames(table)) {
      const value = at(item, name);
      const type = keyType(table, name);
      if (value === undefined) return { wrong: `The key attribute ${name} is missing` };
      if (!(type in value)) return { wrong: `The key attribute ${name} must be of type ${type}` };
      if (type !== 'N' && Object.values(value)[0] === '') return { wrong: `The key attribute ${name} is empty` };
      if (mode === 'edit' && !isSame(value, at(before, name)))
        return { wrong: `${name} is part of the key, which cannot be changed: copy the item instead` };
    }
    return { item };
  } catch (error) {
    if (error instanceof TypedFault) return { wrong: error.message };
    throw error;
  }
}

const titles = { new: 'New item', copy: 'Copy of an item', edit: 'Edit the item' };

interface Sending {
  fault: Fault | null;
  isBusy: boolean;
  send: (request: Record<string, unknown>, after: Item, key: Item | null) => void;
}

/** Sends the update of the item with `key`, or the put of a new one where that is null. */
function useSending({ table, item, close, done, conflict }: ItemDialogProps): Sending {
  const [fault, fail] = useState<Fault | null>(null);
  const [isBusy, work] = useState(false);
  // What is there may be this very edit: it was done, and its answer was lost.
  const settle = (key: Item, before: Item, mine: Item) => (now: Item | null): void => {
    if (now === null || changesOf(now, mine, keyNames(table)).length > 0) return conflict({ key, before, mine, now });
    done(now);
    say('The item was saved already');
    close();
  };
  const send = async (request: Record<string, unknown>, after: Item, key: Item | null): Promise<void> => {
    work(true);
    fail(null);
    try {
      if (key !== null) done(await update(request));
      else {
        await put(request);
        done(after);
      }
      say('The item is saved');
      close();
    } catch (error) {
      const what = asFault(error);
      if (what.kind === 'condition' && key !== null && item) await found(what, table, key).then(settle(key, item, after), (other: unknown) => fail(asFault(other)));
      else fail(what);
    } finally {
      work(false);
    }
  };
  return { fault, isBusy, send: (request, after, key) => void send(request, after, key) };
}

function Words({
  wrong,
  isUpdate,
  request,
  isChanged,
}: {
  wrong?: string;
  isUpdate: boolean;
  request: Record<string, unknown> | null;
  isChanged: boolean;
}) {
  const words = isUpdate && request && isChanged ? updateWords(request) : null;
  return (
    <p class={`editor-words ${wrong ? 'fault' : 'hint'}`} role="status">
      {wrong ?? (isUpdate ? (isChanged ? '' : 'Nothing is changed yet.') : 'Put only if no item has this key.')}
      {words && (
        <span class="mono">
          {words.update} <br />
          <span class="hint">if {words.condition}</span>
        </span>
      )}
    </p>
  );
}

export function ItemDialog(props: ItemDialogProps) {
  const { table, mode, item, close } = props;
  const [text, setText] = useState(json(item ?? empty(table)));
  const [form, setForm] = useState<'ddb' | 'plain'>('ddb');
  const [showsCode, showCode] = useState(false);
  const { fault, isBusy, send } = useSending(props);
  const read = useMemo(() => check(table, text, mode, item), [text]);
  const key = item && mode === 'edit' ? keyOf(table, item) : null;
  const isUpdate = key !== null;
  const changes = isUpdate && item && read.item ? changesOf(item, read.item, keyNames(table)) : [];
  const request = !read.item ? null : isUpdate ? updateRequest(table, key, changes) : putRequest(table, read.item, true);
  const cannot = request === null || (isUpdate && changes.length === 0) || isBusy;
  const save = (): void => {
    if (!cannot && read.item) send(request, read.item, key);
  };
  const turn = (): void => {
    if (!read.item) return;
    setText(form === 'ddb' ? shownJson(writeJson(plainItem(read.item), 2)) : json(read.item));
    setForm(form === 'ddb' ? 'plain' : 'ddb');
  };
  const foot = (
    <>
      {mode !== 'edit' && (
        <Button
          kind="quiet"
          disabled={!read.item}
          onClick={turn}
          title="Plain JSON: numbers are numbers, texts are texts, arrays are lists"
        >
          {form === 'ddb' ? 'As plain JSON' : 'As DynamoDB JSON'}
        </Button>
      )}
      <Button kind="quiet" icon="code" label="This request as code" disabled={cannot} onClick={() => showCode(true)} />
      <span class="space" />
      <Button onClick={close}>Cancel</Button>
      <Button kind="main" disabled={cannot} onClick={save}>
        {isUpdate ? 'Update' : 'Put'}
      </Button>
    </>
  );
  return (
    <Dialog title={`${titles[mode]} · ${table.TableName}`} size="wide" close={close} isBusy={isBusy} foot={foot}>
      <div class="item-editor">
        <Editor label="Item as JSON" language="json" value={text} set={setText} run={save} isFirst />
      </div>
      <Words wrong={read.wrong} isUpdate={isUpdate} request={request} isChanged={changes.length > 0} />
      {fault && (
        <ErrorBox fault={fault}>
          {fault.kind === 'condition' && <p>An item with this key is there already. Change the key, or edit that item.</p>}
        </ErrorBox>
      )}
      {showsCode && request && (
        <CodeDialog operation={isUpdate ? 'UpdateItem' : 'PutItem'} request={request} close={() => showCode(false)} />
      )}
    </Dialog>
  );
}
