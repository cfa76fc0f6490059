/** kafkajs against the embedded broker. */
import { CompressionCodecs, CompressionTypes, ConfigResourceTypes, Kafka, logLevel, type KafkaConfig } from 'kafkajs';
import type { Admin, Message } from 'kafkajs';
import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';
import { brokers } from '../broker-harness';
import { brokerList, cell, closing, commitAndAbort, numbered, tlsIdentity, USER } from './cell';

const start = brokers();
const own = closing();
const messages = (values: readonly string[]): Message[] => values.map((value) => ({ key: 'k', value }));

const kafka = (broker: EmbeddedBroker, more: Partial<KafkaConfig> = {}): Kafka =>
  new Kafka({
    brokers: brokerList(broker),
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50 },
    // Otherwise 1 s, and not again where a test allows no retries.
    connectionTimeout: 30_000,
    ...more,
  });

async function connected<C extends { connect(): Promise<void>; disconnect(): Promise<void> }>(client: C): Promise<C> {
  own(() => client.disconnect());
  await client.connect();
  return client;
}
const adminOf = (broker: EmbeddedBroker): Promise<Admin> => connected(kafka(broker).admin());

async function written(count: number, ...options: Parameters<Kafka['producer']>): Promise<EmbeddedBroker> {
  const broker = await start();
  const producer = await connected(kafka(broker).producer(...options));
  await producer.send({ topic: 't', messages: messages(numbered(count)) });
  return broker;
}

/** The first values of the topic, as a member of `g`. */
async function read(broker: EmbeddedBroker, count: number, readUncommitted = false): Promise<string[]> {
  const consumer = await connected(kafka(broker).consumer({ groupId: 'g', maxWaitTimeInMs: 50, readUncommitted }));
  const values: string[] = [];
  await consumer.subscribe({ topic: 't', fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    const eachMessage = ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
      if (values.push(String(message.value)) === count) resolve();
      return Promise.resolve();
    };
    consumer.run({ autoCommitThreshold: 1, eachMessage }).catch(reject);
  });
  await consumer.disconnect();
  return values;
}

async function withTopic(numPartitions = 1): Promise<{ broker: EmbeddedBroker; admin: Admin }> {
  const broker = await start();
  const admin = await adminOf(broker);
  expect(await admin.createTopics({ topics: [{ topic: 't', numPartitions }] })).toBe(true);
  return { broker, admin };
}

cell('kafkajs', 'produce', async () => {
  const broker = await start();
  const producer = await connected(kafka(broker).producer());
  const sent = await producer.send({ topic: 't', acks: -1, messages: messages(numbered(3)) });
  expect(sent).toMatchObject([{ errorCode: 0, baseOffset: '0' }]);
  expect(await producer.send({ topic: 't', messages: messages(['more']) })).toMatchObject([{ baseOffset: '3' }]);
});

cell('kafkajs', 'produce compressed', async () => {
  // kafkajs itself brings gzip only; other codecs are its users' packages.
  expect(CompressionCodecs[CompressionTypes.GZIP]).toBeDefined();
  const broker = await start();
  const producer = await connected(kafka(broker).producer());
  await producer.send({ topic: 't', compression: CompressionTypes.GZIP, messages: messages(numbered(50)) });
  expect(await read(broker, 50)).toEqual(numbered(50));
});

cell('kafkajs', 'produce idempotently', async () => {
  const broker = await start();
  const producer = await connected(kafka(broker).producer({ idempotent: true, maxInFlightRequests: 1 }));
  await producer.send({ topic: 't', messages: messages(['first']) });
  broker.faults.cut('Produce', 'after', { times: 1 });
  await producer.send({ topic: 't', messages: messages(['second']) });
  await producer.send({ topic: 't', messages: messages(['third']) });
  expect(await read(broker, 3)).toEqual(['first', 'second', 'third']);
  const admin = await adminOf(broker);
  expect(await admin.fetchTopicOffsets('t')).toMatchObject([{ high: '3' }]);
});

cell('kafkajs', 'produce in transactions', async () => {
  const broker = await start();
  await commitAndAbort(broker);
  // Two records and two markers.
  expect(await (await adminOf(broker)).fetchTopicOffsets('t')).toMatchObject([{ high: '4' }]);
});

cell('kafkajs', 'consume committed records only', async () => {
  const broker = await start();
  await commitAndAbort(broker);
  expect(await read(broker, 1)).toEqual(['kept']);
});

cell('kafkajs', 'consume in a group', async () => {
  const broker = await written(20);
  expect(await read(broker, 20)).toEqual(numbered(20));
  const producer = await connected(kafka(broker).producer());
  await producer.send({ topic: 't', messages: messages(['after']) });
  // The next member resumes at the committed offset.
  expect(await read(broker, 1)).toEqual(['after']);
});

cell('kafkajs', 'find offsets by time', async () => {
  const { broker, admin } = await withTopic();
  const producer = await connected(kafka(broker).producer());
  await producer.send({
    topic: 't',
    messages: [1_000, 2_000, 3_000].map((at) => ({ value: 'x', timestamp: `${at}` })),
  });
  expect(await admin.fetchTopicOffsetsByTimestamp('t', 1_500)).toEqual([{ partition: 0, offset: '1' }]);
});

cell('kafkajs', 'create a topic', async () => {
  const { admin } = await withTopic(2);
  expect(await admin.createTopics({ topics: [{ topic: 't' }] })).toBe(false);
});

cell('kafkajs', 'list topics', async () => {
  const { admin } = await withTopic();
  expect(await admin.listTopics()).toEqual(['t']);
});

cell('kafkajs', 'describe a topic', async () => {
  const { admin } = await withTopic(2);
  const { topics } = await admin.fetchTopicMetadata({ topics: ['t'] });
  expect(topics).toMatchObject([{ name: 't', partitions: [{ leader: 1, replicas: [1], isr: [1] }, { leader: 1 }] }]);
});

cell('kafkajs', 'add partitions', async () => {
  const { admin } = await withTopic(1);
  await admin.createPartitions({ topicPartitions: [{ topic: 't', count: 3 }] });
  expect((await admin.fetchTopicMetadata({ topics: ['t'] })).topics[0]!.partitions).toHaveLength(3);
});

const configsOf = async (admin: Admin) => {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: true,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: 't', configNames: ['retention.ms', 'cleanup.policy'] }],
  });
  return Object.fromEntries(resources[0]!.configEntries.map((entry) => [entry.configName, entry.configValue]));
};

cell('kafkajs', 'describe configs', async () => {
  const { admin } = await withTopic();
  expect(await configsOf(admin)).toEqual({ 'retention.ms': '604800000', 'cleanup.policy': 'delete' });
});

cell('kafkajs', 'alter configs', async () => {
  const { admin } = await withTopic();
  const configEntries = [{ name: 'retention.ms', value: '77' }];
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: 't', configEntries }];
  await admin.alterConfigs({ validateOnly: false, resources });
  expect(await configsOf(admin)).toMatchObject({ 'retention.ms': '77' });
});

cell('kafkajs', 'delete records', async () => {
  const broker = await written(10);
  const admin = await adminOf(broker);
  // kafkajs deletes in topics only whose metadata it has.
  await admin.fetchTopicOffsets('t');
  await admin.deleteTopicRecords({ topic: 't', partitions: [{ partition: 0, offset: '4' }] });
  expect(await admin.fetchTopicOffsets('t')).toMatchObject([{ low: '4', high: '10' }]);
  expect(await read(broker, 6)).toEqual(numbered(10).slice(4));
});

cell('kafkajs', 'delete a topic', async () => {
  const { admin } = await withTopic();
  await admin.deleteTopics({ topics: ['t'] });
  expect(await admin.listTopics()).toEqual([]);
});

async function withGroup(): Promise<{ broker: EmbeddedBroker; admin: Admin }> {
  const broker = await written(5);
  await read(broker, 5);
  return { broker, admin: await adminOf(broker) };
}
const committedOf = async (admin: Admin) =>
  (await admin.fetchOffsets({ groupId: 'g', topics: ['t'] }))[0]!.partitions.map(({ offset }) => offset);

cell('kafkajs', 'list groups', async () => {
  const { admin } = await withGroup();
  expect(await admin.listGroups()).toEqual({ groups: [{ groupId: 'g', protocolType: 'consumer' }] });
});

cell('kafkajs', 'describe a group', async () => {
  const { admin } = await withGroup();
  expect(await admin.describeGroups(['g'])).toMatchObject({ groups: [{ groupId: 'g', state: 'Empty', members: [] }] });
});

cell('kafkajs', 'read committed offsets', async () => {
  const { admin } = await withGroup();
  expect(await committedOf(admin)).toEqual(['5']);
});

cell('kafkajs', 'reset offsets', async () => {
  const { broker, admin } = await withGroup();
  await admin.setOffsets({ groupId: 'g', topic: 't', partitions: [{ partition: 0, offset: '3' }] });
  expect(await read(broker, 2)).toEqual(['value 3', 'value 4']);
});

cell('kafkajs', 'delete a group', async () => {
  const { admin } = await withGroup();
  await admin.deleteGroups(['g']);
  expect(await admin.listGroups()).toEqual({ groups: [] });
});

cell('kafkajs', 'describe the cluster', async () => {
  const broker = await start();
  const { clusterId, controller, brokers: nodes } = await (await adminOf(broker)).describeCluster();
  expect({ clusterId, controller }).toEqual({ clusterId: broker.clusterId, controller: 1 });
  expect(nodes).toEqual([{ nodeId: 1, host: '127.0.0.1', port: broker.port }]);
});

cell('kafkajs', 'authenticate with SASL PLAIN', async () => {
  const broker = await start({ users: { [USER.username]: USER.password } });
  const as = (password: string) =>
    kafka(broker, { sasl: { mechanism: 'plain', ...USER, password }, retry: { retries: 0 } });
  expect(await (await connected(as(USER.password).admin())).listTopics()).toEqual([]);
  await expect(as('wrong').admin().connect()).rejects.toThrow(/uthentication/);
});

cell('kafkajs', 'use TLS', async () => {
  const { tls, ca } = tlsIdentity();
  const broker = await start({ tls });
  expect(await (await connected(kafka(broker, { ssl: { ca } }).admin())).listTopics()).toEqual([]);
});
