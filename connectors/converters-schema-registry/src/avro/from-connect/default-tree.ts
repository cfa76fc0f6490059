/** Defaults of Connect schemas as JSON. */
import {
  DAY_MS,
  DataError,
  isDecimal,
  javaDouble,
  javaFloat,
  kindOf,
  LogicalName,
  readMember,
  type Schema,
  unscaledBytes,
} from '@millrace/sdk';
import { JsonNumber, type JsonTree } from '../json/json-tree';
import type { AvroSchema } from '../schema/avro-schema';
import { isStringMap, isUnion } from './connect-kinds';
import { scrubName } from './names';

export interface DefaultOptions {
  readonly scrub: boolean;
  readonly optionalMapKeys: boolean;
}

/**
 * @param asField as the default of an Avro field, where floats are written as doubles; otherwise as `connect.default`
 */
export function defaultTree(schema: Schema, value: unknown, asField: boolean, options: DefaultOptions): JsonTree {
  const of = (part: Schema, member: unknown): JsonTree => defaultTree(part, member, asField, options);
  if (value === null || value === undefined) return null;
  const plain = underlying(schema, value);
  switch (schema.type) {
    case 'INT8':
    case 'INT16':
    case 'INT32':
    case 'INT64':
      return new JsonNumber(integerText(schema, plain));
    case 'FLOAT32':
      if (typeof plain !== 'number') return fail(schema, plain);
      return asField ? doubleTree(Math.fround(plain)) : floatTree(plain);
    case 'FLOAT64':
      return typeof plain === 'number' ? doubleTree(plain) : fail(schema, plain);
    case 'BOOLEAN':
      return typeof plain === 'boolean' ? plain : fail(schema, plain);
    case 'STRING':
      return typeof plain === 'string' ? plain : fail(schema, plain);
    case 'BYTES':
      return plain instanceof Uint8Array ? latin1(plain) : fail(schema, plain);
    case 'ARRAY':
      if (!Array.isArray(plain)) return fail(schema, plain);
      return plain.map((element) => of(schema.valueSchema as Schema, element));
    case 'MAP': {
      if (!(plain instanceof Map)) return fail(schema, plain);
      const entries = [...(plain as Map<unknown, unknown>)];
      const { keySchema, valueSchema } = schema as { keySchema: Schema; valueSchema: Schema };
      if (!isStringMap(schema, options.optionalMapKeys))
        return entries.map(([key, member]) => [of(keySchema, key), of(valueSchema, member)]);
      return new Map(entries.map(([key, member]) => [String(key), of(valueSchema, member)]));
    }
    case 'STRUCT': {
      if (typeof plain !== 'object') return fail(schema, plain);
      const members = (schema.fields ?? []).map((field): [string, JsonTree] => {
        const member = readMember(plain as Record<string, unknown>, field.name) ?? field.schema.default;
        return [options.scrub ? scrubName(field.name) : field.name, of(field.schema, member)];
      });
      // Only the first member of a union counts.
      return isUnion(schema) ? (members[0]?.[1] ?? null) : new Map(members);
    }
  }
}

/** Of a logical type what is written for it. */
function underlying(schema: Schema, value: unknown): unknown {
  switch (schema.name) {
    case LogicalName.DECIMAL:
      return isDecimal(value) ? unscaledBytes(value.unscaled) : fail(schema, value);
    case LogicalName.DATE:
      return value instanceof Date ? Math.trunc(value.getTime() / DAY_MS) : value;
    case LogicalName.TIME:
    case LogicalName.TIMESTAMP:
      return value instanceof Date ? value.getTime() : value;
    default:
      return value;
  }
}

function integerText(schema: Schema, value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : fail(schema, value);
}

function floatTree(value: number): JsonNumber {
  return Number.isFinite(value) ? new JsonNumber(javaFloat(value)) : notFinite(value);
}

function doubleTree(value: number): JsonNumber {
  return Number.isFinite(value) ? new JsonNumber(javaDouble(value)) : notFinite(value);
}

/** Jackson writes these numbers as strings. */
function notFinite(value: number): JsonNumber {
  return new JsonNumber(`"${value}"`);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function fail(schema: Schema, value: unknown): never {
  throw new DataError(`The default of a ${schema.type} schema is ${kindOf(value)}.`, { code: 'AVRO_SCHEMA' });
}

const INTEGER = /^-?\d+$/;

/** Whether a field of the type may have the default. Avro's Java library otherwise leaves it out. */
export function isValidDefault(schema: AvroSchema, tree: JsonTree | undefined): boolean {
  if (tree === undefined) return false;
  switch (schema.type) {
    case 'string':
    case 'bytes':
    case 'enum':
    case 'fixed':
      return typeof tree === 'string';
    case 'int':
    case 'long':
      if (!(tree instanceof JsonNumber) || !INTEGER.test(tree.text)) return false;
      return BigInt.asIntN(schema.type === 'int' ? 32 : 64, BigInt(tree.text)) === BigInt(tree.text);
    case 'float':
    case 'double':
      return tree instanceof JsonNumber;
    case 'boolean':
      return typeof tree === 'boolean';
    case 'null':
      return tree === null;
    case 'array':
      return Array.isArray(tree) && tree.every((element) => isValidDefault(schema.items, element as JsonTree));
    case 'map':
      return (
        tree instanceof Map && [...tree.values()].every((value) => isValidDefault(schema.values, value as JsonTree))
      );
    case 'union':
      return schema.types[0] !== undefined && isValidDefault(schema.types[0], tree);
    case 'record':
      return (
        tree instanceof Map &&
        schema.fields.every((one) =>
          isValidDefault(one.schema, tree.has(one.name) ? (tree.get(one.name) as JsonTree) : one.default),
        )
      );
  }
}
