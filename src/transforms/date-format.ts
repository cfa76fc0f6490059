/** Writes dates as `java.text.SimpleDateFormat` does, in English and UTC. */
import { MONTHS, SHORT, WEEKDAYS, type Letter, type Piece } from './date-pattern';
import { dayOfYear, weekOfMonth, weekOfYear, weekYear } from './weeks';

export function formatDate(pieces: readonly Piece[], date: Date): string {
  let text = '';
  for (const piece of pieces) text += typeof piece === 'string' ? piece : formatLetter(piece, date);
  return text;
}

function formatLetter({ letter, count }: Letter, date: Date): string {
  const padded = (value: number): string => String(value).padStart(count, '0');
  const named = (name: string): string => (count > SHORT ? name : name.slice(0, SHORT));
  const hour = date.getUTCHours();
  switch (letter) {
    case 'G':
      return date.getUTCFullYear() > 0 ? 'AD' : 'BC';
    case 'y': {
      const year = date.getUTCFullYear();
      const ofEra = year > 0 ? year : 1 - year;
      return count === 2 ? String(ofEra % 100).padStart(2, '0') : padded(ofEra);
    }
    case 'Y': {
      const year = weekYear(date);
      return count === 2 ? String(year % 100).padStart(2, '0') : padded(year);
    }
    case 'M':
    case 'L':
      return count < SHORT ? padded(date.getUTCMonth() + 1) : named(MONTHS[date.getUTCMonth()] as string);
    case 'd':
      return padded(date.getUTCDate());
    case 'D':
      return padded(dayOfYear(date));
    case 'w':
      return padded(weekOfYear(date));
    case 'W':
      return padded(weekOfMonth(date));
    case 'F':
      return padded(Math.ceil(date.getUTCDate() / 7));
    case 'E':
      return named(WEEKDAYS[date.getUTCDay()] as string);
    case 'u':
      return padded(date.getUTCDay() || 7);
    case 'a':
      return hour < 12 ? 'AM' : 'PM';
    case 'H':
      return padded(hour);
    case 'k':
      return padded(hour || 24);
    case 'K':
      return padded(hour % 12);
    case 'h':
      return padded(hour % 12 || 12);
    case 'm':
      return padded(date.getUTCMinutes());
    case 's':
      return padded(date.getUTCSeconds());
    case 'S':
      return padded(date.getUTCMilliseconds());
    case 'z':
      return count > SHORT ? 'Coordinated Universal Time' : 'UTC';
    case 'Z':
      return '+0000';
    default:
      return 'Z';
  }
}
