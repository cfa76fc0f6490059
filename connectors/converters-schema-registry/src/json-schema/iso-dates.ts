/** Values of the logical types as ISO 8601 texts, in UTC. */
import { DAY_MS, LogicalName } from '@millrace/sdk';
import { misfit } from './schema-error';

const LONGEST = 40;
const DATE = /^([+-]\d{6}|\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?$/;

/** @param name of the logical type. Throws Misfit. */
export function isoText(name: string, ms: number): string {
  if (name === LogicalName.TIME) return ms === DAY_MS ? '24:00:00.000Z' : new Date(ms).toISOString().slice(11);
  const text = new Date(ms).toISOString();
  // Other years have a sign and more digits, which the formats of JSON Schema do not allow.
  if (!/^\d{4}-/.test(text))
    misfit('has a year before 0 or after 9999, for which the format of its schema has no text');
  return name === LogicalName.DATE ? text.slice(0, text.indexOf('T')) : text;
}

/** Milliseconds of the logical type. Fractions of them are cut off. Throws Misfit. */
export function isoMillis(name: string, text: string): number {
  const ms = text.length > LONGEST ? NaN : millisOf(name, text.toUpperCase());
  return Number.isNaN(ms) ? misfit(`is a text that is no ${name.slice(name.lastIndexOf('.') + 1)} in ISO 8601`) : ms;
}

/** NaN for other texts. */
function millisOf(name: string, text: string): number {
  if (name === LogicalName.DATE) return dayOf(text);
  if (name === LogicalName.TIME) {
    const ms = timeOf(text);
    // A zone may lead to the day before, or after.
    return ms === DAY_MS ? ms : (ms + DAY_MS) % DAY_MS;
  }
  const at = text.search(/[T ]/);
  return at < 0 ? NaN : dayOf(text.slice(0, at)) + timeOf(text.slice(at + 1));
}

function dayOf(text: string): number {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // The 30th of February is a day of March for `Date`.
  return new Date(ms).getUTCDate() === Number(day) ? ms : NaN;
}

function timeOf(text: string): number {
  const match = TIME.exec(text);
  if (match === null) return NaN;
  const [, hours, minutes, seconds, fraction = '', zone = 'Z'] = match;
  const ms = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000;
  // A leap second is the first second of the next minute.
  if (Number(minutes) > 59 || Number(seconds) > 60 || ms > DAY_MS) return NaN;
  const offset = zone === 'Z' ? 0 : Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return ms + Math.floor(Number(`0${fraction}`) * 1000 + 1e-6) - (zone.startsWith('-') ? -offset : offset) * 60_000;
}
