// The form: key condition, filters visibly apart, and what is returned.

import { keyedOf, type Keyed, type TableDescription } from '../base/tables';
import {
  comparators,
  type FilterOperator,
  filterFault,
  filterOperators,
  type FilterRow,
  keyOperators,
  type KeyRow,
  pathOf,
} from '../data/expressions';
import { numberFault, type TypeName, typeNames, typeWords } from '../data/values';
import { Button } from '../parts/Button';
import { CheckField, TextField } from '../parts/Field';
import { TypeTag } from '../parts/ValueView';
import { type Draft, emptyFilter, rowsOf } from './question';

export interface BuilderProps {
  table: TableDescription;
  keyed: Keyed;
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  run: () => void;
  /** Attributes that are known, with their types. */
  known: ReadonlyMap<string, TypeName>;
}

const describe = (keyed: Keyed): string => `${[...keyed.partition, ...keyed.sort].join(', ')}`;

function Source({ table, keyed, set }: BuilderProps) {
  return (
    <div class="builder-row">
      <label class="builder-name" for="query-index">
        Read
      </label>
      <select
        id="query-index"
        class="mono"
        value={keyed.index ?? ''}
        onChange={(event) => set({ index: event.currentTarget.value || null, pk: [], sk: [] })}
      >
        {keyedOf(table).map((one) => (
          <option key={one.index ?? ''} value={one.index ?? ''} selected={one.index === keyed.index}>
            {one.index === null ? `${table.TableName}: ${describe(one)}` : `${one.index}: ${describe(one)}`}
          </option>
        ))}
      </select>
    </div>
  );
}

function KeyInput({
  row,
  nth,
  set,
  run,
  hint,
}: {
  row: KeyRow;
  nth: number;
  set: (values: string[]) => void;
  run: () => void;
  hint?: string;
}) {
  const value = row.values[nth] ?? '';
  const fault = row.type === 'N' && value !== '' ? numberFault(value) : null;
  return (
    <TextField
      label={nth === 0 ? `${row.name}, value` : `${row.name}, to`}
      isLabelHidden
      isMono
      value={value}
      fault={fault}
      placeholder={hint}
      set={(text) => {
        const values = [...row.values];
        values[nth] = text;
        set(Array.from(values, (one) => one ?? ''));
      }}
      onEnter={run}
    />
  );
}

function Keys({ table, keyed, draft, set, run }: BuilderProps) {
  const { partition, sort } = rowsOf(table, keyed, draft);
  const setPk = (nth: number, text: string): void => set({ pk: partition.map((row, at) => (at === nth ? text : (row.values[0] ?? ''))) });
  const setSk = (nth: number, part: Partial<Draft['sk'][number]>): void =>
    set({ sk: sort.map((row, at) => ({ op: row.operator, v: row.values, ...(at === nth ? part : {}) })) });
  return (
    <fieldset class="builder-part">
      <legend>Key condition</legend>
      {partition.map((row, nth) => (
        <div key={row.name} class="builder-row">
          <span class="builder-name mono">
            {row.name} <TypeTag type={row.type} />
          </span>
          <span class="builder-operator">=</span>
          <KeyInput row={row} nth={0} set={(values) => setPk(nth, values[0] ?? '')} run={run} hint="empty: a Scan reads everything" />
        </div>
      ))}
      {sort.map((row, nth) => (
        <div key={row.name} class="builder-row">
          <span class="builder-name mono">
            {row.name} <TypeTag type={row.type} />
          </span>
          <select
            class="builder-operator mono"
            aria-label={`How ${row.name} is compared`}
            value={row.operator}
            onChange={(event) => setSk(nth, { op: event.currentTarget.value as KeyRow['operator'] })}
          >
            {keyOperators
              .filter((one) => one !== 'begins_with' || row.type !== 'N')
              .map((one) => (
                <option key={one} value={one} selected={one === row.operator}>
                  {one}
                </option>
              ))}
          </select>
          <KeyInput row={row} nth={0} set={(v) => setSk(nth, { v })} run={run} hint="any" />
          {row.operator === 'BETWEEN' && (
            <>
              <span class="builder-and">and</span>
              <KeyInput row={row} nth={1} set={(v) => setSk(nth, { v })} run={run} />
            </>
          )}
        </div>
      ))}
    </fieldset>
  );
}

const withoutValue = new Set<FilterOperator>(['attribute_exists', 'attribute_not_exists']);
const filterTypes: TypeName[] = ['S', 'N', 'BOOL', 'NULL', 'B'];

function FilterValues({ row, set, run }: { row: FilterRow; set: (part: Partial<FilterRow>) => void; run: () => void }) {
  if (withoutValue.has(row.operator)) return null;
  if (row.operator === 'attribute_type') {
    return (
      <select aria-label="Type" value={row.values[0] ?? ''} onChange={(event) => set({ values: [event.currentTarget.value] })}>
        {typeNames.map((one) => (
          <option key={one} value={one} selected={one === row.values[0]}>
            {one} {typeWords[one]}
          </option>
        ))}
      </select>
    );
  }
  if (row.type === 'NULL' && row.operator !== 'size') return <span class="hint">null</span>;
  if (row.type === 'BOOL' && row.operator !== 'size') {
    return (
      <select aria-label="Value" value={row.values[0] || 'true'} onChange={(event) => set({ values: [event.currentTarget.value] })}>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  const shown = row.operator === 'BETWEEN' ? [0, 1] : row.operator === 'IN' ? row.values.map((_, nth) => nth) : [0];
  return (
    <>
      {shown.map((nth) => (
        <input
          key={nth}
          class="mono"
          aria-label={nth === 0 ? 'Value' : `Value ${nth + 1}`}
          value={row.values[nth] ?? ''}
          spellcheck={false}
          onInput={(event) => {
            const values = Array.from({ length: Math.max(row.values.length, nth + 1) }, (_, at) => row.values[at] ?? '');
            values[nth] = event.currentTarget.value;
            set({ values });
          }}
          onKeyDown={(event) => event.key === 'Enter' && run()}
        />
      ))}
      {row.operator === 'IN' && (
        <span class="row">
          <Button kind="quiet" icon="plus" label="One more value" onClick={() => set({ values: [...row.values, ''] })} />
          {row.values.length > 1 && (
            <Button kind="quiet" icon="close" label="Take away the last value" onClick={() => set({ values: row.values.slice(0, -1) })} />
          )}
        </span>
      )}
    </>
  );
}

function Filter({
  row,
  nth,
  set,
  remove,
  run,
  known,
}: {
  row: FilterRow;
  nth: number;
  set: (part: Partial<FilterRow>) => void;
  remove: () => void;
  run: () => void;
  known: ReadonlyMap<string, TypeName>;
}) {
  const fault = row.path.trim() === '' ? null : filterFault(row);
  // A filter on a number begins as one.
  const setPath = (path: string): void => {
    const type = known.get(path);
    set({
      path,
      ...(type && filterTypes.includes(type) && row.values.every((value) => value === '')
        ? { type, values: type === 'BOOL' ? ['true'] : row.values }
        : {}),
    });
  };
  const isTyped = !withoutValue.has(row.operator) && row.operator !== 'attribute_type' && row.operator !== 'size';
  return (
    <div class={`filter-row${row.isOff ? ' off' : ''}`} role="group" aria-label={`Filter ${nth + 1}`}>
      <input
        type="checkbox"
        aria-label="This filter is on"
        checked={!row.isOff}
        onChange={(event) => set({ isOff: event.currentTarget.checked ? undefined : true })}
      />
      <input
        class="mono filter-path"
        aria-label="Attribute"
        list="known-attributes"
        placeholder="attribute"
        value={row.path}
        spellcheck={false}
        onInput={(event) => setPath(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && run()}
      />
      <select
        class="mono"
        aria-label="Operator"
        value={row.operator}
        onChange={(event) =>
          set({ operator: event.currentTarget.value as FilterOperator, values: row.values.length === 0 ? [''] : row.values })
        }
      >
        {filterOperators.map((one) => (
          <option key={one} value={one} selected={one === row.operator}>
            {one}
          </option>
        ))}
      </select>
      <Button kind="quiet" icon="close" label={`Take away filter ${nth + 1}`} onClick={remove} />
      <div class="filter-values">
        {row.operator === 'size' && (
          <select
            class="mono"
            aria-label="How the size is compared"
            value={row.comparator ?? '='}
            onChange={(event) => set({ comparator: comparators.find((one) => one === event.currentTarget.value) })}
          >
            {comparators.map((one) => (
              <option key={one} selected={one === row.comparator}>
                {one}
              </option>
            ))}
          </select>
        )}
        {isTyped && (
          <select
            aria-label="Type of the value"
            class="filter-type mono"
            value={row.type}
            onChange={(event) =>
              set({ type: event.currentTarget.value as TypeName, ...(event.currentTarget.value === 'BOOL' ? { values: ['true'] } : {}) })
            }
          >
            {filterTypes.map((one) => (
              <option key={one} value={one} selected={one === row.type} title={typeWords[one]}>
                {one}
              </option>
            ))}
          </select>
        )}
        <FilterValues row={row} set={set} run={run} />
      </div>
      {fault && <p class="field-fault">{fault}</p>}
    </div>
  );
}

function Filters({ draft, set, run, known }: BuilderProps) {
  const setRow = (nth: number, part: Partial<FilterRow>): void =>
    set({ filters: draft.filters.map((row, at) => (at === nth ? { ...row, ...part } : row)) });
  return (
    <fieldset class="builder-part filters">
      <legend>
        Filter <span class="hint">after reading, which is paid for</span>
      </legend>
      <datalist id="known-attributes">
        {[...known.keys()].slice(0, 300).map((name) => (
          <option key={name} value={pathOf(name)} />
        ))}
      </datalist>
      {draft.filters.map((row, nth) => (
        <Filter
          key={nth}
          row={row}
          nth={nth}
          known={known}
          run={run}
          set={(part) => setRow(nth, part)}
          remove={() => set({ filters: draft.filters.filter((_, at) => at !== nth) })}
        />
      ))}
      <Button kind="quiet" icon="plus" onClick={() => set({ filters: [...draft.filters, emptyFilter] })}>
        Add a filter
      </Button>
    </fieldset>
  );
}

function Returned({ keyed, draft, set, run }: BuilderProps) {
  const isGlobal = keyed.index !== null && !keyed.isLocal;
  return (
    <fieldset class="builder-part">
      <legend>Returned</legend>
      <div class="builder-row">
        <label class="builder-name" for="query-attributes">
          Attributes
        </label>
        <input
          id="query-attributes"
          class="mono"
          placeholder="all, or: city, population"
          value={draft.projection}
          disabled={draft.isCount}
          spellcheck={false}
          onInput={(event) => set({ projection: event.currentTarget.value })}
          onKeyDown={(event) => event.key === 'Enter' && run()}
        />
      </div>
      <div class="builder-row">
        <label class="builder-name" for="query-limit">
          Limit
        </label>
        <input
          id="query-limit"
          class="mono builder-limit"
          inputmode="numeric"
          placeholder="1 MB"
          title="Items to examine at most, before the filter"
          value={draft.limit}
          onInput={(event) => set({ limit: event.currentTarget.value })}
          onKeyDown={(event) => event.key === 'Enter' && run()}
        />
        <select
          aria-label="Order"
          value={draft.isDescending ? 'down' : 'up'}
          disabled={keyed.sort.length === 0}
          onChange={(event) => set({ isDescending: event.currentTarget.value === 'down' })}
        >
          <option value="up">first sort key first</option>
          <option value="down" selected={draft.isDescending}>
            last sort key first
          </option>
        </select>
      </div>
      <div class="row">
        <CheckField
          label="Strongly consistent"
          value={draft.isConsistent && !isGlobal}
          disabled={isGlobal}
          set={(isConsistent) => set({ isConsistent })}
        />
        <CheckField label="Count only" value={draft.isCount} set={(isCount) => set({ isCount })} />
      </div>
    </fieldset>
  );
}

export function Builder(props: BuilderProps) {
  return (
    <div class="builder">
      <Source {...props} />
      <Keys {...props} />
      <Filters {...props} />
      <Returned {...props} />
    </div>
  );
}
