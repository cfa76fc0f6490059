/** The sink on a worker: registered by REST, from topics of a real broker into the emulator's tables. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { SECRET, SinkSetup } from './sink-setup';

// Before the hooks of the setup, which drop the tables.
afterEach(async () => {
  // Connectors that remain would be assigned to the workers of the next test.
  for (const name of (await worker.request('GET', '/connectors')).json as string[])
    await waitFor(
      `a rebalance to end, to delete ${name}`,
      async () => (await worker.request('DELETE', `/connectors/${name}`)).status !== 409,
    );
});

const setup = SinkSetup.forFile();
const clients = new Clients();
const group = uniqueName('analytics');
const settings = {
  'offset.flush.interval.ms': '100',
  'scheduled.rebalance.max.delay.ms': '0',
  'session.timeout.ms': '6000',
  'heartbeat.interval.ms': '1000',
  'consumer.session.timeout.ms': '6000',
  'consumer.heartbeat.interval.ms': '1000',
};
let worker: StartedWorker;
let tempdir: string;

async function startOne(): Promise<void> {
  worker = await startWorker({ group, settings });
  await worker.ready();
}
beforeAll(async () => {
  tempdir = await mkdtemp(join(tmpdir(), 'millrace-analytics-'));
  await startOne();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(tempdir, { recursive: true, force: true });
});

const STRING = 'org.apache.kafka.connect.storage.StringConverter';
const CONVERTERS = { 'key.converter': STRING, 'value.converter': STRING };

function neutral(topic: string, more: object = {}): Record<string, unknown> {
  return {
    'connector.class': 'AnalyticsSinkConnector',
    'flush.size.bytes': 10_000,
    'flush.interval.ms': 50_000,
    'tasks.max': 1,
    topics: topic,
    'analytics.tables.topics.mapping': `[{'topic': '${topic}', 'db': 'd', 'table': '${setup.table}', 'format': 'csv', 'mapping': 'M'}]`,
    'idp.auth.authority': 'tenant',
    'idp.auth.appid': 'app',
    'idp.auth.appkey': SECRET,
    'analytics.url': setup.emulator.url,
    ...CONVERTERS,
    ...more,
  };
}
const vendor = (config: object): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key.replace(/^analytics\./, 'kusto.').replace(/^idp\./, 'aad.'),
      value as unknown,
    ]),
  ),
  'connector.class': 'com.microsoft.azure.kusto.kafka.connect.sink.KustoSinkConnector',
});

async function register(config: object): Promise<string> {
  const name = uniqueName('storms');
  await worker.register({ name, config: config as Record<string, string> });
  return name;
}
const number = async (query: string): Promise<number> => Number((await setup.post('/v1/rest/query', query))[0]?.[0]);
const count = async (): Promise<number> => await number(`${setup.table} | count`);
const rowsToBe = async (expected: number): Promise<void> => {
  let seen = 0;
  await waitFor(`${expected} rows`, async () => (seen = await count()) >= expected, {
    timeoutMs: 120_000,
    detail: () => `${seen} rows\n${worker.process.log().slice(-4_000)}`,
  });
};

test('analytics-sink 1: the registration document with numeric values: rows arrive by size', async () => {
  const topic = await clients.topic();
  const name = await register(neutral(topic));
  await worker.running(name);
  await clients.send(
    topic,
    Array.from({ length: 500 }, (_, i) => `${'x'.repeat(20)},${i}`),
  );
  await rowsToBe(400);
  expect((await worker.status(name)).tasks[0]?.state).toBe('RUNNING');
});

test('analytics-sink 2: the same with the vendor’s names and class: rows arrive by interval', async () => {
  const topic = await clients.topic();
  const name = await register(vendor(neutral(topic, { 'flush.interval.ms': 1_000 })));
  await worker.running(name);
  await clients.send(topic, ['x,1', 'y,2']);
  await rowsToBe(2);
  expect(await setup.rows()).toEqual([
    ['x', 1],
    ['y', 2],
  ]);
  const offsets = await waitFor('the offset', async () => {
    const { json } = await worker.request('GET', `/connectors/${name}/offsets`);
    const [entry] = (json as { offsets: { offset: { kafka_offset: number } }[] }).offsets;
    return entry?.offset.kafka_offset === 2 && entry;
  });
  expect(offsets).toBeDefined();
});

test('analytics-sink 3, 4, 5: config problems are reported before the config is accepted', async () => {
  const config = neutral('t', {
    'kusto.url': 'http://127.0.0.1:9',
    'flush.size.bytes': 99,
    'behavior.on.error': 'stop',
  });
  const answer = await waitFor('a rebalance to end', async () => {
    const now = await worker.request('POST', '/connectors', { name: uniqueName('storms'), config });
    return now.status !== 409 && now;
  });
  expect(answer.status).toBe(400);
  for (const part of [
    'Both analytics.url and kusto.url are set, to different values',
    'Invalid value 99 for configuration flush.size.bytes: Value must be at least 100',
    'String must be one of: FAIL, LOG, IGNORE, fail, log, ignore',
  ])
    expect(answer.body).toContain(part);
  expect(answer.body).not.toContain(SECRET);
});

test('analytics-sink 7, 9: a wrong secret fails the task with the reason, and neither the trace nor the log contains a secret', async () => {
  const name = await register(neutral(await clients.topic(), { 'idp.auth.appkey': `${SECRET}-wrong` }));
  const { tasks } = await worker.statusWhen(name, (now) => now.tasks[0]?.state === 'FAILED');
  expect(tasks[0]?.trace).toMatch(/The identity provider rejects the application: .*invalid_client/);
  expect(tasks[0]?.trace).not.toContain(SECRET);
  expect(worker.process.log()).not.toContain(SECRET);
});

test('a missing table fails the task when tables are checked', async () => {
  const topic = await clients.topic();
  const mapping = `[{'topic': '${topic}', 'db': 'd', 'table': 'Missing', 'format': 'csv', 'mapping': 'M'}]`;
  const checked = { 'analytics.validation.table.enable': true, 'analytics.tables.topics.mapping': mapping };
  const name = await register(neutral(topic, checked));
  const { tasks } = await worker.statusWhen(name, (now) => now.tasks[0]?.state === 'FAILED');
  expect(tasks[0]?.trace).toMatch(/The mapped tables are not ready for ingestion: d\.Missing: /);
});

test('analytics-sink 49, 50: a worker killed three times while records flow: no row is lost', async () => {
  const topic = await clients.topic(2);
  await worker.running(
    await register(neutral(topic, { 'flush.size.bytes': 500, 'flush.interval.ms': 500, 'tempdir.path': tempdir })),
  );
  // The kills should hit files in every state.
  setup.emulator.faults.add({ target: 'queue', delayMs: 100 });
  const producer = await clients.producer(topic);
  const [records, rounds] = [10_000, 4];
  for (let round = 0, i = 0; round < rounds; round++) {
    const before = await count();
    for (const end = i + records / rounds; i < end; i++)
      producer.send({ topic, partition: i % 2, key: null, value: Buffer.from(`row,${i}`) });
    await producer.flush();
    if (round === rounds - 1) break;
    await rowsToBe(before + 1_000);
    await worker.crash();
    await startOne();
  }
  let distinct = 0;
  await waitFor('all rows', async () => (distinct = await number(`${setup.table} | distinct b | count`)) === records, {
    timeoutMs: 120_000,
    detail: () => `${distinct} rows\n${worker.process.log().slice(-4_000)}`,
  });
  console.info(`${(await count()) - records} of ${records} rows came twice`);
}, 600_000);

test('analytics-sink 51, 52: a second worker joins and the first leaves while records flow: no row is lost', async () => {
  const topic = await clients.topic(4);
  const name = await register(neutral(topic, { 'tasks.max': 4, 'flush.size.bytes': 500, 'flush.interval.ms': 500 }));
  await worker.running(name, 4);
  setup.emulator.faults.add({ target: 'queue', delayMs: 50 });
  const producer = await clients.producer(topic);
  let sent = 0;
  const send = async (count: number): Promise<void> => {
    for (const end = sent + count; sent < end; sent++)
      producer.send({ topic, partition: sent % 4, key: null, value: Buffer.from(`row,${sent}`) });
    await producer.flush();
  };
  await send(3_000);
  await rowsToBe(500);
  const first = worker;
  await startOne();
  await worker.statusWhen(name, ({ tasks }) => new Set(tasks.map((task) => task.worker_id)).size === 2);
  await send(3_000);
  await first.stop();
  await send(3_000);
  let distinct = 0;
  await waitFor('all rows', async () => (distinct = await number(`${setup.table} | distinct b | count`)) === sent, {
    timeoutMs: 120_000,
    detail: () => `${distinct} rows\n${worker.process.log().slice(-4_000)}`,
  });
  console.info(`${(await count()) - sent} of ${sent} rows came twice`);
});
