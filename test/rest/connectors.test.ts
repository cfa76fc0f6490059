import request from 'supertest';
import { fakeWorker, SNK, SRC, type FakeWorker } from './fake-worker';

let worker: FakeWorker;
const api = (): ReturnType<typeof request> => request(worker.app);
const create = async (name: string, config: Record<string, string> = SRC): Promise<void> => {
  expect((await api().post('/connectors').send({ name, config })).status).toBe(201);
};
const put = (path: string, body: unknown): request.Test =>
  api()
    .put(path)
    .set('Content-Type', 'application/json')
    .send(typeof body === 'string' ? body : JSON.stringify(body));
const error = (code: number, message: string): { error_code: number; message: string } => ({
  error_code: code,
  message,
});
beforeEach(() => {
  worker = fakeWorker();
});

describe('reads', () => {
  test('connect-rest 54: names', async () => {
    await create('a');
    await create('b');
    expect((await api().get('/connectors')).body).toEqual(['a', 'b']);
  });

  test('connect-rest 55: expand status and info, in request order', async () => {
    await create('a');
    const info =
      '"info":{"name":"a","config":{"connector.class":"FileStreamSource","topic":"t","name":"a"},"tasks":[{"connector":"a","task":0}],"type":"source"}';
    const status =
      '"status":{"name":"a","connector":{"state":"RUNNING","worker_id":"127.0.0.1:8083","version":"4.3.1"},"tasks":[{"id":0,"state":"RUNNING","worker_id":"127.0.0.1:8083","version":"4.3.1"}],"type":"source"}';
    expect((await api().get('/connectors?expand=status&expand=info')).text).toBe(`{"a":{${status},${info}}}`);
    expect((await api().get('/connectors?expand=info&expand=status')).text).toBe(`{"a":{${info},${status}}}`);
  });

  test('connect-rest 56, 57: unknown values of expand', async () => {
    expect((await api().get('/connectors?expand=info')).text).toBe('{}');
    await create('a');
    expect(Object.keys((await api().get('/connectors?expand=info')).body.a as object)).toEqual(['info']);
    for (const query of ['expand=foo', 'expand=', 'expand', 'expand=info,status', 'expand=STATUS']) {
      expect((await api().get(`/connectors?${query}`)).text).toBe('{"a":{}}');
    }
  });

  test('connect-rest §1.3: a connector without a status is left out, a vanished one has info null', async () => {
    await create('a');
    const { connectors } = worker.herder;
    worker.herder.connectors = () => [...connectors.call(worker.herder), 'gone'];
    expect(Object.keys((await api().get('/connectors?expand=status')).body as object)).toEqual(['a']);
    expect((await api().get('/connectors?expand=info')).body).toMatchObject({ gone: { info: null } });
  });

  test('connect-rest 58: one connector', async () => {
    await create('a');
    expect((await api().get('/connectors/a')).text).toBe(
      '{"name":"a","config":{"connector.class":"FileStreamSource","topic":"t","name":"a"},"tasks":[{"connector":"a","task":0}],"type":"source"}',
    );
  });

  test('connect-rest 59 to 61: unknown names', async () => {
    for (const path of ['', '/config', '/tasks']) {
      expect((await api().get(`/connectors/none${path}`)).body).toEqual(error(404, 'Connector none not found'));
    }
    expect((await api().get('/connectors/none/status')).body).toEqual(error(404, 'No status found for connector none'));
    expect((await api().get('/connectors/none/tasks/0/status')).body).toEqual(
      error(404, 'No status found for task none-0'),
    );
  });

  test('connect-rest 62: tasks', async () => {
    await create('a');
    const [task] = (await api().get('/connectors/a/tasks')).body as [{ id: unknown; config: Record<string, string> }];
    expect(Object.keys(task)).toEqual(['id', 'config']);
    expect(task.id).toEqual({ connector: 'a', task: 0 });
    expect(task.config['task.class']).toBe('org.apache.kafka.connect.file.FileStreamSourceTask');
  });

  test('connect-rest 63, 66: a healthy task has id, state, worker_id, version and no trace', async () => {
    await create('a');
    expect((await api().get('/connectors/a/tasks/0/status')).text).toBe(
      '{"id":0,"state":"RUNNING","worker_id":"127.0.0.1:8083","version":"4.3.1"}',
    );
  });

  test('connect-rest 64: a placeholder stays', async () => {
    await create('a', { ...SRC, file: '${env:X}' });
    expect((await api().get('/connectors/a/config')).body).toMatchObject({ file: '${env:X}' });
  });

  test('connect-rest 65: a failed task has its trace last', async () => {
    await create('a');
    worker.herder.entries.get('a')!.taskStates = ['FAILED'];
    const body = (await api().get('/connectors/a/tasks/0/status')).body as Record<string, string>;
    expect(Object.keys(body)).toEqual(['id', 'state', 'worker_id', 'version', 'trace']);
    expect(body.trace).toMatch(/\n\t/);
  });

  test('connect-rest 67: version undefined is left out, null is written', async () => {
    await create('a');
    const { taskStatus } = worker.herder;
    worker.herder.taskStatus = (...args) => ({ ...taskStatus.apply(worker.herder, args), version: 'undefined' });
    expect((await api().get('/connectors/a/tasks/0/status')).body).not.toHaveProperty('version');
    worker.herder.taskStatus = (...args) => ({ ...taskStatus.apply(worker.herder, args), version: null });
    expect((await api().get('/connectors/a/tasks/0/status')).text).toContain('"version":null');
  });
});

describe('updates', () => {
  test('connect-rest 68, 72: PUT config creates, then replaces', async () => {
    const first = await put('/connectors/p/config', { ...SRC, file: '/f' });
    expect(first.status).toBe(201);
    expect(first.headers.location).toMatch(/\/connectors\/p$/);
    const second = await put('/connectors/p/config', { ...SRC, topic: 'u' });
    expect([second.status, second.headers.location]).toEqual([200, undefined]);
    expect((second.body as { config: unknown }).config).toEqual({ ...SRC, topic: 'u', name: 'p' });
  });

  test('connect-rest 69: another name inside', async () => {
    expect((await put('/connectors/p/config', { ...SRC, name: 'q' })).body).toEqual(
      error(400, "Connector name configuration (q) doesn't match connector name in the URL (p)"),
    );
  });

  test('connect-rest 70: the wrapped form', async () => {
    const answer = await put('/connectors/p/config', { name: 'p', config: SRC });
    expect(answer.status).toBe(500);
    expect((answer.body as { message: string }).message).toMatch(
      /^Cannot deserialize value of type `java\.lang\.String` from Object value \(token `JsonToken\.START_OBJECT`\)\n.* \(through reference chain: java\.util\.LinkedHashMap\["config"\]\)$/,
    );
  });

  test('connect-rest 71: the path segment is not trimmed', async () => {
    expect((await put('/connectors/%20sp%20/config', SRC)).body).toMatchObject({ name: ' sp ' });
  });

  test('connect-rest 74: from source to sink', async () => {
    await create('p');
    expect((await put('/connectors/p/config', SNK)).body).toMatchObject({ type: 'sink' });
  });

  test('connect-rest 75: null and array', async () => {
    expect((await put('/connectors/p/config', 'null')).body).toEqual(
      error(500, 'Cannot invoke "java.util.Map.get(Object)" because "connectorConfig" is null'),
    );
    const array = await put('/connectors/p/config', '[]');
    expect(array.status).toBe(500);
    expect((array.body as { message: string }).message).toMatch(
      /^Cannot deserialize value of type `java\.util\.LinkedHashMap<java\.lang\.String,java\.lang\.String>` from Array value/,
    );
  });
});

describe('lifecycle', () => {
  test('connect-rest 82, 83: pause and resume', async () => {
    await create('a');
    for (const action of ['pause', 'pause', 'resume', 'resume']) {
      const answer = await api().put(`/connectors/a/${action}`);
      expect([answer.status, answer.headers['content-length']]).toEqual([202, '0']);
      expect(worker.herder.entries.get('a')?.target).toBe(action === 'pause' ? 'PAUSED' : 'STARTED');
    }
  });

  test('connect-rest 84: unknown names', async () => {
    for (const action of ['pause', 'resume', 'stop']) {
      expect((await api().put(`/connectors/none/${action}`)).body).toEqual(error(404, 'Unknown connector none'));
    }
  });

  test('connect-rest 85: stop', async () => {
    await create('a');
    for (let i = 0; i < 2; i++) {
      const answer = await api().put('/connectors/a/stop');
      expect([answer.status, answer.headers['content-length'], answer.headers['content-type']]).toEqual([
        204,
        undefined,
        undefined,
      ]);
    }
    expect((await api().get('/connectors/a/tasks')).text).toBe('[]');
  });

  test('connect-rest 88, 92: restart without flags', async () => {
    await create('a');
    for (const query of ['', '?includeTasks=foo', '?includeTasks=', '?includeTasks=1&onlyFailed=yes']) {
      const answer = await api().post(`/connectors/a/restart${query}`);
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
  });

  test('connect-rest 89 to 92: restart with flags answers the plan', async () => {
    await create('a');
    const states = (body: unknown): string[] => {
      const { connector, tasks } = body as { connector: { state: string }; tasks: { state: string }[] };
      return [connector.state, ...tasks.map(({ state }) => state)];
    };
    const all = await api().post('/connectors/a/restart?includeTasks=true');
    expect([all.status, states(all.body)]).toEqual([202, ['RESTARTING', 'RESTARTING']]);
    expect(Object.keys(all.body as object)).toEqual(['name', 'connector', 'tasks', 'type']);
    const healthy = await api().post('/connectors/a/restart?onlyFailed=TRUE');
    expect([healthy.status, states(healthy.body)]).toEqual([202, ['RUNNING', 'RUNNING']]);
    worker.herder.entries.get('a')!.taskStates = ['FAILED', 'RUNNING'];
    const failed = await api().post('/connectors/a/restart?includeTasks=true&onlyFailed=true');
    expect(states(failed.body)).toEqual(['RUNNING', 'RESTARTING', 'RUNNING']);
  });

  test('connect-rest 93, 95: restarts of unknown connectors and tasks', async () => {
    for (const path of ['restart', 'restart?includeTasks=true', 'tasks/0/restart']) {
      expect((await api().post(`/connectors/none/${path}`)).body).toEqual(error(404, 'Unknown connector: none'));
    }
    await create('a');
    expect((await api().post('/connectors/a/tasks/0/restart')).status).toBe(204);
    expect((await api().post('/connectors/a/tasks/7/restart')).body).toEqual(error(404, 'Unknown task: a-7'));
  });

  test('connect-rest 96: delete', async () => {
    await create('a');
    expect((await api().delete('/connectors/a')).status).toBe(204);
    expect((await api().get('/connectors')).body).toEqual([]);
    expect((await api().delete('/connectors/a')).body).toEqual(error(404, 'Connector a not found'));
  });
});

describe('internal task configurations', () => {
  test('connect-rest 158, §1.22: the raw body and its signature reach the herder, whatever the content type', async () => {
    const unsigned = await api().post('/connectors/a/tasks').set('Content-Type', 'text/plain').send('[]');
    expect(unsigned.body).toEqual(error(400, 'Internal request missing required signature'));
    const raw = '[ {"task.class":"T", "n":1} ]';
    const answer = await api()
      .post('/connectors/a/tasks')
      .set('X-Connect-Authorization', 'c2ln')
      .set('X-Connect-Request-Signature-Algorithm', 'HmacSHA256')
      .send(raw);
    expect(answer.status).toBe(204);
    expect(worker.herder.submitted).toEqual([
      {
        name: 'a',
        configs: [{ 'task.class': 'T', n: '1' }],
        body: { raw: Buffer.from(raw), signature: 'c2ln', algorithm: 'HmacSHA256', mark: null },
      },
    ]);
  });

  test('connect-rest R13: an empty body, null, and something else', async () => {
    const post = (body: string, headers: Record<string, string> = {}): request.Test =>
      api().post('/connectors/a/tasks').set('Content-Type', 'application/json').set(headers).send(body);
    expect((await post('')).body).toEqual(error(500, 'No content to map due to end-of-input'));
    expect((await post('null')).body).toEqual(error(400, 'Internal request missing required signature'));
    const signed = { 'X-Connect-Authorization': 'c2ln', 'X-Connect-Request-Signature-Algorithm': 'HmacSHA256' };
    for (const body of ['{}', '[[1]]', '[']) {
      expect((await post(body)).body).toEqual(error(400, 'Internal request missing required signature'));
      expect((await post(body, signed)).status).toBe(500);
    }
  });
});
