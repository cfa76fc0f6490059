/** A worker says when what it shows is not the truth any more: the broker is stopped, records are given up. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Changes, Overview } from '@millrace/console';
import { startBroker } from '../../../dev/services/broker';
import type { RunningKafka } from '../../../dev/services/kafka';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

interface Health {
  readonly health: string;
  readonly reasons: readonly { readonly code: string; readonly message: string; readonly cure: string | null }[];
  readonly tasks: readonly { readonly errors: number | null; readonly errors_per_second: number | null }[];
}

let broker: RunningKafka;
let worker: StartedWorker;
let clients: Clients;

beforeAll(async () => {
  // A broker of its own: it is stopped.
  broker = await startBroker();
  clients = new Clients({ 'bootstrap.servers': broker.bootstrapServers });
  worker = await startWorker({
    bootstrapServers: broker.bootstrapServers,
    group: uniqueName('health'),
    settings: { 'session.timeout.ms': '6000', 'heartbeat.interval.ms': '1000' },
  });
  await worker.ready();
});

afterAll(async () => {
  await worker?.stop();
  await clients?.close();
  await broker?.stop();
});

const get = async <T>(path: string): Promise<T> => (await worker.request('GET', path)).json as T;
const healthOf = async (name: string): Promise<Health> => await get<Health>(`/connectors/${name}/health`);
const metric = async (name: string): Promise<string | undefined> =>
  new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, 'm').exec((await worker.request('GET', '/metrics')).body)?.[1];

test('records that all become dead letters: degraded, although every task is RUNNING and nothing lags', async () => {
  const topic = await clients.topic(1);
  const letters = uniqueName('letters');
  const config = fileSinkConfig(topic, join(worker.folder, 'lines.txt'), {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': letters,
    'errors.deadletterqueue.topic.replication.factor': '1',
  });
  await worker.register({ name: 'poisoned', config });
  await worker.running('poisoned');
  expect(await healthOf('poisoned')).toMatchObject({ health: 'running', reasons: [] });
  await clients.send(
    topic,
    Array.from({ length: 500 }, (_, i) => `not json ${i}`),
    0,
  );
  await waitFor('all records to be given up', async () => (await healthOf('poisoned')).tasks[0]?.errors === 500);
  const { health, reasons, tasks } = await healthOf('poisoned');
  expect([health, reasons.map(({ code }) => code)]).toEqual(['degraded', ['HEALTH_FAILING_RECORDS']]);
  expect(reasons[0]?.message).toMatch(/^Task 0 has given up 500 records since it started, the last one at /);
  expect(reasons[0]?.cure).toContain(letters);
  expect(tasks[0]?.errors_per_second).toBeGreaterThan(0);
  expect(await metric('millrace_task_failed_records_total')).toBe('500');
  const { connectors } = await get<Overview>('/ui/api/overview');
  expect(connectors[0]).toMatchObject({ summary: 'degraded', errors: 500, state: 'RUNNING' });
});

test('a broker that is stopped: the worker is out of its group, and says so until it is back', async () => {
  await writeFile(join(worker.folder, 'in.txt'), 'one\n');
  const source = { 'connector.class': 'FileStreamSource', file: join(worker.folder, 'in.txt'), topic: 'lines' };
  await worker.register({ name: 'lines', config: source });
  await worker.running('lines');
  expect(await metric('millrace_worker_in_group')).toBe('1');

  await broker.crash();
  let answer = await worker.request('GET', '/health');
  await waitFor('the worker to notice', async () => (answer = await worker.request('GET', '/health')).status === 500, {
    detail: () => answer.body,
  });
  expect(answer.json).toEqual({
    status: 'unhealthy',
    message: expect.stringMatching(/^This worker has not been in its group since 20\S+Z: .*\.$/) as string,
  });
  expect((await worker.request('GET', '/connectors/lines/status')).json).toMatchObject({
    connector: { state: 'RUNNING' },
  });
  const { health, reasons } = await healthOf('lines');
  expect([health, reasons[0]?.code]).toEqual(['unknown', 'HEALTH_NOT_IN_GROUP']);
  await waitFor('the reason', async () =>
    /ECONNREFUSED|refused|unreachable|connect/i.test((await healthOf('lines')).reasons[0]?.message ?? ''),
  );
  const overview = await get<Overview>('/ui/api/overview');
  expect(overview.health.absence).toMatchObject({ since: expect.any(Number) as number });
  expect(overview.connectors.map(({ summary }) => summary)).toEqual(['unknown', 'unknown']);
  expect(await metric('millrace_worker_in_group')).toBe('0');

  await broker.restart();
  await waitFor('the worker to be back', async () => (await worker.request('GET', '/health')).status === 200, {
    timeoutMs: 120_000,
  });
  await waitFor('the connector to run again', async () => (await healthOf('lines')).health === 'running', {
    timeoutMs: 120_000,
  });
  const { changes } = await get<Changes>('/ui/api/changes');
  const ofWorker = changes.filter(({ kind }) => kind.startsWith('worker ')).reverse();
  expect(ofWorker.map(({ kind }) => kind)).toEqual(['worker left the group', 'worker joined the group']);
  expect(ofWorker[0]?.cause.detail).toEqual(expect.any(String));
}, 240_000);
