/** A Protobuf format without a registry. */
import type { Schema, SchemaAndValue } from '@millrace/sdk';
import { ByteOutput } from '../../../../connectors/converters-schema-registry/src/byte-output';
import { createProtobufFormat } from '../../../../connectors/converters-schema-registry/src/protobuf/protobuf-format';
import type { RegisteredSchema } from '../../../../connectors/converters-schema-registry/src/registry/schema-registry';

export type Config = Readonly<Record<string, string>>;

export const formatOf = (config: Config = {}) => createProtobufFormat(config);

export function registered(text: string, dependencies: Readonly<Record<string, string>> = {}): RegisteredSchema {
  const texts = new Map(Object.entries(dependencies));
  const references = [...texts.keys()].map((name) => ({ name, subject: name, version: 1 }));
  return { type: 'PROTOBUF', text, references, id: 7, version: 1, guid: null, dependencies: texts };
}

/** The text of the schema that is registered for a Connect schema. */
export const schemaText = (schema: Schema | null, config: Config = {}) => formatOf(config).writer(schema).schema.text;

/** Declarations of that text alone, without its blanks. */
export const declarations = (schema: Schema | null, config: Config = {}) =>
  schemaText(schema, config)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(syntax|import)/.test(line))
    .join(' ');

export function writeAs(schema: Schema | null, value: unknown, config: Config = {}): Buffer {
  const output = new ByteOutput(16);
  formatOf(config).writer(schema).write(value, output);
  return Buffer.from(output.finish());
}

/** As `writeAs`, for a schema that is registered already. */
export function writeFor(
  target: RegisteredSchema,
  schema: Schema | null,
  value: unknown,
  { isStrict = true, config = {} as Config } = {},
): Buffer {
  const output = new ByteOutput(16);
  formatOf(config).writerOf(target, schema, isStrict).write(value, output);
  return Buffer.from(output.finish());
}

/** Reads what follows the id of the schema. */
export const read = (bytes: Uint8Array, text: string | RegisteredSchema, config: Config = {}): SchemaAndValue =>
  formatOf(config)
    .reader(typeof text === 'string' ? registered(text) : text)
    .read(Buffer.concat([Buffer.from('12345'), bytes]), 5, null);

/** Reads a message, from hex, of the first message of the text. */
export const readHex = (hex: string, text: string | RegisteredSchema, config: Config = {}): SchemaAndValue =>
  read(Buffer.from(`00${hex.replaceAll(' ', '')}`, 'hex'), text, config);

/** The value that is read of what was written. */
export const roundTrip = (schema: Schema, value: unknown, config: Config = {}): unknown =>
  read(writeAs(schema, value, config), schemaText(schema, config), config).value;

/** The thrown error. */
export function errorOf(run: () => unknown): { code?: string; message: string; place?: unknown } {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
