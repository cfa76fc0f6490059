/** How an incremental snapshot finds its chunks in the stream (cdc-postgres §4.10, §4.11). */
import type { Lsn } from '../database/lsn';

/** A stretch of the stream in which a chunk is read. */
export interface ChunkMark {
  /** Unique. */
  readonly id: string;
  /** `schema.table` that was current when it was opened. */
  readonly table: string;
  /** Id of the signal that asked for the table; null: not known. */
  readonly correlationId: string | null;
}

export interface Watermarks {
  /** Before the rows are read. */
  open(mark: ChunkMark): Promise<void>;
  /**
   * After the rows are read. The chunk ends in the stream where its last transaction before this position ends; null:
   * where `closedBy` finds the mark.
   */
  close(mark: ChunkMark): Promise<Lsn | null>;
}
