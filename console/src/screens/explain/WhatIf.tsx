// An index that is not there: its form, its ruler under the request's own, its figures beside them.

import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../base/client';
import { asFault, isAbort, type Fault } from '../../base/faults';
import { keyedOf, type TableDescription } from '../../base/tables';
import { bytes, count, counted, percent, units, writeUnits } from '../../data/sizes';
import { Button } from '../../parts/Button';
import { ErrorBox } from '../../parts/ErrorBox';
import { CheckField, SelectField, TextField } from '../../parts/Field';
import { Spinner } from '../../parts/Spinner';
import { Ruler } from '../../ruler/Ruler';
import { supposedLine } from '../../ruler/supposed';
import { toldText } from '../../ruler/told';
import { typeIn, type Asked } from './explanation';
import { amountOf, between, bytesBetween, itemsBetween, unitsBetween, type Explained, type ReadStep } from '../../data/explained';
import { CreateIndex, Progress } from './CreateIndex';
import { thrownOf } from './Figures';
import { byKey, changed, definitionOf, type IndexDraft } from './rewrite';
import { Scroll } from '../../ruler/Scroll';

const namesIn = (text: string): string[] => [...new Set(text.split(',').map((one) => one.trim()).filter((one) => one !== ''))];

/** Returns the request as it would be asked of the index. */
export function askedOf(asked: Asked, draft: IndexDraft): Asked | undefined {
  if (typeof asked.request['Statement'] === 'string') return asked;
  const byCondition = byKey(asked, { index: draft.name, partition: draft.partition, sort: draft.sort });
  if (byCondition) return byCondition;
  if (asked.operation !== 'Scan') return undefined;
  return { operation: 'Scan', request: changed(asked.request, { IndexName: draft.name, ExclusiveStartKey: undefined }) };
}

export interface WhatIfProps {
  asked: Asked;
  /** The read as it is, to compare with. */
  read: ReadStep;
  now: Explained;
  table: TableDescription;
  draft: IndexDraft;
  setDraft: (draft: IndexDraft) => void;
  ask: (next: Asked) => void;
  close: () => void;
}

export function WhatIf({ asked, read, now, table, draft, setDraft, ask, close }: WhatIfProps) {
  const [state, set] = useState<{ explained: Explained | null; fault: Fault | null; isWaiting: boolean }>({ explained: null, fault: null, isWaiting: true });
  const [isCreating, create] = useState(false);
  const typeOf = (attribute: string) => typeIn(table, attribute, asked, read);
  const through = askedOf(asked, draft);
  const key = JSON.stringify([draft, asked]);
  const root = useRef<HTMLElement>(null);
  useEffect(() => root.current?.scrollIntoView({ block: 'nearest' }), [state.explained === null]);
  useEffect(() => {
    if (!through || draft.partition.length === 0 || draft.name.length < 3) {
      set({ explained: null, fault: null, isWaiting: false });
      return;
    }
    const ending = new AbortController();
    set((before) => ({ ...before, isWaiting: true }));
    const timer = setTimeout(() => {
      const request = { Operation: through.operation, Request: through.request, WhatIf: { ...definitionOf(draft, typeOf), ...(draft.isLocal && { Local: true }) } };
      call<Explained>('Explain', request, { own: true, signal: ending.signal }).then(
        (explained) => set({ explained, fault: null, isWaiting: false }),
        (error: unknown) => !isAbort(error) && set({ explained: null, fault: asFault(error), isWaiting: false }),
      );
    }, 300);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [key]);
  const found = state.explained?.Explanation.Steps[0]?.Read;
  const supposed = found?.WhatIf;
  const isStatement = typeof asked.request['Statement'] === 'string';
  return (
    <section class="what-if" ref={root} aria-labelledby="what-if-title">
      <div class="screen-head">
        <h2 id="what-if-title">What if there were an index</h2>
        <span class="space" />
        <Button kind="quiet" icon="close" label="Close the supposed index" onClick={close} />
      </div>
      <DraftForm draft={draft} set={setDraft} typeOf={typeOf} />
      {!through && <p class="fault">The conditions of this request do not fix {draft.partition.join(' and ')}: a Query could not read such an index. Give it the attributes that are compared by = as partition key.</p>}
      {state.fault && <ErrorBox fault={state.fault} />}
      {state.isWaiting && !found && <Spinner words="Looking at the items that such an index would have" />}
      {found && supposed && through && (
        <>
          <SupposedRuler read={found} draft={draft} />
          <Compared now={now} read={read} then={state.explained!} found={found} draft={draft} />
          <p class="row">
            {!draft.isLocal && (
              <Button kind="main" icon="index" onClick={() => create(true)}>
                Create this index
              </Button>
            )}
            {draft.isLocal && <span class="hint">Only a new table can have a local index.</span>}
            <Progress table={table.TableName} index={draft.name} />
          </p>
          {isCreating && (
            <CreateIndex draft={draft} table={table} typeOf={typeOf} supposed={supposed} close={() => create(false)} askAgain={() => ask(isStatement ? ofStatement(asked, table.TableName, draft.name) : through)} />
          )}
        </>
      )}
    </section>
  );
}

function ofStatement(asked: Asked, table: string, index: string): Asked {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const statement = String(asked.request['Statement']).replace(/\bFROM\s+(?:"(?:[^"]|"")+"|[\w.-]+)(?:\.(?:"(?:[^"]|"")+"|[\w-]+))?/i, () => `FROM ${quoted(table)}.${quoted(index)}`);
  return { ...asked, request: { ...asked.request, Statement: statement } };
}

function DraftForm({ draft, set, typeOf }: { draft: IndexDraft; set: (draft: IndexDraft) => void; typeOf: (attribute: string) => string }) {
  const [partition, setPartition] = useState(draft.partition.join(', '));
  const [sort, setSort] = useState(draft.sort.join(', '));
  const [include, setInclude] = useState(draft.include.join(', '));
  const types = (names: string[]) => names.map((name) => `${name} ${{ S: 'text', N: 'number', B: 'binary' }[typeOf(name)]}`).join(', ');
  return (
    <div class="draft-form">
      <TextField label="Name" value={draft.name} set={(name) => set({ ...draft, name })} isMono />
      <TextField label="Partition key" value={partition} isMono hint={`${types(draft.partition)}; up to four, with commas`} set={(text) => (setPartition(text), set({ ...draft, partition: namesIn(text).slice(0, 4) }))} />
      <TextField label="Sort key" value={sort} isMono hint={draft.sort.length > 0 ? types(draft.sort) : 'none; up to four, with commas'} set={(text) => (setSort(text), set({ ...draft, sort: namesIn(text).slice(0, 4) }))} />
      <SelectField
        label="Projection"
        value={draft.projection}
        set={(projection) => set({ ...draft, projection })}
        choices={[
          { value: 'ALL', title: 'all attributes' },
          { value: 'KEYS_ONLY', title: 'keys only' },
          { value: 'INCLUDE', title: 'keys and these' },
        ]}
      />
      {draft.projection === 'INCLUDE' && <TextField label="Attributes besides keys" value={include} isMono set={(text) => (setInclude(text), set({ ...draft, include: namesIn(text).slice(0, 100) }))} />}
      <CheckField label="local" value={draft.isLocal} set={(isLocal) => set({ ...draft, isLocal })} />
    </div>
  );
}

function SupposedRuler({ read, draft }: { read: ReadStep; draft: IndexDraft }) {
  const supposed = read.WhatIf!;
  if (!read.Collection || draft.sort.length === 0) return null;
  const known = supposedLine(read.Collection, { items: supposed.Examined.Items, bytes: supposed.Examined.Bytes, isExact: supposed.ExaminedBetween === undefined && !supposed.CannotTell });
  if (!known) return null;
  const source = { table: read.Table, index: draft.name, partition: draft.partition, sort: draft.sort };
  return <Ruler source={source} line={known.line} ends={known.ends} thrown={thrownOf(read)} title={`${draft.name}: ${toldText(read.Ranges?.[0]?.Partition ?? '', 80)}, in the order of ${draft.sort.join(', ')}`} />;
}

function Compared({ now, read, then, found, draft }: { now: Explained; read: ReadStep; then: Explained; found: ReadStep; draft: IndexDraft }) {
  const supposed = found.WhatIf!;
  const exactly = (n: number) => ({ AtLeast: n, AtMost: n });
  const { Counted: done } = read;
  const sure = (bounds: { AtLeast: number; AtMost?: number } | undefined, n: number) => bounds ?? exactly(n);
  const rows: [string, string, string][] = [
    ['examines', done ? counted(done.Examined.Items, 'item') : itemsBetween(read.Estimate.Items), told(supposed, sure(supposed.ExaminedBetween, supposed.Examined.Items), itemsBetween)],
    ['bytes', done ? bytes(done.Examined.Bytes) : bytesBetween(read.Estimate.Bytes), supposed.CannotTell ? '' : bytes(supposed.Examined.Bytes)],
    ['read units', done ? units(done.Units.reduce((sum, one) => sum + one.Units, 0)) : unitsBetween(read.Estimate.Units), told(supposed, sure(supposed.UnitsBetween, supposed.Units), unitsBetween)],
    ['a million such requests', amountOf(now.Explanation.Price) ?? '', amountOf(then.Explanation.Price) ?? ''],
    ['thrown away', thrownWords(read), thrownWords(found)],
  ];
  return (
    <>
      <Scroll label="Now and with the index">
        <table class="plain-table compared">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">figure</span>
              </th>
              <th scope="col" class="figure">now</th>
              <th scope="col" class="figure">with {draft.name}</th>
            </tr>
          </thead>
          <tbody>
            {rows.filter(([, one, other]) => one !== '' || other !== '').map(([name, one, other]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="figure">{one}</td>
                <td class="figure compared-then">{other}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="hint">
        {supposed.CannotTell ? 'A few partitions weigh too much in the sample: it cannot tell more than these bounds. ' : ''}
        The index would hold {supposed.EntriesBetween ? `${between(supposed.EntriesBetween, count)} entries` : counted(supposed.Entries.Items, 'entry', 'entries')}, {bytes(supposed.Entries.Bytes)}
        {supposed.EntryBytes !== undefined && supposed.WriteUnits !== undefined && `; each write of an item in it takes ${writeUnits(supposed.WriteUnits)} more, for an entry of ${bytes(supposed.EntryBytes)} in the mean`}. Looked at:{' '}
        {counted(supposed.LookedAt.Items, 'item')}, {supposed.IsAll ? 'all of the table' : 'a sample; figures between bounds hold in 95 of 100 samples'}.
      </p>
    </>
  );
}

function told(supposed: ReadStep['WhatIf'] & object, bounds: { AtLeast: number; AtMost?: number }, words: (bounds: { AtLeast: number; AtMost?: number }) => string): string {
  return supposed.CannotTell && bounds.AtLeast === bounds.AtMost ? 'cannot tell' : words(bounds);
}

function thrownWords(read: ReadStep): string {
  const thrown = thrownOf(read);
  return thrown === undefined ? 'nothing' : percent(thrown);
}

/** An empty form: the key of the table turned round is a beginning. */
export function emptyDraft(table: TableDescription): IndexDraft {
  const own = keyedOf(table)[0]!;
  return { name: 'by-', partition: own.sort.slice(0, 1), sort: own.partition.slice(0, 1), projection: 'ALL', include: [], isLocal: false };
}
