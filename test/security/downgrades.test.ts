/** An unknown or empty security setting must not select the weakest one. */
import { createServer, type AddressInfo, type Server } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { uniqueName } from '../helpers/unique-name';

let worker: StartedWorker;
let folder: string;
/** A broker, a database or a dead letter queue that others may listen on: nothing may be sent to it. */
let listener: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-downgrades-'));
  await writeFile(join(folder, 'in.txt'), 'a line\n');
  listener = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  port = (listener.address() as AddressInfo).port;
  worker = await startWorker({ group: uniqueName('downgrades'), settings: { 'errors.restart.max': '0' } });
  await worker.ready();
});
beforeEach(() => (connections = 0));
afterAll(async () => {
  await worker?.stop();
  await new Promise((resolve) => listener.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['security.protocol', 'TLS'],
  ['security.protocol', ''],
  ['acks', '2'],
  ['compression.type', 'brotli'],
  ['enable.idempotence', 'yes'],
])('a producer with %s=%j is not created', async (key, value) => {
  const name = uniqueName('source');
  const config = {
    'connector.class': 'FileStreamSource',
    file: join(folder, 'in.txt'),
    topic: name,
    'producer.override.bootstrap.servers': `127.0.0.1:${port}`,
    [`producer.override.${key}`]: value,
  };
  const answer = await worker.request('POST', '/connectors', { name, config });
  // Java rejects a value that it cannot parse at once, with another status than one that it cannot use.
  if (answer.status === 201) {
    const { tasks } = await worker.statusWhen(name, ({ tasks: [task] }) => task?.state === 'FAILED');
    expect(tasks[0]?.trace).toContain(`Kafka client setting '${key}'`);
  } else expect(answer.body).toContain(key);
  expect(connections).toBe(0);
});

test.each([
  [
    'misc.deadletterqueue.security.protocol',
    {
      'connector.class': 'AnalyticsSinkConnector',
      topics: 't',
      'analytics.url': 'http://127.0.0.1:1',
      'idp.auth.strategy': 'none',
      'analytics.tables.topics.mapping': `[{'topic':'*','db':'d','table':'T'}]`,
      'misc.deadletterqueue.topic.name': 'd',
      'misc.deadletterqueue.bootstrap.servers': 'HERE',
    },
  ],
  [
    'database.sslmode',
    {
      'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
      'topic.prefix': 'p',
      'database.hostname': '127.0.0.1',
      'database.port': 'PORT',
      'database.user': 'u',
      'database.password': 'p',
      'database.dbname': 'd',
    },
  ],
])('an unknown or empty %s is rejected', async (key, given) => {
  for (const value of ['verify-ful', 'SSLL', '']) {
    const config = Object.fromEntries(
      Object.entries({ ...given, [key]: value }).map(([name, text]) => [
        name,
        text.replace('HERE', `127.0.0.1:${port}`).replace('PORT', String(port)),
      ]),
    );
    const answer = await worker.request('POST', '/connectors', { name: uniqueName('refused'), config });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toMatch(/(Value|String) must be one of/);
  }
  expect(connections).toBe(0);
});

test.each(['TLS', ''])('a worker whose own security.protocol is %j does not start', async (value) => {
  const other = await startWorker({
    group: uniqueName('downgrades-worker'),
    bootstrapServers: `127.0.0.1:${port}`,
    settings: { 'security.protocol': value },
  });
  expect(await other.exited()).not.toBe(0);
  expect(other.process.log()).toContain(`'security.protocol' must be one of`);
  expect(connections).toBe(0);
  await other.stop();
});
