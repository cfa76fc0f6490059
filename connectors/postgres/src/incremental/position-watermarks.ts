/**
 * Marks the end of a chunk with a position in the WAL, and writes nothing: for `read.only`, for servers in recovery,
 * and without a signal table. Every transaction that the chunk saw has its commit record before the position.
 *
 * Debezium compares transaction ids instead, which needs PostgreSQL 13, a heartbeat on an idle server, and care where
 * the ids wrap around.
 */
import { lsn, parseLsn, type Lsn } from '../database/lsn';
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
    const client = await this.session.general.get();
    // The inserted WAL, because a commit may be visible before it is written (synchronous_commit=off).
    const { rows } = await client.query(
      'SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END)::text AS lsn',
    );
    const [row] = rows as { lsn: string | null }[];
    return endOfRecords(parseLsn(row?.lsn ?? '0/0'));
  }
}

/** At the begin of a page, the insert position follows the page header, and the end of the last record does not. */
export function endOfRecords(position: Lsn): Lsn {
  const wide = BigInt(position);
  const inPage = Number(wide % BigInt(PAGE));
  const end = inPage > PAGE_HEADER ? wide : wide - BigInt(inPage);
  return lsn(Number(end >> 32n), Number(end & 0xffffffffn));
}
