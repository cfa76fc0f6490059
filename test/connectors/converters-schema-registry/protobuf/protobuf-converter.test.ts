/** The converter of the manifest, with a registry in memory. */
import { converterReady, schema, structSchema, type Converter, type Schema, type SchemaAndValue } from '@millrace/sdk';
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';
import { protobufConverter } from '../../../../connectors/converters-schema-registry/src/protobuf';
import { startSchemaRegistry } from '../../../../packages/schema-registry/src/start-schema-registry';
import { seeded } from '../../../helpers/seeded';
import { errorOf, type Config } from './protobuf-harness';
import { Cases, configOf, tellsNull } from './seeded-cases';

const ROW = structSchema(
  [
    ['id', schema('INT64')],
    ['note', schema('STRING', { optional: true })],
  ],
  { name: 'db.Row' },
);

function open(scope: string, config: Config = {}): Converter {
  const converter = protobufConverter.create();
  converter.configure({ 'schema.registry.url': `mock://${scope}`, ...config }, false);
  return converter;
}

/** As the runtime: waits as often as the converter asks for it. */
async function ready<T>(run: () => T): Promise<T> {
  for (;;)
    try {
      return run();
    } catch (error) {
      const wait = converterReady(error);
      if (wait === null) throw error;
      await wait;
    }
}

const write = async (converter: Converter, of: Schema, value: unknown): Promise<Buffer> => {
  const bytes = await ready(() => converter.fromConnectData('topic', of, value));
  return Buffer.from(bytes as Uint8Array);
};
const read = (converter: Converter, bytes: Uint8Array): Promise<SchemaAndValue> =>
  ready(() => converter.toConnectData('topic', bytes));

test('writes the id, the message indexes and the message; and reads them', async () => {
  const converter = open('protobuf');
  const bytes = await write(converter, ROW, { id: 5, note: 'x' });
  expect(bytes.toString('hex')).toBe('00' + '00000001' + '00' + '0805120178');
  expect(await openRegistry({ 'schema.registry.url': 'mock://protobuf' }).client.byKey(1)).toMatchObject({
    type: 'PROTOBUF',
    references: [],
    text: 'syntax = "proto3";\n\nmessage Row {\n  int64 id = 1;\n  string note = 2;\n}\n',
  });
  expect((await read(converter, bytes)).value).toEqual({ id: 5, note: 'x' });
  expect(converter.fromConnectData('topic', ROW, null)).toBeNull();
  expect(converter.toConnectData('topic', null)).toEqual({ schema: null, value: null });
});

test('imports are references', async () => {
  const { client } = openRegistry({ 'schema.registry.url': 'mock://imports' });
  const part = {
    type: 'PROTOBUF',
    text: 'syntax = "proto3"; package p; message Part { int32 x = 1; }',
    references: [],
  } as const;
  await client.register('part.proto', part, false);
  const text = 'syntax = "proto3"; import "part.proto"; message M { p.Part part = 1; }';
  const references = [{ name: 'part.proto', subject: 'part.proto', version: 1 }];
  await client.register('topic-value', { type: 'PROTOBUF', text, references }, false);
  const converter = open('imports');
  const bytes = Buffer.from('00' + '00000002' + '00' + '0a020805', 'hex');
  expect((await read(converter, bytes)).value).toEqual({ part: { x: 5 } });
  const latest = open('imports', { 'auto.register.schemas': 'false', 'use.latest.version': 'true' });
  const own = structSchema([['part', structSchema([['x', schema('INT32')]])]], { name: 'M' });
  expect(await write(latest, own, { part: { x: 5 } })).toEqual(bytes);
});

test('a record of another format, or with a schema of another type', async () => {
  const { client } = openRegistry({ 'schema.registry.url': 'mock://others' });
  await client.register('topic-value', { type: 'AVRO', text: '"int"', references: [] }, false);
  const converter = open('others');
  await expect(read(converter, Buffer.from('00000000010a', 'hex'))).rejects.toMatchObject({ code: 'REGISTRY_TYPE' });
  await expect(read(converter, Buffer.from('{}'))).rejects.toMatchObject({ code: 'REGISTRY_FORMAT' });
});

test('with our own registry: texts come back in another form, with the same meaning', async () => {
  const { url, close } = await startSchemaRegistry({ port: 0 });
  try {
    for (let run = 0; run < 30; run++) {
      const random = seeded(run + 500);
      const config = { ...configOf(random), 'schema.registry.url': url };
      const one = new Cases(random, tellsNull(config)).struct(3, {});
      const [writer, reader] = [protobufConverter.create(), protobufConverter.create()];
      for (const converter of [writer, reader])
        converter.configure(
          { ...config, 'http.read.timeout.ms': converter === writer ? '60000' : `5${run}000` },
          false,
        );
      const value = one.value();
      const bytes = await ready(() => writer.fromConnectData(`topic-${run}`, one.schema, value));
      expect((await read(reader, Buffer.from(bytes as Uint8Array))).value).toEqual(value);
    }
  } finally {
    await close();
  }
});

test('settings: those that Confluent documents, with their defaults', () => {
  const defaults = Object.fromEntries(protobufConverter.config.map((key) => [key.name, key.default]));
  expect(defaults).toMatchObject({
    'enhanced.protobuf.schema.support': false,
    'scrub.invalid.names': false,
    'int.for.enums': false,
    'optional.for.nullables': false,
    'optional.for.proto2': true,
    'generate.index.for.unions': true,
    'generate.struct.for.nulls': false,
    'wrapper.for.nullables': false,
    'wrapper.for.raw.primitives': true,
    'flatten.unions': false,
    'generalized.sum.type.support': false,
    'schemas.cache.config': 1000,
  });
  expect(new Set(protobufConverter.config.map((key) => key.name)).size).toBe(protobufConverter.config.length);
  expect(errorOf(() => open('settings', { 'int.for.enums': 'maybe' }))).toMatchObject({ code: 'CONVERTER_CONFIG' });
  expect(() => open('settings', { 'int.for.enums': ' TRUE ' })).not.toThrow();
});
