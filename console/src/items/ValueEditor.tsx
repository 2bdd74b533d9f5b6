// A value edited in place: as an update whose expression is shown, on the condition that it is as it was read.

import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { asFault, type Fault } from '../base/faults';
import type { TableDescription } from '../base/tables';
import { inlined } from '../data/expressions';
import { escapedText, readEscaped } from '../data/json';
import type { Record_ } from '../data/record';
import { at, record } from '../data/record';
import { momentWords } from '../data/times';
import { type AttributeValue, fromTyped, isSame, type Item, toTyped, TypedFault, type TypeName, typeNames, typeOf, typeWords } from '../data/values';
import { Button } from '../parts/Button';
import { CodeDialog } from '../parts/Code';
import { ErrorBox } from '../parts/ErrorBox';
import { AreaField, SelectField, TextField } from '../parts/Field';
import { say } from '../parts/Toast';
import { binaryForm, momentOf, visible } from '../parts/ValueView';
import { found, keyOf, keyWords, update, updateRequest } from './writing';

export interface Conflict {
  key: Item;
  before: Item;
  mine: Item;
  now: Item | null;
}

export interface ValueEditorProps {
  table: TableDescription;
  item: Item;
  name: string;
  /** The cell that is edited, to stand beside it. */
  beside: DOMRect;
  close: () => void;
  done: (item: Item) => void;
  conflict: (conflict: Conflict) => void;
}

const isLong = (type: TypeName, text: string): boolean =>
  type === 'L' || type === 'M' || type === 'SS' || type === 'NS' || type === 'BS' || text.length > 60 || text.includes('\n');

/** Signs that a field of a form would change or hide: a text that has them is edited with the escapes of JSON. */
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

const isUnsafe = (value: AttributeValue | undefined): value is { S: string } => value !== undefined && 'S' in value && unsafe.test(value.S);

/** The words of an update, with its values in place. */
export const updateWords = (request: Record<string, unknown>): { update: string; condition: string } => {
  const names = (request['ExpressionAttributeNames'] ?? {}) as Record_<string>;
  const values = (request['ExpressionAttributeValues'] ?? {}) as Record_<AttributeValue>;
  const written = (name: string): string => inlined(String(request[name] ?? ''), names, values).slice(0, 600);
  return { update: written('UpdateExpression'), condition: written('ConditionExpression') };
};

/** Returns the item with one attribute changed. */
export function withValue(item: Item, name: string, value: AttributeValue | undefined): Item {
  const others = Object.entries(item).filter(([one]) => one !== name);
  return record(value === undefined ? others : [...others, [name, value]]);
}

function place(beside: DOMRect): Record<string, string> {
  const width = Math.min(440, innerWidth - 16);
  const left = Math.max(8, Math.min(beside.left, innerWidth - width - 8));
  const isBelow = beside.bottom < innerHeight * 0.6;
  return {
    width: `${width}px`,
    left: `${left}px`,
    ...(isBelow ? { top: `${beside.bottom + 2}px` } : { bottom: `${innerHeight - beside.top + 2}px` }),
  };
}

/** Reads what is typed, or says what is wrong with it. */
function readTyped(type: TypeName, text: string, isEscaped: boolean): { value?: AttributeValue; wrong?: string } {
  if (type === 'S' && isEscaped) {
    const read = readEscaped(text);
    return read === null ? { wrong: 'Signs that cannot be seen are written as in JSON, such as \\r or \\u0007; \\\\ and \\" stand for themselves' } : { value: { S: read } };
  }
  try {
    return { value: fromTyped(type, text, binaryForm.value) };
  } catch (error) {
    if (error instanceof TypedFault) return { wrong: error.message };
    throw error;
  }
}

interface Sending {
  fault: Fault | null;
  isBusy: boolean;
  send: (value: AttributeValue | undefined) => void;
}

/** Sends the update of one attribute; undefined removes it. */
function useSending({ table, item, name, close, done, conflict }: ValueEditorProps, key: Item | null): Sending {
  const [fault, fail] = useState<Fault | null>(null);
  const [isBusy, work] = useState(false);
  // What is there may be this very edit: it was done, and its answer was lost.
  const settle = (of: Item, value: AttributeValue | undefined) => (now: Item | null): void => {
    if (now === null || !isSame(at(now, name), value)) return conflict({ key: of, before: item, mine: withValue(item, name, value), now });
    done(now);
    say(`${name} was saved already`);
    close();
  };
  const send = async (value: AttributeValue | undefined): Promise<void> => {
    if (key === null || isBusy) return;
    work(true);
    fail(null);
    try {
      done(await update(updateRequest(table, key, [{ name, before: at(item, name), after: value }])));
      say(value === undefined ? `${name} is removed` : `${name} is saved`);
      close();
    } catch (error) {
      const what = asFault(error);
      if (what.kind !== 'condition') fail(what);
      else await found(what, table, key).then(settle(key, value), (other: unknown) => fail(asFault(other)));
    } finally {
      work(false);
    }
  };
  return { fault, isBusy, send: (value) => void send(value) };
}

function ValueFields({
  type,
  setType,
  text,
  setText,
  wrong,
  hint,
}: {
  type: TypeName;
  setType: (type: TypeName) => void;
  text: string;
  setText: (text: string) => void;
  wrong?: string;
  hint?: string;
}) {
  const Input = isLong(type, text) ? AreaField : TextField;
  return (
    <div class="popover-value">
      <SelectField
        label="Type"
        isLabelHidden
        value={type}
        set={setType}
        choices={typeNames.map((one) => ({ value: one, title: `${one} ${typeWords[one]}` }))}
      />
      {type === 'BOOL' ? (
        <SelectField
          label="Value"
          isLabelHidden
          value={text === 'true' ? 'true' : 'false'}
          set={setText}
          choices={[
            { value: 'true', title: 'true' },
            { value: 'false', title: 'false' },
          ]}
        />
      ) : (
        type !== 'NULL' && (
          <Input
            label="Value"
            isLabelHidden
            value={text}
            set={setText}
            fault={wrong}
            {...{ isMono: true, isFirst: true, rows: 6 }}
            hint={hint}
          />
        )
      )}
    </div>
  );
}

export function ValueEditor(props: ValueEditorProps) {
  const { table, item, name, beside, close } = props;
  const before = at(item, name);
  const [type, setType] = useState<TypeName>(before ? typeOf(before) : 'S');
  const [text, setText] = useState(isUnsafe(before) ? escapedText(before.S) : before ? toTyped(before, binaryForm.value) : '');
  const isEscaped = isUnsafe(before);
  const [showsCode, showCode] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const key = keyOf(table, item);
  const { fault, isBusy, send } = useSending(props, key);
  const typed = useMemo(() => readTyped(type, text, isEscaped), [type, text, isEscaped]);
  useFocusIn(box, close);
  if (key === null) return null;
  const request = updateRequest(table, key, [{ name, before, after: typed.value }]);
  const words = updateWords(request);
  const moment = typed.value ? momentOf(typed.value, name) : null;
  const save = (): void => typed.value && send(typed.value);
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey || (event.target as Element).tagName === 'INPUT')) return;
    event.preventDefault();
    save();
  };
  const choose = (next: TypeName): void => {
    setType(next);
    if (next === 'BOOL' && text !== 'true' && text !== 'false') setText('true');
  };
  return (
    <div class="popover" role="dialog" aria-label={`Edit ${name}`} ref={box} style={place(beside)} onKeyDown={keys}>
      <p class="popover-title">
        <code>{visible(name)}</code> <span class="hint">of {visible(keyWords(key))}</span>
      </p>
      <ValueFields type={type} setType={choose} text={text} setText={setText} wrong={typed.wrong} hint={moment !== null ? momentWords(moment) : isEscaped && type === 'S' ? 'With escapes as in JSON, such as \\r or \\u0007' : undefined} />
      <p class="update-words">
        {typed.value !== undefined && words.update}
        <br />
        <span class="hint">if {words.condition}</span>
      </p>
      {fault && <ErrorBox fault={fault} />}
      <p class="row">
        <Button kind="main" disabled={typed.value === undefined || isBusy} onClick={save}>
          Save
        </Button>
        <Button onClick={close}>Cancel</Button>
        <span class="space" />
        <Button kind="quiet" icon="code" label="This update as code" disabled={typed.value === undefined} onClick={() => showCode(true)} />
        {before !== undefined && (
          <Button kind="quiet" icon="trash" label={`Remove ${name}`} disabled={isBusy} onClick={() => send(undefined)} />
        )}
      </p>
      {showsCode && <CodeDialog operation="UpdateItem" request={request} close={() => showCode(false)} />}
    </div>
  );
}

/** Takes the focus in, and closes by Escape and by a click elsewhere. What was typed is kept while a request fails. */
function useFocusIn(box: { current: HTMLDivElement | null }, close: () => void): void {
  const newest = useRef(close);
  newest.current = close;
  useLayoutEffect(() => {
    const before = document.activeElement;
    const first = box.current?.querySelector<HTMLElement>('[data-first]') ?? box.current?.querySelector<HTMLElement>('select');
    first?.focus();
    if (first instanceof HTMLInputElement || first instanceof HTMLTextAreaElement) first.select();
    const key = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) newest.current();
      if (event.key === 'Tab') keepIn(event, box.current);
    };
    const press = (event: Event): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target) && document.querySelector('dialog[open]') === null)
        newest.current();
    };
    addEventListener('keydown', key);
    addEventListener('pointerdown', press);
    return () => {
      removeEventListener('keydown', key);
      removeEventListener('pointerdown', press);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
}

function keepIn(event: KeyboardEvent, box: HTMLElement | null): void {
  const all = [...(box?.querySelectorAll<HTMLElement>('button:not(:disabled), input, select, textarea') ?? [])];
  const edge = event.shiftKey ? all[0] : all.at(-1);
  if (document.activeElement !== edge) return;
  event.preventDefault();
  (event.shiftKey ? all.at(-1) : all[0])?.focus();
}
