/** A start that shows what the connector would write and leaves the server as it is: `context.preview`. */
import { randomBytes } from 'node:crypto';
import { ConnectError, type Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { qualified, type CatalogTable } from '../database/catalog';
import { PublicationCoverage } from '../publication/coverage';
import { planPublication, publishable, statementsOf } from '../publication/plan';
import { findPublication } from '../publication/state';
import { replicaIdentityStatements } from './replica-identity';

/**
 * Pure. Without everything that writes or may write: initial statements, heartbeats, notifications, signals, replica
 * identities, dropping the slot. One connection reads the snapshot, without delays.
 */
export function previewConfig(config: PostgresConfig): PostgresConfig {
  return {
    ...config,
    connection: { ...config.connection, initialStatements: [] },
    slot: { ...config.slot, dropOnStop: false },
    heartbeat: { ...config.heartbeat, intervalMs: 0, actionQuery: null },
    notifications: { channels: new Set(), topic: null },
    signals: { ...config.signals, source: false, kafka: null, file: null },
    incremental: { ...config.incremental, readOnly: true },
    snapshot: { ...config.snapshot, threads: 1, delayMs: 0 },
    stream: { ...config.stream, delayMs: 0 },
  };
}

/** Unique, and at most 63 bytes long, because a part of the connector's name is enough to recognize it. */
export function previewSlotName({ slot }: Pick<PostgresConfig, 'slot'>): string {
  return `${slot.name.slice(0, 38)}_preview_${randomBytes(6).toString('hex')}`;
}

/** Reports the statements that a start would run. */
export async function reportReplicaIdentities(
  client: Client,
  config: PostgresConfig,
  tables: readonly CatalogTable[],
  logger: Logger,
): Promise<void> {
  const statements = await replicaIdentityStatements(client, config.replicaIdentities, tables);
  if (statements.length > 0)
    logger.warn(`Replica identities are left as they are. The connector would run ${statements.join(' ')}`);
}

/**
 * Whether changes can be streamed: pgoutput needs a publication that exists. Reports the statements that a start would
 * run. Throws ConnectError `PG_PUBLICATION_MISSING` if there is nothing else to show.
 */
export async function canStream(
  client: Client,
  config: PostgresConfig,
  tables: readonly CatalogTable[],
  serverVersion: number,
  logger: Logger,
  hasSnapshot: boolean,
): Promise<boolean> {
  const { name } = config.publication;
  const state = await findPublication(client, name, serverVersion);
  const text = statementsOf(planPublication(config, state, tables, serverVersion))
    .map((statement) => `${statement};`)
    .join(' ');
  if (state !== null) {
    if (text !== '') logger.warn(`Publication "${name}" is left as it is. The connector would run ${text}`);
    const { absent } = new PublicationCoverage(state).gaps(publishable(tables, serverVersion));
    if (absent.length > 0)
      logger.warn(
        `Publication "${name}" does not contain ${absent.map(qualified).join(', ')}: their changes are not shown.`,
      );
    return true;
  }
  const why = `Publication "${name}" does not exist, and a preview does not create it. The connector would run ${text}`;
  if (!hasSnapshot)
    throw new ConnectError(`${why} Run it, or preview the snapshot with snapshot.mode=initial.`, {
      code: 'PG_PUBLICATION_MISSING',
      place: { publication: name },
    });
  logger.warn(`${why} Until then, only the rows of the snapshot are shown, no changes.`);
  return false;
}
