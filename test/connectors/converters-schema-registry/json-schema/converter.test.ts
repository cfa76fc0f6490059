/** The whole converter, with a registry in memory: subjects, ids, evolution, and the schema that the settings say. */
import {
  convertWhenReady,
  optional,
  schema,
  structSchema,
  type Converter,
  type ConnectorConfig,
  type Schema,
  type SchemaAndValue,
} from '@millrace/sdk';
import { jsonSchemaConverter } from '../../../../connectors/converters-schema-registry/src/json-schema';
import { memoryRegistry } from '../../../../connectors/converters-schema-registry/src/registry/memory-registry';
import { thrownBy } from './json-schema-harness';

const STRING = schema('STRING');
let scopes = 0;

function converterOf(
  config: ConnectorConfig = {},
  scope = `json-schema-${++scopes}`,
): { converter: Converter; scope: string } {
  const converter = jsonSchemaConverter.create();
  converter.configure({ 'schema.registry.url': `mock://${scope}`, ...config }, false);
  return { converter, scope };
}

const write = async (converter: Converter, of: Schema | null, value: unknown) =>
  await convertWhenReady(() => {
    const bytes = converter.fromConnectData('orders', of, value);
    return bytes === null ? null : Buffer.from(bytes);
  });
const read = async (converter: Converter, bytes: Uint8Array | null): Promise<SchemaAndValue> =>
  await convertWhenReady(() => converter.toConnectData('orders', bytes));

test('records have the id of their schema, and are read by it', async () => {
  const { converter, scope } = converterOf();
  const of = structSchema([['id', schema('INT64')]], { name: 'Order' });
  const bytes = await write(converter, of, { id: 2n ** 60n });
  expect(bytes?.toString('latin1')).toBe('\0\0\0\0\u0001{"id":1152921504606846976}');
  expect(await read(converter, bytes)).toEqual({ schema: of, value: { id: 2n ** 60n } });
  expect(await memoryRegistry(scope).latest('orders-value')).toMatchObject({
    type: 'JSON',
    text: '{"type":"object","title":"Order","properties":{"id":{"type":"integer","connect.type":"int64","connect.index":0}}}',
  });
});

test('records of an older schema are read by theirs', async () => {
  const { converter } = converterOf();
  const first = structSchema([['a', STRING]]);
  const second = structSchema([
    ['a', STRING],
    ['b', optional(STRING)],
  ]);
  const old = await write(converter, first, { a: 'x' });
  const young = await write(converter, second, { a: 'y', b: 'z' });
  expect(await read(converter, young)).toEqual({ schema: second, value: { a: 'y', b: 'z' } });
  expect(await read(converter, old)).toEqual({ schema: first, value: { a: 'x' } });
});

test('tombstones are null, and so is null of an optional schema', async () => {
  const { converter } = converterOf();
  expect(await write(converter, null, null)).toBeNull();
  expect(await write(converter, structSchema([['a', STRING]], { optional: true }), null)).toBeNull();
  expect(await read(converter, null)).toEqual({ schema: null, value: null });
});

test('RecordNameStrategy takes the name of the struct', async () => {
  const { converter, scope } = converterOf({
    'value.subject.name.strategy': 'io.confluent.kafka.serializers.subject.RecordNameStrategy',
  });
  await write(converter, structSchema([['a', STRING]], { name: 'com.example.A' }), { a: 'x' });
  expect((await memoryRegistry(scope).latest('com.example.A')).id).toBe(1);
});

test('use.latest.version writes what the registry has, or says what it cannot hold', async () => {
  const scope = `json-schema-${++scopes}`;
  const registry = memoryRegistry(scope);
  const text = '{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}';
  await registry.register('orders-value', { type: 'JSON', text, references: [] }, false);
  const config = { 'use.latest.version': 'true', 'auto.register.schemas': 'false' };
  const { converter } = converterOf(config, scope);
  const bytes = await write(converter, structSchema([['a', optional(STRING)]]), { a: null });
  expect(bytes?.toString('latin1')).toBe('\0\0\0\0\u0001{}');
  await expect(write(converter, structSchema([['b', STRING]]), { b: 'x' })).rejects.toMatchObject({
    code: 'CONVERTER_MISMATCH',
    place: { field: 'b', schemaId: 1 },
  });
});

test('references of the registry are resolved', async () => {
  const { converter, scope } = converterOf();
  const registry = memoryRegistry(scope);
  await registry.register('city', { type: 'JSON', text: '{"type":"string"}', references: [] }, false);
  const references = [{ name: 'city.json', subject: 'city', version: 1 }];
  const text = '{"type":"object","properties":{"city":{"$ref":"city.json"}}}';
  const { id } = await registry.register('orders-value', { type: 'JSON', text, references }, false);
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, 0, id]), Buffer.from('{"city":"Bern"}')]);
  expect(await read(converter, bytes)).toMatchObject({ value: { city: 'Bern' } });
});

test.each([
  ['json.fail.invalid.schema', 'maybe', 'must be true or false'],
  ['json.schema.spec.version', 'draft_3', 'must be one of draft_4, draft_6, draft_7, draft_2019_09, draft_2020_12'],
  ['decimal.format', 'TEXT', 'must be one of BASE64, NUMERIC'],
])('the setting %s=%s is refused', (key, value, reason) => {
  expect(thrownBy(() => converterOf({ [key]: value }))).toMatchObject({
    code: 'CONVERTER_CONFIG',
    message: `The converter setting "${key}" ${reason}.`,
  });
});

test('the settings have the defaults of the documentation', () => {
  const own = Object.fromEntries(jsonSchemaConverter.config.map(({ name, default: value }) => [name, value]));
  expect(own).toMatchObject({
    'json.fail.invalid.schema': false,
    'json.oneof.for.nullables': true,
    'json.schema.spec.version': 'draft_7',
    'json.write.dates.iso8601': false,
    'object.additional.properties': true,
    'use.optional.for.nonrequired': false,
    'decimal.format': 'BASE64',
    'generalized.sum.type.support': false,
    'ignore.default.for.nullables': false,
    'schemas.cache.config': 1000,
  });
});
