/** The text that the server sends for a value in a session of this connector, from the value's binary form. */
import { civilFromDays, isoTime, MICROS_PER_DAY } from './calendar';
import { LONG_MAX, LONG_MIN } from './value-type';

const DAY = BigInt(MICROS_PER_DAY);

function dateText(days: number): { readonly text: string; readonly era: string } {
  const { year, month, day } = civilFromDays(days);
  const text = `${String(year > 0 ? year : 1 - year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return { text, era: year > 0 ? '' : ' BC' };
}

const two = (n: number): string => String(n).padStart(2, '0');

/** @param days since 1970-01-01 */
export function serverDate(days: number): string {
  const { text, era } = dateText(days);
  return text + era;
}

/** @param micros since 1970-01-01 00:00 @param zone `+00` for timestamptz, otherwise empty */
export function serverTimestamp(micros: number | bigint, zone: '' | '+00'): string {
  if (micros === LONG_MAX) return 'infinity';
  if (micros === LONG_MIN) return '-infinity';
  let days: number;
  let time: number;
  if (typeof micros === 'number') {
    days = Math.floor(micros / MICROS_PER_DAY);
    time = micros - days * MICROS_PER_DAY;
  } else {
    const rest = ((micros % DAY) + DAY) % DAY;
    days = Number((micros - rest) / DAY);
    time = Number(rest);
  }
  const { text, era } = dateText(days);
  return `${text} ${isoTime(time, null)}${zone}${era}`;
}

/** @param micros since midnight */
export function serverTime(micros: number): string {
  return isoTime(micros, null);
}

/** @param micros since midnight in UTC; may be of the day before or after */
export function serverTimetz(micros: number): string {
  const isDayEnd = micros === MICROS_PER_DAY;
  const wrapped = isDayEnd ? micros : ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;
  return `${isoTime(wrapped, null)}+00`;
}

/** Shortest text that names this float4 exactly, as the server writes it. */
export function serverFloat4(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return serverFloat8(Number(text));
  }
  return serverFloat8(Number(value.toPrecision(9)));
}

export function serverFloat8(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
