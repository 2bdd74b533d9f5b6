// Which attributes have a column, and in which order.

import { useState } from 'preact/hooks';
import { counted } from '../data/sizes';
import { Button } from '../parts/Button';
import { Dialog } from '../parts/Dialog';
import { TypeTag, visible } from '../parts/ValueView';
import type { ColumnInfo } from './columns';

export interface ColumnsDialogProps {
  all: ColumnInfo[];
  /** The names that have a column, in order; null for all. */
  chosen: string[] | null;
  choose: (names: string[] | null) => void;
  close: () => void;
}

const mostShown = 400;

export function ColumnsDialog({ all, chosen, choose, close }: ColumnsDialogProps) {
  const [words, filter] = useState('');
  const names = chosen ?? all.map((one) => one.name);
  const [picked, pick] = useState(names);
  const others = all.map((one) => one.name).filter((name) => !picked.includes(name));
  const inOrder = [...picked, ...others];
  const found = inOrder.filter((name) => name.toLowerCase().includes(words.toLowerCase()));
  const info = new Map(all.map((one) => [one.name, one]));
  const toggle = (name: string): void => pick(picked.includes(name) ? picked.filter((one) => one !== name) : [...picked, name]);
  const move = (name: string, by: number): void => {
    const from = picked.indexOf(name);
    const to = from + by;
    if (to < 0 || to >= picked.length) return;
    const next = picked.filter((one) => one !== name);
    next.splice(to, 0, name);
    pick(next);
  };
  const use = (): void => {
    const isAll = picked.length === all.length && picked.every((name, nth) => name === all[nth]?.name);
    choose(isAll ? null : picked);
    close();
  };
  return (
    <Dialog
      title="Columns"
      close={close}
      submit={use}
      foot={
        <>
          <Button kind="quiet" onClick={() => pick(all.map((one) => one.name))}>
            All
          </Button>
          <Button kind="quiet" onClick={() => pick([])}>
            None
          </Button>
          <span class="space" />
          <Button onClick={close}>Cancel</Button>
          <Button kind="main" type="submit" disabled={picked.length === 0}>
            Use {counted(picked.length, 'column')}
          </Button>
        </>
      }
    >
      <input
        type="search"
        data-first
        aria-label="Filter attributes"
        placeholder={`Filter ${counted(all.length, 'attribute')}`}
        value={words}
        onInput={(event) => filter(event.currentTarget.value)}
      />
      <ul class="columns-list">
        {found.slice(0, mostShown).map((name) => (
          <ColumnRow
            key={name}
            name={name}
            info={info.get(name)}
            picked={picked}
            toggle={() => toggle(name)}
            move={(by) => move(name, by)}
          />
        ))}
      </ul>
      {found.length > mostShown && <p class="hint">{counted(found.length - mostShown, 'more attribute')}: type to find them</p>}
    </Dialog>
  );
}

interface ColumnRowProps {
  name: string;
  info: ColumnInfo | undefined;
  picked: string[];
  toggle: () => void;
  move: (by: number) => void;
}

function ColumnRow({ name, info, picked, toggle, move }: ColumnRowProps) {
  const isOn = picked.includes(name);
  return (
    <li>
      <label>
        <input type="checkbox" checked={isOn} onChange={toggle} />
        <bdi class="mono">{visible(name)}</bdi>
      </label>
      {info && <TypeTag type={info.usual} />}
      <span class="hint figure">in {counted(info?.count ?? 0, 'item')}</span>
      <Button kind="quiet" icon="up" label={`Move ${name} to the front`} disabled={!isOn || picked[0] === name} onClick={() => move(-1)} />
      <Button
        kind="quiet"
        icon="down"
        label={`Move ${name} to the back`}
        disabled={!isOn || picked.at(-1) === name}
        onClick={() => move(1)}
      />
    </li>
  );
}
