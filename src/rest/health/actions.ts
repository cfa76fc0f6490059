/** What a person can do about a failure, from its error and what the error says to do. Pure. */
import type { ConnectorRow, Failure, HealthAction } from '@millrace/console';

export interface ActionFacts {
  readonly type: ConnectorRow['type'];
  readonly hasDeadLetterTopic: boolean;
}

/** A cure that names them in the text of the error or of docs/errors.md. */
const NAMES_RESET = /\boffsets reset\b|\breset the (?:connector's )?offsets\b/i;

export function actionsOf(
  { code, hint, sentence, place }: Pick<Failure, 'code' | 'hint' | 'sentence' | 'place'>,
  { type, hasDeadLetterTopic }: ActionFacts,
): readonly HealthAction[] {
  // A restart meets the same record, or the same lost position, again.
  if (NAMES_RESET.test(`${sentence} ${hint ?? ''}`)) return [{ kind: 'reset-offsets' }];
  const { topic, partition, offset } = place;
  const isOfRecord = type === 'sink' && topic !== undefined && isWhole(partition) && isWhole(offset);
  if (code !== 'TOLERANCE_EXCEEDED' && !isOfRecord) return [{ kind: 'restart' }];
  return [
    ...(isOfRecord
      ? [{ kind: 'skip-record', topic, partition: Number(partition), offset: Number(offset) + 1 } as const]
      : []),
    ...(type === 'sink' && !hasDeadLetterTopic ? [{ kind: 'dead-letter-queue' } as const] : []),
    { kind: 'restart' },
  ];
}

function isWhole(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,16}$/.test(text);
}
