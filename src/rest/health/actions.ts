/** What a person can do about a failure, from its error and the row of its code in docs/errors.md. Pure. */
import type { ConnectorRow, Failure, HealthAction } from '@millrace/console';

export interface ActionFacts {
  readonly type: ConnectorRow['type'];
  readonly hasDeadLetterTopic: boolean;
  /** What the row of the code says to do; null: it has none. */
  readonly cure: string | null;
}

/** A command of a row, with the connector's name as NAME. */
const COMMAND = /`(millrace [^`]*\bNAME\b[^`]*)`/g;
const RESET = 'millrace offsets reset ';
/** A restart meets the same lost position again. */
const NO_RESTART = /^A restart does not help\b/;

export function actionsOf(
  { code, place }: Pick<Failure, 'code' | 'place'>,
  { type, hasDeadLetterTopic, cure }: ActionFacts,
): readonly HealthAction[] {
  const commands = [...(cure ?? '').matchAll(COMMAND)].map(([, command = '']) => command);
  // With other commands beside it, for instance before it, the row has to be read.
  if (commands.length === 1 && commands[0]?.startsWith(RESET)) return [{ kind: 'reset-offsets' }];
  if (NO_RESTART.test(cure ?? '')) return [];
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
