/**
 * Weeks as `java.util.Calendar` counts them in English, whatever the country but Britain, and in the root locale: they
 * begin on Sunday, and the first week is the one with the first day of the year or month.
 */
const DAYS = 7;
const BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** From 1. */
export function dayOfYear(date: Date): number {
  const month = date.getUTCMonth();
  const leapDay = month > 1 && isLeapYear(date.getUTCFullYear()) ? 1 : 0;
  return (BEFORE_MONTH[month] as number) + leapDay + date.getUTCDate();
}

/** Whether the next year begins in the date's week, which thus counts as its first one. */
function isFirstOfNextYear(date: Date): boolean {
  const saturday = dayOfYear(date) + DAYS - 1 - date.getUTCDay();
  return saturday > (isLeapYear(date.getUTCFullYear()) ? 366 : 365);
}

export function weekYear(date: Date): number {
  return date.getUTCFullYear() + (isFirstOfNextYear(date) ? 1 : 0);
}

/** From 1. */
export function weekOfYear(date: Date): number {
  return isFirstOfNextYear(date) ? 1 : weekOf(dayOfYear(date), date);
}

/** From 1. */
export function weekOfMonth(date: Date): number {
  return weekOf(date.getUTCDate(), date);
}

/** The date is a day of a period, counted from 1. */
function weekOf(day: number, date: Date): number {
  return Math.ceil((day + DAYS - 1 - date.getUTCDay()) / DAYS);
}
