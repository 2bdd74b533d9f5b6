// Key templates: attributes that the database derives from others on every write.

import { useState } from 'preact/hooks';
import { useAsk } from '../base/ask';
import { call } from '../base/client';
import { asFault, type Fault } from '../base/faults';
import { features, leftOut } from '../base/features';
import { readOnly } from '../base/access';
import type { TableDescription } from '../base/tables';
import { count, counted } from '../data/sizes';
import { brief, type Item } from '../data/values';
import { Button } from '../parts/Button';
import { Dialog } from '../parts/Dialog';
import { LeftOut } from '../parts/EmptyState';
import { ErrorBox } from '../parts/ErrorBox';
import { CheckField, TextField } from '../parts/Field';
import { say } from '../parts/Toast';

interface KeyTemplate {
  AttributeName?: string;
  Template?: string;
  Mode?: string;
  Status?: string;
}

interface Group {
  Items: number;
  Examples?: { Key?: Item; Before?: string; After?: string; Why?: string }[];
}

interface Preview {
  Examined: number;
  All: boolean;
  Set: Group;
  Changed: Group;
  Kept: Group;
  Removed: Group;
  Refused: Group;
}

export function TemplatesSection({ table }: { table: TableDescription }) {
  const { answer, fault, again } = useAsk(table.TableName, (signal) =>
    call<{ KeyTemplates: KeyTemplate[] }>('DescribeKeyTemplates', { TableName: table.TableName }, { own: true, signal }),
  );
  const [isAdding, add] = useState(false);
  const [dropping, drop] = useState<string | null>(null);
  const templates = answer?.KeyTemplates ?? [];
  return (
    <section class="table-part" aria-labelledby="part-templates">
      <header>
        <h2 id="part-templates">Key templates</h2>
        {features.has('DescribeKeyTemplates') && !readOnly.value && (
          <Button kind="quiet" icon="plus" onClick={() => add(true)}>
            Add
          </Button>
        )}
      </header>
      {features.has('DescribeKeyTemplates') === false ? (
        <LeftOut>{leftOut('This part', 'DescribeKeyTemplates')}</LeftOut>
      ) : (
        <>
          {fault && <ErrorBox fault={fault} retry={again} />}
          {answer && templates.length === 0 && <p class="hint">None: no attribute is derived from others.</p>}
          {templates.length > 0 && (
            <ul class="templates">
              {templates.map((one) => (
                <li key={one.AttributeName}>
                  <code>{one.Template}</code>
                  <span class="hint">{[one.Mode, one.Status].filter(Boolean).join(', ').toLowerCase()}</span>
                  {!readOnly.value && (
                    <Button
                      kind="quiet"
                      icon="trash"
                      label={`Drop the template of ${one.AttributeName}`}
                      onClick={() => drop(one.AttributeName ?? '')}
                    />
                  )}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {isAdding && <TemplateDialog table={table.TableName} close={() => add(false)} done={again} />}
      {dropping !== null && <DropDialog table={table.TableName} attribute={dropping} close={() => drop(null)} done={again} />}
    </section>
  );
}

function DropDialog({ table, attribute, close, done }: { table: string; attribute: string; close: () => void; done: () => void }) {
  const [fault, fail] = useState<Fault | null>(null);
  const send = async (): Promise<void> => {
    try {
      await call('DeleteKeyTemplate', { TableName: table, AttributeName: attribute }, { own: true, unrecorded: false });
      say(`The template of ${attribute} is dropped`);
      close();
      done();
    } catch (error) {
      fail(asFault(error));
    }
  };
  return (
    <Dialog
      title={`Drop the template of ${attribute}`}
      size="small"
      close={close}
      submit={() => void send()}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="danger" type="submit">
            Drop
          </Button>
        </>
      }
    >
      <p>Items keep the values that they have; new writes no longer get one.</p>
      {fault && <ErrorBox fault={fault} />}
    </Dialog>
  );
}

const groups: [keyof Preview, string][] = [
  ['Set', 'get the attribute'],
  ['Changed', 'get another value'],
  ['Kept', 'have this value already'],
  ['Removed', 'lose the attribute'],
  ['Refused', 'have no such key: refused'],
];

function Previewed({ preview }: { preview: Preview }) {
  return (
    <div>
      <p class="hint">
        {counted(preview.Examined, 'item was', 'items were')} looked at{preview.All ? ', all there are' : ''}.
      </p>
      <table class="plain-table">
        <tbody>
          {groups.map(([name, words]) => {
            const group = preview[name] as Group;
            const [example] = group.Examples ?? [];
            return (
              <tr key={name}>
                <td class="figure">{count(group.Items)}</td>
                <td>{words}</td>
                <td class="mono">
                  {example?.After ?? example?.Why ?? ''}
                  {example?.Key && (
                    <span class="hint">
                      {' '}
                      {Object.values(example.Key)
                        .map((value) => brief(value, 40))
                        .join(' / ')}
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function TemplateDialog({ table, close, done }: { table: string; close: () => void; done: () => void }) {
  const [template, setTemplate] = useState('');
  const [isStrict, strict] = useState(false);
  const [preview, setPreview] = useState<{ of: string; preview: Preview; warnings: string[] } | null>(null);
  const [fault, fail] = useState<Fault | null>(null);
  const [isBusy, work] = useState(false);
  const send = async (isDry: boolean): Promise<void> => {
    work(true);
    fail(null);
    try {
      const answer = await call<{ Preview?: Preview; Warnings?: string[] }>(
        'PutKeyTemplate',
        { TableName: table, Template: template, Mode: 'FILL', Strict: isStrict, DryRun: isDry },
        { own: true, unrecorded: isDry },
      );
      if (isDry && answer.Preview) setPreview({ of: template, preview: answer.Preview, warnings: answer.Warnings ?? [] });
      if (!isDry) {
        say('The template is declared; stored items get it now');
        close();
        done();
      }
    } catch (error) {
      fail(asFault(error));
    } finally {
      work(false);
    }
  };
  const isPreviewed = preview?.of === template;
  return (
    <Dialog
      title={`Add a key template to ${table}`}
      size="wide"
      close={close}
      isBusy={isBusy}
      submit={() => void send(!isPreviewed)}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind={isPreviewed ? 'plain' : 'main'} disabled={template.trim() === '' || isBusy} onClick={() => void send(true)}>
            Preview
          </Button>
          <Button kind={isPreviewed ? 'main' : 'plain'} disabled={!isPreviewed || isBusy} onClick={() => void send(false)}>
            Declare
          </Button>
        </>
      }
    >
      <TextField
        label="Template"
        isMono
        isFirst
        value={template}
        set={setTemplate}
        placeholder={'GSI1SK = "{status}#{placed:iso:s}" when status in [OPEN, PLACED]'}
        onEnter={() => void send(!isPreviewed)}
      />
      <CheckField label="Refuse writes that give the attribute themselves" value={isStrict} set={strict} />
      {preview && isPreviewed && <Previewed preview={preview.preview} />}
      {isPreviewed &&
        preview?.warnings.map((words) => (
          <p key={words} class="hint">
            {words}
          </p>
        ))}
      {fault && <ErrorBox fault={fault} />}
    </Dialog>
  );
}
