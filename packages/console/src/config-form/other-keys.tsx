/** Keys that are set but that no definition knows: labels, client overrides, typing errors. And a place to add one. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button';
import { Field, TextInput } from '../parts/form';
import { printable } from '../parts/printable';
import type { Config } from '../documents/parse-document';
import { fieldId } from './focus-field';
import { HIDDEN, type OtherKey } from './form-model';
import { RenameKey } from './rename-key';
import { SecretInput } from './secret-input';

export interface OtherKeysProps {
  readonly keys: readonly OtherKey[];
  /** What the worker has; null: the connector is new. */
  readonly stored: Config | null;
  readonly isReadOnly: boolean;
  readonly onChange: (key: string, value: string | undefined) => void;
}

export function OtherKeys({ keys, stored, isReadOnly, onChange }: OtherKeysProps): JSX.Element {
  return (
    <section class="config-group" aria-labelledby="other-keys">
      <h2 id="other-keys">Other keys</h2>
      <p class="hint">
        Keys that the plugin does not define: settings of Kafka clients such as <code>producer.override.linger.ms</code>
        , labels, and typing errors.
      </p>
      {keys.map((other) => (
        <OtherField
          key={other.key}
          {...{ other, isReadOnly, onChange }}
          stored={stored === null ? other.value : valueOf(stored, other.key)}
        />
      ))}
      {!isReadOnly && <NewKey taken={keys.map(({ key }) => key)} onAdd={onChange} />}
    </section>
  );
}

interface OtherFieldProps {
  readonly other: OtherKey;
  readonly stored: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (key: string, value: string | undefined) => void;
}

function OtherField({ other, stored, isReadOnly, onChange }: OtherFieldProps): JSX.Element {
  const { key, value, errors, warnings } = other;
  const change = (changed: string | undefined): void => onChange(key, changed);
  return (
    <div id={fieldId(key)} class={`config-field${value === stored ? '' : ' config-field-changed'}`}>
      <Field
        label={<bdi class="code">{printable(key)}</bdi>}
        errors={errors}
        warnings={warnings.map(({ message }) => message)}
      >
        {(ties) =>
          value?.includes(HIDDEN) || stored?.includes(HIDDEN) ? (
            <SecretInput {...{ value, stored, isReadOnly, ties }} name={key} onChange={change} />
          ) : (
            <TextInput {...ties} value={value ?? ''} disabled={isReadOnly} onChange={change} isCode />
          )
        }
      </Field>
      {!isReadOnly && (
        <div class="config-field-actions">
          <RenameKey name={key} {...{ value, warnings, onChange }} />
          <Button kind="quiet" label={`Remove ${printable(key)}`} onClick={() => change(undefined)}>
            Remove
          </Button>
        </div>
      )}
    </div>
  );
}

interface NewKeyProps {
  readonly taken: readonly string[];
  readonly onAdd: (key: string, value: string) => void;
}

function NewKey({ taken, onAdd }: NewKeyProps): JSX.Element {
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const name = key.trim();
  const objection =
    name === '' || value === '' ? 'Type a key and a value' : taken.includes(name) ? 'This key is set already' : null;
  const add = (event: Event): void => {
    event.preventDefault();
    if (objection !== null) return;
    onAdd(name, value);
    setKey('');
    setValue('');
  };
  return (
    <form class="new-key" onSubmit={add}>
      <Field label="New key">{(ties) => <TextInput {...ties} value={key} onChange={setKey} isCode />}</Field>
      <Field label="Value of the new key">
        {(ties) => <TextInput {...ties} value={value} onChange={setValue} isCode />}
      </Field>
      <Button type="submit" icon="plus" objection={objection}>
        Add key
      </Button>
    </form>
  );
}

function valueOf(config: Config, key: string): string | undefined {
  return Object.hasOwn(config, key) ? config[key] : undefined;
}
