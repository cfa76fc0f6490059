import { shownKeys } from '../../../connectors/postgres/src/config/shown-keys';
import { HiddenSecrets, hideSecrets } from '../../../src/rest/auth/hidden-secrets';
import type { ConfigDefinitionInfo } from '../../../src/config/validation/config-infos';
import type { PluginDescription } from '../../../src/plugins/registry';
import { fakeRegistry } from '../../helpers/fake-plugins';

const registry = fakeRegistry();
const TYPES = new Map([
  ['connector.class', 'STRING'],
  ['db.code', 'PASSWORD'],
  ['retry.token', 'INT'],
  ['url', 'STRING'],
  ['api.key', 'STRING'],
] as const);
const CONFIG = {
  'connector.class': 'X',
  'db.code': 'hunter2',
  'retry.token': '5',
  url: 'jdbc:postgresql://me:hunter2@db/x',
  'api.key': 'hunter2',
  'producer.override.sasl.jaas.config': 'Plain required password="hunter2";',
  'transforms.a.secret': 'hunter2',
  topic: 'lines',
  empty: '',
};

test('values of PASSWORD keys, of keys named like secrets, and credentials inside texts are hidden', () => {
  expect(hideSecrets(CONFIG, TYPES)).toEqual({
    ...CONFIG,
    'db.code': '[hidden]',
    url: 'jdbc:postgresql://me:[hidden]@db/x',
    'api.key': '[hidden]',
    'producer.override.sasl.jaas.config': '[hidden]',
    'transforms.a.secret': '[hidden]',
  });
});

test('for keys that no plugin defines, the names decide', () => {
  const shown = hideSecrets(CONFIG, new Map());
  expect([shown['db.code'], shown['retry.token'], shown['topic'], shown['api.key']]).toEqual([
    'hunter2',
    '[hidden]',
    'lines',
    '[hidden]',
  ]);
});

test('a long value and a null value of a Java worker pass', () => {
  const long = 'x'.repeat(100_000);
  expect(hideSecrets({ long, none: null as unknown as string }, TYPES)).toEqual({ long, none: null });
});

const definitions = [...TYPES].map(([name, type]) => ({ name, type }) as ConfigDefinitionInfo);
const caller = { user: 'u', role: 'operator' } as const;

test('admins, and all callers while no roles are set, see everything; definitions are read once', async () => {
  let reads = 0;
  const validator = { definitions: async () => await Promise.resolve((reads++, definitions)) };
  const secrets = new HiddenSecrets(true, validator, registry);
  expect(await secrets.shown({ user: 'a', role: 'admin' }, CONFIG, 'X')).toBe(CONFIG);
  expect(await new HiddenSecrets(false, validator, registry).shown(caller, CONFIG, 'X')).toBe(CONFIG);
  expect(reads).toBe(0);
  for (let i = 0; i < 3; i++) expect((await secrets.shown(caller, CONFIG, 'X'))['db.code']).toBe('[hidden]');
  expect(reads).toBe(1);
});

test('passwords are those of the version that the config asks for; of one that is not installed, all may be', async () => {
  const validator = {
    definitions: async (plugin: string, version?: string | null) => {
      if (version === '9') throw new Error('It is not installed');
      const secret = { X: 'jar.code', Mask: 'salt' }[plugin] ?? '';
      return await Promise.resolve([{ name: secret, type: version === '[2]' ? 'PASSWORD' : 'STRING' } as never]);
    },
  };
  const secrets = new HiddenSecrets(true, validator, registry);
  const keys = { 'jar.code': 'hunter2', 'transforms.m.type': 'Mask', 'transforms.m.salt': 'hunter2', other: 'o' };
  const shown = async (versions: Record<string, string>, version?: string) =>
    await secrets.shown(caller, { ...keys, ...versions }, 'X', version);
  expect(await shown({})).toEqual(keys);
  expect(await shown({ 'connector.plugin.version': '[2]' })).toMatchObject({ 'jar.code': '[hidden]', other: 'o' });
  expect(await shown({ 'transforms.m.plugin.version': '[2]' })).toMatchObject({
    'jar.code': 'hunter2',
    'transforms.m.salt': '[hidden]',
  });
  // Of a task, whose config need not have the key.
  expect(await shown({}, '[2]')).toMatchObject({ 'jar.code': '[hidden]', other: 'o' });
  expect(await shown({ 'connector.plugin.version': '9' })).toMatchObject({ 'jar.code': '[hidden]', other: '[hidden]' });
});

test('keys of a plugin whose files have changed have their new types', async () => {
  let plugins: readonly PluginDescription[] = [];
  let types = { pin: 'STRING' };
  const answers: (() => void)[] = [];
  const validator = {
    definitions: () => {
      const found = Object.entries(types).map(([name, type]) => ({ name, type }) as ConfigDefinitionInfo);
      return new Promise<typeof found>((resolve) => answers.push(() => resolve(found)));
    },
  };
  const secrets = new HiddenSecrets(true, validator, { list: () => plugins });
  const shown = async (): Promise<string | undefined> => (await secrets.shown(caller, { pin: '1234' }, 'X')).pin;
  const before = shown();
  const meanwhile = shown();
  answers.shift()?.();
  expect(await before).toBe('1234');
  plugins = [];
  types = { pin: 'PASSWORD' };
  const after = shown();
  answers.pop()?.();
  expect(await after).toBe('[hidden]');
  // An answer of the old plugin that arrives late is not kept.
  answers.shift()?.();
  expect(await meanwhile).toBe('1234');
  expect(await shown()).toBe('[hidden]');
});

const definitionsOf = (plugin: string): Promise<readonly ConfigDefinitionInfo[]> => {
  if (plugin === 'Unknown') return Promise.reject(new Error('unknown'));
  return Promise.resolve(plugin === 'X' ? definitions : []);
};

test('keys of converters, transformations and predicates have the types of their plugins', async () => {
  const config = {
    'connector.class': 'Plain',
    'value.converter': 'X',
    'value.converter.db.code': 'hunter2',
    'transforms.t.type': 'X',
    'transforms.t.db.code': 'hunter2',
    'transforms.t.retry.token': '5',
    'transforms.with.dots.type': 'X',
    'transforms.with.dots.db.code': 'hunter2',
    'transforms.other.db.code': 'shown',
    'key.converter.db.code': 'shown',
  };
  const secrets = new HiddenSecrets(true, { definitions: definitionsOf }, registry);
  expect(await secrets.shown(caller, config, 'Plain')).toEqual({
    ...config,
    'value.converter.db.code': '[hidden]',
    'transforms.t.db.code': '[hidden]',
    'transforms.with.dots.db.code': '[hidden]',
  });
});

test('keys of a plugin that cannot be loaded may be passwords, and are hidden', async () => {
  const secrets = new HiddenSecrets(true, { definitions: definitionsOf }, registry);
  const plain = {
    'connector.class': 'Plain',
    topic: 'shown',
    'transforms.t.type': 'Unknown',
    'transforms.t.predicate': 'p',
    'transforms.t.pin': '1234',
  };
  expect(await secrets.shown(caller, plain, 'Plain')).toEqual({ ...plain, 'transforms.t.pin': '[hidden]' });
  const unknown = {
    'connector.class': 'Unknown',
    name: 'n',
    'tasks.max': '1',
    topics: 't',
    'errors.tolerance': 'all',
    'key.converter': 'X',
    'key.converter.url': 'http://registry',
    pin: '1234',
    empty: '',
  };
  const hidden = { ...unknown, pin: '[hidden]' };
  expect(await secrets.shown(caller, unknown, 'Unknown')).toEqual(hidden);
  expect((await secrets.shown({ user: 'r', role: null }, unknown, 'Unknown')).pin).toBe('[hidden]');
});

test.each([
  ['db.pass', 'hunter2'],
  ['conn.pwd', 'hunter2'],
  ['value.converter.basic.auth.user.info', 'u:hunter2'],
  ['gcp.credentials.json', '{"private":"hunter2"}'],
  ['storage.connection.string', 'A=hunter2'],
  ['http.headers', 'Accept: */*, Authorization: Bearer hunter2'],
  ['link', 'https://store/x?se=1&sig=hunter2'],
  ['odbc', 'Host=x;Uid=u;Pwd=hunter2;A=b'],
])('the secret in %s is hidden', (key, value) => {
  expect(hideSecrets({ [key]: value }, new Map())[key]).toMatch(/^(?!.*hunter2).*\[hidden\]/);
});

test('a config with the mark is refused while roles are set', () => {
  const validator = { definitions: async () => await Promise.resolve(definitions) };
  const refused = (): void =>
    new HiddenSecrets(true, validator, registry).requireWhole({ a: null, url: 'x://me:[hidden]@db' });
  expect(refused).toThrow(/^The value of "url" has the mark \[hidden\].* \(REST_HIDDEN_VALUE\)$/);
  expect(() => new HiddenSecrets(false, validator, registry).requireWhole({ url: '[hidden]' })).not.toThrow();
});

const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIhunter2\n-----END RSA PRIVATE KEY-----\n';

test('a private key is hidden whatever the name and the type of its key, alone and with its certificate', async () => {
  const config = {
    'connector.class': 'X',
    url: PEM,
    topic: `-----BEGIN CERTIFICATE-----\nMIIx\n-----END CERTIFICATE-----\n${PEM}`,
    'retry.token': PEM.replaceAll('\n', '\\n'),
    'transforms.a.label': PEM.slice(0, -20),
  };
  const shown = hideSecrets(config, TYPES);
  const hidden = '[hidden]';
  expect(shown).toEqual({ ...config, url: hidden, topic: hidden, 'retry.token': hidden, 'transforms.a.label': hidden });
  const secrets = new HiddenSecrets(true, { definitions: definitionsOf }, registry);
  const hide = await secrets.inTexts(caller, config);
  expect(hide('the key MIIhunter2 is too short')).toBe('the key [hidden] is too short');
});

test('database.sslkey and its other spelling are hidden, also as the name of a file', async () => {
  const config = { 'database.sslkey': '/etc/key.pem', sslkey: PEM, 'database.sslcert': '/etc/cert.pem' };
  const keys = shownKeys() as readonly unknown[] as readonly ConfigDefinitionInfo[];
  const secrets = new HiddenSecrets(true, { definitions: async () => await Promise.resolve(keys) }, registry);
  expect(await secrets.shown(caller, config, 'Postgres')).toEqual({
    'database.sslkey': '[hidden]',
    sslkey: '[hidden]',
    'database.sslcert': '/etc/cert.pem',
  });
  const types = keys.filter(({ name }) => name.endsWith('sslkey')).map(({ name, type }) => [name, type]);
  expect(Object.fromEntries(types)).toEqual({ 'database.sslkey': 'PASSWORD', sslkey: 'PASSWORD' });
});
