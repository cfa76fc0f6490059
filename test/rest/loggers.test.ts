import request from 'supertest';
import { fakeWorker, type FakeWorker } from './fake-worker';

let worker: FakeWorker;
beforeEach(() => {
  worker = fakeWorker();
  for (const name of ['org.a', 'org.b']) worker.levels.threshold(name);
});
const put = (path: string, body: unknown): request.Test =>
  request(worker.app)
    .put(`/admin/loggers/${path}`)
    .set('Content-Type', 'application/json')
    .send(typeof body === 'string' ? body : JSON.stringify(body));
const get = (path = ''): request.Test => request(worker.app).get(`/admin/loggers${path}`);

test('connect-rest 143: all loggers', async () => {
  const answer = await get('/');
  expect([answer.status, answer.text]).toEqual([
    200,
    '{"org.a":{"level":"INFO","last_modified":null},"org.b":{"level":"INFO","last_modified":null},"root":{"level":"INFO","last_modified":null}}',
  ]);
});

test('connect-rest 144: an unknown logger', async () => {
  expect((await get('/none.such')).body).toEqual({ error_code: 404, message: 'Logger none.such not found.' });
});

test('connect-rest 145, 146: set, and set again', async () => {
  const before = Date.now();
  const answer = await put('org', { level: 'debug', more: 'ignored' });
  expect([answer.status, answer.body]).toEqual([200, ['org', 'org.a', 'org.b']]);
  const state = (await get('/org.a')).body as { level: string; last_modified: number };
  expect(state.level).toBe('DEBUG');
  expect(state.last_modified).toBeGreaterThanOrEqual(before);
  expect((await put('org', { level: 'DEBUG' })).body).toEqual([]);
  expect((await get('/org.a')).body).toEqual(state);
});

test('connect-rest 147: scopes', async () => {
  const answer = await put('org?scope=Cluster', { level: 'trace' });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(worker.herder.loggerLevels).toEqual([['org', 'trace']]);
  expect((await put('org.a?scope=bogus', { level: 'warn' })).body).toEqual(['org.a']);
});

test.each([
  ['148', {}, 400, "Desired 'level' parameter was not specified in request."],
  ['148', { level: null }, 400, "Desired 'level' parameter was not specified in request."],
  ['148', { level: 'nope' }, 404, "invalid log level 'nope'."],
  ['148', { level: 5 }, 404, "invalid log level '5'."],
  ['R8', { level: '' }, 404, "invalid log level ''."],
  ['148', 'null', 500, 'Cannot invoke "java.util.Map.get(Object)" because "levelMap" is null'],
])('connect-rest %s: PUT of %j is %i', async (_number, body, code, message) => {
  for (const path of ['org', 'org?scope=cluster']) {
    const answer = await put(path, body);
    expect([answer.status, answer.body]).toEqual([code, { error_code: code, message }]);
  }
  expect(worker.herder.loggerLevels).toEqual([]);
});

test('connect-rest R9: loggers require JSON', async () => {
  const answer = await request(worker.app).put('/admin/loggers/a').set('Content-Type', 'text/plain').send('x');
  expect(answer.status).toBe(415);
});
