/**
 * Checks a value against its schema. Converters call this only after their fast path fails; the test kit calls it for
 * every record. Source: connect-runtime §6.1.
 */
import { DataError } from './errors';
import { readMember } from './member';
import { MAX_NESTING, TOO_DEEP } from './nesting';
import { DAY_MS, LogicalName, type Decimal, type Schema } from './schema';

export interface ValueProblem {
  /** E.g. `after.items[2].price`; empty for the value itself. */
  readonly path: string;
  readonly reason: string;
}

/** Returns the first mismatch, or null. A null schema means schemaless data, which accepts any Connect value. */
export function checkValue(schema: Schema | null, value: unknown): ValueProblem | null {
  return schema === null ? findSchemaless(value, '', 0) : find(schema, value, '', 0);
}

function find(schema: Schema, value: unknown, path: string, depth: number): ValueProblem | null {
  if (value === null || value === undefined) {
    if (schema.optional || (schema.default !== undefined && schema.default !== null)) return null;
    return { path, reason: 'null value for field that is required and has no default value' };
  }
  const logical = findLogical(schema, value);
  if (logical !== undefined) return logical === null ? null : { path, reason: logical };
  if (depth > MAX_NESTING) return tooDeep(path);
  switch (schema.type) {
    case 'STRUCT':
      if (typeof value !== 'object' || value instanceof Map || Array.isArray(value) || isOpaque(value))
        return { path, reason: expected(schema, value) };
      for (const field of schema.fields ?? []) {
        const member = readMember(value as Record<string, unknown>, field.name);
        const problem = find(field.schema, member, joined(path, field.name), depth + 1);
        if (problem) return problem;
      }
      return null;
    case 'ARRAY':
      if (!Array.isArray(value)) return { path, reason: expected(schema, value) };
      return first(value, (element, i) => find(schema.valueSchema as Schema, element, `${path}[${i}]`, depth + 1));
    case 'MAP':
      if (!(value instanceof Map)) return { path, reason: expected(schema, value) };
      return first([...(value as Map<unknown, unknown>)], ([key, member], i) => {
        return (
          find(schema.keySchema as Schema, key, `${path}.key[${i}]`, depth + 1) ??
          find(schema.valueSchema as Schema, member, `${path}[${String(key)}]`, depth + 1)
        );
      });
    default:
      return fits(schema, value) ? null : { path, reason: expected(schema, value) };
  }
}

function findLogical(schema: Schema, value: unknown): string | null | undefined {
  switch (schema.name) {
    case LogicalName.DECIMAL: {
      if (!isDecimal(value)) return `a Decimal needs { unscaled: bigint, scale: number } but got ${kindOf(value)}`;
      const scale = decimalScale(schema);
      if (value.scale === scale) return null;
      return `Decimal value has mismatching scale for given Decimal schema. Schema has scale ${scale}, value has scale ${value.scale}`;
    }
    case LogicalName.DATE:
    case LogicalName.TIME:
    case LogicalName.TIMESTAMP:
      if (value instanceof Date) return temporalProblem(schema.name, value);
      // The epoch number, checked as the integer that it is.
      if (typeof value === 'number' || typeof value === 'bigint') return undefined;
      return `${schema.name} needs a Date but got ${kindOf(value)}`;
    default:
      return undefined;
  }
}

const BITS: Readonly<Record<string, number>> = { INT8: 8, INT16: 16, INT32: 32, INT64: 64 };

function fits(schema: Schema, value: unknown): boolean {
  const bits = BITS[schema.type];
  if (bits !== undefined) {
    if (typeof value === 'bigint') return bits === 64 && BigInt.asIntN(64, value) === value;
    return (
      typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1)
    );
  }
  switch (schema.type) {
    case 'FLOAT32':
    case 'FLOAT64':
      return typeof value === 'number';
    case 'BOOLEAN':
      return typeof value === 'boolean';
    case 'STRING':
      return typeof value === 'string';
    default:
      return value instanceof Uint8Array;
  }
}

function expected(schema: Schema, value: unknown): string {
  return `its schema is ${schema.type} but the value is ${kindOf(value)}`;
}

function findSchemaless(value: unknown, path: string, depth: number): ValueProblem | null {
  if (typeof value === 'function' || typeof value === 'symbol')
    return { path, reason: `${typeof value} is not a Connect value` };
  if (typeof value !== 'object' || value === null) return null;
  if (isOpaque(value)) return { path, reason: `${kindOf(value)} is not a Connect value` };
  if (depth > MAX_NESTING) return tooDeep(path);
  const entries: [unknown, unknown][] =
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : Object.entries(value);
  return first(entries, ([key, member]) => findSchemaless(member, joined(path, String(key)), depth + 1));
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const LONGEST_PATH = 100;

function tooDeep(path: string): ValueProblem {
  return { path: path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path, reason: TOO_DEEP };
}

function first<T>(list: readonly T[], test: (element: T, index: number) => ValueProblem | null): ValueProblem | null {
  for (let i = 0; i < list.length; i++) {
    const problem = test(list[i] as T, i);
    if (problem) return problem;
  }
  return null;
}

/** Classes whose instances have no members of their own: they would be written as empty structs. */
const OPAQUE = new Set(
  ['Promise', 'Set', 'WeakMap', 'WeakSet', 'RegExp', 'Error', 'ArrayBuffer', 'Generator', 'AsyncGenerator'].map(
    (name) => `[object ${name}]`,
  ),
);

/** True for an object that cannot be a struct: a promise, a Set, a RegExp, an Error… Cheap for plain objects. */
export function isOpaque(value: object): boolean {
  if (typeof (value as { then?: unknown }).then === 'function') return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null && OPAQUE.has(Object.prototype.toString.call(value));
}

/** Describes the kind of a value for error texts. Never the value itself, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number')
    return Number.isInteger(value) ? 'an integer (perhaps out of range)' : 'a number with a fraction';
  if (typeof value === 'bigint') return 'a bigint';
  if (typeof value === 'boolean') return 'a boolean';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (Array.isArray(value)) return 'an array';
  const name = (value as { constructor?: { name?: string } }).constructor?.name;
  return name === undefined || name === '' || name === 'Object' ? 'an object' : `a ${name}`;
}

/**
 * The `scale` parameter of a Decimal schema: digits after the decimal point. Throws DataError if it is not an integer.
 */
export function decimalScale(schema: Schema): number {
  const text = schema.parameters?.scale;
  const scale = text === undefined ? NaN : Number(text);
  if (!Number.isInteger(scale)) {
    throw new DataError(
      `Invalid Decimal schema: its parameter "scale" must be an integer but is ${text ?? 'missing'}.`,
    );
  }
  return scale;
}

export function isDecimal(value: unknown): value is Decimal {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Decimal).unscaled === 'bigint' &&
    typeof (value as Decimal).scale === 'number'
  );
}

/** Returns why a Date does not fit the logical type `name`, or null. */
export function temporalProblem(name: string, value: Date): string | null {
  const ms = value.getTime();
  if (Number.isNaN(ms)) return 'the date is invalid, or beyond the years -271821 to 275760';
  if (name === LogicalName.DATE && ms % DAY_MS !== 0) return 'a Date must have no time of day (UTC)';
  if (name === LogicalName.TIME && (ms < 0 || ms > DAY_MS))
    return 'a Time must lie within one day after the epoch (UTC)';
  return null;
}
