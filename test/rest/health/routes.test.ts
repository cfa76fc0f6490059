/** `GET /connectors/NAME/health` and `GET /connectors?expand=health`. */
import request from 'supertest';
import { UnreachableWorkerError } from '../../../src/cluster/errors';
import { builtIn, SNK, SRC } from '../../helpers/fake-plugins';
import { fakeWorker, type FakeWorker, type FakeWorkerOptions } from '../fake-worker';

async function worker(options: FakeWorkerOptions = {}): Promise<FakeWorker> {
  const found = fakeWorker(options);
  await found.herder.writes.createConnector('a', { ...SRC, name: 'a' }, null);
  await found.herder.writes.createConnector('b', { ...SNK, name: 'b' }, null);
  return found;
}

const FILE_SOURCE = 'org.apache.kafka.connect.file.FileStreamSourceConnector';
const UNMEASURED = { rate: null, lag: { records: null, bytes: null, seconds: null } };
const UNCOUNTED = { errors: null, errors_per_second: null, last_error_at: null };

test('a running connector: what is not measured is null, not 0', async () => {
  const { app } = await worker();
  const { status, body } = await request(app).get('/connectors/a/health');
  expect([status, body]).toEqual([
    200,
    {
      ...{ name: 'a', health: 'running', reasons: [] },
      plugin: {
        ...{ class: FILE_SOURCE, version: '4.3.1', location: 'built-in', runs_in: 'node' },
      },
      jvms: [],
      tasks: [{ id: 0, state: 'RUNNING', worker_id: '127.0.0.1:8083', connected: null, ...UNMEASURED, ...UNCOUNTED }],
    },
  ]);
});

test('an unknown connector is answered as by the other routes', async () => {
  const { app } = await worker();
  const [health, info] = await Promise.all(['/health', ''].map((path) => request(app).get(`/connectors/no${path}`)));
  expect([health?.status, health?.body]).toEqual([404, info?.body]);
});

test('`expand=health` is given beside the other details, and Java’s answers do not change', async () => {
  const { app } = await worker();
  const { body } = await request(app).get('/connectors?expand=status&expand=health');
  expect(Object.keys(body as object)).toEqual(['a', 'b']);
  expect((body as Record<string, unknown>).b).toMatchObject({ status: { name: 'b' }, health: { health: 'running' } });
  const { body: plain } = await request(app).get('/connectors?expand=status');
  expect((plain as Record<string, unknown>).b).not.toHaveProperty('health');
});

test('a failed task: its reason, the place, the cure, and what can be done', async () => {
  const { app, herder } = await worker();
  herder.entries.get('b')!.taskStates[0] = 'FAILED';
  herder.trace =
    'a.b.C: Cannot convert. Correct the record. [code: TOLERANCE_EXCEEDED, topic: t, partition: 3, offset: 41]\n\tat y\n';
  const { body } = await request(app).get('/connectors/b/health');
  expect(body).toMatchObject({
    health: 'failed',
    reasons: [
      {
        code: 'TOLERANCE_EXCEEDED',
        message: 'Cannot convert. (topic t, partition 3, offset 41)',
        cure: 'Correct the record.',
        task: 0,
        actions: [
          { kind: 'skip-record', topic: 't', partition: 3, offset: 42 },
          { kind: 'dead-letter-queue' },
          { kind: 'restart' },
        ],
      },
    ],
  });
});

test('a worker that is not in its group knows only the last states: unknown, except what is stopped', async () => {
  const { app, herder } = await worker();
  herder.absence = { since: 1_700_000_000_000, reason: 'Kafka does not answer' };
  await herder.writes.createConnector('c', { ...SRC, name: 'c' }, 'STOPPED');
  const { body } = await request(app).get('/connectors?expand=health');
  const health = (name: string): unknown => (body as Record<string, { health: unknown }>)[name]?.health;
  expect(health('a')).toMatchObject({
    health: 'unknown',
    reasons: [{ code: 'HEALTH_NOT_IN_GROUP', since: 1_700_000_000_000 }],
  });
  expect(health('c')).toMatchObject({ health: 'stopped', reasons: [] });
});

test('a member that does not answer: nothing recent is known of its tasks', async () => {
  const { app, herder } = await worker({ forward: () => Promise.reject(new UnreachableWorkerError('refused')) });
  herder.group = [
    { url: 'http://127.0.0.1:8083/', id: '127.0.0.1:8083' },
    { url: 'http://10.0.0.2:8083/', id: '10.0.0.2:8083' },
  ];
  const status = herder.reads.statusOrNull.bind(herder.reads);
  Object.assign(herder.reads, {
    statusOrNull: (name: string) => {
      const found = status(name);
      return found && { ...found, tasks: found.tasks.map((task) => ({ ...task, worker_id: '10.0.0.2:8083' })) };
    },
  });
  const { body } = await request(app).get('/connectors/a/health');
  expect(body).toMatchObject({
    health: 'unknown',
    reasons: [{ code: 'HEALTH_WORKER_SILENT', worker_id: '10.0.0.2:8083' }],
  });
});

test('a connector in a jar: its plugin, and its JVM on each worker', async () => {
  const { description, plugin } = builtIn('x.JarConnector', {
    type: 'source',
    config: [],
    createTask: () => ({}) as never,
  });
  const jvm = {
    ...{ folder: '/jars/x', connector: null, pid: 7, isUp: true, sessions: 2, restarts: 1, hungThreads: 0 },
    ...{ silentMs: 0, usage: { cpuSeconds: 1, residentBytes: 9 } },
    memory: { heapUsed: 1, heapMax: 2, nonHeapUsed: 3, threads: 4, gcMs: 5 },
  };
  const { app, herder } = await worker({
    plugins: [{ description: { ...description, location: '/jars/x', java: true }, plugin }],
    jvms: () => [{ ...jvm, folder: '/jars/other', pid: 1 }, jvm],
  });
  await herder.writes.createConnector('j', { name: 'j', 'connector.class': 'x.JarConnector' }, null);
  const { body } = await request(app).get('/connectors/j/health');
  expect(body).toMatchObject({
    plugin: { class: 'x.JarConnector', location: '/jars/x', runs_in: 'jvm' },
    jvms: [
      {
        ...{ worker_id: '127.0.0.1:8083', state: 'up', own: false, pid: 7, restarts: 1, hung_threads: 0 },
        ...{ heap_used_bytes: 1, heap_max_bytes: 2, memory_bytes: 9, silent_seconds: 0 },
      },
    ],
  });
});
