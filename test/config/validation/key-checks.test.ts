/** Validation for callers who may not make the worker connect, read files or run anything. */
import type { ConfigProblem, ConnectorConfig, SourceConnector } from '@millrace/sdk';
import type { ConfigInfos } from '../../../src/config/validation/config-infos';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { silentLogger } from '../../../src/logging/logger';
import { createPluginRegistry } from '../../../src/plugins/create-registry';
import { fakeWorkerConfig } from '../../helpers/fake-plugins';

let calls: string[];
beforeEach(() => (calls = []));

const resolver = {
  resolve: (config: object) => {
    calls.push('resolve');
    return Promise.resolve(config as never);
  },
};

async function check(
  more: Partial<SourceConnector>,
  config: Record<string, string> = {},
  checks: 'all' | 'keys' = 'keys',
): Promise<{ readonly infos: ConfigInfos; readonly errors: Record<string, readonly string[]> }> {
  const plugin: SourceConnector = {
    type: 'source',
    config: [
      { name: 'topic', type: 'STRING', importance: 'HIGH', documentation: 'Topic.' },
      { name: 'size', type: 'INT', default: 1, importance: 'LOW', documentation: 'Size.' },
    ],
    validate: () => (calls.push('validate'), []),
    exactlyOnceSupport: () => (calls.push('exactlyOnceSupport'), 'supported'),
    canDefineTransactionBoundaries: () => (calls.push('canDefineTransactionBoundaries'), 'supported'),
    createTask: () => {
      throw new Error('no task is started here');
    },
    ...more,
  };
  const registry = createPluginRegistry({
    pluginPath: [],
    catalog: { entries: [], problems: [] },
    logger: silentLogger,
    builtIns: [
      {
        description: {
          ...{ type: 'source', class: 'org.example.Probe', version: '1', aliases: [] },
          ...{ taskClass: null, location: 'built-in' },
        } as const,
        plugin,
      },
    ],
  });
  const settings = { 'exactly.once.source.support': 'enabled' };
  const worker = { ...fakeWorkerConfig(settings), exactlyOnceSourceSupport: 'enabled' as const };
  const infos = await createConfigValidator({ registry, config: worker, resolver }).validate(
    {
      ...{ name: 'p', 'connector.class': 'org.example.Probe', topic: 't' },
      ...{ 'exactly.once.support': 'required', 'transaction.boundary': 'connector' },
      ...{ 'key.converter': '', 'value.converter': '', 'header.converter': '', ...config },
    },
    checks,
  );
  const own = infos.configs.flatMap(({ value }) =>
    value && ['topic', 'size'].includes(value.name) ? [[value.name, value.errors] as const] : [],
  );
  return { infos, errors: Object.fromEntries(own) };
}

test('all checks call the methods of the connector and its config providers', async () => {
  await check({}, {}, 'all');
  expect(calls).toEqual(['resolve', 'exactlyOnceSupport', 'canDefineTransactionBoundaries', 'validate']);
});

test('checks of keys call none of them, and report values that are wrong by themselves', async () => {
  expect((await check({}, { size: 'x' })).errors).toEqual({
    topic: [],
    size: [expect.stringContaining('Not a number of type INT')],
  });
  expect(calls).toEqual([]);
});

const refuse = ({ topic = '' }: ConnectorConfig): readonly ConfigProblem[] => {
  calls.push('checkKeys');
  return [
    { key: 'topic', message: `${topic} is bad` },
    { key: 'size', message: 'size is bad' },
  ];
};

test('checkKeys of a connector is called', async () => {
  expect((await check({ checkKeys: refuse })).errors).toEqual({ topic: ['t is bad'], size: ['size is bad'] });
  expect(calls).toEqual(['checkKeys']);
});

test('a connector with checks of values of its own: checkKeys makes them, otherwise the runtime', async () => {
  const own = { validatesValues: true, validate: refuse };
  expect((await check({ ...own, checkKeys: refuse }, { size: 'x' })).errors.size).toEqual(['size is bad']);
  expect((await check(own, { size: 'x' })).errors.size).toEqual([expect.stringContaining('Not a number')]);
  expect(calls).toEqual(['checkKeys']);
});

test('placeholders are not replaced: their keys have no errors, and are shown as they are', async () => {
  const placeholder = '${file:/secrets:size}';
  const { infos, errors } = await check({ checkKeys: refuse }, { size: placeholder, topic: 'x-${env:A}' });
  expect(errors).toEqual({ topic: [], size: [] });
  expect(JSON.stringify(infos.configs)).toContain(JSON.stringify(placeholder));
  expect(calls).not.toContain('resolve');
});
