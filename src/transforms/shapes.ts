/** Structs and maps as transformations meet them. Source: connect-runtime §7.1. */
import { isDecimal, readMember, type Field, type Schema } from '@millrace/sdk';
import { dataError } from './failures';

/** A struct's value. */
export type StructValue = Readonly<Record<string, unknown>>;
/** A map without a schema: an object from the JSON converter, a Map from anybody who has keys that are no text. */
export type SchemalessMap = StructValue | ReadonlyMap<unknown, unknown>;

export function isNull(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** @param purpose what the value is needed for, as Java's message says it */
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

/** A copy with one more or another member; of the same kind as the original. */
export function withMember(map: SchemalessMap, name: string, value: unknown): SchemalessMap {
  return map instanceof Map ? new Map(map).set(name, value) : { ...map, [name]: value };
}

export function membersOf(map: SchemalessMap): [unknown, unknown][] {
  return map instanceof Map ? [...(map as Map<unknown, unknown>)] : Object.entries(map);
}

/** What Java says when null is put into a field that must not be null, whatever its default. */
export function requireFit(name: string, schema: Schema, value: unknown): void {
  if (!isNull(value) || schema.optional) return;
  throw dataError(`Invalid value: null used for required field: "${name}", schema type: ${schema.type}`);
}

/** A field's value, null when it is absent; a default in place of null if that is wanted. */
export function fieldValue(struct: StructValue, field: Field, replaceNull: boolean): unknown {
  const value = readMember(struct, field.name);
  if (value !== null && value !== undefined) return value;
  return replaceNull ? (field.schema.default ?? null) : null;
}

/** The same for a field that is put into a new struct, where null must be allowed. Throws DataError. */
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

/** The Java class that a value has there, for messages. */
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
