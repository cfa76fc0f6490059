/** A client that guesses the password of a user of a running worker. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { basic, EXTENSION, writeLogins } from '../helpers/basic-auth';
import { httpCall, type HttpAnswer } from '../helpers/http-call';
import { parsePrometheus, valueIn } from '../helpers/prometheus';
import { uniqueName } from '../helpers/unique-name';

const GUESSES = 200;
let folder: string;
let worker: StartedWorker;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-logins-'));
  const jaas = await writeLogins(folder, 'alice=right-password\n');
  worker = await startWorker({
    group: uniqueName('logins'),
    settings: { ...EXTENSION, 'java.security.auth.login.config': jaas, 'rest.auth.open.paths': '/health,/metrics' },
  });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await rm(folder, { recursive: true, force: true });
});

const login = async (password: string, localAddress = '127.0.0.1'): Promise<HttpAnswer> =>
  await httpCall(`${worker.url}/connectors`, { headers: { Authorization: basic('alice', password) }, localAddress });

test('guesses of a password are limited, logged and counted, and block no client with valid credentials', async () => {
  expect((await login('right-password')).status).toBe(200);
  const guesses = Array.from({ length: GUESSES }, async (_, i) => await login(`guess-${i}`));
  const refused = (await Promise.all(guesses)).filter(({ status }) => status === 429);
  expect(refused[0]!.headers['retry-after']).toBe('4');
  expect(JSON.parse(refused[0]!.text)).toEqual({
    error_code: 429,
    message:
      'Too many logins with a wrong password have come from this address; retry in a moment (REST_TOO_MANY_LOGINS)',
  });
  expect((await login('right-password')).status).toBe(200);
  expect((await login('right-password', '127.0.0.2')).status).toBe(200);

  const { text } = await httpCall(`${worker.url}/metrics`);
  const metrics = parsePrometheus(text);
  const failed = valueIn(metrics, 'millrace_rest_failed_logins_total', { credentials: 'basic' }) as number;
  expect(failed + refused.length).toBe(GUESSES);
  expect(valueIn(metrics, 'millrace_rest_refused_logins_total')).toBe(refused.length);
  expect(failed).toBeLessThan(GUESSES / 2);

  const log = worker.process.log();
  expect(log.match(/REST_LOGIN_FAILED/g)).toHaveLength(1);
  expect(log).toContain('REST: failed login from 127.0.0.1: a wrong password of user "alice" (REST_LOGIN_FAILED)');
  expect(log).not.toMatch(/guess-|right-password/);
});
