/**
 * Between snapshot and stream: the end of the snapshot is stored before the first change goes on, however long the next
 * scheduled commit is away. A crash would have the whole snapshot taken again otherwise.
 */
import { type SourceOffset, type SourceRecord, Wakeup } from '@millrace/sdk';
import type { Position } from '../replication/position';
import type { Phase, Session } from '../session';

export class SnapshotEnd implements Phase {
  private storing = false;
  private failure: unknown = null;
  private readonly wakeup = new Wakeup();

  done = false;

  constructor(
    private readonly session: Session,
    /** Where the stream goes on. */
    readonly position: Position,
    /** Of the snapshot's end. There may have been no row to carry it. */
    readonly offset: SourceOffset,
  ) {}

  async next(): Promise<SourceRecord[] | null> {
    const { session, wakeup } = this;
    if (!this.storing) {
      this.storing = true;
      void this.store();
    }
    await wakeup.wait(session.config.queue.pollIntervalMs, session.signal);
    if (this.failure !== null) throw this.failure;
    return null;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async store(): Promise<void> {
    try {
      await this.session.storeOffset(this.offset);
      this.done = true;
    } catch (error) {
      this.failure = error;
    }
    this.wakeup.wake();
  }
}
