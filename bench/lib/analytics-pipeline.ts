import type { AnalyticsEmulator } from '../../dev/analytics-emulator';

const STRING = 'org.apache.kafka.connect.storage.StringConverter';

/** The registration document of a sink of one topic into table T of database d. */
export function analyticsSink(
  topic: string,
  emulator: AnalyticsEmulator,
  tempDir: string,
  flush: { readonly bytes: number; readonly intervalMs: number },
): { name: string; config: Record<string, string> } {
  return {
    name: topic,
    config: {
      'connector.class': 'AnalyticsSinkConnector',
      'tasks.max': '1',
      topics: topic,
      'analytics.url': emulator.url,
      'idp.auth.strategy': 'none',
      'analytics.tables.topics.mapping': `[{topic: ${topic}, db: d, table: T, format: csv}]`,
      'flush.size.bytes': String(flush.bytes),
      'flush.interval.ms': String(flush.intervalMs),
      'tempdir.path': tempDir,
      'key.converter': STRING,
      'value.converter': STRING,
    },
  };
}

/** Runs a command (`mgmt`) or a query and returns the rows of its first table. */
export async function execute(emulator: AnalyticsEmulator, path: 'mgmt' | 'query', csl: string): Promise<unknown[][]> {
  const body = JSON.stringify({ db: 'd', csl });
  const response = await fetch(`${emulator.url}/v1/rest/${path}`, { method: 'POST', body });
  const { Tables: tables } = (await response.json()) as { Tables: { Rows: unknown[][] }[] };
  return tables[0]?.Rows ?? [];
}

/** The first value of a query's result, as a number. */
export async function numberOf(emulator: AnalyticsEmulator, query: string): Promise<number> {
  return Number((await execute(emulator, 'query', query))[0]?.[0]);
}
