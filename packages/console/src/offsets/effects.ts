/** What a change of offsets means for the records: which are read again, and which are skipped. Pure. */
import type { ActionEffects } from '../worker-api';
import { isChanged, partitionTitle, type ConnectorType, type OffsetRow } from './offsets-model';

export interface Effect {
  readonly partition: string;
  readonly sentence: string;
  /** Records that are never delivered. */
  readonly isLoss: boolean;
}

/** One per changed row; rows must be valid. */
export function effectsOf(rows: readonly OffsetRow[], type: ConnectorType, declared: ActionEffects): readonly Effect[] {
  return rows.filter(isChanged).map((row) => ({
    partition: partitionTitle(row.partition),
    ...(type === 'sink' ? sinkEffect(row, declared) : sourceEffect(row, declared)),
  }));
}

/** Of `DELETE /connectors/NAME/offsets`. */
export function resetEffect(type: ConnectorType, declared: ActionEffects): string {
  if (type === 'sink')
    return withMore(
      'The connector has no position in its topics then. It begins where "auto.offset.reset" of its consumer says, ' +
        'by default at the earliest record that Kafka still has, and delivers the records again.',
      declared.resetOffsets,
    );
  return `${sourceStart(declared)} Records that were written before are written again.`;
}

function withMore(sentence: string, more: string | undefined): string {
  return more === undefined ? sentence : `${sentence} ${more}`;
}

function sinkEffect({ before, text, isReset }: OffsetRow, declared: ActionEffects): Omit<Effect, 'partition'> {
  const effect = (sentence: string, isLoss: boolean, more = declared.changeOffsets) => ({
    sentence: withMore(sentence, more),
    isLoss,
  });
  if (isReset)
    return effect(
      'Read again from the earliest record that Kafka still has, by default.',
      false,
      declared.resetOffsets,
    );
  const to = BigInt(text.trim());
  if (before === null || !/^\d+$/.test(before))
    return effect(`Begins at offset ${to}; earlier records are not delivered.`, to > 0n);
  const from = BigInt(before);
  const path = `From ${from} to ${to}`;
  if (to < from) return effect(`${path}: ${records(from - to)} read again.`, false);
  return effect(`${path}: ${records(to - from)} skipped, and never delivered.`, true);
}

function records(count: bigint): string {
  return count === 1n ? '1 record is' : `${count} records are`;
}

function sourceEffect({ before, isReset }: OffsetRow, declared: ActionEffects): Omit<Effect, 'partition'> {
  if (isReset) return { sentence: sourceStart(declared), isLoss: false };
  const start = before === null ? 'The connector begins at this offset.' : 'The connector continues at the new offset.';
  const sentence = `${start} What follows an earlier offset is written again; what is before a later one is never written.`;
  return { sentence: withMore(sentence, declared.changeOffsets), isLoss: true };
}

function sourceStart({
  resetOffsets = 'The connector starts as for the first time, and reads its source again from the beginning.',
}: ActionEffects): string {
  return resetOffsets;
}
