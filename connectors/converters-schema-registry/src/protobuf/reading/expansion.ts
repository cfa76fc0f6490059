/**
 * Bounds what a schema is written out: types that hold each other twice, thirty times over, are a few lines of .proto,
 * and more than a billion fields where a schema is a tree, as in JSON.
 */
import type { Field, Schema } from '@millrace/sdk';
import { schemaError } from '../faults';

const MOST_FIELDS = 1_000_000;
const MOST_DEPTH = 500;

/** Throws DataError. A type within itself counts once. */
export function checkExpansion(schema: Schema): void {
  sizeOf(schema, new Map(), 0);
}

function sizeOf(schema: Schema, sizes: Map<readonly Field[], number>, depth: number): number {
  if (depth > MOST_DEPTH) throw schemaError(`The types of the schema are nested more than ${MOST_DEPTH} times.`);
  let size = 1;
  if (schema.keySchema !== null) size += sizeOf(schema.keySchema, sizes, depth + 1);
  if (schema.valueSchema !== null) size += sizeOf(schema.valueSchema, sizes, depth + 1);
  const { fields } = schema;
  if (fields !== null) {
    const known = sizes.get(fields);
    if (known !== undefined) return known;
    sizes.set(fields, 1);
    for (const field of fields) size += sizeOf(field.schema, sizes, depth + 1);
    if (size > MOST_FIELDS)
      throw schemaError(`The schema, written out as a tree, has more than ${MOST_FIELDS} fields.`);
    sizes.set(fields, size);
  }
  return size;
}
