/** Settings of the users program. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLoopback, parseEndpoint } from '../../../../apps/users/src/settings/endpoint';
import { isPassword, readSettings, SettingsError } from '../../../../apps/users/src/settings/settings';

const PASSWORD = 'a-good-password-of-the-rule';
const ENV = { CACHE_CLUSTER_ENDPOINT: 'redis.example:6380', CACHE_USERNAME: 'app', CACHE_PASSWORD: PASSWORD };
const RULE = 'CACHE_PASSWORD must be 16 to 128 printable ASCII characters, without spaces and without , " / @';

function problems(changes: Record<string, string | undefined>): readonly string[] {
  try {
    readSettings({ ...ENV, ...changes });
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    expect(error.message).not.toContain(changes['CACHE_PASSWORD'] || 'nothing');
    return error.problems;
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test('the defaults', () => {
  expect(readSettings(ENV)).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    maxBodyBytes: 16_384,
    logLevel: 'info',
    cache: {
      endpoint: { host: 'redis.example', port: 6380 },
      mode: 'auto',
      username: 'app',
      tls: { ca: undefined, servername: undefined },
      readFromReplicas: false,
      timeoutMs: 2_000,
      connectTimeoutMs: 2_000,
      startupTimeoutMs: 30_000,
    },
  });
  expect(readSettings(ENV).cache.password()).toBe(PASSWORD);
});

test.each([
  [{}, null],
  [{ HOST: '127.0.0.1' }, []],
  [{ ALLOWED_HOSTS: 'localhost, Users.Test' }, ['localhost', 'users.test']],
])('ALLOWED_HOSTS: %j are the names %j', (env, expected) => {
  expect(readSettings({ ...ENV, ...env }).allowedHosts).toEqual(expected);
});

test.each(['a:8080', 'http://a', 'a/b', 'a,b c'])('ALLOWED_HOSTS: %s is rejected', (text) => {
  expect(problems({ ALLOWED_HOSTS: text })).toEqual([
    'ALLOWED_HOSTS must be a comma-separated list of host names, without ports',
  ]);
});

test.each([
  ['15 characters', 'x'.repeat(15)],
  ['129 characters', 'x'.repeat(129)],
  ...[',', '"', '/', '@', ' ', 'é', '\t', '\u007f'].map((char) => [
    `a ${JSON.stringify(char)}`,
    `0123456789abcdef${char}`,
  ]),
])('users-app 20: a password with %s is rejected with the rule', (_, password) => {
  expect(isPassword(password as string)).toBe(false);
  expect(problems({ CACHE_PASSWORD: password })).toEqual([RULE]);
});

test.each(['x'.repeat(16), 'x'.repeat(128), "!#$%&'()*+-.0:;<=>?A[\\]^_`a{|}~"])(
  'users-app 20: %s is a password',
  (password) => {
    expect(isPassword(password)).toBe(true);
    expect(problems({ CACHE_PASSWORD: password })).toEqual([]);
  },
);

test('users-app 22: plain text is allowed only for loopback addresses', () => {
  expect(problems({ CACHE_TLS: 'off' })).toEqual([
    'CACHE_TLS=off is allowed with a loopback CACHE_CLUSTER_ENDPOINT only',
  ]);
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
    expect(problems({ CACHE_TLS: 'off', CACHE_CLUSTER_ENDPOINT: `${host}:6379` })).toEqual([]);
  expect(problems({ CACHE_TLS: 'maybe' })).toEqual(['CACHE_TLS must be one of on, off']);
});

test.each(['CACHE_CLUSTER_ENDPOINT', 'CACHE_USERNAME', 'CACHE_PASSWORD'])('users-app 23: without %s', (name) => {
  expect(problems({ [name]: undefined })).toEqual([`${name} env var missing`]);
  expect(problems({ [name]: '' })).toEqual([`${name} env var missing`]);
});

test('users-app 23: all problems are reported at once', () => {
  const wrong = { PORT: '70000', CACHE_MODE: 'ring', CACHE_TIMEOUT_MS: '0', LOG_LEVEL: 'loud', MAX_BODY_BYTES: '1e3' };
  expect(() => readSettings(wrong)).toThrow(SettingsError);
  const missing = { CACHE_CLUSTER_ENDPOINT: undefined, CACHE_USERNAME: undefined, CACHE_PASSWORD: undefined };
  expect(problems({ ...missing, ...wrong })).toEqual([
    'CACHE_CLUSTER_ENDPOINT env var missing',
    'CACHE_USERNAME env var missing',
    'CACHE_PASSWORD env var missing',
    'PORT must be a whole number from 0 to 65535',
    'MAX_BODY_BYTES must be a whole number from 64 to 16777216',
    'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace',
    'CACHE_MODE must be one of auto, cluster, standalone',
    'CACHE_TIMEOUT_MS must be a whole number from 1 to 60000',
  ]);
});

test('a password file is read again for each connection', () => {
  const path = file('password', `${PASSWORD}\n`);
  const source = readSettings({ ...ENV, CACHE_PASSWORD: '', CACHE_PASSWORD_FILE: path }).cache.password;
  expect(source()).toBe(PASSWORD);
  file('password', 'another-password-now');
  expect(source()).toBe('another-password-now');
  file('password', 'short');
  expect(source).toThrow('the password in CACHE_PASSWORD_FILE must be 16 to 128');
  expect(problems({ CACHE_PASSWORD_FILE: path })[0]).toBe(
    'CACHE_PASSWORD and CACHE_PASSWORD_FILE must not both be set',
  );
  const absent = problems({ CACHE_PASSWORD: '', CACHE_PASSWORD_FILE: join(folder, 'absent') });
  expect(absent).toEqual(['CACHE_PASSWORD_FILE cannot be read (ENOENT)']);
});

test('an authority’s file must exist and contain certificates', () => {
  expect(problems({ CACHE_TLS_CA_FILE: join(folder, 'absent') })).toEqual([
    'CACHE_TLS_CA_FILE cannot be read (ENOENT)',
  ]);
  expect(problems({ CACHE_TLS_CA_FILE: file('ca.txt', 'hello') })).toEqual([
    'CACHE_TLS_CA_FILE must contain certificates in PEM',
  ]);
});

test('the file’s authorities replace the public ones', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
  const { tls } = readSettings({ ...ENV, CACHE_TLS_CA_FILE: file('ca.pem', `${pem}\n`) }).cache;
  expect(tls?.ca).toEqual([pem]);
});

test.each([
  ['redis.example:6380', { host: 'redis.example', port: 6380 }],
  ['redis.example', { host: 'redis.example', port: 6379 }],
  ['[2001:db8::1]:7000', { host: '2001:db8::1', port: 7000 }],
  ['[::1]', { host: '::1', port: 6379 }],
  ['2001:db8::1', null],
  ['[redis]:1', null],
  ['rediss://app:secret@redis:6379', null],
  ['redis:0', null],
  ['redis:65536', null],
  ['redis:', null],
  ['a b', null],
])('the endpoint %s', (text, endpoint) => {
  expect(parseEndpoint(text)).toEqual(endpoint);
});

test('loopback addresses are recognized in any spelling, no others', () => {
  const at = (host: string) => isLoopback({ host, port: 1 });
  expect(['localhost', 'LOCALHOST', '127.0.0.1', '127.255.0.1', '::1'].map(at)).toEqual([true, true, true, true, true]);
  expect(['10.0.0.1', 'localhost.example', '::2', '128.0.0.1'].map(at)).toEqual([false, false, false, false]);
});
