/** The value of a masked field. Source: connect-runtime §7.2, “MaskField”. */
import { decimalScale, isDecimal, type Decimal, type Schema, parseDecimal } from '@millrace/sdk';
import { dataError } from './failures';
import { BITS, parseFloating, wholePart, wrapped } from '../values/java-numbers';
import { isSchemalessMap, javaClassOf } from './shapes';

/** Zero, false, an empty text, list or map. Throws DataError for bytes and structs. */
export function emptyLike(schema: Schema | null, value: unknown): unknown {
  switch (typeof value) {
    case 'boolean':
      return false;
    case 'number':
    case 'bigint':
      return 0;
    case 'string':
      return '';
  }
  if (value instanceof Date) return new Date(0);
  if (isDecimal(value)) return { unscaled: 0n, scale: schema ? decimalScale(schema) : 0 };
  if (Array.isArray(value)) return [];
  if (schema === null ? isSchemalessMap(value) : value instanceof Map) return schema === null ? {} : new Map();
  throw dataError(`Cannot mask value of type: class ${javaClassOf(schema, value)}`);
}

/**
 * The text as a value of the same type. Throws DataError for types other than numbers and strings, and for text that is
 * not such a number.
 */
export function replacementFor(schema: Schema | null, value: unknown, text: string): unknown {
  switch (typeof value) {
    case 'string':
      return text;
    case 'number':
    case 'bigint':
      return number(schema, value, text) ?? unconvertible(text, 'a number');
  }
  if (isDecimal(value)) return decimal(schema, text) ?? unconvertible(text, 'number');
  throw dataError(`Cannot mask value of type class ${javaClassOf(schema, value)} with custom replacement.`);
}

/** Integers lose a fraction and wrap around. Without a schema, a number without a fraction counts as an int64. */
function number(schema: Schema | null, value: number | bigint, text: string): number | bigint | null {
  const bits = BITS[schema?.type ?? (typeof value === 'bigint' || Number.isInteger(value) ? 'INT64' : 'FLOAT64')];
  if (bits === undefined) {
    const floating = parseFloating(text);
    return floating !== null && schema?.type === 'FLOAT32' ? Math.fround(floating) : floating;
  }
  const decimal = parseDecimal(text);
  return decimal && wrapped(wholePart(decimal), bits);
}

/** At the schema's scale; Java keeps the text's scale, which then fails in the converter. */
function decimal(schema: Schema | null, text: string): Decimal | null {
  const value = parseDecimal(text);
  if (value === null || schema === null) return value;
  const missing = decimalScale(schema) - value.scale;
  return missing < 0 ? null : { unscaled: value.unscaled * 10n ** BigInt(missing), scale: value.scale + missing };
}

function unconvertible(text: string, to: string): never {
  throw dataError(`Unable to convert ${text} (class java.lang.String) to ${to}`);
}
