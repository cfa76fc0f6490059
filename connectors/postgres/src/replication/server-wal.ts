/** Reads which WAL a server has (`ServerWal`). */
import type { Logger } from '@millrace/sdk';
import { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { clientConfig, closeConnection } from '../database/connection';
import { errorCode, errorText } from '../database/errors';
import { parseLsn } from '../database/lsn';
import { replicationError } from '../database/pooler';
import type { TlsAttempt } from '../database/tls';
import { parseHistory, type ServerWal, type TimelineEnd, type WalTimeline } from './wal-history';

const STATE = `SELECT pg_is_in_recovery() AS recovering,
  CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn()::text END AS inserted,
  CASE WHEN NOT pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS recovered`;

/**
 * @param client a replication connection that streams nothing
 * @param stored where the position is from; the history of the server is read only if that is another timeline
 */
export async function readServerWal(client: Client, stored: WalTimeline | null): Promise<ServerWal> {
  const identity = await identify(client);
  const state = (await client.query(STATE)).rows[0] as {
    recovering: boolean;
    inserted: string | null;
    recovered: string | null;
  };
  const systemId = String(identity.systemid);
  const timeline = Number(identity.timeline);
  const isDescendant = stored !== null && stored.systemId === systemId && stored.timeline < timeline;
  return {
    systemId,
    timeline,
    recoveredTo: state.recovered === null ? null : parseLsn(state.recovered),
    // Positions of snapshots may be of WAL that is inserted and not yet flushed.
    end: parseLsn(state.inserted ?? String(identity.xlogpos)),
    inRecovery: state.recovering,
    ancestors: isDescendant ? await readHistory(client, timeline) : null,
  };
}

async function identify(client: Client): Promise<Record<string, unknown>> {
  try {
    return (await client.query('IDENTIFY_SYSTEM')).rows[0] as Record<string, unknown>;
  } catch (error) {
    throw await replicationError(client, error);
  }
}

async function readHistory(client: Client, timeline: number): Promise<TimelineEnd[] | null> {
  try {
    const { rows } = await client.query(`TIMELINE_HISTORY ${timeline}`);
    return parseHistory(String((rows[0] as { content: unknown }).content));
  } catch (error) {
    // The file may have been removed from a restored copy.
    if (errorCode(error) === '58P01') return null;
    throw error;
  }
}

/**
 * On a connection of its own. Null when it cannot be read, for example because no walsender is free: the stream reads
 * it again before it begins.
 */
export async function findServerWal(
  { connection }: PostgresConfig,
  tls: TlsAttempt,
  stored: WalTimeline | null,
  logger: Logger,
): Promise<ServerWal | null> {
  const client = new Client({ ...clientConfig(connection, 'Streaming', tls), replication: 'database' } as object);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await readServerWal(client, stored);
  } catch (error) {
    logger.debug(`The timeline of the server could not be read: ${errorText(error)}`);
    return null;
  } finally {
    await closeConnection(client);
  }
}
