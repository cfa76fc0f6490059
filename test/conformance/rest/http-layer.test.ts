/** connect-rest §7, cases 1 to 20, as a client sees them. */
import { uniqueName } from '../../helpers/unique-name';
import { expectError, ours, Target } from './client';

let target: Target;
beforeAll(async () => {
  target = await Target.open();
});
afterAll(() => target.close());

test('connect-rest 1: GET /', async () => {
  const answer = await target.call('GET', '/');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  expect(Object.keys(answer.json as object)).toEqual(['version', 'commit', 'kafka_cluster_id']);
  expect(answer.json).toMatchObject({ version: '4.3.1', kafka_cluster_id: expect.stringMatching(/.+/) as string });
});

test('connect-rest 2, 3: health, with and without a slash', async () => {
  for (const path of ['/health', '/health/']) {
    const answer = await target.call('GET', path);
    expect([answer.status, answer.text]).toEqual([
      200,
      '{"status":"healthy","message":"Worker has completed startup and is ready to handle requests."}',
    ]);
  }
  expect((await target.call('GET', '/connectors/')).status).toBe(200);
});

test('connect-rest 4, 8: wrong methods', async () => {
  for (const [method, path] of [
    ['POST', '/health'],
    ['DELETE', '/connectors'],
  ] as const) {
    const answer = await target.call(method, path);
    expectError(answer, 405, 'HTTP 405 Method Not Allowed');
    expect([answer.headers.allow, answer.headers['content-type']]).toEqual([undefined, undefined]);
  }
});

test('connect-rest 5, 6, 7: no route', async () => {
  for (const path of ['/nope', '/CONNECTORS', '/connectors/x/tasks-config']) {
    const answer = await target.call('GET', path);
    expectError(answer, 404, 'HTTP 404 Not Found');
    expect(answer.headers['content-type']).toBeUndefined();
  }
});

test('connect-rest 9, 10, R6: Accept', async () => {
  expectError(
    await target.call('GET', '/connectors', undefined, { Accept: 'text/html' }),
    406,
    'HTTP 406 Not Acceptable',
  );
  const browser = await target.call('GET', '/connectors', undefined, { Accept: 'text/html,*/*;q=0.8' });
  expect([browser.status, browser.headers['content-type']]).toEqual([200, 'application/json']);
  const charset = await target.call('GET', '/connectors', undefined, { Accept: 'application/json;charset=utf-8' });
  expect(charset.headers['content-type']).toBe('application/json;charset=utf-8');
});

test('connect-rest 11: HEAD', async () => {
  const root = await target.call('HEAD', '/');
  const got = await target.call('GET', '/');
  expect([root.status, root.text, root.headers['content-length']]).toEqual([200, '', String(got.text.length)]);
  const none = await target.call('HEAD', `/connectors/${uniqueName('none')}`);
  expect([none.status, none.text]).toEqual([404, '']);
});

test.each([
  ['/', 'HEAD,GET,OPTIONS'],
  ['/connectors', 'HEAD,POST,GET,OPTIONS'],
  ['/connectors/x', 'HEAD,DELETE,GET,OPTIONS'],
  ['/connectors/x/config', 'HEAD,GET,OPTIONS,PUT,PATCH'],
  ['/connectors/x/tasks', 'HEAD,POST,GET,OPTIONS'],
  ['/connectors/x/restart', 'POST,OPTIONS'],
  ['/connectors/x/stop', 'OPTIONS,PUT'],
  ['/connectors/x/offsets', 'HEAD,DELETE,GET,OPTIONS,PATCH'],
  ['/admin/loggers/x', 'HEAD,GET,OPTIONS,PUT'],
])('connect-rest 12: methods of %s', async (path, methods) => {
  const answer = await target.call('OPTIONS', path);
  expect([answer.headers.allow, answer.text]).toEqual([methods, methods.replaceAll(',', ', ')]);
});

test('connect-rest 3: a trailing slash on every route, DELETE included', async () => {
  const none = uniqueName('none');
  const routes: readonly (readonly [string, string])[] = [
    ['GET', '/health'],
    ['GET', '/connectors'],
    ['GET', `/connectors/${none}`],
    ['DELETE', `/connectors/${none}`],
    ['GET', `/connectors/${none}/config`],
    ['GET', `/connectors/${none}/status`],
    ['PUT', `/connectors/${none}/pause`],
    ['PUT', `/connectors/${none}/resume`],
    ['POST', `/connectors/${none}/restart?includeTasks=true`],
    ['GET', `/connectors/${none}/tasks`],
    ['GET', `/connectors/${none}/tasks/0/status`],
    ['POST', `/connectors/${none}/tasks/0/restart`],
    ['GET', '/connector-plugins'],
    ['GET', '/connector-plugins/FileStreamSink/config'],
    ['GET', '/admin/loggers/root'],
  ];
  for (const [method, route] of routes) {
    const [path = '', query] = route.split('?');
    const plain = await target.mutate(method, route);
    const slash = await target.mutate(method, `${path}/${query ? `?${query}` : ''}`);
    expect([route, slash.status, slash.json]).toEqual([route, plain.status, plain.json]);
  }
});

test('connect-rest R9: the request type counts for GET and HEAD, too', async () => {
  for (const path of ['/connectors', '/connector-plugins', '/admin/loggers']) {
    for (const method of ['GET', 'HEAD']) {
      expect((await target.call(method, path, undefined, { 'Content-Type': 'text/plain' })).status).toBe(415);
    }
  }
  for (const path of ['/', '/health']) {
    expect((await target.call('GET', path, undefined, { 'Content-Type': 'text/plain' })).status).toBe(200);
  }
  const wildcard = await target.call('POST', '/connectors', '{}', { 'Content-Type': 'application/*' });
  expect([wildcard.status, wildcard.headers['content-type']]).toEqual([415, 'application/json']);
});

test('connect-rest 12: OPTIONS', async () => {
  const answer = await target.call('OPTIONS', '/connectors');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain']);
  expect(answer.headers.allow?.split(',').sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
});

test('connect-rest 13, 14: request types', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/vnd.foo+json', null]) {
    const answer = await target.call('POST', '/connectors', '{}', { 'Content-Type': type });
    expectError(answer, 415, 'HTTP 415 Unsupported Media Type');
    expect(answer.headers['content-type']).toBe(type === null ? 'application/json' : undefined);
  }
});

test('connect-rest 15: charset parameter', async () => {
  const answer = await target.call('POST', '/connectors', '{}', { 'Content-Type': 'application/json; charset=utf-8' });
  expect(answer.status).toBe(500);
});

test('connect-rest 16: pause as a form', async () => {
  const answer = await target.call('PUT', '/connectors/x/pause', 'x=1', {
    'Content-Type': 'application/x-www-form-urlencoded',
  });
  expect(answer.status).toBe(415);
});

test('connect-rest 18: an empty segment', async () => {
  expect((await target.call('GET', '/connectors//status')).status).toBe(400);
});

ours('connect-rest 18, R4: malformed paths are 400 as JSON', async () => {
  for (const path of ['/connectors//status', '/connectors/%E2%82', '/connectors/a%00']) {
    expectError(await target.call('GET', path), 400, /^The path /);
  }
});

test('connect-rest 19: task numbers', async () => {
  for (const task of ['abc', '99999999999']) {
    const answer = await target.call('GET', `/connectors/none/tasks/${task}/status`);
    expectError(answer, 404, 'HTTP 404 Not Found');
    expect(answer.headers['content-type']).toBe('application/json');
  }
});

test('connect-rest 20: matrix parameters', async () => {
  expectError(await target.call('GET', '/connectors/none;v=1/status'), 404, 'No status found for connector none');
});
