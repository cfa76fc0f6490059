/** Offsets by partition: shown, or edited one by one. */
import type { JSX } from 'preact';
import type { ActionEffects } from '../../worker-api';
import { effectsOf } from '../../offsets/effects';
import { isChanged, partitionTitle, problemOf, type ConnectorType, type OffsetRow } from '../../offsets/offsets-model';
import { Button } from '../../parts/button';
import { Field, TextArea, TextInput } from '../../parts/form';
import { printable } from '../../parts/printable';
import { Text } from '../../parts/text';

export interface OffsetsEditorProps {
  readonly rows: readonly OffsetRow[];
  readonly type: ConnectorType;
  readonly effects: ActionEffects;
  /** Positions of rows whose partition occurs before. */
  readonly repeated: ReadonlySet<number>;
  /** Null: they are only shown. */
  readonly onChange: ((rows: readonly OffsetRow[]) => void) | null;
}

export function OffsetsEditor({ rows, type, effects, repeated, onChange }: OffsetsEditorProps): JSX.Element {
  const replace = (at: number, change: Partial<OffsetRow>): void =>
    onChange?.(rows.map((row, i) => (i === at ? { ...row, ...change } : row)));
  const add = (): void =>
    onChange?.([
      ...rows,
      {
        partition: type === 'sink' ? NEW_SINK : '{}',
        before: null,
        text: type === 'sink' ? '0' : '{}',
        isReset: false,
      },
    ]);
  return (
    <>
      <div class="offsets-head" aria-hidden="true">
        <span>Partition</span>
        <span>Offset</span>
        {onChange && <span />}
      </div>
      <ul class="offsets" aria-label="Offsets by partition">
        {rows.map((row, i) => (
          <li
            key={row.before === null ? `new ${i}` : row.partition}
            class={onChange && isChanged(row) ? 'offset-changed' : ''}
          >
            {onChange ? (
              <EditedOffset
                {...{ row, type, effects }}
                isRepeated={repeated.has(i)}
                onChange={(change) => replace(i, change)}
                onRemove={() => onChange(rows.filter((_, at) => at !== i))}
              />
            ) : (
              <>
                <Text>{partitionTitle(row.partition)}</Text>
                <bdi class="code text">{printable(row.text)}</bdi>
              </>
            )}
          </li>
        ))}
      </ul>
      {onChange && (
        <Button icon="plus" onClick={add}>
          Add a partition
        </Button>
      )}
    </>
  );
}

const NEW_SINK = '{"kafka_topic":"","kafka_partition":0}';

interface EditedOffsetProps {
  readonly row: OffsetRow;
  readonly type: ConnectorType;
  readonly effects: ActionEffects;
  readonly isRepeated: boolean;
  readonly onChange: (change: Partial<OffsetRow>) => void;
  readonly onRemove: () => void;
}

function EditedOffset({ row, type, effects, isRepeated, onChange, onRemove }: EditedOffsetProps): JSX.Element {
  const isNew = row.before === null;
  const title = printable(partitionTitle(row.partition));
  const problem = isRepeated ? 'This partition occurs twice.' : isChanged(row) ? problemOf(row, type) : null;
  const [effect] = problem === null ? effectsOf([row], type, effects) : [];
  return (
    <>
      {isNew ? (
        <Field label="New partition (JSON)">
          {(ties) => (
            <TextInput {...ties} value={row.partition} onChange={(partition) => onChange({ partition })} isCode />
          )}
        </Field>
      ) : (
        <Text>{partitionTitle(row.partition)}</Text>
      )}
      <div class="offset-edit">
        {row.isReset ? (
          <p class="muted">Reset: no offset</p>
        ) : (
          <Field
            label={<span class="unseen">{isNew ? 'Offset of the new partition' : `Offset of ${title}`}</span>}
            errors={problem === null ? [] : [problem]}
          >
            {(ties) =>
              type === 'sink' ? (
                <TextInput {...ties} value={row.text} onChange={(text) => onChange({ text })} isCode />
              ) : (
                <TextArea
                  {...ties}
                  rows={row.text.split('\n').length + 1}
                  value={row.text}
                  onChange={(text) => onChange({ text })}
                />
              )
            }
          </Field>
        )}
        {effect && <p class={effect.isLoss ? 'warn' : 'muted'}>{printable(effect.sentence)}</p>}
      </div>
      <div class="offset-actions">
        {isNew ? (
          <Button kind="quiet" label={`Remove the new partition ${title}`} onClick={onRemove}>
            Remove
          </Button>
        ) : (
          <>
            {isChanged(row) && (
              <Button
                kind="quiet"
                label={`Undo the change of ${title}`}
                onClick={() => onChange({ text: row.before ?? '', isReset: false })}
              >
                Undo
              </Button>
            )}
            {!row.isReset && (
              <Button kind="quiet" label={`Reset ${title}`} onClick={() => onChange({ isReset: true })}>
                Reset
              </Button>
            )}
          </>
        )}
      </div>
    </>
  );
}
