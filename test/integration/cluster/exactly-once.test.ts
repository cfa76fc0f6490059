/** The leader's transactions and the fencing of zombie tasks, by herders of one group on a real broker. */
import { randomBytes } from 'node:crypto';
import { NotHereError } from '../../../src/cluster/errors';
import type { WorkerConfig } from '../../../src/config/worker-config';
import { createKafkaClients } from '../../../src/kafka/create-clients';
import type { Admin, Producer } from '../../../src/kafka/port';
import { silentLogger } from '../../../src/logging/logger';
import { serveInternalEndpoint, type Endpoint } from '../../cluster/internal-endpoint';
import { createWorker, states, type TestWorker } from '../../cluster/herder-fixtures';
import { deleteTopics } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';

const client = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' };
const clients = createKafkaClients(silentLogger);
let admin: Admin;
let group: string;
let workers: TestWorker[];
let endpoints: Endpoint[];
let producers: Producer[];

beforeAll(() => {
  admin = clients.admin(client);
});
afterAll(async () => await admin.close());
beforeEach(() => {
  group = `exactly-once-${randomBytes(5).toString('hex')}`;
  workers = [];
  endpoints = [];
  producers = [];
});
afterEach(async () => {
  for (const producer of producers) await producer.close(0);
  await Promise.all(workers.map(async ({ herder }) => await herder.stop()));
  for (const endpoint of endpoints) endpoint.close();
  await deleteTopics(
    admin,
    ['configs', 'offsets', 'status'].map((suffix) => `${group}-${suffix}`),
  );
});

async function start(support: WorkerConfig['exactlyOnceSourceSupport']): Promise<TestWorker> {
  const endpoint = await serveInternalEndpoint();
  endpoints.push(endpoint);
  const worker = createWorker(clients, group, {
    url: endpoint.url,
    config: { exactlyOnceSourceSupport: support, sessionTimeoutMs: 6_000, heartbeatIntervalMs: 500 },
  });
  endpoint.serve(worker.herder);
  workers.push(worker);
  await worker.herder.start();
  await waitFor('the worker to be healthy', async () => (await worker.herder.health()).status === 'healthy');
  return worker;
}

const source = (name: string, tasks = 2): Record<string, string> => ({
  name,
  'connector.class': 'org.example.TickConnector',
  'tasks.max': String(tasks),
});

async function reaches(worker: TestWorker, name: string, expected: string): Promise<void> {
  await waitFor(`${name} to be ${expected}`, () => states(worker.herder, name) === expected, {
    detail: () => states(worker.herder, name),
  });
}

/** Repeats the call until the worker leads the group. */
async function asLeader<T>(worker: TestWorker, call: (herder: TestWorker['herder']) => Promise<T>): Promise<T> {
  const done = await waitFor('the worker to lead', async () => {
    try {
      return { result: await call(worker.herder) };
    } catch (error) {
      if (error instanceof NotHereError) return null;
      throw error;
    }
  });
  return done.result;
}

/** A producer that fences the earlier ones with its id. */
async function transactionalProducer(transactionalId: string): Promise<Producer> {
  const producer = clients.producer({ ...client, 'transactional.id': transactionalId });
  producers.push(producer);
  await producer.connect();
  await producer.initTransactions();
  return producer;
}

describe.each(['preparing', 'enabled'] as const)('exactly.once.source.support=%s', (support) => {
  test('connect-runtime 88: a leader that another one has fenced fails one request, and then leads again', async () => {
    const worker = await start(support);
    await worker.herder.createConnector('a', source('a'), null);
    await reaches(worker, 'a', 'RUNNING RUNNING,RUNNING');
    await transactionalProducer(`connect-cluster-${group}`);
    await expect(worker.herder.createConnector('b', source('b'), null)).rejects.toThrow(
      'Failed to write to config topic; this may be due to a transient error and the request can be safely retried',
    );
    expect(worker.herder.connectors()).toEqual(['a']);
    await worker.herder.createConnector('b', source('b'), null);
    await reaches(worker, 'b', 'RUNNING RUNNING,RUNNING');
    expect(worker.fatal).toBeUndefined();
  });

  test('connect-runtime §1.4.7: the next leader writes under the same transactional id', async () => {
    const first = await start(support);
    const second = await start(support);
    await first.herder.createConnector('a', source('a'), null);
    await reaches(second, 'a', 'RUNNING RUNNING,RUNNING');
    await first.herder.stop();
    await asLeader(second, async (herder) => await herder.putConnectorConfig('a', source('a', 1)));
    await reaches(second, 'a', 'RUNNING RUNNING');
  });
});
