/** Reads the facts of a diagnosis. Changes nothing, except that a temporary slot tests an output plugin. */
import { isConnectError, type DiagnosisContext, type SourcePartition } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { slotParts, sourcePartition } from '../config/slot-part';
import { findTables, readTables, snapshotTables, tableFilter, type CatalogTable } from '../database/catalog';
import { errorText } from '../database/errors';
import type { ServerFacts } from '../database/server';
import { withSentColumns } from '../events/sent-columns';
import { unsentKey } from '../events/sent-key';
import { keyColumns } from '../events/table-model';
import { slotHealth, slotQuery, type SlotRow } from '../metrics/slot-health';
import { decodingPlugin } from '../replication/decoding-plugin';
import { encodingProblem, pluginError, withPlugin } from '../replication/installed-plugin';
import { findPublication } from '../publication/state';
import { readOffset } from '../replication/position';
import { findSlot } from '../replication/slot';
import { unreadable } from '../startup/start';
import type { CapacityFacts, Facts, InactiveSlot, PublicationFacts, SlotFacts, SlotHolder } from './facts';
import { usedSlots } from './used-slots';

const CAPACITY = `
  SELECT (SELECT count(*)::int FROM pg_replication_slots) AS used_slots,
         (SELECT count(*)::int FROM pg_stat_replication) AS used_senders,
         current_setting('max_wal_senders')::int AS max_senders, current_setting('hot_standby_feedback') = 'on' AS feedback,
         ARRAY(SELECT trim(wanted) FROM pg_settings p, unnest(string_to_array(p.setting, ',')) AS wanted
               WHERE p.name = 'synchronized_standby_slots' AND trim(wanted) <> '') AS standby_slots,
         ARRAY(SELECT slot_name::text FROM pg_replication_slots WHERE active) AS active_slots`;

const PRIVILEGES = `
  SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
         has_database_privilege(current_database(), 'CREATE') AS may_create,
         ARRAY(SELECT c.oid::int8::text FROM pg_class c WHERE c.oid = ANY($1::oid[])
               AND NOT pg_has_role(c.relowner, 'USAGE')) AS foreign`;

/**
 * At most 20, those that retain most first; without copies of slots that a standby synchronizes. `$1`: slots of the
 * connector.
 */
const INACTIVE = `
  SELECT slot_name AS name, slot_type AS type, database, to_jsonb(s)->>'wal_status' AS status,
         extract(epoch FROM now() - (to_jsonb(s)->>'inactive_since')::timestamptz)::float8 AS seconds,
         coalesce(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
                                  restart_lsn), 0)::float8 AS retained
  FROM pg_replication_slots s WHERE NOT active AND NOT temporary AND slot_name <> ALL($1::name[])
    AND coalesce(to_jsonb(s)->>'synced', 'false') = 'false'
  ORDER BY retained DESC LIMIT 20`;

const HOLDER = `
  SELECT pid, coalesce(application_name, '') AS application, 
         coalesce(client_addr::text, CASE client_port WHEN -1 THEN 'local' ELSE 'address not shown' END) AS address
  FROM pg_stat_activity WHERE pid = $1`;

export async function readFacts(
  client: Client,
  config: PostgresConfig,
  server: ServerFacts,
  { connector, connectors, offsets = [] }: Pick<DiagnosisContext, 'connector' | 'connectors' | 'offsets'>,
): Promise<Facts> {
  const found = await findTables(client, config.filters);
  const oids = found.map(({ oid }) => oid);
  const tables = await readTables(client, oids, server.version);
  const privileges = (await client.query(PRIVILEGES, [oids.map(String)])).rows[0] as {
    superuser: boolean;
    may_create: boolean;
    foreign: string[];
  };
  // Statements that are not run here may set another role.
  const isOtherRole = config.connection.initialStatements.length > 0;
  const foreign = new Set(isOtherRole ? [] : privileges.foreign.map(Number));
  const slots: SlotFacts[] = [];
  if (config.snapshot.policy.stream)
    for (const part of slotParts(config)) {
      const stored = offsets.find(({ partition }) => isOf(partition, sourcePartition(part)));
      slots.push({ ...(await readSlot(client, part, tables, server)), stored: readOffset(stored?.offset ?? null) });
    }
  return {
    ...{ connector, config, server },
    capacity: await readCapacity(client),
    tables,
    unreadable: isOtherRole ? [] : await unreadable(client, snapshotTables(tables, config.filters)),
    foreign: tables.filter(({ oid }) => foreign.has(oid)),
    isSuperuser: privileges.superuser,
    mayCreate: privileges.may_create,
    slots,
    inactive: await readInactive(
      client,
      slotParts(config).map(({ slot }) => slot.name),
    ),
    used: connectors?.flatMap(usedSlots) ?? null,
  };
}

function isOf(one: SourcePartition, other: SourcePartition): boolean {
  return one.server === other.server && one.slot === other.slot;
}

async function readCapacity(client: Client): Promise<CapacityFacts> {
  const row = (await client.query(CAPACITY)).rows[0] as Record<string, unknown>;
  const standbySlots = row.standby_slots as string[];
  const active = new Set(row.active_slots as string[]);
  return {
    usedSlots: row.used_slots as number,
    usedSenders: row.used_senders as number,
    maxSenders: row.max_senders as number,
    standbyFeedback: row.feedback as boolean,
    standbySlots,
    absentStandbySlots: standbySlots.filter((name) => !active.has(name)),
  };
}

interface InactiveRow extends Pick<InactiveSlot, 'name' | 'type' | 'database'> {
  readonly status: string | null;
  readonly seconds: number | null;
  readonly retained: number;
}

async function readInactive(client: Client, own: readonly string[]): Promise<InactiveSlot[]> {
  const { rows } = await client.query(INACTIVE, [own]);
  return (rows as InactiveRow[]).map(({ name, type, database, status, seconds, retained }) => ({
    ...{ name, type, database },
    retainedBytes: retained,
    inactiveSeconds: seconds,
    walStatus: status,
  }));
}

async function readSlot(
  client: Client,
  given: PostgresConfig,
  captured: readonly CatalogTable[],
  server: ServerFacts,
): Promise<Omit<SlotFacts, 'stored'>> {
  const slot = await findSlot(client, given.slot.name);
  // Without logical decoding, an output plugin cannot be tested.
  const decodes = server.walLevel === 'logical' && server.mayReplicate;
  const config = decodes ? await withPlugin(client, given, slot?.plugin ?? null) : given;
  const tables = captured.filter(tableFilter(config.filters));
  const sent = await withSentColumns(client, config, server, tables);
  const [row] = slot === null ? [] : (await client.query(slotQuery(server.version), [config.slot.name])).rows;
  return {
    config,
    slot,
    health: row === undefined ? null : slotHealth(row as SlotRow),
    holder: slot?.activePid == null ? null : await readHolder(client, slot.activePid),
    pluginProblem: decodes ? await readPluginProblem(client, config, slot !== null) : null,
    publication: decodingPlugin(config).usesPublication
      ? await readPublication(client, config.publication.name, server.version)
      : undefined,
    tables,
    unsentKeys: sent.flatMap((table) => unsentKey(keyColumns(config, table), table) ?? []),
  };
}

async function readHolder(client: Client, pid: number): Promise<SlotHolder | null> {
  return ((await client.query(HOLDER, [pid])).rows[0] as SlotHolder | undefined) ?? null;
}

async function readPluginProblem(
  client: Client,
  config: PostgresConfig,
  slotExists: boolean,
): Promise<SlotFacts['pluginProblem']> {
  // Every server has pgoutput.
  if (decodingPlugin(config).slotPlugin === 'pgoutput') return null;
  try {
    const error = slotExists ? null : await pluginError(client, config);
    if (error !== null) return { code: error.code, message: error.message };
  } catch (error) {
    return { code: isConnectError(error) ? error.code : 'PG_ERROR', message: errorText(error) };
  }
  const encoding = await encodingProblem(client, config);
  return encoding === null ? null : { code: 'PG_PLUGIN_ENCODING', message: encoding };
}

async function readPublication(client: Client, name: string, serverVersion: number): Promise<PublicationFacts | null> {
  const state = await findPublication(client, name, serverVersion);
  if (state === null) return null;
  const { rows } = await client.query(
    "SELECT pg_has_role(pubowner, 'USAGE') AS owner, pubupdate OR pubdelete AS keys FROM pg_publication WHERE pubname = $1",
    [name],
  );
  const row = rows[0] as { owner: boolean; keys: boolean } | undefined;
  return { ...state, isOwner: row?.owner === true, publishesKeys: row?.keys !== false };
}
