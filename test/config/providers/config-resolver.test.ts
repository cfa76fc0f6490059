import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfigResolver, resolveWorkerSettings } from '../../../src/config/providers/config-resolver';
import { hasPlaceholder, resolvePlaceholders } from '../../../src/config/providers/placeholders';
import type { ConfigProvider } from '../../../src/config/providers/provider';

let folder: string;
const warn = jest.fn();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-providers-'));
  mkdirSync(join(folder, 'secrets', 'sub'), { recursive: true });
  writeFileSync(join(folder, 'secrets', 'db.properties'), '# x\npassword = p:1\nuser=ünal\n');
  writeFileSync(join(folder, 'secrets', 'token'), 'abc\n');
  writeFileSync(join(folder, 'outside'), 'no');
  warn.mockClear();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ALL = { 'config.providers': 'file, dir ,env' };
const CLASSES = {
  'config.providers.file.class': 'org.apache.kafka.common.config.provider.FileConfigProvider',
  'config.providers.dir.class': 'DirectoryConfigProvider',
  'config.providers.env.class': 'EnvVar',
};
const resolver = (more: Record<string, string> = {}, env = {}) =>
  createConfigResolver({ settings: { ...ALL, ...CLASSES, ...more }, env, warn });
const one = async (value: string, more = {}, env = {}) => (await resolver(more, env).resolve({ v: value })).v;

describe('connect-runtime 107: built-in providers', () => {
  test('properties files', async () => {
    const file = join(folder, 'secrets', 'db.properties');
    expect(await one(`a \${file:${file}:password} b \${file:${file}:user}`)).toBe('a p:1 b ünal');
    expect(await one(`\${file:${file}:nope}`)).toBe(`\${file:${file}:nope}`);
    expect(await one('${file:password}')).toBe('${file:password}');
    await expect(one(`\${file:${folder}/gone.properties:x}`)).rejects.toMatchObject({
      code: 'CONFIG_PROVIDER_FAILED',
      message: expect.stringContaining(`Could not read properties from file ${folder}/gone.properties`),
    });
  });

  test('directories keep the trailing newline and do not descend', async () => {
    const secrets = join(folder, 'secrets');
    expect(await one(`\${dir:${secrets}:token}`)).toBe('abc\n');
    for (const key of ['sub', '../outside', 'nope']) {
      expect(await one(`\${dir:${secrets}:${key}}`)).toBe(`\${dir:${secrets}:${key}}`);
    }
    expect(await one(`\${dir:${secrets}/token:x}`)).toBe(`\${dir:${secrets}/token:x}`);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test('environment variables and their allow list', async () => {
    const env = { PG_USER: 'u', SECRET: 's' };
    expect(await one('${env:PG_USER}/${env:SECRET}/${env:NOPE}', {}, env)).toBe('u/s/${env:NOPE}');
    const allow = { 'config.providers.env.param.allowlist.pattern': 'PG_' };
    expect(await one('${env:PG_USER}', allow, env)).toBe('${env:PG_USER}');
    allow['config.providers.env.param.allowlist.pattern'] = 'PG_.*';
    expect(await one('${env:PG_USER}${env:SECRET}', allow, env)).toBe('u${env:SECRET}');
    allow['config.providers.env.param.allowlist.pattern'] = '\\p{Upper}{2}_\\p{Alpha}++';
    expect(await one('${env:PG_USER}${env:SECRET}', allow, env)).toBe('u${env:SECRET}');
    await expect(one('${env:path:PG_USER}', {}, env)).rejects.toThrow('Path is not supported for EnvVarConfigProvider');
  });

  test('allowed.paths cannot be escaped with ..', async () => {
    const secrets = join(folder, 'secrets');
    const allow = {
      'config.providers.dir.param.allowed.paths': secrets,
      'config.providers.file.param.allowed.paths': `${secrets}, ${folder}/outside`,
    };
    expect(await one(`\${dir:${secrets}/sub/..:token}`, allow)).toBe('abc\n');
    expect(await one(`\${dir:${secrets}/..:outside}`, allow)).toBe(`\${dir:${secrets}/..:outside}`);
    expect(await one(`\${dir:${secrets}-other:outside}`, allow)).toBe(`\${dir:${secrets}-other:outside}`);
    expect(warn).toHaveBeenCalledTimes(2);
    expect(await one(`\${file:${secrets}/db.properties:password}`, allow)).toBe('p:1');
  });

  test.each([
    ['relative/path', 'relative/path is not an absolute path'],
    ['/no/such/path', '/no/such/path does not exist'],
  ])('allowed.paths=%s is rejected', (paths, reason) => {
    expect(() => resolver({ 'config.providers.file.param.allowed.paths': paths })).toThrow(reason);
  });
});

describe('declaring', () => {
  test('a provider needs an existing class', () => {
    const build = (settings: Record<string, string>) => () => createConfigResolver({ settings, env: {}, warn });
    expect(build({ 'config.providers': 'x' })).toThrow(
      'Worker setting "config.providers.x.class" is required: set it to the provider’s class.',
    );
    expect(build({ 'config.providers': 'x', 'config.providers.x.class': 'a.Vault' })).toThrow(
      'Worker setting "config.providers.x.class" is invalid: the class a.Vault could not be found.',
    );
    expect(build({})).not.toThrow();
  });

  test('connect-runtime 8.1: the worker’s own settings are resolved, plugin.path is not', async () => {
    const settings = { 'plugin.path': '${env:P}', 'group.id': '${env:P}' };
    expect(await resolveWorkerSettings(settings, resolver({}, { P: 'x' }))).toEqual({
      'plugin.path': '${env:P}',
      'group.id': 'x',
    });
  });
});

describe('connect-runtime 8.2: placeholders', () => {
  const calls: [string, string[]][] = [];
  const echo: ConfigProvider = {
    get: (path, keys) => {
      calls.push([path, [...keys]]);
      return Promise.resolve(new Map([...keys].map((key) => [key, `<${path}|${key}>`])));
    },
  };
  const resolve = async (value: string) => (await resolvePlaceholders({ v: value }, new Map([['p', echo]]))).v;

  test.each([
    ['${p:k}', '<|k>'],
    ['${p:a:k}', '<a|k>'],
    ['${p:a:k:with:colons}', '<a|k:with:colons>'],
    ['x${p:1}y${p:2}z', 'x<|1>y<|2>z'],
    ['${q:k}', '${q:k}'],
    ['${p}', '${p}'],
    ['$p:k', '$p:k'],
    ['${p:${p:k}}', '<${p|k>}'],
  ])('%s', async (value, expected) => {
    expect(await resolve(value)).toBe(expected);
  });

  test('one request per provider and path; null values stay', async () => {
    calls.length = 0;
    const settings = { a: '${p:x:1}', b: '${p:x:2}${p:y:1}', c: null, d: '${p:x:1}' };
    expect(await resolvePlaceholders<string | null>(settings, new Map([['p', echo]]))).toEqual({
      a: '<x|1>',
      b: '<x|2><y|1>',
      c: null,
      d: '<x|1>',
    });
    expect(calls).toEqual([
      ['x', ['1', '2']],
      ['y', ['1']],
    ]);
  });

  test('results are not scanned again', async () => {
    const loop: ConfigProvider = { get: () => Promise.resolve(new Map([['k', '${p:k}']])) };
    expect(await resolvePlaceholders({ v: '${p:k}' }, new Map([['p', loop]]))).toEqual({ v: '${p:k}' });
  });

  test('recognizing a placeholder', () => {
    expect(['${a:b}', '${a}', 'x', '$'].map(hasPlaceholder)).toEqual([true, false, false, false]);
  });
});
