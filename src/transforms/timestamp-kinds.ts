/**
 * TimestampConverter's five representations of time, each to and from a Date. Source: connect-runtime §7.2.
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

/** Truncates towards zero, as Java's TimeUnit does. */
function fromUnix(value: number | bigint, precision: Precision): number {
  if (precision === 'milliseconds') return Number(value);
  if (precision === 'seconds') return Number(value) * 1000;
  return Number(BigInt(value) / PER_MS[precision]);
}

function toUnix(ms: number, precision: Precision): number | bigint {
  if (precision === 'milliseconds') return ms;
  if (precision === 'seconds') return Math.trunc(ms / 1000);
  const exact = BigInt(ms) * PER_MS[precision];
  return safeInteger(exact > INT64_MAX ? INT64_MAX : exact < INT64_MIN ? INT64_MIN : exact);
}

/** JavaScript's dates end in the year 275760, Java's much later. */
function dateAt(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw dataError(`Unix timestamp is out of range: ${ms} ms after the epoch`);
  return date;
}

/** @param format null: none is configured */
export function toDate(kind: Kind, value: unknown, format: TextFormat | null, precision: Precision): Date {
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
      if (typeof value === 'number' || typeof value === 'bigint') return dateAt(fromUnix(value, precision));
      throw dataError(`Expected Unix timestamp to be a Long, but found class ${javaClassOf(null, value)}`);
    default:
      if (value instanceof Date) return value;
      throw dataError(`Expected ${kind} to be a java.util.Date, but found class ${javaClassOf(null, value)}`);
  }
}

export function fromDate(kind: Kind, date: Date, format: TextFormat | null, precision: Precision): unknown {
  switch (kind) {
    case 'string':
      return formatDate(format?.pieces ?? [], date);
    case 'unix':
      return toUnix(date.getTime(), precision);
    case 'Date':
      return new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS);
    case 'Time':
      return new Date(date.getTime() - Math.floor(date.getTime() / DAY_MS) * DAY_MS);
    case 'Timestamp':
      return date;
  }
}
