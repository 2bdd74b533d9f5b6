// Fields with their labels.

import type { ComponentChildren, JSX } from 'preact';
import { useId } from './ids';

export interface FieldProps {
  label: string;
  /** Leaves the label to screen readers, where the place says what it is. */
  isLabelHidden?: boolean;
  hint?: ComponentChildren;
  fault?: string | null;
  children: (attributes: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }) => JSX.Element;
}

export function Field({ label, isLabelHidden, hint, fault, children }: FieldProps) {
  const id = useId('field');
  const about = hint || fault ? `${id}-about` : undefined;
  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden' : ''}>
        {label}
      </label>
      {children({ id, 'aria-describedby': about, 'aria-invalid': fault ? true : undefined })}
      {about && (
        <p id={about} class={fault ? 'field-fault' : 'hint'}>
          {fault ?? hint}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps {
  label: string;
  value: string;
  set: (value: string) => void;
  isLabelHidden?: boolean;
  hint?: ComponentChildren;
  fault?: string | null;
  placeholder?: string;
  isMono?: boolean;
  isFirst?: boolean;
  type?: 'text' | 'password' | 'search' | 'number';
  list?: string[];
  disabled?: boolean;
  onEnter?: () => void;
}

export function TextField(props: TextFieldProps) {
  const { value, set, isMono, isFirst, type = 'text', list, placeholder, disabled, onEnter } = props;
  const listId = useId('list');
  return (
    <Field {...props}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            {...({ type, list: list && list.length > 0 ? listId : undefined } as object)}
            class={isMono ? 'mono' : ''}
            value={value}
            placeholder={placeholder}
            disabled={disabled}
            data-first={isFirst || undefined}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            onInput={(event) => set(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && onEnter && !event.isComposing) {
                event.preventDefault();
                onEnter();
              }
            }}
          />
          {list && list.length > 0 && (
            <datalist id={listId}>
              {list.slice(0, 200).map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

export interface Choice<T extends string> {
  value: T;
  title: string;
  disabled?: boolean;
}

export function SelectField<T extends string>(props: {
  label: string;
  value: T;
  set: (value: T) => void;
  choices: Choice<T>[];
  isLabelHidden?: boolean;
  hint?: ComponentChildren;
  isMono?: boolean;
  disabled?: boolean;
}) {
  const { value, set, choices, isMono, disabled } = props;
  return (
    <Field {...props}>
      {(attributes) => (
        <select
          {...attributes}
          class={isMono ? 'mono' : ''}
          value={value}
          disabled={disabled}
          onChange={(event) => set(event.currentTarget.value as T)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} disabled={choice.disabled} selected={choice.value === value}>
              {choice.title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function AreaField(props: {
  label: string;
  value: string;
  set: (value: string) => void;
  rows?: number;
  isLabelHidden?: boolean;
  hint?: ComponentChildren;
  fault?: string | null;
  isFirst?: boolean;
}) {
  const { value, set, rows = 4, isFirst } = props;
  return (
    <Field {...props}>
      {(attributes) => (
        <textarea
          {...attributes}
          class="mono"
          rows={rows}
          value={value}
          data-first={isFirst || undefined}
          spellcheck={false}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function CheckField({
  label,
  value,
  set,
  hint,
  disabled,
}: {
  label: ComponentChildren;
  value: boolean;
  set: (value: boolean) => void;
  hint?: ComponentChildren;
  disabled?: boolean;
}) {
  const id = useId('check');
  return (
    <div class="check-field">
      <label>
        <input
          type="checkbox"
          checked={value}
          disabled={disabled}
          aria-describedby={hint ? id : undefined}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p class="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  );
}
