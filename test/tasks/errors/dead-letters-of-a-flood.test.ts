/** Endless bad input and an unavailable dead letter topic, on a real broker. */
import { startEmbeddedBroker, type EmbeddedBroker } from '@millrace/embedded';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import { silentLogger } from '../../../src/logging/logger';
import { DEFAULT_SAMPLE_WINDOWS, TaskMetrics } from '../../../src/metrics/task-metrics';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { Clients } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';
import { RecordingListener, sinkOf, spec, world } from '../fakes';
import { ScriptedSink } from '../sink/sink-fixture';

const RECORDS = 20_000;
const BYTES = 1000;
const BUFFER = 1_000_000;

let broker: EmbeddedBroker;
let clients: Clients;
beforeAll(async () => {
  broker = await startEmbeddedBroker({ log: () => undefined });
  clients = new Clients({ 'bootstrap.servers': broker.bootstrapServers });
});
afterAll(async () => {
  await clients?.close();
  await broker?.stop();
});

test('connect-runtime 98: while the dead letter topic is unavailable, a flood of bad records stays in Kafka; then each becomes a dead letter', async () => {
  const [topic, dead] = [await clients.topic(), await clients.topic()];
  const producer = await clients.producer(topic);
  for (let i = 0; i < RECORDS; i++) producer.send({ topic, key: null, value: Buffer.alloc(BYTES, 'x') });
  await producer.flush();
  broker.faults.fail('Produce', 'NOT_LEADER_OR_FOLLOWER', { topic: dead });

  const task = new ScriptedSink();
  const stage = world(sinkOf(task), {
    'bootstrap.servers': broker.bootstrapServers,
    'offset.flush.interval.ms': '200',
  });
  const memory = TaskMetrics.allocate('sink', DEFAULT_SAMPLE_WINDOWS);
  const reported = TaskMetrics.in(memory).errors.deadLetterRequests;
  const listener = new RecordingListener();
  const config = {
    topics: topic,
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': dead,
    'producer.override.buffer.memory': String(BUFFER),
  };
  const runner = new TaskRunner(
    spec('sink', config, { metrics: memory, consumerGroup: topic }),
    { ...stage, clients: createKafkaClients(silentLogger) },
    listener,
  );
  runner.start();
  const full = (): boolean => reported.value * BYTES > BUFFER / 2;
  await waitFor('dead letters', full, { detail: () => listener.trace });
  // Enough time to read everything many times: the batch is sent again about every 100 ms.
  const requests = broker.faults.requests('Produce');
  await waitFor('vain requests', () => broker.faults.requests('Produce') > requests + 15);
  // The buffer and the last poll.
  expect(reported.value * BYTES).toBeLessThan(BUFFER + 1000 * BYTES);
  expect((await clients.admin.listGroupOffsets(topic)).filter(({ offset }) => offset > 0)).toEqual([]);

  broker.faults.clear();
  await clients.end(dead, RECORDS);
  await waitFor('the last commit', async () =>
    (await clients.admin.listGroupOffsets(topic)).some(({ offset }) => offset === RECORDS),
  );
  runner.stop();
  await runner.done;
  expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
});
