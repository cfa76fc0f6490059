/** @platformatic/kafka against the embedded broker. It is an ES module, hence the late import. */
import type * as Platformatic from '@platformatic/kafka';
import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';
import { brokers } from '../broker-harness';
import { brokerList, cell, closing, numbered, tlsIdentity, USER } from './cell';

const start = brokers();
const own = closing();
let lib: typeof Platformatic;
beforeAll(async () => {
  lib = await import('@platformatic/kafka');
});

const base = (broker: EmbeddedBroker) => ({
  clientId: 'test',
  bootstrapBrokers: brokerList(broker),
  retryDelay: 50,
  autocreateTopics: true,
});
const closed = <C extends { close(force?: boolean): Promise<unknown> }>(client: C, ...how: [boolean?]): C => {
  own(() => client.close(...how));
  return client;
};
const adminOf = (broker: EmbeddedBroker, more: object = {}) => closed(new lib.Admin({ ...base(broker), ...more }));
const producerOf = (broker: EmbeddedBroker) =>
  closed(new lib.Producer({ ...base(broker), serializers: lib.stringSerializers }));
const consumerOf = (broker: EmbeddedBroker) =>
  closed(
    new lib.Consumer({ ...base(broker), groupId: 'g', deserializers: lib.stringDeserializers, maxWaitTime: 50 }),
    true,
  );
const messages = (values: readonly string[]) => values.map((value) => ({ topic: 't', key: 'k', value }));

async function written(count: number, more: object = {}): Promise<EmbeddedBroker> {
  const broker = await start();
  await producerOf(broker).send({ messages: messages(numbered(count)), acks: -1, ...more });
  return broker;
}

async function read(broker: EmbeddedBroker, count: number, mode: 'earliest' | 'committed' = 'earliest') {
  const consumer = consumerOf(broker);
  const stream = await consumer.consume({ topics: ['t'], mode, autocommit: false });
  const values: string[] = [];
  for await (const message of stream) {
    values.push(message.value);
    await message.commit();
    if (values.length === count) break;
  }
  await consumer.close(true);
  return values;
}

async function withTopic(partitions = 1): Promise<{ broker: EmbeddedBroker; admin: Platformatic.Admin }> {
  const broker = await start();
  const admin = adminOf(broker);
  await admin.createTopics({ topics: ['t'], partitions, replicas: 1 });
  return { broker, admin };
}

cell('@platformatic/kafka', 'produce', async () => {
  const broker = await start();
  const { offsets } = await producerOf(broker).send({ messages: messages(numbered(3)), acks: -1 });
  expect(offsets).toEqual([{ topic: 't', partition: 0, offset: 0n }]);
});

cell('@platformatic/kafka', 'produce compressed', async () => {
  const broker = await start();
  const producer = producerOf(broker);
  for (const compression of ['gzip', 'snappy', 'lz4', 'zstd'] as const) {
    // Node has zstd of its own from version 22.15 on only.
    if (compression === 'zstd' && !('zstdCompressSync' in (await import('node:zlib')))) continue;
    await producer.send({ messages: messages([compression]), compression, acks: -1 });
  }
  expect((await read(broker, 3)).slice(0, 3)).toEqual(['gzip', 'snappy', 'lz4']);
});

cell('@platformatic/kafka', 'produce idempotently', async () => {
  const broker = await start();
  const producer = closed(new lib.Producer({ ...base(broker), serializers: lib.stringSerializers, idempotent: true }));
  for (const value of ['first', 'second', 'third']) await producer.send({ messages: messages([value]), acks: -1 });
  expect(await read(broker, 3)).toEqual(['first', 'second', 'third']);
});

cell('@platformatic/kafka', 'consume in a group', async () => {
  const broker = await written(20);
  expect(await read(broker, 20)).toEqual(numbered(20));
  await producerOf(broker).send({ messages: messages(['after']), acks: -1 });
  expect(await read(broker, 1, 'committed')).toEqual(['after']);
});

cell('@platformatic/kafka', 'find offsets by time', async () => {
  const broker = await start();
  const timed = [1_000n, 2_000n, 3_000n].map((timestamp) => ({ topic: 't', key: 'k', value: 'x', timestamp }));
  await producerOf(broker).send({ messages: timed, acks: -1 });
  const offsets = await consumerOf(broker).listOffsets({ topics: ['t'], timestamp: 1_500n });
  expect(offsets.get('t')).toEqual([1n]);
});

cell('@platformatic/kafka', 'create a topic', async () => {
  const { admin } = await withTopic(2);
  await expect(admin.createTopics({ topics: ['t'], partitions: 2, replicas: 1 })).rejects.toThrow();
});

cell('@platformatic/kafka', 'list topics', async () => {
  const { admin } = await withTopic();
  expect(await admin.listTopics()).toEqual(['t']);
});

cell('@platformatic/kafka', 'describe a topic', async () => {
  const { admin } = await withTopic(2);
  const { topics } = await admin.metadata({ topics: ['t'] });
  expect(topics.get('t')).toMatchObject({ partitionsCount: 2, partitions: [{ leader: 1, replicas: [1] }, {}] });
});

cell('@platformatic/kafka', 'delete a topic', async () => {
  const { admin } = await withTopic();
  await admin.deleteTopics({ topics: ['t'] });
  expect(await admin.listTopics()).toEqual([]);
});

async function withGroup(): Promise<{ broker: EmbeddedBroker; admin: Platformatic.Admin }> {
  const broker = await written(5);
  await read(broker, 5);
  return { broker, admin: adminOf(broker) };
}

cell('@platformatic/kafka', 'list groups', async () => {
  const { admin } = await withGroup();
  expect([...(await admin.listGroups()).keys()]).toEqual(['g']);
});

cell('@platformatic/kafka', 'describe a group', async () => {
  const { admin } = await withGroup();
  expect((await admin.describeGroups({ groups: ['g'] })).get('g')).toMatchObject({ id: 'g', state: 'EMPTY' });
});

cell('@platformatic/kafka', 'read committed offsets', async () => {
  const { broker } = await withGroup();
  const committed = await consumerOf(broker).listCommittedOffsets({ topics: [{ topic: 't', partitions: [0] }] });
  // It commits the offset of the record itself, and continues after it.
  expect(committed.get('t')).toEqual([4n]);
});

cell('@platformatic/kafka', 'delete a group', async () => {
  const { admin } = await withGroup();
  await admin.deleteGroups({ groups: ['g'] });
  expect((await admin.listGroups()).size).toBe(0);
});

cell('@platformatic/kafka', 'describe the cluster', async () => {
  const { broker, admin } = await withTopic();
  const { id, brokers: nodes } = await admin.metadata({ topics: [] });
  expect(id).toBe(broker.clusterId);
  expect(nodes.get(1)).toMatchObject({ host: '127.0.0.1', port: broker.port });
});

cell('@platformatic/kafka', 'describe log folders', async () => {
  const { admin } = await withTopic();
  const described = await admin.describeLogDirs({ topics: [{ name: 't', partitions: [0] }] });
  expect(described).toMatchObject([{ broker: 1, results: [{ logDir: 'memory' }] }]);
});

cell('@platformatic/kafka', 'authenticate with SASL PLAIN', async () => {
  const broker = await start({ users: { [USER.username]: USER.password } });
  const as = (password: string) =>
    adminOf(broker, { sasl: { mechanism: 'PLAIN', username: USER.username, password }, retries: 0 });
  expect(await as(USER.password).listTopics()).toEqual([]);
  await expect(as('wrong').listTopics()).rejects.toThrow();
});

cell('@platformatic/kafka', 'use TLS', async () => {
  const { tls, ca } = tlsIdentity();
  const broker = await start({ tls });
  expect(await adminOf(broker, { tls: { ca } }).listTopics()).toEqual([]);
});
