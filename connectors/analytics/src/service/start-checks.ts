/**
 * Checks against the service before a task runs, so that a wrong setting fails at once. Source: analytics-sink §1.8.
 */
import { ConnectError, type Logger, sleep, monotonicNow, type TaskContext } from '@millrace/sdk';
import type { AnalyticsSettings } from '../config/settings';
import type { TableMapping } from '../mapping/topic-mapping';
import { retryDelayMs } from './retry-policy';
import type { Cluster } from './cluster';
import { parseJson } from './http';
import type { IngestionResources } from './ingestion-resources';
import { mappingProblems } from './mapping-problems';
import { ServiceError } from './service-error';
import { reportUnavailable } from './unavailable';

export type RequestContext = Pick<TaskContext, 'logger' | 'signal' | 'connection'>;

/** Login, URL and storage. @throws ConnectError */
export async function checkIngestion(
  resources: IngestionResources,
  retry: AnalyticsSettings['retry'],
  context: RequestContext,
): Promise<void> {
  const { logger, signal } = context;
  const { containers, queues } = await retryWhileBusy(async () => await resources.get(signal), retry, context);
  const hosts = new Set([...containers, ...queues].map((url) => new URL(url).host));
  logger.info(`The service's storage is at ${[...hosts].join(', ')}; this worker must be able to reach it`);
}

/**
 * Retries while the service responds that it is busy. A service that does not respond may be a wrong URL, so the task
 * fails at once and relies on automatic restarts.
 */
export async function retryWhileBusy<T>(
  request: () => Promise<T>,
  retry: AnalyticsSettings['retry'],
  { logger, signal, connection }: RequestContext,
): Promise<T> {
  const firstFailureAt = monotonicNow();
  for (let failures = 1; ; failures++) {
    try {
      const result = await request();
      connection.up();
      return result;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const mayPass = error.status !== null && error.code !== 'ANALYTICS_LOGIN';
      const now = monotonicNow();
      const wait = mayPass
        ? retryDelayMs(retry, { error, failures, firstFailureAt, now, random: Math.random() })
        : null;
      reportUnavailable(connection, 'The service is not ready', error, wait);
      if (wait === null) throw error;
      logger.warn(`The service is not ready, retrying in ${Math.round(wait)} ms: ${error.message}`);
      await sleep(wait, signal);
      signal.throwIfAborted();
    }
  }
}

/**
 * Every table, its ingestion mapping and the streaming policy where one is needed. @throws ConnectError
 * `ANALYTICS_TABLES` with all problems.
 */
export async function checkTables(
  cluster: Cluster,
  { mappings, login }: Pick<AnalyticsSettings, 'mappings' | 'login'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const problems: string[] = [];
  for (const mapping of mappings) {
    try {
      problems.push(...(await problemsOf(cluster, mapping, login.appId, login.tenant, signal)));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'permanent') throw error;
      if (error.status === 403 || error.message.includes('Forbidden:')) {
        logger.warn('The application may ingest but not view tables; skipping the check of the tables');
        return;
      }
      problems.push(`${mapping.database}.${mapping.table}: ${error.message}`);
    }
  }
  if (problems.length > 0)
    throw new ConnectError(`The mapped tables are not ready for ingestion: ${problems.join('; ')}`, {
      code: 'ANALYTICS_TABLES',
    });
}

async function problemsOf(
  cluster: Cluster,
  { database, table, format, mapping, streaming }: TableMapping,
  appId: string,
  tenant: string,
  signal: AbortSignal,
): Promise<string[]> {
  const qualified = `${database}.${table}`;
  const name = `['${table}']`;
  const { rows } = await cluster.query(database, `${name} | count`, { validate_permissions: true }, signal);
  if (rows[0]?.[0] !== 'OK') return [`${qualified}: it cannot be queried`];
  const problems: string[] = [];
  if (mapping !== null) {
    const kind = format.mappingKind.toLowerCase();
    const { columns, rows: shown } = await cluster.command(
      database,
      `.show table ${name} ingestion ${kind} mapping '${mapping}'`,
      signal,
    );
    const definition = String(shown[0]?.[columns.indexOf('Mapping')] ?? '');
    const found = mappingProblems(definition, kind, await columnsOf(cluster, database, name, signal));
    problems.push(...found.map((problem) => `${qualified}: mapping '${mapping}' does not match the table: ${problem}`));
  }
  if (appId !== '' && tenant !== '') {
    const principal = `principal = 'aadapp=${appId};${tenant}', accesstype='ingest',database='${database}',table='${table}'`;
    const access = await cluster.command(database, `.show principal access with (${principal})`, signal);
    const allowed = access.rows[0]?.[3];
    if (allowed !== true && allowed !== 1) problems.push(`${qualified}: the application may not ingest`);
  }
  if (streaming && !(await mayStream(cluster, database, name, signal)))
    problems.push(`${qualified}: streaming ingestion is not enabled by a policy`);
  return problems;
}

async function columnsOf(cluster: Cluster, database: string, name: string, signal: AbortSignal): Promise<string[]> {
  const { columns, rows } = await cluster.command(database, `.show table ${name} schema as json`, signal);
  const schema = parseJson(String(rows[0]?.[columns.indexOf('Schema')] ?? ''), cluster.queryUrl);
  return (schema as { OrderedColumns: { Name: string }[] }).OrderedColumns.map((column) => column.Name);
}

async function mayStream(cluster: Cluster, database: string, name: string, signal: AbortSignal): Promise<boolean> {
  for (const scope of [`table ${name}`, `database ['${database}']`]) {
    const { columns, rows } = await cluster.command(database, `.show ${scope} policy streamingingestion`, signal);
    const policy = rows[0]?.[columns.indexOf('Policy')];
    if (typeof policy === 'string' && policy !== '' && policy !== 'null') return true;
  }
  return false;
}
