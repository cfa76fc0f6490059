/** Decisions of the cache client, tested without a server. */
import { ErrorReply } from '@redis/client';
import { backoffMs } from '../../../../apps/users/src/cache/backoff';
import { DeadlineError, withDeadline } from '../../../../apps/users/src/cache/deadline';
import { describeFailure, isNotCluster, isRefusal } from '../../../../apps/users/src/cache/failure';
import { OutageLog } from '../../../../apps/users/src/cache/outage-log';
import { createRedisUserStore } from '../../../../apps/users/src/cache/redis-user-store';
import { originalKey, userKey } from '../../../../apps/users/src/cache/user-key';
import { createLog } from '../../../../apps/users/src/logging/log';
import { StoreRefusedError, StoreUnavailableError } from '../../../../apps/users/src/user/user-store';

const failure = (message: string, code: string): Error => Object.assign(new Error(message), { code });

test('backoff starts at 100 ms, is capped at 5 s, and has jitter', () => {
  expect([0, 1, 2, 5, 6, 100].map((n) => backoffMs(n, () => 1))).toEqual([100, 200, 400, 3_200, 5_000, 5_000]);
  expect([0, 6].map((n) => backoffMs(n, () => 0))).toEqual([50, 2_500]);
});

test.each([
  ["NOPERM this user has no permissions to run the 'hset' command", true],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', true],
  ['ERR unknown command', true],
  ['LOADING Redis is loading the dataset in memory', false],
  ['CLUSTERDOWN The cluster is down', false],
  ["READONLY You can't write against a read only replica.", false],
  ['OOM command not allowed', false],
  ['NOAUTH Authentication required.', false],
])('%s is a rejection: %p', (message, expected) => {
  expect(isRefusal(new ErrorReply(message))).toBe(expected);
  // The same text in an error that is not from the server is not a rejection.
  expect(isRefusal(new Error(message))).toBe(false);
});

test('a server that is not a cluster is another error than other rejections', () => {
  expect(isNotCluster(new ErrorReply('ERR This instance has cluster support disabled'))).toBe(true);
  expect(isNotCluster(new ErrorReply('ERR unknown command'))).toBe(false);
});

test('a failure is reported with its code, its causes and a hint', () => {
  expect(describeFailure(failure('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'))).toBe(
    'connect ECONNREFUSED 127.0.0.1:1',
  );
  expect(describeFailure(failure('self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'))).toMatch(
    /^SELF_SIGNED_CERT_IN_CHAIN: self-signed .* \[set CACHE_TLS_CA_FILE/,
  );
  const both = new AggregateError([failure('a', 'A'), failure('b', 'B')], 'both');
  expect(describeFailure(new Error('outer', { cause: both }))).toBe('outer (both A: a, B: b)');
  expect(describeFailure('text')).toBe('text');
});

test('a deadline ends the wait, not the work, and leaves no timer running', async () => {
  await expect(withDeadline(new Promise(() => undefined), 5)).rejects.toThrow(DeadlineError);
  await expect(withDeadline(Promise.resolve(1), 60_000)).resolves.toBe(1);
  await expect(withDeadline(Promise.reject(new Error('own')), 60_000)).rejects.toThrow('own');
});

test('an outage logs one line per cause, one every 30 s, and one at its end', () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const outage = new OutageLog(log, () => now);
  outage.recovered();
  for (let i = 0; i < 1_000; i++) outage.failed(new Error('one'));
  outage.failed(new Error('two'));
  expect(lines.map(({ cause }) => cause)).toEqual(['one', 'two']);
  now = 31_000;
  outage.failed(new Error('one'));
  expect(lines.at(-1)).toMatchObject({ forMs: 31_000, causes: { one: 1_001, two: 1 } });
  now = 32_000;
  outage.recovered();
  outage.recovered();
  expect(lines).toHaveLength(4);
  expect(lines.at(-1)).toMatchObject({ level: 'info', afterMs: 32_000, msg: 'the cache is responding again' });
});

test.each([
  ['a@b.com', 'user:a@b.com'],
  ['{}a@b.com', 'user:{}a@b.com'],
  ['{a@b.com', 'user:{a@b.com'],
  ['}a{@b.com', 'user:}a{@b.com'],
  ['{x}1@b.com', 'user:{} {x}1@b.com'],
  ['a{x}@b.com', 'user:{} a{x}@b.com'],
  ['{{x}@b.com', 'user:{} {{x}@b.com'],
])('the e-mail %s is stored under %j, and does not choose its slot', (email, key) => {
  expect(userKey(email)).toBe(key);
  expect(slotPart(key)).toBe(key);
  expect(slotPart(originalKey('{x}1@b.com'))).toBe('x');
});

/** The part of a key that determines its slot, by the cluster specification. */
function slotPart(key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open < 0 || close <= open + 1 ? key : key.slice(open + 1, close);
}

test('a user that the original stored in the slot of the e-mail is found there, until a newer one has its own key', async () => {
  const email = '{x}1@b.com';
  const hashes = new Map([[`user:${email}`, { email, name: 'old' }]]);
  const client = {
    read: async (key: string) => hashes.get(key) ?? {},
    replace: async (key: string, fields: { email: string; name: string }) => void hashes.set(key, fields),
  };
  const store = createRedisUserStore({ current: () => client as never }, 10_000);
  expect(await store.find(email)).toEqual({ email, name: 'old' });
  await store.save({ email, name: 'new' });
  expect(await store.find(email)).toEqual({ email, name: 'new' });
  expect(await store.find('{x}2@b.com')).toBeNull();
});

test('a store without a connection is not available; the error has the cause', async () => {
  const cause = failure('connect ECONNREFUSED', 'ECONNREFUSED');
  const away = createRedisUserStore(
    {
      current: () => {
        throw cause;
      },
    },
    1_000,
  );
  await expect(away.find('a@b')).rejects.toMatchObject({ name: 'StoreUnavailableError', cause });
  await expect(away.save({ email: 'a@b', name: 'n' })).rejects.toThrow(StoreUnavailableError);
  const refusing = createRedisUserStore(
    { current: () => ({ read: () => Promise.reject(new ErrorReply('NOPERM no')) }) as never },
    1_000,
  );
  await expect(refusing.find('a@b')).rejects.toThrow(StoreRefusedError);
  const silent = createRedisUserStore({ current: () => ({ read: () => new Promise(() => undefined) }) as never }, 5);
  await expect(silent.find('a@b')).rejects.toMatchObject({ cause: expect.any(DeadlineError) });
});
