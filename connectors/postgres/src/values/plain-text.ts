/**
 * Which texts of the server may stay text until they are written to Kafka: those that the type's decoder makes a value
 * of without an error, without a symbol and without any other effect. One switch for all types instead of a function
 * for each, because it runs for every cell of every row.
 */
import type { CellForm } from '@millrace/sdk';

export const enum Plain {
  Any,
  /** `t` or `f` */
  Boolean,
  /** As the server writes it, not below -`limit` - 1 and not above `limit`. */
  Integer,
  /** Of 64 bits. */
  Long,
  /** At most 15 digits, `limit` of them after the point. */
  Decimal,
  /** Digits and a point. */
  DecimalText,
  /** Of a year with four digits. */
  Date,
  /** Before the hour `limit`. */
  Time,
  /** Of a year from `limit` to 2199, without a time zone. */
  Timestamp,
  /** Of a year with four digits, in UTC. */
  ZonedTimestamp,
  /** What `accepts` accepts. */
  Special,
}

/** How cells of a type can be written without being decoded. */
export interface RawCell {
  readonly form: CellForm;
  readonly plain: Plain;
  /** See `Plain`. */
  readonly limit: number;
  readonly accepts: ((bytes: Buffer, start: number, end: number) => boolean) | null;
}

export function rawCell(form: CellForm, plain: Plain, limit = 0, accepts: RawCell['accepts'] = null): RawCell {
  return { form, plain, limit, accepts };
}

/** Text of any kind, which is a string. */
export const rawText = (decode: CellForm['decode'], plain = Plain.Any, accepts: RawCell['accepts'] = null): RawCell =>
  rawCell({ form: 'text', decode }, plain, 0, accepts);

const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const EXACT_DIGITS = 15;
const DATE_LENGTH = 10;
const CLOCK_LENGTH = 8;
const TIMESTAMP_LENGTH = DATE_LENGTH + 1 + CLOCK_LENGTH;
const FRACTION_LENGTH = 7;

export function isPlain(plain: Plain, limit: number, bytes: Buffer, start: number, end: number): boolean {
  switch (plain) {
    case Plain.Any:
      return true;
    case Plain.Boolean:
      return end - start === 1 && (bytes[start] === 116 || bytes[start] === 102);
    case Plain.Integer:
      return isInteger(bytes, start, end, limit);
    case Plain.Long:
      return isLong(bytes, start, end);
    case Plain.Decimal:
      return isDecimal(bytes, start, end, limit);
    case Plain.DecimalText:
      return isDecimalText(bytes, start, end);
    case Plain.Date:
      return end - start === DATE_LENGTH && yearOf(bytes, start) >= 0;
    case Plain.Time:
      return isClock(bytes, start, end, limit);
    case Plain.Timestamp:
      return isTimestamp(bytes, start, end, limit);
    case Plain.ZonedTimestamp:
      return (
        bytes[end - 3] === 43 /* + */ &&
        bytes[end - 2] === ZERO &&
        bytes[end - 1] === ZERO &&
        isTimestamp(bytes, start, end - 3, 0)
      );
    case Plain.Special:
      return false;
  }
}

/** No zero before other digits, and none after a minus sign. */
function startsNumber(bytes: Buffer, start: number, at: number, end: number): boolean {
  const first = bytes[at] as number;
  if (at >= end || first < ZERO || first > NINE) return false;
  return first !== ZERO || (end - at === 1 && at === start);
}

function isInteger(bytes: Buffer, start: number, end: number, limit: number): boolean {
  const isNegative = bytes[start] === MINUS;
  let at = isNegative ? start + 1 : start;
  if (end - at > EXACT_DIGITS || !startsNumber(bytes, start, at, end)) return false;
  let value = 0;
  for (; at < end; at++) {
    const c = bytes[at] as number;
    if (c < ZERO || c > NINE) return false;
    value = value * 10 + (c - ZERO);
  }
  return value <= limit || (isNegative && value === limit + 1);
}

/** Those near to the ends of their range are not. */
function isLong(bytes: Buffer, start: number, end: number): boolean {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const digits = end - at;
  if (digits > 19 || !startsNumber(bytes, start, at, end)) return false;
  if (digits === 19 && bytes[at] === NINE) return false;
  for (; at < end; at++) {
    const c = bytes[at] as number;
    if (c < ZERO || c > NINE) return false;
  }
  return true;
}

function isDecimal(bytes: Buffer, start: number, end: number, scale: number): boolean {
  const first = bytes[start] === MINUS ? start + 1 : start;
  const point = scale === 0 ? end : end - scale - 1;
  if (point <= first || (scale === 0 ? end : end - 1) - first > EXACT_DIGITS) return false;
  for (let at = first; at < end; at++) {
    const c = bytes[at] as number;
    if (at === point ? c !== DOT : c < ZERO || c > NINE) return false;
  }
  return true;
}

function isDecimalText(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (first >= end) return false;
  for (let at = first; at < end; at++) {
    const c = bytes[at] as number;
    if ((c < ZERO || c > NINE) && (c !== DOT || at === first)) return false;
  }
  return true;
}

/** Of two digits; -1: they are none. */
function two(bytes: Buffer, at: number): number {
  const high = (bytes[at] as number) - ZERO;
  const low = (bytes[at + 1] as number) - ZERO;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : -1;
}

/** -1: it is no date with a year of four digits. */
function yearOf(bytes: Buffer, start: number): number {
  const century = two(bytes, start);
  const year = two(bytes, start + 2);
  if (century < 0 || year < 0 || bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return -1;
  if (two(bytes, start + 5) < 0 || two(bytes, start + 8) < 0) return -1;
  return century * 100 + year;
}

function isClock(bytes: Buffer, start: number, end: number, hours: number): boolean {
  const length = end - start;
  if (length < CLOCK_LENGTH || length > CLOCK_LENGTH + FRACTION_LENGTH) return false;
  const hour = two(bytes, start);
  if (hour < 0 || hour >= hours || bytes[start + 2] !== COLON || bytes[start + 5] !== COLON) return false;
  if (two(bytes, start + 3) < 0 || two(bytes, start + 6) < 0) return false;
  if (length === CLOCK_LENGTH) return true;
  if (bytes[start + CLOCK_LENGTH] !== DOT || length === CLOCK_LENGTH + 1) return false;
  for (let at = start + CLOCK_LENGTH + 1; at < end; at++) {
    const c = bytes[at] as number;
    if (c < ZERO || c > NINE) return false;
  }
  return true;
}

function isTimestamp(bytes: Buffer, start: number, end: number, firstYear: number): boolean {
  if (end - start < TIMESTAMP_LENGTH || bytes[start + DATE_LENGTH] !== 32) return false;
  const year = yearOf(bytes, start);
  if (year < firstYear || (firstYear > 0 && year > 2199)) return false;
  return isClock(bytes, start + DATE_LENGTH + 1, end, 24);
}
