/** The sink's dead letter queue as a worker's user meets it: files of many records, and its Kafka away. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { serve, serveCluster } from '../../connectors/analytics/small-service';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const clients = new Clients();
const ends: (() => Promise<void>)[] = [];
let worker: StartedWorker;
let tempdir: string;

beforeAll(async () => {
  tempdir = await mkdtemp(join(tmpdir(), 'millrace-dead-'));
  worker = await startWorker({ group: uniqueName('dead'), settings: { 'offset.flush.interval.ms': '100' } });
  await worker.ready();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(tempdir, { recursive: true, force: true });
});

/** A sink whose files are all refused. */
async function register(topic: string, more: Record<string, string>): Promise<string> {
  const refusing = await serve((request, response) => {
    request.resume().on('end', () => response.writeHead(413).end());
  });
  const cluster = await serveCluster(() => refusing.url);
  ends.push(refusing.stop, cluster.stop);
  const name = uniqueName('storms');
  const config = {
    'connector.class': 'AnalyticsSinkConnector',
    topics: topic,
    'analytics.url': cluster.url,
    'idp.auth.strategy': 'none',
    'analytics.tables.topics.mapping': `[{'topic':'${topic}','db':'d','table':'T'}]`,
    'flush.size.bytes': '100000000',
    'flush.interval.ms': '3000',
    'tempdir.path': tempdir,
    'behavior.on.error': 'log',
    'errors.retry.backoff.time.ms': '100',
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    ...more,
  };
  await worker.register({ name, config });
  return name;
}

test('analytics-sink 42: a file of 600 records of 2 KB goes to the dead letter queue, and the task runs on', async () => {
  const [topic, dead] = [await clients.topic(), await clients.topic()];
  const values = Array.from({ length: 600 }, (_, i) => `${i},`.padEnd(2_000, 'x'));
  await clients.send(topic, values);
  const name = await register(topic, {
    'misc.deadletterqueue.bootstrap.servers': process.env['BOOTSTRAP_SERVERS'] ?? '',
    'misc.deadletterqueue.topic.name': dead,
    'errors.retry.max.time.ms': '1000',
  });
  const consumer = await clients.assigned();
  consumer.assign([{ topic: dead, partition: 0 }]);
  const seen: string[] = [];
  await waitFor('600 dead letters', async () => {
    for (const { records } of await consumer.poll(500)) seen.push(...records.map(({ value }) => String(value)));
    const [task] = (await worker.status(name)).tasks;
    if (task?.state === 'FAILED') throw new Error(task.trace);
    return seen.length >= values.length;
  });
  expect(seen).toEqual(values);
  await worker.running(name);
});

test('analytics-sink 44: a task whose dead letter queue is away at the start runs once it is there', async () => {
  const [topic, dead] = [await clients.topic(), await clients.topic()];
  await clients.send(topic, ['x,1']);
  const relay = createServer((client) => {
    const [host, port] = (process.env['BOOTSTRAP_SERVERS'] ?? '').split(':');
    const broker = connect(Number(port), host);
    client.pipe(broker).pipe(client);
    for (const socket of [client, broker]) socket.on('error', () => undefined);
  });
  const listen = async (port: number): Promise<void> =>
    await new Promise((resolve) => relay.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => await new Promise((resolve) => relay.close(() => resolve()));
  await listen(0);
  const { port } = relay.address() as AddressInfo;
  await close();
  const name = await register(topic, {
    'flush.interval.ms': '100',
    'misc.deadletterqueue.bootstrap.servers': `127.0.0.1:${port}`,
    'misc.deadletterqueue.topic.name': dead,
  });
  const trace = await waitFor('the task to fail', async () => {
    const [task] = (await worker.status(name)).tasks;
    return task?.state === 'FAILED' && task.trace;
  });
  expect(trace).toMatch(
    /The dead letter queue's Kafka at 127\.0\.0\.1:\d+ can not be used: No Kafka broker can be reached/,
  );
  expect(trace).toMatch(/Automatic restart \d+ of 20 is due at /);
  await listen(port);
  ends.push(close);
  await clients.end(dead, 1);
  await worker.running(name);
  // Connections through the relay end with the task.
  await worker.request('DELETE', `/connectors/${name}`);
});
