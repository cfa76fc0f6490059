/** Settings of converters: an invalid one is an error, whoever set it (connect-runtime §6.2, §6.3). */
import { ConfigError, type ConverterPlugin } from '@millrace/sdk';
import type { BuiltInPlugin } from '../../src/plugins/registry';
import { taskConverters } from '../../src/tasks/task-converters';
import { ScriptedSource, sourceOf, world } from './fakes';

const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter';

/** Written before it had to be configured: its keys require more than its `configure` does. */
const lax: ConverterPlugin = {
  type: 'converter',
  config: [
    { name: 'registry.url', type: 'STRING', importance: 'HIGH', documentation: 'x' },
    { name: 'mode', type: 'STRING', default: '', importance: 'LOW', documentation: 'x', validator: () => 'never' },
  ],
  create: () => ({
    configure: () => undefined,
    fromConnectData: () => null,
    toConnectData: () => ({ schema: null, value: null }),
  }),
};
const installed: BuiltInPlugin = {
  description: {
    type: 'converter',
    class: 'com.acme.Lax',
    version: '1',
    aliases: [],
    taskClass: null,
    location: 'test',
  },
  plugin: lax,
};

const convertersOf = (connector: Record<string, string>, worker: Record<string, string>) => {
  const { config, registry } = world(sourceOf(new ScriptedSource([])), worker, [installed]);
  return taskConverters(connector, config, registry);
};

test.each([
  ['value', 'decimal.format', 'foo'],
  ['value', 'schemas.enable', 'maybe'],
  ['key', 'schemas.cache.size', 'many'],
  ['header', 'replace.null.with.default', 'yes'],
])('%s.converter.%s=%s is an error in the settings of the worker, and of a connector', async (part, name, value) => {
  const settings = { [`${part}.converter`]: JSON_CONVERTER, [`${part}.converter.${name}`]: value };
  const refusal = (owner: string) => ({
    code: 'CONVERTER_CONFIG',
    message: expect.stringMatching(
      `^${part}.converter.${name} in the ${owner} cannot be used: Invalid value ${value} for configuration ${name}: `,
    ) as unknown,
  });
  await expect(convertersOf({}, settings)).rejects.toMatchObject(refusal("worker's settings"));
  await expect(convertersOf(settings, {})).rejects.toMatchObject(refusal("connector's configuration"));
});

test('valid settings are accepted, and those for a converter that is not in use are ignored', async () => {
  const json = { 'value.converter': JSON_CONVERTER, 'value.converter.decimal.format': 'numeric' };
  expect((await convertersOf({}, json)).value.className).toBe(JSON_CONVERTER);
  const own = { 'value.converter': 'org.apache.kafka.connect.storage.StringConverter' };
  const wrong = { ...json, 'value.converter.decimal.format': 'foo' };
  expect((await convertersOf(own, wrong)).value.className).toBe(own['value.converter']);
});

test('a converter that worked without a key that it declares as required still does', async () => {
  const worker = { 'value.converter': 'com.acme.Lax' };
  expect((await convertersOf({}, worker)).value.className).toBe('com.acme.Lax');
});

test('what a converter itself refuses names the converter, and whose setting it is', async () => {
  const strict: BuiltInPlugin = {
    description: { ...installed.description, class: 'com.acme.Strict' },
    plugin: {
      ...lax,
      config: [],
      create: () => ({
        configure: () => {
          throw new ConfigError('registry.url is missing.', { code: 'REGISTRY_CONFIG' });
        },
        fromConnectData: () => null,
        toConnectData: () => ({ schema: null, value: null }),
      }),
    },
  };
  const settings = { 'value.converter': 'com.acme.Strict' };
  const refused = async (connector: Record<string, string>, worker: Record<string, string>): Promise<unknown> => {
    const { config, registry } = world(sourceOf(new ScriptedSource([])), worker, [strict]);
    return await taskConverters(connector, config, registry).catch((error: unknown) => error);
  };
  expect(await refused({}, settings)).toMatchObject({
    code: 'REGISTRY_CONFIG',
    message: "value.converter in the worker's settings cannot be used: registry.url is missing.",
  });
  expect(await refused(settings, {})).toMatchObject({
    message: "value.converter in the connector's configuration cannot be used: registry.url is missing.",
  });
});
