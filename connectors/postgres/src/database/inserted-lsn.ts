import type { Client } from 'pg';
import { parseLsn, type Lsn } from './lsn';

/**
 * Up to here, the log has every transaction that is visible now. The inserted WAL, because a commit may be visible
 * before it is written (synchronous_commit=off).
 */
export async function insertedLsn(client: Client): Promise<Lsn> {
  const { rows } = await client.query(
    'SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END)::text AS lsn',
  );
  const [row] = rows as { lsn: string | null }[];
  return parseLsn(row?.lsn ?? '0/0');
}
