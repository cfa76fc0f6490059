/**
 * Attacks of a web page on a worker on its visitor's machine or network. A page rebinds its own name to the worker, and
 * reads configs with their secrets; or it sends a change without being able to read the answer.
 */
import { startedWorker, startWorker, type StartedWorker } from '../../dev/services/worker';
import { freePort } from '../../dev/services/free-port';
import { httpCall, type HttpAnswer } from '../helpers/http-call';
import { leaderOf } from '../helpers/leader';
import { uniqueName } from '../helpers/unique-name';

const group = uniqueName('hosts');
const NAME = 'c';
let here: StartedWorker;
/** On all addresses, with a list of its names. */
let named: StartedWorker;
let adminPort: number;
let namedPort: number;

beforeAll(async () => {
  [adminPort, namedPort] = [await freePort(), await freePort()];
  const settings = { 'scheduled.rebalance.max.delay.ms': '0', 'heartbeat.interval.ms': '1000' };
  [here, named] = await Promise.all([
    startWorker({
      group,
      settings: {
        ...settings,
        'admin.listeners': `http://localhost:${adminPort}`,
        'access.control.allow.origin': 'https://ui.test',
      },
    }),
    startWorker({
      group,
      settings: {
        ...settings,
        listeners: `http://0.0.0.0:${namedPort}`,
        'rest.advertised.host.name': 'localhost',
        'rest.allowed.hosts': 'connect.test',
      },
    }),
  ]);
  named = startedWorker(`http://127.0.0.1:${namedPort}`, named.folder, named.process);
  await Promise.all([here.ready(), named.ready()]);
  await here.register({ name: NAME, config: { 'connector.class': 'FileStreamSink', topics: 't', file: '/dev/null' } });
  await here.running(NAME);
});
afterAll(async () => await Promise.all([here, named].map(async (worker) => await worker?.stop())));

const call = async (base: string, method: string, path: string, headers: Record<string, string>): Promise<HttpAnswer> =>
  await httpCall(base + path, { method, headers });
const shown = ({ status, text }: HttpAnswer): unknown[] => [status, JSON.parse(text)];
const refused = (host: string): unknown[] => [
  403,
  { error_code: 403, message: `The host '${host}' is not a name of this worker; add it to rest.allowed.hosts` },
];

test('a name rebound to the loopback listener reads nothing: no root, no metrics, no config', async () => {
  const host = `evil.test:${new URL(here.url).port}`;
  for (const path of [
    '/',
    '/metrics',
    '/health',
    '/connectors?expand=info',
    `/connectors/${NAME}/config`,
    '/openapi.json',
    '/none',
  ])
    expect(shown(await call(here.url, 'GET', path, { Host: host }))).toEqual(refused(host));
  const admin = `http://127.0.0.1:${adminPort}`;
  for (const path of ['/admin/loggers', '/metrics'])
    expect(shown(await call(admin, 'GET', path, { Host: host }))).toEqual(refused(host));
  expect((await call(admin, 'GET', '/admin/loggers', { Host: 'localhost' })).status).toBe(200);
});

test('a page of another site changes nothing, with any request that browsers send without a preflight', async () => {
  const origin = 'http://evil.test';
  const message = `Pages of '${origin}' must not send this request; to allow them, set rest.allowed.hosts or access.control.allow.origin`;
  for (const [method, path] of [
    ['POST', `/connectors/${NAME}/restart`],
    ['POST', `/connectors/${NAME}/tasks/0/restart`],
    ['PUT', `/connectors/${NAME}/stop`],
    ['DELETE', `/connectors/${NAME}`],
  ] as const) {
    const answer = await call(here.url, method, path, { Origin: origin });
    expect(shown(answer)).toEqual([403, { error_code: 403, message }]);
  }
  const form = await httpCall(`${here.url}/connectors/${NAME}/tasks`, {
    method: 'POST',
    headers: { Origin: 'null', 'Content-Type': 'text/plain' },
    body: '[]',
  });
  expect(form.status).toBe(403);
  const admin = await call(`http://127.0.0.1:${adminPort}`, 'PUT', '/admin/loggers/root', { Origin: origin });
  expect(admin.status).toBe(403);
  expect((await here.running(NAME)).connector.state).toBe('RUNNING');
});

test('clients other than browsers, pages on this machine, and pages that CORS allows are served as before', async () => {
  const { port } = new URL(here.url);
  const restart = `/connectors/${NAME}/restart`;
  const callers: readonly Record<string, string>[] = [
    {},
    { Host: 'localhost' },
    { Host: `127.0.0.1:${port}` },
    { Host: '[::1]:1' },
    { Origin: 'http://localhost:3000' },
    { Origin: 'https://ui.test' },
  ];
  for (const headers of callers) {
    expect((await call(here.url, 'GET', '/connectors', headers)).status).toBe(200);
    expect((await call(here.url, 'POST', restart, headers)).status).toBe(204);
  }
  const read = await call(here.url, 'GET', '/connectors', { Origin: 'http://evil.test' });
  expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, undefined]);
});

test('on a network address the list decides, and workers reach each other', async () => {
  expect((await call(named.url, 'GET', '/', { Host: 'connect.test' })).status).toBe(200);
  expect(shown(await call(named.url, 'GET', '/', { Host: 'evil.test' }))).toEqual(refused('evil.test'));
  const leader = await leaderOf([here, named]);
  const follower = leader === here ? named : here;
  // Sent to both: one forwards it to the other.
  for (const worker of [leader, follower])
    expect((await call(worker.url, 'POST', `/connectors/${NAME}/restart?includeTasks=true`, {})).status).toBe(202);
});
