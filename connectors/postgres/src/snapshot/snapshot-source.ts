/**
 * The transaction of a snapshot, and the position at which streaming continues (cdc-postgres §4.2 to
 * §4.4).
 */
import type { Client } from 'pg';
import { closeConnection, openConnection } from '../database/connection';
import { databaseError, errorCode } from '../database/errors';
import { quoteLiteral } from '../database/identifiers';
import { parseLsn, type Lsn } from '../database/lsn';
import { createSlot, type CreatedSlot } from '../replication/slot';
import type { Session } from '../session';
import { int64 } from '../values/value-type';

export interface SnapshotSource {
  readonly client: Client;
  /**
   * Streaming from here includes every change that is not in the snapshot, and only those when a slot exported the
   * snapshot.
   */
  readonly lsn: Lsn;
  readonly xid: Lsn;
  /** When the transaction began, in microseconds. */
  readonly micros: number;
}

/**
 * @param created the connector's slot if this start created it; the snapshot it exported is used
 * @param exact otherwise, a temporary slot exports a snapshot, so that snapshot and stream meet without gap or overlap.
 *   If no slot is free, the snapshot is still consistent, and streaming starts slightly earlier
 */
export async function beginSnapshot(
  session: Session,
  created: CreatedSlot | null,
  exact: boolean,
): Promise<SnapshotSource> {
  const exporter = created ?? (exact ? await temporarySlot(session) : null);
  let client: Client | null = null;
  try {
    ({ client } = await openConnection(session.config.connection, 'Snapshot'));
    const lsn = exporter === null ? await currentLsn(client, session) : exporter.consistentPoint;
    const level = exporter === null ? isolation(session.config.snapshot.isolation) : 'REPEATABLE READ';
    await client.query(`BEGIN ISOLATION LEVEL ${level} READ ONLY`);
    if (exporter !== null) await client.query(`SET TRANSACTION SNAPSHOT ${quoteLiteral(exporter.snapshotName)}`);
    const { rows } = await client.query(
      `SELECT ${session.facts.version >= 130000 ? "CASE WHEN pg_is_in_recovery() THEN '0' ELSE pg_current_xact_id()::text END" : 'txid_current()::text'} AS xid,
              (extract(epoch FROM current_timestamp) * 1000000)::int8::text AS micros`,
    );
    const row = rows[0] as { xid: string; micros: string };
    return { client, lsn, xid: int64(BigInt(row.xid)), micros: Number(row.micros) };
  } catch (error) {
    await closeConnection(client);
    throw databaseError('Starting the snapshot failed', error);
  } finally {
    await exporter?.release();
  }
}

async function temporarySlot(session: Session): Promise<CreatedSlot | null> {
  const { config, general, facts, signal, logger } = session;
  try {
    const client = await general.get();
    return await createSlot({
      config,
      tls: general.tls,
      serverVersion: facts.version,
      name: `${config.slot.name.slice(0, 40)}_snapshot_${process.pid}_${Date.now() % 1_000_000}`,
      temporary: true,
      signal,
      general: client,
    });
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause ?? error;
    if (errorCode(cause) !== '53400') throw error;
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

function isolation(mode: string): string {
  return mode.replace('_', ' ').toUpperCase();
}
