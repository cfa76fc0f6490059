import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import request from 'supertest';
import { fakeWorker, SRC, type FakeWorker } from './fake-worker';

/** The bytes on the wire when a client sends exactly this. */
async function raw(worker: FakeWorker, text: string): Promise<string> {
  const server: Server = createServer(worker.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.end(text, 'latin1'));
      socket.on('data', (chunk) => (answer += chunk.toString('utf8')));
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
    });
  } finally {
    server.close();
  }
}
const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: w\r\nConnection: close\r\n${headers}\r\n`;

const routing = (code: number, text: string): string => JSON.stringify({ error_code: code, message: text });

describe('HTTP layer', () => {
  let worker: FakeWorker;
  beforeEach(() => {
    worker = fakeWorker();
  });

  test('connect-rest 1: GET / shows version, commit and cluster id in that order', async () => {
    const answer = await request(worker.app).get('/');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '{"version":"4.3.1","commit":"0123456789abcdef","kafka_cluster_id":"I4ZmrWqfT2e-upky_4fdPA"}',
    );
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['content-length']).toBe(String(answer.text.length));
  });

  test('connect-rest 150: no X-Powered-By, ETag, Vary or CORS headers', async () => {
    const { headers } = await request(worker.app).get('/connectors').set('Origin', 'http://a.example');
    for (const name of ['x-powered-by', 'etag', 'vary', 'access-control-allow-origin']) {
      expect(headers[name]).toBeUndefined();
    }
  });

  test('connect-rest 2: GET /health on a ready worker', async () => {
    const answer = await request(worker.app).get('/health');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '{"status":"healthy","message":"Worker has completed startup and is ready to handle requests."}',
    );
  });

  test('connect-rest 3: one trailing slash is accepted', async () => {
    for (const path of ['/health', '/connectors', '/connector-plugins']) {
      const plain = await request(worker.app).get(path);
      const slash = await request(worker.app).get(`${path}/`);
      expect([slash.status, slash.text]).toEqual([plain.status, plain.text]);
    }
  });

  test('connect-rest 4: wrong method', async () => {
    const answer = await request(worker.app).post('/health');
    expect([answer.status, answer.text]).toEqual([405, routing(405, 'HTTP 405 Method Not Allowed')]);
    expect(answer.headers.allow).toBeUndefined();
    expect(answer.headers['content-type']).toBeUndefined();
  });

  test.each([
    ['5', '/nope'],
    ['6', '/CONNECTORS'],
    ['7', '/connectors/x/tasks-config'],
  ])('connect-rest %s: GET %s has no route', async (_number, path) => {
    const answer = await request(worker.app).get(path);
    expect([answer.status, answer.text]).toEqual([404, routing(404, 'HTTP 404 Not Found')]);
    expect(answer.headers['content-type']).toBeUndefined();
  });

  test('connect-rest 8: DELETE /connectors, TRACE', async () => {
    for (const method of ['delete', 'trace'] as const) {
      const answer = await request(worker.app)[method]('/connectors');
      expect([answer.status, answer.text]).toEqual([405, routing(405, 'HTTP 405 Method Not Allowed')]);
    }
  });

  test('connect-rest 9, 10: Accept', async () => {
    const refused = await request(worker.app).get('/connectors').set('Accept', 'text/html');
    expect([refused.status, refused.text]).toEqual([406, routing(406, 'HTTP 406 Not Acceptable')]);
    expect(refused.headers['content-type']).toBeUndefined();
    for (const accept of ['text/html,*/*;q=0.8', 'application/*', 'APPLICATION/JSON', '*/*']) {
      const answer = await request(worker.app).get('/connectors').set('Accept', accept);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    }
    const zero = await request(worker.app).get('/connectors').set('Accept', 'application/json;q=0');
    expect(zero.status).toBe(200);
  });

  test('connect-rest R6: parameters of the accepted type are echoed', async () => {
    const answer = await request(worker.app).get('/connectors').set('Accept', 'application/json;charset=utf-8');
    expect(answer.headers['content-type']).toBe('application/json;charset=utf-8');
  });

  test('connect-rest 11: HEAD', async () => {
    const answer = await request(worker.app).head('/connectors');
    expect([answer.status, answer.headers['content-length'], answer.text]).toEqual([200, '2', undefined]);
    const none = await request(worker.app).head('/connectors/none');
    expect([none.status, none.text]).toEqual([404, undefined]);
  });

  test('connect-rest 12: OPTIONS', async () => {
    const answer = await request(worker.app).options('/connectors');
    expect([answer.status, answer.headers.allow, answer.text]).toEqual([
      200,
      'HEAD,POST,GET,OPTIONS',
      'HEAD, POST, GET, OPTIONS',
    ]);
    expect(answer.headers['content-type']).toBe('text/plain');
    const one = await request(worker.app).options('/connectors/none');
    expect(one.headers.allow).toBe('HEAD,DELETE,GET,OPTIONS');
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/vnd.foo+json'])(
    'connect-rest 13, 14: POST of %s',
    async (type) => {
      const answer = await request(worker.app).post('/connectors').set('Content-Type', type).send('{}');
      expect([answer.status, answer.text]).toEqual([415, routing(415, 'HTTP 415 Unsupported Media Type')]);
      expect(answer.headers['content-type']).toBeUndefined();
    },
  );

  test('connect-rest 14: a body without a content type passes routing and fails when it is read', async () => {
    const answer = await raw(
      worker,
      'POST /connectors HTTP/1.1\r\nHost: w\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1.1 415 /);
    expect(answer).toMatch(/\r\nContent-Type: application\/json\r\n/);
  });

  test('connect-rest R9: wildcard request types fail when read, text/plain is rejected even for GET', async () => {
    for (const type of ['application/*', '*/*']) {
      const answer = await request(worker.app).post('/connectors').set('Content-Type', type).send('{}');
      expect([answer.status, answer.headers['content-type']]).toEqual([415, 'application/json']);
    }
    const empty = await request(worker.app).post('/connectors').set('Content-Type', 'application/*');
    expect([empty.status, empty.headers['content-type']]).toEqual([415, 'application/json']);
    for (const path of ['/connectors', '/connector-plugins', '/connectors/none/tasks']) {
      const answer = await request(worker.app).get(path).set('Content-Type', 'text/plain');
      expect(answer.status).toBe(415);
    }
    for (const path of ['/', '/health']) {
      const answer = await request(worker.app).get(path).set('Content-Type', 'text/plain');
      expect(answer.status).toBe(200);
    }
  });

  test('connect-rest 15: a charset parameter is accepted', async () => {
    const answer = await request(worker.app)
      .post('/connectors')
      .set('Content-Type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ name: 'a', config: SRC }));
    expect(answer.status).toBe(201);
  });

  test('connect-rest 16: pause as a form is 415; without a body it is accepted, and any JSON body is ignored', async () => {
    const pause = (): request.Test => request(worker.app).put('/connectors/x/pause');
    expect((await pause().set('Content-Type', 'application/x-www-form-urlencoded').send('x=1')).status).toBe(415);
    await request(worker.app).post('/connectors').send({ name: 'x', config: SRC });
    expect((await pause()).status).toBe(202);
    for (const body of ['null', '""', '{}', '{"a":', '[1]']) {
      const answer = await pause().set('Content-Type', 'application/json').send(body);
      expect([answer.status, answer.headers['content-length'], answer.headers['content-type']]).toEqual([
        202,
        '0',
        undefined,
      ]);
    }
  });

  test('connect-rest 17, R4, R5: a name with / % or \\ is addressable percent-encoded (differs from Java)', async () => {
    for (const name of ['a/b', 'rd%25', 'a\\b', 'x#?&;y|z', 'ä€']) {
      const created = await request(worker.app).post('/connectors').send({ name, config: SRC });
      expect(created.status).toBe(201);
      const path = new URL(created.headers.location as string).pathname;
      const found = await request(worker.app).get(path);
      expect([found.status, (found.body as { name: string }).name]).toEqual([200, name]);
    }
  });

  test.each([
    ['18', '/connectors//status'],
    ['R4', '/connectors/%E2%82/status'],
    ['R4', '/connectors/%zz'],
    ['R4', '/connectors/a%00b'],
    ['R4', '/connectors/a%0Ab'],
    ['R4', '/connectors/a|b'],
    ['R4', '/connectors/{a}'],
    ['R4', '/connectors/a\\b'],
  ])('connect-rest %s: %s is 400 with a JSON body', async (_number, path) => {
    const answer = await raw(worker, get(path));
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toMatch(/\r\nContent-Type: application\/json\r\n/);
    expect(answer).toMatch(/\{"error_code":400,"message":"The path [^"\\]*.*"\}$/);
  });

  test('connect-rest R4: dots are names, long paths are 414, long headers 431', async () => {
    expect(await raw(worker, get('/connectors/..'))).toContain('{"error_code":404,"message":"Connector .. not found"}');
    expect(await raw(worker, get(`/connectors/${'a'.repeat(9000)}`))).toMatch(/^HTTP\/1.1 414 /);
    expect(await raw(worker, get('/', `X-Long: ${'a'.repeat(20000)}\r\n`))).toMatch(/^HTTP\/1.1 431 /);
  });

  test.each(['abc', '99999999999', '1.5', '0x1'])('connect-rest 19: task %s is 404 as JSON', async (task) => {
    const answer = await request(worker.app).get(`/connectors/none/tasks/${task}/status`);
    expect([answer.status, answer.text]).toEqual([404, routing(404, 'HTTP 404 Not Found')]);
    expect(answer.headers['content-type']).toBe('application/json');
  });

  test('connect-rest 19: 00 and +0 are task 0', async () => {
    for (const task of ['00', '+0', '-0']) {
      const answer = await request(worker.app).get(`/connectors/none/tasks/${task}/status`);
      expect(answer.body).toEqual({ error_code: 404, message: 'No status found for task none-0' });
    }
  });

  test('connect-rest 20: matrix parameters are stripped', async () => {
    const answer = await request(worker.app).get('/connectors/none;v=1/status');
    expect(answer.text).toBe(routing(404, 'No status found for connector none'));
  });

  test('an HTTP/1.0 request without a Host header is served', async () => {
    const body = JSON.stringify({ name: 'a', config: SRC });
    const answer = await raw(
      worker,
      `POST /connectors HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/\r\nLocation: http:\/\/127\.0\.0\.1:\d+\/connectors\/a\r\n/);
  });

  test('a body beyond 1 MiB is 413', async () => {
    const answer = await request(worker.app)
      .post('/connectors')
      .set('Content-Type', 'application/json')
      .send(' '.repeat(1024 * 1024 + 1));
    expect(answer.body).toEqual({
      error_code: 413,
      message: 'The request body is larger than 1048576 bytes; to allow more, increase rest.body.max.bytes',
    });
  });
});

describe('health and startup', () => {
  test('connect-rest 163: starting is 503, unhealthy is 500', async () => {
    const worker = fakeWorker();
    worker.herder.healthAnswer = () => Promise.resolve({ status: 'starting', message: 'Worker is still starting up.' });
    expect((await request(worker.app).get('/health')).status).toBe(503);
    worker.herder.healthAnswer = () => Promise.resolve({ status: 'unhealthy', message: 'no' });
    expect((await request(worker.app).get('/health')).status).toBe(500);
  });

  test('connect-rest 163: a herder that does not answer is starting, or unhealthy if it was healthy before', async () => {
    const worker = fakeWorker({ healthLimitMs: 20 });
    const healthy = worker.herder.healthAnswer;
    worker.herder.healthAnswer = () => new Promise(() => undefined);
    expect((await request(worker.app).get('/health')).body).toEqual({
      status: 'starting',
      message: 'Worker is still starting up.',
    });
    worker.herder.healthAnswer = healthy;
    expect((await request(worker.app).get('/health')).status).toBe(200);
    worker.herder.healthAnswer = () => new Promise(() => undefined);
    const stuck = await request(worker.app).get('/health');
    expect([stuck.status, (stuck.body as { status: string }).status]).toEqual([500, 'unhealthy']);
  });

  test('before there is a herder, the root answers and the rest is 404', async () => {
    const { app } = fakeWorker({ starting: true });
    expect((await request(app).get('/')).body).toMatchObject({ kafka_cluster_id: null });
    expect((await request(app).get('/health')).status).toBe(503);
    expect((await request(app).get('/connectors')).status).toBe(404);
    expect((await request(app).get('/connector-plugins')).status).toBe(200);
  });

  test('connect-rest 163: a request that the herder does not answer ends at the timeout', async () => {
    const { app, herder } = fakeWorker({ requestLimitMs: 20 });
    herder.restartConnector = () => new Promise(() => undefined);
    const answer = await request(app).post('/connectors/a/restart');
    expect(answer.body).toEqual({ error_code: 500, message: 'Request timed out' });
  });

  test('an unexpected error is a 500 with its message', async () => {
    const { app, herder } = fakeWorker();
    herder.connectors = () => {
      throw new Error('disk on fire');
    };
    expect((await request(app).get('/connectors')).body).toEqual({ error_code: 500, message: 'disk on fire' });
  });
});
