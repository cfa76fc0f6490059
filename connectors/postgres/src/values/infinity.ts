/** The numbers that stand for infinite timestamps (cdc-postgres Appendix R.1). */
import { LONG_MAX, LONG_MIN } from './value-type';

/** In milliseconds: `Timestamp` of Debezium and of Connect. */
export const MILLIS_INFINITY = { infinity: 9223372036825200000n, '-infinity': -9223372036832400000n } as const;
/** In microseconds and nanoseconds. */
export const LONG_INFINITY = { infinity: LONG_MAX, '-infinity': LONG_MIN } as const;
/** The default of a column with DEFAULT 'infinity' in the schema of `MicroTimestamp`; -infinity is `LONG_MIN` there. */
export const MICRO_INFINITY_DEFAULT = -9223372036853775810n;

const NUMBERS: ReadonlySet<unknown> = new Set([
  ...Object.values(MILLIS_INFINITY),
  ...Object.values(LONG_INFINITY),
  MICRO_INFINITY_DEFAULT,
]);

/** Whether a value of a timestamp, in any unit or as text, stands for infinity. */
export function isInfinite(value: unknown): boolean {
  if (typeof value === 'bigint') return NUMBERS.has(value);
  return value === 'infinity' || value === '-infinity';
}
