import request from 'supertest';
import { SRC } from '../helpers/fake-plugins';
import { fakeWorker, type FakeWorker } from './fake-worker';

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

describe('creation', () => {
  const post = (name: string, config: Record<string, string>): request.Test =>
    api().post('/connectors').send({ name, config });
  const expectError = async (answer: request.Test, code: number, message: string): Promise<void> => {
    const { status, body } = await answer;
    expect([status, body]).toEqual([code, error(code, message)]);
  };

  test('a name is at most as long as URLs allow, so that the connector can be deleted', async () => {
    const longest = `${'é'.repeat(1333)}ab`;
    expect((await post(longest, SRC)).status).toBe(201);
    expect((await api().delete(`/connectors/${encodeURIComponent(longest)}`)).status).toBe(204);
    await expectError(
      post(`${longest}c`, SRC),
      400,
      "The connector's name takes 8001 characters in a URL, but at most 8000 are allowed; choose a shorter name",
    );
    expect((await put(`/connectors/${'a'.repeat(8001)}/config`, SRC)).status).toBe(400);
  });

  test('connect-rest §2.3: an ambiguous alias', async () => {
    await expectError(
      post('a', { 'connector.class': 'Twin' }),
      400,
      'More than one connector matches alias Twin. Please use full package and class name instead. Classes found: org.example.a.TwinConnector, org.example.b.TwinConnector',
    );
  });

  test('connect-rest 53: a validate that throws', async () => {
    await expectError(post('a', { 'connector.class': 'Odd', behavior: 'throw' }), 500, 'x');
    const validated = await put('/connector-plugins/Odd/config/validate', {
      'connector.class': 'Odd',
      behavior: 'throw',
    });
    expect([validated.status, validated.body]).toEqual([500, error(500, 'Error: x')]);
  });
});

describe('reads', () => {
  test('connect-rest §1.3: a connector without a status is left out, a vanished one has info null', async () => {
    await create('a');
    const { reads } = worker.herder;
    const { connectors } = reads;
    reads.connectors = () => [...connectors(), 'gone'];
    expect(Object.keys((await api().get('/connectors?expand=status')).body as object)).toEqual(['a']);
    expect((await api().get('/connectors?expand=info')).body).toMatchObject({ gone: { info: null } });
  });

  test('connect-rest 67: version undefined is left out, null is written', async () => {
    await create('a');
    const { reads } = worker.herder;
    const { taskStatus } = reads;
    reads.taskStatus = (...args) => ({ ...taskStatus(...args), version: 'undefined' });
    expect((await api().get('/connectors/a/tasks/0/status')).body).not.toHaveProperty('version');
    reads.taskStatus = (...args) => ({ ...taskStatus(...args), version: null });
    expect((await api().get('/connectors/a/tasks/0/status')).text).toContain('"version":null');
  });
});

describe('internal task configurations', () => {
  test('connect-rest 158, §1.22: the raw body and its signature reach the herder, whatever the content type', async () => {
    const unsigned = await api().post('/connectors/a/tasks').set('Content-Type', 'text/plain').send('[]');
    expect(unsigned.body).toEqual(error(400, 'Internal request missing required signature'));
    const raw = '[ {"task.class":"T", "n":1} ]';
    const submitted = jest.spyOn(worker.herder.writes, 'submitTaskConfigs');
    const answer = await api()
      .post('/connectors/a/tasks')
      .set('X-Connect-Authorization', 'c2ln')
      .set('X-Connect-Request-Signature-Algorithm', 'HmacSHA256')
      .send(raw);
    expect(answer.status).toBe(204);
    const [name, body, read] = submitted.mock.lastCall ?? [];
    expect([name, body, read?.(true)]).toEqual([
      'a',
      { raw: Buffer.from(raw), signature: 'c2ln', algorithm: 'HmacSHA256', mark: null },
      [{ 'task.class': 'T', n: '1' }],
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
