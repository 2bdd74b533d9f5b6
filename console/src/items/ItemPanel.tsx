// One item beside the grid: all its attributes, however many, as a list, as JSON, as DynamoDB JSON.

import { useState } from 'preact/hooks';
import { keyNames, type TableDescription } from '../base/tables';
import { counted } from '../data/sizes';
import { momentWords } from '../data/times';
import { shownJson, writeJson } from '../data/json';
import { at } from '../data/record';
import { type AttributeValue, type Item, plainItem, toTyped, typedText, typeOf } from '../data/values';
import { Button } from '../parts/Button';
import { CodeBlock } from '../parts/CodeBlock';
import { Icon } from '../parts/Icon';
import { Menu } from '../parts/Menu';
import { Tabs } from '../parts/Tabs';
import { binaryForm, momentOf, TypeTag, visible } from '../parts/ValueView';
import { keyOf, keyWords } from './writing';

export interface ItemPanelProps {
  table: TableDescription | null;
  item: Item;
  /** Whether attributes may be missing, by an index or a projection. */
  isPartial: boolean;
  ttl?: string;
  close: () => void;
  editValue?: (name: string, beside: DOMRect) => void;
  edit?: () => void;
  copy?: () => void;
  remove?: () => void;
  loadWhole?: () => void;
}

const step = 200;
const longest = 2000;

/** A value whole, but for texts that are very long: they are opened by a button. */
function Whole({ value }: { value: AttributeValue }) {
  const [isAll, all] = useState(false);
  const text = toTyped(value, binaryForm.value);
  const type = typeOf(value);
  if (type === 'NULL') return <span class="value nothing">null</span>;
  if (text === '') return <span class="value nothing">{type === 'S' ? 'empty text' : 'empty'}</span>;
  return (
    <>
      <bdi class="whole">{visible(isAll ? text : text.slice(0, longest), true)}</bdi>
      {!isAll && text.length > longest && (
        <Button kind="quiet" onClick={() => all(true)}>
          {counted(text.length - longest, 'more sign')}
        </Button>
      )}
    </>
  );
}

function Attributes({ table, item, ttl, editValue }: ItemPanelProps) {
  const [words, filter] = useState('');
  const [shown, show] = useState(step);
  const keys = table ? keyNames(table) : [];
  const names = [...keys.filter((name) => at(item, name) !== undefined), ...Object.keys(item).filter((name) => !keys.includes(name))];
  const found = names.filter((name) => name.toLowerCase().includes(words.toLowerCase()));
  return (
    <>
      {names.length > 12 && (
        <input
          type="search"
          class="panel-filter"
          aria-label="Filter attributes"
          placeholder={`Filter ${counted(names.length, 'attribute')}`}
          value={words}
          onInput={(event) => filter(event.currentTarget.value)}
        />
      )}
      <dl class="attributes">
        {found.slice(0, shown).map((name) => {
          const value = at(item, name) as AttributeValue;
          const moment = momentOf(value, name, name === ttl);
          const isKey = keys.includes(name);
          return (
            <div key={name}>
              <dt>
                <bdi class="mono">{visible(name)}</bdi>
                <TypeTag type={typeOf(value)} />
                {isKey && <Icon name="key" />}
                <span class="space" />
                {editValue && !isKey && (
                  <Button
                    kind="quiet"
                    icon="edit"
                    label={`Edit ${name}`}
                    onClick={(event) =>
                      editValue(name, (event.currentTarget as Element).closest('div')?.getBoundingClientRect() ?? new DOMRect())
                    }
                  />
                )}
              </dt>
              <dd class="mono">
                <Whole value={value} />
                {moment !== null && <span class="moment">{momentWords(moment)}</span>}
              </dd>
            </div>
          );
        })}
      </dl>
      {found.length > shown && (
        <p class="panel-more">
          <Button onClick={() => show(shown + step)}>Show {counted(Math.min(step, found.length - shown), 'more attribute')}</Button>
        </p>
      )}
    </>
  );
}

export function ItemPanel(props: ItemPanelProps) {
  const { table, item, isPartial, close } = props;
  const [view, choose] = useState('list');
  const key = table ? keyOf(table, item) : null;
  const entries = [
    ...(props.edit ? [{ title: 'Edit as JSON', icon: 'edit' as const, run: props.edit }] : []),
    ...(props.copy ? [{ title: 'Copy to a new item', icon: 'copy' as const, run: props.copy }] : []),
    ...(props.remove ? [{ title: 'Delete', icon: 'trash' as const, kind: 'danger' as const, run: props.remove }] : []),
  ];
  return (
    <aside class="panel" aria-label="Item">
      <header>
        <h2 class="mono" title={key ? keyWords(key) : ''}>
          <bdi>{key ? visible(keyWords(key)) : 'Item'}</bdi>
        </h2>
        {props.edit && <Button kind="quiet" icon="edit" label="Edit the item as JSON" onClick={props.edit} />}
        {entries.length > 0 && <Menu kind="quiet" icon="more" label="Actions of this item" entries={entries} />}
        <Button kind="quiet" icon="close" label="Close the item" onClick={close} />
      </header>
      {isPartial && (
        <p class="panel-note">
          Attributes may be missing here: an index or a projection left them out.{' '}
          {props.loadWhole && (
            <Button onClick={props.loadWhole} icon="download">
              Get the whole item
            </Button>
          )}
        </p>
      )}
      <Tabs
        label="Forms of the item"
        tabs={[
          { id: 'list', title: 'Attributes' },
          { id: 'json', title: 'JSON' },
          { id: 'ddb', title: 'DynamoDB JSON' },
        ]}
        chosen={view}
        choose={choose}
      >
        {view === 'list' && <Attributes key={key ? keyWords(key) : ''} {...props} />}
        {view === 'json' && <CodeBlock text={shownJson(writeJson(plainItem(item), 2))} label="Item as JSON" />}
        {view === 'ddb' && <CodeBlock text={typedText(item)} label="Item as DynamoDB JSON" />}
      </Tabs>
    </aside>
  );
}
