// The index as a request that is shown before it is sent, and its progress.

import { readOnly } from '../../base/access';
import type { TableDescription } from '../../base/tables';
import { count, counted, percent, units, writeUnits } from '../../data/sizes';
import { Button } from '../../parts/Button';
import { CodeBlock } from '../../parts/CodeBlock';
import { Dialog } from '../../parts/Dialog';
import { toldJson } from '../../ruler/told';
import type { Supposed } from '../../data/explained';
import { fillingOf, makeIndex } from './filling';
import { creationOf, type IndexDraft } from './rewrite';

export function CreateIndex({ draft, table, typeOf, supposed, close, askAgain }: { draft: IndexDraft; table: TableDescription; typeOf: (attribute: string) => string; supposed: Supposed | undefined; close: () => void; askAgain: () => void }) {
  const filling = fillingOf(table.TableName, draft.name);
  const request = creationOf(draft, table, typeOf);
  const isUnderWay = filling?.state === 'asked' || filling?.state === 'filling';
  const isDone = filling?.state === 'active';
  const foot = isDone ? (
    <Button kind="main" onClick={() => (close(), askAgain())}>
      Ask again through {draft.name}
    </Button>
  ) : (
    <>
      <Button onClick={close}>{isUnderWay ? 'Let it go on' : 'Cancel'}</Button>
      <Button kind="main" disabled={isUnderWay || readOnly.value} onClick={() => void makeIndex(table.TableName, draft.name, request)}>
        Create the index
      </Button>
    </>
  );
  return (
    <Dialog title={`Index ${draft.name} on ${table.TableName}`} close={close} foot={foot}>
      <p>{filledBy(supposed)}</p>
      <CodeBlock label="The request of UpdateTable" text={toldJson(request)} />
      {readOnly.value && <p class="fault">Read-only mode is on: turn it off in the top line to create an index.</p>}
      <Progress table={table.TableName} index={draft.name} />
    </Dialog>
  );
}

function filledBy(supposed: Supposed | undefined): string {
  const each = supposed?.WriteUnits;
  if (!supposed || supposed.CannotTell) return 'This request is sent. The server fills the index in the background; reads and writes go on.';
  const entries = counted(supposed.Entries.Items, 'entry', 'entries');
  const fill = each === undefined ? '' : `, on the service for about ${units(supposed.Entries.Items * Math.ceil(each))} write units, once`;
  return `This request is sent. The server fills the index in the background with ${entries}${fill}; reads and writes go on.${each === undefined ? '' : ` Each write of an item that is in it then takes ${writeUnits(each)} more.`}`;
}

/** How far an index is. */
export function Progress({ table, index }: { table: string; index: string }) {
  const filling = fillingOf(table, index);
  if (!filling) return null;
  const { done, of } = filling;
  const share = done !== undefined && of ? Math.min(1, done / of) : undefined;
  const words =
    filling.state === 'failed'
      ? filling.fault
      : filling.state === 'active'
        ? `${index} is ready.`
        : filling.state === 'asked'
          ? 'Sent.'
          : done === undefined
            ? `Filling ${index}`
            : `Filling ${index}: ${count(done)}${of ? ` of ${count(of)}` : ''} items${filling.perSecond ? `, ${count(filling.perSecond)} a second` : ''}`;
  return (
    <div class={`filling ${filling.state}`} role="status">
      <progress value={filling.state === 'active' ? 1 : share} max={1} aria-label={`Progress of ${index}`} />
      <p class={filling.state === 'failed' ? 'fault' : ''}>
        {words} {share !== undefined && filling.state === 'filling' && percent(share)}
      </p>
    </div>
  );
}
