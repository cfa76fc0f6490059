/** Keys and values of the offsets topic. Source: connect-runtime §1.5. */
import { DataError, type SourceOffset, type SourcePartition } from '@millrace/sdk';
import {
  Float64,
  isJsonObject,
  jsonMembers,
  readJson,
  writeJson,
  type JsonObject,
  type JsonValue,
} from '../connect-json';
import { quote } from '../../json/quote';
import { hashMapOrder } from './hash-map-order';

/** Member order of a partition that is not stored yet: that of a Java `HashMap` or `LinkedHashMap`. */
export type PartitionOrder = 'hash-map' | 'insertion';

export interface OffsetKey {
  readonly connector: string;
  readonly partition: JsonObject | null;
}

function checkPrimitive(field: string, value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'string':
      return value;
    case 'bigint':
      if (BigInt.asIntN(64, value) === value) return value;
  }
  if (value instanceof Uint8Array || value instanceof Float64) return value;
  // For more than 64 bits, Java names the class of the parsed number.
  const type = typeof value === 'bigint' ? 'class java.math.BigInteger' : Array.isArray(value) ? 'ARRAY' : 'MAP';
  throw new DataError(`Offsets may only contain primitive types as values, but field ${field} contains ${type}`, {
    code: 'OFFSET_NOT_PRIMITIVE',
  });
}

function members(of: SourcePartition | SourceOffset | JsonObject): [string, JsonValue][] {
  return Object.entries(of).map(([field, value]) => [field, checkPrimitive(field, value)]);
}

/** Throws DataError when a value is not primitive. */
export function requirePrimitives(...all: readonly (SourcePartition | SourceOffset | JsonObject | null)[]): void {
  for (const object of all) if (object !== null) members(object);
}

/** Throws DataError when a value is not primitive. */
export function writeOffsetKey(
  connector: string,
  partition: SourcePartition | JsonObject | null,
  order: PartitionOrder,
): Buffer {
  let text = 'null';
  if (partition !== null) {
    const found = new Map(members(partition));
    const names = [...found.keys()];
    text = jsonMembers(
      (order === 'hash-map' ? hashMapOrder(names) : names).map((name) => [name, found.get(name) ?? null]),
    );
  }
  return Buffer.from(`[${quote(connector)},${text}]`, 'utf8');
}

/** Null, a tombstone, for a null offset. Throws DataError when a value is not primitive. */
export function writeOffsetValue(offset: SourceOffset | JsonObject | null): Buffer | null {
  return offset === null ? null : Buffer.from(jsonMembers(members(offset)), 'utf8');
}

/** Null if the bytes are not an offset key. */
export function readOffsetKey(bytes: Uint8Array): OffsetKey | null {
  let key: JsonValue;
  try {
    key = readJson(bytes);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (!Array.isArray(key) || key.length !== 2) return null;
  const [connector, partition] = key as JsonValue[];
  if (typeof connector !== 'string') return null;
  if (partition === null) return { connector, partition };
  return isJsonObject(partition) ? { connector, partition } : null;
}

/** Integers are numbers, or bigints outside ±2^53. Throws if the bytes are not an offset. */
export function readOffsetValue(bytes: Uint8Array): JsonObject | null {
  const value = readJson(bytes);
  if (value === null || isJsonObject(value)) return value;
  throw new SyntaxError('expected an object at position 0');
}

/** Equal partitions have the same text in any member order; `1` and `1.0` differ. */
export function partitionIdentity(partition: SourcePartition | JsonObject | null): string {
  if (partition === null) return 'null';
  const names = Object.keys(partition).sort();
  return `{${names.map((name) => `${quote(name)}:${canonical((partition as JsonObject)[name] ?? null)}`).join()}}`;
}

function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => canonical(item)).join()}]`;
  if (isJsonObject(value)) return partitionIdentity(value);
  return writeJson(value);
}
