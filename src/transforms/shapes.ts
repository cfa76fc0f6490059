/** Structs and maps in records. Source: connect-runtime §7.1. */
import { isDecimal, readMember, type Field, type Schema } from '@millrace/sdk';
import { dataError } from './failures';

/** A struct's value. */
export type StructValue = Readonly<Record<string, unknown>>;
/** A map without a schema: an object from the JSON converter, a Map where keys are not strings. */
export type SchemalessMap = StructValue | ReadonlyMap<unknown, unknown>;

export function isNull(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** @param purpose the use of the value, in the words of Java's message */
export function requireStruct(schema: Schema, value: unknown, purpose: string): StructValue {
  if (schema.type === 'STRUCT' && typeof value === 'object' && value !== null) return value as StructValue;
  throw dataError(`Only Struct objects supported for [${purpose}], found: ${javaClassOf(schema, value)}`);
}

export function requireMap(value: unknown, purpose: string): SchemalessMap {
  if (isSchemalessMap(value)) return value;
  throw dataError(
    `Only Map objects supported in absence of schema for [${purpose}], found: ${javaClassOf(null, value)}`,
  );
}

export function isSchemalessMap(value: unknown): value is SchemalessMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return value instanceof Map || !(value instanceof Uint8Array || value instanceof Date || isDecimal(value));
}

/** Null when there is no such member. */
export function memberOf(map: SchemalessMap, name: string): unknown {
  if (map instanceof Map) return map.get(name) ?? null;
  return Object.hasOwn(map, name) ? ((map as StructValue)[name] ?? null) : null;
}

/** A copy with one member added or replaced; of the same kind as the original. */
export function withMember(map: SchemalessMap, name: string, value: unknown): SchemalessMap {
  return map instanceof Map ? new Map(map).set(name, value) : { ...map, [name]: value };
}

export function membersOf(map: SchemalessMap): [unknown, unknown][] {
  return map instanceof Map ? [...(map as Map<unknown, unknown>)] : Object.entries(map);
}

/** Java's error for null in a required field, whatever its default. */
export function requireFit(name: string, schema: Schema, value: unknown): void {
  if (!isNull(value) || schema.optional) return;
  throw dataError(`Invalid value: null used for required field: "${name}", schema type: ${schema.type}`);
}

/** A field's value, null when it is absent; with `replaceNull`, the default in place of null. */
export function fieldValue(struct: StructValue, field: Field, replaceNull: boolean): unknown {
  const value = readMember(struct, field.name);
  if (value !== null && value !== undefined) return value;
  return replaceNull ? (field.schema.default ?? null) : null;
}

/** The same for a field of a new struct. Throws DataError for null in a required field. */
export function copiedValue(struct: StructValue, field: Field, replaceNull: boolean): unknown {
  const value = fieldValue(struct, field, replaceNull);
  if (value === null) requireFit(field.name, field.schema, null);
  return value;
}

const CLASSES: Readonly<Record<string, string>> = {
  INT8: 'java.lang.Byte',
  INT16: 'java.lang.Short',
  INT32: 'java.lang.Integer',
  INT64: 'java.lang.Long',
  FLOAT32: 'java.lang.Float',
  FLOAT64: 'java.lang.Double',
  STRUCT: 'org.apache.kafka.connect.data.Struct',
};

/** The Java class of a value, for messages. */
export function javaClassOf(schema: Schema | null, value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'java.lang.String';
    case 'boolean':
      return 'java.lang.Boolean';
    case 'bigint':
      return 'java.lang.Long';
    case 'number':
      return (schema && CLASSES[schema.type]) ?? `java.lang.${Number.isInteger(value) ? 'Long' : 'Double'}`;
  }
  if (typeof value !== 'object' || value === null) return 'null';
  if (Array.isArray(value)) return 'java.util.ArrayList';
  if (value instanceof Uint8Array) return '[B';
  if (value instanceof Date) return 'java.util.Date';
  if (isDecimal(value)) return 'java.math.BigDecimal';
  return (schema && !(value instanceof Map) && CLASSES[schema.type]) || 'java.util.HashMap';
}
