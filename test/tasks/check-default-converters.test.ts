import { ConfigError } from '@millrace/sdk';
import { StringConverter } from '../../src/converters/string-converter';
import type { BuiltInPlugin } from '../../src/plugins/registry';
import { RecordingLogger, sourceOf, ScriptedSource, world } from './fakes';
import { checkDefaultConverters } from '../../src/tasks/check-default-converters';

const JSON_CLASS = 'org.apache.kafka.connect.json.JsonConverter';
const PLUGIN = 'com.acme.Converter';
const plugin: BuiltInPlugin = {
  description: {
    type: 'converter',
    class: PLUGIN,
    version: '1',
    aliases: [],
    taskClass: null,
    location: '/plugins/acme',
  },
  plugin: { type: 'converter', config: [], create: () => new StringConverter() },
};

/** Returns the log lines. */
async function check(
  settings: Record<string, string>,
  createInThread: () => Promise<unknown> = () => Promise.reject(new Error('not expected')),
): Promise<readonly string[]> {
  const { config, registry } = world(sourceOf(new ScriptedSource([])), settings, [plugin]);
  const logger = new RecordingLogger();
  await checkDefaultConverters({ config, registry, createInThread, logger });
  return logger.lines;
}

test('built-in default converters and their settings', async () => {
  expect(await check({ 'key.converter': JSON_CLASS, 'key.converter.schemas.enable': 'false' })).toEqual([]);
});

test.each([
  ['key.converter', 'com.acme.AvroConverter', 'use one for the wire format of Confluent'],
  ['value.converter', 'com.acme.Lost', 'Install its plugin in plugin.path'],
  ['header.converter', JSON_CLASS + 'X', 'org.apache.kafka.connect.storage.SimpleHeaderConverter'],
])('%s=%s ends the start', async (key, name, hint) => {
  const text = `Invalid value ${name} for configuration ${key}: Class ${name} could not be found. `;
  const failure = await check({ [key]: name }).then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ code: 'CONVERTER_UNKNOWN', message: expect.stringContaining(text) as string });
  expect(failure).toMatchObject({ message: expect.stringContaining(hint) as string });
});

test('an invalid setting of a default converter ends the start', async () => {
  const settings = { 'value.converter': JSON_CLASS, 'value.converter.schemas.enable': 'perhaps' };
  await expect(check(settings)).rejects.toMatchObject({ code: 'CONVERTER_CONFIG' });
});

describe('a default converter of a plugin folder is created in a plugin thread', () => {
  const settings = { 'value.converter': PLUGIN };

  test('its settings are right', async () => {
    expect(await check(settings, async () => [])).toEqual([]);
  });

  test('invalid settings end the start', async () => {
    const refused = new ConfigError('schema.registry.url is missing', { code: 'CONVERTER_CONFIG' });
    await expect(check(settings, () => Promise.reject(refused))).rejects.toBe(refused);
  });

  test('what else is wrong with the plugin is logged, and shows in its tasks', async () => {
    expect(await check(settings, () => Promise.reject(new Error('the module has no such export')))).toEqual([
      'warn The default converters could not be checked: the module has no such export',
    ]);
  });

  test('a plugin that does not answer does not keep the worker from starting', async () => {
    jest.useFakeTimers();
    try {
      const checking = check(settings, () => new Promise(() => undefined));
      await jest.advanceTimersByTimeAsync(10_001);
      expect(await checking).toEqual(['warn The default converters could not be checked: no answer within 10 s']);
    } finally {
      jest.useRealTimers();
    }
  });
});
