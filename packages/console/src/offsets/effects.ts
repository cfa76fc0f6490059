/** What a change of offsets means for the records: which are read again, and which are skipped. Pure. */
import { isChanged, partitionTitle, type ConnectorType, type OffsetRow } from './offsets-model';

export interface Effect {
  readonly partition: string;
  readonly sentence: string;
  /** Records that are never delivered. */
  readonly isLoss: boolean;
}

/** One per changed row; rows must be valid. */
export function effectsOf(rows: readonly OffsetRow[], type: ConnectorType, className: string): readonly Effect[] {
  return rows.filter(isChanged).map((row) => ({
    partition: partitionTitle(row.partition),
    ...(type === 'sink' ? sinkEffect(row) : sourceEffect(row, className)),
  }));
}

/** Of `DELETE /connectors/NAME/offsets`. */
export function resetEffect(type: ConnectorType, className: string): string {
  if (type === 'sink')
    return (
      'The connector has no position in its topics then. It begins where "auto.offset.reset" of its consumer says, ' +
      'by default at the earliest record that Kafka still has, and delivers the records again.'
    );
  return `${sourceStart(className)} Records that were written before are written again.`;
}

function sinkEffect({ before, text, isReset }: OffsetRow): Omit<Effect, 'partition'> {
  if (isReset)
    return { sentence: 'Read again from the earliest record that Kafka still has, by default.', isLoss: false };
  const to = BigInt(text.trim());
  if (before === null || !/^\d+$/.test(before))
    return { sentence: `Begins at offset ${to}; earlier records are not delivered.`, isLoss: to > 0n };
  const from = BigInt(before);
  const path = `From ${from} to ${to}`;
  if (to < from) return { sentence: `${path}: ${records(from - to)} read again.`, isLoss: false };
  return { sentence: `${path}: ${records(to - from)} skipped, and never delivered.`, isLoss: true };
}

function records(count: bigint): string {
  return count === 1n ? '1 record is' : `${count} records are`;
}

function sourceEffect({ before, isReset }: OffsetRow, className: string): Omit<Effect, 'partition'> {
  if (isReset) return { sentence: sourceStart(className), isLoss: false };
  const slot = isPostgres(className)
    ? ' PostgreSQL has no changes from before the confirmed position of the slot: they cannot be read again.'
    : '';
  const start = before === null ? 'The connector begins at this offset.' : 'The connector continues at the new offset.';
  return {
    sentence: `${start} What follows an earlier offset is written again; what is before a later one is never written.${slot}`,
    isLoss: true,
  };
}

function sourceStart(className: string): string {
  if (isPostgres(className))
    return 'The connector starts as for the first time: "snapshot.mode" decides whether the tables are read again.';
  if (/(^|\.)FileStreamSource(Connector)?$/.test(className)) return 'The file is read again from its first line.';
  return 'The connector starts as for the first time, and reads its source again from the beginning.';
}

function isPostgres(className: string): boolean {
  return /(^|\.)Postgres(Connector)?$/.test(className);
}
