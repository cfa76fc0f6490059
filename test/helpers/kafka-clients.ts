/** Clients of the shared test broker, or of another one, and topics for one test. */
import { createAdmin } from '../../packages/kafka-client/src/admin/admin';
import { createAssignedConsumer } from '../../packages/kafka-client/src/consumer/assigned-consumer';
import { createGroupConsumer } from '../../packages/kafka-client/src/consumer/group-consumer';
import { createWire } from '../../packages/kafka-client/src/network/network-client';
import type {
  Admin,
  AssignedConsumer,
  FetchedBatch,
  GroupConsumer,
  Producer,
  TopicPartition,
} from '../../packages/kafka-client/src/port';
import { createProducer } from '../../packages/kafka-client/src/producer/producer';
import { silentLogger } from '../../src/logging/logger';
import { uniqueName } from './unique-name';
import { waitFor } from './wait-for';

/** Closes all clients, last first. */
export class Clients {
  private readonly made: { close(): Promise<unknown> }[] = [];
  private readonly topics: string[] = [];
  private readonly base: Record<string, string>;
  readonly admin: Admin;

  /** @param config overrides the config of every client, e.g. another `bootstrap.servers` */
  constructor(config: Record<string, string> = {}) {
    this.base = {
      'bootstrap.servers': process.env['BOOTSTRAP_SERVERS'] ?? '',
      'client.id': 'millrace-test',
      ...config,
    };
    const retries = { timeoutMs: 120_000, retryBackoffMs: 50, retryBackoffMaxMs: 500 };
    this.admin = createAdmin(createWire(this.base), retries);
  }

  /** A topic that any client can use at once: its partitions have leaders. */
  async topic(partitions = 1, configs: Record<string, string> = {}, name = uniqueName('topic')): Promise<string> {
    await this.admin.createTopics([{ name, partitions, replicationFactor: 1, configs }]);
    this.topics.push(name);
    await waitFor(`leaders of ${name}`, async () => {
      const [described] = await this.admin.describeTopics([name]);
      return described?.partitions.length === partitions && described.partitions.every(({ leader }) => leader >= 0);
    });
    return name;
  }

  /** Resolves when the partition ends at `end`: a transaction marker is written after its commit is answered. */
  async end(topic: string, end: number, partition = 0): Promise<void> {
    let last: number | undefined;
    await waitFor(
      `${topic} to end at ${end}`,
      async () => (last = (await this.admin.listOffsets([{ topic, partition }], 'latest'))[0]?.offset) === end,
      { detail: () => `it ends at ${last}` },
    );
  }

  /** @param topic what it will write to, `prepare` for others */
  async producer(topic?: string, config: Record<string, string> = {}): Promise<Producer> {
    const all = { ...this.base, ...config };
    const producer = createProducer(createWire(all), all, silentLogger);
    this.made.push(producer);
    await producer.connect();
    if (topic !== undefined) await producer.prepare([topic]);
    return producer;
  }

  async assigned(config: Record<string, string> = {}): Promise<AssignedConsumer> {
    const all = { ...this.base, 'auto.offset.reset': 'earliest', ...config };
    const consumer = createAssignedConsumer(createWire(all), all, silentLogger);
    this.made.push(consumer);
    await consumer.connect();
    return consumer;
  }

  /** Not yet subscribed. */
  async group(groupId: string, config: Record<string, string> = {}): Promise<GroupConsumer> {
    const all = { ...this.base, 'auto.offset.reset': 'earliest', ...config, 'group.id': groupId };
    const consumer = createGroupConsumer(createWire(all), all, silentLogger);
    this.made.push(consumer);
    await consumer.connect();
    return consumer;
  }

  own<T extends { close(): Promise<unknown> }>(client: T): T {
    this.made.push(client);
    return client;
  }

  /** Sends values to a partition and waits for them. */
  async send(topic: string, values: readonly string[], partition = 0): Promise<void> {
    const producer = await this.producer(topic);
    for (const value of values) producer.send({ topic, partition, key: null, value: Buffer.from(value) });
    await producer.flush();
    await producer.close();
  }

  async closeClients(): Promise<void> {
    await Promise.all(this.made.splice(0).map((client) => client.close()));
  }

  async close(): Promise<void> {
    await this.closeClients();
    await deleteTopics(this.admin, this.topics);
    await this.admin.close();
  }
}

/** Existing topics. A delete that is repeated because the first answer was late finds none. */
export async function deleteTopics(admin: Admin, topics: readonly string[]): Promise<void> {
  for (const topic of topics) await admin.deleteTopics([topic]).catch(ignoreUnknownTopic);
}

function ignoreUnknownTopic(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
}

export const valuesOf = (batches: readonly FetchedBatch[]): string[] =>
  batches.flatMap((batch) => batch.records.map((record) => String(record.value)));

/** Polls until the position is at `end`, as the storage topics do. */
export async function readToEnd(
  consumer: Pick<AssignedConsumer, 'poll' | 'position'>,
  tp: TopicPartition,
  end: number,
): Promise<FetchedBatch[]> {
  const batches: FetchedBatch[] = [];
  while ((consumer.position(tp) ?? -1) < end) batches.push(...(await consumer.poll(10_000)));
  return batches;
}

export async function take(consumer: Pick<AssignedConsumer, 'poll'>, count: number): Promise<FetchedBatch[]> {
  const batches: FetchedBatch[] = [];
  for (let got = 0; got < count;) {
    const more = await consumer.poll(10_000);
    got += valuesOf(more).length;
    batches.push(...more);
  }
  return batches;
}
