/** Keywords of JSON Schema, read from a schema. */
import { JsonNumber } from '@millrace/texts/json';
import { isArray, isObject, type JsonObject, type JsonValue, printJson, sorted } from '../json/json-value';

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
export type TypeName = (typeof TYPES)[number];

/** Null: any. */
export function typesOf(schema: JsonObject): readonly TypeName[] | null {
  const given = schema.get('type');
  const names = isArray(given) ? given : given === undefined ? null : [given];
  if (names !== null) return TYPES.filter((type) => names.includes(type));
  const values = valuesOf(schema);
  return values === null ? null : [...new Set(values.map(typeOf))];
}

export const ALL_TYPES: readonly TypeName[] = TYPES.filter((type) => type !== 'integer');

function typeOf(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (typeof value === 'boolean' || typeof value === 'string') return typeof value as 'boolean' | 'string';
  if (value instanceof JsonNumber) return Number.isInteger(value.toNumber()) ? 'integer' : 'number';
  return isArray(value) ? 'array' : 'object';
}

/** Those of `const` or `enum`; null: not limited to some. */
export function valuesOf(schema: JsonObject): readonly JsonValue[] | null {
  const constant = schema.get('const');
  if (constant !== undefined) return [constant];
  const values = schema.get('enum');
  return isArray(values) ? values : null;
}

/** Equal for equal values. */
export function valueKey(value: JsonValue): string {
  return printJson(numbered(sorted(value)));
}

/** 1 is 1.0. */
function numbered(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return new JsonNumber(String(value.toNumber()));
  if (isArray(value)) return value.map(numbered);
  return isObject(value) ? new Map(Array.from(value, ([name, member]) => [name, numbered(member)])) : value;
}

export function numberOf(schema: JsonObject, keyword: string): number | undefined {
  const value = schema.get(keyword);
  return value instanceof JsonNumber ? value.toNumber() : undefined;
}

export function namesOf(schema: JsonObject, keyword: string): readonly string[] {
  const value = schema.get(keyword);
  return isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

export interface Items {
  readonly first: readonly JsonValue[];
  /** Of all further ones. */
  readonly rest: JsonValue;
}

export function itemsOf(schema: JsonObject): Items {
  const items = schema.get('items');
  const prefix = schema.get('prefixItems');
  if (isArray(prefix)) return { first: prefix, rest: items ?? true };
  if (isArray(items)) return { first: items, rest: schema.get('additionalItems') ?? true };
  return { first: [], rest: items ?? true };
}

/** Above or below all values; `isIn`: the limit itself is one of them. */
export interface Limit {
  readonly value: number;
  readonly isIn: boolean;
}

/** In draft 4, the exclusive keyword is a flag. */
export function limitOf(schema: JsonObject, side: 'minimum' | 'maximum'): Limit | null {
  const exclusive = side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
  const [inclusiveValue, exclusiveValue] = [numberOf(schema, side), numberOf(schema, exclusive)];
  if (inclusiveValue === undefined) return exclusiveValue === undefined ? null : { value: exclusiveValue, isIn: false };
  const isNarrower =
    exclusiveValue !== undefined &&
    (side === 'minimum' ? exclusiveValue >= inclusiveValue : exclusiveValue <= inclusiveValue);
  if (isNarrower) return { value: exclusiveValue, isIn: false };
  return { value: inclusiveValue, isIn: schema.get(exclusive) !== true };
}
