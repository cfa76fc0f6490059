/** Prerequisites of the server and the role, checked before anything is created. */
import type { Client } from 'pg';
import { quoteIdentifier } from './identifiers';

export interface ServerFacts {
  /** `server_version_num`, e.g. 150018. */
  readonly version: number;
  readonly walLevel: string;
  readonly user: string;
  readonly mayReplicate: boolean;
  readonly inRecovery: boolean;
  /** Milliseconds; 0 is off. */
  readonly walSenderTimeoutMs: number;
  readonly maxSlots: number;
  /** Fraction digits of the currency of `lc_monetary`: amounts are stored in its smallest unit. */
  readonly currencyDigits: number;
}

/**
 * Roles of database services whose members may read slots without the REPLICATION attribute, or may be allowed to. The
 * services differ in that, so a member is never refused before the server refuses it.
 */
const SERVICE_ROLES = [
  ...['rds_superuser', 'rds_replication', 'rdsadmin', 'rdsrepladmin', 'cloudsqlsuperuser'],
  ...['azure_pg_admin', 'azure_replication', 'alloydbsuperuser', 'alloydbreplication'],
];

const FACTS = `
  SELECT current_setting('server_version_num')::int AS version, current_setting('wal_level') AS wal_level, current_user AS user,
         pg_is_in_recovery() AS in_recovery, current_setting('max_replication_slots')::int AS max_slots,
         encode(cash_send(1::money), 'hex') AS one_of_currency,
         (SELECT setting::int FROM pg_settings WHERE name = 'wal_sender_timeout') AS sender_timeout,
         (SELECT rolsuper OR rolreplication FROM pg_roles WHERE rolname = current_user)
           OR EXISTS (SELECT FROM pg_roles WHERE rolname = ANY ('{${SERVICE_ROLES.join()}}'::name[])
                      AND pg_has_role(current_user, oid, 'member')) AS may_replicate`;

export async function readServerFacts(client: Client): Promise<ServerFacts> {
  const { rows } = await client.query(FACTS);
  const row = rows[0] as Record<string, unknown>;
  return {
    version: row.version as number,
    walLevel: row.wal_level as string,
    user: row.user as string,
    mayReplicate: row.may_replicate as boolean,
    inRecovery: row.in_recovery as boolean,
    walSenderTimeoutMs: row.sender_timeout as number,
    maxSlots: row.max_slots as number,
    currencyDigits: String(BigInt(`0x${row.one_of_currency as string}`)).length - 1,
  };
}

interface ServerProblem {
  readonly code: string;
  readonly message: string;
}

/** The first missing prerequisite of logical replication, with the statement that fixes it. */
export function replicationProblem(facts: ServerFacts): ServerProblem | null {
  if (facts.version < 100000)
    return { code: 'PG_VERSION', message: 'PostgreSQL 10 or later is needed: pgoutput does not exist before.' };
  if (facts.walLevel !== 'logical')
    return {
      code: 'PG_WAL_LEVEL',
      message: `Postgres server wal_level property must be 'logical' but is: '${facts.walLevel}'. Run ALTER SYSTEM SET wal_level = 'logical'; and restart the server.`,
    };
  if (!facts.mayReplicate)
    return {
      code: 'PG_ROLE_REPLICATION',
      message: `Postgres roles LOGIN and REPLICATION are not assigned to user: ${facts.user}. Run ALTER ROLE ${quoteIdentifier(facts.user)} WITH LOGIN REPLICATION;`,
    };
  return null;
}
