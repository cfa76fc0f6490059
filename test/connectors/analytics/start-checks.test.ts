/**
 * Tables that changed after their mapping was created, which the emulator cannot simulate: it rejects such a mapping.
 */
import { parseSettings } from '../../../connectors/analytics/src/config/settings';
import type { Cluster, ReplyTable } from '../../../connectors/analytics/src/service/cluster';
import { ServiceError } from '../../../connectors/analytics/src/service/service-error';
import { checkTables, retryWhileBusy } from '../../../connectors/analytics/src/service/start-checks';
import { MemoryConnection, MemoryLogger } from '@millrace/sdk/testing';

const { settings } = parseSettings({
  topics: 't',
  'analytics.url': 'http://127.0.0.1:9',
  'idp.auth.strategy': 'none',
  'analytics.tables.topics.mapping': `[{topic:'t',db:'d',table:'T',format:'csv',mapping:'M'}]`,
});
const SCHEMA = JSON.stringify({ Name: 'T', OrderedColumns: [{ Name: 'a' }, { Name: 'c' }] });

const clusterWith = (mapping: unknown): Cluster =>
  ({
    queryUrl: 'http://127.0.0.1:9',
    query: async () => ({ columns: ['Result'], rows: [['OK']] }),
    command: async (_: string, text: string): Promise<ReplyTable> =>
      text.endsWith('schema as json')
        ? { columns: ['TableName', 'Schema'], rows: [['T', SCHEMA]] }
        : { columns: ['Name', 'Kind', 'Mapping'], rows: [['M', 'Csv', JSON.stringify(mapping)]] },
  }) as unknown as Cluster;
const check = async (mapping: unknown): Promise<void> =>
  await checkTables(clusterWith(mapping), settings, new MemoryLogger(), new AbortController().signal);

test('analytics-sink 41: a mapping that no longer matches its table is detected before the service rejects every file', async () => {
  await expect(
    check([
      { Name: 'a', Ordinal: 0 },
      { Name: 'b', Ordinal: 1 },
    ]),
  ).rejects.toMatchObject({
    code: 'ANALYTICS_TABLES',
    message: `The mapped tables are not ready for ingestion: d.T: mapping 'M' does not match the table: it names column 'b', which the table does not have`,
  });
  await check([
    { Name: 'a', Ordinal: 0 },
    { Name: 'c', Ordinal: 1 },
  ]);
});

test('a service that is busy is reported with the next attempt, one that does not answer without', async () => {
  const connection = new MemoryConnection();
  const context = { logger: new MemoryLogger(), signal: new AbortController().signal, connection };
  const failures = [new ServiceError('is busy', 'transient', { status: 503 })];
  const request = (): Promise<string> =>
    failures.length > 0 ? Promise.reject(failures.pop() as Error) : Promise.resolve('answered');
  const retry = { ...settings.retry, backoffMs: 1 };
  expect(await retryWhileBusy(request, retry, context)).toBe('answered');
  expect([connection.isUp, connection.problems]).toEqual([
    true,
    [
      {
        reason: 'The service is not ready: is busy',
        code: 'ANALYTICS_SERVICE',
        nextTryAt: expect.any(Number) as number,
      },
    ],
  ]);
  const gone = (): Promise<never> => Promise.reject(new ServiceError('does not answer', 'transient'));
  await expect(retryWhileBusy(gone, retry, context)).rejects.toThrow('does not answer');
  expect([connection.isUp, connection.problems.at(-1)]).toEqual([
    false,
    { reason: 'The service is not ready: does not answer', code: 'ANALYTICS_SERVICE' },
  ]);
});
