/** A JSON Schema format without a registry, and ajv as its judge. */
import Ajv, { type ValidateFunction } from 'ajv';
import Ajv2019 from 'ajv/dist/2019';
import Ajv2020 from 'ajv/dist/2020';
import type { Schema, SchemaAndValue } from '@millrace/sdk';
import { ByteOutput } from '../../../../connectors/converters-schema-registry/src/byte-output';
import { createJsonSchemaFormat } from '../../../../connectors/converters-schema-registry/src/json-schema/json-schema-format';
import type { RegisteredSchema } from '../../../../connectors/converters-schema-registry/src/registry/schema-registry';

export type Config = Readonly<Record<string, string>>;

export const formatOf = (config: Config = {}) => createJsonSchemaFormat(config, false);

export function registered(
  schema: unknown,
  dependencies: Readonly<Record<string, unknown>> = {},
  id = 7,
): RegisteredSchema {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  const texts = Object.entries(dependencies).map(([name, of]): [string, string] => [
    name,
    typeof of === 'string' ? of : JSON.stringify(of),
  ]);
  const references = texts.map(([name]) => ({ name, subject: name, version: 1 }));
  return { type: 'JSON', text, references, id, version: 1, guid: null, dependencies: new Map(texts) };
}

/** The text of the schema that is registered for a Connect schema. */
export const schemaText = (schema: Schema | null, config: Config = {}) => formatOf(config).writer(schema).schema.text;

export const schemaOf = (schema: Schema | null, config: Config = {}): unknown => JSON.parse(schemaText(schema, config));

/** The JSON text of a value. Null: the record is null. */
export function jsonOf(schema: Schema | null, value: unknown, config: Config = {}): string | null {
  const output = new ByteOutput(16);
  return formatOf(config).writer(schema).write(value, output) ? Buffer.from(output.finish()).toString() : null;
}

/** As `jsonOf`, for a schema that is registered already. */
export function jsonFor(
  target: RegisteredSchema,
  schema: Schema | null,
  value: unknown,
  { isStrict = true, config = {} as Config } = {},
): string {
  const output = new ByteOutput(16);
  formatOf(config).writerOf(target, schema, isStrict).write(value, output);
  return Buffer.from(output.finish()).toString();
}

/** Reads JSON after a prefix, as in a record. */
export function read(json: string | Buffer, schema: RegisteredSchema, config: Config = {}): SchemaAndValue {
  const bytes = Buffer.concat([Buffer.from('12345'), Buffer.from(json as string)]);
  return formatOf(config).reader(schema).read(bytes, 5, null);
}

/** The Connect schema of a registered schema. */
export function connectSchemaOf(schema: unknown, json: string, config: Config = {}): Schema | null {
  return read(json, registered(schema), config).schema;
}

export function thrownBy(call: () => unknown): { code: string; message: string; place: Record<string, unknown> } {
  try {
    call();
  } catch (error) {
    return error as never;
  }
  throw new Error('nothing was thrown');
}

const ajvs = new Map<string, Ajv>();

/** A validator of its own: none of the converter's code. */
export function judge(text: string): ValidateFunction {
  const { $schema = '', ...schema } = JSON.parse(text) as Record<string, unknown>;
  const dialect = String($schema);
  let ajv = ajvs.get(dialect);
  if (ajv === undefined) {
    const options = { strict: false, validateFormats: false } as const;
    ajv = dialect.includes('2019')
      ? new Ajv2019(options)
      : dialect.includes('2020')
        ? new Ajv2020(options)
        : new Ajv(options);
    ajvs.set(dialect, ajv);
  }
  return ajv.compile(schema);
}
