/** What stands in a masked field. Source: connect-runtime §7.2, “MaskField”. */
import { decimalScale, isDecimal, type Decimal, type Schema } from '@millrace/sdk';
import { parseDecimal } from '../converters/java-number';
import { dataError } from './failures';
import { parseFloating, parseInteger } from './java-parse';
import { isSchemalessMap, javaClassOf } from './shapes';

const BITS: Readonly<Record<string, number>> = { INT8: 8, INT16: 16, INT32: 32, INT64: 64 };

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

/** The text as a value of the same type. Throws DataError for other types than numbers and strings, and for text that is no such number. */
export function replacementFor(schema: Schema | null, value: unknown, text: string): unknown {
  switch (typeof value) {
    case 'string':
      return text;
    case 'number':
    case 'bigint':
      return number(schema, text) ?? unconvertible(text);
  }
  if (isDecimal(value)) return decimal(schema, text) ?? unconvertible(text);
  throw dataError(`Cannot mask value of type class ${javaClassOf(schema, value)} with custom replacement.`);
}

/** Without a schema an integer may be a float that has no fraction at the moment: any number will do. */
function number(schema: Schema | null, text: string): number | bigint | null {
  if (schema === null) return parseInteger(text, 64) ?? parseFloating(text);
  const bits = BITS[schema.type];
  if (bits !== undefined) return parseInteger(text, bits);
  const value = parseFloating(text);
  return value !== null && schema.type === 'FLOAT32' ? Math.fround(value) : value;
}

/** With the digits that the schema asks for, where Java's value fails in the converter. */
function decimal(schema: Schema | null, text: string): Decimal | null {
  const value = parseDecimal(text);
  if (value === null || schema === null) return value;
  const missing = decimalScale(schema) - value.scale;
  return missing < 0 ? null : { unscaled: value.unscaled * 10n ** BigInt(missing), scale: value.scale + missing };
}

function unconvertible(text: string): never {
  throw dataError(`Unable to convert ${text} (class java.lang.String) to number`);
}
