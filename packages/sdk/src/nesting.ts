/**
 * Schemas and values that are nested. A schema of a registry may contain itself: what follows such a schema, or a value
 * with defaults, has no end of its own.
 */
import { DataError } from './errors';
import type { Schema } from './schema';

/** Levels of a value, as many as converters read. What descends into values is recursive, and the stack is finite. */
export const MAX_NESTING = 1_000;

/** Why a deeper value is refused. */
export const TOO_DEEP = `it is nested deeper than ${MAX_NESTING} levels`;

/** @param depth of a struct, map or array; 1 for the value itself. Throws DataError `VALUE_TOO_DEEP`. */
export function expectNesting(depth: number): void {
  if (depth > MAX_NESTING) throw new DataError(`The value cannot be written: ${TOO_DEEP}.`, { code: 'VALUE_TOO_DEEP' });
}

/** Levels of a schema. A deeper one counts as one that contains itself. */
const MAX_SCHEMA_LEVELS = 500;

const known = new WeakMap<Schema, boolean>();

/** Whether the schema contains itself, or another one that does: a walk over its parts has no end. Cached. */
export function isRecursive(schema: Schema): boolean {
  if (schema.fields === null && schema.valueSchema === null) return false;
  return known.get(schema) ?? visit(schema, new Set());
}

/** @param open the schemas that the walk is inside of */
function visit(schema: Schema, open: Set<Schema>): boolean {
  if (schema.fields === null && schema.valueSchema === null) return false;
  const found = known.get(schema);
  if (found !== undefined) return found;
  if (open.has(schema) || open.size >= MAX_SCHEMA_LEVELS) return true;
  open.add(schema);
  let result = false;
  // All parts, so that each schema is visited once, however many contain it.
  for (const field of schema.fields ?? []) result = visit(field.schema, open) || result;
  for (const part of [schema.keySchema, schema.valueSchema]) {
    if (part !== null) result = visit(part, open) || result;
  }
  open.delete(schema);
  known.set(schema, result);
  return result;
}
