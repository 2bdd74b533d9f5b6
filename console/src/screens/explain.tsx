// Explain: what a request reads, what it costs, and what would cost less. Every figure is the server's.

import { useEffect, useState } from 'preact/hooks';
import { readOnly } from '../base/access';
import { explainLink, go, link, type Address } from '../base/address';
import { useAsk } from '../base/ask';
import { call, mayWrite } from '../base/client';
import { asFault, faultOfPage, type Fault } from '../base/faults';
import { features, leftOut } from '../base/features';
import { tableNames, useTable } from '../base/tables';
import { bytes, counted, units } from '../data/sizes';
import { Button } from '../parts/Button';
import { CodeBlock } from '../parts/CodeBlock';
import { Dialog } from '../parts/Dialog';
import { LeftOut } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { Spinner } from '../parts/Spinner';
import { forgetLines } from '../ruler/source';
import { toldLines, toldText } from '../ruler/told';
import { AdviceList } from './explain/Advice';
import { keyedOfStep, readAsked, type Asked } from './explain/explanation';
import { accessWords, amountOf, explain, unitsBetween, type Explained, type ReadStep, type Step } from '../data/explained';
import { UnitsTable } from './explain/Figures';
import { Conditions, ReadPart } from './explain/ReadPart';
import { RequestForm } from './explain/RequestForm';
import { draftFor, type IndexDraft } from './explain/rewrite';
import { emptyDraft, WhatIf } from './explain/WhatIf';
import { WritePart } from './explain/WritePart';

export function Screen({ address }: { address: Address }) {
  const text = address.path[0];
  const asked = readAsked(text);
  if (!asked) return <Empty isBroken={text !== undefined} />;
  return <ExplainOf key={text} asked={asked} />;
}

function Empty({ isBroken }: { isBroken: boolean }) {
  const table = tableNames.value?.[0] ?? 'table';
  return (
    <div class="screen explain-screen">
      <h1>Explain</h1>
      {isBroken && <p class="fault">The address does not name a request. It may have been cut where it was copied.</p>}
      <p>
        Any request of the <a href={link('query')}>Query</a> screen and of the <a href={link('requests')}>ledger</a> has a button that leads here. Or write one:
      </p>
      <RequestForm asked={{ operation: 'Scan', request: { TableName: table } }} ask={(next) => go(explainLink(next.operation, next.request))} />
    </div>
  );
}

function useAnalysis(asked: Asked) {
  const [state, set] = useState<{ explained: Explained | null; fault: Fault | null; isWaiting: boolean }>({ explained: null, fault: null, isWaiting: false });
  const run = async (): Promise<void> => {
    if (readOnly.peek() && mayWrite(asked.operation, asked.request)) {
      set({ explained: null, fault: faultOfPage('readOnlyPage', `${asked.operation} would write, and this page is in read-only mode.`), isWaiting: false });
      return;
    }
    set({ explained: null, fault: null, isWaiting: true });
    try {
      const explained = await call<Explained>('Explain', { Operation: asked.operation, Request: asked.request, Analyze: true }, { own: true, unrecorded: false });
      if (mayWrite(asked.operation, asked.request)) forgetLines();
      set({ explained, fault: null, isWaiting: false });
    } catch (error) {
      set({ explained: null, fault: asFault(error), isWaiting: false });
    }
  };
  return { ...state, run };
}

function titleOf(asked: Asked, explained: Explained | null): string {
  const [step, more] = explained?.Explanation.Steps ?? [];
  const operation = explained?.Explanation.Operation ?? asked.operation;
  if (more) return `${operation} of ${counted(explained!.Explanation.Steps.length, 'part')}`;
  const table = step?.Read?.Table ?? step?.Write?.Table ?? (typeof asked.request['TableName'] === 'string' ? asked.request['TableName'] : undefined);
  const index = step?.Read?.Index;
  return `${operation}${table === undefined ? '' : ` of ${toldText(table, 80)}`}${index === undefined ? '' : `, index ${toldText(index, 80)}`}`;
}

function ExplainOf({ asked }: { asked: Asked }) {
  const plan = useAsk(JSON.stringify(asked), (signal) => explain(asked.operation, asked.request, signal));
  const analysis = useAnalysis(asked);
  const [isEditing, edit] = useState(false);
  const [isConfirming, confirm] = useState(false);
  const explained = analysis.explained ?? plan.answer;
  const ask = (next: Asked): void => go(explainLink(next.operation, next.request));
  const isWrite = mayWrite(asked.operation, asked.request);
  const isMissing = features.has('Explain') === false;
  const isRead = asked.operation === 'Query' || asked.operation === 'Scan';
  return (
    <div class="screen explain-screen">
      <div class="screen-head">
        <h1>{titleOf(asked, explained)}</h1>
        {explained && <span class={analysis.explained ? 'state ran' : 'state'}>{analysis.explained ? 'it ran: figures are counted' : 'plan: nothing ran yet'}</span>}
        <span class="space" />
        <Button icon="edit" pressed={isEditing} onClick={() => edit(!isEditing)}>
          Request
        </Button>
        <Button kind="main" icon="play" disabled={isMissing || analysis.isWaiting || !plan.answer} onClick={() => (isWrite ? confirm(true) : void analysis.run())} title={isWrite ? 'Carries the write out' : 'Runs the request to its end, or for a hundred pages'}>
          {analysis.explained ? 'Run again' : 'Run it'}
        </Button>
      </div>
      {isEditing && <RequestForm asked={asked} ask={ask} close={() => edit(false)} />}
      {isMissing && (
        <LeftOut>
          {leftOut('The plan of a request', 'Explain')} Ask the request on the <a href={link('query', typeof asked.request['TableName'] === 'string' ? [asked.request['TableName']] : [])}>Query</a> screen: ConsumedCapacity tells what it cost.
        </LeftOut>
      )}
      {!isMissing && plan.fault && <ErrorBox fault={plan.fault} retry={plan.again} />}
      {analysis.fault && <ErrorBox fault={analysis.fault} retry={() => void analysis.run()} />}
      {!explained && !plan.fault && <Spinner words="Planning" />}
      {analysis.isWaiting && <Spinner words="Running" />}
      {explained && <Body explained={explained} asked={asked} ask={ask} isRead={isRead} />}
      {isConfirming && plan.answer && (
        <ConfirmWrite
          asked={asked}
          explained={plan.answer}
          close={() => confirm(false)}
          run={() => {
            confirm(false);
            void analysis.run();
          }}
        />
      )}
    </div>
  );
}

function ConfirmWrite({ asked, explained, close, run }: { asked: Asked; explained: Explained; close: () => void; run: () => void }) {
  const foot = (
    <>
      <Button onClick={close}>Cancel</Button>
      <Button kind="danger" onClick={run}>
        Run and write
      </Button>
    </>
  );
  return (
    <Dialog title="This writes" close={close} foot={foot}>
      <p>EXPLAIN ANALYZE carries {asked.operation} out, as if a program had sent it. What it does by the plan:</p>
      <CodeBlock label="Plan" text={toldLines(explained.Text)} />
    </Dialog>
  );
}

const SHOWN_STEPS = 25;

function Body({ explained, asked, ask, isRead }: { explained: Explained; asked: Asked; ask: (next: Asked) => void; isRead: boolean }) {
  const { Steps: steps, Together: together } = explained.Explanation;
  const first = steps.length === 1 ? steps[0] : undefined;
  return (
    <>
      {together && <TogetherPart explained={explained} />}
      {first ? (
        <OneStep step={first} explained={explained} asked={asked} ask={ask} isRead={isRead} />
      ) : (
        <ol class="steps">
          {steps.slice(0, SHOWN_STEPS).map((step, nth) => (
            <li key={nth}>
              <details open={nth === 0 || Boolean(step.Write?.Refused ?? step.Read?.Refused ?? step.Failed)}>
                <summary>{stepWords(step, nth)}</summary>
                {step.Read && <ReadPart read={step.Read} explanation={explained.Explanation} asked={asked} ask={undefined} />}
                {step.Write && <WritePart write={step.Write} explanation={explained.Explanation} isAnalyzed={explained.Explanation.Analyzed} isAlone={false} />}
                {step.Failed && <p class="refused">{toldText(step.Failed.Refused, 1000)}</p>}
              </details>
            </li>
          ))}
          {steps.length > SHOWN_STEPS && <li class="hint">{counted(steps.length - SHOWN_STEPS, 'more part')} in the text below.</li>}
        </ol>
      )}
      {!first && <AdviceList explained={explained} asked={asked} read={undefined} table={null} sortAttribute={undefined} suppose={undefined} />}
      <details class="as-text">
        <summary>As text</summary>
        <CodeBlock label="Explanation as text" text={toldLines(explained.Text)} />
      </details>
    </>
  );
}

function stepWords(step: Step, nth: number): string {
  const { Read: read, Write: write, Failed: failed } = step;
  if (read) return `${nth + 1}: read of ${toldText(read.Table, 60)}${read.Index ? `, index ${toldText(read.Index, 60)}` : ''}, ${accessWords(read)}, ${unitsBetween(read.Estimate.Units)} read units`;
  if (write) return `${nth + 1}: ${write.Action.toLowerCase()} ${toldText(write.Key, 100)} in ${toldText(write.Table, 60)}, ${units(write.Units.reduce((sum, one) => sum + one.Units, 0))} write units${write.Refused ? ', refused' : ''}`;
  return `${nth + 1}: refused${failed?.Table ? ` of ${toldText(failed.Table, 60)}` : ''}`;
}

function TogetherPart({ explained }: { explained: Explained }) {
  const { Together: together, Price: price } = explained.Explanation;
  if (!together) return null;
  const amount = amountOf(price);
  return (
    <section class="together" aria-label="Together">
      {together.Refused && (
        <p class="refused">
          <b>Nothing is done:</b> {toldText(together.Refused, 1500)}
        </p>
      )}
      {together.AlreadyDone && <p>A transaction with this token was done before; it is not done again.</p>}
      <p class="together-figures">
        <span>{together.IsTransaction ? 'all or none' : 'each for itself'}</span>
        <span>
          {counted(together.Items, 'item')}, {bytes(together.Bytes)}
        </span>
        {together.Units && <UnitsTable units={together.Units} kind={mayWrite(explained.Explanation.Operation, {}) ? 'write' : 'read'} />}
        {amount && <span>{amount} a million</span>}
        {together.Unprocessed !== undefined && together.Unprocessed > 0 && <span class="fault">{counted(together.Unprocessed, 'part')} unprocessed</span>}
      </p>
    </section>
  );
}

function OneStep({ step, explained, asked, ask, isRead }: { step: Step; explained: Explained; asked: Asked; ask: (next: Asked) => void; isRead: boolean }) {
  const { Read: read, Write: write, Failed: failed } = step;
  const { table } = useTable(read?.Table ?? write?.Table);
  const [draft, setDraft] = useState<IndexDraft | null>(null);
  const key = JSON.stringify(asked);
  useEffect(() => setDraft(null), [key]);
  if (failed) return <p class="refused">{toldText(failed.Refused, 1000)}</p>;
  if (write) {
    return (
      <>
        <AdviceList explained={explained} asked={asked} read={undefined} table={table} sortAttribute={undefined} suppose={undefined} />
        <WritePart write={write} explanation={explained.Explanation} isAnalyzed={explained.Explanation.Analyzed} isAlone />
      </>
    );
  }
  if (!read) return null;
  const sort = keyedOfStep(table, read.Index)?.sort ?? [];
  const canSuppose = table !== null && (isRead || /^\s*select\b/i.test(String(asked.request['Statement'] ?? '')));
  return (
    <>
      <ReadPart read={read} explanation={explained.Explanation} asked={asked} ask={isRead ? ask : undefined} />
      <section aria-labelledby="advice-title">
        <h2 id="advice-title">Advice</h2>
        <AdviceList explained={explained} asked={asked} read={read} table={table} sortAttribute={lastTested(read, sort)} suppose={canSuppose ? setDraft : undefined} />
        {canSuppose && !draft && (
          <p>
            <Button icon="index" onClick={() => setDraft(draftFor(asked, table, explained.Pattern) ?? emptyDraft(table))}>
              What if there were an index?
            </Button>
          </p>
        )}
      </section>
      {draft && table && <WhatIf key={key} asked={asked} read={read} now={explained} table={table} draft={draft} setDraft={setDraft} ask={ask} close={() => setDraft(null)} />}
      <section aria-labelledby="how-title">
        <h2 id="how-title">How it is read</h2>
        <Conditions read={read} range={0} />
      </section>
    </>
  );
}

/** The sort key attribute that a condition is on: the last one that the range names. */
function lastTested(read: ReadStep, sort: string[]): string | undefined {
  const text = read.Ranges?.[0]?.Sort ?? '';
  return sort.findLast((name) => text.includes(name)) ?? sort[0];
}
