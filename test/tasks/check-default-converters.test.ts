import { sourceOf, ScriptedSource, world } from './fakes';
import { checkDefaultConverters } from '../../src/tasks/check-default-converters';

const JSON_CLASS = 'org.apache.kafka.connect.json.JsonConverter';
const check = async (settings: Record<string, string>): Promise<void> => {
  const { config, registry } = world(sourceOf(new ScriptedSource([])), settings);
  await checkDefaultConverters(config, registry);
};

test('built-in default converters and their settings', async () => {
  await check({ 'key.converter': JSON_CLASS, 'key.converter.schemas.enable': 'false' });
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
