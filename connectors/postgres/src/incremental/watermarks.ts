/** How an incremental snapshot finds its chunks in the stream (cdc-postgres §4.10, §4.11). */
import { insertedLsn } from '../database/inserted-lsn';
import { lsn, type Lsn } from '../database/lsn';
import type { Session } from '../session';

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

const PAGE = 8192;
/** Bytes of the longest header of a WAL page. */
const PAGE_HEADER = 40;

/**
 * Marks the end of a chunk with a position in the WAL, and writes nothing: for `read.only`, for servers in recovery,
 * and without a signal table. Every transaction that the chunk saw has its commit record before the position.
 *
 * Debezium compares transaction ids instead, which needs PostgreSQL 13, a heartbeat on an idle server, and care where
 * the ids wrap around.
 */
export class PositionWatermarks implements Watermarks {
  constructor(private readonly session: Pick<Session, 'general'>) {}

  open(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<Lsn> {
    return endOfRecords(await insertedLsn(await this.session.general.get()));
  }
}

/** At the begin of a page, the insert position follows the page header, and the end of the last record does not. */
export function endOfRecords(position: Lsn): Lsn {
  const wide = BigInt(position);
  const inPage = Number(wide % BigInt(PAGE));
  const end = inPage > PAGE_HEADER ? wide : wide - BigInt(inPage);
  return lsn(Number(end >> 32n), Number(end & 0xffffffffn));
}
