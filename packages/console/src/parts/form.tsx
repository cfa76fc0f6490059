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
  readonly warnings?: readonly string[];
  /** Whether it must be filled in, or how else. */
  readonly isRequired?: boolean | string;
  readonly children: (ties: FieldTies) => ComponentChildren;
}

export function Field(props: FieldProps): JSX.Element {
  const { label, hint, errors = [], warnings = [], isRequired = false, children } = props;
  const id = useId();
  const described = [
    ...(hint ? [`${id}-hint`] : []),
    ...(errors.length > 0 ? [`${id}-errors`] : []),
    ...(warnings.length > 0 ? [`${id}-warnings`] : []),
  ].join(' ');
  const ties = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': errors.length > 0 || undefined,
    ...(isRequired === true ? { required: true } : {}),
  };
  return (
    <div class={`field${errors.length > 0 ? ' field-wrong' : ''}`}>
      <label for={id}>
        {label}
        {isRequired !== false && (
          <span class="required"> ({isRequired === true ? 'required' : printable(isRequired)})</span>
        )}
      </label>
      {children(ties)}
      {hint && (
        <div id={`${id}-hint`} class="hint">
          {hint}
        </div>
      )}
      <Sentences id={`${id}-errors`} kind="failed" sentences={errors} />
      <Sentences id={`${id}-warnings`} kind="degraded" sentences={warnings} />
    </div>
  );
}

interface SentencesProps {
  readonly id: string;
  readonly kind: 'failed' | 'degraded';
  readonly sentences: readonly string[];
}

function Sentences({ id, kind, sentences }: SentencesProps): JSX.Element | null {
  if (sentences.length === 0) return null;
  return (
    <ul id={id} class={kind === 'failed' ? 'errors' : 'errors warnings'}>
      {sentences.map((sentence) => (
        <li key={sentence}>
          <Icon name={kind} />
          <span>{printable(sentence)}</span>
        </li>
      ))}
    </ul>
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
