import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/cli';
import type * as ContextsFile from '../../../packages/cli/src/context/contexts-file';
import { serverOf } from '../../../packages/cli/src/context/server';
import { FakeIo } from '../fake-io';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-contexts-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ioWith = (env: Record<string, string> = {}) => new FakeIo(folder, { MILLRACE_CONTEXTS: 'contexts.yaml', ...env });
async function millrace(...args: string[]): Promise<FakeIo & { code?: number }> {
  const io: FakeIo & { code?: number } = ioWith();
  io.code = await runCli(args, io);
  return io;
}
const server = (options: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
  serverOf({ options, io: ioWith(env) });

test('contexts are set, listed, chosen and deleted', async () => {
  expect((await millrace('context', 'set', 'dev', '--url', 'localhost:8083')).err).toBe(
    'Context "dev" is set and current.\n',
  );
  await millrace('context', 'set', 'prod', '--url', 'https://connect:8083/', '--credentials', 'c.properties');
  expect((await millrace('context', 'list')).out).toBe(
    'CURRENT  NAME  URL                    CREDENTIALS' +
      ' '.repeat(Math.max(2, `${folder}/c.properties`.length - 'CREDENTIALS'.length + 2)) +
      'CONFIG\n*        dev   localhost:8083\n' +
      `         prod  https://connect:8083/  ${folder}/c.properties\n`,
  );
  expect((await millrace('context', 'use', 'prod')).code).toBe(0);
  await millrace('context', 'set', 'prod', '--url', 'https://other:8083');
  expect(JSON.parse((await millrace('context', 'list', '-o', 'json')).out)).toEqual([
    { name: 'dev', current: false, url: 'localhost:8083' },
    { name: 'prod', current: true, url: 'https://other:8083', credentials: join(folder, 'c.properties') },
  ]);
  await millrace('context', 'delete', 'prod');
  expect((await millrace('context', 'list', '-o', 'yaml')).out).toBe(
    '- name: dev\n  current: false\n  url: localhost:8083\n',
  );
});

test('the file is readable by its owner only', async () => {
  await millrace('context', 'set', 'dev', '--url', 'localhost:8083');
  expect(statSync(join(folder, 'contexts.yaml')).mode & 0o777).toBe(0o600);
});

test.each<[string[], number, string]>([
  [['use', 'nowhere'], 2, `There is no context "nowhere" in `],
  [['delete', 'nowhere'], 2, 'there are none. (CLI_CONTEXT_INVALID)\n'],
  [['set', 'a b', '--url', 'x'], 2, '"a b" is not a valid name'],
  [['set', '__proto__', '--url', 'x'], 2, '"__proto__" is not a valid name'],
  [['set', 'a'], 2, 'Set --url of context "a".'],
  [['set', 'a', '--url', 'ftp://x'], 2, '"ftp://x" is not an http or https URL.'],
  [['set', 'a', '--url', 'http://me:secret@x'], 2, 'A URL must not contain credentials'],
])('context %j: one sentence', async (args, code, message) => {
  const io = await millrace('context', ...args);
  expect(io.err).toContain(message);
  expect(io.err).not.toContain('secret');
  expect(io.code).toBe(code);
});

test.each<[string, string]>([
  ['contexts: [', 'Flow sequence'],
  ['[]', 'The file must be a mapping.'],
  ['contexts: 1', '"contexts" must be a mapping.'],
  ['current: {}', '"current" must be the name of a context.'],
  ['contexts: { a: 1 }', 'Context "a" must be a mapping.'],
  ['contexts: { a: {} }', 'Context "a" has no url.'],
  ['contexts: { a: { url: [1] } }', '"url" of context "a" must be a text.'],
  ['contexts: { a: { url: x, password: p } }', 'Context "a" has the unknown key "password"'],
])('an invalid contexts file %j: one sentence with its path', async (text, reason) => {
  writeFileSync(join(folder, 'contexts.yaml'), text);
  const io = await millrace('context', 'list');
  expect(io.code).toBe(2);
  expect(io.err).toContain(`millrace: Cannot use the contexts file ${folder}/contexts.yaml: `);
  expect(io.err).toContain(reason);
  expect(io.err.trimEnd()).not.toContain('\n');
});

test('which server is asked: --url, --context, MILLRACE_URL, MILLRACE_CONTEXT, current, localhost', async () => {
  expect(server().urls).toEqual(['http://localhost:8083']);
  await millrace('context', 'set', 'a', '--url', 'http://a:1,http://b:2/');
  await millrace('context', 'set', 'c', '--url', 'http://c:3/connect/');
  expect(server().urls).toEqual(['http://a:1', 'http://b:2']);
  expect(server({}, { MILLRACE_CONTEXT: 'c' }).urls).toEqual(['http://c:3/connect']);
  expect(server({}, { MILLRACE_CONTEXT: 'c', MILLRACE_URL: 'http://d:4' }).urls).toEqual(['http://d:4']);
  expect(server({ context: 'a' }, { MILLRACE_CONTEXT: 'c', MILLRACE_URL: 'd:4' }).urls).toEqual([
    'http://a:1',
    'http://b:2',
  ]);
  expect(server({ url: 'e:5' }, { MILLRACE_URL: 'd:4' })).toEqual({ urls: ['http://e:5'], timeoutMs: 90_000 });
  expect(() => server({ url: 'e:5', context: 'a' })).toThrow('Specify --url or --context, not both.');
});

test('credentials and TLS files come from files; another URL does not get those of the context', async () => {
  writeFileSync(join(folder, 'c.properties'), 'username=alice\npassword=pä:ss\n');
  writeFileSync(join(folder, 't.properties'), 'token=abc\nkey.password=k\n');
  writeFileSync(join(folder, 'ca.pem'), 'CA');
  await millrace('context', 'set', 'basic', '--url', 'a', '--credentials', 'c.properties', '--ca', 'ca.pem');
  await millrace('context', 'set', 'token', '--url', 'b', '--credentials', 't.properties');
  expect(server()).toMatchObject({
    ca: 'CA',
    authorization: `Basic ${Buffer.from('alice:pä:ss').toString('base64')}`,
  });
  expect(server({ context: 'token' })).toMatchObject({ authorization: 'Bearer abc', keyPassword: 'k' });
  expect(server({ url: 'http://elsewhere' }).authorization).toBeUndefined();
  expect(server({}, { MILLRACE_URL: 'http://x', MILLRACE_CREDENTIALS: 't.properties' }).authorization).toBe(
    'Bearer abc',
  );
  writeFileSync(join(folder, 'c.properties'), 'passwort=geheim\n');
  expect(() => server()).toThrow(/has an unknown key; the keys are username, password, token, key\.password\.$/);
  writeFileSync(join(folder, 'c.properties'), 'token=a\\nb\n');
  expect(() => server()).toThrow(/"token" in the credentials file .* has a control character\./);
  rmSync(join(folder, 'c.properties'));
  expect(() => server()).toThrow('Cannot read the credentials file');
  expect(readFileSync(join(folder, 'contexts.yaml'), 'utf8')).not.toContain('pä:ss');
});

test('the YAML library, which is slow to load, is left alone without a contexts file', () => {
  jest.isolateModules(() => {
    jest.doMock('yaml', () => {
      throw new Error('loaded');
    });
    const { readContexts: read } = jest.requireActual<typeof ContextsFile>(
      '../../../packages/cli/src/context/contexts-file',
    );
    expect(read({ env: { MILLRACE_CONTEXTS: '/nowhere' }, cwd: '/' })).toEqual({ contexts: {} });
  });
  jest.dontMock('yaml');
});
