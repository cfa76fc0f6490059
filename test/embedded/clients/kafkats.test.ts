/** @kafkats/client against the embedded broker. It never asks a broker to create a topic by itself. */
import { KafkaClient, type Admin, type KafkaClientConfig, type ProducerConfig } from '@kafkats/client';
import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';
import { brokers } from '../broker-harness';
import { brokerList, cell, closing, commitAndAbort, numbered, tlsIdentity, USER } from './cell';

const start = brokers();
const own = closing();
const messages = (values: readonly string[]) => values.map((value) => ({ key: 'k', value: Buffer.from(value) }));

async function clientOf(broker: EmbeddedBroker, more: Partial<KafkaClientConfig> = {}): Promise<KafkaClient> {
  const client = new KafkaClient({ clientId: 'test', brokers: brokerList(broker), logLevel: 'silent', ...more });
  own(() => client.disconnect());
  await client.connect();
  return client;
}
const adminOf = async (broker: EmbeddedBroker): Promise<Admin> => (await clientOf(broker)).admin();

async function producerOf(broker: EmbeddedBroker, config: ProducerConfig = {}) {
  const producer = (await clientOf(broker)).producer(config);
  own(() => producer.disconnect());
  return producer;
}

async function withTopic(numPartitions = 1): Promise<{ broker: EmbeddedBroker; admin: Admin }> {
  const broker = await start();
  const admin = await adminOf(broker);
  await admin.createTopics([{ name: 't', numPartitions }]);
  return { broker, admin };
}

async function written(count: number): Promise<EmbeddedBroker> {
  const { broker } = await withTopic();
  await (await producerOf(broker)).send('t', messages(numbered(count)));
  return broker;
}

async function read(broker: EmbeddedBroker, count: number, assigned = false): Promise<string[]> {
  const client = await clientOf(broker);
  const consumer = client.consumer({
    groupId: 'g',
    autoOffsetReset: 'earliest',
    isolationLevel: 'read_committed',
    maxWaitMs: 50,
  });
  const values: string[] = [];
  const options = assigned ? { assignment: [{ topic: 't', partition: 0 }], commitOffsets: false } : {};
  await consumer.runEach(
    't',
    (message) => {
      if (values.push(String(message.value)) === count) consumer.stop();
      return Promise.resolve();
    },
    options,
  );
  await client.disconnect();
  return values;
}

cell('@kafkats/client', 'produce', async () => {
  const { broker } = await withTopic();
  const producer = await producerOf(broker);
  expect(await producer.send('t', messages(['a']))).toMatchObject([{ topic: 't', partition: 0, offset: 0n }]);
  expect(await producer.send('t', messages(['b']))).toMatchObject([{ offset: 1n }]);
});

cell('@kafkats/client', 'produce compressed', async () => {
  const { broker } = await withTopic();
  // Under Jest it takes the promises of snappy and lz4-napi, which are of another realm, for bytes: gzip alone.
  await (await producerOf(broker, { compression: 'gzip' })).send('t', messages(numbered(50)));
  expect(await read(broker, 50)).toEqual(numbered(50));
});

cell('@kafkats/client', 'produce in transactions', async () => {
  const { broker } = await withTopic();
  const producer = await producerOf(broker, { transactionalId: 'one' });
  await producer.transaction((tx) => tx.send('t', messages(['kept'])));
  const failed = producer.transaction(async (tx) => {
    await tx.send('t', messages(['dropped']));
    throw new Error('changed my mind');
  });
  await expect(failed).rejects.toThrow('changed my mind');
  await producer.transaction((tx) => tx.send('t', messages(['kept too'])));
  expect(await read(broker, 2)).toEqual(['kept', 'kept too']);
});

cell('@kafkats/client', 'consume committed records only', async () => {
  const broker = await start();
  await commitAndAbort(broker);
  expect(await read(broker, 1)).toEqual(['kept']);
});

cell('@kafkats/client', 'consume', async () => {
  const broker = await written(20);
  expect(await read(broker, 20, true)).toEqual(numbered(20));
  expect(await (await adminOf(broker)).listGroups()).toEqual([]);
});

cell('@kafkats/client', 'consume in a group', async () => {
  const broker = await written(20);
  expect(await read(broker, 20)).toEqual(numbered(20));
  await (await producerOf(broker)).send('t', messages(['after']));
  expect(await read(broker, 1)).toEqual(['after']);
});

cell('@kafkats/client', 'create a topic', async () => {
  const { admin } = await withTopic(2);
  expect(await admin.createTopics([{ name: 't' }])).toMatchObject([{ name: 't', errorCode: 36 }]);
});

cell('@kafkats/client', 'list topics', async () => {
  const { admin } = await withTopic();
  expect(await admin.listTopics()).toEqual(['t']);
});

cell('@kafkats/client', 'describe a topic', async () => {
  const { admin } = await withTopic(2);
  expect(await admin.describeTopics(['t'])).toMatchObject([{ name: 't', partitions: [{ leaderId: 1 }, {}] }]);
});

cell('@kafkats/client', 'delete a topic', async () => {
  const { admin } = await withTopic();
  await admin.deleteTopics(['t']);
  expect(await admin.listTopics()).toEqual([]);
});

async function withGroup(): Promise<Admin> {
  const broker = await written(5);
  await read(broker, 5);
  return adminOf(broker);
}

cell('@kafkats/client', 'list groups', async () => {
  expect(await (await withGroup()).listGroups()).toMatchObject([{ groupId: 'g', protocolType: 'consumer' }]);
});

cell('@kafkats/client', 'describe a group', async () => {
  expect(await (await withGroup()).describeGroups(['g'])).toMatchObject([{ groupId: 'g', state: 'Empty' }]);
});

cell('@kafkats/client', 'delete a group', async () => {
  const admin = await withGroup();
  await admin.deleteGroups(['g']);
  expect(await admin.listGroups()).toEqual([]);
});

cell('@kafkats/client', 'describe the cluster', async () => {
  const broker = await start();
  const described = await (await adminOf(broker)).describeCluster();
  expect(described).toMatchObject({ clusterId: broker.clusterId, controllerId: 1, brokers: [{ nodeId: 1 }] });
});

cell('@kafkats/client', 'authenticate with SASL PLAIN', async () => {
  const broker = await start({ users: { [USER.username]: USER.password } });
  const as = (password: string) => clientOf(broker, { sasl: { mechanism: 'PLAIN', ...USER, password } });
  expect(await (await as(USER.password)).admin().listTopics()).toEqual([]);
  await expect(as('wrong')).rejects.toThrow();
});

cell('@kafkats/client', 'use TLS', async () => {
  const { tls, ca } = tlsIdentity();
  const broker = await start({ tls });
  // It sends the broker's address as server name otherwise, which from Node 26 on must not be a number.
  const named = { enabled: true, ca, servername: 'localhost' };
  expect(await (await clientOf(broker, { tls: named })).admin().listTopics()).toEqual([]);
});
