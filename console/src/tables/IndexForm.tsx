// The form of an index: several attributes in each part of its key, and what it holds.

import { Button } from '../parts/Button';
import { SelectField, TextField } from '../parts/Field';
import { type IndexDraft, mostParts, type Part } from './definition';

const types = [
  { value: 'S' as const, title: 'S text' },
  { value: 'N' as const, title: 'N number' },
  { value: 'B' as const, title: 'B binary' },
];

export function PartFields({
  label,
  part,
  set,
  known,
  isFirst,
}: {
  label: string;
  part: Part;
  set: (part: Part) => void;
  known?: string[];
  isFirst?: boolean;
}) {
  return (
    <div class="part-fields">
      <TextField label={label} isMono isFirst={isFirst} value={part.name} list={known} set={(name) => set({ ...part, name })} />
      <SelectField
        label={`Type of ${label.toLowerCase()}`}
        isLabelHidden
        value={part.type}
        set={(type) => set({ ...part, type })}
        choices={types}
      />
    </div>
  );
}

function Parts({
  label,
  parts,
  least,
  set,
  known,
  isFirst,
}: {
  label: string;
  parts: Part[];
  least: number;
  set: (parts: Part[]) => void;
  known: string[];
  isFirst?: boolean;
}) {
  return (
    <div class="parts-list">
      {parts.map((part, nth) => (
        <div class="parts-row" key={nth}>
          <PartFields
            label={nth === 0 ? label : `${label}, attribute ${nth + 1}`}
            isFirst={isFirst && nth === 0}
            part={part}
            known={known}
            set={(to) => set(parts.map((one, at) => (at === nth ? to : one)))}
          />
          {parts.length > least && (
            <Button
              kind="quiet"
              icon="close"
              label={`Take away ${part.name || label}`}
              onClick={() => set(parts.filter((_, at) => at !== nth))}
            />
          )}
        </div>
      ))}
      {parts.length < mostParts && (
        <Button kind="quiet" icon="plus" onClick={() => set([...parts, { name: '', type: 'S' }])}>
          {parts.length === 0 ? `Add a ${label.toLowerCase()}` : 'One more attribute'}
        </Button>
      )}
    </div>
  );
}

export interface IndexFormProps {
  index: IndexDraft;
  set: (index: IndexDraft) => void;
  known: string[];
  /** Whether it may be local: only where a table with a sort key is created. */
  mayBeLocal?: boolean;
  remove?: () => void;
  isFirst?: boolean;
}

export function IndexForm({ index, set, known, mayBeLocal, remove, isFirst }: IndexFormProps) {
  return (
    <div class="index-form" role="group" aria-label={`Index ${index.name}`}>
      <div class="index-head">
        <TextField label="Index" isMono value={index.name} set={(name) => set({ ...index, name })} />
        {mayBeLocal && (
          <SelectField
            label="Kind"
            value={index.isLocal ? 'local' : 'global'}
            set={(kind) =>
              set({ ...index, isLocal: kind === 'local', sort: kind === 'local' ? [index.sort[0] ?? { name: '', type: 'S' }] : index.sort })
            }
            choices={[
              { value: 'global', title: 'global' },
              { value: 'local', title: 'local: the same partition key' },
            ]}
          />
        )}
        {remove && <Button kind="quiet" icon="trash" label={`Take away ${index.name}`} onClick={remove} />}
      </div>
      {!index.isLocal && (
        <Parts
          label="Partition key"
          parts={index.partition}
          least={1}
          known={known}
          isFirst={isFirst}
          set={(partition) => set({ ...index, partition })}
        />
      )}
      {index.isLocal ? (
        <PartFields
          label="Sort key"
          part={index.sort[0] ?? { name: '', type: 'S' }}
          known={known}
          set={(part) => set({ ...index, sort: [part] })}
        />
      ) : (
        <Parts label="Sort key" parts={index.sort} least={0} known={known} set={(sort) => set({ ...index, sort })} />
      )}
      <div class="index-head">
        <SelectField
          label="Holds"
          value={index.projection}
          set={(projection) => set({ ...index, projection })}
          choices={[
            { value: 'ALL', title: 'all attributes' },
            { value: 'KEYS_ONLY', title: 'keys only' },
            { value: 'INCLUDE', title: 'keys and some attributes' },
          ]}
        />
        {index.projection === 'INCLUDE' && (
          <TextField
            label="Attributes"
            isMono
            placeholder="city, state"
            value={index.included}
            set={(included) => set({ ...index, included })}
          />
        )}
      </div>
    </div>
  );
}
