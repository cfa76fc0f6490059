/** Captured tables: filters, privileges, replica identities. Pure. */
import type { Finding } from '@millrace/sdk';
import { KEY } from '../config/definitions';
import type { PatternList } from '../config/patterns';
import { qualified, type CatalogTable } from '../database/catalog';
import { quoteTable } from '../database/identifiers';
import { bypass } from '../database/row-security';
import type { ServerFacts } from '../database/server';
import { SEND_KEY } from '../events/sent-key';
import { identitiesOf } from '../startup/replica-identity';
import { settingWarnings } from '../startup/setting-warnings';
import { grants, partlyHidden } from '../startup/start';
import type { Facts } from './facts';
import { caution, fault, listed, place } from './finding';

const TABLE_NAMES =
  "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1;";

export function tableFindings(facts: Facts): Finding[] {
  const { config, server, tables, unreadable } = facts;
  // A stream waits for them.
  const build = config.snapshot.policy.stream ? caution : fault;
  if (tables.length === 0)
    return [
      build('PG_NO_TABLES', `No table of database "${config.connection.database}" matches the filters of the config.`, {
        cure: `Correct ${KEY.tableIncludeList}, whose patterns match the whole of schema.table, or create the tables; these exist:`,
        statements: [TABLE_NAMES],
      }),
    ];
  const found = [...unmatched(facts), ...identities(facts)];
  for (const message of settingWarnings(config, tables)) found.push(caution('PG_SETTING_UNMATCHED', message));
  const { initially, stream } = config.snapshot.policy;
  if (unreadable.length > 0 && initially)
    found.push(
      fault(
        'PG_PRIVILEGE',
        `The role ${server.user} may not read ${listed(unreadable.map(qualified))}, so the snapshot fails.`,
        {
          cure: `Run this as the owner of the tables${place(server)}.`,
          statements: grants(unreadable, server.user),
        },
      ),
    );
  found.push(...hidden(facts), ...incompleteKeys(facts));
  const unlogged = tables.filter((table) => table.unlogged);
  if (unlogged.length > 0 && stream)
    found.push(
      fault(
        'PG_UNLOGGED_TABLE',
        `${listed(unlogged.map(qualified))}: UNLOGGED, so changes are not in the write-ahead log.`,
        {
          cure: `Leave the tables out with table.exclude.list, or make them logged${place(server)}.`,
          statements: unlogged.map((table) => `ALTER TABLE ${quoteTable(table)} SET LOGGED;`),
        },
      ),
    );
  return found;
}

/** Rows that policies hide from snapshots. The stream has them. */
function hidden({ config, server, tables }: Facts): Finding[] {
  const affected = tables.filter((table) => table.rowSecurity);
  if (affected.length === 0 || config.connection.initialStatements.length > 0) return [];
  const isSnapshot = config.snapshot.policy.initially && partlyHidden(config, tables).length > 0;
  const what = `Row level security hides rows of ${listed(affected.map(qualified))} from the role ${server.user}`;
  const cure = { cure: `Run this as a superuser${place(server)}.`, statements: [bypass(server.user)] };
  if (isSnapshot) return [fault('PG_ROW_SECURITY', `${what}, so the snapshot is refused.`, cure)];
  return [
    caution('PG_ROW_SECURITY', `${what}, so snapshots by signals and columns that are read again are refused.`, cure),
  ];
}

function incompleteKeys({ config, slots }: Facts): Finding[] {
  const build = config.events.incompleteKey === 'fail' ? fault : caution;
  return slots.flatMap(({ unsentKeys }) =>
    unsentKeys.map(({ reason }) => build('PG_INCOMPLETE_KEY', reason, { cure: SEND_KEY })),
  );
}

/** Patterns of include lists that select nothing. */
function unmatched({ config: { filters }, tables }: Facts): Finding[] {
  const lists: readonly (readonly [string, PatternList | null, (table: CatalogTable) => string])[] = [
    [KEY.tableIncludeList, filters.tableInclude, qualified],
    [KEY.schemaIncludeList, filters.schemaInclude, ({ schema }) => schema],
  ];
  return lists.flatMap(([key, list, nameOf]) =>
    (list?.sources ?? [])
      .filter((_, i) => !tables.some((table) => list?.patterns[i]?.test(nameOf(table))))
      .map((source) =>
        caution('PG_SETTING_UNMATCHED', `The pattern ${source} of ${key} matches no captured table.`, {
          cure: 'Correct it, or create the table; these exist:',
          statements: [TABLE_NAMES],
        }),
      ),
  );
}

/** The server rejects updates and deletes of published tables whose rows it cannot identify. */
function identities({ config, server, slots, tables }: Facts): Finding[] {
  const published = slots.filter(
    ({ publication }) => publication !== undefined && publication?.publishesKeys !== false,
  );
  let set = new Set<CatalogTable>();
  try {
    const planned = identitiesOf(config.replicaIdentities, tables);
    set = new Set([...planned].filter(([, { kind }]) => kind === 'FULL' || kind === 'INDEX').map(([table]) => table));
  } catch (error) {
    return [fault('PG_CONFIG', (error as Error).message)];
  }
  const without = [...new Set(slots.flatMap((slot) => slot.tables))].filter(
    (table) => !table.partitionedRoot && !set.has(table) && !hasIdentity(table),
  );
  if (without.length === 0) return [];
  const affected = new Set(published.flatMap((slot) => slot.tables));
  const rejected = without.filter((table) => affected.has(table));
  const incomplete = without.filter((table) => !affected.has(table));
  return [
    ...identityFinding(server, rejected, 'so the server rejects UPDATE and DELETE on them once they are published'),
    ...identityFinding(server, incomplete, 'so their updates and deletes are captured without a key'),
  ];
}

function identityFinding(server: ServerFacts, tables: readonly CatalogTable[], effect: string): Finding[] {
  if (tables.length === 0) return [];
  return [
    fault(
      'PG_REPLICA_IDENTITY',
      `${listed(tables.map(qualified))}: no replica identity (no primary key, or REPLICA IDENTITY NOTHING), ${effect}.`,
      {
        cure: `Add a primary key, or let the server log whole old rows${place(server)}.`,
        statements: tables.map((table) => `ALTER TABLE ${quoteTable(table)} REPLICA IDENTITY FULL;`),
      },
    ),
  ];
}

function hasIdentity({ replicaIdentity, hasPrimaryKey, identityIndex }: CatalogTable): boolean {
  if (replicaIdentity === 'd') return hasPrimaryKey;
  if (replicaIdentity === 'i') return identityIndex.length > 0;
  return replicaIdentity === 'f';
}
