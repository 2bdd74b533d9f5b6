// Query: a form or PartiQL, told in words and priced before it runs, then its items.

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Address, explainLink, go, link } from '../base/address';
import { useShortcuts } from '../base/keyboard';
import { describe, knownTables, type TableDescription, tableNames, useTable } from '../base/tables';
import { ask, type Asked, inlined, type KeyOperator } from '../data/expressions';
import type { Record_ } from '../data/record';
import { counted } from '../data/sizes';
import { type AttributeValue, TypedFault } from '../data/values';
import type { Reading } from '../items/page';
import { Results, type View } from '../items/Results';
import { attributesOf } from '../items/seen';
import { changed } from '../items/tabs';
import { Button, LinkButton } from '../parts/Button';
import { CodeDialog } from '../parts/Code';
import { Dialog } from '../parts/Dialog';
import { Editor } from '../parts/Editor';
import { EmptyState } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { TextField } from '../parts/Field';
import { Menu } from '../parts/Menu';
import { Spinner } from '../parts/Spinner';
import { say } from '../parts/Toast';
import { Builder } from '../query/Builder';
import { HistoryDialog } from '../query/HistoryDialog';
import { remember, saveAs } from '../query/history';
import { complete, isRead, samplesOf, sourceOf } from '../query/partiql';
import { type Draft, emptyDraft, keyedFor, questionOf, readDraft, rowsOf, writeDraft } from '../query/question';
import { Verdict } from '../query/Verdict';
import { KeyRuler } from '../ruler/KeyRuler';

/** A request in a line. */
function wordsOf({ operation, request }: Reading): string {
  const names = (request['ExpressionAttributeNames'] ?? {}) as Record_<string>;
  const values = (request['ExpressionAttributeValues'] ?? {}) as Record_<AttributeValue>;
  const written = (name: string): string => inlined(String(request[name] ?? ''), names, values);
  if (operation === 'ExecuteStatement') return String(request['Statement']).replace(/\s+/g, ' ').slice(0, 300);
  const parts = [
    `${operation} ${String(request['TableName'])}${request['IndexName'] ? ` by ${String(request['IndexName'])}` : ''}`,
    written('KeyConditionExpression'),
    request['FilterExpression'] ? `filter ${written('FilterExpression')}` : '',
  ];
  return parts.filter(Boolean).join('  ').slice(0, 300);
}

/** Reads a list of names of the address. */
function namesOf(text: string | undefined): string[] | null {
  try {
    const read: unknown = JSON.parse(text ?? 'null');
    return Array.isArray(read) ? read.map(String) : null;
  } catch {
    return null;
  }
}

interface AskingProps {
  address: Address;
  table: TableDescription | null;
  /** What would be asked now; null while something typed is wrong. */
  reading: Reading | null;
  wrong: string | null;
  /** What the address asks. */
  addressed: Reading | null;
  /** The address of this question without its answer. */
  hash: string;
  verdict: string;
  leftOut?: string[];
  /** Whether a link may run it at once. */
  isSafe: boolean;
  tools?: ComponentChildren;
  index: string | null;
  children: ComponentChildren;
  run: () => void;
}

interface Run {
  asked: Reading | null;
  round: number;
  run: () => void;
}

/** What the address says was run: by the button, by a link, or by going back. Only the button runs what may write. */
function useRun(props: AskingProps): Run {
  const { address, reading, table } = props;
  const [round, next] = useState(0);
  const allowed = useRef<string | null>(null);
  const addressed = JSON.stringify(props.addressed);
  const isAsked = address.query.get('run') === '1' && (props.isSafe || allowed.current === addressed);
  const asked = useMemo(() => (isAsked ? props.addressed : null), [isAsked, addressed]);
  const run = (): void => {
    if (reading === null) return;
    allowed.current = JSON.stringify(reading);
    remember({ at: Date.now(), words: wordsOf(reading), hash: props.hash, table: table?.TableName ?? '' });
    next(round + 1);
    props.run();
  };
  return { asked, round, run };
}

/** What the form and the statement share: the verdict, the buttons, and the answer. */
function Asking(props: AskingProps) {
  const { table, reading, wrong, verdict, leftOut = [] } = props;
  const [shown, show] = useState<'code' | 'history' | 'save' | null>(null);
  const { asked, round, run } = useRun(props);
  const form = useRef<HTMLDivElement>(null);
  useShortcuts([
    { keys: 'mod+Enter', words: 'Run', run, whileTyping: true },
    { keys: 'mod+s', words: 'Save the query', run: () => show('save'), whileTyping: true },
    { keys: 'mod+h', words: 'History of queries', run: () => show('history'), whileTyping: true },
    {
      keys: 'alt+e',
      words: 'Go to the form or the editor',
      run: () => form.current?.querySelector<HTMLElement>('.cm-content, input, textarea')?.focus(),
      whileTyping: true,
    },
  ]);
  const close = (): void => show(null);
  return (
    <div class="query">
      <section class="query-side" aria-label="What is asked">
        <div class="query-form" ref={form}>
          {props.children}
          {wrong && <p class="fault query-wrong">{wrong}</p>}
          {leftOut.map((one) => (
            <p key={one} class="hint query-wrong">
              Not used: {one}
            </p>
          ))}
        </div>
        {reading && <Verdict operation={reading.operation} request={reading.request} words={verdict} />}
        <div class="query-buttons">
          <Button kind="main" icon="play" disabled={reading === null} onClick={run} title="Ctrl Enter">
            Run
          </Button>
          {reading && (
            <LinkButton icon="explain" href={explainLink(reading.operation, reading.request)}>
              Explain
            </LinkButton>
          )}
          <Button icon="code" disabled={reading === null} onClick={() => show('code')}>
            Code
          </Button>
          <span class="space" />
          {props.tools}
          <Button kind="quiet" icon="star" label="Save the query" disabled={reading === null} onClick={() => show('save')} />
          <Button kind="quiet" icon="history" label="History and saved queries" onClick={() => show('history')} />
        </div>
      </section>
      <section class="query-answer" aria-label="Answer">
        <Answer props={props} asked={asked} round={round} run={run} />
      </section>
      {shown === 'code' && reading && <CodeDialog operation={reading.operation} request={reading.request} close={close} />}
      {shown === 'history' && <HistoryDialog close={close} />}
      {shown === 'save' && reading && (
        <SaveDialog words={wordsOf(reading)} hash={props.hash} table={table?.TableName ?? ''} close={close} />
      )}
    </div>
  );
}

function Answer({ props, asked, round, run }: { props: AskingProps } & Run) {
  const { address, table, reading } = props;
  const keyed = table ? (keyedFor(table, { ...emptyDraft, index: props.index }) ?? null) : null;
  const view_ = (['json', 'ddb'] as const).find((one) => one === address.query.get('view')) ?? 'table';
  const to = (query: Record<string, string | null>, how: { replace?: boolean } = {}): void => go(changed(address, query), how);
  return (
    <Results
      table={table}
      keyed={keyed}
      reading={asked}
      run={round}
      start={address.query.get('start') ?? null}
      goTo={(start) => to({ start, item: null })}
      item={address.query.get('item') ?? null}
      setItem={(item) => to({ item }, { replace: true })}
      view={view_}
      setView={(next: View) => to({ view: next === 'table' ? null : next })}
      columns={namesOf(address.query.get('cols'))}
      setColumns={(names) => to({ cols: names ? JSON.stringify(names) : null })}
      idle={
        <EmptyState title="Nothing is asked yet">
          <p>What it will read and cost stands beside the form before it runs.</p>
          <Button kind="main" icon="play" disabled={reading === null} onClick={run}>
            Run
          </Button>
        </EmptyState>
      }
    />
  );
}

function SaveDialog({ words, hash, table, close }: { words: string; hash: string; table: string; close: () => void }) {
  const [name, setName] = useState('');
  const save = (): void => {
    if (name.trim() === '') return;
    saveAs(name.trim(), { at: Date.now(), words, hash, table });
    say(`Saved as ${name.trim()}`);
    close();
  };
  return (
    <Dialog
      title="Save the query"
      size="small"
      close={close}
      submit={save}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="main" type="submit" disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} set={setName} isFirst onEnter={save} />
      <p class="hint mono">{words}</p>
      <p class="hint">It is kept in this browser.</p>
    </Dialog>
  );
}

/** Reads the draft of the address: its own, or one by the key that another screen gave. */
function draftOf(address: Address): Draft {
  const own = readDraft(address.query.get('q'));
  if (own) return own;
  const index = address.query.get('index') ?? null;
  try {
    const pk: unknown = JSON.parse(address.query.get('pk') ?? '[]');
    return { ...emptyDraft, index, pk: Array.isArray(pk) ? pk.map(String) : [] };
  } catch {
    return { ...emptyDraft, index };
  }
}

function scanWords(table: TableDescription, index: string | null): string {
  const items = table.ItemCount ? `, ${counted(table.ItemCount, 'item')}` : '';
  return index === null ? `reads the whole table${items}` : `reads the whole index ${index}`;
}

interface Made {
  asked?: Asked;
  wrong?: string;
}

function makeOf(table: TableDescription, draft: Draft): Made {
  const keyed = keyedFor(table, draft);
  if (!keyed) return {};
  try {
    return { asked: ask(questionOf(table, keyed, draft)) };
  } catch (error) {
    if (error instanceof TypedFault) return { wrong: error.message };
    throw error;
  }
}

const readingOf = (asked: Asked | undefined): Reading | null => (asked ? { operation: asked.operation, request: asked.request } : null);

function Form({ address, table }: { address: Address; table: TableDescription }) {
  const given = address.query.get('q') ?? address.query.get('pk') ?? '';
  const [draft, setDraft] = useState(() => draftOf(address));
  const known = attributesOf(table);
  useEffect(() => setDraft(draftOf(address)), [given, address.query.get('index')]);
  const keyed = keyedFor(table, draft);
  const made = useMemo(() => makeOf(table, draft), [table, draft]);
  const ofAddress = useMemo(() => makeOf(table, draftOf(address)).asked, [table, given, address.query.get('index')]);
  if (!keyed) return null;
  const { asked } = made;
  const hash = link('query', [table.TableName], { q: writeDraft(draft) });
  const run = (): void => go(changed({ ...address, query: new Map(view(address)) }, { q: writeDraft(draft), run: '1' }));
  const rows = rowsOf(table, keyed, draft);
  const setSort = (nth: number, operator: KeyOperator | null, values: string[]): void =>
    setDraft({
      ...draft,
      sk: rows.sort.map((row, at) => (at === nth ? { op: operator ?? row.operator, v: values } : { op: row.operator, v: row.values })),
    });
  return (
    <>
      <KeyRuler keyed={keyed} partition={rows.partition} sort={rows.sort} setSort={setSort} />
      <Asking
        address={address}
        table={table}
        index={keyed.index}
        reading={readingOf(asked)}
        addressed={readingOf(ofAddress)}
        wrong={made.wrong ?? null}
        leftOut={asked?.leftOut}
        hash={hash}
        isSafe
        run={run}
        verdict={asked?.operation === 'Query' ? 'reads one range of one partition' : scanWords(table, keyed.index)}
      >
        <Builder
          table={table}
          keyed={keyed}
          draft={draft}
          set={(part) => setDraft({ ...draft, ...part })}
          run={() => asked && run()}
          known={known}
        />
      </Asking>
    </>
  );
}

/** Members of the address that outlive a new question: how items are shown. */
const view = (address: Address): [string, string][] =>
  [...address.query].filter(([name]) => name === 'view' || name === 'cols' || name === 'as');

const isLimitText = (limit: string): boolean => /^[1-9]\d{0,9}$/.test(limit);

function statementReading(statement: string, limit: string): Reading | null {
  if (statement === '' || (limit !== '' && !isLimitText(limit))) return null;
  return { operation: 'ExecuteStatement', request: { Statement: statement, ...(limit === '' ? {} : { Limit: Number(limit) }) } };
}

function Statement({ address, table: given }: { address: Address; table: TableDescription | null }) {
  const [text, setText] = useState(address.query.get('s') ?? '');
  const [limit, setLimit] = useState(address.query.get('limit') ?? '');
  useEffect(() => setText(address.query.get('s') ?? text), [address.query.get('s')]);
  const statement = text.trim().replace(/;\s*$/, '');
  const source = sourceOf(statement);
  const { table } = useTable(source?.table ?? given?.TableName);
  const reading = useMemo(() => statementReading(statement, limit), [statement, limit]);
  const addressed = useMemo(() => statementReading(address.query.get('s') ?? '', address.query.get('limit') ?? ''), [address]);
  const run = (): void => {
    if (reading) go(changed({ ...address, query: new Map(view(address)) }, { as: 'partiql', s: statement, limit, run: '1' }));
  };
  const samples = (table ?? given) ? samplesOf((table ?? given) as TableDescription) : [];
  return (
    <Asking
      address={address}
      table={table}
      index={source?.index ?? null}
      reading={reading}
      addressed={addressed}
      wrong={limit !== '' && !isLimitText(limit) ? 'A limit is a whole number from 1' : null}
      hash={link('query', address.path, { as: 'partiql', s: statement, limit })}
      isSafe={isRead(address.query.get('s') ?? '')}
      run={run}
      verdict={isRead(statement) ? 'reads' : 'writes'}
      tools={
        samples.length > 0 && (
          <Menu kind="quiet" icon="down" entries={samples.map((sample) => ({ title: sample.title, run: () => setText(sample.statement) }))}>
            Samples
          </Menu>
        )
      }
    >
      <div class="statement">
        <Editor
          label="PartiQL statement"
          language="partiql"
          value={text}
          set={setText}
          run={run}
          isFirst
          placeholder="SELECT * FROM ..."
          complete={(before, all) =>
            complete(before, all, { tables: tableNames.peek() ?? [], describe: described, attributes: [...attributesOf(table).keys()] })
          }
        />
      </div>
      <label class="statement-limit">
        Limit{' '}
        <input
          class="mono builder-limit"
          inputmode="numeric"
          placeholder="1 MB"
          value={limit}
          onInput={(event) => setLimit(event.currentTarget.value)}
        />
      </label>
    </Asking>
  );
}

/** Returns a description if it is known, and asks for it if not, for the next time. */
function described(name: string): TableDescription | undefined {
  const known = knownTables.peek().get(name);
  if (known === undefined && tableNames.peek()?.includes(name)) describe(name).catch(() => undefined);
  return known;
}

function Head({ address, name, isStatement }: { address: Address; name: string | undefined; isStatement: boolean }) {
  const names = tableNames.value ?? [];
  return (
    <header class="query-head">
      <h1 class="hidden">Query{name ? ` of ${name}` : ''}</h1>
      <div class="button-group" role="group" aria-label="How to ask">
        <Button pressed={!isStatement} onClick={() => go(link('query', address.path))}>
          Form
        </Button>
        <Button pressed={isStatement} onClick={() => go(link('query', address.path, { as: 'partiql' }))}>
          PartiQL
        </Button>
      </div>
      <select
        class="mono query-table"
        aria-label="Table"
        value={name ?? ''}
        onChange={(event) => go(link('query', [event.currentTarget.value], { as: isStatement ? 'partiql' : null }))}
      >
        {!name && <option value="">table</option>}
        {name && !names.includes(name) && <option value={name}>{name}</option>}
        {names.slice(0, 2000).map((one) => (
          <option key={one} value={one} selected={one === name}>
            {one}
          </option>
        ))}
      </select>
      <span class="space" />
      {name && (
        <LinkButton kind="quiet" icon="items" href={link('items', [name])}>
          Items
        </LinkButton>
      )}
    </header>
  );
}

export function Screen({ address }: { address: Address }) {
  const names = tableNames.value;
  const [name] = address.path;
  const isStatement = address.query.get('as') === 'partiql';
  const { table, fault, again } = useTable(name);
  const [first] = names ?? [];
  useEffect(() => {
    if (!name && first && !isStatement) go(link('query', [first]), { replace: true });
  }, [name, first, isStatement]);
  if (names !== null && names.length === 0 && !name) {
    return (
      <EmptyState title="There is no table to ask yet">
        <LinkButton kind="main" href={link('start')}>
          Load a sample or a file
        </LinkButton>
      </EmptyState>
    );
  }
  return (
    <div class="screen full">
      <Head address={address} name={name} isStatement={isStatement} />
      {isStatement ? (
        <Statement address={address} table={table} />
      ) : table ? (
        <Form key={table.TableName} address={address} table={table} />
      ) : fault ? (
        <div class="screen">
          <ErrorBox fault={fault} retry={again} />
        </div>
      ) : (
        <Spinner words="Describing the table" />
      )}
    </div>
  );
}
