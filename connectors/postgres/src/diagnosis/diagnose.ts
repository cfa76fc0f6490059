/** The connector's part of `millrace doctor`: what the server, the role and the tables lack. */
import { isConnectError, startTimer, type ConnectorConfig, type DiagnosisContext, type Finding } from '@millrace/sdk';
import type { Client } from 'pg';
import { checkConfig } from '../config/check';
import { parseConfig, type ConnectionConfig } from '../config/postgres-config';
import { withoutSalt } from '../config/problem';
import { closeConnection, openConnection } from '../database/connection';
import { databaseError } from '../database/errors';
import { fault } from './finding';
import { publicationFindings } from './publication-findings';
import { readFacts } from './read-facts';
import { serverFindings } from './server-findings';
import { slotFindings } from './slot-findings';
import { tableFindings } from './table-findings';

/** The connection must be closed before the caller stops waiting. */
const DEADLINE_SHARE = 0.8;

export async function diagnose(config: ConnectorConfig, { timeoutMs }: DiagnosisContext): Promise<Finding[]> {
  const { problems } = checkConfig(config);
  if (problems.length > 0)
    return problems.map(({ key, message }) => fault('PG_CONFIG', `${withoutSalt(key)}: ${message}`));
  const parsed = parseConfig(config);
  const limitMs = Math.max(1, Math.floor(timeoutMs * DEADLINE_SHARE));
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
    const facts = await readFacts(client, { ...parsed, connection });
    return [...serverFindings(facts), ...tableFindings(facts), ...publicationFindings(facts), ...slotFindings(facts)];
  } catch (error) {
    throw databaseError('The diagnosis of the server was not completed', error);
  } finally {
    clearTimeout(timer);
    await closeConnection(client);
  }
}

const CURES: Readonly<Record<string, string>> = {
  PG_AUTHENTICATION: 'Correct database.user and database.password, or pg_hba.conf of the server; try with',
  PG_NO_DATABASE: 'Correct database.dbname; list the databases with',
  PG_UNKNOWN_HOST: 'Correct database.hostname; try with',
  PG_CONNECTION: 'Check that the server runs, and that the network lets this machine connect; try with',
};

function connectionFinding({ host, port, user, database }: ConnectionConfig, error: unknown): Finding {
  const code = isConnectError(error) ? error.code : 'PG_ERROR';
  const message = error instanceof Error ? error.message : String(error);
  const name = code === 'PG_NO_DATABASE' ? 'postgres' : database;
  const info = Object.entries({ host, port: String(port), user, dbname: name }).map(
    ([key, value]) => `${key}='${value.replace(/[\\']/g, '\\$&')}'`,
  );
  const command = `psql ${shellQuoted(info.join(' '))}${code === 'PG_NO_DATABASE' ? ' --list' : ''}`;
  const finding = fault(code, sentence(message), {
    cure: CURES[code] ?? 'See the message; try with',
    statement: command,
  });
  return code === 'PG_CONNECTION' || code === 'PG_UNKNOWN_HOST' ? { ...finding, unreachable: true } : finding;
}

const shellQuoted = (text: string): string => `"${text.replace(/["\\$`]/g, '\\$&')}"`;
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
