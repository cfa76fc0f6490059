/** The connector's part of `millrace doctor`: what the server, the role and the tables lack. */
import { isConnectError, startTimer, type ConnectorConfig, type DiagnosisContext, type Finding } from '@millrace/sdk';
import type { Client } from 'pg';
import { checkConfig } from '../config/check';
import { parseConfig, type ConnectionConfig } from '../config/postgres-config';
import { withoutSalt } from '../config/problem';
import { closeConnection, openConnection } from '../database/connection';
import { databaseError } from '../database/errors';
import { quoteIdentifier } from '../database/identifiers';
import { readServerFacts } from '../database/server';
import { fault, shellQuoted } from './finding';
import { publicationFindings } from './publication-findings';
import { readFacts } from './read-facts';
import { serverFindings, versionFinding } from './server-findings';
import { slotFindings } from './slot-findings';
import { tableFindings } from './table-findings';

/** The connection must be closed before the caller stops waiting. */
const DEADLINE_SHARE = 0.8;

export async function diagnose(config: ConnectorConfig, context: DiagnosisContext): Promise<Finding[]> {
  const { problems } = checkConfig(config);
  if (problems.length > 0)
    return problems.map(({ key, message }) => fault('PG_CONFIG', `${withoutSalt(key)}: ${message}`));
  const parsed = parseConfig(config);
  const limitMs = Math.max(1, Math.floor(context.timeoutMs * DEADLINE_SHARE));
  const connection = {
    ...parsed.connection,
    validationTimeoutMs: Math.min(parsed.connection.validationTimeoutMs, limitMs),
  };
  let client: Client;
  try {
    ({ client } = await openConnection(connection, 'Validate Connection'));
  } catch (error) {
    return [connectionFinding(connection, error)];
  }
  // Ends a statement that waits, so that the session does not outlive the diagnosis.
  const timer = startTimer(() => void closeConnection(client), limitMs);
  try {
    await client.query(`SET statement_timeout = ${limitMs}`);
    const server = await readServerFacts(client);
    const outdated = versionFinding(server);
    if (outdated !== null) return [outdated];
    const facts = await readFacts(client, { ...parsed, connection }, server, context);
    return [...serverFindings(facts), ...tableFindings(facts), ...publicationFindings(facts), ...slotFindings(facts)];
  } catch (error) {
    throw databaseError('The diagnosis of the server was not completed', error);
  } finally {
    clearTimeout(timer);
    await closeConnection(client);
  }
}

const TRY = 'try as the role of the connector with';
const CURES: Readonly<Record<string, string>> = {
  PG_AUTHENTICATION: `Correct database.user and database.password, or pg_hba.conf of the server; ${TRY}`,
  PG_NO_DATABASE: 'Correct database.dbname; list the databases with',
  PG_UNKNOWN_HOST: `Correct database.hostname; ${TRY}`,
  PG_CONNECTION: `Check that the server runs, and that the network lets this machine connect; ${TRY}`,
  PG_SERVER_SHUTDOWN: `Repeat the check when the server has started; ${TRY}`,
  PG_TOO_MANY_CONNECTIONS:
    'End sessions that are no longer needed, or raise the limit in the message (max_connections, or CONNECTION LIMIT of the role or the database); a superuser sees the sessions with',
  PG_PRIVILEGE: 'Run this as the owner of the database.',
  PG_POOLER: `Set database.hostname and database.port to those of the PostgreSQL server itself; ${TRY}`,
  PG_SESSION_SETTINGS: `Set database.hostname and database.port to those of the PostgreSQL server itself; ${TRY}`,
};
const SESSIONS =
  'SELECT usename, application_name, state, count(*) FROM pg_stat_activity GROUP BY 1, 2, 3 ORDER BY 4 DESC;';

function connectionFinding(connection: ConnectionConfig, error: unknown): Finding {
  const { code, message } = failureOf(error);
  const finding = fault(code, sentence(message), {
    cure: CURES[code] ?? `See the message; ${TRY}`,
    statements: [connectionStatement(connection, code)],
  });
  return code === 'PG_CONNECTION' || code === 'PG_UNKNOWN_HOST' ? { ...finding, unreachable: true } : finding;
}

function connectionStatement({ host, port, user, database, ...tls }: ConnectionConfig, code: string): string {
  if (code === 'PG_PRIVILEGE')
    return `GRANT CONNECT ON DATABASE ${quoteIdentifier(database)} TO ${quoteIdentifier(user)};`;
  if (code === 'PG_TOO_MANY_CONNECTIONS') return SESSIONS;
  const dbname = code === 'PG_NO_DATABASE' ? 'postgres' : database;
  // `prefer` is the default of psql, too.
  const sslmode = tls.sslMode === 'prefer' ? {} : { sslmode: tls.sslMode };
  const sslrootcert = tls.sslRootCert === null ? {} : { sslrootcert: tls.sslRootCert };
  const info = Object.entries({ host, port: String(port), user, dbname, ...sslmode, ...sslrootcert }).map(
    ([key, value]) => `${key}='${value.replace(/[\\']/g, '\\$&')}'`,
  );
  // `psql --list` fails if the server is newer.
  const list = code === 'PG_NO_DATABASE' ? " -c 'SELECT datname FROM pg_database'" : '';
  return `psql ${shellQuoted(info.join(' '))}${list}`;
}

function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  return {
    code: isConnectError(error) ? error.code : 'PG_ERROR',
    message: error instanceof Error ? error.message : String(error),
  };
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
