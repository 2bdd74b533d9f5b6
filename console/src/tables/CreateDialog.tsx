// Creates a table: keys, indexes, stream, TTL, billing; the request is shown as code.

import { useState } from 'preact/hooks';
import { go, link } from '../base/address';
import { call } from '../base/client';
import { asFault, type Fault } from '../base/faults';
import { refreshTables } from '../base/tables';
import { createAndWait } from '../import/waitFor';
import { Button } from '../parts/Button';
import { Code } from '../parts/Code';
import { Dialog } from '../parts/Dialog';
import { ErrorBox } from '../parts/ErrorBox';
import { CheckField, SelectField, TextField } from '../parts/Field';
import { say } from '../parts/Toast';
import { createRequest, emptyIndex, emptyTable, type TableDraft, tableFault, ttlRequest } from './definition';
import { IndexForm, PartFields } from './IndexForm';

export const streamChoices = [
  { value: '' as const, title: 'none' },
  { value: 'NEW_AND_OLD_IMAGES' as const, title: 'items before and after' },
  { value: 'NEW_IMAGE' as const, title: 'items after' },
  { value: 'OLD_IMAGE' as const, title: 'items before' },
  { value: 'KEYS_ONLY' as const, title: 'keys only' },
];

export function CreateDialog({ close }: { close: () => void }) {
  const [draft, setDraft] = useState<TableDraft>(emptyTable);
  const [fault, fail] = useState<Fault | null>(null);
  const [isBusy, work] = useState(false);
  const set = (part: Partial<TableDraft>): void => setDraft({ ...draft, ...part });
  const wrong = tableFault(draft);
  const request = createRequest(draft);
  const create = async (): Promise<void> => {
    if (wrong || isBusy) return;
    work(true);
    fail(null);
    try {
      await createAndWait(request);
      if (draft.ttl.trim() !== '') await call('UpdateTimeToLive', ttlRequest(draft.name, draft.ttl.trim(), true));
      await refreshTables();
      say(`${draft.name} is created`);
      close();
      go(link('tables', [draft.name]));
    } catch (error) {
      fail(asFault(error));
    } finally {
      work(false);
    }
  };
  return (
    <Dialog
      title="Create a table"
      size="wide"
      close={close}
      isBusy={isBusy}
      submit={() => void create()}
      foot={
        <>
          {wrong && draft.name !== '' && <span class="hint dialog-words">{wrong}</span>}
          <span class="space" />
          <Button onClick={close} disabled={isBusy}>
            Cancel
          </Button>
          <Button kind="main" type="submit" disabled={wrong !== null || isBusy}>
            Create
          </Button>
        </>
      }
    >
      <TextField label="Table" isMono isFirst value={draft.name} set={(name) => set({ name })} onEnter={() => void create()} />
      <TableKey draft={draft} set={set} />
      {draft.indexes.map((index, nth) => (
        <IndexForm
          key={nth}
          index={index}
          known={[]}
          mayBeLocal={draft.sort !== null}
          set={(to) => set({ indexes: draft.indexes.map((one, at) => (at === nth ? to : one)) })}
          remove={() => set({ indexes: draft.indexes.filter((_, at) => at !== nth) })}
        />
      ))}
      <p>
        <Button icon="plus" onClick={() => set({ indexes: [...draft.indexes, emptyIndex(draft.indexes.length + 1)] })}>
          Add an index
        </Button>
      </p>
      <TableSettings draft={draft} set={set} />
      {!wrong && <Code operation="CreateTable" request={request} />}
      {fault && <ErrorBox fault={fault} />}
    </Dialog>
  );
}

function TableSettings({ draft, set }: { draft: TableDraft; set: (part: Partial<TableDraft>) => void }) {
  return (
    <div class="two">
      <SelectField
        label="Billing"
        value={draft.billing}
        set={(billing) => set({ billing })}
        choices={[
          { value: 'PAY_PER_REQUEST', title: 'on demand' },
          { value: 'PROVISIONED', title: 'provisioned units' },
        ]}
      />
      <SelectField label="Stream" value={draft.stream} set={(stream) => set({ stream })} choices={streamChoices} />
      {draft.billing === 'PROVISIONED' && (
        <>
          <TextField label="Read units a second" isMono value={draft.readUnits} set={(readUnits) => set({ readUnits })} />
          <TextField label="Write units a second" isMono value={draft.writeUnits} set={(writeUnits) => set({ writeUnits })} />
        </>
      )}
      <TextField
        label="Time to live"
        isMono
        placeholder="attribute, such as expires"
        hint="The second since 1970 at which an item expires"
        value={draft.ttl}
        set={(ttl) => set({ ttl })}
      />
      <CheckField label="Refuse to delete the table" value={draft.isProtected} set={(isProtected) => set({ isProtected })} />
    </div>
  );
}

function TableKey({ draft, set }: { draft: TableDraft; set: (part: Partial<TableDraft>) => void }) {
  return (
    <div class="two">
      <PartFields label="Partition key" part={draft.partition} set={(partition) => set({ partition })} />
      {draft.sort ? (
        <div class="parts-row">
          <PartFields label="Sort key" part={draft.sort} set={(sort) => set({ sort })} />
          <Button
            kind="quiet"
            icon="close"
            label="No sort key"
            onClick={() => set({ sort: null, indexes: draft.indexes.filter((index) => !index.isLocal) })}
          />
        </div>
      ) : (
        <Button kind="quiet" icon="plus" onClick={() => set({ sort: { name: 'sk', type: 'S' } })}>
          Add a sort key
        </Button>
      )}
    </div>
  );
}
