import { dateSchema, schema, timeSchema, timestampSchema } from '@millrace/sdk';
import {
  MICROS_PER_DAY,
  fractionDigits,
  isoDate,
  isoTime,
  scanDate,
  scanTime,
  scanTimestamp,
  type Scanned,
} from './calendar';
import { Plain, rawCell, type RawCell } from './plain-text';
import {
  LONG_MAX,
  LONG_MIN,
  ascii,
  int64,
  textLike,
  type DefaultText,
  type TextDecoder,
  type TimeMode,
  type ValueOptions,
  type ValueType,
} from './value-type';

/** Infinite timestamps (Appendix R.1) in milliseconds: `Timestamp` of Debezium and of Connect. */
const MILLIS_INFINITY = { infinity: 9223372036825200000n, '-infinity': -9223372036832400000n } as const;
/** In microseconds and nanoseconds. */
const LONG_INFINITY = { infinity: LONG_MAX, '-infinity': LONG_MIN } as const;
/** The default of a column with DEFAULT 'infinity' in the schema of `MicroTimestamp`; -infinity is `LONG_MIN` there. */
const MICRO_INFINITY_DEFAULT = -9223372036853775810n;

const named = (type: 'INT32' | 'INT64' | 'STRING', name: string) =>
  schema(type, { name: `io.debezium.time.${name}`, version: 1 });
const maker =
  (defaultText: DefaultText | null) =>
  (
    of: ValueType['schema'],
    decode: TextDecoder,
    fallback: unknown,
    more: Pick<ValueType, 'computedDefault' | 'specialDefaults' | 'raw'> = {},
  ): ValueType => ({ schema: of, decode, unavailable: null, fallback, defaultText, ...more });

/** Literal defaults that Debezium replaces by the last values of java.time (Appendix R.14). */
const infinite = (last: unknown, first: unknown) => ({ specialDefaults: { infinity: last, '-infinity': first } });
const endOfDay = (last: unknown) => ({ specialDefaults: { '24:00:00': last } });

// What depends on the session's time zone has no default.
const DAY = String.raw`\d{4,}-\d\d-\d\d`;
const CLOCK = String.raw`\d\d:\d\d:\d\d(?:\.\d+)?`;
const ZONE = String.raw`[+-]\d\d(?::\d\d){0,2}`;
const LOCAL = new RegExp(`^(${DAY})(?: (${CLOCK}))?( BC)?$`);
const LOCAL_TIME = new RegExp(`^(?:${DAY} )?(${CLOCK})(?: BC)?$`);

const ofDate = maker((literal) => {
  const [, day, , era = ''] = LOCAL.exec(literal) ?? [];
  return day === undefined ? null : day + era;
});
const ofTime = maker((literal) => LOCAL_TIME.exec(literal)?.[1] ?? null);
const ofTimestamp = maker((literal) => {
  const [, day, clock = '00:00:00', era = ''] = LOCAL.exec(literal) ?? [];
  return day === undefined ? null : `${day} ${clock}${era}`;
});
const ofTimestamptz = maker(textLike(new RegExp(`^${DAY} ${CLOCK}${ZONE}(?: BC)?$`)));
const ofTimetz = maker(null);
const ofInterval = maker(textLike(/^(?=.)(?:-?\d+ (?:year|mon|day)s? ?)*(?:-?\d+:\d\d:\d\d(?:\.\d+)?)?$/));

/**
 * What Debezium emits for infinite dates while streaming (cdc-postgres Appendix R.2); ours uses it in snapshots, too.
 */
const DATE_INFINITY = { infinity: 2146033979, '-infinity': -2147472691 } as const;
/** The furthest a JavaScript Date reaches, in milliseconds. */
const DATE_LIMIT = 8.64e15;

/** Fraction digits declared by a temporal type modifier. (Default: 6) */
function precisionOf(typmod: number): number {
  return typmod < 0 ? 6 : typmod & 0xffff;
}

/** The number of days itself where a Date does not reach (Appendix R.20). */
function connectDate(found: Scanned): Date | number {
  if (found.infinite) return DATE_INFINITY[found.infinite];
  const ms = found.days * 86_400_000;
  return Math.abs(ms) > DATE_LIMIT ? found.days : new Date(ms);
}

/** The number of milliseconds itself where a Date does not reach (Appendix R.20). */
function connectTimestamp(found: Scanned): Date | number | bigint {
  const ms = epochMillis(found);
  return typeof ms === 'bigint' || Math.abs(ms) > DATE_LIMIT ? ms : new Date(ms);
}

/** A time as the integer that is published, where `plain` says that a double represents it exactly. */
function rawNumber(decode: TextDecoder, read: (b: Buffer, s: number, e: number) => number, plain: Plain, limit = 0) {
  return { raw: rawCell({ form: 'number', decode, read }, plain, limit) };
}

/** From this year on, a double counts microseconds exactly. */
const FIRST_EXACT_YEAR = 1700;

const readDays = (b: Buffer, s: number, e: number): number => scanDate(b, s, e).days;
const readTimeMillis = (b: Buffer, s: number, e: number): number => Math.floor(scanTime(b, s, e).micros / 1000);
const readTimeMicros = (b: Buffer, s: number, e: number): number => scanTime(b, s, e).micros;
const readTimeNanos = (b: Buffer, s: number, e: number): number => scanTime(b, s, e).micros * 1000;
const readMillis = (b: Buffer, s: number, e: number): number => {
  const { days, micros } = scanTimestamp(b, s, e);
  return days * 86_400_000 + Math.floor(micros / 1000);
};
const readMicros = (b: Buffer, s: number, e: number): number => {
  const { days, micros } = scanTimestamp(b, s, e);
  return days * MICROS_PER_DAY + micros;
};

export function dateType(mode: TimeMode): ValueType {
  if (mode === 'connect') {
    const decode: TextDecoder = (b, s, e) => connectDate(scanDate(b, s, e));
    return ofDate(dateSchema(), decode, new Date(0), {
      ...infinite(169560311, -170999002),
      ...rawNumber(decode, readDays, Plain.Date),
    });
  }
  if (mode === 'isostring') {
    return ofDate(
      named('STRING', 'IsoDate'),
      (b, s, e) => {
        const found = scanDate(b, s, e);
        return found.infinite ?? isoDate(found.days) + 'Z';
      },
      '1970-01-01Z',
      infinite('+999999999-12-31Z', '-999999999-01-01Z'),
    );
  }
  const decode: TextDecoder = (b, s, e) => {
    const found = scanDate(b, s, e);
    return found.infinite ? DATE_INFINITY[found.infinite] : found.days;
  };
  return ofDate(named('INT32', 'Date'), decode, 0, {
    ...infinite(169560311, -170999002),
    ...rawNumber(decode, readDays, Plain.Date),
  });
}

/** Of a day; its end, 24:00:00, is another day's time in some schemas. */
const HOURS = 24;

export function timeType(typmod: number, mode: TimeMode): ValueType {
  switch (mode) {
    case 'connect': {
      const decode: TextDecoder = (b, s, e) => new Date(readTimeMillis(b, s, e));
      return ofTime(timeSchema(), decode, new Date(0), {
        ...endOfDay(new Date(86_399_999)),
        ...rawNumber(decode, readTimeMillis, Plain.Time, HOURS),
      });
    }
    case 'isostring':
      return ofTime(
        named('STRING', 'IsoTime'),
        (b, s, e) => {
          const found = scanTime(b, s, e);
          return isoTime(found.micros, null) + 'Z';
        },
        '00:00:00Z',
        endOfDay('23:59:59.999999999Z'),
      );
    case 'nanoseconds':
      return ofTime(named('INT64', 'NanoTime'), readTimeNanos, 0, {
        ...endOfDay(86_399_999_999_999),
        ...rawNumber(readTimeNanos, readTimeNanos, Plain.Time, HOURS),
      });
    case 'adaptive':
      if (precisionOf(typmod) <= 3)
        return ofTime(named('INT32', 'Time'), readTimeMillis, 0, {
          ...endOfDay(86_399_999),
          ...rawNumber(readTimeMillis, readTimeMillis, Plain.Time, HOURS),
        });
  }
  return ofTime(named('INT64', 'MicroTime'), readTimeMicros, 0, {
    ...endOfDay(86_399_999_999),
    ...rawNumber(readTimeMicros, readTimeMicros, Plain.Time, HOURS),
  });
}

/** Milliseconds since the epoch. */
function epochMillis(found: Scanned): number | bigint {
  if (found.infinite) return MILLIS_INFINITY[found.infinite];
  const inDay = Math.floor(found.micros / 1000);
  const millis = found.days * 86_400_000 + inDay;
  return Number.isSafeInteger(millis) ? millis : BigInt(found.days) * 86_400_000n + BigInt(inDay);
}

/**
 * Microseconds since the epoch. Those beyond 64 bits are as in Debezium (Appendix R.21): whole seconds end at the last
 * long, and what the fraction adds to that wraps around.
 */
function epochMicros(found: Scanned): number | bigint {
  const micros = found.days * MICROS_PER_DAY + found.micros;
  if (Number.isSafeInteger(micros)) return micros;
  const fraction = BigInt(found.micros % 1_000_000);
  const seconds = BigInt(found.days) * 86_400_000_000n + BigInt(found.micros) - fraction;
  return int64(BigInt.asIntN(64, (seconds > LONG_MAX ? LONG_MAX : seconds) + fraction));
}

function checkLong(value: bigint): bigint {
  if (value > LONG_MAX || value < LONG_MIN) throw new RangeError('it does not fit into 64 bits');
  return value;
}

export function timestampType(typmod: number, mode: TimeMode): ValueType {
  switch (mode) {
    case 'connect': {
      const decode: TextDecoder = (b, s, e) => connectTimestamp(scanTimestamp(b, s, e));
      return ofTimestamp(timestampSchema(), decode, new Date(0), rawNumber(decode, readMillis, Plain.Timestamp));
    }
    case 'isostring':
      return ofTimestamp(
        named('STRING', 'IsoTimestamp'),
        (b, s, e) => {
          const found = scanTimestamp(b, s, e);
          return found.infinite ?? `${isoDate(found.days)}T${isoTime(found.micros, null)}Z`;
        },
        '1970-01-01T00:00:00Z',
        infinite('+999999999-12-31T23:59:59.999999999Z', '-999999999-01-01T00:00:00Z'),
      );
    case 'nanoseconds':
      return ofTimestamp(
        named('INT64', 'NanoTimestamp'),
        (b, s, e) => {
          const found = scanTimestamp(b, s, e);
          if (found.infinite) return LONG_INFINITY[found.infinite];
          return int64(checkLong(BigInt(epochMicros(found)) * 1000n));
        },
        0,
      );
    case 'adaptive':
    case 'adaptive_time_microseconds':
      if (precisionOf(typmod) <= 3) {
        const decode: TextDecoder = (b, s, e) => epochMillis(scanTimestamp(b, s, e));
        return ofTimestamp(named('INT64', 'Timestamp'), decode, 0, rawNumber(decode, readMillis, Plain.Timestamp));
      }
  }
  const decode: TextDecoder = (b, s, e) => {
    const found = scanTimestamp(b, s, e);
    return found.infinite ? LONG_INFINITY[found.infinite] : epochMicros(found);
  };
  return ofTimestamp(named('INT64', 'MicroTimestamp'), decode, 0, {
    ...infinite(MICRO_INFINITY_DEFAULT, LONG_MIN),
    ...rawNumber(decode, readMicros, Plain.Timestamp, FIRST_EXACT_YEAR),
  });
}

/** Always UTC text with exactly the declared number of fraction digits, in every time mode. */
export function timestamptzType(typmod: number): ValueType {
  const digits = precisionOf(typmod);
  const decode: TextDecoder = (b, s, e) => {
    const found = scanTimestamp(b, s, e);
    if (found.infinite) return found.infinite;
    // Sessions run in UTC, so the common case is a copy of the server's text.
    if (found.offsetSeconds === 0 && b[s + 4] === 45 && b[e - 1] !== 67) {
      const text = ascii(b, s, e - 3);
      const toSeconds = `${text.slice(0, 10)}T${text.slice(11, 19)}`;
      if (digits === 0) return `${toSeconds}Z`;
      return `${toSeconds}.${text.slice(20).padEnd(digits, '0')}Z`;
    }
    let micros = found.micros - found.offsetSeconds * 1_000_000;
    const shift = Math.floor(micros / MICROS_PER_DAY);
    micros -= shift * MICROS_PER_DAY;
    return `${isoDate(found.days + shift)}T${isoTime(micros, digits)}Z`;
  };
  // Debezium's zero of a missing value has no fraction (Appendix R.19).
  return ofTimestamptz(named('STRING', 'ZonedTimestamp'), decode, '1970-01-01T00:00:00Z', {
    computedDefault: `1970-01-01T${isoTime(0, digits)}Z`,
    raw: rawZoned(decode, digits),
  });
}

/** `2024-01-02 03:04:05.6+00` as `2024-01-02T03:04:05.600Z`. */
function rawZoned(decode: TextDecoder, digits: number): RawCell {
  const write = (b: Buffer, s: number, e: number, target: Uint8Array, to: number): number => {
    let at = to;
    for (let from = s; from < s + 19; from++) target[at++] = b[from] as number;
    target[to + 10] = 84; // T
    if (digits > 0) {
      target[at++] = 46; // .
      const end = at + digits;
      for (let from = s + 20; from < e - 3; from++) target[at++] = b[from] as number;
      while (at < end) target[at++] = 48;
    }
    target[at++] = 90; // Z
    return at;
  };
  return rawCell({ form: 'ascii', decode, size: 21 + Math.max(6, digits), write }, Plain.ZonedTimestamp);
}

export function timetzType(): ValueType {
  const decode: TextDecoder = (b, s, e) => {
    const found = scanTime(b, s, e);
    let { micros } = found;
    if (found.offsetSeconds !== 0) {
      micros = (micros - found.offsetSeconds * 1_000_000) % MICROS_PER_DAY;
      if (micros < 0) micros += MICROS_PER_DAY;
    }
    return isoTime(micros, null) + 'Z';
  };
  return ofTimetz(named('STRING', 'ZonedTime'), decode, '00:00:00Z');
}

const INTERVAL_PART = /([+-]?(?<!\d)\d+) (year|mon|day)s?/g;
const INTERVAL_CLOCK = /([+-])?(?<!\d)(\d+):(\d\d):(\d\d)(?:\.(\d+))?$/;

interface IntervalFields {
  years: number;
  months: number;
  days: number;
  /** -1 or 1, for hours, minutes and seconds alike. */
  sign: number;
  hours: number;
  minutes: number;
  seconds: number;
  micros: number;
}

/** Text of IntervalStyle=postgres, which every session of ours sets. Throws for another style. */
function parseInterval(text: string): IntervalFields {
  const parts: IntervalFields = {
    years: 0,
    months: 0,
    days: 0,
    sign: 1,
    hours: 0,
    minutes: 0,
    seconds: 0,
    micros: 0,
  };
  // One space between the parts.
  let length = -1;
  for (const [part, amount, unit] of text.matchAll(INTERVAL_PART)) {
    length += part.length + 1;
    if (unit === 'year') parts.years = Number(amount);
    else if (unit === 'mon') parts.months = Number(amount);
    else parts.days = Number(amount);
  }
  const clock = INTERVAL_CLOCK.exec(text);
  if (clock) {
    parts.sign = clock[1] === '-' ? -1 : 1;
    parts.hours = Number(clock[2]);
    parts.minutes = Number(clock[3]);
    parts.seconds = Number(clock[4]);
    parts.micros = Number((clock[5] ?? '').padEnd(6, '0'));
    length += clock[0].length + 1;
  }
  if (length !== text.length) throw new SyntaxError('its text is not an interval of IntervalStyle=postgres');
  return parts;
}

/** A month counts 30.4375 days (§3.2). */
const SECONDS_PER_MONTH = 2_629_800n;

function intervalMicros(text: string): number | bigint {
  if (text === 'infinity') return LONG_MAX;
  if (text === '-infinity') return LONG_MIN;
  const p = parseInterval(text);
  const clock = (BigInt(p.hours) * 3600n + BigInt(p.minutes * 60 + p.seconds)) * 1_000_000n + BigInt(p.micros);
  const total =
    (BigInt(p.years * 12 + p.months) * SECONDS_PER_MONTH + BigInt(p.days) * 86_400n) * 1_000_000n +
    BigInt(p.sign) * clock;
  return int64(total > LONG_MAX ? LONG_MAX : total < LONG_MIN ? LONG_MIN : total);
}

function intervalIso(text: string): string {
  if (text.endsWith('infinity')) return text;
  const p = parseInterval(text);
  const signed = (n: number): string => (p.sign < 0 && n !== 0 ? `-${n}` : String(n));
  const fraction = p.micros === 0 ? '' : `.${fractionDigits(p.micros)}`;
  const seconds =
    p.sign < 0 && (p.seconds !== 0 || p.micros !== 0) ? `-${p.seconds}${fraction}` : `${p.seconds}${fraction}`;
  return `P${p.years}Y${p.months}M${p.days}DT${signed(p.hours)}H${signed(p.minutes)}M${seconds}S`;
}

export function intervalType(mode: ValueOptions['interval']): ValueType {
  if (mode === 'string')
    return ofInterval(named('STRING', 'Interval'), (b, s, e) => intervalIso(ascii(b, s, e)), 'P0Y0M0DT0H0M0S');
  return ofInterval(named('INT64', 'MicroDuration'), (b, s, e) => intervalMicros(ascii(b, s, e)), 0);
}
