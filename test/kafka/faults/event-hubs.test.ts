/**
 * Event Hubs' habits, shown by the embedded broker: it ends idle connections, and those that bring too large a request.
 */
import { startEmbeddedBroker, type EmbeddedBroker } from '@millrace/embedded';
import { Clients, readToEnd } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';

const IDLE_MS = 200;

let broker: EmbeddedBroker;
let clients: Clients;

beforeAll(async () => {
  broker = await startEmbeddedBroker({ log: () => undefined, maxRequestBytes: 1_046_528, maxIdleMs: IDLE_MS });
  clients = new Clients({ 'bootstrap.servers': broker.bootstrapServers });
});
afterAll(async () => {
  await clients?.close();
  await broker?.stop();
});

test('kafka-client 3: idle connections that the broker closes: the producer reconnects without an error', async () => {
  const topic = await clients.topic();
  const producer = await clients.producer(topic);
  const errors: unknown[] = [];
  let sent = 0;
  const connections = (): number => broker.faults.requests('ApiVersions');
  const before = connections();
  await waitFor(
    'connections that were cut to be made again',
    async () => {
      const value = Buffer.from(String(sent++));
      producer.send({ topic, partition: 0, key: null, value }, (error) => void (error && errors.push(error)));
      await producer.flush();
      return connections() >= before + 3;
    },
    { everyMs: 2 * IDLE_MS },
  );
  expect(errors).toEqual([]);
  await clients.end(topic, sent);
});

test('kafka-client 3: no request is larger than 1,046,528 bytes, whatever is buffered for however many partitions', async () => {
  const topic = await clients.topic(4);
  const producer = await clients.producer(topic);
  const errors: unknown[] = [];
  const perPartition = 4_000;
  for (let i = 0; i < perPartition; i++) {
    for (let partition = 0; partition < 4; partition++) {
      const record = { topic, partition, key: null, value: Buffer.alloc(1_000, i % 256) };
      producer.send(record, (error) => void (error && errors.push(error)));
    }
    const ready = producer.whenReady();
    if (ready) await ready;
  }
  await producer.flush();
  expect(errors).toEqual([]);
  const consumer = await clients.assigned();
  for (let partition = 0; partition < 4; partition++) {
    consumer.assign([{ topic, partition }]);
    const batches = await readToEnd(consumer, { topic, partition }, perPartition);
    const firstBytes = batches.flatMap(({ records }) => records.map(({ value }) => value![0]));
    expect(firstBytes).toEqual(Array.from({ length: perPartition }, (_, i) => i % 256));
  }
});
