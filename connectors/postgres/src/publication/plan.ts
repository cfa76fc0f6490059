/** The publication that pgoutput reads (cdc-postgres §5.3): what it must contain, and how it is changed. */
import { ConnectError, LONGEST_TIMER_MS } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { qualified, type PublishableTable, type TableName } from '../database/catalog';
import { databaseError, errorCode } from '../database/errors';
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import { PublicationCoverage } from './coverage';
import type { PublicationMember, PublicationState } from './state';

export interface PublicationPlan {
  /** `widens` creates the publication. */
  readonly creates: boolean;
  /** Statement that publishes tables which are not published; null: none. */
  readonly widens: string | null;
  /** Statement that removes tables which are not captured; null: none. */
  readonly narrows: string | null;
  /** Tables of `widens`, unless it creates the publication. */
  readonly added: readonly PublishableTable[];
  /** Tables of `narrows`. */
  readonly dropped: readonly PublicationMember[];
}

const NOTHING: PublicationPlan = { creates: false, widens: null, narrows: null, added: [], dropped: [] };

/** Pure. Throws ConnectError when the publication cannot satisfy the mode. */
export function planPublication(
  config: PostgresConfig,
  state: PublicationState | null,
  captured: readonly PublishableTable[],
  serverVersion: number,
): PublicationPlan {
  const { mode, name } = config.publication;
  const quoted = quoteIdentifier(name);
  const withRoot = config.publication.viaPartitionRoot ? ' WITH (publish_via_partition_root = true)' : '';
  const creation = (target: string): PublicationPlan => ({
    ...NOTHING,
    creates: true,
    widens: `CREATE PUBLICATION ${quoted}${target}${withRoot}`,
  });
  if (state === null && mode === 'disabled')
    throw new ConnectError(
      `Publication autocreation is disabled, please create one and restart the connector. Run ${createStatement(config, captured)}`,
      { code: 'PG_PUBLICATION_MISSING', place: { publication: name } },
    );
  if (state === null && mode === 'all_tables') return creation(' FOR ALL TABLES');
  if (state === null && mode === 'no_tables') return creation('');
  if (mode !== 'filtered') return NOTHING;
  if (state?.allTables)
    throw new ConnectError(
      `A logical publication for all tables named '${name}' for plugin 'pgoutput' and database '${config.connection.database}' is already active on the server and can not be altered. If you need to exclude some tables or include only specific subset, please recreate the publication with necessary configuration or let plugin recreate it by dropping existing publication.`,
      { code: 'PG_PUBLICATION_ALL_TABLES', place: { publication: name } },
    );
  const tables = publishable(captured, serverVersion);
  const unlogged = tables.filter((table) => table.unlogged);
  if (unlogged.length > 0)
    throw new ConnectError(
      `Unable to create filtered publication ${name}: ${unlogged.map(qualified).join(', ')} is UNLOGGED, so its changes are not in the write-ahead log. Run ${unlogged.map((table) => `ALTER TABLE ${quoteTable(table)} SET LOGGED;`).join(' ')} or leave it out with table.exclude.list.`,
      { code: 'PG_UNLOGGED_TABLE', place: { publication: name } },
    );
  // There may be no table yet.
  if (state === null) return creation(tables.length === 0 ? '' : ` FOR TABLE ${listOf(tables)}`);
  // A list that matches nothing may be a mistake; one of several slots may have no table.
  if (tables.length === 0 && config.part === null) return NOTHING;
  return changes(name, state, tables);
}

/** Only tables that join or leave are named: SET TABLE would drop the column lists and row filters of the others. */
function changes(name: string, state: PublicationState, tables: readonly PublishableTable[]): PublicationPlan {
  const coverage = new PublicationCoverage(state);
  const added = coverage.gaps(tables).absent;
  const captured = new Set(tables.map(({ oid }) => oid));
  const above = new Set(tables.flatMap((table) => coverage.withParents(table)));
  const isNeeded = (member: PublicationMember): boolean =>
    above.has(member.oid) || coverage.withParents(member).some((oid) => captured.has(oid));
  const dropped = state.members.filter((member) => !isNeeded(member));
  return {
    creates: false,
    widens: added.length === 0 ? null : addition(name, added),
    narrows: dropped.length === 0 ? null : `ALTER PUBLICATION ${quoteIdentifier(name)} DROP TABLE ${listOf(dropped)}`,
    added,
    dropped,
  };
}

/** Partitioned tables can be published since version 13. */
export function publishable<Table extends PublishableTable>(tables: readonly Table[], serverVersion: number): Table[] {
  return tables.filter((table) => !table.partitionedRoot || serverVersion >= 130000);
}

/** Statements of a plan, in their order. */
export function statementsOf({ widens, narrows }: PublicationPlan): string[] {
  return [widens, narrows].filter((statement) => statement !== null);
}

/**
 * Runs a statement of a plan.
 * @param lockMs how long it may wait for locks of other sessions; null: as long as for the whole statement
 */
export async function changePublication(
  client: Client,
  config: PostgresConfig,
  statement: string,
  lockMs: number | null = null,
): Promise<void> {
  // The server setting has the same maximum as a timer.
  const limitMs = Math.min(config.slot.createTimeoutSeconds * 1000, LONGEST_TIMER_MS);
  const locks = lockMs === null ? '' : `SET LOCAL lock_timeout = ${lockMs}; `;
  try {
    // One message, which is one transaction: queries of other users of the connection do not become part of it.
    await client.query(`SET LOCAL statement_timeout = ${limitMs}; ${locks}${statement}`);
  } catch (error) {
    throw publicationError(config, statement, error);
  }
}

function publicationError(config: PostgresConfig, statement: string, error: unknown): Error {
  const { name } = config.publication;
  const code = errorCode(error);
  if (code === '57014')
    return new ConnectError(
      'Creation of publication failed: query to create/update publication timed out, please make sure that there are no maintenance activities going on the database end.',
      { code: 'PG_PUBLICATION_TIMEOUT', cause: error },
    );
  const remedy =
    code === '42501'
      ? ` Let an owner of the tables run ${statement}; and set publication.autocreate.mode=disabled`
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
  const target = captured.length === 0 ? 'FOR ALL TABLES' : `FOR TABLE ${listOf(captured)}`;
  return `CREATE PUBLICATION ${quoteIdentifier(config.publication.name)} ${target};`;
}

/**
 * The statement that adds tables.
 * @param like tables by name whose column list and row filter apply; their filters are read
 */
export function addition(
  name: string,
  tables: readonly TableName[],
  like: ReadonlyMap<string, PublicationMember> = new Map(),
): string {
  const texts = tables.map((table) => {
    const { columns = null, rowFilter = null } = like.get(qualified(table)) ?? {};
    const list = columns === null ? '' : ` (${columns.map(quoteIdentifier).join(', ')})`;
    return `${quoteTable(table)}${list}${typeof rowFilter === 'string' ? ` WHERE (${rowFilter})` : ''}`;
  });
  return `ALTER PUBLICATION ${quoteIdentifier(name)} ADD TABLE ${texts.join(', ')}`;
}

export function viaRootStatement(name: string, viaRoot: boolean): string {
  return `ALTER PUBLICATION ${quoteIdentifier(name)} SET (publish_via_partition_root = ${viaRoot});`;
}

function listOf(tables: readonly TableName[]): string {
  return tables.map(quoteTable).join(', ');
}
