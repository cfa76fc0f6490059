/** Exactly-once source tasks and their offsets on a real broker. */
import type { SourceRecord, SourceTask, SourceTaskContext } from '@millrace/sdk';
import { OffsetStores } from '../../../src/cluster/offsets/offset-stores';
import { parseWorkerConfig } from '../../../src/config/worker-config';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Admin, AssignedConsumer, Producer } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { KafkaCompactedLog } from '../../../src/storage/log/kafka-compacted-log';
import { storageTopic } from '../../../src/storage/log/storage-topic';
import { OffsetStore } from '../../../src/storage/offsets/offset-store';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { deleteTopics } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { RecordingListener, sourceOf, spec, world } from '../../tasks/fakes';

const client = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' };
const clients = createKafkaClients(silentLogger);
const PARTITION = { counter: 'one' };
let admin: Admin;
let group: string;
let topic: string;
let offsetsTopic: string;
let shared: OffsetStore;
let stores: OffsetStores;
let connectorConfig: Record<string, string>;
let runners: TaskRunner[];
let producers: Producer[];
let consumers: AssignedConsumer[];

beforeAll(() => {
  admin = clients.admin(client);
});
afterAll(async () => await admin.close());
beforeEach(async () => {
  [runners, producers, consumers] = [[], [], []];
  group = uniqueName('eos');
  topic = `${group}-out`;
  offsetsTopic = `${group}-offsets`;
  connectorConfig = { name: 'c' };
  await admin.createTopics([{ name: topic, partitions: 1, replicationFactor: 1 }]);
  const config = worker();
  shared = sharedStore();
  await shared.start();
  stores = new OffsetStores({
    shared,
    clients,
    worker: config,
    snapshot: () => ({ connectorConfig: () => connectorConfig }) as never,
    resolve: async (resolved) => resolved,
    logger: silentLogger,
  });
});
afterEach(async () => {
  for (const runner of runners) runner.cancel();
  await Promise.all(runners.map((runner) => runner.done));
  await Promise.all([...producers, ...consumers].map((opened) => opened.close()));
  await stores.stop();
  await shared.stop();
  await deleteTopics(admin, [topic, offsetsTopic, `${group}-own`, `${group}-other`]);
});

function sharedStore(): OffsetStore {
  const log = new KafkaCompactedLog({
    topic: storageTopic('offset', { ...worker().offset, replicationFactor: 1, partitions: 1 }),
    clients,
    admin,
    client,
    clientId: group,
    isolation: 'read_committed',
    startsCommitted: true,
    logger: silentLogger,
  });
  return new OffsetStore(log, silentLogger);
}

function worker() {
  return {
    ...parseWorkerConfig({
      ...client,
      'group.id': group,
      'config.storage.topic': `${group}-configs`,
      'offset.storage.topic': offsetsTopic,
      'offset.storage.replication.factor': '1',
      'offset.storage.partitions': '1',
      'status.storage.topic': `${group}-status`,
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    }),
    exactlyOnceSourceSupport: 'enabled' as const,
  };
}

/** Counts from its stored offset; `polls` decides how many numbers each poll returns, null: none yet. */
class Counter implements SourceTask {
  n = 0;
  context!: SourceTaskContext;
  last: SourceRecord | null = null;
  constructor(private readonly polls: (n: number, task: Counter) => number | null) {}
  async start(_config: unknown, context: SourceTaskContext): Promise<void> {
    this.context = context;
    this.n = Number((await context.offsets.offset(PARTITION))?.n ?? 0);
  }
  async poll(): Promise<SourceRecord[] | null> {
    const count = this.polls(this.n, this);
    if (count === null) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return null;
    }
    return Array.from({ length: count }, () => this.next());
  }
  next(): SourceRecord {
    const n = ++this.n;
    const value = `v${n}`;
    return {
      sourcePartition: PARTITION,
      sourceOffset: { n },
      topic,
      keySchema: null,
      key: null,
      valueSchema: null,
      value,
    };
  }
  stop(): void {}
}

function start(
  task: SourceTask,
  config: Record<string, string> = {},
): { runner: TaskRunner; listener: RecordingListener } {
  connectorConfig = { name: 'c', 'connector.class': 'com.acme.Test', ...config };
  const exactlyOnce = { transactionalId: `${group}-c-0`, generation: 1 };
  const gate = { fence: async () => undefined, confirm: async () => undefined };
  const environment = { ...world(sourceOf(task)), config: worker(), clients, offsets: stores, gate };
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec('source', connectorConfig, { exactlyOnce }), environment, listener);
  runners.push(runner);
  runner.start();
  return { runner, listener };
}

/** What a consumer reads up to the end of the topic, waiting for open transactions. */
async function values(isolation: 'read_committed' | 'read_uncommitted', of = topic): Promise<string[]> {
  const consumer = clients.assignedConsumer({
    ...client,
    'isolation.level': isolation,
    'auto.offset.reset': 'earliest',
  });
  consumers.push(consumer);
  await consumer.connect();
  const partition = { topic: of, partition: 0 };
  const [end] = await admin.listOffsets([partition], 'latest');
  consumer.assign([partition]);
  await consumer.seekToBeginning([partition]);
  const found: string[] = [];
  while ((consumer.position(partition) ?? 0) < (end?.offset ?? 0))
    for (const batch of await consumer.poll(100)) for (const { value } of batch.records) found.push(String(value));
  return found;
}
async function end(isolation: 'read_committed' | 'read_uncommitted'): Promise<number> {
  return (await admin.listOffsets([{ topic, partition: 0 }], 'latest', isolation))[0]?.offset ?? -1;
}
const upTo = (n: number): string[] => Array.from({ length: n }, (_, i) => `v${i + 1}`);

const stored = async (): Promise<unknown> => (await stores.read('c', [PARTITION]))[0];

test.each(['poll', 'interval', 'connector'])(
  'connect-runtime 80: with boundary %s, a read_committed consumer sees each record once across crashes',
  async (boundary) => {
    const config = { 'transaction.boundary': boundary, 'transaction.boundary.interval.ms': '20' };
    for (const end of [25, 60, 110, 210]) {
      const task = new Counter((n, self) => {
        if (boundary === 'connector' && n % 14 === 0) self.context.transactionContext?.commitTransaction();
        return n >= end ? null : 7;
      });
      const { runner, listener } = start(task, config);
      await waitFor(`${end} records`, () => task.n >= end, { detail: () => listener.trace });
      if (end === 210) runner.stop();
      else runner.cancel();
      await runner.done;
    }
    const seen = await values('read_committed');
    expect(seen).toEqual(upTo(seen.length));
    expect(await stored()).toEqual({ n: seen.length });
    expect(seen.length).toBeGreaterThanOrEqual(196);
  },
);

test('connect-runtime 84: aborted records are invisible, and are not read again', async () => {
  const task = new Counter((n, self) => {
    if (n === 2) self.context.transactionContext?.abortTransaction();
    else self.context.transactionContext?.commitTransaction();
    return n < 6 ? 2 : null;
  });
  const { runner } = start(task, { 'transaction.boundary': 'connector' });
  await waitFor('all offsets', async () => ((await stored()) as { n: number } | null)?.n === 6);
  runner.stop();
  await runner.done;
  expect(await values('read_uncommitted')).toEqual(upTo(6));
  expect(await values('read_committed')).toEqual(['v1', 'v2', 'v5', 'v6']);
});

test('connect-runtime 81: a zombie cannot commit what it had sent before a newer task started', async () => {
  const zombie = new Counter((n, self) => {
    if (released) self.context.transactionContext?.commitTransaction();
    return n < 5 || (released && n < 10) ? 5 : null;
  });
  let released = false;
  const first = start(zombie, { 'transaction.boundary': 'connector' });
  await waitFor('its records', async () => (await end('read_uncommitted')) >= 5);
  const second = start(new Counter((n) => (n < 3 ? 1 : null)));
  await waitFor('the newer task', async () => ((await stored()) as { n: number } | null)?.n === 3);
  released = true;
  await waitFor('the zombie to fail', () => first.listener.events.includes('failed c-0'));
  expect(first.listener.trace).toContain('TRANSACTIONAL_ID_FENCED');
  second.runner.stop();
  await second.runner.done;
  expect(await values('read_committed')).toEqual(upTo(3));
  expect(await stored()).toEqual({ n: 3 });
});

test('connect-runtime 87: a transaction that Kafka aborts fails the task, which may be restarted', async () => {
  let aborted = false;
  const task = new Counter((n) => (n === 0 || aborted ? 1 : null));
  task.poll = async () => {
    if (task.n === 1) {
      await waitFor('the abort', async () => (await end('read_committed')) > 1);
      aborted = true;
    }
    return [task.next()];
  };
  const config = { 'transaction.boundary': 'connector', 'producer.override.transaction.timeout.ms': '1000' };
  const { listener } = start(task, config);
  await waitFor('the task to fail', () => listener.events.includes('failed c-0'));
  expect(listener.trace).toContain('TRANSACTION_TIMEOUT');
  expect(listener.retriable).toBe(true);
  expect(await values('read_committed')).toEqual([]);
});

test('connect-runtime §1.1: a read of offsets waits for the transaction of another task that is open', async () => {
  const other = clients.producer({ ...client, 'transactional.id': `${group}-other` });
  producers.push(other);
  await other.connect();
  await other.prepare([offsetsTopic]);
  await other.initTransactions();
  await shared.write('c', [[PARTITION, { n: 1 }]]);
  other.beginTransaction();
  const [record] = await shared.encode('c', [[PARTITION, { n: 2 }]]);
  other.send({ topic: offsetsTopic, key: record?.[0] ?? null, value: record?.[1] ?? null });
  await other.flush();
  const listed = jest.spyOn(admin, 'listOffsets');
  const reading = stored();
  await waitFor('the end of the topic to be known', () => listed.mock.results.length > 0);
  await listed.mock.results[0]?.value;
  await other.commitTransaction();
  expect(await reading).toEqual({ n: 2 });
  listed.mockRestore();
});

test('a worker starts while the transaction of a killed task is open, which ends when the task starts', async () => {
  const transactional = async (): Promise<Producer> => {
    const producer = clients.producer({
      ...client,
      'transactional.id': `${group}-c-0`,
      'transaction.timeout.ms': '600000',
    });
    producers.push(producer);
    await producer.connect();
    await producer.prepare([offsetsTopic]);
    await producer.initTransactions();
    return producer;
  };
  await shared.write('c', [[PARTITION, { n: 1 }]]);
  const killed = await transactional();
  killed.beginTransaction();
  const [record] = await shared.encode('c', [[PARTITION, { n: 2 }]]);
  killed.send({ topic: offsetsTopic, key: record?.[0] ?? null, value: record?.[1] ?? null });
  await killed.flush();
  const next = sharedStore();
  try {
    await next.start();
    await transactional();
    expect(await next.read('c', [PARTITION])).toEqual([{ n: 1 }]);
  } finally {
    await next.stop();
  }
});

test('connect-runtime §1.5.4: an own offsets topic is part of the transaction; the worker’s has a copy', async () => {
  let stage = 0;
  const task = new Counter((n) => (n < 2 ? 1 : null));
  const poll = task.poll.bind(task);
  task.poll = async () => {
    if (task.n === 2 && stage === 0) stage = 1;
    if (stage === 2) {
      await task.context.storeOffset(PARTITION, null);
      stage = 3;
    }
    return await poll();
  };
  const { listener } = start(task, { 'offsets.storage.topic': `${group}-own` });
  await waitFor('both polls', () => stage === 1, { detail: () => listener.trace });
  await waitFor('the copy', async () => ((await shared.read('c', [PARTITION]))[0] as { n: number } | null)?.n === 2);
  expect(await values('read_committed', `${group}-own`)).toEqual(['{"n":1}', '{"n":2}']);
  expect(await stored()).toEqual({ n: 2 });
  stage = 2;
  await waitFor('the removal', () => stage === 3);
  expect(await shared.read('c', [PARTITION])).toEqual([null]);
  expect(await stored()).toBeNull();
  expect(await values('read_committed')).toEqual(upTo(2));
});

test('connect-runtime §3.9: a task reads its offsets from the topic it commits them to, whatever a newer config names', async () => {
  const own = { 'offsets.storage.topic': `${group}-own` };
  const first = new Counter((n) => (n < 3 ? 1 : null));
  const { runner } = start(first, own);
  await waitFor('its records', async () => ((await stored()) as { n: number } | null)?.n === 3);
  runner.stop();
  await runner.done;
  // As a worker leaves it that is killed before its copy.
  await shared.write('c', [[PARTITION, { n: 1 }]]);
  const second = new Counter((n) => (n < 5 ? 1 : null));
  const begin = second.start.bind(second);
  second.start = async (...given) => {
    // The task is confirmed, and the config is changed before it starts.
    connectorConfig = { name: 'c', 'offsets.storage.topic': `${group}-other` };
    await begin(...given);
  };
  const { runner: restarted, listener } = start(second, own);
  const arrived = async (): Promise<boolean> => (await values('read_committed')).length >= 5;
  await waitFor('its records', arrived, { detail: () => listener.trace });
  restarted.stop();
  await restarted.done;
  expect(await values('read_committed')).toEqual(upTo(5));
  expect((await values('read_committed', `${group}-own`)).at(-1)).toBe('{"n":5}');
});
