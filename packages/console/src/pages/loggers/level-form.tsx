/** Sets the level of a logger and of those below it, on this worker or on all. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LEVELS, setLevel, type Logger, type LoggerScope } from '../../api/loggers';
import { ActionButton } from '../../parts/button';
import { Field, Select, TextInput } from '../../parts/form';
import { formatNumberOf } from '../../parts/format';
import { Icon } from '../../parts/icon';
import { printable } from '../../parts/printable';

export interface LevelFormProps {
  /** The row whose level is to be changed; null: any. */
  readonly chosen: Logger | null;
  readonly loggers: readonly Logger[];
  readonly onChanged: () => void;
}

interface Result {
  readonly isRefused: boolean;
  readonly text: string;
}

export function LevelForm({ chosen, loggers, onChanged }: LevelFormProps): JSX.Element {
  const [name, setName] = useState(chosen?.name ?? '');
  const [level, setChosenLevel] = useState(chosen?.level ?? 'DEBUG');
  const [scope, setScope] = useState<LoggerScope>('worker');
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (chosen) form.current?.querySelector('select')?.focus();
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      setResult({ isRefused: false, text: describe(name, level, await setLevel(name, level, scope)) });
      onChanged();
    } catch (error) {
      setResult({ isRefused: true, text: (error as Error).message });
    }
    setBusy(false);
  };
  return (
    <form class="level-form card" ref={form} onSubmit={submit} aria-label="Set a log level">
      <Field label="Logger">
        {(field) => (
          <TextInput {...field} value={name} onChange={setName} list="loggers" placeholder="Name, or its beginning" />
        )}
      </Field>
      <datalist id="loggers">
        {loggers.map((logger) => (
          <option key={logger.name} value={logger.name} />
        ))}
      </datalist>
      <Field label="Level">
        {(field) => <Select {...field} value={level} onChange={setChosenLevel} options={LEVELS} />}
      </Field>
      <Field label="Where">
        {(field) => (
          <Select
            {...field}
            value={scope}
            onChange={(value) => setScope(value as LoggerScope)}
            options={[
              ['worker', 'This worker'],
              ['cluster', 'All workers'],
            ]}
          />
        )}
      </Field>
      <ActionButton
        type="submit"
        kind="primary"
        needs="admin"
        isBusy={isBusy}
        objection={name.trim() === '' ? 'Enter a logger first' : null}
      >
        Set level
      </ActionButton>
      <p class={result?.isRefused ? 'problem' : 'hint'} role="status">
        {result?.isRefused && <Icon name="failed" />}
        <span>{result ? printable(result.text) : 'Also of the loggers below it, until the worker restarts.'}</span>
      </p>
    </form>
  );
}

function describe(name: string, level: string, changed: readonly string[] | null): string {
  if (changed === null) return `Requested: all workers set ${name} to ${level}.`;
  if (changed.length === 0) return `${name} already has the level ${level}.`;
  return `Done: ${level} for ${formatNumberOf(changed.length, 'logger')}: ${changed.join(', ')}.`;
}
