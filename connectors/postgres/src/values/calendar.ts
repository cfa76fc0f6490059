/** Parses ISO date and time text of PostgreSQL, in the proleptic Gregorian calendar of the server. */

const DIGIT_0 = 48;

/** Days from 1970-01-01 to a proleptic Gregorian date; year 0 is 1 BC. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

export function civilFromDays(days: number): { year: number; month: number; day: number } {
  const z = days + 719468;
  const era = Math.floor(z / 146097);
  const doe = z - era * 146097;
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36524) - Math.floor(doe / 146096)) / 365);
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  return { year: yoe + era * 400 + (month <= 2 ? 1 : 0), month, day: doy - Math.floor((153 * mp + 2) / 5) + 1 };
}

type Infinite = 'infinity' | '-infinity';

/** Parts of a date or time. Those that the text does not have are 0. */
export interface Scanned {
  readonly infinite: Infinite | null;
  /** Days since 1970-01-01. */
  readonly days: number;
  /** Microseconds since midnight; 86 400 000 000 for 24:00:00. */
  readonly micros: number;
  /** East of UTC. */
  readonly offsetSeconds: number;
}

/** Reused by every scan, so that none allocates: read a result before the next scan. */
const scanned = { infinite: null as Infinite | null, days: 0, micros: 0, offsetSeconds: 0 };

export function scanDate(bytes: Buffer, start: number, end: number): Scanned {
  return scan(bytes, start, end, true, false);
}
export function scanTime(bytes: Buffer, start: number, end: number): Scanned {
  return scan(bytes, start, end, false, true);
}
export function scanTimestamp(bytes: Buffer, start: number, end: number): Scanned {
  return scan(bytes, start, end, true, true);
}

function scan(bytes: Buffer, start: number, end: number, hasDate: boolean, hasTime: boolean): Scanned {
  scanned.infinite = null;
  scanned.days = 0;
  scanned.micros = 0;
  scanned.offsetSeconds = 0;
  let at = start;
  const first = bytes[at] as number;
  if (first === 105 /* i */ || first === 45 /* - */) {
    scanned.infinite = first === 105 ? 'infinity' : '-infinity';
    return scanned;
  }
  // " BC" is the only text that can end in C.
  let bc = false;
  if (bytes[end - 1] === 67) {
    bc = true;
    end -= 3;
  }
  if (hasDate) {
    let year = 0;
    for (; at < end && bytes[at] !== 45; at++) {
      const digit = (bytes[at] as number) - DIGIT_0;
      if (digit < 0 || digit > 9) break;
      year = year * 10 + digit;
    }
    if (at === end || bytes[at] !== 45 || at - start < 4) throw new SyntaxError('its text is not an ISO date');
    at++;
    const month = two(bytes, at);
    const day = two(bytes, at + 3);
    at += 6;
    scanned.days = daysFromCivil(bc ? 1 - year : year, month, day);
  }
  if (!hasTime) return scanned;
  let seconds = two(bytes, at) * 3600 + two(bytes, at + 3) * 60 + two(bytes, at + 6);
  at += 8;
  let micros = 0;
  if (at < end && bytes[at] === 46) {
    at++;
    let unit = 100_000;
    for (; at < end; at++) {
      const c = bytes[at] as number;
      if (c < 48 || c > 57) break;
      micros += (c - DIGIT_0) * unit;
      unit /= 10;
    }
  }
  if (at < end) {
    const sign = bytes[at] === 45 ? -1 : 1;
    let offset = two(bytes, at + 1) * 3600;
    if (at + 3 < end) offset += two(bytes, at + 4) * 60;
    if (at + 6 < end) offset += two(bytes, at + 7);
    scanned.offsetSeconds = sign * offset;
  }
  seconds *= 1_000_000;
  scanned.micros = seconds + micros;
  return scanned;
}

function two(bytes: Buffer, at: number): number {
  return ((bytes[at] as number) - DIGIT_0) * 10 + ((bytes[at + 1] as number) - DIGIT_0);
}

const pad2 = (n: number): string => (n < 10 ? '0' + n : String(n));

/** ISO 8601 year: four digits, a sign where there are more or where it is before year 0. */
function isoYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return (year < 0 ? '-' : '+') + String(Math.abs(year)).padStart(4, '0');
}

export function isoDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${isoYear(year)}-${pad2(month)}-${pad2(day)}`;
}

/** Fraction digits without trailing zeros. */
export function fractionDigits(micros: number): string {
  // Nothing here is long.
  // eslint-disable-next-line regexp/no-super-linear-move
  return String(micros).padStart(6, '0').replace(/0+$/, '');
}

/** `digits`: exactly that many fraction digits; null: as many as needed. */
export function isoTime(micros: number, digits: number | null): string {
  const seconds = Math.floor(micros / 1_000_000);
  const clock = `${pad2(Math.floor(seconds / 3600))}:${pad2(Math.floor(seconds / 60) % 60)}:${pad2(seconds % 60)}`;
  const part = micros % 1_000_000;
  const fraction = digits === null ? fractionDigits(part) : String(part).padStart(6, '0').slice(0, digits);
  return fraction === '' ? clock : `${clock}.${fraction}`;
}

export const MICROS_PER_DAY = 86_400_000_000;
