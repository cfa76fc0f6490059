/** Dates of PostgreSQL as Java objects of chunk keys, and back. */
import type { JavaValue } from './java-value';

type LocalDate = Extract<JavaValue, { type: 'LocalDate' }>;

/** Which Java's driver treats as infinity. */
const MAX: LocalDate = { type: 'LocalDate', year: 999_999_999, month: 12, day: 31 };
const MIN: LocalDate = { type: 'LocalDate', year: -999_999_999, month: 1, day: 1 };

/**
 * `java.sql.Date`, which Debezium writes, is another day in a JVM of another time zone; this class is the same in all.
 * Null: not a date.
 */
export function localDate(text: string): LocalDate | null {
  if (text === 'infinity') return MAX;
  if (text === '-infinity') return MIN;
  const [, year, month, day, bc] = /^(\d{4,7})-(\d\d)-(\d\d)( BC)?$/.exec(text) ?? [];
  if (year === undefined) return null;
  return {
    type: 'LocalDate',
    year: bc === undefined ? Number(year) : 1 - Number(year),
    month: Number(month),
    day: Number(day),
  };
}

export function dateText(date: LocalDate): string {
  const { year, month, day } = date;
  if (year === MAX.year) return 'infinity';
  if (year === MIN.year) return '-infinity';
  const digits = (number: number, count: number): string => String(number).padStart(count, '0');
  const text = `${digits(year > 0 ? year : 1 - year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  return year > 0 ? text : `${text} BC`;
}

const HOUR = 3_600_000n;
/** Java's calendar differs from PostgreSQL's before this day. */
const FIRST_GREGORIAN = BigInt(Date.UTC(1582, 9, 17));
const LAST = BigInt(Date.UTC(9999, 11, 31));

/**
 * The day of a midnight in an unknown time zone. In UTC that midnight is between 10:00 of the day before (UTC+14) and
 * 12:00 (UTC-12). Where two days are possible, `after` yields the earlier one, and `upTo` the later one. Throws an
 * Error for days before 1582-10-17, and after the year 9999.
 */
export function dayOf(millis: bigint, bound: 'after' | 'upTo'): string {
  if (millis < FIRST_GREGORIAN || millis > LAST) throw new Error('contains a date out of range');
  return new Date(Number(millis + (bound === 'after' ? 11n : 14n) * HOUR)).toISOString().slice(0, 10);
}
