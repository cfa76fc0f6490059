/** `GET /ui/api/overview` of one worker. */
import { createServer } from 'node:http';
import request from 'supertest';
import type { WorkerHealth } from '../../../src/cluster/entities';
import { UnreachableWorkerError } from '../../../src/cluster/errors';
import type { Overview } from '@millrace/console';
import { SNK, SRC } from '../../helpers/fake-plugins';
import { fakeWorker, type FakeWorkerOptions } from '../fake-worker';

const overviewOf = async (worker: ReturnType<typeof fakeWorker>, query = ''): Promise<Overview> => {
  const answer = await request(worker.app).get(`/ui/api/overview${query}`);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  return answer.body as Overview;
};

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  return { promise: new Promise<T>((done) => (resolve = done)), resolve };
}

async function worker(options: FakeWorkerOptions = {}) {
  const found = fakeWorker(options);
  await found.herder.writes.createConnector('a', { ...SRC, name: 'a', 'tasks.max': '3' }, null);
  await found.herder.writes.createConnector('b', { ...SNK, name: 'b' }, 'PAUSED');
  return found;
}

test('an idle worker', async () => {
  const { at, ...overview } = await overviewOf(fakeWorker());
  expect(at).toEqual(expect.any(Number));
  expect(overview).toEqual({
    effects: {},
    worker: '127.0.0.1:8083',
    kafkaClusterId: 'I4ZmrWqfT2e-upky_4fdPA',
    health: {
      status: 'healthy',
      message: 'Worker has completed startup and is ready to handle requests.',
      absence: null,
    },
    connectors: [],
    workers: [
      {
        id: '127.0.0.1:8083',
        url: 'http://127.0.0.1:8083/',
        state: 'answering',
        problem: null,
        isLeader: true,
        isThis: true,
        version: '0.0.0',
        connectors: 0,
        tasks: 0,
        cpu: expect.any(Number) as number,
        memoryBytes: expect.any(Number) as number,
        rate: null,
        startedAt: expect.any(Number) as number,
        health: null,
      },
    ],
    historyStepMs: 10_000,
    history: [],
  });
});

test('connectors with their tasks', async () => {
  const { connectors, workers } = await overviewOf(await worker());
  expect(connectors).toEqual([
    {
      name: 'a',
      type: 'source',
      className: 'FileStreamSource',
      version: '4.3.1',
      state: 'RUNNING',
      target: 'STARTED',
      summary: 'running',
      reasons: [],
      worker: '127.0.0.1:8083',
      isWorkerGone: false,
      since: null,
      tasks: [
        {
          id: 0,
          state: 'RUNNING',
          worker: '127.0.0.1:8083',
          isWorkerGone: false,
          since: null,
          rate: null,
          lag: { records: null, bytes: null, seconds: null },
          errors: null,
          errorRate: null,
          lastErrorAt: null,
          isConnected: null,
          problem: null,
          thread: null,
        },
      ],
      tasksMax: 3,
      rate: null,
      lag: { records: null, bytes: null, seconds: null },
      errors: null,
      errorRate: null,
      failure: null,
    },
    expect.objectContaining({ name: 'b', type: 'sink', state: 'PAUSED', target: 'PAUSED', summary: 'paused' }),
  ]);
  expect(workers[0]).toMatchObject({ connectors: 2, tasks: 2 });
});

test('a failure: its first sentence without the secrets of the config, and no trace', async () => {
  const found = await worker();
  await found.herder.writes.createConnector(
    'odd',
    { name: 'odd', 'connector.class': 'OddConnector', secret: 'hunter2-long', ratio: '2' },
    null,
  );
  found.herder.entries.get('odd')!.taskStates[0] = 'FAILED';
  found.herder.trace = 'a.b.C: No login with hunter2-long. Correct it. [code: ODD_LOGIN, at: x]\n\tat y\n';
  const { connectors } = await overviewOf(found);
  expect(connectors.find(({ name }) => name === 'odd')).toMatchObject({
    state: 'RUNNING',
    summary: 'failed',
    failure: {
      at: null,
      task: 0,
      code: 'ODD_LOGIN',
      sentence: 'No login with [hidden].',
      hint: 'Correct it.',
      trace: '',
    },
  });
});

test('workers that do not answer, and those that are gone', async () => {
  const found = await worker({ forward: () => Promise.reject(new UnreachableWorkerError('refused')) });
  found.herder.group = [
    { url: 'http://10.0.0.2:8083/', id: '10.0.0.2:8083' },
    { url: 'http://10.0.0.1:8083/', id: '10.0.0.1:8083' },
  ];
  // This worker is not a member (any more), but answers.
  const { connectors, workers } = await overviewOf(found);
  expect(workers.map(({ id, state, url, isThis }) => [id, state, url, isThis])).toEqual([
    ['10.0.0.1:8083', 'silent', 'http://10.0.0.1:8083/', false],
    ['10.0.0.2:8083', 'silent', 'http://10.0.0.2:8083/', false],
    ['127.0.0.1:8083', 'answering', null, true],
  ]);
  expect(connectors.some(({ isWorkerGone }) => isWorkerGone)).toBe(false);
});

test('a worker that statuses name and that is not a member is gone, and its work with it', async () => {
  const found = await worker({ forward: () => Promise.reject(new UnreachableWorkerError('refused')) });
  const read = found.herder.reads.connectorStatus;
  const gone = 'gone:8083';
  found.herder.reads.connectorStatus = (name) => {
    const status = read(name);
    return { ...status, tasks: status.tasks.map((task) => ({ ...task, worker_id: gone })) };
  };
  const { connectors, workers } = await overviewOf(found);
  expect(workers.map(({ id, state, connectors: own, tasks }) => [id, state, own, tasks])).toEqual([
    ['127.0.0.1:8083', 'answering', 2, 0],
    [gone, 'gone', 0, 2],
  ]);
  expect(connectors.map(({ summary, tasks }) => [summary, tasks[0]?.isWorkerGone, tasks[0]?.state])).toEqual([
    ['starting', true, 'RUNNING'],
    ['starting', true, 'PAUSED'],
  ]);
  found.herder.group = null;
  const unknown = fakeWorker();
  unknown.herder.group = null;
  await unknown.herder.writes.createConnector('a', { ...SRC, name: 'a' }, null);
  const readUnknown = unknown.herder.reads.connectorStatus;
  unknown.herder.reads.connectorStatus = (name) => ({
    ...readUnknown(name),
    connector: { state: 'RUNNING', worker_id: gone },
  });
  const answer = await overviewOf(unknown);
  expect([answer.connectors[0]?.isWorkerGone, answer.workers.length]).toEqual([false, 1]);
});

test('requests that arrive while one is computed are answered with it', async () => {
  const found = await worker();
  let computed = 0;
  const read = found.herder.reads.records;
  found.herder.reads.records = () => {
    computed++;
    return read();
  };
  const healthy = await found.herder.health();
  const arrived = deferred<WorkerHealth>();
  found.herder.health = () => arrived.promise;
  let requests = 0;
  const server = createServer(found.app).on('request', () => {
    if (++requests === 5) arrived.resolve(healthy);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const all = await Promise.all(Array.from({ length: 5 }, () => request(server).get('/ui/api/overview')));
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(computed).toBe(1);
  server.close();
});

test('is compressed if the browser accepts it', async () => {
  const found = await worker();
  const compressed = await request(found.app).get('/ui/api/overview?history=true').set('Accept-Encoding', 'gzip');
  expect([compressed.headers['content-encoding'], compressed.headers['vary']]).toEqual(['gzip', 'Accept-Encoding']);
  const plain = await request(found.app).get('/ui/api/overview').set('Accept-Encoding', 'identity');
  expect([plain.headers['content-encoding'], (plain.body as Overview).history]).toEqual([undefined, []]);
});

test('hostile names arrive as they are', async () => {
  const found = await worker();
  const name = '<img src=x onerror=alert(1)>/../"\u2028\ud83d\ude00';
  await found.herder.writes.createConnector(name, { ...SRC, name }, null);
  expect((await overviewOf(found)).connectors.map((row) => row.name)).toContain(name);
});

test('a worker without a herder is starting; one whose herder is busy shows the last known health', async () => {
  const starting = await request(fakeWorker({ starting: true }).app).get('/ui/api/overview');
  expect([starting.status, (starting.body as { message: string }).message]).toEqual([
    404,
    'Worker is still starting up.',
  ]);
  const found = await worker();
  await overviewOf(found);
  const healthy = await found.herder.health();
  const { promise, resolve } = deferred<WorkerHealth>();
  found.herder.health = () => promise;
  expect((await overviewOf(found)).health.status).toBe('healthy');
  resolve(healthy);
});

test('a worker that cannot tell its health is unhealthy', async () => {
  const found = await worker();
  found.herder.health = () => Promise.reject(new Error('broken'));
  expect((await overviewOf(found)).health).toEqual({ status: 'unhealthy', message: 'broken', absence: null });
});

test('the report for other workers is of this one alone', async () => {
  const sent: unknown[] = [];
  const found = await worker({
    forward: async (asked) => {
      sent.push(asked);
      return await Promise.resolve({ status: 200, body: null });
    },
  });
  found.herder.group = [{ url: 'http://b:1/', id: 'b:1' }];
  const { body } = await request(found.app).get('/ui/api/worker');
  expect(body).toEqual({
    version: '0.0.0',
    cpuSeconds: expect.any(Number) as number,
    startSeconds: expect.any(Number) as number,
    memoryBytes: expect.any(Number) as number,
    tasks: [],
  });
  expect(sent).toEqual([]);
});
