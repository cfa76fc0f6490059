/** Defaults of fields, as Avro's Java library reads them: a union's is of its first branch. */
import { javaDouble, javaFloat } from '@millrace/sdk';
import { JsonNumber } from '@millrace/texts/json';
import { isArray, isObject, type JsonValue, sorted } from '../json/json-value';
import type { AvroType } from './schema';

const INT_LIMIT = 2n ** 31n;
const LONG_LIMIT = 2n ** 63n;
const NOT_FINITE = ['NaN', 'Infinity', '-Infinity'];

export function isValidDefault(type: AvroType, value: JsonValue): boolean {
  switch (type.type) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
      return isInteger(value, INT_LIMIT);
    case 'long':
      return isInteger(value, LONG_LIMIT);
    case 'float':
    case 'double':
      return value instanceof JsonNumber || NOT_FINITE.includes(value as string);
    case 'bytes':
    case 'string':
    case 'fixed':
    case 'enum':
      return typeof value === 'string';
    case 'array':
      return isArray(value) && value.every((item) => isValidDefault(type.items, item));
    case 'map':
      return isObject(value) && [...value.values()].every((one) => isValidDefault(type.values, one));
    case 'union': {
      const [first] = type.branches;
      return first !== undefined && isValidDefault(first, value);
    }
    case 'record':
      if (!isObject(value) || type.fields === null) return false;
      return type.fields.every((field) => {
        const given = value.get(field.name);
        // The default of a field was checked when its record was parsed.
        return given === undefined ? field.default !== undefined : isValidDefault(field.type, given);
      });
  }
}

function isInteger(value: JsonValue, limit: bigint): boolean {
  if (!(value instanceof JsonNumber) || !value.integral) return false;
  const integer = value.toBigInt();
  return integer >= -limit && integer < limit;
}

/** A valid default as a value of the type: 1 is 1.0 for a double. Members are sorted. */
export function normalDefault(type: AvroType, value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) {
    const number = Number(value.text);
    if (type.type === 'double') return new JsonNumber(javaDouble(number));
    if (type.type === 'float') return new JsonNumber(javaFloat(Math.fround(number)));
  }
  if (type.type === 'union') return type.branches[0] === undefined ? value : normalDefault(type.branches[0], value);
  if (type.type === 'array' && isArray(value)) return value.map((item) => normalDefault(type.items, item));
  if (!isObject(value)) return value;
  const members = Array.from(value, ([name, member]): [string, JsonValue] => {
    if (type.type === 'map') return [name, normalDefault(type.values, member)];
    const field = type.type === 'record' ? type.fields?.find((one) => one.name === name) : undefined;
    return [name, field === undefined ? sorted(member) : normalDefault(field.type, member)];
  });
  return new Map(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
