/** One value as another primitive type, with Java's conversions. Source: connect-runtime §7.2, “Cast”. */
import { DAY_MS, isDecimal, LogicalName, type Schema } from '@millrace/sdk';
import { formatValue } from '../values/format-value';
import { dataError } from './failures';
import { BITS, parseFloating, parseInteger, saturated, wholePart, wrapped } from '../values/java-numbers';
import { isNull, isSchemalessMap, javaClassOf } from './shapes';

export const CAST_TYPES = ['INT8', 'INT16', 'INT32', 'INT64', 'FLOAT32', 'FLOAT64', 'BOOLEAN', 'STRING'] as const;
export type CastType = (typeof CAST_TYPES)[number];

/** Null stays null. Throws DataError for a value that is not primitive, and for text that is not such a number. */
export function castValue(schema: Schema | null, value: unknown, to: CastType): unknown {
  if (isNull(value)) return null;
  refuseOthers(schema, value);
  if (to === 'STRING') return formatValue(schema, value);
  const plain = value instanceof Date ? encoded(schema, value) : value;
  const bits = BITS[to];
  if (bits !== undefined) return integer(schema, plain, bits);
  if (to === 'BOOLEAN') return boolean(plain);
  const floating = typeof plain === 'string' ? (parseFloating(plain) ?? outOfRange(plain)) : double(plain);
  return to === 'FLOAT32' ? Math.fround(floating) : floating;
}

function refuseOthers(schema: Schema | null, value: unknown): void {
  if (typeof value !== 'object') return;
  if (schema === null && (value instanceof Date || isDecimal(value))) {
    throw dataError(
      `Cast transformation was passed a value of type class ${javaClassOf(null, value)} which is not supported by Connect's data API`,
    );
  }
  const type = schema?.type ?? (Array.isArray(value) ? 'ARRAY' : isSchemalessMap(value) ? 'MAP' : null);
  if (type === 'ARRAY' || type === 'MAP' || type === 'STRUCT') {
    throw dataError(
      `Cast transformation does not support casting from ${type}; supported types are [${[...CAST_TYPES, 'BYTES'].join(', ')}]`,
    );
  }
}

function encoded(schema: Schema | null, value: Date): number {
  return schema?.name === LogicalName.DATE ? Math.floor(value.getTime() / DAY_MS) : value.getTime();
}

/** Low bits of a safe integer, without a bigint. */
function lowBits(value: number, bits: number): number {
  return bits === 64 ? value : (value << (32 - bits)) >> (32 - bits);
}

/** Integers wrap around; fractions are truncated and clamped. */
function integer(schema: Schema | null, value: unknown, bits: number): unknown {
  switch (typeof value) {
    case 'string':
      return parseInteger(value, bits) ?? outOfRange(value);
    case 'boolean':
      return value ? 1 : 0;
    case 'bigint':
      return wrapped(value, bits);
    case 'number': {
      if (Number.isSafeInteger(value) && !schema?.type.startsWith('FLOAT')) return lowBits(value, bits);
      // Smaller types are narrowed from int32.
      return wrapped(saturated(value, bits === 64 ? 64 : 32), bits);
    }
    default:
      return isDecimal(value) ? wrapped(wholePart(value), bits) : unexpected(schema, value);
  }
}

function boolean(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value.toLowerCase() === 'true';
    case 'number':
      return Number.isFinite(value) ? Math.trunc(value) !== 0 : !Number.isNaN(value);
    case 'bigint':
      return value !== 0n;
    case 'boolean':
      return value;
    default:
      return isDecimal(value) ? BigInt.asIntN(64, wholePart(value)) !== 0n : unexpected(null, value);
  }
}

function double(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return value;
    case 'bigint':
      return Number(value);
    case 'boolean':
      return value ? 1 : 0;
    default:
      return isDecimal(value) ? Number(`${value.unscaled}e${-value.scale}`) : unexpected(null, value);
  }
}

function outOfRange(text: string): never {
  throw dataError(`Value (${text}) was out of range for requested data type`);
}

function unexpected(schema: Schema | null, value: unknown): never {
  throw dataError(`Unexpected type in Cast transformation: class ${javaClassOf(schema, value)}`);
}
