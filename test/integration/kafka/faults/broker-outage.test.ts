/** A dedicated broker is frozen, or killed and restarted with its files, while records pass through it. */
import { startBroker } from '../../../../dev/services/broker';
import type { RunningKafka } from '../../../../dev/services/kafka';
import { PartitionQueue } from '../../../../packages/kafka-client/src/producer/partition-queue';
import { Clients, readToEnd } from '../../../helpers/kafka-clients';
import { CountedRun, IMPATIENT } from '../../../helpers/counted-run';

/** More than the session timeout of the group's members. */
const FROZEN_MS = 8_000;

let broker: RunningKafka;
let clients: Clients;

beforeAll(async () => {
  broker = await startBroker({
    // A restarted Kafka waits until the session of its predecessor expires; the frozen one loses its own, and
    // with it the leadership.
    settings: { 'broker.session.timeout.ms': '3000', 'broker.heartbeat.interval.ms': '500' },
  });
  clients = new Clients({ ...IMPATIENT, 'bootstrap.servers': broker.bootstrapServers });
});
afterEach(() => clients.closeClients());
afterAll(async () => {
  if (broker?.pid !== undefined) process.kill(broker.pid, 'SIGCONT');
  await clients?.close();
  await broker?.stop();
});

describe.each([
  ['an idempotent producer', false],
  ['a transactional producer', true],
])('kafka-client 3: 0 lost, 0 duplicated, 0 reordered, %s', (_, transactions) => {
  test('a broker that freezes for longer than a session', async () => {
    const run = await CountedRun.start(clients, { transactions });
    process.kill(broker.pid as number, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, FROZEN_MS));
    process.kill(broker.pid as number, 'SIGCONT');
    await run.passes(500);
    await run.finish();
  }, 600_000);

  test('a broker that is killed and started again', async () => {
    const run = await CountedRun.start(clients, { transactions });
    await broker.crash();
    await broker.restart();
    await run.passes(500);
    await run.finish();
  }, 600_000);
});

/**
 * Full batches of one partition, as fast as the broker accepts them, until `during` resolves and a thousand more are
 * acknowledged. Expects that several were in flight, and the log to have each record once, in order.
 */
async function pipelined(config: Record<string, string>, during: () => Promise<void>): Promise<void> {
  const { sending } = PartitionQueue.prototype;
  let most = 0;
  const spy = jest.spyOn(PartitionQueue.prototype, 'sending').mockImplementation(function (
    this: PartitionQueue,
    batch,
  ) {
    sending.call(this, batch);
    most = Math.max(most, this.inFlight);
  });
  try {
    const topic = await clients.topic();
    const producer = await clients.producer(topic, { 'batch.size': '2000', 'buffer.memory': '100000', ...config });
    let [sent, acknowledged, target] = [0, 0, Infinity];
    const failed: unknown[] = [];
    const fault = during().then(() => (target = acknowledged + 1000));
    while (acknowledged < target) {
      await producer.whenReady();
      for (let i = 0; i < 100; i++) {
        const value = Buffer.from(`${sent} ${'x'.repeat(100)}`);
        const told = (error: unknown, token: number): void => {
          if (error !== null || token !== acknowledged++) failed.push(error ?? token);
        };
        producer.send({ topic, partition: 0, key: null, value }, told, sent++);
      }
      await new Promise(setImmediate);
    }
    await fault;
    await producer.flush();
    expect(failed).toEqual([]);
    const consumer = await clients.assigned();
    consumer.assign([{ topic, partition: 0 }]);
    const batches = await readToEnd(consumer, { topic, partition: 0 }, sent);
    const stored = batches.flatMap(({ records }) => records.map(({ value }) => parseInt(String(value))));
    expect(stored).toEqual(Array.from({ length: sent }, (_, i) => i));
    expect(most).toBe(5);
  } finally {
    spy.mockRestore();
  }
}

describe('kafka-client 3: five batches of a partition in flight: 0 lost, 0 duplicated, 0 reordered', () => {
  test('a broker that freezes for longer than a request may take', async () => {
    await pipelined({}, async () => {
      for (let round = 0; round < 3; round++) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        process.kill(broker.pid as number, 'SIGSTOP');
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        process.kill(broker.pid as number, 'SIGCONT');
      }
    });
  }, 600_000);

  test('a broker that is killed and started again', async () => {
    await pipelined({ 'compression.type': 'lz4' }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await broker.crash();
      await broker.restart();
    });
  }, 600_000);
});
