import type { Lsn } from '../database/lsn';
import { Instant, type EventContext } from '../events/event-factory';

/** The transaction whose changes arrive. */
export class Transaction implements EventContext {
  readonly time = new Instant();
  xid = 0;
  origin: string | null = null;
  originLsn: Lsn | null = null;
  open = false;
  /** Completed before the start: all of it is skipped. */
  completedBefore = false;
  /** Change messages so far, skipped and filtered ones included. */
  index = 0;
  /** Position of the last of them, and how many so far have it: rows of one record in the log share it. */
  lsn: Lsn = 0;
  sameLsn = 0;
}
