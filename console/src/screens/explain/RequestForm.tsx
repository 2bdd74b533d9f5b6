// A request to explain, typed as JSON.

import { useState } from 'preact/hooks';
import { Button } from '../../parts/Button';
import { AreaField, SelectField } from '../../parts/Field';
import { shownJson } from '../../data/json';
import type { Asked } from './explanation';

const OPERATIONS = [
  'Query', 'Scan', 'GetItem', 'ExecuteStatement', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchGetItem', 'BatchWriteItem', 'TransactGetItems', 'TransactWriteItems',
  'BatchExecuteStatement', 'ExecuteTransaction',
];

export function RequestForm({ asked, ask, close }: { asked: Asked; ask: (next: Asked) => void; close?: () => void }) {
  const [operation, setOperation] = useState(asked.operation);
  const [text, setText] = useState(() => shownJson(JSON.stringify(asked.request, null, 2)));
  const [fault, setFault] = useState<string | null>(null);
  const send = (): void => {
    try {
      const request = JSON.parse(text) as unknown;
      if (typeof request !== 'object' || request === null || Array.isArray(request)) throw new Error('a request is an object');
      setFault(null);
      ask({ operation, request: request as Record<string, unknown> });
    } catch (error) {
      setFault(error instanceof Error ? error.message : 'not JSON');
    }
  };
  const choices = (OPERATIONS.includes(operation) ? OPERATIONS : [operation, ...OPERATIONS]).map((one) => ({ value: one, title: one }));
  return (
    <div class="request-form">
      <SelectField label="Operation" value={operation} set={setOperation} choices={choices} />
      <AreaField label="Request, in DynamoDB's JSON" value={text} set={setText} rows={Math.min(18, Math.max(6, text.split('\n').length))} fault={fault} />
      <p class="row">
        <Button kind="main" icon="explain" onClick={send}>
          Explain
        </Button>
        {close && <Button onClick={close}>Close</Button>}
      </p>
    </div>
  );
}
