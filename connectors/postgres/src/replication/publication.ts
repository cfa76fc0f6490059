/** The publication that pgoutput reads (cdc-postgres §5.3). */
import { ConnectError, LONGEST_TIMER_MS } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig, PublicationMode } from '../config/postgres-config';
import { qualified, type CatalogTable, type TableName } from '../database/catalog';
import { databaseError, errorCode } from '../database/errors';
import { quoteIdentifier, quoteTable } from '../database/identifiers';

export interface PublicationState {
  readonly allTables: boolean;
  /** Tables listed in the publication. */
  readonly named: readonly TableName[];
  /** Tables whose changes it publishes. */
  readonly published: readonly string[];
}

export async function findPublication(client: Client, name: string): Promise<PublicationState | null> {
  const { rows } = await client.query('SELECT oid, puballtables FROM pg_publication WHERE pubname = $1', [name]);
  const publication = rows[0] as { oid: number; puballtables: boolean } | undefined;
  if (publication === undefined) return null;
  const named = await client.query(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_publication_rel r JOIN pg_class c ON c.oid = r.prrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE r.prpubid = $1`,
    [publication.oid],
  );
  const published = await client.query(
    "SELECT schemaname || '.' || tablename AS name FROM pg_publication_tables WHERE pubname = $1",
    [name],
  );
  return {
    allTables: publication.puballtables,
    named: named.rows as TableName[],
    published: (published.rows as { name: string }[]).map((row) => row.name),
  };
}

export interface PublicationPlan {
  readonly statements: readonly string[];
  /** The first statement creates the publication. */
  readonly creates: boolean;
}

const NOTHING: PublicationPlan = { statements: [], creates: false };

/** Pure. Throws ConnectError when the publication cannot satisfy the mode. */
export function planPublication(
  config: PostgresConfig,
  state: PublicationState | null,
  captured: readonly CatalogTable[],
  serverVersion: number,
): PublicationPlan {
  const { mode, name } = config.publication;
  const quoted = quoteIdentifier(name);
  const withRoot = config.publication.viaPartitionRoot ? ' WITH (publish_via_partition_root = true)' : '';
  if (state === null && mode === 'disabled')
    throw new ConnectError(
      `Publication autocreation is disabled, please create one and restart the connector. Run ${createStatement(config, captured)}`,
      { code: 'PG_PUBLICATION_MISSING', place: { publication: name } },
    );
  if (state === null && mode === 'all_tables')
    return { creates: true, statements: [`CREATE PUBLICATION ${quoted} FOR ALL TABLES${withRoot}`] };
  if (state === null && mode === 'no_tables')
    return { creates: true, statements: [`CREATE PUBLICATION ${quoted}${withRoot}`] };
  if (mode !== 'filtered') return NOTHING;
  if (state?.allTables)
    throw new ConnectError(
      `A logical publication for all tables named '${name}' for plugin 'pgoutput' and database '${config.connection.database}' is already active on the server and can not be altered. If you need to exclude some tables or include only specific subset, please recreate the publication with necessary configuration or let plugin recreate it by dropping existing publication.`,
      { code: 'PG_PUBLICATION_ALL_TABLES', place: { publication: name } },
    );
  // Partitioned tables can be published since version 13.
  const tables = captured.filter((table) => !table.partitionedRoot || serverVersion >= 130000);
  const unlogged = tables.filter((table) => table.unlogged);
  if (unlogged.length > 0)
    throw new ConnectError(
      `Unable to create filtered publication ${name}: ${unlogged.map(qualified).join(', ')} is UNLOGGED, so its changes are not in the write-ahead log. Run ${unlogged.map((table) => `ALTER TABLE ${quoteTable(table)} SET LOGGED;`).join(' ')} or leave it out with table.exclude.list.`,
      { code: 'PG_UNLOGGED_TABLE', place: { publication: name } },
    );
  if (tables.length === 0 && config.part === null)
    throw new ConnectError(
      `Unable to create filtered publication ${name}: No table filters found for filtered publication ${name}`,
      { code: 'PG_NO_TABLES', place: { publication: name } },
    );
  const list = tables.map(quoteTable).join(', ');
  // One of several slots may have no table yet.
  const target = tables.length === 0 ? '' : ` FOR TABLE ${list}`;
  if (state === null) return { creates: true, statements: [`CREATE PUBLICATION ${quoted}${target}${withRoot}`] };
  const wanted = new Set(tables.map(qualified));
  if (wanted.size === state.named.length && state.named.every((table) => wanted.has(qualified(table)))) return NOTHING;
  // The slot had tables in another distribution. SET TABLE needs one.
  const change = tables.length === 0 ? `DROP TABLE ${state.named.map(quoteTable).join(', ')}` : `SET TABLE ${list}`;
  return { creates: false, statements: [`ALTER PUBLICATION ${quoted} ${change}`] };
}

/** Returns true when the publication was created. Runs in one transaction. */
export async function applyPublication(
  client: Client,
  config: PostgresConfig,
  plan: PublicationPlan,
): Promise<boolean> {
  if (plan.statements.length === 0) return false;
  const { name } = config.publication;
  try {
    await client.query('BEGIN');
    // The server setting has the same maximum as a timer.
    const limitMs = Math.min(config.slot.createTimeoutSeconds * 1000, LONGEST_TIMER_MS);
    await client.query(`SET LOCAL statement_timeout = ${limitMs}`);
    for (const statement of plan.statements) await client.query(statement);
    await client.query('COMMIT');
    return plan.creates;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw publicationError(config, plan, name, error);
  }
}

function publicationError(config: PostgresConfig, plan: PublicationPlan, name: string, error: unknown): Error {
  const code = errorCode(error);
  if (code === '57014')
    return new ConnectError(
      'Creation of publication failed: query to create/update publication timed out, please make sure that there are no maintenance activities going on the database end.',
      { code: 'PG_PUBLICATION_TIMEOUT', cause: error },
    );
  const remedy =
    code === '42501'
      ? ` Let an owner of the tables run ${plan.statements.join('; ')}; and set publication.autocreate.mode=disabled`
      : '';
  const failure = databaseError(`Creation of publication "${name}" failed`, error);
  return remedy === ''
    ? failure
    : new ConnectError(`${failure.message}.${remedy}`, {
        code: 'PG_PRIVILEGE',
        cause: error,
        place: { publication: name },
      });
}

/** The statement that a DBA must run with `disabled`. */
export function createStatement(config: PostgresConfig, captured: readonly TableName[]): string {
  const target = captured.length === 0 ? 'FOR ALL TABLES' : `FOR TABLE ${captured.map(quoteTable).join(', ')}`;
  return `CREATE PUBLICATION ${quoteIdentifier(config.publication.name)} ${target};`;
}

/** Captured tables whose changes an existing publication does not contain. */
export function unpublished(
  mode: PublicationMode,
  state: PublicationState | null,
  captured: readonly CatalogTable[],
): CatalogTable[] {
  if (state === null || state.allTables || mode === 'filtered') return [];
  const published = new Set(state.published);
  return captured.filter((table) => !table.partitionedRoot && !published.has(qualified(table)));
}
