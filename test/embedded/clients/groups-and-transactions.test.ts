/**
 * Groups and transactions of the embedded broker as kafkajs and our own clients use them, over sockets (kafka-client
 * 4).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel, type Consumer, type Producer as KafkaJsProducer } from 'kafkajs';
import { freePort } from '../../../dev/services/free-port';
import {
  startEmbeddedBroker,
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
} from '../../../packages/embedded/src/broker';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { GroupMember, Producer } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { waitFor } from '../../helpers/wait-for';

const silently = { log: () => undefined };
let broker: EmbeddedBroker;
const closing: (() => Promise<unknown>)[] = [];

async function start(options: EmbeddedBrokerOptions = {}): Promise<EmbeddedBroker> {
  broker = await startEmbeddedBroker({ ...silently, ...options });
  return broker;
}
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await broker.stop();
});

const kafkaJs = (): Kafka =>
  new Kafka({
    brokers: [broker.bootstrapServers],
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50 },
    connectionTimeout: 30_000,
  });
const config = (more: Record<string, string> = {}) => ({ 'bootstrap.servers': broker.bootstrapServers, ...more });
const ours = createKafkaClients(silentLogger);

async function producerOf(transactionalId: string): Promise<KafkaJsProducer> {
  const producer = kafkaJs().producer({ transactionalId, maxInFlightRequests: 1, idempotent: true });
  closing.push(() => producer.disconnect());
  await producer.connect();
  return producer;
}

/** Reads a topic as a member of `g` and remembers the values. */
async function reader(topic: string, kafka = kafkaJs()): Promise<{ consumer: Consumer; values: string[] }> {
  const consumer = kafka.consumer({ groupId: 'g', sessionTimeout: 6_000, heartbeatInterval: 200, maxWaitTimeInMs: 50 });
  closing.push(() => consumer.disconnect());
  const values: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommitThreshold: 1,
    eachMessage: ({ message }) => Promise.resolve(void values.push(String(message.value))),
  });
  return { consumer, values };
}

async function topicOf(numPartitions: number): Promise<string> {
  const admin = kafkaJs().admin();
  await admin.createTopics({ topics: [{ topic: 't', numPartitions }] });
  await admin.disconnect();
  return 't';
}

describe('kafkajs', () => {
  it('group: after one of two consumers leaves, the other resumes at its committed offsets', async () => {
    await start();
    const topic = await topicOf(2);
    const admin = kafkaJs().admin();
    closing.push(() => admin.disconnect());
    const producer = kafkaJs().producer();
    closing.push(() => producer.disconnect());
    await producer.connect();
    const send = (...values: string[]) =>
      producer.send({ topic, messages: values.map((value, i) => ({ value, partition: i % 2 })) });
    const [one, two] = [await reader(topic), await reader(topic)];
    const members = async () => (await admin.describeGroups(['g'])).groups[0]!;
    await waitFor('two members', async () => {
      const { state, members: who } = await members();
      return state === 'Stable' && who.length === 2;
    });
    await send('a', 'b', 'c', 'd');
    await waitFor('all values', () => one.values.length + two.values.length === 4);
    expect(one.values).toHaveLength(2);
    await two.consumer.disconnect();
    await waitFor('one member', async () => (await members()).members.length === 1);
    await send('e', 'f');
    await waitFor('the rest', () => one.values.length + two.values.length === 6);
    expect([...one.values, ...two.values].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await one.consumer.disconnect();
    const [offsets] = await admin.fetchOffsets({ groupId: 'g', topics: [topic] });
    expect(offsets!.partitions.map(({ offset }) => offset)).toEqual(['3', '3']);
    expect((await admin.listGroups()).groups).toEqual([{ groupId: 'g', protocolType: 'consumer' }]);
    await admin.deleteGroups(['g']);
    expect((await admin.listGroups()).groups).toEqual([]);
  });

  it('transactions: read_committed consumers see all records of a transaction or none, and its offsets with them', async () => {
    await start();
    const topic = await topicOf(1);
    const producer = await producerOf('x');
    const offsets = { consumerGroupId: 'other', topics: [{ topic, partitions: [{ partition: 0, offset: '7' }] }] };
    const aborted = await producer.transaction();
    await aborted.send({ topic, messages: [{ value: 'aborted' }] });
    await aborted.sendOffsets(offsets);
    await aborted.abort();
    const admin = kafkaJs().admin();
    closing.push(() => admin.disconnect());
    const committed = async () =>
      (await admin.fetchOffsets({ groupId: 'other', topics: [topic] }))[0]!.partitions[0]!.offset;
    expect(await committed()).toBe('-1');
    const kept = await producer.transaction();
    await kept.send({ topic, messages: [{ value: 'kept' }] });
    await kept.sendOffsets(offsets);
    await kept.commit();
    expect(await committed()).toBe('7');
    const { values } = await reader(topic);
    await waitFor('the committed value', () => values.length > 0);
    expect(values).toEqual(['kept']);
  });
});

describe('our own clients', () => {
  function memberOf(groupInstanceId: string | null): GroupMember {
    const member = ours.groupMember(config(), {
      groupId: 'workers',
      groupInstanceId,
      protocolType: 'connect',
      sessionTimeoutMs: 6_000,
      heartbeatIntervalMs: 100,
      rebalanceTimeoutMs: 10_000,
      protocols: () => [{ name: 'sessioned', metadata: Buffer.from('url') }],
      assign: (_, members) =>
        new Map(
          members.map(({ memberId, groupInstanceId: who }) => [memberId, Buffer.from(who ?? String(members.length))]),
        ),
    });
    closing.push(() => member.close());
    return member;
  }

  it('group of type connect: two workers join one generation', async () => {
    await start();
    const [one, two] = [memberOf(null), memberOf(null)];
    expect(String((await one.join()).assignment)).toBe('1');
    const joining = two.join();
    await one.whenNeedsJoin();
    const [a, b] = await Promise.all([one.join(), joining]);
    expect([String(a.assignment), String(b.assignment), b.generation]).toEqual(['2', '2', a.generation]);
    await two.leave();
    await one.whenNeedsJoin();
    expect(String((await one.join()).assignment)).toBe('1');
    const admin = ours.admin(config());
    closing.push(() => admin.close());
    expect(await admin.describeGroup('workers')).toMatchObject({
      state: 'Stable',
      protocolType: 'connect',
      protocol: 'sessioned',
    });
  });

  it('static member: a restart fences the earlier process', async () => {
    await start();
    const first = memberOf('i');
    const { generation } = await first.join();
    const second = memberOf('i');
    expect(await second.join()).toMatchObject({ generation, assignment: Buffer.from('i') });
    await first.whenNeedsJoin();
    await expect(first.join()).rejects.toMatchObject({ code: 'FENCED_INSTANCE_ID', fenced: true });
  });

  async function transactional(more: Record<string, string> = {}): Promise<Producer> {
    const producer = ours.producer(config({ 'transactional.id': 'x', ...more }));
    closing.push(() => producer.close(0));
    await producer.connect();
    await producer.initTransactions();
    await producer.prepare(['t']);
    return producer;
  }
  const send = (producer: Producer, value: string): Promise<string | null> =>
    new Promise((resolve) => {
      const record = { topic: 't', key: null, value: Buffer.from(value) };
      producer.send(record, (error) => resolve(error?.code ?? null));
    });
  const lastStable = async (): Promise<number[]> => {
    const admin = ours.admin(config());
    try {
      const ends = await Promise.all(
        (['read_committed', 'read_uncommitted'] as const).map((isolation) =>
          admin.listOffsets([{ topic: 't', partition: 0 }], 'latest', isolation),
        ),
      );
      return ends.map(([end]) => end!.offset);
    } finally {
      await admin.close();
    }
  };

  it("transactions: a second producer of a transactional id aborts the first one's transaction and fences it", async () => {
    await start();
    await topicOf(1);
    const first = await transactional();
    first.beginTransaction();
    expect(await send(first, 'lost')).toBeNull();
    expect(await lastStable()).toEqual([0, 1]);
    const second = await transactional();
    expect(await lastStable()).toEqual([2, 2]);
    await expect(first.commitTransaction()).rejects.toMatchObject({ fenced: true });
    second.beginTransaction();
    expect(await send(second, 'kept')).toBeNull();
    await second.commitTransaction();
    const consumer = ours.assignedConsumer(
      config({ 'isolation.level': 'read_committed', 'auto.offset.reset': 'earliest' }),
    );
    closing.push(() => consumer.close());
    await consumer.connect();
    consumer.assign([{ topic: 't', partition: 0 }]);
    const read = await waitFor('the committed record', async () => {
      const records = (await consumer.poll(200)).flatMap((batch) => batch.records.map(({ value }) => String(value)));
      return records.length > 0 && records;
    });
    expect(read).toEqual(['kept']);
    await waitFor('the position behind the marker', async () => {
      await consumer.poll(100);
      return consumer.position({ topic: 't', partition: 0 }) === 4;
    });
  });

  it('transactions: after transaction.timeout.ms, read_committed consumers continue', async () => {
    await start();
    await topicOf(1);
    const slow = await transactional({ 'transaction.timeout.ms': '6000' });
    slow.beginTransaction();
    expect(await send(slow, 'late')).toBeNull();
    await waitFor('the abort', async () => (await lastStable())[0] === 2);
    await expect(slow.commitTransaction()).rejects.toMatchObject({ fenced: true });
  });

  it('a restart of the broker keeps offsets, producer ids and an open transaction', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-embedded-'));
    // No other program may use it while the broker is down.
    const port = await freePort();
    await start({ dataDir, port });
    await topicOf(1);
    const admin = ours.admin(config());
    closing.push(
      () => rm(dataDir, { recursive: true }),
      () => admin.close(),
    );
    await admin.alterGroupOffsets('g', [{ topic: 't', partition: 0, offset: 5 }]);
    const producer = await transactional();
    producer.beginTransaction();
    expect(await send(producer, 'before')).toBeNull();
    await broker.stop();
    await start({ dataDir, port });
    expect(await send(producer, 'after')).toBeNull();
    expect(await lastStable()).toEqual([0, 2]);
    await producer.commitTransaction();
    expect(await lastStable()).toEqual([3, 3]);
    expect(await admin.listGroupOffsets('g')).toEqual([{ topic: 't', partition: 0, offset: 5 }]);
  });
});
