/** The sink's dead letter queue on a worker: files of many records, and an unreachable Kafka. */
import { connect, createServer, type AddressInfo } from 'node:net';
import { serve, serveCluster } from '../../connectors/analytics/small-service';
import { waitFor } from '../../helpers/wait-for';
import { SinkWorker } from './sink-worker';

const sink = SinkWorker.forFile();

/** A sink whose files are all rejected. */
async function register(topic: string, more: Record<string, string>): Promise<string> {
  const refusing = await serve((request, response) => {
    request.resume().on('end', () => response.writeHead(413).end());
  });
  const cluster = await serveCluster(() => refusing.url);
  sink.ends.push(refusing.stop, cluster.stop);
  return await sink.register(topic, cluster.url, {
    'flush.size.bytes': '100000000',
    'flush.interval.ms': '3000',
    'behavior.on.error': 'log',
    'errors.retry.backoff.time.ms': '100',
    ...more,
  });
}

test('analytics-sink 42: a file of 600 records of 2 KB goes to the dead letter queue, and the task continues', async () => {
  const [topic, dead] = [await sink.clients.topic(), await sink.clients.topic()];
  const values = Array.from({ length: 600 }, (_, i) => `${i},`.padEnd(2_000, 'x'));
  await sink.clients.send(topic, values);
  const name = await register(topic, {
    'misc.deadletterqueue.bootstrap.servers': process.env['BOOTSTRAP_SERVERS'] ?? '',
    'misc.deadletterqueue.topic.name': dead,
    'errors.retry.max.time.ms': '1000',
  });
  const consumer = await sink.clients.assigned();
  consumer.assign([{ topic: dead, partition: 0 }]);
  const seen: string[] = [];
  await waitFor('600 dead letters', async () => {
    for (const { records } of await consumer.poll(500)) seen.push(...records.map(({ value }) => String(value)));
    const [task] = (await sink.worker.status(name)).tasks;
    if (task?.state === 'FAILED') throw new Error(task.trace);
    return seen.length >= values.length;
  });
  expect(seen).toEqual(values);
  await sink.worker.running(name);
});

test('analytics-sink 44: a task whose dead letter queue is unreachable at startup runs once it is reachable', async () => {
  const [topic, dead] = [await sink.clients.topic(), await sink.clients.topic()];
  await sink.clients.send(topic, ['x,1']);
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
  const trace = await sink.failed(name);
  expect(trace).toMatch(
    /The dead letter queue's Kafka at 127\.0\.0\.1:\d+ cannot be used: No Kafka broker can be reached/,
  );
  expect(trace).toMatch(/Automatic restart \d+ of 20 is due at /);
  await listen(port);
  sink.ends.push(close);
  await sink.clients.end(dead, 1);
  await sink.worker.running(name);
  // Connections through the relay end with the task.
  await sink.worker.request('DELETE', `/connectors/${name}`);
});
