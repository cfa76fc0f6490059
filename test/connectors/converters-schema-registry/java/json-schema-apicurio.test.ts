/**
 * Schemas of the JSON Schema converter in Apicurio Registry, whose Java libraries read and compare them. It takes
 * a text for JSON Schema only if that has `$schema`, or is an object with properties.
 */
import { convertWhenReady, optional, schema, structSchema, type Converter, type Schema } from '@millrace/sdk';
import { jsonSchemaConverter } from '../../../../connectors/converters-schema-registry/src/json-schema';
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';
import type { SchemaRegistry } from '../../../../connectors/converters-schema-registry/src/registry/schema-registry';
import { startApicurio, type Apicurio } from '../../../../dev/services/apicurio';
import { seeded } from '../../../helpers/seeded';
import { schemaText, type Config } from '../json-schema/json-schema-harness';
import { RandomSchemas, SETTINGS } from '../json-schema/random-schemas';

const STRING = schema('STRING');
let apicurio: Apicurio;
let registry: SchemaRegistry;
beforeAll(async () => {
  apicurio = await startApicurio();
  registry = openRegistry({ 'schema.registry.url': apicurio.url }).client;
});
afterAll(async () => {
  await apicurio.stop();
});

function converterOf(config: Config): Converter {
  const converter = jsonSchemaConverter.create();
  converter.configure({ 'schema.registry.url': apicurio.url, ...config }, false);
  return converter;
}

const write = async (converter: Converter, topic: string, of: Schema, value: unknown) =>
  await convertWhenReady(() => Buffer.from(converter.fromConnectData(topic, of, value) as Uint8Array));

async function compatibility(subject: string, level: string): Promise<void> {
  await fetch(`${apicurio.url}/config/${subject}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ compatibility: level }),
  });
}

test('random schemas with all settings are registered', async () => {
  const generator = new RandomSchemas(seeded(11));
  for (let i = 0; i < 96; i++) {
    const config = SETTINGS[i % SETTINGS.length] as Config;
    const of = { ...generator.struct(3), optional: config['json.schema.spec.version'] !== 'draft_7' && i % 2 === 0 };
    const text = schemaText(of, config);
    const { id } = await registry.register(`random-${i}`, { type: 'JSON', text, references: [] }, false);
    await expect(registry.byKey(id)).resolves.toMatchObject({ type: 'JSON', text });
  }
});

test('an optional field more is compatible where members must be declared, and another type is not', async () => {
  const converter = converterOf({ 'object.additional.properties': 'false' });
  const of = (...more: [string, Schema][]) => structSchema([['id', schema('INT64')], ...more], { name: 'Order' });
  await write(converter, 'closed', of(), { id: 1 });
  await compatibility('closed-value', 'BACKWARD');
  const second = await write(converter, 'closed', of(['note', optional(STRING)]), { id: 2, note: 'x' });
  const read = await convertWhenReady(() => converter.toConnectData('closed', second));
  expect(read.value).toEqual({ id: 2, note: 'x' });
  const other = structSchema([['id', STRING]], { name: 'Order' });
  await expect(write(converter, 'closed', other, { id: 'x' })).rejects.toMatchObject({ code: 'REGISTRY_INCOMPATIBLE' });
});

test('references are resolved, and validated with', async () => {
  await registry.register(
    'city',
    {
      type: 'JSON',
      text: '{"$schema":"http://json-schema.org/draft-07/schema#","type":"string","minLength":2}',
      references: [],
    },
    false,
  );
  const references = [{ name: 'city.json', subject: 'city', version: 1 }];
  const text = '{"type":"object","properties":{"city":{"$ref":"city.json"}}}';
  const { id } = await registry.register('places-value', { type: 'JSON', text, references }, false);
  const converter = converterOf({
    'json.fail.invalid.schema': 'true',
    'use.latest.version': 'true',
    'auto.register.schemas': 'false',
  });
  const of = structSchema([['city', STRING]]);
  const bytes = await write(converter, 'places', of, { city: 'Bern' });
  expect(bytes.readInt32BE(1)).toBe(id);
  expect(bytes.toString('utf8', 5)).toBe('{"city":"Bern"}');
  await expect(write(converter, 'places', of, { city: 'B' })).rejects.toMatchObject({ code: 'JSON_SCHEMA_DATA' });
});
