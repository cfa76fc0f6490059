import { ConnectError } from '@millrace/sdk';
import { JavaConfigProvider } from '../../../packages/java-host/src/elements/java-config-provider';
import type { OtherJavaPlugin } from '../../../packages/java-host/src/java-plugin';
import type { HostSession, JvmKey } from '../../../packages/java-host/src/jvm/jvms';
import type { HostMap } from '../../../packages/java-host/src/wire/host-value';
import { JavaError } from '../../../packages/java-host/src/wire/java-error';
import { type Answer, ScriptedSession } from './scripted-session';

const PLUGIN: OtherJavaPlugin = {
  type: 'config_provider',
  class: 'com.acme.VaultProvider',
  version: '1',
  location: '/plugins/vault',
  classPath: ['/plugins/vault/a.jar'],
};

function providerOf(
  answer: Answer,
  open: (session: ScriptedSession) => Promise<HostSession> = (session) => Promise.resolve(session),
  limitMs?: number,
) {
  const sessions: ScriptedSession[] = [];
  const keys: JvmKey[] = [];
  const jvms = {
    open: (key: JvmKey, map: HostMap) => {
      const session = new ScriptedSession(map, answer);
      keys.push(key);
      sessions.push(session);
      return open(session);
    },
  };
  const options = { jvms: () => jvms, settings: { token: 't' }, ...(limitMs !== undefined && { limitMs }) };
  return { sessions, keys, provider: new JavaConfigProvider(PLUGIN, options) };
}

const gone = (): ConnectError => new ConnectError('The JVM has ended.', { code: 'JVM_ENDED', restartable: true });
const answerOf = (values: HostMap, ttlMs: number | null = null): HostMap => ({ values, ttlMs });

test('the first question opens the session, with class and settings; others use it', async () => {
  const calls: unknown[] = [];
  const { provider, sessions, keys } = providerOf((...call) => {
    calls.push(call);
    return answerOf({ a: '1', __proto__: null, none: null });
  });
  expect(sessions).toHaveLength(0);
  const first = await provider.get('secret/db', new Set(['a', 'none']));
  expect([...first.values]).toEqual([['a', '1']]);
  expect(first.ttlMs).toBeNull();
  await provider.get('', new Set(['b']));
  expect(sessions.map(({ session }) => session)).toEqual([
    { kind: 'config-provider', class: 'com.acme.VaultProvider', settings: { token: 't' } },
  ]);
  expect(keys).toEqual([{ location: '/plugins/vault', classPath: ['/plugins/vault/a.jar'] }]);
  expect(calls).toEqual([
    ['get', ['secret/db', ['a', 'none']]],
    ['get', ['', ['b']]],
  ]);
});

test.each([
  [5_000, 5_000],
  [0, 1_000],
  [-1, null],
  [Number.MAX_SAFE_INTEGER, 1e12],
])('a time to live of %s ms counts as %s', async (given, expected) => {
  const { provider } = providerOf(() => answerOf({}, given));
  expect((await provider.get('', new Set(['a']))).ttlMs).toBe(expected);
});

test('a JVM that has ended is replaced: the question is asked again, once', async () => {
  let dies = false;
  const { provider, sessions } = providerOf(() => {
    if (!dies) return answerOf({ a: String(sessions.length) });
    dies = false;
    sessions.at(-1)?.end(gone());
    return null;
  });
  await provider.get('', new Set(['a']));
  dies = true;
  expect((await provider.get('', new Set(['a']))).values.get('a')).toBe('2');
  sessions.at(-1)?.end(gone());
  await sessions.at(-1)?.ended;
  expect((await provider.get('', new Set(['a']))).values.get('a')).toBe('3');
});

test('a JVM that cannot be started fails the question, and the next one tries again', async () => {
  let broken = true;
  const { provider } = providerOf(
    () => answerOf({ a: '1' }),
    (session) => (broken ? Promise.reject(gone()) : Promise.resolve(session)),
  );
  await expect(provider.get('', new Set(['a']))).rejects.toMatchObject({
    code: 'CONFIG_PROVIDER_FAILED',
    message: 'The config provider com.acme.VaultProvider of /plugins/vault failed: The JVM has ended.',
    restartable: true,
  });
  broken = false;
  expect((await provider.get('', new Set(['a']))).values.get('a')).toBe('1');
});

test('an exception of the provider has Java’s trace as its cause, and the instance stays', async () => {
  const thrown = new JavaError('com.acme.Denied', 'no such secret', 'other', ['\tat com.acme.V.get'], null);
  let fails = true;
  const { provider, sessions } = providerOf(() => (fails ? Promise.reject(thrown) : answerOf({})));
  await expect(provider.get('', new Set(['a']))).rejects.toMatchObject({
    code: 'CONFIG_PROVIDER_FAILED',
    message: 'The config provider com.acme.VaultProvider of /plugins/vault failed: no such secret.',
    cause: thrown,
  });
  fails = false;
  await provider.get('', new Set(['a']));
  expect(sessions).toHaveLength(1);
});

test('a provider that does not answer fails in time, and the next question gets another instance', async () => {
  const { provider, sessions } = providerOf(
    () => (sessions.length === 1 ? new Promise<never>(() => undefined) : answerOf({ a: '1' })),
    undefined,
    20,
  );
  await expect(provider.get('', new Set(['a']))).rejects.toThrow('failed: it did not answer within 0.02 s.');
  await sessions[0]?.ended;
  expect(sessions).toHaveLength(1);
  expect((await provider.get('', new Set(['a']))).values.get('a')).toBe('1');
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  provider.close();
});

test.each([
  ['no map', null],
  ['no values', { ttlMs: 1 }],
  ['a value that is no text', answerOf({ a: 7 })],
])('%s is an error without the answer in it', async (_, answer) => {
  const { provider } = providerOf(() => answer);
  const failed = provider.get('', new Set(['a']));
  await expect(failed).rejects.toMatchObject({ code: 'CONFIG_PROVIDER_FAILED' });
  await expect(failed).rejects.toThrow(/it returned a value that is not a text\.|its answer is no map\./);
});

test('close ends the instance', async () => {
  const { provider, sessions } = providerOf(() => answerOf({}));
  await provider.get('', new Set(['a']));
  provider.close();
  await sessions[0]?.ended;
  expect(sessions[0]?.isClosed).toBe(true);
});

test('close while a question is asked: it gets its answer from another instance, which ends, too', async () => {
  let arrived = (): void => undefined;
  const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
  const { provider, sessions } = providerOf((_, [path]) => {
    if (path !== 'slow' || sessions.length > 1) return answerOf({ a: '1' });
    arrived();
    return new Promise<never>(() => undefined);
  });
  await provider.get('', new Set(['a']));
  const asked = provider.get('slow', new Set(['a']));
  await hasArrived;
  provider.close();
  sessions[0]?.end(gone());
  expect((await asked).values.get('a')).toBe('1');
  await sessions[1]?.ended;
  expect(sessions).toHaveLength(2);
});
