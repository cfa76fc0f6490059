import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import request from 'supertest';
import { SRC } from '../helpers/fake-plugins';
import { fakeWorker, type FakeWorker } from './fake-worker';

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

describe('HTTP layer', () => {
  let worker: FakeWorker;
  beforeEach(() => {
    worker = fakeWorker();
  });

  test('connect-rest R4: dots are names, long paths are 414, long headers 431', async () => {
    expect(await raw(worker, get('/connectors/..'))).toContain('{"error_code":404,"message":"Connector .. not found"}');
    expect(await raw(worker, get(`/connectors/${'a'.repeat(9000)}`))).toMatch(/^HTTP\/1.1 414 /);
    expect(await raw(worker, get('/', `X-Long: ${'a'.repeat(20000)}\r\n`))).toMatch(/^HTTP\/1.1 431 /);
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
    worker.herder.health = () => Promise.resolve({ status: 'starting', message: 'Worker is still starting up.' });
    expect((await request(worker.app).get('/health')).status).toBe(503);
    worker.herder.health = () => Promise.resolve({ status: 'unhealthy', message: 'no' });
    expect((await request(worker.app).get('/health')).status).toBe(500);
  });

  test('connect-rest 163: a herder that does not answer is starting, or unhealthy if it was healthy before', async () => {
    const worker = fakeWorker({ healthLimitMs: 20 });
    const healthy = worker.herder.health;
    worker.herder.health = () => new Promise(() => undefined);
    expect((await request(worker.app).get('/health')).body).toEqual({
      status: 'starting',
      message: 'Worker is still starting up.',
    });
    worker.herder.health = healthy;
    expect((await request(worker.app).get('/health')).status).toBe(200);
    worker.herder.health = () => new Promise(() => undefined);
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
    herder.restarts.restartConnector = () => new Promise(() => undefined);
    const answer = await request(app).post('/connectors/a/restart');
    expect(answer.body).toEqual({ error_code: 500, message: 'Request timed out' });
  });

  test('an unexpected error is a 500 with its message', async () => {
    const { app, herder } = fakeWorker();
    herder.reads.connectors = () => {
      throw new Error('disk on fire');
    };
    expect((await request(app).get('/connectors')).body).toEqual({ error_code: 500, message: 'disk on fire' });
  });
});
