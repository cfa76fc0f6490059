/** Asks before offsets are changed: what is read again or skipped, and that the connector is stopped for it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionEffects, ConnectorRow } from '../../worker-api';
import { effectsOf, resetEffect } from '../../offsets/effects';
import type { OffsetRow } from '../../offsets/offsets-model';
import { ActionButton, Button } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { Checkbox, Field, TextInput } from '../../parts/form';
import { formatNumberOf } from '../../parts/format';
import { ErrorNotice, Notice } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { Text } from '../../parts/text';
import { changeOffsets } from './change-offsets';

export interface OffsetsRequest {
  /** Null: all offsets are reset. */
  readonly patch: string | null;
  readonly changed: readonly OffsetRow[];
}

export interface OffsetsDialogProps {
  readonly row: ConnectorRow;
  readonly effects: ActionEffects;
  readonly asked: OffsetsRequest;
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

const MOST_EFFECTS = 12;

export function OffsetsDialog({ row, effects, asked, onDone, onClose }: OffsetsDialogProps): JSX.Element {
  const { name, type } = row;
  // As it was when the dialog was opened: stopping it is a part of the change.
  const [wasStopped] = useState(row.target === 'STOPPED');
  const [resumesAfter, setResumesAfter] = useState(!wasStopped && row.target === 'STARTED');
  const [typed, setTyped] = useState('');
  const [step, setStep] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const isReset = asked.patch === null;
  const objection = typed === name || typed === printable(name) ? null : `Type ${printable(name)} first`;
  const run = async (): Promise<void> => {
    setError(null);
    try {
      onDone(await changeOffsets({ name, patch: asked.patch, resumesAfter }, setStep));
    } catch (reason) {
      setError(reason as Error);
      setStep(null);
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (objection === null && step === null) void run();
  };
  const verb = isReset ? 'Reset all offsets' : `Change ${formatNumberOf(asked.changed.length, 'offset')}`;
  return (
    <Dialog title={`${verb}?`} size="large" onClose={step === null ? onClose : undefined}>
      <form onSubmit={submit}>
        <div class="dialog-body">
          {error && <Refused error={error} />}
          {isReset ? (
            <p>{printable(resetEffect(type, effects))}</p>
          ) : (
            <ul class="effects" aria-label="What changes">
              {effectsOf(asked.changed, type, effects)
                .slice(0, MOST_EFFECTS)
                .map(({ partition, sentence, isLoss }) => (
                  <li key={partition}>
                    <Text>{partition}</Text>
                    <span class={isLoss ? 'warn' : 'muted'}>{printable(sentence)}</span>
                  </li>
                ))}
              {asked.changed.length > MOST_EFFECTS && (
                <li class="muted">and {asked.changed.length - MOST_EFFECTS} more partitions</li>
              )}
            </ul>
          )}
          {!wasStopped && (
            <Notice kind="degraded" title="The connector is stopped first">
              Offsets can only be changed while it is stopped: its tasks end.
            </Notice>
          )}
          <Checkbox checked={resumesAfter} onChange={setResumesAfter}>
            Resume the connector afterwards
          </Checkbox>
          <Field
            label={
              <>
                Type{' '}
                <strong>
                  <Text>{name}</Text>
                </strong>{' '}
                to confirm
              </>
            }
          >
            {(ties) => <TextInput {...ties} value={typed} onChange={setTyped} isCode />}
          </Field>
          <p role="status" class="muted">
            {step}
          </p>
        </div>
        <footer class="dialog-foot">
          <Button objection={step === null ? null : 'The change is on its way'} onClick={onClose}>
            Cancel
          </Button>
          <ActionButton type="submit" kind="danger" needs="admin" objection={objection} isBusy={step !== null}>
            {wasStopped ? verb : `Stop, and ${verb.charAt(0).toLowerCase()}${verb.slice(1)}`}
          </ActionButton>
        </footer>
      </form>
    </Dialog>
  );
}

/** Errors of the worker, and those of the steps before. */
function Refused({ error }: { readonly error: Error }): JSX.Element {
  if (error.name !== 'Error') return <ErrorNotice error={error} />;
  return (
    <div role="alert">
      <Notice kind="failed" title={printable(error.message)} />
    </div>
  );
}
