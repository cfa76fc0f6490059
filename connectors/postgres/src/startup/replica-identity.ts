/** Sets the replica identity of captured tables at start (`replica.identity.autoset.values`). */
import { ConnectError, type Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import type { ReplicaIdentity, ReplicaIdentityRule } from '../config/replica-identities';
import { qualified, type TableName } from '../database/catalog';
import { errorText } from '../database/errors';
import { quoteIdentifier, quoteTable } from '../database/identifiers';

interface CapturedTable extends TableName {
  readonly oid: number;
}
interface CurrentIdentity {
  readonly identity: string;
  /** Of REPLICA IDENTITY USING INDEX. */
  readonly index: string | null;
}

const CURRENT = `
  SELECT c.oid::int8::text AS oid, c.relreplident AS identity,
    (SELECT i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
     WHERE x.indrelid = c.oid AND x.indisreplident LIMIT 1) AS index
  FROM pg_class c WHERE c.oid = ANY($1::oid[])`;

/**
 * Logs a statement that the server refuses, for instance because the role does not own the table, and continues.
 * @param lockMs how long a statement may wait for the lock of its table; null: as long as it takes
 */
export async function setReplicaIdentities(
  client: Client,
  rules: readonly ReplicaIdentityRule[],
  tables: readonly CapturedTable[],
  logger: Logger,
  lockMs: number | null = null,
): Promise<void> {
  const limit = lockMs === null ? '' : `SET LOCAL lock_timeout = ${lockMs}; `;
  for (const [table, identity] of await changes(client, rules, tables)) {
    const statement = alteration(table, identity);
    try {
      await client.query(limit + statement);
      logger.info(`Set the replica identity of table ${qualified(table)} to ${shown(identity)}.`);
    } catch (error) {
      logger.error(
        `Could not set the replica identity of table ${qualified(table)}: ${errorText(error)}. Its changes are captured with the identity it has. Run ${statement} as its owner.`,
      );
    }
  }
}

/** The statements that `setReplicaIdentities` would run. */
export async function replicaIdentityStatements(
  client: Client,
  rules: readonly ReplicaIdentityRule[],
  tables: readonly CapturedTable[],
): Promise<string[]> {
  return (await changes(client, rules, tables)).map(([table, identity]) => alteration(table, identity));
}

async function changes(
  client: Client,
  rules: readonly ReplicaIdentityRule[],
  tables: readonly CapturedTable[],
): Promise<[CapturedTable, ReplicaIdentity][]> {
  const wanted = identitiesOf(rules, tables);
  if (wanted.size === 0) return [];
  const { rows } = await client.query(CURRENT, [[...wanted.keys()].map(({ oid }) => String(oid))]);
  const current = new Map((rows as (CurrentIdentity & { oid: string })[]).map((row) => [Number(row.oid), row]));
  return [...wanted].filter(([table, identity]) => {
    const now = current.get(table.oid);
    return now !== undefined && !isSame(now, identity);
  });
}

/** Throws ConnectError `PG_CONFIG` when two patterns match the same table. */
export function identitiesOf<Table extends TableName>(
  rules: readonly ReplicaIdentityRule[],
  tables: readonly Table[],
): Map<Table, ReplicaIdentity> {
  const found = new Map<Table, ReplicaIdentity>();
  for (const table of tables) {
    const matching = rules.filter((rule) => rule.tables.matches(qualified(table)));
    if (matching.length > 1)
      throw new ConnectError(
        `More than one pattern of replica.identity.autoset.values matches table ${qualified(table)}: ${matching.map((rule) => rule.tables.sources[0]).join(', ')}. Correct them so that only one does.`,
        { code: 'PG_CONFIG', place: { key: 'replica.identity.autoset.values' } },
      );
    if (matching[0] !== undefined) found.set(table, matching[0].identity);
  }
  return found;
}

const LETTERS = { FULL: 'f', DEFAULT: 'd', NOTHING: 'n', INDEX: 'i' } as const;

function isSame(now: CurrentIdentity, wanted: ReplicaIdentity): boolean {
  return now.identity === LETTERS[wanted.kind] && (wanted.kind !== 'INDEX' || now.index === wanted.index);
}

function alteration(table: TableName, identity: ReplicaIdentity): string {
  const to = identity.kind === 'INDEX' ? `USING INDEX ${quoteIdentifier(identity.index)}` : identity.kind;
  return `ALTER TABLE ${quoteTable(table)} REPLICA IDENTITY ${to};`;
}

function shown(identity: ReplicaIdentity): string {
  return identity.kind === 'INDEX' ? `INDEX ${identity.index}` : identity.kind;
}
