/**
 * Parses dates as `java.text.SimpleDateFormat` does: lenient (February 30 is in March), in English, in UTC where no
 * zone is given.
 */
import { DAY_MS, type ZoneOffsets } from '@millrace/sdk';
import { dayOf, type CalendarFields } from './calendar-day';
import { MONTHS, SHORT, WEEKDAYS, type Letter, type Piece } from './date-pattern';
import { readZoneName } from './date-zones';

/** The parts parsed so far. Missing parts are those of 1970-01-01 00:00. */
interface ParsedDate extends CalendarFields {
  /** Of the part read last. */
  at: number;
  hour: number | null;
  /** Hour of the half day; used where `hour` is null. */
  halfDayHour: number;
  afternoon: boolean;
  beforeChrist: boolean;
  minute: number;
  second: number;
  ms: number;
  offset: number | ZoneOffsets;
}

/** The number of Sunday in ISO weeks. */
const SUNDAY = 7;

const EPOCH: ParsedDate = {
  at: 0,
  year: 1970,
  yearAt: 0,
  weekYear: 1970,
  weekYearAt: 0,
  month: 1,
  monthAt: 0,
  day: 1,
  dayAt: 0,
  dayOfYear: 1,
  dayOfYearAt: 0,
  weekOfYear: 1,
  weekOfYearAt: 0,
  weekOfMonth: 1,
  weekOfMonthAt: 0,
  weekdayInMonth: 1,
  weekdayInMonthAt: 0,
  weekday: 0,
  weekdayAt: 0,
  hour: null,
  halfDayHour: 0,
  afternoon: false,
  beforeChrist: false,
  minute: 0,
  second: 0,
  ms: 0,
  offset: 0,
};

/** Null when the text does not start with a match of the pattern. Text after the match is ignored, as in Java. */
export function parseDate(pieces: readonly Piece[], text: string): Date | null {
  const parts = { ...EPOCH };
  let at = 0;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Piece;
    if (typeof piece === 'string') {
      if (!text.startsWith(piece, at)) return null;
      at += piece.length;
      continue;
    }
    const rest = text.slice(at);
    const blanks = /^[ \t]*/.exec(rest)?.[0].length ?? 0;
    // The first of two adjacent numbers has exactly its count of characters, blanks included.
    const window = isNumber(piece) && isNumber(pieces[i + 1]) ? piece.count : rest.length;
    const length = window > rest.length ? 0 : readLetter(piece, rest.slice(blanks), window - blanks, parts);
    if (length === 0) return null;
    at += blanks + length;
  }
  return dateOf(parts);
}

function isNumber(piece: Piece | undefined): boolean {
  if (typeof piece !== 'object' || 'GaEzZX'.includes(piece.letter)) return false;
  return !'ML'.includes(piece.letter) || piece.count < SHORT;
}

/** The number of characters that match; 0: none do. A number is searched for in the first `window` characters. */
function readLetter({ letter, count }: Letter, text: string, window: number, parts: ParsedDate): number {
  parts.at++;
  switch (letter) {
    case 'G':
      return named(['BC', 'AD'], text, (era) => (parts.beforeChrist = era === 0));
    case 'a':
      return named(['AM', 'PM'], text, (half) => (parts.afternoon = half === 1));
    case 'E':
      return named(WEEKDAYS, text, (weekday) => setWeekday(weekday, parts));
    case 'z':
    case 'Z':
      return zone(GENERAL_ZONE, text, parts) || namedZone(text, parts);
    case 'X':
      return zone(ISO_ZONES[count - 1] as RegExp, text, parts);
    case 'M':
    case 'L':
      if (count >= SHORT) return named(MONTHS, text, (month) => setMonth(month + 1, parts));
  }
  const digits = /^-?\d+/.exec(text.slice(0, Math.max(0, window)))?.[0];
  if (digits === undefined) return 0;
  const ofCentury = (letter === 'y' || letter === 'Y') && count <= 2 && /^\d\d$/.test(digits);
  setNumber(letter, ofCentury ? century(Number(digits)) : Number(digits), parts);
  return digits.length;
}

function setNumber(letter: string, value: number, parts: ParsedDate): void {
  switch (letter) {
    case 'y':
      parts.year = value;
      parts.yearAt = parts.at;
      break;
    case 'Y':
      parts.weekYear = value;
      parts.weekYearAt = parts.at;
      break;
    case 'M':
    case 'L':
      setMonth(value, parts);
      break;
    case 'd':
      parts.day = value;
      parts.dayAt = parts.at;
      break;
    case 'D':
      parts.dayOfYear = value;
      parts.dayOfYearAt = parts.at;
      break;
    case 'w':
      parts.weekOfYear = value;
      parts.weekOfYearAt = parts.at;
      break;
    case 'W':
      parts.weekOfMonth = value;
      parts.weekOfMonthAt = parts.at;
      break;
    case 'F':
      parts.weekdayInMonth = value;
      parts.weekdayInMonthAt = parts.at;
      break;
    case 'u':
      setWeekday(value >= 1 && value <= SUNDAY ? value % SUNDAY : value - 1, parts);
      break;
    case 'H':
    case 'k':
      parts.hour = letter === 'k' && value === 24 ? 0 : value;
      break;
    case 'K':
    case 'h':
      parts.halfDayHour = letter === 'h' && value === 12 ? 0 : value;
      parts.hour = null;
      break;
    case 'm':
      parts.minute = value;
      break;
    case 's':
      parts.second = value;
      break;
    case 'S':
      parts.ms = value;
  }
}

function setMonth(month: number, parts: ParsedDate): void {
  parts.month = month;
  parts.monthAt = parts.at;
}

function setWeekday(weekday: number, parts: ParsedDate): void {
  parts.weekday = weekday;
  parts.weekdayAt = parts.at;
}

/** The year with these last two digits between 80 years ago (exclusive) and 20 years ahead (inclusive). */
function century(twoDigits: number): number {
  const first = new Date().getUTCFullYear() - 80;
  const year = first - (first % 100) + twoDigits;
  return year < first ? year + 100 : year;
}

function named(names: readonly string[], text: string, set: (index: number) => unknown): number {
  const lower = text.toLowerCase();
  for (const length of [Infinity, SHORT]) {
    const index = names.findIndex((name) => lower.startsWith(name.slice(0, length).toLowerCase()));
    if (index < 0) continue;
    set(index);
    return Math.min(length, (names[index] as string).length);
  }
  return 0;
}

const GENERAL_ZONE = /^GMT([+-])(\d{1,2}):(\d{2})|^([+-])(\d{2})(\d{2})|^(?:GMT|UTC)/i;
const ISO_ZONES = [/^([+-])(\d{2})|^Z/, /^([+-])(\d{2})(\d{2})|^Z/, /^([+-])(\d{2}):(\d{2})|^Z/];

function zone(pattern: RegExp, text: string, parts: ParsedDate): number {
  const match = pattern.exec(text);
  if (!match) return 0;
  const [sign, hours = '0', minutes = '0'] = match.slice(1).filter((group) => group !== undefined);
  parts.offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return match[0].length;
}

function namedZone(text: string, parts: ParsedDate): number {
  const found = readZoneName(text);
  if (found === null) return 0;
  parts.offset = found.offset;
  return found.length;
}

function dateOf(parts: ParsedDate): Date {
  const hour = parts.hour ?? parts.halfDayHour + (parts.afternoon ? 12 : 0);
  const seconds = (hour * 60 + parts.minute) * 60 + parts.second;
  const local = dayOf(parts, parts.beforeChrist) * DAY_MS + seconds * 1000 + parts.ms;
  const { offset } = parts;
  const offsetMs = typeof offset === 'number' ? offset * 60_000 : offset.ofLocal(Math.floor(local / 1000)) * 1000;
  return new Date(local - offsetMs);
}
