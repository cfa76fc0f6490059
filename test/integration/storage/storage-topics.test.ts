/** The storage logs on a real broker. */
import { randomBytes } from 'node:crypto';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type {
  Admin,
  AssignedConsumer,
  ConsumerRecord,
  IsolationLevel,
  Producer,
} from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { ConfigStore } from '../../../src/storage/config/config-store';
import { KafkaCompactedLog } from '../../../src/storage/log/kafka-compacted-log';
import { OffsetStore } from '../../../src/storage/offsets/offset-store';
import { StatusStore } from '../../../src/storage/status/status-store';
import { storageTopic } from '../../../src/storage/log/storage-topic';
import { deleteTopics } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';

const client = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' };
const clients = createKafkaClients(silentLogger);
const READ_MS = 120_000;
const unique = (): string => `storage-${randomBytes(5).toString('hex')}`;
let admin: Admin;
const topics = new Set<string>();
const open: { stop(): Promise<void> }[] = [];

beforeAll(() => {
  admin = clients.admin(client);
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.stop();
});
afterAll(async () => {
  await deleteTopics(admin, [...topics]);
  await admin.close();
});

function log(
  kind: 'config' | 'offset' | 'status',
  topic: string,
  configs: Record<string, string> = {},
  isolation?: IsolationLevel,
): KafkaCompactedLog {
  topics.add(topic);
  const partitions = { config: 1, offset: 25, status: 5 }[kind];
  const created = new KafkaCompactedLog({
    topic: storageTopic(kind, { topic, partitions, replicationFactor: -1, topicConfigs: configs }),
    clients,
    admin,
    client,
    clientId: topic,
    isolation,
    logger: silentLogger,
  });
  open.push(created);
  return created;
}

async function readAll(topic: string): Promise<(ConsumerRecord & { partition: number })[]> {
  const consumer: AssignedConsumer = clients.assignedConsumer({ ...client, 'auto.offset.reset': 'earliest' });
  await consumer.connect();
  try {
    const [description] = await admin.describeTopics([topic]);
    const partitions = (description?.partitions ?? []).map(({ partition }) => ({ topic, partition }));
    const ends = await admin.listOffsets(partitions, 'latest');
    consumer.assign(partitions);
    const found: (ConsumerRecord & { partition: number })[] = [];
    while (ends.some((end) => (consumer.position(end) ?? 0) < end.offset))
      for (const { partition, records } of await consumer.poll(1_000))
        for (const record of records)
          found.push({
            ...record,
            key: record.key && Buffer.from(record.key),
            value: record.value && Buffer.from(record.value),
            partition,
          });
    return found;
  } finally {
    await consumer.close();
  }
}

test("connect-runtime 16: topics are created compacted, with Java's partition counts and the worker's settings", async () => {
  const [configs, offsets, statuses] = [unique(), unique(), unique()];
  await log('config', configs, { 'min.insync.replicas': '1' }).start(() => undefined);
  await log('offset', offsets).start(() => undefined);
  await log('status', statuses).start(() => undefined);
  const described = await admin.describeTopics([configs, offsets, statuses]);
  const count = (name: string): number | undefined => described.find((topic) => topic.name === name)?.partitions.length;
  expect([count(configs), count(offsets), count(statuses)]).toEqual([1, 25, 5]);
  for (const topic of [configs, offsets, statuses])
    expect((await admin.topicConfig(topic))['cleanup.policy']).toBe('compact');
  expect((await admin.topicConfig(configs))['min.insync.replicas']).toBe('1');
});

test('a storage topic that is deleted during writes is created again with the same settings, and gets all writes', async () => {
  const topic = unique();
  const store = log('offset', topic);
  await store.start(() => undefined);
  const write = (key: string): Promise<void> => store.write([[Buffer.from(key), Buffer.from('{}')]]);
  await write('before');
  await admin.deleteTopics([topic]);
  await waitFor('it to be gone', async () => (await admin.describeTopics([topic])).length === 0);
  const pending: Promise<void>[] = [];
  await waitFor('it to be there again', async () => {
    pending.push(write(`after ${pending.length}`));
    return (await admin.describeTopics([topic])).length > 0;
  });
  await Promise.all(pending);
  expect((await admin.describeTopics([topic]))[0]?.partitions).toHaveLength(25);
  expect((await admin.topicConfig(topic))['cleanup.policy']).toBe('compact');
  const keys = new Set((await readAll(topic)).map(({ key }) => String(key)));
  expect([...keys].sort()).toEqual(pending.map((_, i) => `after ${i}`).sort());
});

test("connect-runtime 13: a topic with another cleanup policy is rejected with Java's reason", async () => {
  const topic = unique();
  await admin.createTopics([
    { name: topic, partitions: 1, replicationFactor: 1, configs: { 'cleanup.policy': 'compact,delete' } },
  ]);
  await expect(log('config', topic).start(() => undefined)).rejects.toThrow(
    /^Topic 'storage-.*' supplied via the 'config.storage.topic' property is required to have 'cleanup.policy=compact' to guarantee consistency and durability of connector configurations, but found the topic currently has 'cleanup.policy=(compact,delete|delete,compact)'/,
  );
});

test('connect-runtime 14: a config topic with two partitions is rejected', async () => {
  const topic = unique();
  await admin.createTopics([
    { name: topic, partitions: 2, replicationFactor: 1, configs: { 'cleanup.policy': 'compact' } },
  ]);
  await expect(log('config', topic).start(() => undefined)).rejects.toThrow('but found 2 partitions');
});

test('connect-runtime 25: a log that ends in a transaction marker is read to its end', async () => {
  const topic = unique();
  await admin.createTopics([
    { name: topic, partitions: 1, replicationFactor: 1, configs: { 'cleanup.policy': 'compact' } },
  ]);
  const producer = clients.producer({
    ...client,
    'transactional.id': topic,
    'enable.idempotence': 'true',
    acks: 'all',
  });
  await producer.connect();
  await producer.initTransactions();
  await producer.prepare([topic]);
  const inTransaction = async (key: string, value: string): Promise<void> => {
    producer.beginTransaction();
    producer.send({ topic, key: Buffer.from(key), value: Buffer.from(value) });
    await producer.commitTransaction();
  };
  /** The marker is written after the commit is answered. */
  const endsAt = async (end: number): Promise<void> =>
    void (await waitFor(
      `the topic to end at ${end}`,
      async () => (await admin.listOffsets([{ topic, partition: 0 }], 'latest'))[0]?.offset === end,
    ));
  await inTransaction('connector-c', '{"properties":{"name":"c"}}');
  await endsAt(2);
  const store = new ConfigStore(log('config', topic), silentLogger, () => undefined);
  await store.start();
  expect(store.snapshot().connectors()).toEqual(['c']);
  // Offset of the data record + 1, whatever the marker's is.
  expect(store.snapshot().offset).toBe(1);
  await inTransaction('connector-d', '{"properties":{"name":"d"}}');
  await endsAt(4);
  await store.readToEnd(READ_MS);
  expect(store.snapshot().offset).toBe(3);
  await producer.close();
});

describe('connect-runtime §1.1: a log that is read committed', () => {
  const transactional = async (topic: string): Promise<Producer> => {
    const producer = clients.producer({ ...client, 'transactional.id': unique() });
    open.push({ stop: async () => await producer.close(0) });
    await producer.connect();
    await producer.initTransactions();
    await producer.prepare([topic]);
    return producer;
  };
  const send = (producer: Producer, topic: string, key: string): void =>
    producer.send({ topic, partition: 0, key: Buffer.from(key), value: Buffer.from('{}') });

  test.each([
    ['commitTransaction', ['first', 'second']],
    ['abortTransaction', ['first']],
  ] as const)('waits at its end for open transactions: %s', async (end, expected) => {
    const topic = unique();
    const found: string[] = [];
    const plain = log('config', topic);
    await plain.start(() => undefined);
    const producer = await transactional(topic);
    await plain.write([[Buffer.from('first'), Buffer.from('{}')]]);
    producer.beginTransaction();
    send(producer, topic, 'second');
    await producer.flush();

    const committed = log('config', topic, {}, 'read_committed');
    let isRead = false;
    const started = committed.start(({ key }) => void found.push(String(key))).then(() => (isRead = true));
    // What another reader of the same broker sees meanwhile: the record of the open transaction.
    await plain.readToEnd();
    await waitFor('the record before the transaction', () => found.includes('first'));
    expect([found, isRead]).toEqual([['first'], false]);
    await producer[end]();
    await started;
    expect(found).toEqual(expected);
    await committed.readToEnd();
    expect(found).toEqual(expected);
  });
});

test('connect-runtime 26: two workers read the same config offset; 1: bytes are what Java writes', async () => {
  const topic = unique();
  const one = new ConfigStore(log('config', topic), silentLogger, () => undefined);
  await one.start();
  await one.putConnector('c', { name: 'c', file: 'é😀' }, 'PAUSED');
  await one.putTaskConfigs('c', [{ a: '1' }, { a: '2' }]);
  const two = new ConfigStore(log('config', topic), silentLogger, () => undefined);
  await two.start();
  expect(two.snapshot().offset).toBe(one.snapshot().offset);
  expect(two.snapshot().taskConfigs('c')).toEqual([{ a: '1' }, { a: '2' }]);
  await two.putTargetState('c', 'STARTED');
  await Promise.all([one.readToEnd(READ_MS), two.readToEnd(READ_MS)]);
  expect(one.snapshot().targetState('c')).toBe('STARTED');
  expect((await readAll(topic)).map(({ key, value }) => `${key?.toString()}=${value?.toString()}`)).toEqual([
    'target-state-c={"state":"PAUSED","state.v2":"PAUSED"}',
    'connector-c={"properties":{"name":"c","file":"é\\uD83D\\uDE00"}}',
    'task-c-0={"properties":{"a":"1"}}',
    'task-c-1={"properties":{"a":"2"}}',
    'commit-c={"tasks":2}',
    'target-state-c={"state":"STARTED","state.v2":"STARTED"}',
  ]);
});

test('connect-runtime 6: an offset lies in the partition Java would choose and is found after a restart', async () => {
  const topic = unique();
  const one = new OffsetStore(log('offset', topic), silentLogger);
  await one.start();
  await one.write('local-file-source', [[{ filename: '/data/in.txt' }, { position: 42 }]]);
  const [record] = await readAll(topic);
  expect(record).toMatchObject({ partition: 11 });
  expect(record?.key?.toString()).toBe('["local-file-source",{"filename":"/data/in.txt"}]');
  expect(record?.value?.toString()).toBe('{"position":42}');
  const two = new OffsetStore(log('offset', topic), silentLogger);
  await two.start();
  expect(await two.read('local-file-source', [{ filename: '/data/in.txt' }, { filename: 'x' }])).toEqual([
    { position: 42 },
    null,
  ]);
  await one.write('local-file-source', [[{ filename: '/data/in.txt' }, null]]);
  expect(await two.read('local-file-source', [{ filename: '/data/in.txt' }])).toEqual([null]);
});

test('connect-runtime 10: a status is read by the other worker', async () => {
  const topic = unique();
  const [one, two] = [0, 1].map(() => new StatusStore(log('status', topic), silentLogger)) as [
    StatusStore,
    StatusStore,
  ];
  const other = log('status', topic);
  await one.start();
  await two.start();
  await other.start(() => undefined);
  const entity = { kind: 'task', connector: 'c', task: 0 } as const;
  one.put(entity, { state: 'RUNNING', trace: null, workerId: 'w:1', generation: 7, version: '1' });
  await one.flush();
  const [record] = await readAll(topic);
  expect(record?.value?.toString()).toBe(
    '{"state":"RUNNING","trace":null,"worker_id":"w:1","generation":7,"version":"1"}',
  );
  const third = new StatusStore(log('status', topic), silentLogger);
  await third.start();
  expect(third.cache.task('c', 0)).toMatchObject({ state: 'RUNNING', generation: 7 });
});
