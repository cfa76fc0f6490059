/** Small helpers for structs and their schemas. */
import { DataError, schemaBasics, structSchema, type Schema } from '@millrace/sdk';

export type StructValue = Readonly<Record<string, unknown>>;

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
  return structSchema(fields, schemaBasics(schema));
}

export function dataError(message: string): DataError {
  return new DataError(message, { code: 'PG_TRANSFORM_DATA' });
}
