/** Every place that looks plugins up by a config takes the version that the config asks for. */
import type { ConfigKey, ConverterPlugin, SourceConnector, TransformationPlugin } from '@millrace/sdk';
import { ConnectorPlugins } from '../../src/cluster/running/connector-plugins';
import { PluginNames } from '../../src/cluster/running/plugin-names';
import { usedPlugins } from '../../src/cluster/running/used-plugins';
import { classDifferences } from '../../src/config/differences/class-differences';
import { createConfigValidator } from '../../src/config/validation/connector-validator';
import { silentLogger } from '../../src/logging/logger';
import type { BuiltInPlugin, PluginRegistry } from '../../src/plugins/registry';
import { taskConverters } from '../../src/tasks/task-converters';
import { configuredSteps, taskTransforms } from '../../src/tasks/task-transforms';
import { builtIn, fakeRegistry, fakeWorkerConfig } from '../helpers/fake-plugins';

/** Defines a key that tells which version it is. */
const key = (name: string): ConfigKey => ({
  ...{ name, type: 'STRING', default: null, importance: 'LOW', documentation: '' },
});
/** What has been created: versions. */
let created: string[] = [];
const part = (version: string) => {
  created.push(version);
  return { configure: () => undefined, apply: (record: unknown) => record, close: () => undefined } as never;
};
const source = (version: string): SourceConnector => ({
  ...{ type: 'source', config: [key(`of.${version}`)], createTask: (): never => part(version) },
});
const converter = (version: string): ConverterPlugin => ({
  ...{ type: 'converter', config: [key(`of.${version}`)], create: () => part(version) },
});
const transformation = (version: string): TransformationPlugin => ({
  ...{ type: 'transformation', config: [key(`of.${version}`)], create: () => part(version) },
});
/** A native 2.0, and 1.0, 2.0 and 3.0 in jars. */
const installed = (className: string, plugin: (version: string) => BuiltInPlugin['plugin']): BuiltInPlugin[] => [
  builtIn(className, plugin('native'), '2.0'),
  ...['1.0', '2.0', '3.0'].map((version) => {
    const { description, plugin: loaded } = builtIn(className, plugin(version), version);
    return { description: { ...description, location: `/jars/${version}`, java: true as const }, plugin: loaded };
  }),
];
const registry: PluginRegistry = fakeRegistry([
  ...installed('x.BoxSourceConnector', source),
  ...installed('x.BoxConverter', converter),
  ...installed('x.BoxSmt', transformation),
]);
const worker = {
  ...fakeWorkerConfig(),
  withPrefix: (prefix: string): Record<string, string> =>
    prefix === 'value.converter.' ? { 'plugin.version': '[1.0,2.0)' } : {},
  valueConverter: 'x.BoxConverter',
};
const NAMES = { 'connector.class': 'BoxSource', 'key.converter': 'BoxConverter' };
const VERSIONS = { 'connector.plugin.version': '2.0', 'key.converter.plugin.version': '[2.5,4)' };
const SMT = { transforms: 'a', 'transforms.a.type': 'BoxSmt' };
const where = (plugin: { readonly location: string } | null | undefined): string => plugin?.location ?? 'none';

beforeEach(() => (created = []));

test('the list: ascending versions of a class', () => {
  const of = registry.list().filter((plugin) => plugin.class === 'x.BoxConverter');
  expect(of.map(({ version }) => version)).toEqual(['1.0', '2.0', '2.0', '3.0']);
});

test('the herder: connector, what connectors use, names in metrics', () => {
  const plugins = new ConnectorPlugins(registry);
  expect(where(plugins.describe(NAMES))).toBe('built-in');
  expect(where(plugins.describe({ ...NAMES, ...VERSIONS }))).toBe('/jars/2.0');
  expect(where(plugins.require({ ...NAMES, ...VERSIONS }))).toBe('/jars/2.0');
  expect(plugins.type({ ...NAMES, 'connector.plugin.version': '9' })).toBe('unknown');
  expect(
    usedPlugins({ ...NAMES, ...SMT, ...VERSIONS, 'transforms.a.plugin.version': '1.0' }, worker, registry),
  ).toEqual(
    ['/jars/2.0', '/jars/3.0', '/jars/1.0', 'built-in', '/jars/1.0'].map((location) =>
      expect.objectContaining({ location }),
    ),
  );
  const names = new PluginNames(plugins, registry, worker).ofTask({ ...NAMES, ...VERSIONS });
  expect(['connector', 'key-converter', 'value-converter'].map((one) => names.get(one)?.version)).toEqual([
    '2.0',
    '3.0',
    '1.0',
  ]);
});

test('connect-rest 3.5: a worker without the version reports Java’s error', () => {
  const plugins = new ConnectorPlugins(fakeRegistry([builtIn('x.BoxSourceConnector', source('native'), '2.0')]));
  expect(() => plugins.require({ ...NAMES, 'connector.plugin.version': '[3.0,)' })).toThrow(
    expect.objectContaining({
      javaClass: 'org.apache.kafka.common.config.ConfigException',
      message: 'Plugin x.BoxSourceConnector not found that matches the version range [3.0,), available versions: [2.0]',
    }),
  );
});

test('a task: converters of the connector and of the worker, transformations', async () => {
  await taskConverters({ ...NAMES, ...VERSIONS }, worker as never, registry).catch(() => undefined);
  await taskTransforms(configuredSteps(SMT), { registry, logger: silentLogger, owner: { connector: 'c', task: 0 } });
  await taskTransforms(configuredSteps({ ...SMT, 'transforms.a.plugin.version': '2.0' }), {
    registry,
    logger: silentLogger,
    owner: { connector: 'c', task: 0 },
  });
  expect(created).toEqual(['3.0', '1.0', 'native', '2.0']);
});

describe('validation', () => {
  const validator = createConfigValidator({ registry, config: worker });
  const keysOf = async (config: Record<string, string>): Promise<readonly string[]> => {
    const { configs } = await validator.validate({ name: 'c', ...config });
    return configs.map((entry) => entry.value?.name ?? '').filter((name) => /\bof\./.test(name));
  };

  test('the keys are those of the version', async () => {
    expect(await keysOf({ ...NAMES, ...SMT })).toEqual([
      'transforms.a.of.native',
      'of.native',
      'key.converter.of.native',
    ]);
    const asked = { ...NAMES, ...SMT, ...VERSIONS, 'transforms.a.plugin.version': '[1.0,3.0)' };
    expect(await keysOf(asked)).toEqual(['transforms.a.of.2.0', 'of.2.0', 'key.converter.of.3.0']);
  });

  test('the default is the version that runs, others are recommended', async () => {
    const { configs } = await validator.validate({ name: 'c', ...NAMES, ...SMT });
    const shown = (name: string) => {
      const found = configs.find(({ value }) => value?.name === name);
      return [found?.definition?.default_value, found?.value?.recommended_values];
    };
    for (const name of ['connector', 'key.converter', 'transforms.a'])
      expect([name, shown(`${name}.plugin.version`)]).toEqual([name, ['2.0', ['1.0', '2.0', '3.0']]]);
  });

  test('definitions of a version', async () => {
    const defined = async (version?: string) =>
      (await validator.definitions('BoxSource', version))
        .map(({ name }) => name)
        .filter((name) => name.startsWith('of.'));
    expect(await Promise.all([defined(), defined('2.0'), defined('[1,2)')])).toEqual([
      ['of.native'],
      ['of.2.0'],
      ['of.1.0'],
    ]);
    await expect(defined('9')).rejects.toMatchObject({
      status: 400,
      message:
        'Plugin x.BoxSourceConnector not found that matches the version range [9,9], available versions: [1.0, 2.0, 2.0, 3.0]',
    });
  });
});

test('doctor --from-java: a version that is not installed', () => {
  expect(classDifferences({ ...NAMES, ...VERSIONS }, registry)).toEqual([]);
  expect(classDifferences({ ...NAMES, 'key.converter.plugin.version': '9' }, registry)).toContainEqual({
    key: 'key.converter',
    kind: 'rejected',
    message:
      'Plugin x.BoxConverter not found that matches the version range [9,9], available versions: [1.0, 2.0, 2.0, 3.0].',
    instead: 'Install this version, or name another.',
  });
});
