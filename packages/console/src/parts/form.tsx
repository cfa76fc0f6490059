/** Controls with their labels, hints and errors. */
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icon';
import { printable } from './printable';

/** What ties a control to its field. */
export interface FieldTies {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
  readonly required?: boolean;
}

export interface FieldProps {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly errors?: readonly string[];
  readonly isRequired?: boolean;
  readonly children: (ties: FieldTies) => ComponentChildren;
}

export function Field({ label, hint, errors = [], isRequired = false, children }: FieldProps): JSX.Element {
  const id = useId();
  const described = [...(hint ? [`${id}-hint`] : []), ...(errors.length > 0 ? [`${id}-errors`] : [])].join(' ');
  const ties = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': errors.length > 0 || undefined,
    ...(isRequired ? { required: true } : {}),
  };
  return (
    <div class={`field${errors.length > 0 ? ' field-wrong' : ''}`}>
      <label for={id}>
        {label}
        {isRequired && <span class="muted"> (required)</span>}
      </label>
      {children(ties)}
      {hint && (
        <div id={`${id}-hint`} class="hint">
          {hint}
        </div>
      )}
      {errors.length > 0 && (
        <ul id={`${id}-errors`} class="errors">
          {errors.map((error) => (
            <li key={error}>
              <Icon name="failed" />
              <span>{printable(error)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type Ties = Partial<FieldTies> & { readonly 'aria-label'?: string; readonly disabled?: boolean };

export interface TextInputProps extends Ties {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'search' | 'password' | 'number';
  readonly placeholder?: string;
  readonly autocomplete?: string;
  /** Id of a `<datalist>`. */
  readonly list?: string;
  readonly isCode?: boolean;
  /** In a dialog: gets the focus when it opens. */
  readonly autofocus?: boolean;
  readonly inputRef?: { current: HTMLInputElement | null };
}

export function TextInput({
  onChange,
  isCode = false,
  inputRef,
  type = 'text',
  ...props
}: TextInputProps): JSX.Element {
  return (
    <input
      {...props}
      ref={inputRef}
      // The types of Preact want a type per role.
      type={type as 'text'}
      class={`input${isCode ? ' code' : ''}`}
      spellcheck={false}
      autocomplete={(props.autocomplete ?? 'off') as 'off'}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export interface TextAreaProps extends Ties {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
  readonly placeholder?: string;
}

export function TextArea({ onChange, rows = 6, ...props }: TextAreaProps): JSX.Element {
  return (
    <textarea
      {...props}
      rows={rows}
      class="input code"
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export interface SelectProps extends Ties {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (string | readonly [value: string, label: string])[];
}

export function Select({ value, onChange, options, ...props }: SelectProps): JSX.Element {
  const pairs = options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
  return (
    <select {...props} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {pairs.map(([key, label]) => (
        <option key={key} value={key}>
          {printable(label)}
        </option>
      ))}
    </select>
  );
}

export interface CheckboxProps extends Ties {
  readonly checked: boolean;
  readonly onChange: (checked: boolean, event: Event) => void;
  readonly isMixed?: boolean;
  readonly children?: ComponentChildren;
}

export function Checkbox({ checked, onChange, isMixed = false, children, ...props }: CheckboxProps): JSX.Element {
  const box = (
    <input
      {...props}
      type="checkbox"
      class="checkbox"
      checked={checked}
      indeterminate={isMixed}
      onClick={(event) => onChange(event.currentTarget.checked, event)}
    />
  );
  if (children === undefined) return box;
  return (
    <label class="check">
      {box}
      <span>{children}</span>
    </label>
  );
}
