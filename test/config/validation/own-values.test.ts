/** Plugins that parse and check their values themselves: `checkValues` of the SDK. */
import { ConnectError, type CheckedValue, type ConfigKey, type SourceConnector } from '@millrace/sdk';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import type { Checks, ConfigInfos } from '../../../src/config/validation/config-infos';
import type { ConfigResolver } from '../../../src/config/providers/config-resolver';
import { builtIn, fakeRegistry, fakeWorkerConfig } from '../../helpers/fake-plugins';

const key = (name: string, over: Partial<ConfigKey> = {}): ConfigKey => ({
  name,
  type: 'STRING',
  default: null,
  importance: 'HIGH',
  documentation: name,
  ...over,
});
const KEYS = [key('url', { default: undefined }), key('port', { type: 'INT' }), key('password', { type: 'PASSWORD' })];
const checked = (name: string, over: Partial<CheckedValue> = {}): CheckedValue => ({
  name,
  value: null,
  recommended: [],
  errors: [],
  visible: true,
  ...over,
});

let answer: (config: Readonly<Record<string, string>>) => unknown;
let calls: Readonly<Record<string, string>>[] = [];
beforeEach(() => (calls = []));
const checkValues = async (config: Readonly<Record<string, string>>): Promise<readonly CheckedValue[]> => {
  calls.push(config);
  return (await answer(config)) as readonly CheckedValue[];
};
const create = (): never => {
  throw new Error('nothing is started here');
};
const connector: SourceConnector = { type: 'source', config: KEYS, checkValues, createTask: create };
const registry = fakeRegistry([
  builtIn('com.acme.JdbcSource', connector),
  builtIn('com.acme.Smt', { type: 'transformation', config: KEYS, checkValues, create }),
  builtIn('com.acme.Check', { type: 'predicate', config: KEYS, checkValues, create }),
  builtIn('com.acme.Conv', { type: 'converter', config: KEYS, checkValues, create }),
]);
const NAMED = { name: 'a', 'connector.class': 'com.acme.JdbcSource' };

const validate = (
  config: Record<string, string | null>,
  checks?: Checks,
  more: { resolver?: Pick<ConfigResolver, 'resolve'>; pluginLimitMs?: number } = {},
): Promise<ConfigInfos> =>
  createConfigValidator({ registry, config: fakeWorkerConfig(), ...more }).validate({ ...NAMED, ...config }, checks);
const of = (infos: ConfigInfos, name: string): ConfigInfos['configs'][number] | undefined =>
  infos.configs.find(({ definition, value }) => (definition?.name ?? value?.name) === name);

test('the answer has values, errors, recommended values and visibility as the plugin returns them, in Java’s order', async () => {
  answer = () => [
    checked('extra', { value: 'x', errors: ['Unknown key'] }),
    checked('password', { value: 's3cret' }),
    checked('url', { value: 'jdbc:', errors: ['Invalid value jdbc: for configuration url: no host', 'second'] }),
    checked('name', { value: 'a', errors: ['Not this name'] }),
  ];
  const infos = await validate({ url: 'jdbc:', port: 'abc', password: 's3cret' });
  expect(calls).toEqual([{ ...NAMED, url: 'jdbc:', port: 'abc', password: 's3cret' }]);
  // Without a definition first; then the framework's keys; then the plugin's.
  expect(infos.configs[0]).toEqual({
    definition: null,
    value: { name: 'extra', value: 'x', recommended_values: [], errors: ['Unknown key'], visible: true },
  });
  expect(infos.configs.slice(-3).map(({ definition }) => definition?.name)).toEqual(['url', 'port', 'password']);
  expect(of(infos, 'url')?.value).toMatchObject({
    value: 'jdbc:',
    errors: ['Invalid value jdbc: for configuration url: no host', 'second'],
  });
  // As in Java: a definition without a value, if the plugin says nothing about it.
  expect(of(infos, 'port')).toMatchObject({ definition: { name: 'port', type: 'INT' }, value: null });
  expect(of(infos, 'password')?.value?.value).toBe('[hidden]');
  expect(of(infos, 'name')).toMatchObject({ definition: { name: 'name' }, value: { errors: ['Not this name'] } });
  expect(infos.error_count).toBe(4);
});

test('long values, recommended values and visibility are the plugin’s', async () => {
  const long = 'u'.repeat(10_000);
  answer = () => [checked('url', { value: long, recommended: ['u', 'v'], visible: false })];
  expect(of(await validate({ url: 'u' }), 'url')?.value).toEqual({
    name: 'url',
    value: long,
    recommended_values: ['u', 'v'],
    errors: [],
    visible: false,
  });
});

test('callers without the role admin: the plugin is not called; types and required keys are checked', async () => {
  answer = () => [];
  const used = {
    port: 'abc',
    transforms: 't',
    'transforms.t.type': 'com.acme.Smt',
    'value.converter': 'com.acme.Conv',
    predicates: 'p',
    'predicates.p.type': 'com.acme.Check',
    'predicates.p.url': 'u',
  };
  const infos = await validate(used, 'keys');
  expect(calls).toEqual([]);
  const errors = infos.configs.flatMap(({ value }) => value?.errors ?? []);
  expect(errors).toEqual([
    'Missing required configuration "transforms.t.url" which has no default value.',
    'Missing required configuration "url" which has no default value.',
    'Invalid value abc for configuration port: Not a number of type INT',
    'Missing required configuration "url" which has no default value.',
  ]);
});

test('converters, transformations and predicates get their settings without prefix', async () => {
  answer = ({ url }) =>
    url === undefined
      ? [checked('url', { errors: ['Missing required configuration "url" which has no default value.', 'more'] })]
      : [
          checked('url', {
            value: url.toUpperCase(),
            errors: url === 'bad' ? ['Invalid value bad for configuration url: no'] : [],
          }),
        ];
  const infos = await validate({
    url: 'u',
    transforms: 't,s',
    'transforms.t.type': 'com.acme.Smt',
    'transforms.s.type': 'com.acme.Smt',
    'transforms.s.url': 'bad',
    predicates: 'p',
    'predicates.p.type': 'com.acme.Check',
    'predicates.p.url': 'x',
    'key.converter': 'com.acme.Conv',
    'key.converter.url': 'y',
  });
  expect(calls).toContainEqual({ type: 'com.acme.Smt' });
  expect(calls).toContainEqual({ type: 'com.acme.Check', url: 'x' });
  expect(calls).toContainEqual({ url: 'y', 'converter.type': 'key' });
  // Java names the whole key where it parses, and the short one where the plugin's own validator speaks.
  expect(of(infos, 'transforms.t.url')?.value?.errors).toEqual([
    'Missing required configuration "transforms.t.url" which has no default value.',
    'more',
  ]);
  expect(of(infos, 'transforms.s.url')?.value?.errors).toEqual(['Invalid value bad for configuration url: no']);
  expect(of(infos, 'predicates.p.url')?.value?.value).toBe('X');
  expect(of(infos, 'key.converter.url')?.value?.value).toBe('Y');
});

test('values of config providers are disclosed nowhere, whatever the plugin returns', async () => {
  answer = ({ password }) => [
    checked('password', { value: password as string, errors: [`bad ${password}`] }),
    checked('url', { value: `u?${password}`, recommended: [`r?${password}`], errors: [`no ${password}`] }),
    checked('copy', { value: password as string }),
  ];
  const resolve: ConfigResolver['resolve'] = async (config) =>
    Object.fromEntries(
      Object.entries(config).map(([name, value]) => [name, value?.replace('${file:/s:pw}', 's3cret-value') ?? value]),
    ) as never;
  const infos = await validate({ url: 'u', password: '${file:/s:pw}' }, 'all', { resolver: { resolve } });
  expect(calls[0]?.password).toBe('s3cret-value');
  expect(JSON.stringify(infos)).not.toContain('s3cret');
  expect(of(infos, 'password')?.value).toMatchObject({ value: '${file:/s:pw}' });
  expect(of(infos, 'url')?.value?.recommended_values).toEqual(['r?${file:/s:pw}']);
});

test.each([
  ['no list', null],
  ['no object', ['x']],
  ['no name', [{ ...checked('a'), name: 1 }]],
  ['a number as value', [{ ...checked('a'), value: 1 }]],
  ['a text as errors', [{ ...checked('a'), errors: 'x' }]],
  ['no visibility', [{ ...checked('a'), visible: undefined }]],
])('a result with %s is the plugin’s fault', async (_case, result) => {
  answer = () => result;
  await expect(validate({ url: 'u' })).rejects.toMatchObject({ code: 'VALIDATE_RESULT' });
});

test('names like __proto__ are data, and huge results are bounded', async () => {
  answer = () => [
    checked('__proto__', { value: 'p', errors: ['x'] }),
    checked('constructor', { value: 'c' }),
    checked('url', { value: 'u'.repeat(100_000), errors: Array.from({ length: 1_000 }, () => 'e'.repeat(100_000)) }),
    ...Array.from({ length: 20_000 }, (_, i) => checked(`k${i}`)),
  ];
  const infos = await validate({ url: 'u' });
  expect(of(infos, '__proto__')?.value).toMatchObject({ value: 'p', errors: ['x'] });
  expect(of(infos, 'constructor')?.value?.value).toBe('c');
  expect(infos.configs.length).toBeLessThan(10_100);
  const { value } = of(infos, 'url') as { value: { value: string; errors: readonly string[] } };
  expect(value.errors).toHaveLength(100);
  for (const text of [value.value, value.errors[0]]) expect(text?.length).toBeLessThan(33_000);
});

test('a plugin that throws or does not answer is an error of the request', async () => {
  answer = () => Promise.reject(new ConnectError('the database is away'));
  await expect(validate({ url: 'u' })).rejects.toThrow('the database is away');
  answer = () => new Promise(() => undefined);
  await expect(validate({ url: 'u' }, 'all', { pluginLimitMs: 20 })).rejects.toThrow('Request timed out.');
});
