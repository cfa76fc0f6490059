/** Small helpers for structs and their schemas. */
import { DataError, structSchema, type Schema, type SchemaOptions } from '@millrace/sdk';

export type StructValue = Readonly<Record<string, unknown>>;

/** Name, version, doc and parameters: what Java keeps of a struct's schema when it changes its fields. */
export function basics(schema: Schema): SchemaOptions {
  return {
    ...(schema.name !== null && { name: schema.name }),
    ...(schema.version !== null && { version: schema.version }),
    ...(schema.doc !== null && { doc: schema.doc }),
    ...(schema.parameters !== null && { parameters: { ...schema.parameters } }),
  };
}

/** Optional and without a default. */
export function asOptional(schema: Schema): Schema {
  return Object.freeze({ ...schema, optional: true, default: undefined });
}

/** The fields of `schema` and further ones. Throws DataError when two have one name. */
export function extended(schema: Schema, more: readonly (readonly [string, Schema])[]): Schema {
  const fields = [...(schema.fields ?? []).map(({ name, schema: of }) => [name, of] as const), ...more];
  const names = fields.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw dataError(`Cannot create field because of field name duplication ${twice}`);
  }
  return structSchema(fields, basics(schema));
}

export function dataError(message: string): DataError {
  return new DataError(message, { code: 'PG_TRANSFORM_DATA' });
}
