import { structSchema, schema, convertWhenReady } from '@millrace/sdk';
import { avroConverter } from '../../../connectors/converters-schema-registry/src/avro';

test('a struct that was read has no version, unless its schema says one', async () => {
  const converter = avroConverter.create();
  converter.configure({ 'schema.registry.url': 'mock://schema-version' }, false);
  const roundTrip = async (version: number | undefined): Promise<number | null | undefined> => {
    const of = structSchema([['id', schema('INT64')]], { name: 'row', ...(version !== undefined && { version }) });
    const bytes = Buffer.from(
      (await convertWhenReady(() => converter.fromConnectData('topic', of, { id: 1 }))) as Uint8Array,
    );
    return (await convertWhenReady(() => converter.toConnectData('topic', bytes))).schema?.version;
  };
  expect(await roundTrip(undefined)).toBeNull();
  expect(await roundTrip(7)).toBe(7);
});
