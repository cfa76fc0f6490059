/** The Avro format without a registry. */
import { schema, type DataError, type Schema, type SchemaAndValue } from '@millrace/sdk';
import { createAvroFormat } from '../../../../connectors/converters-schema-registry/src/avro/avro-format';
import type { AvroValueReader } from '../../../../connectors/converters-schema-registry/src/avro/read/value-reader';
import { ByteOutput } from '../../../../connectors/converters-schema-registry/src/byte-output';
import type { RegisteredSchema } from '../../../../connectors/converters-schema-registry/src/registry/schema-registry';

export type Config = Readonly<Record<string, string>>;

/** @param text an Avro schema, the name of a primitive type, or text as it is */
export function registered(
  text: unknown,
  version: number | null = null,
  dependencies: Readonly<Record<string, unknown>> = {},
): RegisteredSchema {
  const asText = (one: unknown): string =>
    typeof one === 'string' && !/^[a-z]+$/.test(one) ? one : JSON.stringify(one);
  const references = Object.keys(dependencies).map((name) => ({ name, subject: name, version: 1 }));
  return {
    type: 'AVRO',
    text: asText(text),
    references,
    id: 1,
    version,
    guid: null,
    dependencies: new Map(Object.entries(dependencies).map(([name, one]) => [name, asText(one)])),
  };
}

export function avroText(connect: Schema | null, config: Config = {}): string {
  return createAvroFormat(config, false).writer(connect).schema.text;
}

export function recordName(connect: Schema | null): string | null {
  return createAvroFormat({}, false).writer(connect).recordName;
}

/** Null: the record is null. */
export function write(connect: Schema | null, value: unknown, config: Config = {}): Buffer | null {
  const out = new ByteOutput(4);
  return createAvroFormat(config, false).writer(connect).write(value, out) ? Buffer.from(out.finish()) : null;
}

/** With a registered schema. */
export function writeAs(
  avro: RegisteredSchema,
  connect: Schema | null,
  value: unknown,
  strict = true,
  config: Config = {},
): Buffer {
  const out = new ByteOutput(4);
  createAvroFormat(config, false).writerOf(avro, connect, strict).write(value, out);
  return Buffer.from(out.finish());
}

/** Null: its values have none. */
export function connectSchema(avro: RegisteredSchema, config: Config = {}): Schema | null {
  return (createAvroFormat(config, false).reader(avro) as AvroValueReader).schema;
}

export function read(avro: RegisteredSchema, bytes: Uint8Array | string, config: Config = {}): SchemaAndValue {
  const plain = typeof bytes === 'string' ? Buffer.from(bytes, 'hex') : bytes;
  // As it comes from a topic: after the id, and not necessarily as a Buffer.
  const framed = new Uint8Array(plain.length + 5);
  framed.set(plain, 5);
  return createAvroFormat(config, false).reader(avro).read(framed, 5, null);
}

export function roundTrip(connect: Schema, value: unknown, config: Config = {}): unknown {
  return read(registered(avroText(connect, config)), write(connect, value, config) as Buffer, config).value;
}

export function thrownBy(act: () => unknown): Pick<DataError, 'code' | 'message' | 'place'> {
  try {
    act();
  } catch (error) {
    const { code, message, place } = error as DataError;
    return { code, message, place };
  }
  throw new Error('Nothing was thrown.');
}

export const INT = schema('INT32');
export const LONG = schema('INT64');
export const STRING = schema('STRING');
export const OPTIONAL_STRING = schema('STRING', { optional: true });
