/**
 * Phase between snapshot and stream: stores the end of the snapshot before the first change is sent, without waiting
 * for the next scheduled offset commit. Otherwise a crash would repeat the whole snapshot. Then waits for
 * `streaming.delay.ms`.
 */
import { type SourceOffset, type SourceRecord, Wakeup, monotonicNow } from '@millrace/sdk';
import type { Position } from '../replication/position';
import type { Phase, Session } from '../session';

export class SnapshotEnd implements Phase {
  private storing = false;
  private failure: unknown = null;
  private readonly wakeup = new Wakeup();
  /** When the stream may start; Infinity until the offset is stored. */
  private streamAt = Infinity;

  constructor(
    private readonly session: Session,
    /** Where the stream starts. */
    readonly position: Position,
    /** Offset of the completed snapshot, which may have had no row to carry it. */
    readonly offset: SourceOffset,
  ) {}

  get done(): boolean {
    return monotonicNow() >= this.streamAt;
  }

  async next(): Promise<SourceRecord[] | null> {
    const { session, wakeup } = this;
    if (!this.storing) {
      this.storing = true;
      void this.store();
    }
    const { pollIntervalMs } = session.config.queue;
    await wakeup.wait(Math.min(pollIntervalMs, this.streamAt - monotonicNow()), session.signal);
    if (this.failure !== null) throw this.failure;
    return null;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async store(): Promise<void> {
    try {
      await this.session.storeOffset(this.offset);
      const { delayMs } = this.session.config.stream;
      this.streamAt = monotonicNow() + delayMs;
      if (delayMs > 0) this.session.logger.info(`Waiting for ${delayMs} ms before changes are streamed.`);
    } catch (error) {
      this.failure = error;
    }
    this.wakeup.wake();
  }
}
