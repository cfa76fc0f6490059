/** ISO 8601 texts with an offset, as `java.time.format.DateTimeFormatter` reads and writes them. */
import { localDay, localSeconds, type ZoneOffsets } from '@millrace/sdk';
import { TransformError } from '../structs';

const DAY = 86_400;
const TIME = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2}(?::\d{2})?)$`;
const TIMESTAMP = new RegExp(String.raw`^([+-]\d{4,9}|\d{4})-(\d{2})-(\d{2})T${TIME}`, 'i');
const OF_DAY = new RegExp(`^${TIME}`, 'i');

/** The same instant with the offset of the zone. Throws DataError. */
export function movedTimestamp(text: string, zone: ZoneOffsets): string {
  const match = TIMESTAMP.exec(text) ?? unreadable(text);
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const midnight = localSeconds(year, month, day);
  const back = localDay(midnight);
  if (back.year !== year || back.month !== month || back.day !== day) unreadable(text);
  const local = midnight + (secondsOfDay(match.slice(4)) ?? unreadable(text));
  const offset = zone.ofLocal(local);
  const moved = localDay(local - offsetSeconds(match[8] as string) + offset);
  const date = `${yearText(moved.year)}-${two(moved.month)}-${two(moved.day)}`;
  return `${date}T${timeText(moved.rest, match[7])}${offsetText(offset)}`;
}

/** As `movedTimestamp`, for a time without a date. `offset`: seconds. */
export function movedTime(text: string, offset: number): string {
  const match = OF_DAY.exec(text) ?? unreadable(text);
  const local = secondsOfDay(match.slice(1)) ?? unreadable(text);
  const moved = local - offsetSeconds(match[5] as string) + offset;
  return timeText(moved - Math.floor(moved / DAY) * DAY, match[4]) + offsetText(offset);
}

/** Null: not a time of day. */
function secondsOfDay([hours, minutes, seconds = '0']: readonly string[]): number | null {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

function offsetSeconds(text: string): number {
  if (/^z$/i.test(text)) return 0;
  const [hours, minutes, seconds = 0] = text.slice(1).split(':').map(Number) as [number, number, number?];
  const total = hours * 3600 + minutes * 60 + seconds;
  return text.startsWith('-') ? -total : total;
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const total = Math.abs(offset);
  const text = `${offset < 0 ? '-' : '+'}${two(Math.floor(total / 3600))}:${two(Math.floor(total / 60) % 60)}`;
  return total % 60 === 0 ? text : `${text}:${two(total % 60)}`;
}

function timeText(seconds: number, fraction = ''): string {
  let length = fraction.length;
  while (fraction[length - 1] === '0') length--;
  const digits = fraction.slice(0, length);
  const time = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return digits === '' ? time : `${time}.${digits}`;
}

function yearText(year: number): string {
  const digits = String(Math.abs(year)).padStart(4, '0');
  return year < 0 ? `-${digits}` : year > 9999 ? `+${digits}` : digits;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function unreadable(text: string): never {
  throw new TransformError(
    'java.time.format.DateTimeParseException',
    `Text '${text.slice(0, 100)}' could not be parsed: it is not an ISO 8601 time with an offset.`,
  );
}
