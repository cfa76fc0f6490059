/** Logs that a connection waits for a lock, and which processes hold it. */
import { startInterval, type Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import type { ConnectionConfig } from '../config/postgres-config';
import { closeConnection, openConnection } from './connection';
import { errorText } from './errors';
import { backendPid } from './pg-internals';

const EVERY_MS = 2_000;
/** The lock manager is asked only if the connection waits. Process 0 is a prepared transaction. */
const WAIT = `
  SELECT pg_blocking_pids(a.pid) AS blockers, (
    SELECT CASE WHEN l.relation IS NULL THEN NULL ELSE coalesce(n.nspname || '.' || c.relname, l.relation::text) END
    FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE l.pid = a.pid AND NOT l.granted LIMIT 1) AS table
  FROM pg_stat_activity a WHERE a.pid = $1 AND a.wait_event_type = 'Lock'`;

interface LockWait {
  readonly blockers: readonly number[];
  /** `schema.table`; null: it waits for the end of transactions. */
  readonly table: string | null;
}

/**
 * Settles like `work`. Warns while the connection waits, once for each table and its processes. Looks on a connection
 * of its own, which is opened only if the work takes longer than two seconds.
 * @param doing what waits, as the start of a sentence
 */
export async function reportingWaits<T>(
  {
    config,
    logger,
    client,
    doing,
  }: {
    readonly config: ConnectionConfig;
    readonly logger: Logger;
    readonly client: Client;
    readonly doing: string;
  },
  work: Promise<T>,
): Promise<T> {
  const said = new Set<string>();
  let checking = false;
  let over = false;
  const check = async (): Promise<void> => {
    const { client: observer } = await openConnection(config, 'General');
    try {
      const { rows } = await observer.query(WAIT, [backendPid(client)]);
      const wait = rows[0] as LockWait | undefined;
      if (wait === undefined || wait.blockers.length === 0 || over) return;
      const line = waitLine(doing, wait);
      if (!said.has(line)) logger.warn(line);
      said.add(line);
    } finally {
      await closeConnection(observer);
    }
  };
  const timer = startInterval(() => {
    if (checking) return;
    checking = true;
    void check()
      .catch((error: unknown) => logger.debug(`What ${doing} waits for could not be read: ${errorText(error)}`))
      .finally(() => (checking = false));
  }, EVERY_MS);
  try {
    return await work;
  } finally {
    over = true;
    clearInterval(timer);
  }
}

/** Pure. */
function waitLine(doing: string, { blockers, table }: LockWait): string {
  const pids = [...new Set(blockers)].sort((a, b) => a - b).map((pid) => (pid === 0 ? 'a prepared transaction' : pid));
  const what = table === null ? 'transactions of other sessions to end' : `the lock of table ${table}`;
  return `${doing} waits for ${what} (process ${pids.join(', ')}). It continues when that has ended.`;
}
