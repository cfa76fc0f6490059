/** The whole converter, with a registry in memory: ids, evolution, and the schema that the settings say. */
import {
  convertWhenReady,
  optional,
  schema,
  structSchema,
  type ConnectorConfig,
  type Converter,
  type Schema,
  type SchemaAndValue,
} from '@millrace/sdk';
import { avroConverter } from '../../../../connectors/converters-schema-registry/src/avro';
import { thrownBy } from './avro-harness';

let scopes = 0;
const newScope = (): string => `avro-${++scopes}`;

function converterOf(scope: string, config: ConnectorConfig = {}): Converter {
  const converter = avroConverter.create();
  converter.configure({ 'schema.registry.url': `mock://${scope}`, ...config }, false);
  return converter;
}

const write = async (converter: Converter, of: Schema | null, value: unknown): Promise<Buffer> =>
  await convertWhenReady(() => Buffer.from(converter.fromConnectData('orders', of, value) as Uint8Array));
const read = async (converter: Converter, bytes: Uint8Array | null): Promise<SchemaAndValue> =>
  await convertWhenReady(() => converter.toConnectData('orders', bytes));

const ID = schema('INT64');
const ORDER = structSchema([['id', ID]], { name: 'Order' });
const ORDER_2 = structSchema(
  [
    ['id', ID],
    ['note', schema('STRING', { optional: true })],
  ],
  { name: 'Order' },
);

test('records have the id of their schema, and each is read with its own', async () => {
  const scope = newScope();
  const converter = converterOf(scope);
  const first = await write(converter, ORDER, { id: 5 });
  const second = await write(converter, ORDER_2, { id: 6, note: 'a' });
  expect([first.toString('hex'), second.toString('hex')]).toEqual(['00000000010a', '00000000020c020261']);
  const reader = converterOf(scope);
  expect((await read(reader, second)).value).toEqual({ id: 6, note: 'a' });
  const { schema: of, value } = await read(reader, first);
  expect(value).toEqual({ id: 5 });
  expect(of).toMatchObject({ type: 'STRUCT', name: 'Order', optional: false });
  expect((await read(reader, first)).schema).toBe(of);
});

test('values without a schema', async () => {
  const converter = converterOf(newScope());
  const bytes = await write(converter, null, { a: [1, 'b'] });
  expect(await read(converter, bytes)).toEqual({ schema: null, value: { a: [1, 'b'] } });
});

test('null is null', async () => {
  const converter = converterOf(newScope());
  expect(await read(converter, null)).toEqual({ schema: null, value: null });
  expect(converter.fromConnectData('orders', null, null)).toBeNull();
});

test('use.latest.version writes with the newest schema of the subject, by the names of the fields', async () => {
  const scope = newScope();
  await write(converterOf(scope), ORDER_2, { id: 1, note: 'x' });
  const latest = converterOf(scope, { 'auto.register.schemas': 'false', 'use.latest.version': 'true' });
  const bytes = await write(latest, ORDER, { id: 5 });
  expect(bytes.toString('hex')).toBe('00000000010a00');
  expect((await read(latest, bytes)).value).toEqual({ id: 5, note: null });
});

test('a record that is not of the schema that it names is an error of that record', async () => {
  const converter = converterOf(newScope());
  const bytes = await write(converter, optional(ORDER), { id: 5 });
  await read(converter, bytes);
  expect(thrownBy(() => converter.toConnectData('orders', bytes.subarray(0, 6)))).toMatchObject({ code: 'AVRO_DATA' });
  expect((await read(converter, bytes)).value).toEqual({ id: 5 });
});

test('the view of a written record is valid until the next one', async () => {
  const converter = converterOf(newScope());
  await write(converter, ORDER, { id: 5 });
  const one = converter.fromConnectData('orders', ORDER, { id: 5 });
  expect(Buffer.from(one as Uint8Array).toString('hex')).toBe('00000000010a');
  expect(() => converter.fromConnectData('orders', ORDER, { id: 'x' })).toThrow('field "id"');
  expect(Buffer.from(converter.fromConnectData('orders', ORDER, { id: 6 }) as Uint8Array).toString('hex')).toBe(
    '00000000010c',
  );
});
