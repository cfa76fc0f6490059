import { HiddenSecrets, hideSecrets } from '../../../src/rest/auth/hidden-secrets';
import type { ConfigDefinitionInfo } from '../../../src/config/validation/config-infos';

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

test('for an unknown plugin, the names decide', () => {
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
  const secrets = new HiddenSecrets(true, validator);
  expect(await secrets.shown({ user: 'a', role: 'admin' }, CONFIG, 'X')).toBe(CONFIG);
  expect(await new HiddenSecrets(false, validator).shown(caller, CONFIG, 'X')).toBe(CONFIG);
  expect(reads).toBe(0);
  for (let i = 0; i < 3; i++) expect((await secrets.shown(caller, CONFIG, 'X'))['db.code']).toBe('[hidden]');
  expect(reads).toBe(1);
});

test('keys of converters, transformations and predicates have the types of their plugins', async () => {
  const config = {
    'connector.class': 'Unknown',
    'value.converter': 'X',
    'value.converter.db.code': 'hunter2',
    'transforms.t.type': 'X',
    'transforms.t.db.code': 'hunter2',
    'transforms.t.retry.token': '5',
    'transforms.other.db.code': 'shown',
    'key.converter.db.code': 'shown',
  };
  const definitionsOf = (plugin: string): Promise<readonly ConfigDefinitionInfo[]> =>
    plugin === 'X' ? Promise.resolve(definitions) : Promise.reject(new Error('unknown'));
  const secrets = new HiddenSecrets(true, { definitions: definitionsOf });
  expect(await secrets.shown(caller, config, 'Unknown')).toEqual({
    ...config,
    'value.converter.db.code': '[hidden]',
    'transforms.t.db.code': '[hidden]',
  });
});

test('a plugin that cannot be loaded is an unknown one', async () => {
  const secrets = new HiddenSecrets(true, { definitions: () => Promise.reject(new Error('silent')) });
  expect((await secrets.shown({ user: 'r', role: null }, CONFIG, 'X'))['api.key']).toBe('[hidden]');
  expect((await secrets.shown(caller, CONFIG, undefined))['api.key']).toBe('[hidden]');
});

test('a config with the mark is refused while roles are set', () => {
  const validator = { definitions: async () => await Promise.resolve(definitions) };
  const refused = (): void => new HiddenSecrets(true, validator).requireWhole({ a: null, url: 'x://me:[hidden]@db' });
  expect(refused).toThrow(/^The value of "url" has the mark \[hidden\].* \(REST_HIDDEN_VALUE\)$/);
  expect(() => new HiddenSecrets(false, validator).requireWhole({ url: '[hidden]' })).not.toThrow();
});
