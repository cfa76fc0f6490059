/** Starts a task: checks first, then creates slot and publication. A failure removes what this start created. */
import { ConnectError, type Logger, type SourceTaskContext, type SourceOffset } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import {
  findTables,
  qualified,
  readTables,
  snapshotTables,
  type CatalogTable,
  type TableName,
} from '../database/catalog';
import { GeneralConnection } from '../database/general-connection';
import { databaseError } from '../database/errors';
import { reportingWaits } from '../database/lock-wait';
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import { Reachability } from '../database/reachability';
import { hiddenRows } from '../database/row-security';
import { readServerFacts, replicationProblem, type ServerFacts } from '../database/server';
import { ColumnConversions } from '../events/column-conversions';
import { EventFactory } from '../events/event-factory';
import { decodingPlugin } from '../replication/decoding-plugin';
import { orInRecovery } from '../replication/restart-errors';
import { encodingProblem, withPlugin } from '../replication/installed-plugin';
import { readOffset, type Position, type StoredOffset } from '../replication/position';
import { unavailableOptions } from '../replication/pgoutput-options';
import { passedWarning, replacedWarning } from '../replication/resume-check';
import { findServerWal } from '../replication/server-wal';
import { formatTimeline, type WalTimeline } from '../replication/wal-history';
import type { PublicationWatch } from '../publication/watch';
import { Relations } from '../events/relations';
import { TaskMetrics } from '../metrics/task-metrics';
import { Notifications } from '../notifications/notifications';
import {
  advanceSlot,
  checkSlot,
  createSlot,
  dropSlot,
  findSlot,
  type CreatedSlot,
  type SlotCreation,
  type SlotState,
} from '../replication/slot';
import type { Session } from '../session';
import { SnapshotProgress } from '../snapshot-progress';
import { canStream, previewConfig, previewSlotName, reportReplicaIdentities } from './preview';
import { ensurePublication } from './publication';
import { setReplicaIdentities } from './replica-identity';
import { settingWarnings } from './setting-warnings';
import { readLayout } from './slot-layout';
import { planStart, snapshotGap, streamPosition, type StartPlan } from './plan';

export interface Started {
  readonly session: Session;
  readonly plan: StartPlan;
  readonly stored: StoredOffset;
  readonly storedOffset: SourceOffset | null;
  /** The slot if this start created it, with its exported snapshot. */
  readonly created: CreatedSlot | null;
  /** An interrupted snapshot can resume: the stream has every change since it began. */
  readonly resumable: boolean;
  /** See `streamPosition`. */
  readonly streamFrom: Position | null;
  /** Null: the stream reads no publication, or leaves it as it is. */
  readonly publication: PublicationWatch | null;
  /** Closes what the stream of a preview reads from. */
  release(): Promise<void>;
  /** Removes slot and publication if this start created them. For failures before the first record. */
  undo(): Promise<void>;
}

export async function startUp(given: PostgresConfig, context: SourceTaskContext): Promise<Started> {
  const isPreview = context.preview === true;
  let config = isPreview ? previewConfig(given) : given;
  const { logger, signal } = context;
  for (const warning of config.warnings) logger.warn(warning);
  if (isPreview && given.connection.initialStatements.length > 0)
    logger.warn('database.initial.statements are not run: they may change data. What they set, the preview lacks.');
  if (config.slot.dropOnStop)
    logger.warn('slot.drop.on.stop is set: changes made while the connector is stopped are lost.');
  const reach = new Reachability(context.connection);
  const general = new GeneralConnection(config.connection, 'General', 0, reach);
  const undo = new Undo(config, general);
  let conversions: ColumnConversions | null = null;
  let held: CreatedSlot | null = null;
  const release = async (): Promise<void> => await held?.release();
  let continuesOnStandby = false;
  try {
    conversions = await columnConversions(config, context);
    const client = await general.get();
    const facts = await readServerFacts(client);
    const streams = config.snapshot.policy.stream;
    const problem = streams ? replicationProblem(facts) : null;
    if (problem !== null) throw new ConnectError(problem.message, { code: problem.code });
    const factory = new EventFactory(config, String(context.task));
    const slotLayout = await readLayout(config, context);
    const storedOffset = slotLayout.offset;
    const stored = readOffset(storedOffset);
    continuesOnStandby = facts.inRecovery && stored.kind !== 'none';
    if (streams) config = await withUsablePlugin(client, config, logger);
    const slot = streams ? await usableSlot(client, config, logger, isPreview) : null;
    if (streams) for (const warning of unavailableOptions(config, facts.version)) logger.warn(warning);
    const timeline = stored.kind === 'none' ? null : timelineOf(stored);
    const wal = streams ? await findServerWal(config, general.tls, timeline, logger) : null;
    let plan = planStart(config.snapshot.policy, stored, slot, config.slot, wal);
    const slotName = config.slot.name;
    const tables = await capturedTables(client, config, facts, streams && !isPreview ? logger : null);
    checkGuardrail(config, tables.length, logger);
    for (const warning of settingWarnings(config, tables)) logger.warn(warning);
    if (isPreview) {
      await reportReplicaIdentities(client, config, tables, logger);
      if (plan.stream && decodingPlugin(config).usesPublication)
        plan = { ...plan, stream: await canStream(client, config, tables, facts.version, logger, plan.snapshot) };
      // A slot of its own exports the snapshot; without one, the stream continues the connector's.
      const copyOf = plan.snapshot || slot === null ? previewSlotName(config) : slotName;
      config = { ...config, slot: { ...config.slot, name: previewSlotName(config), copyOf } };
    } else if (plan.stream)
      await reportingWaits(
        { config: config.connection, logger, client, doing: 'Setting the replica identity' },
        setReplicaIdentities(client, config.replicaIdentities, tables, logger),
      );
    if (plan.snapshot) await checkSelectable(client, config, snapshotTables(tables, config.filters), facts);
    const relations = new Relations(config, facts, logger, factory.counts, conversions);
    const { partition, layout } = factory;
    const notifications = new Notifications(config.notifications, partition, config.prefix, logger, storedOffset);
    const storeOffset: Session['storeOffset'] = (given) => {
      const offset = given === null ? null : layout.offset(given);
      notifications.stored(offset);
      return context.storeOffset(partition, offset);
    };
    const metrics = new TaskMetrics(factory.counts, {
      ...{ config, general, reach, logger },
      metrics: context.metrics,
      serverVersion: facts.version,
    });
    const session: Session = {
      ...{ config, logger, signal, general, reach, facts, relations },
      ...{ factory, notifications, metrics, storeOffset },
      exactlyOnce: context.exactlyOnce,
      rowsEndAtPoll: context.rowsEndAtPoll === true,
      timeline: wal === null ? null : formatTimeline(wal),
      snapshot: new SnapshotProgress(),
    };
    let created: CreatedSlot | null = null;
    let publication: PublicationWatch | null = null;
    const creation = (name: string): SlotCreation => ({
      ...{ config, signal, name, temporary: false },
      ...{ tls: general.tls, serverVersion: facts.version, general: client, logger },
    });
    const gap = plan.stream && plan.snapshot ? snapshotGap(stored, slot, plan.diverged) : null;
    if (gap !== null) logger.warn(`Some deletes are not captured: ${gap}`);
    if (plan.replaces && stored.kind === 'position') logger.warn(replacedWarning(stored.position, slot, slotName));
    if (plan.stream && !plan.snapshot && stored.kind === 'position') {
      const passed = plan.diverged?.message ?? passedWarning(stored.position, slot, slotName);
      if (passed !== null) logger.warn(passed);
    }
    if (plan.stream && !plan.snapshot && !isPreview) await advanceSlot(client, config.slot, stored, slot, logger);
    if (plan.stream && isPreview) {
      const { copyOf } = config.slot;
      if (copyOf !== null && copyOf !== slotName) held = await createSlot({ ...creation(copyOf), temporary: true });
      created = held && { ...held, release: () => Promise.resolve() };
    } else if (plan.stream) {
      const resumes = slot !== null && !plan.snapshot;
      const onCreated = (): void => void (undo.publication = true);
      if (decodingPlugin(config).usesPublication)
        publication = await reportingWaits(
          { config: config.connection, logger, client, doing: `Preparing publication "${config.publication.name}"` },
          ensurePublication(client, session, tables, { resumes, onCreated }),
        );
      await slotLayout.save();
      if (slot === null) {
        created = await createSlot(creation(config.slot.name));
        undo.slot = true;
        logger.info(`Created replication slot "${config.slot.name}".`);
      }
    }
    if (!plan.stream || isPreview) await slotLayout.save();
    const streamFrom = streamPosition(plan, stored, slot, created);
    if (!plan.snapshot) {
      await created?.release();
      created = null;
      await relations.load(client, tables);
    }
    // The temporary slots of a preview are not worth a warning.
    if (!isPreview) metrics.start(plan.stream, session.snapshot);
    const resumable = stored.kind === 'snapshot' && gap === null && created === null;
    return {
      ...{ session, plan, stored, storedOffset, created, resumable, streamFrom, publication, release },
      undo: () => undo.run(),
    };
  } catch (error) {
    await undo.run();
    await release();
    conversions?.close();
    await general.close();
    const why = continuesOnStandby ? orInRecovery(error, config.slot.name) : error;
    throw databaseError('Starting the connector failed', why);
  }
}

function timelineOf(stored: Exclude<StoredOffset, { kind: 'none' }>): WalTimeline | null {
  return stored.kind === 'snapshot' ? stored.timeline : stored.position.timeline;
}

/** Throws when the text of the plugin would be misread. */
async function withUsablePlugin(client: Client, given: PostgresConfig, logger: Logger): Promise<PostgresConfig> {
  const slot = given.pluginIsChosen ? null : await findSlot(client, given.slot.name);
  const config = await withPlugin(client, given, slot?.plugin ?? null);
  const problem = await encodingProblem(client, config);
  if (problem !== null) throw new ConnectError(problem, { code: 'PG_PLUGIN_ENCODING' });
  if (!config.pluginIsChosen) logger.info(`plugin.name is not set: using ${config.plugin}.`);
  return config;
}

/** Tracks what this start created, so that a failed start leaves nothing behind. */
class Undo {
  slot = false;
  publication = false;

  constructor(
    private readonly config: PostgresConfig,
    private readonly general: GeneralConnection,
  ) {}

  async run(): Promise<void> {
    const { slot, publication } = this;
    this.slot = false;
    this.publication = false;
    try {
      if (slot) await dropSlot(await this.general.get(), this.config.slot.name);
      if (publication) {
        const client = await this.general.get();
        await client.query(`DROP PUBLICATION IF EXISTS ${quoteIdentifier(this.config.publication.name)}`);
      }
    } catch {
      // The original error is reported; an unreachable server keeps what was created.
    }
  }
}

/**
 * The connector's slot; null when it does not exist. A lost slot that a new snapshot replaces is dropped, except in a
 * preview.
 */
async function usableSlot(
  client: Client,
  config: PostgresConfig,
  logger: Logger,
  isPreview: boolean,
): Promise<SlotState | null> {
  const { name } = config.slot;
  const slot = await findSlot(client, name);
  if (slot === null) return null;
  checkSlot(slot, config);
  if (slot.lostBecause === null) return slot;
  const lost = `Replication slot "${name}" is lost (${slot.lostBecause})`;
  if (isPreview) {
    logger.warn(`${lost}. A start drops it, creates another, and takes a new snapshot.`);
    return null;
  }
  logger.warn(`${lost}: dropping it, creating another, and taking a new snapshot.`);
  await dropSlot(client, name);
  return null;
}

/** @param waiting of a stream, which captures tables that are created later; null: throws when there is none */
async function capturedTables(
  client: Client,
  config: PostgresConfig,
  facts: ServerFacts,
  waiting: Logger | null,
): Promise<CatalogTable[]> {
  const found = await findTables(client, config.filters);
  const problem = noTableProblem(config, found);
  if (problem !== null && waiting === null) throw new ConnectError(problem, { code: 'PG_NO_TABLES' });
  if (problem !== null) waiting?.warn(`PG_NO_TABLES: ${problem} The connector waits for such a table.`);
  return await readTables(
    client,
    found.map((table) => table.oid),
    facts.version,
  );
}

/** Why nothing is captured, apart from signals; null: something is. */
export function noTableProblem(
  { connection, filters, part }: PostgresConfig,
  found: readonly TableName[],
): string | null {
  // One of several slots may have none.
  if (part !== null || found.some((table) => qualified(table) !== filters.signalTable)) return null;
  const { tableInclude } = filters;
  const list =
    tableInclude === null
      ? 'the filters of the config'
      : `table.include.list=${tableInclude.sources.join(',')} (patterns match the whole of schema.table)`;
  return `No table of database "${connection.database}" matches ${list}. Create the table with CREATE TABLE, or correct the list.`;
}

/** Throws when more tables are captured than `guardrail.collections.max` allows, or warns. */
function checkGuardrail({ snapshot }: PostgresConfig, tables: number, logger: Logger): void {
  const { maxTables, maxTablesFails } = snapshot;
  if (maxTables === 0 || tables <= maxTables) return;
  const problem = `${tables} tables are captured, but guardrail.collections.max allows ${maxTables}. Narrow table.include.list, or raise the limit.`;
  if (maxTablesFails) throw new ConnectError(problem, { code: 'PG_TOO_MANY_TABLES' });
  logger.warn(problem);
}

async function checkSelectable(
  client: Client,
  config: PostgresConfig,
  tables: readonly CatalogTable[],
  facts: ServerFacts,
): Promise<void> {
  const denied = await unreadable(client, tables);
  const [first] = denied;
  if (first === undefined) {
    const hidden = partlyHidden(config, tables);
    if (hidden.length > 0) throw hiddenRows(hidden, facts.user);
    return;
  }
  throw new ConnectError(
    `permission denied for table ${denied.map(qualified).join(', ')}: the snapshot cannot read it. Run ${grants(denied, facts.user).join(' ')}`,
    { code: 'PG_PRIVILEGE', place: { table: qualified(first) } },
  );
}

/** Captured tables of which the snapshot would not read all rows. The server checks statements of the config. */
export function partlyHidden({ snapshot, filters }: PostgresConfig, tables: readonly CatalogTable[]): CatalogTable[] {
  const { include, overrides } = snapshot;
  const isRead = (table: CatalogTable): boolean =>
    !overrides.has(qualified(table)) && (include?.matches(qualified(table)) ?? true);
  return snapshotTables(tables, filters).filter((table) => table.rowSecurity && isRead(table));
}

/** Statements that let the role read the tables. */
export function grants(tables: readonly CatalogTable[], user: string): string[] {
  const role = quoteIdentifier(user);
  const all = tables.flatMap((table) => [
    `GRANT USAGE ON SCHEMA ${quoteIdentifier(table.schema)} TO ${role};`,
    `GRANT SELECT ON ${quoteTable(table)} TO ${role};`,
  ]);
  return [...new Set(all)];
}

/** Captured tables in which this role may not read any column. */
export async function unreadable(client: Client, tables: readonly CatalogTable[]): Promise<CatalogTable[]> {
  const { rows } = await client.query(
    `SELECT c.oid::int8::text AS oid FROM pg_class c WHERE c.oid = ANY($1::oid[])
     AND NOT (has_schema_privilege(c.relnamespace, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT'))`,
    [tables.map((table) => String(table.oid))],
  );
  const denied = new Set((rows as { oid: string }[]).map((row) => Number(row.oid)));
  return tables.filter((table) => denied.has(table.oid));
}

function columnConversions(
  { events, values }: PostgresConfig,
  context: SourceTaskContext,
): Promise<ColumnConversions | null> {
  if (events.converters.length === 0) return Promise.resolve(null);
  const placeholder = values.placeholder.toString('utf8');
  return ColumnConversions.load(events.converters, (name) => context.columnConverter(name), placeholder);
}
