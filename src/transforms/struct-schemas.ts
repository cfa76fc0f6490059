/** Schemas that transformations derive from those of records. Source: connect-runtime §7.1. */
import { structSchema, type Field, type Schema, type SchemaOptions } from '@millrace/sdk';
import { dataError, ShapeError } from './failures';

/** Throws for a schema that is not a struct's. */
export function fieldsOf(schema: Schema): readonly Field[] {
  if (schema.fields === null) throw dataError('Cannot list fields on non-struct type');
  return schema.fields;
}

/** The same type with another optionality and default. */
export function redefined(schema: Schema, optional: boolean, fallback: unknown): Schema {
  if (schema.optional === optional && schema.default === fallback) return schema;
  return Object.freeze({ ...schema, optional, default: fallback });
}

/** Throws the error of Java's builder for duplicate or empty field names. */
export function structOf(fields: readonly (readonly [string, Schema])[], options: SchemaOptions = {}): Schema {
  const names = new Set<string>();
  for (const [name] of fields) {
    if (name === '') throw builderError('fieldName cannot be null.');
    if (names.has(name)) throw builderError(`Cannot create field because of field name duplication ${name}`);
    names.add(name);
  }
  return structSchema(fields, options);
}

function builderError(message: string): ShapeError {
  return new ShapeError('org.apache.kafka.connect.errors.SchemaBuilderException', message);
}

/**
 * Caches a result per schema, for the life of the schema. Converters and connectors reuse schema objects, and mostly
 * the last one.
 */
export function perSchema<T>(compile: (schema: Schema) => T): (schema: Schema) => T {
  const known = new WeakMap<Schema, { readonly result: T }>();
  let lastSchema: Schema | null = null;
  let last: { readonly result: T } | undefined;
  return (schema) => {
    if (schema !== lastSchema || last === undefined) {
      last = known.get(schema);
      if (last === undefined) known.set(schema, (last = { result: compile(schema) }));
      lastSchema = schema;
    }
    return last.result;
  };
}
