/** Plants faults on a server and lets the connector diagnose them. */
import type { Finding, SourceOffset } from '@millrace/sdk';
import { Client } from 'pg';
import { postgresConnector } from '../../../connectors/postgres/src';
import { onServer, type TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { taskConfig } from './harness';

export type Settings = Readonly<Record<string, string>>;

/** @param connectors configs of the plugin that the workers have */
export async function diagnose(
  database: TestDatabase,
  overrides: Settings = {},
  connectors?: readonly Settings[],
  offset?: SourceOffset,
): Promise<readonly Finding[]> {
  const config = taskConfig(database, { 'table.include.list': 'public.todos', ...overrides });
  const context = {
    ...{ connector: 'test', workerSettings: {}, timeoutMs: 20_000 },
    ...(connectors && { connectors }),
    ...(offset && { offsets: [{ partition: { server: config['topic.prefix'] as string }, offset }] }),
  };
  return (await postgresConnector.diagnose?.(config, context)) ?? [];
}

export const codes = (findings: readonly Finding[]): string[] =>
  findings.map(({ severity, code }) => `${severity} ${code}`);

/**
 * Runs the SQL statements of findings, as `psql` does: each is a transaction of its own. @param url of a superuser
 */
export async function cure(findings: readonly Finding[], url: string): Promise<void> {
  const statements = findings.flatMap((finding) => finding.statements ?? []);
  for (const statement of statements.filter((one) => one.endsWith(';'))) await onServer(statement, [], url);
}

export async function createSlot(database: TestDatabase, name = database.slot, plugin = 'pgoutput'): Promise<void> {
  await database.query('SELECT pg_create_logical_replication_slot($1, $2)', [name, plugin]);
}

export const PGOUTPUT = `(proto_version '1', publication_names 'any')`;

/**
 * A program that reads a slot until its connection is ended.
 * @param options of the output plugin
 * @param application name of the program
 */
export async function readSlot(
  database: TestDatabase,
  name: string,
  options = '',
  application = 'archiver',
): Promise<Client> {
  const settings = { connectionString: database.url, application_name: application, replication: 'database' };
  const reader = new Client(settings).on('error', () => undefined);
  await reader.connect();
  reader.query(`START_REPLICATION SLOT ${name} LOGICAL 0/0 ${options}`).catch(() => undefined);
  await waitFor('the slot to be read', async () =>
    (await database.slots()).some(({ slot_name: slot, active }) => slot === name && active === true),
  );
  return reader;
}

/** Written in a transaction, whose commit flushes it. */
export async function writeWal(database: TestDatabase, megabytes: number): Promise<void> {
  await database.query("SELECT pg_logical_emit_message(true, 'x', repeat('x', 1048576)) FROM generate_series(1, $1)", [
    megabytes,
  ]);
}

/** A role that owns nothing, as settings of a connector. */
export async function login(database: TestDatabase, attributes = ''): Promise<Settings> {
  const name = `r_${database.name}`;
  await database.query(`CREATE ROLE ${name} LOGIN PASSWORD 'top-secret' ${attributes}`);
  return { 'database.user': name, 'database.password': 'top-secret' };
}
