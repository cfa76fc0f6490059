/**
 * Marks the end of a chunk with a position in the WAL, and writes nothing: for `read.only`, for servers in recovery,
 * and without a signal table. Every transaction that the chunk saw has its commit record before the position.
 *
 * Debezium compares transaction ids instead, which needs PostgreSQL 13, a heartbeat on an idle server, and care where
 * the ids wrap around.
 */
import { insertedLsn } from '../database/inserted-lsn';
import { lsn, type Lsn } from '../database/lsn';
import type { Session } from '../session';
import type { Watermarks } from './watermarks';

const PAGE = 8192;
/** Bytes of the longest header of a WAL page. */
const PAGE_HEADER = 40;

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
