/** Payloads back to Connect values, with Java's coercions. Source: connect-runtime §6.2 "Deserialising". */
import {
  DAY_MS,
  safeInteger,
  DataError,
  LogicalName,
  type Schema,
  decimalScale,
  readMember,
  setMember,
  parseDecimal,
  unscaledOf,
} from '@millrace/sdk';
import { JsonNumber } from '@millrace/texts/json';
import { saturated } from '../../values/java-numbers';

// A local copy, because it runs for every value and access to another module's export is slower.
const { DECIMAL, DATE, TIME, TIMESTAMP } = LogicalName;

/** `replaceNull`: null of a schema with a default becomes the default. (Default: true) */
export function readPayload(schema: Schema, tree: unknown, replaceNull = true): unknown {
  if (tree === null || tree === undefined) return readNull(schema, replaceNull);
  switch (schema.name) {
    case null:
      break;
    case DECIMAL:
      return readDecimal(schema, tree);
    case DATE:
      return dateOrNumber(logicalInteger(schema.name, tree, 31), DAY_MS);
    case TIME:
      return new Date(Number(logicalInteger(schema.name, tree, 31)));
    case TIMESTAMP:
      return dateOrNumber(logicalInteger(schema.name, tree, 63), 1);
  }
  switch (schema.type) {
    case 'STRING':
      return typeof tree === 'string' ? tree : null;
    case 'BOOLEAN':
      return tree === true;
    case 'INT8':
      return (int32(tree) << 24) >> 24;
    case 'INT16':
      return (int32(tree) << 16) >> 16;
    case 'INT32':
      return int32(tree);
    case 'INT64':
      return int64(tree);
    case 'FLOAT32':
      return Math.fround(double(tree));
    case 'FLOAT64':
      return double(tree);
    case 'BYTES':
      return readBytes(tree);
    case 'ARRAY':
      if (!Array.isArray(tree)) throw new DataError(`Invalid JSON for array: ${jsonKind(tree)}.`);
      return tree.map((element) => readPayload(schema.valueSchema as Schema, element, replaceNull));
    case 'MAP':
      return readMap(schema, tree, replaceNull);
    case 'STRUCT':
      return readStruct(schema, tree, replaceNull);
  }
}

function readNull(schema: Schema, replaceNull: boolean): unknown {
  const value = schema.default;
  if (value !== undefined && value !== null && replaceNull) return value;
  if (schema.optional) return null;
  throw new DataError(`Invalid null value for required ${schema.type} field.`);
}

function readStruct(schema: Schema, tree: unknown, replaceNull: boolean): unknown {
  if (!isObject(tree)) throw new DataError(`Structs should be encoded as JSON objects, but found ${jsonKind(tree)}.`);
  const struct: Record<string, unknown> = {};
  for (const field of schema.fields ?? []) {
    const value = readPayload(field.schema, readMember(tree, field.name), replaceNull);
    setMember(struct, field.name, value);
  }
  return struct;
}

function readMap(schema: Schema, tree: unknown, replaceNull: boolean): Map<unknown, unknown> {
  const values = schema.valueSchema as Schema;
  const map = new Map<unknown, unknown>();
  if (schema.keySchema?.type === 'STRING') {
    if (!isObject(tree))
      throw new DataError(`Maps with string fields should be encoded as JSON objects, but found ${jsonKind(tree)}.`);
    for (const [key, value] of Object.entries(tree)) map.set(key, readPayload(values, value, replaceNull));
    return map;
  }
  if (!Array.isArray(tree))
    throw new DataError(
      `Maps with non-string fields should be encoded as JSON array of tuples, but found ${jsonKind(tree)}.`,
    );
  for (const pair of tree as unknown[]) {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw new DataError('Found invalid map entry, expected an array of 2 elements.');
    map.set(readPayload(schema.keySchema as Schema, pair[0], replaceNull), readPayload(values, pair[1], replaceNull));
  }
  return map;
}

function isObject(tree: unknown): tree is Record<string, unknown> {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !(tree instanceof JsonNumber);
}

/** Java's `intValue()`: integers wrap, fractions are cut off and clamped, everything else is 0. */
function int32(tree: unknown): number {
  if (tree instanceof JsonNumber) {
    if (tree.integral) return Number(BigInt.asIntN(32, tree.toBigInt()));
    return clamp(tree.toNumber(), 31);
  }
  if (typeof tree !== 'number') return 0;
  return Number.isSafeInteger(tree) ? Number(BigInt.asIntN(32, BigInt(tree))) : clamp(tree, 31);
}

function int64(tree: unknown): number | bigint {
  if (typeof tree === 'number') return Number.isSafeInteger(tree) ? tree + 0 : safeInteger(saturated(tree, 64));
  if (!(tree instanceof JsonNumber)) return 0;
  return tree.integral ? safeInteger(tree.toBigInt()) : safeInteger(saturated(tree.toNumber(), 64));
}

function clamp(value: number, bits: number): number {
  return Math.max(-(2 ** bits), Math.min(2 ** bits - 1, Math.trunc(value)));
}

/** Zero has no sign, as in Java: adding 0 removes it. */
function double(tree: unknown): number {
  if (typeof tree === 'number') return tree + 0;
  return tree instanceof JsonNumber ? tree.toNumber() : 0;
}

/** A `Date`, or the number itself where a `Date` does not reach. */
function dateOrNumber(value: bigint, unit: number): Date | number | bigint {
  const date = new Date(Number(value) * unit);
  return Number.isNaN(date.getTime()) ? safeInteger(value) : date;
}

function logicalInteger(name: string, tree: unknown, bits: 31 | 63): bigint {
  const value =
    tree instanceof JsonNumber && tree.integral
      ? tree.toBigInt()
      : typeof tree === 'number' && Number.isInteger(tree)
        ? BigInt(tree)
        : null;
  if (value === null || BigInt.asIntN(bits + 1, value) !== value) {
    throw new DataError(
      `Invalid type for ${name}, underlying representation should be ${bits === 31 ? 'int32' : 'int64'} but was ${jsonKind(tree)}.`,
    );
  }
  return value;
}

function readDecimal(schema: Schema, tree: unknown): unknown {
  if (typeof tree === 'string') {
    const bytes = readBytes(tree) as Buffer;
    return { unscaled: unscaledOf(bytes, 0, bytes.length), scale: decimalScale(schema) };
  }
  const text = tree instanceof JsonNumber ? tree.text : typeof tree === 'number' ? String(tree) : '';
  const decimal = parseDecimal(text);
  if (!decimal)
    throw new DataError(
      `Invalid type for ${LogicalName.DECIMAL}, underlying representation should be numeric or bytes but was ${jsonKind(tree)}.`,
    );
  return decimal;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function readBytes(tree: unknown): Buffer | null {
  if (typeof tree !== 'string') return null;
  if (tree.length % 4 !== 0 || !BASE64.test(tree)) throw new DataError('Invalid bytes field: the text is not base64.');
  return Buffer.from(tree, 'base64');
}

function jsonKind(tree: unknown): string {
  if (tree instanceof JsonNumber || typeof tree === 'number') return 'a number';
  if (tree === null) return 'null';
  if (Array.isArray(tree)) return 'an array';
  return typeof tree === 'object' ? 'an object' : `a ${typeof tree}`;
}
