import request from 'supertest';
import { fakeWorker } from './fake-worker';

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
