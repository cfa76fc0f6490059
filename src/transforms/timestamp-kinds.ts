/**
 * TimestampConverter's five representations of time, each to and from an instant. Source: connect-runtime §7.2.
 */
import {
  DAY_MS,
  safeInteger,
  dateSchema,
  LogicalName,
  schema as makeSchema,
  timeSchema,
  timestampSchema,
  type Schema,
  type SchemaOptions,
} from '@millrace/sdk';
import { formatDate } from './date-format';
import { parseDate } from './date-parse';
import type { Piece } from './date-pattern';
import { ShapeError, dataError } from './failures';
import { javaClassOf } from './shapes';

export const KINDS = ['string', 'unix', 'Date', 'Time', 'Timestamp'] as const;
export type Kind = (typeof KINDS)[number];

export const PRECISIONS = ['nanoseconds', 'microseconds', 'milliseconds', 'seconds'] as const;
export type Precision = (typeof PRECISIONS)[number];

export interface TextFormat {
  readonly pattern: string;
  readonly pieces: readonly Piece[];
}

const SCHEMAS: Readonly<Record<Kind, (options: SchemaOptions) => Schema>> = {
  string: (options) => makeSchema('STRING', options),
  unix: (options) => makeSchema('INT64', options),
  Date: dateSchema,
  Time: timeSchema,
  Timestamp: timestampSchema,
};

export function schemaOfKind(kind: Kind, optional: boolean): Schema {
  return SCHEMAS[kind]({ optional });
}

/** Throws for schemas whose values are not times. */
export function kindOfSchema(schema: Schema): Kind {
  if (schema.name === LogicalName.TIMESTAMP) return 'Timestamp';
  if (schema.name === LogicalName.DATE) return 'Date';
  if (schema.name === LogicalName.TIME) return 'Time';
  if (schema.type === 'STRING') return 'string';
  if (schema.type === 'INT64') return 'unix';
  throw new ShapeError(
    'org.apache.kafka.connect.errors.ConnectException',
    `Schema Schema{${schema.name === null ? '' : `${schema.name}:`}${schema.type}} does not correspond to a known timestamp type format`,
  );
}

/** The representation of a value without a schema. */
export function kindOfValue(value: unknown): Kind {
  if (value instanceof Date) return 'Timestamp';
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'unix';
  if (typeof value === 'string') return 'string';
  throw dataError(`TimestampConverter does not support class ${javaClassOf(null, value)} objects as timestamps`);
}

const PER_MS = { microseconds: 1000n, nanoseconds: 1_000_000n };
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** Milliseconds since the epoch where a Date does not reach: they end in the year 275760, Java's much later. */
type Instant = Date | number | bigint;

function instantAt(ms: bigint): Instant {
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? safeInteger(ms) : date;
}

function saturated(value: bigint): bigint {
  return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : value;
}

/** Truncates towards zero, as Java's TimeUnit does. */
function fromUnix(value: number | bigint, precision: Precision): Instant {
  if (precision === 'milliseconds') return instantAt(BigInt(value));
  if (precision === 'seconds') return instantAt(saturated(BigInt(value) * 1000n));
  return instantAt(BigInt(value) / PER_MS[precision]);
}

function toUnix(ms: bigint, precision: Precision): number | bigint {
  if (precision === 'milliseconds') return safeInteger(ms);
  if (precision === 'seconds') return safeInteger(ms / 1000n);
  return safeInteger(saturated(ms * PER_MS[precision]));
}

/** @param format null: none is configured */
export function toInstant(kind: Kind, value: unknown, format: TextFormat | null, precision: Precision): Instant {
  switch (kind) {
    case 'string': {
      if (typeof value !== 'string') {
        throw dataError(`Expected string timestamp to be a String, but found class ${javaClassOf(null, value)}`);
      }
      // Java throws a NullPointerException without a message here: same class, with a message.
      if (format === null) {
        throw new ShapeError(
          'java.lang.NullPointerException',
          'TimestampConverter requires "format" to parse strings.',
        );
      }
      const date = parseDate(format.pieces, value);
      if (date) return date;
      throw dataError(`Could not parse timestamp: value (${value}) does not match pattern (${format.pattern})`);
    }
    case 'unix':
      if (typeof value === 'number' || typeof value === 'bigint') return fromUnix(value, precision);
      throw dataError(`Expected Unix timestamp to be a Long, but found class ${javaClassOf(null, value)}`);
    default:
      if (value instanceof Date) return value;
      if (typeof value === 'number' || typeof value === 'bigint')
        return instantAt(BigInt(value) * (kind === 'Date' ? BigInt(DAY_MS) : 1n));
      throw dataError(`Expected ${kind} to be a java.util.Date, but found class ${javaClassOf(null, value)}`);
  }
}

export function fromInstant(kind: Kind, instant: Instant, format: TextFormat | null, precision: Precision): unknown {
  const ms = instant instanceof Date ? BigInt(instant.getTime()) : BigInt(instant);
  switch (kind) {
    case 'string':
      if (instant instanceof Date) return formatDate(format?.pieces ?? [], instant);
      throw dataError(`Unix timestamp is out of range: ${ms} ms after the epoch`);
    case 'unix':
      return toUnix(ms, precision);
    case 'Date': {
      const days = Math.floor(Number(ms) / DAY_MS);
      return instant instanceof Date ? new Date(days * DAY_MS) : days;
    }
    case 'Time': {
      const inDay = Number(ms % BigInt(DAY_MS));
      return new Date(inDay < 0 ? inDay + DAY_MS : inDay);
    }
    case 'Timestamp':
      return instant;
  }
}
