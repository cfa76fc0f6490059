import type { Lsn } from '../database/lsn';
import { Instant, type EventContext } from '../events/event-context';

/** The transaction whose changes are being received. */
export class Transaction implements EventContext {
  readonly time = new Instant();
  xid = 0;
  /** Begin of the commit record; Infinity if the output plugin does not send it. */
  finalLsn: Lsn = 0;
  xmin: Lsn | null = null;
  origin: string | null = null;
  originLsn: Lsn | null = null;
  /** The member of offsets that names the WAL; undefined: unknown. */
  timeline: string | undefined = undefined;
  open = false;
  /** Completed before the restart: all its changes are skipped. */
  completedBefore = false;
  /** Number of change messages so far, including skipped and filtered ones. */
  index = 0;
  /**
   * LSN of the last change message; `sameLsn` counts the messages with it, because rows of one WAL record share an LSN.
   */
  lsn: Lsn = 0;
  sameLsn = 0;
  /** LSN of the last logical message. */
  messageLsn: Lsn | null = null;
}
