/**
 * Marks of requests between workers: forwarded ones, and those for the console: who gets the caller’s credentials, and
 * who is admitted without any.
 */
import type { IncomingMessage } from 'node:http';
import request from 'supertest';
import { createConfigValidator } from '../../src/config/validation/connector-validator';
import type { OutgoingRequest } from '../../src/cluster/forwarding/forwarding';
import { admittingWorkers, createAccess } from '../../src/rest/auth/access';
import type { PropertyFileLogin } from '../../src/rest/auth/property-file-login';
import { forwardedMarks, workerMarks } from '../../src/rest/routes/worker-marks';
import { failedLogins } from '../helpers/failed-logins';
import { fakeRegistry, fakeWorkerConfig, SRC } from '../helpers/fake-plugins';
import { FakeHerder, fakeWorker } from './fake-worker';

const registry = fakeRegistry();
const herder = new FakeHerder(createConfigValidator({ registry, config: fakeWorkerConfig() }), registry);
const REPORT = '/ui/api/worker';

/** What is sent to another worker. */
async function sent(of: FakeHerder | null, url: string, path = REPORT, now = Date.now()): Promise<OutgoingRequest> {
  let found: OutgoingRequest | undefined;
  const { send } = workerMarks(
    () => of,
    async (outgoing) => {
      found = outgoing;
      return await Promise.resolve({ status: 200, body: null });
    },
    () => now,
  );
  await send({ url, method: 'GET', path, body: null, authorization: 'Basic secret', forward: null });
  return found as OutgoingRequest;
}

test.each(['http://other:8083/', 'https://other:8443/'])('%s never gets the credentials of the caller', async (url) => {
  const { authorization, headers } = await sent(herder, url);
  expect(authorization).toBeNull();
  expect(Object.keys(headers ?? {})).toEqual(['X-Millrace-Worker']);
});

test('without a session key, only a worker with HTTPS gets the credentials', async () => {
  expect(await sent(null, 'http://other:8083/')).toMatchObject({ authorization: null });
  const https = await sent(null, 'https://other:8443/');
  expect([https.authorization, https.headers]).toEqual(['Basic secret', undefined]);
});

test('a worker of the group is admitted to what workers ask each other, and to nothing else', async () => {
  const { isWorker } = workerMarks(
    () => herder,
    () => Promise.reject(new Error('nothing is sent')),
  );
  const settings = { openPaths: [], roles: { reader: [], operator: [], admin: ['user:root'] } };
  const bearer = (): Promise<never> => Promise.reject(new Error('no token is sent'));
  const login = { admitsEveryone: false, knows: () => false, accepts: () => false } as unknown as PropertyFileLogin;
  const access = createAccess({ settings, login, bearer, failures: failedLogins() });
  const { app, herder: own } = fakeWorker({ access: admittingWorkers(access, isWorker) });
  await own.writes.createConnector('a b', { ...SRC, name: 'a b' }, null);
  const status = async (path: string, marked: Promise<OutgoingRequest>): Promise<number> =>
    (
      await request(app)
        .get(path)
        .set((await marked).headers ?? {})
    ).status;
  for (const path of [REPORT, `${REPORT}/a%20b`, '/connectors/a%20b/logs'])
    expect([path, await status(path, sent(herder, 'http://o/', path))]).toEqual([path, 200]);
  expect(await status(REPORT, sent(null, 'http://o/'))).toBe(401);
  expect(await status('/connectors/a%20b/logs', sent(herder, 'http://o/', REPORT))).toBe(401);
  expect(await status(REPORT, sent(herder, 'http://o/', REPORT, Date.now() - 3_600_000))).toBe(401);
  for (const path of ['/connectors', '/ui/api/overview'])
    expect([path, await status(path, sent(herder, 'http://o/', path))]).toEqual([path, 401]);
});

const REQUEST = { method: 'PUT', path: '/connectors/a/stop', authorization: 'Basic x' };
const received = (headers: Record<string, string | string[]>): IncomingMessage =>
  ({ method: 'PUT', headers: { authorization: 'Basic x', ...headers } }) as unknown as IncomingMessage;
const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

test('a request that another worker has forwarded is recognized', () => {
  const marks = forwardedMarks(() => herder);
  const headers = lowerCase(marks.mark(REQUEST));
  expect(marks.isForwarded(received(headers), REQUEST.path)).toBe(true);
  expect(marks.isForwarded(received(headers), '/connectors/b/stop')).toBe(false);
  expect(marks.isForwarded(received({}), REQUEST.path)).toBe(false);
  expect(marks.isForwarded(received({ 'x-millrace-forwarded': 'true' }), REQUEST.path)).toBe(false);
});

test('without a session key nothing is marked, and no mark is believed', () => {
  const headers = lowerCase(forwardedMarks(() => herder).mark(REQUEST));
  const marks = forwardedMarks(() => null);
  expect(marks.mark(REQUEST)).toEqual({});
  expect(marks.isForwarded(received(headers), REQUEST.path)).toBe(false);
});
