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
  expect(answer.headers['content-length']).toBe(String(answer.text.length));
});

test('connect-rest 150: no X-Powered-By, ETag, Vary or CORS headers', async () => {
  // With settings for CORS, Vary is there.
  if (process.env.CONFORMANCE_HEADERS === '1') return;
  const { headers } = await target.call('GET', '/connectors', undefined, { Origin: 'http://a.example' });
  for (const name of ['x-powered-by', 'etag', 'vary', 'access-control-allow-origin'])
    expect([name, headers[name]]).toEqual([name, undefined]);
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
    ['TRACE', '/connectors'],
    ['POST', '/connectors/x/offsets'],
    ['GET', '/connectors/x/topics/reset'],
    ['PUT', '/connectors/x/topics'],
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

test.each([
  ['*', 200, 'application/json'],
  ['application/*', 200, 'application/json'],
  ['APPLICATION/JSON', 200, 'application/json'],
  ['*;q=0.5', 200, 'application/json'],
  ['text/plain, *', 200, 'application/json'],
  ['application', 200, 'application/json'],
  ['*/json', 200, 'application/json'],
  ['json', 406, undefined],
  ['application/j*', 406, undefined],
  ['application/json;q=0', 200, 'application/json'],
  ['*/*;q=0', 200, 'application/json'],
  ['text/html;q=0', 406, undefined],
  ['application/json,', 200, 'application/json'],
  ['application/json;;X=y', 200, 'application/json;x=y'],
  ['application/json;q=0.5;x=y, application/json;x="a,b"', 200, 'application/json;x="a,b"'],
  ['*/*, application/json;x=y', 200, 'application/json;x=y'],
  ['*/*, application/json;x=y;q=0.1', 200, 'application/json'],
])('connect-rest 9, 10, R6: Accept: %s is answered with %i', async (accept, status, type) => {
  const answer = await target.call('GET', '/connectors', undefined, { Accept: accept });
  expect([answer.status, answer.headers['content-type']]).toEqual([status, type]);
});

const MALFORMED_ACCEPT = ['*/*;q=2', '*/*;q=', 'a/b/c', '/', ',', ', */*', '*/*;x', '*/*;x = y', '*/* x'];
test('connect-rest R18: a malformed Accept header is 400', async () => {
  for (const accept of MALFORMED_ACCEPT) {
    const answer = await target.call('GET', '/connectors', undefined, { Accept: accept });
    expect([accept, answer.status]).toEqual([accept, 400]);
  }
  // As in Java, it is not checked before the path and the method are known.
  expect((await target.call('GET', '/nope', undefined, { Accept: ',' })).status).toBe(404);
  expect((await target.call('DELETE', '/connectors', undefined, { Accept: ',' })).status).toBe(405);
});

test('connect-rest R18: a malformed Content-Type is 400, whatever is requested', async () => {
  for (const type of ['*', 'application', 'a/b/c', '/', ';', '', 'application/json;charset', 'application/json x']) {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/nope'],
      ['DELETE', '/connectors'],
      ['PUT', '/connectors/x/pause'],
    ] as const) {
      const answer = await target.call(method, path, undefined, { 'Content-Type': type });
      expect([type, path, answer.status]).toEqual([type, path, 400]);
    }
  }
  const wildcard = await target.call('PUT', '/connectors/x/pause', undefined, { 'Content-Type': '*/json' });
  expectError(wildcard, 404, 'Unknown connector x');
});

const HOST = 'Host: <host>\r\nConnection: close\r\n';
test.each([
  ['a whole URL', 200, `GET http://<host>/connectors HTTP/1.1\r\n${HOST}`],
  ['a whole URL of another scheme', 200, `GET HTTPS://<host>/ HTTP/1.1\r\n${HOST}`],
  ['a whole URL without a path', 200, `GET http://<host>?x=y HTTP/1.1\r\n${HOST}`],
  ['a whole URL of no route', 404, `GET http://<host>/nope HTTP/1.1\r\n${HOST}`],
  ['the URL of another host', 400, `GET http://other.example/connectors HTTP/1.1\r\n${HOST}`],
  ['a whole URL with a user', 400, `GET http://u@<host>/connectors HTTP/1.1\r\n${HOST}`],
  ['a whole URL without a host', 400, `GET http:///connectors HTTP/1.1\r\n${HOST}`],
  ['no Host', 400, 'GET /connectors HTTP/1.1\r\nConnection: close\r\n'],
  ['an empty Host', 400, 'GET /connectors HTTP/1.1\r\nHost:\r\nConnection: close\r\n'],
  ['two Hosts', 400, `GET /connectors HTTP/1.1\r\nHost: <host>\r\n${HOST}`],
  ['a blank in Host', 400, 'GET /connectors HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n'],
  ['a path in Host', 400, 'GET /connectors HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n'],
  ['a port beyond 65535', 400, 'GET /connectors HTTP/1.1\r\nHost: a:65536\r\nConnection: close\r\n'],
  ['IPv6 in Host', 200, 'GET /connectors HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n'],
  ['HTTP/1.0 without Host', 200, 'GET /connectors HTTP/1.0\r\n'],
  ['HTTP/1.2', 505, `GET /connectors HTTP/1.2\r\n${HOST}`],
  ['no version', 505, `GET /connectors\r\n${HOST}`],
  ['two Content-Types', 400, `GET / HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Type: a/b\r\n`],
  ['FOO', 405, `FOO /connectors HTTP/1.1\r\n${HOST}`],
  ['a method in lower case', 405, `get /connectors HTTP/1.1\r\n${HOST}`],
  ['CONNECT', 405, 'CONNECT <host> HTTP/1.1\r\nHost: <host>\r\nConnection: close\r\n'],
  ['a method that is none', 400, `F@O /connectors HTTP/1.1\r\n${HOST}`],
  ['OPTIONS *', 404, `OPTIONS * HTTP/1.1\r\n${HOST}`],
  ['a blank in the target', 400, `GET /connectors?expand=a b HTTP/1.1\r\n${HOST}`],
  ['GET *', 400, `GET * HTTP/1.1\r\n${HOST}`],
  ['a path without a slash', 400, `GET connectors HTTP/1.1\r\n${HOST}`],
  ['a blank in the name of a header', 400, `GET / HTTP/1.1\r\n${HOST}X Y: z\r\n`],
])('connect-rest R18: %s is answered with %i', async (_, status, request) => {
  expect((await target.raw(`${request}\r\n`)).status).toBe(status);
});

ours('connect-rest R18: invalid HTTP is answered with a JSON error', async () => {
  for (const [request, code, message] of [
    [
      'GET / HTTP/1.1\r\nConnection: close\r\n',
      400,
      'The request needs a Host header with a host and, at most, a port',
    ],
    [`GET / HTTP/1.1\r\n${HOST}X Y: z\r\n`, 400, 'The request is not valid HTTP/1.1: Invalid header token'],
    [`GET / HTTP/1.2\r\n${HOST}`, 505, 'The request is not valid HTTP/1.1: Invalid HTTP version'],
  ] as const) {
    const { status, text } = await target.raw(`${request}\r\n`);
    expect([status, text.split('\r\n\r\n')[1]]).toEqual([code, JSON.stringify({ error_code: code, message })]);
  }
  // The rest depends on the version of Node.js.
  const { text } = await target.raw(`GET /connectors?expand=a b HTTP/1.1\r\n${HOST}\r\n`);
  expect(text).toContain('{"error_code":400,"message":"The request is not valid HTTP/1.1: Expected HTTP/');
});

ours(
  'connect-rest R18: HTTP/2.0 and lines that end with LF only are rejected, an unknown method without a route and CONNECT of a path are 405',
  async () => {
    expect((await target.raw(`GET / HTTP/2.0\r\n${HOST}\r\n`)).status).toBe(505);
    // 505 or 400, depending on the version of Node.js.
    const bare = await target.raw('GET / HTTP/1.1\nHost: <host>\nConnection: close\n\n');
    expect(bare.text).toContain('The request is not valid HTTP/1.1: ');
    expect((await target.raw(`FOO /nope HTTP/1.1\r\n${HOST}\r\n`)).status).toBe(405);
    expect((await target.raw(`CONNECT /connectors HTTP/1.1\r\n${HOST}\r\n`)).status).toBe(405);
  },
);

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
  ['/connectors/x/fence', 'OPTIONS,PUT'],
  ['/connectors/x/restart', 'POST,OPTIONS'],
  ['/connectors/x/stop', 'OPTIONS,PUT'],
  ['/connectors/x/offsets', 'HEAD,DELETE,GET,OPTIONS,PATCH'],
  ['/connectors/x/topics', 'HEAD,GET,OPTIONS'],
  ['/connectors/x/topics/reset', 'OPTIONS,PUT'],
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

test('connect-rest R9: the request type also counts for GET and HEAD', async () => {
  for (const path of ['/connectors', '/connector-plugins', '/connectors/none/tasks', '/admin/loggers']) {
    for (const method of ['GET', 'HEAD']) {
      expect((await target.call(method, path, undefined, { 'Content-Type': 'text/plain' })).status).toBe(415);
    }
  }
  for (const path of ['/', '/health']) {
    expect((await target.call('GET', path, undefined, { 'Content-Type': 'text/plain' })).status).toBe(200);
  }
  expect((await target.call('PUT', '/admin/loggers/a', 'x', { 'Content-Type': 'text/plain' })).status).toBe(415);
  for (const [body, type] of [
    ['{}', 'application/*'],
    ['{}', '*/*'],
    ['', 'application/*'],
  ] as const) {
    const wildcard = await target.call('POST', '/connectors', body, { 'Content-Type': type });
    expect([type, wildcard.status, wildcard.headers['content-type']]).toEqual([type, 415, 'application/json']);
  }
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
  for (const path of [
    '/connectors//status',
    '/connectors/%E2%82/status',
    '/connectors/%zz',
    '/connectors/a%00b',
    '/connectors/a%0Ab',
    '/connectors/a|b',
    '/connectors/{a}',
    '/connectors/a\\b',
  ]) {
    const answer = await target.call('GET', path);
    expectError(answer, 400, /^The path /);
    expect(answer.headers['content-type']).toBe('application/json');
  }
});

test('connect-rest R4: dots are names, long paths are 414, long headers 431', async () => {
  const get = async (path: string, headers = ''): ReturnType<Target['raw']> =>
    await target.raw(`GET ${path} HTTP/1.1\r\nHost: <host>\r\nConnection: close\r\n${headers}\r\n`);
  expect((await get('/connectors/..')).text).toContain('{"error_code":404,"message":"Connector .. not found"}');
  expect((await get(`/connectors/${'a'.repeat(9000)}`)).status).toBe(414);
  expect((await get('/', `X-Long: ${'a'.repeat(20000)}\r\n`)).status).toBe(431);
});

ours('a body beyond 1 MiB is 413', async () => {
  expectError(
    await target.call('POST', '/connectors', ' '.repeat(1024 * 1024 + 1)),
    413,
    'The request body is larger than 1048576 bytes; to allow more, increase rest.body.max.bytes',
  );
});

test('connect-rest 19: task numbers', async () => {
  for (const task of ['abc', '99999999999', '1.5', '0x1']) {
    const answer = await target.call('GET', `/connectors/none/tasks/${task}/status`);
    expectError(answer, 404, 'HTTP 404 Not Found');
    expect(answer.headers['content-type']).toBe('application/json');
  }
  for (const task of ['00', '+0', '-0'])
    expectError(
      await target.call('GET', `/connectors/none/tasks/${task}/status`),
      404,
      'No status found for task none-0',
    );
});

test('connect-rest 20: matrix parameters', async () => {
  expectError(await target.call('GET', '/connectors/none;v=1/status'), 404, 'No status found for connector none');
});
