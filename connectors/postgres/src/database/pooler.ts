/** Errors of connection poolers between the connector and its server. */
import { ConnectError } from '@millrace/sdk';
import type { Client } from 'pg';
import { errorCode, errorText } from './errors';

const CURE =
  'Set database.hostname and database.port to those of the PostgreSQL server itself, because logical replication does not work through a connection pooler such as PgBouncer.';
const WALSENDER = "SELECT backend_type = 'walsender' AS replicates FROM pg_stat_activity WHERE pid = pg_backend_pid()";

/** Refusals of parameters of the startup packet, which PostgreSQL accepts: by PgBouncer, and by RDS Proxy. */
const REFUSALS = /unsupported startup parameter|RDS Proxy/i;

/** Null: no pooler has refused the connection. */
export function refusedByPooler(where: string, error: unknown): ConnectError | null {
  if (!REFUSALS.test(errorText(error))) return null;
  return poolerError(`${where}: a connection pooler refuses the connection (${errorText(error)}).`, error);
}

/**
 * The reason why a replication command failed: a pooler that ignores the startup parameter `replication` opens an
 * ordinary session, for which these commands are syntax errors. Any other error is returned as it is.
 */
export async function replicationError(client: Client, error: unknown): Promise<unknown> {
  if (errorCode(error) !== '42601') return error;
  try {
    const { rows } = await client.query<{ replicates: boolean }>(WALSENDER);
    if (rows[0]?.replicates !== false) return error;
  } catch {
    return error;
  }
  return poolerError(
    'The replication connection became an ordinary session: a connection pooler between the connector and PostgreSQL ignores the startup parameter replication.',
    error,
  );
}

function poolerError(message: string, cause: unknown): ConnectError {
  return new ConnectError(`${message} ${CURE}`, { code: 'PG_POOLER', cause });
}
