/** The leader's transactions and the fencing of zombie tasks, by herders of one group on a real broker. */
import { randomBytes } from 'node:crypto';
import { offsetsJson } from '../../../src/cluster/connector-offsets';
import { NotHereError } from '../../../src/cluster/errors';
import type { WorkerConfig } from '../../../src/config/worker-config';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Admin, KafkaClients, Producer } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { serveInternalEndpoint, type Endpoint } from '../../cluster/internal-endpoint';
import { createWorker, states, type TestWorker } from '../../cluster/herder-fixtures';
import { deleteTopics } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';
import { whilePending } from '../../helpers/while-pending';

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

async function start(
  support: WorkerConfig['exactlyOnceSourceSupport'],
  kafka: KafkaClients = clients,
): Promise<TestWorker> {
  const endpoint = await serveInternalEndpoint();
  endpoints.push(endpoint);
  const worker = createWorker(kafka, group, {
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

/** `key=value` of the committed records in the partition 0 of a topic. */
async function textsOf(topic: string): Promise<string[]> {
  const consumer = clients.assignedConsumer({
    ...client,
    'auto.offset.reset': 'earliest',
    'isolation.level': 'read_committed',
  });
  await consumer.connect();
  try {
    const [end] = await admin.listOffsets([{ topic, partition: 0 }], 'latest', 'read_committed');
    consumer.assign([{ topic, partition: 0 }]);
    const texts: string[] = [];
    while ((consumer.position({ topic, partition: 0 }) ?? 0) < (end?.offset ?? 0))
      for (const { records } of await consumer.poll(1_000))
        for (const { key, value } of records) texts.push(`${key?.toString() ?? ''}=${value?.toString() ?? ''}`);
    return texts;
  } finally {
    await consumer.close();
  }
}

describe.each(['preparing', 'enabled'] as const)('exactly.once.source.support=%s', (support) => {
  test('connect-runtime 88: a leader that another one has fenced fails one request, and then leads again', async () => {
    const worker = await start(support);
    await worker.herder.writes.createConnector('a', source('a'), null);
    await reaches(worker, 'a', 'RUNNING RUNNING,RUNNING');
    await transactionalProducer(`connect-cluster-${group}`);
    await expect(worker.herder.writes.createConnector('b', source('b'), null)).rejects.toThrow(
      'Failed to write to config topic; this may be due to a transient error and the request can be safely retried',
    );
    expect(worker.herder.reads.connectors()).toEqual(['a']);
    await worker.herder.writes.createConnector('b', source('b'), null);
    await reaches(worker, 'b', 'RUNNING RUNNING,RUNNING');
    expect(worker.fatal).toBeUndefined();
  });

  test('connect-runtime §1.4.7: the next leader writes under the same transactional id', async () => {
    const first = await start(support);
    const second = await start(support);
    await first.herder.writes.createConnector('a', source('a'), null);
    await reaches(second, 'a', 'RUNNING RUNNING,RUNNING');
    await first.herder.stop();
    await asLeader(second, async (herder) => await herder.writes.putConnectorConfig('a', source('a', 1)));
    await reaches(second, 'a', 'RUNNING RUNNING');
  });
});

test.each([
  ['preparing', 'enabled'],
  ['enabled', 'preparing'],
  ['disabled', 'enabled'],
] as const)(
  'connect-runtime §1.4.7: an aborted transaction that only some members read does not divide them: %s leads, %s follows',
  async (leading, following) => {
    const leader = await start(leading);
    await leader.herder.writes.createConnector('a', source('a'), null);
    await reaches(leader, 'a', 'RUNNING RUNNING,RUNNING');
    const aborted = await transactionalProducer(`${group}-killed`);
    await aborted.prepare([`${group}-configs`]);
    aborted.beginTransaction();
    aborted.send({ topic: `${group}-configs`, key: Buffer.from('of-no-meaning'), value: null });
    await aborted.flush();
    await aborted.abortTransaction();
    const follower = await start(following);
    await waitFor('both to work', () => [leader, follower].every(({ host }) => host.running.size === 1));
  },
);

describe('zombie tasks', () => {
  /** A zombie of task `task`, which has a transaction open. */
  async function zombie(task: number): Promise<Producer> {
    const producer = await transactionalProducer(`${group}-a-${task}`);
    await producer.prepare([`${group}-status`]);
    producer.beginTransaction();
    producer.send({ topic: `${group}-status`, key: Buffer.from('zombie'), value: Buffer.from('{}') });
    await producer.flush();
    return producer;
  }

  test('connect-runtime 82: a follower has the leader fence the tasks of earlier generations', async () => {
    const leader = await start('enabled');
    const follower = await start('enabled');
    await asLeader(leader, async (herder) => await herder.writes.createConnector('a', source('a', 3), null));
    await reaches(follower, 'a', 'RUNNING RUNNING,RUNNING,RUNNING');
    const records = async (): Promise<string[]> =>
      (await textsOf(`${group}-configs`)).filter((text) => text.startsWith('tasks-fencing-'));
    await Promise.all([follower.gate.fence('a'), leader.gate.fence('a')]);
    expect(await records()).toEqual(['tasks-fencing-a={"task-count":3}']);
    const zombies = [await zombie(0), await zombie(1), await zombie(2)];
    await asLeader(leader, async (herder) => await herder.writes.putConnectorConfig('a', source('a', 1)));
    await reaches(follower, 'a', 'RUNNING RUNNING');
    await follower.gate.fence('a');
    for (const producer of zombies) await expect(producer.commitTransaction()).rejects.toMatchObject({ fenced: true });
    expect((await records()).at(-1)).toBe('tasks-fencing-a={"task-count":1}');
    // The generation that has been admitted keeps its transactional ids.
    const current = await zombie(0);
    await Promise.all([follower.gate.fence('a'), leader.gate.fence('a')]);
    await current.commitTransaction();
  });

  test.each([
    [3, 1],
    [1, 3],
  ])(
    'connect-runtime 82: %s task(s) of a deleted connector are fenced before %s of one with its name start',
    async (before, after) => {
      const worker = await start('enabled');
      await worker.herder.writes.createConnector('a', source('a', before), null);
      await reaches(worker, 'a', `RUNNING ${Array(before).fill('RUNNING').join()}`);
      await worker.gate.fence('a');
      const zombies = await Promise.all(Array.from({ length: before }, async (_, task) => await zombie(task)));
      await worker.herder.writes.deleteConnector('a');
      await worker.herder.writes.createConnector('a', source('a', after), null);
      await reaches(worker, 'a', `RUNNING ${Array(after).fill('RUNNING').join()}`);
      await worker.gate.fence('a');
      for (const producer of zombies)
        await expect(producer.commitTransaction()).rejects.toMatchObject({ fenced: true });
      // Their transactions are aborted: nothing keeps consumers of committed records waiting.
      const partitions = Array.from({ length: 5 }, (_, partition) => ({ topic: `${group}-status`, partition }));
      await waitFor('the end of the topic to be stable', async () => {
        const stable = await admin.listOffsets(partitions, 'latest', 'read_committed');
        const ends = await admin.listOffsets(partitions, 'latest');
        return stable.every(({ offset }, i) => offset === ends[i]?.offset);
      });
    },
  );

  test('connect-runtime 82: the leader ends during the round, and its successor fences', async () => {
    let begun: () => void = () => undefined;
    let release: () => void = () => undefined;
    const fencing = new Promise<void>((resolve) => (begun = resolve));
    const held = new Promise<void>((resolve) => (release = resolve));
    const leader = await start('enabled', {
      ...clients,
      // A connector's clients, too, which fence its producers.
      of: undefined,
      admin: (config) =>
        Object.assign(clients.admin(config), {
          fenceProducers: async () => {
            begun();
            await held;
          },
        }),
    });
    const follower = await start('enabled');
    await asLeader(leader, async (herder) => await herder.writes.createConnector('a', source('a', 3), null));
    await reaches(follower, 'a', 'RUNNING RUNNING,RUNNING,RUNNING');
    await leader.gate.fence('a');
    const producer = await zombie(2);
    await asLeader(leader, async (herder) => await herder.writes.putConnectorConfig('a', source('a', 1)));
    await reaches(follower, 'a', 'RUNNING RUNNING');
    const fenced = follower.gate.fence('a');
    await whilePending(fenced, fencing);
    endpoints[0]?.close();
    await leader.herder.stop();
    await fenced;
    release();
    await expect(producer.commitTransaction()).rejects.toMatchObject({ fenced: true });
    expect((await textsOf(`${group}-configs`)).at(-1)).toBe('tasks-fencing-a={"task-count":1}');
  });

  test('connect-runtime 83: a start that was decided for earlier task configs is not confirmed', async () => {
    const worker = await start('enabled');
    await worker.herder.writes.createConnector('a', source('a', 1), null);
    await reaches(worker, 'a', 'RUNNING RUNNING');
    const spec = worker.host.running.get('a-0')?.exactlyOnce;
    expect(spec).toEqual({ transactionalId: `${group}-a-0`, generation: 0 });
    await worker.gate.confirm({ connector: 'a', task: 0 }, 0);
    await worker.herder.writes.putConnectorConfig('a', { ...source('a', 1), value: 'new' });
    await waitFor('the task to be replaced', () => worker.host.running.get('a-0')?.exactlyOnce?.generation === 1);
    await expect(worker.gate.confirm({ connector: 'a', task: 0 }, 0)).rejects.toMatchObject({
      code: 'TASK_START_OUTDATED',
    });
    await expect(worker.gate.confirm({ connector: 'a', task: 1 }, 1)).rejects.toThrow(
      'Cannot start source task a-1 as it has already been revoked from this worker',
    );
  });

  test('connect-runtime §3.8: offsets are changed in a transaction, once the zombies are fenced', async () => {
    const worker = await start('enabled');
    await worker.herder.writes.createConnector('a', source('a', 2), null);
    await reaches(worker, 'a', 'RUNNING RUNNING,RUNNING');
    await worker.gate.fence('a');
    const zombies = [await zombie(0), await zombie(1)];
    await worker.herder.writes.stopConnector('a');
    const offsets = [{ partition: { file: 'f' }, offset: { position: 7 } }];
    await worker.herder.offsets.alter('a', offsets);
    for (const producer of zombies) await expect(producer.commitTransaction()).rejects.toMatchObject({ fenced: true });
    expect(offsetsJson(await worker.herder.offsets.list('a'))).toBe(
      '{"offsets":[{"partition":{"file":"f"},"offset":{"position":7}}]}',
    );
    // The marker of a transaction follows the record.
    const partitions = Array.from({ length: 25 }, (_, partition) => ({ topic: `${group}-offsets`, partition }));
    await waitFor('the marker of the transaction', async () => {
      const ends = await admin.listOffsets(partitions, 'latest', 'read_committed');
      return ends.reduce((sum, { offset }) => sum + offset, 0) === 2;
    });
    await worker.herder.offsets.reset('a');
    expect(await worker.herder.offsets.list('a')).toEqual([]);
  });

  test('connect-rest §2.6: offsets are not changed when the zombies cannot be fenced', async () => {
    const worker = await start('enabled');
    await worker.herder.writes.createConnector('a', source('a', 2), null);
    await reaches(worker, 'a', 'RUNNING RUNNING,RUNNING');
    await worker.gate.fence('a');
    // No client can be created with these settings.
    await worker.herder.writes.putConnectorConfig('a', {
      ...source('a', 2),
      'admin.override.security.protocol': 'none',
    });
    await worker.herder.writes.stopConnector('a');
    await expect(worker.herder.offsets.reset('a')).rejects.toMatchObject({
      status: 500,
      message: 'Failed to perform zombie fencing for source connector prior to modifying offsets',
    });
  });

  test.each(['disabled', 'preparing'] as const)(
    'exactly.once.source.support=%s: tasks deliver at least once',
    async (support) => {
      const worker = await start(support);
      await worker.herder.writes.createConnector('a', source('a', 1), null);
      await reaches(worker, 'a', 'RUNNING RUNNING');
      expect(worker.host.running.get('a-0')?.exactlyOnce).toBeNull();
    },
  );
});
