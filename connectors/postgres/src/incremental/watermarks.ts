/** How an incremental snapshot finds its chunks in the stream (cdc-postgres §4.10, §4.11). */
import type { Lsn } from '../database/lsn';

export interface Watermarks {
  /** Before the rows are read. */
  open(chunk: string): Promise<void>;
  /**
   * After the rows are read. The chunk ends in the stream where its last transaction before this position ends; null:
   * where `closedBy` finds the mark.
   */
  close(chunk: string): Promise<Lsn | null>;
}
