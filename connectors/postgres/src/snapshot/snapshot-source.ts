/**
 * The transaction of a snapshot, and the position at which streaming continues (cdc-postgres §4.2 to
 * §4.4).
 */
import { randomBytes } from 'node:crypto';
import { isConnectError, type Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import { closeConnection, openConnection } from '../database/connection';
import { databaseError, errorCode, errorText } from '../database/errors';
import { quoteLiteral } from '../database/identifiers';
import { parseLsn, type Lsn } from '../database/lsn';
import { createSlot, type CreatedSlot } from '../replication/slot';
import type { Session } from '../session';
import { parseSnapshot, type FirstSnapshot } from './first-snapshot';
import { int64 } from '../values/value-type';

export interface SnapshotSource {
  /** All read the same snapshot. */
  readonly clients: readonly [Client, ...Client[]];
  /**
   * Streaming from here includes every change that is not in the snapshot, and only those when a slot exported the
   * snapshot.
   */
  readonly lsn: Lsn;
  readonly xid: Lsn;
  readonly snapshot: FirstSnapshot;
  /** When the transaction began, in microseconds. */
  readonly micros: number;
}

/**
 * @param created the connector's slot if this start created it; the snapshot it exported is used
 * @param exact otherwise, a temporary slot exports a snapshot, so that snapshot and stream meet without gap or overlap.
 *   If no slot is free, the snapshot is still consistent, and streaming starts slightly earlier
 * @param connections how many read the snapshot, if the server has them; fewer cause a warning
 */
export async function beginSnapshot(
  session: Session,
  created: CreatedSlot | null,
  exact: boolean,
  connections: number,
): Promise<SnapshotSource> {
  const exporter = created ?? (exact ? await temporarySlot(session) : null);
  const clients: Client[] = [];
  const connect = async (): Promise<Client> => {
    const { client } = await openConnection(session.config.connection, 'Snapshot');
    clients.push(client);
    return client;
  };
  try {
    const client = await connect();
    const lsn = exporter === null ? await currentLsn(client, session) : exporter.consistentPoint;
    const level = exporter === null ? isolation(session, connections) : REPEATABLE_READ;
    const xid = await newXid(client, session);
    await begin(client, level, exporter?.snapshotName ?? null);
    if (session.exactlyOnce) await readInOrder(client);
    const { rows } = await client.query(
      `SELECT txid_current_snapshot()::text AS snapshot,
              (extract(epoch FROM current_timestamp) * 1000000)::int8::text AS micros`,
    );
    const row = rows[0] as { snapshot: string; micros: string };
    const snapshot = parseSnapshot(row.snapshot) as FirstSnapshot;
    if (connections > 1) {
      const name = exporter?.snapshotName ?? (await exportSnapshot(client));
      const count = await affordable(client, connections, session.logger);
      try {
        while (clients.length < count) {
          const client = await connect();
          await begin(client, level, name);
          if (session.exactlyOnce) await readInOrder(client);
        }
      } catch (error) {
        if (!isConnectError(error) || error.code !== 'PG_TOO_MANY_CONNECTIONS') throw error;
        session.logger.warn(`The snapshot is read with ${clients.length} connection(s): ${errorText(error)}`);
      }
    }
    return {
      clients: clients as [Client, ...Client[]],
      lsn,
      xid,
      // A transaction that runs now may have ended for a later statement with a snapshot of its own.
      snapshot: level.startsWith('READ') ? { ...snapshot, running: [] } : snapshot,
      micros: Number(row.micros),
    };
  } catch (error) {
    await Promise.all(clients.map(closeConnection));
    throw databaseError('Starting the snapshot failed', error);
  } finally {
    await exporter?.release();
  }
}

async function begin(client: Client, level: string, snapshot: string | null): Promise<void> {
  await client.query(`BEGIN ISOLATION LEVEL ${level} READ ONLY`);
  if (snapshot !== null) await client.query(`SET TRANSACTION SNAPSHOT ${quoteLiteral(snapshot)}`);
}

/**
 * For `source.txId`. Not that of the snapshot's transaction: until that ends, the server would create no slot for
 * other tasks and connectors, because it waits for all transactions with an id.
 */
export async function newXid(client: Client, { facts }: Pick<Session, 'facts'>): Promise<Lsn> {
  const xid =
    facts.version >= 130000
      ? "CASE WHEN pg_is_in_recovery() THEN '0' ELSE pg_current_xact_id()::text END"
      : 'txid_current()::text';
  const { rows } = await client.query(`SELECT ${xid} AS xid`);
  return int64(BigInt((rows[0] as { xid: string }).xid));
}

/** The position of a row then says which rows came before it. */
async function readInOrder(client: Client): Promise<void> {
  await client.query(
    'SET LOCAL synchronize_seqscans = off; SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off',
  );
}

const FREE_CONNECTIONS = `
  SELECT current_setting('max_connections') AS max,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int
      - (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS free`;

/** At most half of what the server has left for ordinary clients, so that others can still connect. */
async function affordable(client: Client, wanted: number, logger: Logger): Promise<number> {
  const { rows } = await client.query(FREE_CONNECTIONS);
  const { max, free } = rows[0] as { max: string; free: number };
  const count = Math.min(wanted, 1 + Math.max(0, Math.floor(free / 2)));
  if (count < wanted)
    logger.warn(
      `snapshot.max.threads is ${wanted}, but the server has only ${Math.max(0, free)} free connection(s) (max_connections=${max}): the snapshot uses ${count}, at most half of them. Lower snapshot.max.threads, or raise max_connections.`,
    );
  return count;
}

async function exportSnapshot(client: Client): Promise<string> {
  const { rows } = await client.query('SELECT pg_export_snapshot() AS name');
  return (rows[0] as { name: string }).name;
}

async function temporarySlot(session: Session): Promise<CreatedSlot | null> {
  const { config, general, facts, signal, logger } = session;
  try {
    const client = await general.get();
    return await createSlot({
      config,
      tls: general.tls,
      serverVersion: facts.version,
      // Tasks of several slots may start at the same time, in one process.
      name: `${config.slot.name.slice(0, 38)}_snapshot_${randomBytes(6).toString('hex')}`,
      temporary: true,
      signal,
      general: client,
      logger,
    });
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause ?? error;
    if (errorCode(cause) !== '53400' || session.exactlyOnce) throw error;
    logger.warn(
      'No replication slot is free for an exact snapshot (max_replication_slots): rows that change during the snapshot may be emitted twice.',
    );
    return null;
  }
}

/** Read before the transaction, so that changes committed in between are emitted twice rather than lost. */
async function currentLsn(client: Client, session: Session): Promise<Lsn> {
  const now = session.facts.inRecovery ? 'pg_last_wal_replay_lsn()' : 'pg_current_wal_lsn()';
  const { rows } = await client.query(`SELECT ${now}::text AS lsn`);
  return parseLsn((rows[0] as { lsn: string }).lsn);
}

const REPEATABLE_READ = 'REPEATABLE READ';

/**
 * A snapshot that several connections read cannot be one of READ COMMITTED, which each statement takes again. A standby
 * has no SERIALIZABLE.
 */
function isolation({ config, facts }: Session, connections: number): string {
  const mode = config.snapshot.isolation;
  if (connections > 1 && mode.startsWith('read_')) return REPEATABLE_READ;
  if (facts.inRecovery && mode === 'serializable') return REPEATABLE_READ;
  return mode.replace('_', ' ').toUpperCase();
}
