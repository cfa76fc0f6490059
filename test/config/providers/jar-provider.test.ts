import type { OtherJavaPlugin } from '@millrace/java-host';
import type { JavaConfigProvider } from '../../../packages/java-host/src/elements/java-config-provider';
import { createConfigResolver, resolveWorkerSettings } from '../../../src/config/providers/config-resolver';
import { JarConfigProviders } from '../../../src/plugins/jar-providers';
import type { Scan } from '../../../src/plugins/scan';

const SETTINGS = {
  'plugin.path': '/plugins',
  'config.providers': 'vault,env',
  'config.providers.vault.class': 'com.acme.VaultConfigProvider',
  'config.providers.vault.param.token': 't',
  'config.providers.env.class': 'EnvVarConfigProvider',
};
const resolverOf = (settings: Record<string, string> = SETTINGS) =>
  createConfigResolver({ settings, env: { A: 'a' }, warn: () => undefined });

const found = (name: string, version: string, location = `/plugins/${version}`): OtherJavaPlugin => ({
  ...{ type: 'config_provider', class: name, version, location, classPath: [`${location}/x.jar`] },
});

function jarsOf(others: readonly OtherJavaPlugin[], ttlMs: number | null = null) {
  const asked: unknown[] = [];
  let closed = 0;
  class Fake {
    constructor(
      readonly plugin: OtherJavaPlugin,
      readonly options: { readonly settings: object },
    ) {}
    get(path: string, keys: ReadonlySet<string>) {
      asked.push([this.plugin.location, this.options.settings, path, [...keys]]);
      return Promise.resolve({
        values: new Map([
          ['k', 'secret'],
          ['other', 'x'],
        ]),
        ttlMs,
      });
    }
    close() {
      closed++;
    }
  }
  const catalog: { scan: Scan } = {
    scan: {
      entries: [],
      problems: [],
      others,
      units: others.map(({ location, classPath }) => ({ location, classPath })),
    },
  };
  const jars = new JarConfigProviders({
    catalog: () => catalog.scan,
    jvms: () => ({ open: () => Promise.reject(new Error('not here')) }),
    host: () => ({ JavaConfigProvider: Fake as unknown as typeof JavaConfigProvider }),
  });
  return { jars, asked, catalog, closed: () => closed };
}

test('a provider of a jar is asked when its first placeholder is resolved, with its parameters', async () => {
  const resolver = resolverOf();
  const { jars, asked } = jarsOf([found('com.acme.VaultConfigProvider', '1')], 5_000);
  expect(resolver.useJars(jars)).toEqual([]);
  expect(await resolver.resolve({ v: '${env:A}' })).toEqual({ v: 'a' });
  expect(asked).toEqual([]);
  const heard: number[] = [];
  const config = { v: 'x${vault:db:k}', w: '${vault:db:none}', u: '${env:A}' };
  expect(await resolver.resolve(config, { expires: (ms) => heard.push(ms) })).toEqual({
    ...{ v: 'xsecret', w: '${vault:db:none}', u: 'a' },
  });
  expect(asked).toEqual([['/plugins/1', { token: 't' }, 'db', ['k', 'none']]]);
  expect(heard).toEqual([5_000]);
});

test.each(['com.acme.VaultConfigProvider', 'VaultConfigProvider', 'Vault'])(
  'of several versions of %s, the newest is used',
  async (name) => {
    const resolver = resolverOf({ ...SETTINGS, 'config.providers.vault.class': name });
    const versions = ['1.9', '1.10', '1.2'].map((version) => found('com.acme.VaultConfigProvider', version));
    const { jars, asked } = jarsOf(versions);
    resolver.useJars(jars);
    await resolver.resolve({ v: '${vault:k}' });
    expect(asked).toEqual([['/plugins/1.10', { token: 't' }, '', ['k']]]);
  },
);

test('a class that no jar has is a problem that names the jars, and its placeholders reject with it', async () => {
  const resolver = resolverOf();
  const { jars } = jarsOf([
    found('com.acme.Other', '1'),
    { ...found('com.acme.VaultConfigProvider', '2'), type: 'rest_extension' },
  ]);
  const message =
    'Worker setting "config.providers.vault.class" is invalid: the class com.acme.VaultConfigProvider could not be found: it is not a config provider of the jars in plugin.path, /plugins/1/x.jar, /plugins/2/x.jar.';
  expect(resolver.useJars(jars)).toEqual([
    expect.objectContaining({ code: 'WORKER_CONFIG_INVALID', message, place: { key: 'config.providers.vault.class' } }),
  ]);
  await expect(resolver.resolve({ v: '${vault:k}' })).rejects.toThrow(message);
  expect(resolverOf().useJars(jarsOf([]).jars)[0]?.message).toContain('could not be found: plugin.path has no jars.');
});

test('a short name that several classes have is a problem', () => {
  const resolver = resolverOf({ ...SETTINGS, 'config.providers.vault.class': 'Vault' });
  const { jars } = jarsOf([found('a.VaultConfigProvider', '1'), found('b.Vault', '2')]);
  expect(resolver.useJars(jars)[0]?.message).toContain('it may mean a.VaultConfigProvider or b.Vault');
});

test('the worker’s own settings cannot use it, and each of them is named', async () => {
  const settings = { ...SETTINGS, 'group.id': '${vault:k}', 'client.id': 'x${env:A}', 'plugin.path': '${vault:p}' };
  await expect(resolveWorkerSettings(settings, resolverOf(settings))).rejects.toMatchObject({
    code: 'WORKER_CONFIG_INVALID',
    place: { key: 'group.id' },
    message: expect.stringContaining('jars are found only after the worker’s own settings have been read'),
  });
});

test('after files of plugins have changed, others of the jars as they are then are used', async () => {
  const resolver = resolverOf();
  const one = found('com.acme.VaultConfigProvider', '1');
  const { jars, asked, catalog, closed } = jarsOf([one]);
  resolver.useJars(jars);
  await resolver.resolve({ v: '${vault:k}' });
  catalog.scan = { ...catalog.scan, others: [one, found('com.acme.VaultConfigProvider', '2')] };
  jars.renew();
  expect(closed()).toBe(1);
  await resolver.resolve({ v: '${vault:k}' });
  expect(asked.map((one) => (one as string[])[0])).toEqual(['/plugins/1', '/plugins/2']);
  catalog.scan = { ...catalog.scan, others: [] };
  jars.renew();
  await expect(resolver.resolve({ v: '${vault:k}' })).rejects.toMatchObject({ code: 'CONFIG_PROVIDER_FAILED' });
});
