/**
 * Several connections of a snapshot and the locks of tables. Each keeps its locks until all have read everything. A
 * statement such as ALTER TABLE that waits for one of them keeps the others from the same table: none would ever end,
 * and the server cannot see that the connections wait for each other.
 */
import { RetriableError, startInterval } from '@millrace/sdk';
import type { Client } from 'pg';
import { backendPid } from '../database/pg-internals';
import type { Session } from '../session';

/** Nothing is asked of the lock manager unless a connection waits. */
const STUCK = `
  WITH RECURSIVE waits AS (
    SELECT b.pid FROM pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) AS b (pid)
    WHERE a.pid = ANY ($1::int[]) AND a.wait_event_type = 'Lock'
    UNION SELECT b.pid FROM waits, unnest(pg_blocking_pids(waits.pid)) AS b (pid))
  SELECT FROM waits WHERE pid = ANY ($1::int[]) LIMIT 1`;
const EVERY_MS = 2_000;

/** Settles like `reading`; throws a RetriableError when one of the connections waits for another. */
export async function unlessStuck(session: Session, clients: readonly Client[], reading: Promise<void>): Promise<void> {
  if (clients.length < 2) return await reading;
  const pids = clients.map(backendPid);
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    const check = async (): Promise<void> => {
      const { rowCount } = await (await session.general.get()).query(STUCK, [pids]);
      if (rowCount === 0) return;
      reject(
        new RetriableError(
          'A statement of another session waits for a table of the snapshot, and keeps other connections of the snapshot from it',
          { code: 'PG_SNAPSHOT_BLOCKED' },
        ),
      );
    };
    // A connection that is lost is opened again for the next check.
    timer = startInterval(() => void check().catch(() => undefined), EVERY_MS);
  });
  try {
    await Promise.race([reading, stuck]);
  } finally {
    clearInterval(timer);
  }
}
