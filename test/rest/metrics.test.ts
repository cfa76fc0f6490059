/** `GET /metrics` as scrapers send it. */
import request from 'supertest';
import { parsePrometheus, valueIn } from '../helpers/prometheus';
import { RestMetrics } from '../../src/metrics/rest-metrics';
import type { RestContext } from '../../src/rest/routes/context';
import { metricsRoute } from '../../src/rest/routes/metrics';
import type { Call, Reply } from '../../src/rest/requests/route';
import { SNK } from '../helpers/fake-plugins';
import { fakeWorker } from './fake-worker';

const PROMETHEUS =
  'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

test.each([
  ['nothing', undefined],
  ['what Prometheus sends', PROMETHEUS],
  ['text/plain', 'text/plain'],
  ['any text', 'text/*'],
  ['anything', '*/*'],
])('connect-runtime §9: Accept with %s returns the text format', async (_, accept) => {
  const { app } = fakeWorker();
  await request(app).post('/connectors').send({ name: 'a', config: SNK });
  const sent = request(app).get('/metrics');
  const answer = await (accept === undefined ? sent : sent.set('Accept', accept));
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const found = parsePrometheus(answer.text);
  expect(valueIn(found, 'kafka_connect_connect_worker_metrics_connector_count')).toBe(1);
  const app_info = { client_id: 'connect-1', version: '4.3.1' };
  expect(valueIn(found, 'kafka_connect_app_info_version', app_info)).toBe(1);
});

test.each(['application/json', 'image/png'])('Accept of %s alone is 406', async (accept) => {
  const answer = await request(fakeWorker().app).get('/metrics').set('Accept', accept);
  expect(answer.status).toBe(406);
});

test('HEAD, OPTIONS, other methods and slashes are answered as on every route', async () => {
  const { app } = fakeWorker();
  const head = await request(app).head('/metrics');
  expect([head.status, head.text]).toEqual([200, undefined]);
  expect(Number(head.headers['content-length'])).toBeGreaterThan(1000);
  expect((await request(app).options('/metrics')).headers['allow']).toBe('HEAD,GET,OPTIONS');
  expect((await request(app).post('/metrics').send({})).status).toBe(405);
  expect((await request(app).get('/metrics/')).status).toBe(200);
});

test.each([
  ['gzip', 'gzip'],
  ['deflate, gzip;q=0.5', 'gzip'],
  ['gzip;q=0, identity', undefined],
  ['identity', undefined],
])('Accept-Encoding: %s is answered with the encoding %s', async (accept, encoding) => {
  const answer = await request(fakeWorker().app).get('/metrics').set('Accept-Encoding', accept);
  expect([answer.status, answer.headers['content-encoding']]).toEqual([200, encoding]);
  expect(answer.headers['vary']).toBe('Accept-Encoding');
  expect(parsePrometheus(answer.text).size).toBeGreaterThan(20);
});

test('requests that arrive during a scrape share its text', async () => {
  const { herder } = fakeWorker();
  const figures = jest.spyOn(herder, 'figures');
  const context = {
    herderIfReady: () => herder,
    metrics: new RestMetrics(),
    version: '4.3.1',
    commit: 'x',
    startedAt: 5,
  };
  const { run: get } = metricsRoute(context as unknown as RestContext);
  const scrape = async (): Promise<Reply> => await get({ request: { headers: {} } } as Call);
  const [first, second] = await Promise.all([scrape(), scrape()]);
  expect(second?.text).toBe(first?.text);
  expect(figures).toHaveBeenCalledTimes(1);
  expect((await scrape()).text).not.toBe(first?.text);
  expect(figures).toHaveBeenCalledTimes(2);
});

test('a starting worker exports the metrics of its process', async () => {
  const answer = await request(fakeWorker({ starting: true }).app).get('/metrics');
  expect(answer.status).toBe(200);
  expect(valueIn(parsePrometheus(answer.text), 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
});
