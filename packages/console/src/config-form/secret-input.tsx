/** A secret: whether it is set, never what it is. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button';
import { TextInput, type FieldTies } from '../parts/form';
import { printable } from '../parts/printable';
import { HIDDEN } from './form-model';

export interface SecretInputProps {
  readonly name: string;
  readonly value: string | undefined;
  /** What the worker has; restored by "Keep". */
  readonly stored: string | undefined;
  readonly isReadOnly: boolean;
  readonly ties: FieldTies;
  readonly onChange: (value: string | undefined) => void;
}

export function SecretInput({ name, value, stored, isReadOnly, ties, onChange }: SecretInputProps): JSX.Element {
  const [isReplacing, setReplacing] = useState(false);
  const shown = printable(name);
  const isStored = stored !== undefined;
  if (isStored && value === stored && !isReplacing)
    return (
      <div class="secret">
        <span id={ties.id} class="secret-state">
          {value === HIDDEN || !value.includes(HIDDEN) ? (
            'Set, hidden'
          ) : (
            <bdi class="text code">{printable(value)}</bdi>
          )}
        </span>
        <Button label={`Replace ${shown}`} objection={isReadOnly ? 'Only admins change it' : null} onClick={replace}>
          Replace
        </Button>
      </div>
    );
  return (
    <div class="secret">
      <TextInput
        {...ties}
        type={value?.includes('${') ? 'text' : 'password'}
        autocomplete="new-password"
        value={value === stored && isStored ? '' : (value ?? '')}
        placeholder={isStored ? 'New value' : ''}
        disabled={isReadOnly}
        onChange={onChange}
        isCode
      />
      {isStored && (
        <Button label={`Keep the stored value of ${shown}`} onClick={keep}>
          Keep
        </Button>
      )}
    </div>
  );

  function replace(): void {
    setReplacing(true);
  }
  function keep(): void {
    setReplacing(false);
    onChange(stored);
  }
}
