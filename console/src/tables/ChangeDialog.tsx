// One change of a table: what is asked is shown as code before it is sent.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../base/client';
import { asFault, type Fault } from '../base/faults';
import { describe, forget, refreshTables, type TableDescription } from '../base/tables';
import { refreshTtl, useTtl } from '../base/ttl';
import { go, link } from '../base/address';
import { counted } from '../data/sizes';
import { closeTabsOf } from '../items/tabs';
import { Button } from '../parts/Button';
import { Code } from '../parts/Code';
import { Dialog } from '../parts/Dialog';
import { ErrorBox } from '../parts/ErrorBox';
import { CheckField, SelectField, TextField } from '../parts/Field';
import { say } from '../parts/Toast';
import { streamChoices } from './CreateDialog';
import { addIndexRequest, dropIndexRequest, emptyIndex, indexFault, type TableDraft, ttlRequest } from './definition';
import { IndexForm } from './IndexForm';

interface SendingProps {
  title: string;
  operation: string;
  request: Record<string, unknown> | null;
  button: string;
  kind?: 'main' | 'danger';
  wrong?: string | null;
  close: () => void;
  done: () => void;
  children?: ComponentChildren;
}

function Sending({ title, operation, request, button, kind = 'main', wrong, close, done, children }: SendingProps) {
  const [fault, fail] = useState<Fault | null>(null);
  const [isBusy, work] = useState(false);
  const cannot = request === null || Boolean(wrong) || isBusy;
  const send = async (): Promise<void> => {
    if (cannot) return;
    work(true);
    fail(null);
    try {
      await call(operation, request);
      close();
      done();
    } catch (error) {
      fail(asFault(error));
    } finally {
      work(false);
    }
  };
  return (
    <Dialog
      title={title}
      size="wide"
      close={close}
      isBusy={isBusy}
      submit={() => void send()}
      foot={
        <>
          {wrong && <span class="hint dialog-words">{wrong}</span>}
          <span class="space" />
          <Button onClick={close} disabled={isBusy}>
            Cancel
          </Button>
          <Button kind={kind} type="submit" disabled={cannot}>
            {button}
          </Button>
        </>
      }
    >
      {children}
      {request && !wrong && <Code operation={operation} request={request} />}
      {fault && <ErrorBox fault={fault} />}
    </Dialog>
  );
}

export interface ChangeProps {
  table: TableDescription;
  close: () => void;
}

const again = (table: TableDescription): void => void describe(table.TableName).catch(() => undefined);

export function AddIndexDialog({ table, close }: ChangeProps) {
  const [index, setIndex] = useState(emptyIndex((table.GlobalSecondaryIndexes?.length ?? 0) + 1));
  const wrong = indexFault(index);
  return (
    <Sending
      title={`Add an index to ${table.TableName}`}
      operation="UpdateTable"
      request={addIndexRequest(table, index)}
      wrong={wrong}
      button="Add the index"
      close={close}
      done={() => (say(`${index.name} is being filled`), again(table))}
    >
      <IndexForm index={index} set={setIndex} known={table.AttributeDefinitions.map((one) => one.AttributeName)} isFirst />
      {(table.ItemCount ?? 0) > 0 && (
        <p class="hint">It is filled from {counted(table.ItemCount ?? 0, 'item')} while the table goes on taking requests.</p>
      )}
    </Sending>
  );
}

export function DropIndexDialog({ table, index, close }: ChangeProps & { index: string }) {
  return (
    <Sending
      title={`Remove the index ${index}`}
      operation="UpdateTable"
      request={dropIndexRequest(table.TableName, index)}
      button="Remove the index"
      kind="danger"
      close={close}
      done={() => (say(`${index} is being removed`), again(table))}
    >
      <p>Requests that name the index fail from then on. The items of the table stay.</p>
    </Sending>
  );
}

export function StreamDialog({ table, close }: ChangeProps) {
  const now = table.StreamSpecification?.StreamEnabled ? (table.StreamSpecification.StreamViewType as TableDraft['stream']) : '';
  const [stream, setStream] = useState<TableDraft['stream']>(now || 'NEW_AND_OLD_IMAGES');
  const isEnding = now !== '';
  const request = {
    TableName: table.TableName,
    StreamSpecification: isEnding ? { StreamEnabled: false } : { StreamEnabled: true, StreamViewType: stream },
  };
  return (
    <Sending
      title={isEnding ? 'End the stream' : 'Record changes in a stream'}
      operation="UpdateTable"
      request={stream === '' ? null : request}
      button={isEnding ? 'End the stream' : 'Begin the stream'}
      kind={isEnding ? 'danger' : 'main'}
      close={close}
      done={() => again(table)}
    >
      {isEnding ? (
        <p>Readers can read what is in it for a day. Another kind of images needs a new stream: end this one first.</p>
      ) : (
        <SelectField label="It records" value={stream} set={setStream} choices={streamChoices.filter((one) => one.value !== '')} />
      )}
    </Sending>
  );
}

export function TtlDialog({ table, close }: ChangeProps) {
  const now = useTtl(table.TableName);
  const isOn = now?.TimeToLiveStatus === 'ENABLED' || now?.TimeToLiveStatus === 'ENABLING';
  const [name, setName] = useState(now?.AttributeName ?? '');
  const attribute = isOn ? (now?.AttributeName ?? '') : name.trim();
  return (
    <Sending
      title={isOn ? 'Keep items that have expired' : 'Let items expire'}
      operation="UpdateTimeToLive"
      request={attribute === '' ? null : ttlRequest(table.TableName, attribute, !isOn)}
      button={isOn ? 'Keep them' : 'Let them expire'}
      close={close}
      done={() => void refreshTtl(table.TableName)}
    >
      {isOn ? (
        <p>
          Items expire at the time in <code>{attribute}</code> now.
        </p>
      ) : (
        <TextField
          label="Attribute"
          isMono
          isFirst
          value={name}
          set={setName}
          hint="A number: the second since 1970 at which the item expires"
        />
      )}
    </Sending>
  );
}

export function BillingDialog({ table, close }: ChangeProps) {
  const isOnDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const [billing, setBilling] = useState<'PAY_PER_REQUEST' | 'PROVISIONED'>(isOnDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED');
  const [read, setRead] = useState(String(table.ProvisionedThroughput?.ReadCapacityUnits || 5));
  const [write, setWrite] = useState(String(table.ProvisionedThroughput?.WriteCapacityUnits || 5));
  const [isProtected, protect] = useState(table.DeletionProtectionEnabled ?? false);
  const isUnits = [read, write].every((units) => /^[1-9]\d{0,8}$/.test(units));
  const units = { ReadCapacityUnits: Number(read), WriteCapacityUnits: Number(write) };
  // Indexes of a table that was on demand have no units of their own yet.
  const indexes = isOnDemand
    ? (table.GlobalSecondaryIndexes ?? []).map((index) => ({ Update: { IndexName: index.IndexName, ProvisionedThroughput: units } }))
    : [];
  const request: Record<string, unknown> = { TableName: table.TableName };
  if (billing === 'PROVISIONED')
    Object.assign(request, {
      BillingMode: billing,
      ProvisionedThroughput: units,
      ...(indexes.length > 0 ? { GlobalSecondaryIndexUpdates: indexes } : {}),
    });
  else if (!isOnDemand) request['BillingMode'] = billing;
  if (isProtected !== (table.DeletionProtectionEnabled ?? false)) request['DeletionProtectionEnabled'] = isProtected;
  const isNothing = Object.keys(request).length === 1;
  return (
    <Sending
      title={`Billing and protection of ${table.TableName}`}
      operation="UpdateTable"
      request={isNothing ? null : request}
      wrong={billing === 'PROVISIONED' && !isUnits ? 'Units are whole numbers from 1.' : null}
      button="Change"
      close={close}
      done={() => again(table)}
    >
      <SelectField
        label="Billing"
        value={billing}
        set={setBilling}
        choices={[
          { value: 'PAY_PER_REQUEST', title: 'on demand' },
          { value: 'PROVISIONED', title: 'provisioned units' },
        ]}
      />
      {billing === 'PROVISIONED' && (
        <div class="two">
          <TextField label="Read units a second" isMono value={read} set={setRead} />
          <TextField label="Write units a second" isMono value={write} set={setWrite} />
        </div>
      )}
      <CheckField label="Refuse to delete the table" value={isProtected} set={protect} />
    </Sending>
  );
}

export function DeleteTableDialog({ table, close }: ChangeProps) {
  const [typed, type] = useState('');
  const { TableName: name } = table;
  const done = (): void => {
    closeTabsOf(name);
    forget(name);
    say(`${name} is deleted`);
    go(link('tables'));
    void refreshTables();
  };
  return (
    <Sending
      title={`Delete ${name}`}
      operation="DeleteTable"
      request={typed === name ? { TableName: name } : null}
      button={`Delete ${name}`}
      kind="danger"
      close={close}
      done={done}
    >
      <p>
        {counted(table.ItemCount ?? 0, 'item')} and all indexes are deleted with it. There is no way back.
        {table.DeletionProtectionEnabled && ' The table is protected: end the protection first.'}
      </p>
      <TextField label={`Type ${name} to delete it`} isMono isFirst value={typed} set={type} />
    </Sending>
  );
}
