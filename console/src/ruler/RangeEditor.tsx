// The text of a key condition: what is typed moves the band, and the band that is dragged is written here.

import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/Button';
import { textOf, valueOf, type KeyType } from './keys';
import { rangeFault, type KeyRange, type RangeOperator } from './range';

const OPERATORS: RangeOperator[] = ['begins_with', '=', '<', '<=', '>', '>=', 'BETWEEN'];

interface Typed {
  operator: RangeOperator | '';
  first: string;
  second: string;
}

const typedOf = (range: KeyRange | null): Typed => ({ operator: range?.operator ?? '', first: range?.values[0] ? textOf(range.values[0]) : '', second: range?.values[1] ? textOf(range.values[1]) : '' });

const rangeOf = ({ operator, first, second }: Typed, type: KeyType): KeyRange | null =>
  operator === '' ? null : { operator, values: (operator === 'BETWEEN' ? [first, second] : [first]).map((text) => valueOf(type, text.trim() === '' && type === 'N' ? '' : text)) };

export function RangeEditor({ attribute, type, range, onRange }: { attribute: string; type: KeyType; range: KeyRange | null; onRange: (range: KeyRange | null) => void }) {
  const [typed, set] = useState(() => typedOf(range));
  const given = JSON.stringify(range);
  useEffect(() => {
    if (given !== JSON.stringify(rangeOf(typed, type))) set(typedOf(range));
  }, [given]);
  const now = rangeOf(typed, type);
  const fault = now && (typed.first !== '' || typed.second !== '') ? rangeFault(type, now) : undefined;
  const change = (next: Typed): void => {
    set(next);
    const meant = rangeOf(next, type);
    if (meant === null) onRange(null);
    else if (!rangeFault(type, meant) && !(type !== 'S' && next.first === '')) onRange(meant);
  };
  const input = (value: string, label: string, to: (text: string) => Typed) => (
    <input class="mono" aria-label={label} aria-invalid={fault ? true : undefined} spellcheck={false} autocomplete="off" value={value} onInput={(event) => change(to(event.currentTarget.value))} />
  );
  return (
    <div class="range-editor" role="group" aria-label="Key condition">
      <code class="range-name">{attribute}</code>
      <select aria-label="Operator" value={typed.operator} onChange={(event) => change({ ...typed, operator: event.currentTarget.value as RangeOperator | '' })}>
        <option value="">all</option>
        {OPERATORS.filter((one) => one !== 'begins_with' || type !== 'N').map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      {typed.operator !== '' && input(typed.first, typed.operator === 'BETWEEN' ? 'Lower end' : 'Value', (first) => ({ ...typed, first }))}
      {typed.operator === 'BETWEEN' && <span>AND</span>}
      {typed.operator === 'BETWEEN' && input(typed.second, 'Upper end', (second) => ({ ...typed, second }))}
      {typed.operator !== '' && <Button kind="quiet" icon="close" label="All keys of the partition" onClick={() => change({ operator: '', first: '', second: '' })} />}
      {fault && <p class="fault">{fault}</p>}
    </div>
  );
}
