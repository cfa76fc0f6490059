/** Failed logins: what the log and the metrics show, and how many passwords a client may try. */
import { RestMetrics } from '../../../src/metrics/rest-metrics';
import { FailedLogins, type PasswordAttempt } from '../../../src/rest/auth/failed-logins';
import { RareWarnings } from '../../../src/rest/http/rare-warnings';

const FROM = '10.0.0.7';
let now: number;
let lines: string[];
let metrics: RestMetrics;
let failures: FailedLogins;
let delays: { readonly ms: number; readonly end: () => void }[];
beforeEach(() => {
  now = 0;
  lines = [];
  delays = [];
  metrics = new RestMetrics();
  failures = new FailedLogins(
    metrics,
    new RareWarnings(
      (line) => lines.push(line),
      () => now,
    ),
    () => now,
    async (ms) => await new Promise((end) => delays.push({ ms, end })),
  );
});

let checked: string[] = [];
/** The password of every user is `right`. */
async function log(password: string, more: Partial<PasswordAttempt> = {}): Promise<boolean> {
  checked = [];
  const attempt = { remoteAddress: FROM, user: 'alice', password, isKnown: true, ...more };
  return await failures.password(attempt, () => {
    checked.push(password);
    return password === 'right';
  });
}
/** Fails without waiting for the answer. */
async function fail(times: number, more: Partial<PasswordAttempt> = {}): Promise<Promise<boolean>[]> {
  const answers: Promise<boolean>[] = [];
  for (let i = 0; i < times; i++) {
    const before = delays.length;
    const answer = log(`wrong-${i}`, more);
    answers.push(answer);
    // An attempt without a delay ends by itself.
    if (delays.length === before) await Promise.race([answer, Promise.resolve()]);
  }
  return answers;
}
const REFUSED = { status: 429, code: 'REST_TOO_MANY_LOGINS', retryAfterS: 4 };

test('the first failures are answered at once, the next ones later and later', async () => {
  for (let i = 0; i < 5; i++) expect(await log('wrong')).toBe(false);
  expect(delays).toEqual([]);
  for (let i = 0; i < 7; i++) {
    const answer = log('wrong');
    delays[i]!.end();
    expect(await answer).toBe(false);
  }
  expect(delays.map(({ ms }) => ms)).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000]);
  expect(metrics.failedLogins).toEqual({ basic: 12, bearer: 0, certificate: 0 });
});

test('while four answers wait, passwords are not even checked, and later they are again', async () => {
  await fail(9);
  expect(delays).toHaveLength(4);
  await expect(log('another')).rejects.toMatchObject(REFUSED);
  await expect(log('right')).rejects.toMatchObject(REFUSED);
  expect(checked).toEqual([]);
  expect(metrics.refusedLogins).toBe(2);
  delays[0]!.end();
  await new Promise(setImmediate);
  expect(await log('right')).toBe(true);
});

test('other users and clients of the same proxy, other addresses, and credentials that were valid are not limited', async () => {
  expect(await log('right')).toBe(true);
  await fail(9);
  expect(await log('right')).toBe(true);
  await expect(log('right ')).rejects.toMatchObject(REFUSED);
  expect(await log('right', { remoteAddress: '10.0.0.8' })).toBe(true);
  // Users share 64 counters, by a key of the process.
  const others = await Promise.allSettled(
    Array.from({ length: 30 }, async (_, i) => await log('right', { user: `user${i}` })),
  );
  expect(others.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(20);
});

test('failures are forgotten after a quarter of an hour', async () => {
  for (let i = 0; i < 5; i++) await log('wrong');
  now = 15 * 60_000;
  expect(await log('wrong')).toBe(false);
  expect(delays).toEqual([]);
});

test('the log has a line a minute for an address, with the user if there is one, and never a password', async () => {
  await log('wrong-password');
  await log('wrong-password', { user: 'hunter2', isKnown: false, remoteAddress: '::ffff:10.0.0.9' });
  await log('wrong-password', { remoteAddress: FROM });
  failures.report('bearer', '2001:db8::1', 'the bearer token is not valid: it has expired');
  now = 60_000;
  await log('wrong-password');
  expect(lines).toEqual([
    'REST: failed login from 10.0.0.7: a wrong password of user "alice" (REST_LOGIN_FAILED)',
    'REST: failed login from 10.0.0.9: a wrong password of an unknown user (REST_LOGIN_FAILED)',
    'REST: failed login from 2001:db8:0:0::/64: the bearer token is not valid: it has expired (REST_LOGIN_FAILED)',
    'REST: failed login from 10.0.0.7: a wrong password of user "alice"; 2 failed logins from there since the last warning (REST_LOGIN_FAILED)',
  ]);
  expect(metrics.failedLogins).toEqual({ basic: 4, bearer: 1, certificate: 0 });
});
