/** Whether a value may be the default of a field, as Avro's Java library decides: a union's is of its first branch. */
import { JsonNumber } from '@millrace/texts/json';
import { isArray, isObject, type JsonValue } from '../json/json-value';
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
