import type { Schema } from '@millrace/sdk';
import type { RawCell } from './plain-text';

/**
 * Decodes the text form of one PostgreSQL value in a network buffer to a Connect value, or returns why it has none
 * (`Unrepresentable`). Never called for NULL.
 */
export type TextDecoder = (bytes: Buffer, start: number, end: number) => unknown;

/** NaN or infinity in a decimal. */
export const NOT_FINITE: unique symbol = Symbol('NOT_FINITE');
/** An array of more than one dimension. */
export const DIMENSIONS: unique symbol = Symbol('DIMENSIONS');
/** NULL among the elements of an array whose items are required. */
export const NULL_ITEM: unique symbol = Symbol('NULL_ITEM');

/** A sparse vector whose dimensions 16-bit indexes cannot number. */
export const TOO_MANY_DIMENSIONS: unique symbol = Symbol('TOO_MANY_DIMENSIONS');

/** Returned by decoders in place of a value that Connect cannot represent. No Connect value is a symbol. */
export type Unrepresentable = typeof NOT_FINITE | typeof DIMENSIONS | typeof NULL_ITEM | typeof TOO_MANY_DIMENSIONS;

/**
 * The text that the server would send for a column whose default is this literal, which may be of another type; null if
 * unknown.
 */
export type DefaultText = (literal: string) => string | null;

export const anyText: DefaultText = (literal) => literal;
export const textLike =
  (form: RegExp): DefaultText =>
  (literal) =>
    form.test(literal) ? literal : null;

/** How one PostgreSQL type appears in events. */
export interface ValueType {
  /** Without default; columns derive their own from it, optional if this one is or if they accept NULL. */
  readonly schema: Schema;
  readonly decode: TextDecoder;
  /**
   * Placeholder for a TOASTed value that the server did not send because it is unchanged; null if the type has none.
   */
  readonly unavailable: unknown;
  /** Emitted where a required column has no value (key-only old rows, cdc-postgres §3.6). */
  readonly fallback: unknown;
  /** Column defaults in this type's schemas (§3.5); null for none at all. */
  readonly defaultText: DefaultText | null;
  /** Schema default of a column whose default is computed, e.g. `now()`; null: none. (Default: `fallback`) */
  readonly computedDefault?: unknown;
  /** Schema defaults by literal, where Debezium's is not the value of the literal. */
  readonly specialDefaults?: Readonly<Record<string, unknown>>;
  /** Between the elements of an array's text. (Default: a comma) */
  readonly delimiter?: string;
  /** How values are written without being decoded. (Default: not at all) */
  readonly raw?: RawCell;
}

export type DecimalMode = 'precise' | 'double' | 'string';
export type TimeMode =
  'adaptive' | 'adaptive_time_microseconds' | 'connect' | 'isostring' | 'microseconds' | 'nanoseconds';
export type BinaryMode = 'bytes' | 'base64' | 'base64-url-safe' | 'hex';

export interface ValueOptions {
  readonly decimals: DecimalMode;
  /** Fraction digits of published amounts. */
  readonly moneyFractionDigits: number;
  /** Fraction digits of stored amounts, see `ServerFacts`. */
  readonly currencyDigits: number;
  readonly time: TimeMode;
  readonly interval: 'numeric' | 'string';
  readonly hstore: 'json' | 'map';
  readonly binary: BinaryMode;
  readonly includeUnknown: boolean;
  /** Bytes of `unavailable.value.placeholder`. */
  readonly placeholder: Buffer;
}

/** A type as `pg_type` describes it. */
export interface PgType {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** `b` base, `c` composite, `d` domain, `e` enum, `p` pseudo, `r` range, `m` multirange. */
  readonly kind: string;
  readonly isArray: boolean;
  /** Element type of an array, base type of a domain, otherwise 0. */
  readonly of: number;
  /** Domains: type modifier of the base type. */
  readonly typmod: number;
  /** Enums: labels in sort order. */
  readonly labels: readonly string[];
}

interface SlicingBuffer {
  utf8Slice(start: number, end: number): string;
  latin1Slice(start: number, end: number): string;
}

/** Buffer#toString without its argument checks: these run for every text value of every row. */
export function utf8(bytes: Buffer, start: number, end: number): string {
  return (bytes as unknown as SlicingBuffer).utf8Slice(start, end);
}
/** For text that is ASCII by its grammar (numbers, dates, UUIDs). */
export function ascii(bytes: Buffer, start: number, end: number): string {
  return (bytes as unknown as SlicingBuffer).latin1Slice(start, end);
}

/** SDK form of an INT64: number, or bigint outside ±2^53. */
export function int64(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export const LONG_MAX = 9223372036854775807n;
export const LONG_MIN = -9223372036854775808n;
