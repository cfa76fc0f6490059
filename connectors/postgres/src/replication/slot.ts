/** Finds, checks, creates, advances and drops replication slots (cdc-postgres §5.2). */
import { ConnectError, RetriableError, startTimer, sleep, type Logger } from '@millrace/sdk';
import { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import type { TlsAttempt } from '../database/tls';
import { clientConfig, closeConnection, connectError } from '../database/connection';
import { databaseError, errorCode, errorText } from '../database/errors';
import type { GeneralConnection } from '../database/general-connection';
import { quoteIdentifier, quoteLiteral } from '../database/identifiers';
import { formatLsn, parseLsn, type Lsn } from '../database/lsn';
import { reportingWaits } from '../database/lock-wait';
import { backendPid } from '../database/pg-internals';
import { replicationError } from '../database/pooler';
import { ensureSettings } from '../database/session-settings';
import { decodingPlugin } from './decoding-plugin';
import { missingPlugin } from './installed-plugin';
import { usesTwoPhase } from './pgoutput-options';
import { startLsn, type StoredOffset } from './position';
import { slotPrecaution } from '../database/slot-precautions';

export interface SlotState {
  readonly plugin: string;
  readonly database: string | null;
  readonly active: boolean;
  readonly activePid: number | null;
  readonly restartLsn: Lsn | null;
  readonly confirmedFlushLsn: Lsn | null;
  /** Why the server invalidated the slot; null while it is usable. */
  readonly lostBecause: string | null;
}

/** Null when there is no slot of that name. */
export async function findSlot(client: Client, name: string): Promise<SlotState | null> {
  // As JSON, because columns differ between versions. Without a parameter, which replication connections refuse.
  const { rows } = await client.query(
    `SELECT to_jsonb(s) AS slot FROM pg_replication_slots s WHERE slot_name = ${quoteLiteral(name)}`,
  );
  const slot = (rows[0] as { slot: Record<string, string | number | boolean | null> } | undefined)?.slot;
  if (slot === undefined) return null;
  const position = (value: unknown): Lsn | null => (typeof value === 'string' ? parseLsn(value) : null);
  const reason = slot.invalidation_reason ?? null;
  return {
    plugin: String(slot.plugin),
    database: slot.database as string | null,
    active: slot.active === true,
    activePid: slot.active_pid as number | null,
    restartLsn: position(slot.restart_lsn),
    confirmedFlushLsn: position(slot.confirmed_flush_lsn),
    lostBecause: reason !== null ? String(reason) : slot.wal_status === 'lost' ? 'wal_removed' : null,
  };
}

/** Throws unless this connector can use the slot or may replace a lost one. */
export function checkSlot(slot: SlotState, config: PostgresConfig): void {
  const { name } = config.slot;
  const { database } = config.connection;
  const { slotPlugin } = decodingPlugin(config);
  if (slot.plugin !== slotPlugin || slot.database !== database)
    throw new ConnectError(
      `Replication slot "${name}" already exists for plugin "${slot.plugin}" and database "${slot.database}", but ${slotPlugin} and "${database}" are required. Choose another slot.name, set plugin.name to that plugin if the slot is this connector's, or run SELECT pg_drop_replication_slot('${name}');`,
      { code: 'PG_SLOT_MISMATCH', place: { slot: name } },
    );
  if (slot.lostBecause !== null && !config.snapshot.policy.whenLost) throw lostSlot(config, slot.lostBecause);
}

export function lostSlot(config: PostgresConfig, reason: string, cause?: unknown): ConnectError {
  const { name } = config.slot;
  return new ConnectError(
    `Replication slot "${name}" is lost (${reason}): the server removed changes that were not read yet. Drop it with SELECT pg_drop_replication_slot('${name}'); reset the connector's offsets so that it takes a new snapshot, and ${slotPrecaution(reason) ?? 'raise max_slot_wal_keep_size'}.`,
    { code: 'PG_SLOT_LOST', place: { slot: name }, cause },
  );
}

/** Source files of the server that read the WAL; others report 58P01 for a library that is missing. */
const READS_WAL: ReadonlySet<string | undefined> = new Set(['walsender.c', 'xlogreader.c', 'xlogutils.c']);

/**
 * The error of a slot whose WAL the server has removed, or null. The state of the slot decides: the text of the error
 * differs between versions and is in the language of `lc_messages`.
 */
export async function lostSlotError(
  config: PostgresConfig,
  general: Pick<GeneralConnection, 'get'>,
  error: unknown,
): Promise<ConnectError | null> {
  const code = errorCode(error);
  const isWalGone = code === '58P01' && READS_WAL.has((error as { file?: string }).file);
  if (code !== '55000' && !isWalGone) return null;
  const slot = await general
    .get()
    .then((client) => findSlot(client, config.slot.name))
    .catch(() => null);
  const reason = slot?.lostBecause ?? (isWalGone ? errorText(error) : null);
  return reason === null ? null : lostSlot(config, reason, error);
}

/** The documented error text, with the process that holds the slot. */
export async function slotActiveError(client: Client, config: PostgresConfig, cause: unknown): Promise<ConnectError> {
  const { rows } = await client.query(
    `SELECT s.active_pid, a.client_addr::text, a.application_name FROM pg_replication_slots s
     LEFT JOIN pg_stat_activity a ON a.pid = s.active_pid WHERE s.slot_name = $1`,
    [config.slot.name],
  );
  const holder = rows[0] as { active_pid: number | null; client_addr: string | null; application_name: string | null };
  const who =
    holder?.active_pid == null
      ? ''
      : ` It is held by process ${holder.active_pid} (${holder.application_name ?? 'unknown'}, ${holder.client_addr ?? 'local'}).`;
  return new RetriableError(
    `Failed to start replication stream; when setting up multiple connectors for the same database host, please make sure to use a distinct replication slot name for each.${who}`,
    { code: 'PG_SLOT_ACTIVE', cause, place: { slot: config.slot.name } },
  );
}

/** A slot just created. Its snapshot lives until `release`. */
export interface CreatedSlot {
  readonly consistentPoint: Lsn;
  readonly snapshotName: string;
  /** Closes the connection that exports the snapshot, which also drops a temporary slot. */
  release(): Promise<void>;
}

export interface SlotCreation {
  readonly config: PostgresConfig;
  readonly tls: TlsAttempt;
  readonly serverVersion: number;
  readonly name: string;
  readonly temporary: boolean;
  readonly signal: AbortSignal;
  /** For cancelling a creation that takes too long. */
  readonly general: Client;
  readonly logger: Logger;
}

const CANCEL_AGAIN_MS = 1000;

/** Throws a RetriableError on timeout, and when the task is stopped meanwhile. */
export async function createSlot(options: SlotCreation): Promise<CreatedSlot> {
  const { config, name, temporary, signal, general, logger } = options;
  const settings = { ...clientConfig(config.connection, 'Streaming', options.tls), replication: 'database' };
  const client = new Client(settings);
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    await closeConnection(client);
    throw connectError(config.connection, error);
  }
  try {
    // Before a cancellation is armed: it would cancel this query instead.
    await ensureSettings(client, 'Streaming');
  } catch (error) {
    await closeConnection(client);
    throw error;
  }
  // The server waits for every running transaction to end before it creates a slot.
  let timer: NodeJS.Timeout | undefined;
  const cancelAfter = (ms: number): void => {
    clearTimeout(timer);
    timer = startTimer(cancel, ms);
  };
  const cancel = (): void => {
    general.query('SELECT pg_cancel_backend($1)', [backendPid(client)]).catch(() => undefined);
    // The server ignores a cancellation that arrives before the command has started, so send another one later.
    cancelAfter(CANCEL_AGAIN_MS);
  };
  cancelAfter(signal.aborted ? 0 : config.slot.createTimeoutSeconds * 1000);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const traits = temporary ? '' : slotTraits(config, options.serverVersion);
    const { slotPlugin } = decodingPlugin(config);
    const { rows } = await reportingWaits(
      { config: config.connection, logger, client, doing: `Creating replication slot "${name}"` },
      client.query(
        `CREATE_REPLICATION_SLOT ${quoteIdentifier(name)}${temporary ? ' TEMPORARY' : ''} LOGICAL ${slotPlugin}${traits}`,
      ),
    );
    const row = rows[0] as { consistent_point: string; snapshot_name: string };
    return {
      consistentPoint: parseLsn(row.consistent_point),
      snapshotName: row.snapshot_name,
      release: () => closeConnection(client),
    };
  } catch (error) {
    const cause = await replicationError(client, error);
    await closeConnection(client);
    throw creationError(config, name, cause);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function slotTraits(config: PostgresConfig, serverVersion: number): string {
  const traits: string[] = [];
  if (config.slot.failover && serverVersion >= 170000) traits.push('FAILOVER');
  if (config.plugin === 'pgoutput' && usesTwoPhase(config, serverVersion)) traits.push('TWO_PHASE');
  return traits.length === 0 ? '' : ` (${traits.join(', ')})`;
}

function creationError(config: PostgresConfig, name: string, error: unknown): Error {
  const code = errorCode(error);
  if (code === '57014' || code === '55P03')
    return new RetriableError(
      'Creation of replication slot failed; query to create replication slot timed out, please make sure that there are no long running queries on the database.',
      { code: 'PG_SLOT_TIMEOUT', cause: error, place: { slot: name } },
    );
  if (code === '58P01') return missingPlugin(config, error);
  if (code === '53400')
    return new ConnectError(
      `Creation of replication slot "${name}" failed: ${errorText(error)}. Raise max_replication_slots, or drop a slot that is no longer used.`,
      { code: 'PG_TOO_MANY_SLOTS', cause: error, place: { slot: name } },
    );
  return databaseError(`Creation of replication slot "${name}" failed`, error);
}

/**
 * `offset.mismatch.strategy=trust_offset`: moves a slot to the stored position. The stream starts there also where this
 * fails, so that is only logged.
 */
export async function advanceSlot(
  client: Client,
  { name, mismatch }: Pick<PostgresConfig['slot'], 'name' | 'mismatch'>,
  stored: StoredOffset,
  slot: SlotState | null,
  logger: Logger,
): Promise<void> {
  const from = slot?.confirmedFlushLsn ?? null;
  if (mismatch !== 'trust_offset' || stored.kind !== 'position' || from === null) return;
  const to = startLsn(stored.position);
  if (from >= to) return;
  try {
    await client.query('SELECT pg_replication_slot_advance($1, $2::pg_lsn)', [name, formatLsn(to)]);
    logger.info(`Advanced replication slot "${name}" from ${formatLsn(from)} to the stored offset, ${formatLsn(to)}.`);
  } catch (error) {
    logger.warn(`Replication slot "${name}" could not be advanced to the stored offset: ${errorText(error)}.`);
  }
}

/** Retries while a closing connection still holds the slot. */
export async function dropSlot(client: Client, name: string, attempts = 10): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1', [
        name,
      ]);
      return;
    } catch (error) {
      if (errorCode(error) !== '55006' || attempt >= attempts) throw error;
      await sleep(200);
    }
  }
}
