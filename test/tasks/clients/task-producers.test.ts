/** Producers that a plugin requests from its context. */
import { ConfigError, ConnectError, RetriableError, type KafkaRecord } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { DeliveryCallback, KafkaClients, Producer, ProducerRecord } from '../../../packages/kafka-client/src/port';
import { TaskProducers } from '../../../src/tasks/clients/task-producers';

/** Acknowledges on request. */
class FakeProducer {
  readonly sent: ProducerRecord[] = [];
  readonly prepared = new Set<string>();
  failConnect: KafkaError | null = null;
  room = Infinity;
  closedWith: number | undefined;
  private readonly callbacks: DeliveryCallback[] = [];
  private waiting: (() => void)[] = [];

  connect = async (): Promise<void> => {
    if (this.failConnect) throw this.failConnect;
  };
  isPrepared = (topic: string): boolean => this.prepared.has(topic);
  prepare = async (topics: readonly string[]): Promise<void> => {
    for (const topic of topics) this.prepared.add(topic);
  };
  whenReady = (): Promise<void> | null =>
    this.sent.length < this.room ? null : new Promise((resolve) => this.waiting.push(resolve));
  send = (record: ProducerRecord, onDelivery?: DeliveryCallback): void => {
    if (record.value === null) throw new KafkaError('RECORD_TOO_LARGE_CLIENT', 'A record is too large.');
    this.sent.push(record);
    this.callbacks.push(onDelivery as DeliveryCallback);
  };
  close = async (timeoutMs?: number): Promise<void> => {
    this.closedWith = timeoutMs;
    this.settle(new KafkaError('PRODUCER_CLOSED', 'The producer was closed.'));
  };

  settle(error: KafkaError | null, count = this.callbacks.length): void {
    for (const callback of this.callbacks.splice(0, count)) callback(error, 0, 't', 0, error ? -1 : 0);
  }
  widen(room: number): void {
    this.room = room;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

let fake: FakeProducer;
let given: unknown[];
let producers: TaskProducers;
beforeEach(() => {
  fake = new FakeProducer();
  given = [];
  const clients: Pick<KafkaClients, 'producer'> = {
    producer: (config) => {
      given.push(config);
      return fake as unknown as Producer;
    },
  };
  producers = new TaskProducers(clients, { connector: 'c', task: 1 });
});

const record = (value: string | null): KafkaRecord => ({
  topic: 't',
  key: null,
  value: value === null ? null : Buffer.from(value),
});
const create = (): ReturnType<TaskProducers['create']> => producers.create({ 'bootstrap.servers': 'kafka:9092' });
const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

test('a producer gets the plugin’s settings and only a name from the worker', () => {
  producers.create({ 'bootstrap.servers': 'kafka:9092', acks: '1' });
  expect(given).toEqual([{ 'client.id': 'connector-task-producer-c-1', 'bootstrap.servers': 'kafka:9092', acks: '1' }]);
  expect(() => producers.create({ acks: '1' })).toThrow(ConfigError);
});

test('an invalid setting is reported as one of the plugin’s config', () => {
  const clients = {
    producer: () => {
      throw new KafkaError('INVALID_CLIENT_CONFIG', `Kafka client setting 'acks' must be one of all, 0`);
    },
  };
  expect(() => new TaskProducers(clients, { connector: 'c', task: 1 }).create({ 'bootstrap.servers': 'x' })).toThrow(
    expect.objectContaining({
      code: 'INVALID_CLIENT_CONFIG',
      javaClass: new ConfigError('').javaClass,
      message: `Kafka client setting 'acks' must be one of all, 0`,
    }) as Error,
  );
});

test('send resolves once all records are acknowledged', async () => {
  let done = false;
  const sending = create()
    .send([record('a'), record('b')])
    .then(() => (done = true));
  await turn();
  expect(fake.sent).toHaveLength(2);
  fake.settle(null, 1);
  await turn();
  expect(done).toBe(false);
  fake.settle(null);
  await sending;
});

test('records are accepted only while there is room', async () => {
  fake.room = 2;
  let taken = 0;
  async function* records(): AsyncGenerator<KafkaRecord> {
    for (; taken < 5; taken++) yield record(String(taken));
    await turn();
  }
  const sending = create().send(records());
  await turn();
  await turn();
  expect(fake.sent).toHaveLength(2);
  expect(taken).toBe(2);
  fake.widen(Infinity);
  await turn();
  await turn();
  await turn();
  fake.settle(null);
  await sending;
  expect(fake.sent).toHaveLength(5);
});

test.each([
  ['a leader that is away', new KafkaError('NOT_LEADER_OR_FOLLOWER', 'x', { retriable: true, topic: 't' }), true],
  ['a delivery that took too long', new KafkaError('DELIVERY_TIMEOUT', 'x'), true],
  ['a missing right', new KafkaError('TOPIC_AUTHORIZATION_FAILED', 'x'), false],
])('%s is an error of the SDK that states whether a retry can help', async (_, cause, retriable) => {
  const sending = create().send([record('a'), record('b')]);
  await turn();
  fake.settle(cause, 1);
  await expect(sending).rejects.toMatchObject({ code: cause.code, retriable, cause });
});

test('a record that can never be sent is reported at once', async () => {
  const sending = create().send([record('a'), record(null)]);
  await expect(sending).rejects.toBeInstanceOf(ConnectError);
  await expect(sending).rejects.toMatchObject({ code: 'RECORD_TOO_LARGE_CLIENT', retriable: false });
});

test('after an outage of Kafka the same producer may retry', async () => {
  fake.failConnect = new KafkaError('CONNECTION_FAILED', 'No Kafka broker can be reached', { retriable: true });
  const producer = create();
  await expect(producer.connect()).rejects.toBeInstanceOf(RetriableError);
  fake.failConnect = null;
  const sending = producer.send([record('a')]);
  await turn();
  fake.settle(null);
  await sending;
});

test('producers that the plugin leaves open are closed with the task, and a send in flight is rejected', async () => {
  const sending = create().send([record('a')]);
  await turn();
  await producers.close();
  expect(fake.closedWith).toBe(0);
  await expect(sending).rejects.toMatchObject({ code: 'PRODUCER_CLOSED' });
});
