/**
 * Limits how long the records of a batch keep the event loop: a slow transformation would otherwise delay heartbeats of
 * the thread, and tasks that share it, by its time for a whole batch.
 */
import { monotonicNow, yieldToEventLoop } from '@millrace/sdk';

const TURN_MS = 500;

export class TurnLimit {
  private since = 0;

  /** At the start of a batch. */
  begin(): void {
    this.since = monotonicNow();
  }

  /** Before each record. Null: the turn may continue; otherwise await the next one. */
  next(): Promise<void> | null {
    if (monotonicNow() - this.since < TURN_MS) return null;
    return yieldToEventLoop().then(() => this.begin());
  }
}
