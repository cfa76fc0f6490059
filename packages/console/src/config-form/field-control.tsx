/** The control of one key. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../parts/button';
import { Select, TextArea, TextInput, type FieldTies } from '../parts/form';
import { printable } from '../parts/printable';
import type { Field } from './form-model';
import { SecretInput } from './secret-input';

const OTHER = '\0other';
const LONG_TEXT = 120;

export interface FieldControlProps {
  readonly field: Field;
  readonly stored: string | undefined;
  readonly isReadOnly: boolean;
  readonly ties: FieldTies;
  /** Undefined: the key is removed. */
  readonly onChange: (value: string | undefined) => void;
}

export function FieldControl({ field, stored, isReadOnly, ties, onChange }: FieldControlProps): JSX.Element {
  const { key, control, value, recommended, definition } = field;
  const listId = useId();
  // While it is typed, a value may be one of the recommended ones, or become long: the control remains.
  const [isOther, setOther] = useState(control === 'text' && recommended.length > 0);
  const [isLong] = useState((value?.length ?? 0) > LONG_TEXT || !!value?.includes('\n'));
  if (control === 'secret')
    return <SecretInput {...{ value, stored, isReadOnly, ties, onChange }} name={definition.name} />;
  if (control === 'choice' && !isOther)
    return (
      <Select
        {...ties}
        value={value ?? ''}
        disabled={isReadOnly}
        onChange={(chosen) => (chosen === OTHER ? setOther(true) : onChange(chosen === '' ? undefined : chosen))}
        options={[['', defaultLabel(field)], ...recommended, [OTHER, 'Another value…']]}
      />
    );
  if (isLong) return <TextArea {...ties} rows={4} value={value ?? ''} disabled={isReadOnly} onChange={onChange} />;
  const hasList = recommended.length > 0 && definition.type !== 'LIST';
  return (
    <div class="control">
      <TextInput
        {...ties}
        value={value ?? ''}
        disabled={isReadOnly}
        placeholder={printable(definition.default_value ?? '')}
        list={hasList ? listId : undefined}
        onChange={onChange}
        isCode
      />
      {hasList && (
        <datalist id={listId}>
          {recommended.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {isOther && !isReadOnly && control === 'choice' && (
        <Button label={`Choose ${printable(key)} from the list`} onClick={() => setOther(false)}>
          List
        </Button>
      )}
    </div>
  );
}

function defaultLabel({ definition, isRequired }: Field): string {
  if (isRequired) return 'Choose…';
  return definition.default_value === null ? 'Not set' : `Default: ${definition.default_value}`;
}
