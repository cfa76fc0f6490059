/**
 * After an exactly-once snapshot of several attempts: rows that changed between them are not read, and a change does
 * not send large values that it leaves alone. They are read from the table, in its present state, until the stream has
 * passed the changes that the last attempt saw.
 */
import type { SourceOffset, SourceRecord } from '@millrace/sdk';
import type { Lsn } from '../database/lsn';
import { insertedLsn } from '../database/inserted-lsn';
import { UNREAD_MEMBER } from '../replication/position';
import type { Phase, Session } from '../session';
import { ColumnReselector, UNAVAILABLE } from './column-reselector';

/** Receives the position at which unread values end. */
interface UnreadPhase extends Pick<Phase, 'next'> {
  unreadUntil(lsn: Lsn): void;
}

export class UnreadValues {
  private readonly reselector: ColumnReselector;
  private isMissing = false;
  /** The stream has passed all changes with unread values. */
  done = false;

  constructor(private readonly session: Session) {
    session.relations.unsent.areRead = true;
    this.reselector = new ColumnReselector(session, UNAVAILABLE, { onMissing: () => (this.isMissing = true) });
  }

  async next(phase: UnreadPhase): Promise<SourceRecord[] | null> {
    const records = await this.reselector.next(phase);
    const last = records?.[records.length - 1];
    if (last === undefined) return records;
    // A row that is missing may have another key since. The event of that change lacks the value, too.
    if (this.isMissing) await this.extend(phase, last);
    const isPast = last.sourceOffset != null && last.sourceOffset[UNREAD_MEMBER] === undefined;
    this.done = isPast && this.reselector.isIdle;
    if (this.done) this.session.relations.unsent.areRead = false;
    return records;
  }

  /** All records of the phase were returned. */
  get isIdle(): boolean {
    return this.reselector.isIdle;
  }

  async close(): Promise<void> {
    await this.reselector.close();
  }

  private async extend(phase: UnreadPhase, last: SourceRecord): Promise<void> {
    this.isMissing = false;
    const until = await insertedLsn(await this.session.general.get());
    phase.unreadUntil(until);
    (last as { sourceOffset: SourceOffset }).sourceOffset = { ...last.sourceOffset, [UNREAD_MEMBER]: until };
  }
}
