/** The day that parts of a date name together, as `java.util.Calendar` chooses it. */
import { DAY_MS } from '@millrace/sdk';

/**
 * Parts of a date as they were read. `…At`: position in the text's sequence of parts, 0: not given. Where parts
 * contradict each other, those given last count.
 */
export interface CalendarFields {
  year: number;
  yearAt: number;
  weekYear: number;
  weekYearAt: number;
  /** From 1. */
  month: number;
  monthAt: number;
  day: number;
  dayAt: number;
  dayOfYear: number;
  dayOfYearAt: number;
  weekOfYear: number;
  weekOfYearAt: number;
  weekOfMonth: number;
  weekOfMonthAt: number;
  /** The second Tuesday of a month is 2; the last one is -1. */
  weekdayInMonth: number;
  weekdayInMonthAt: number;
  /** 0: Sunday. Numbers beyond Saturday's, as they may be read, count from Sunday, too. */
  weekday: number;
  weekdayAt: number;
}

const DAYS = 7;
const THURSDAY = 4;
const scratch = new Date(0);

/** Days since 1970-01-01. NaN: beyond JavaScript's dates. */
export function dayOf(parts: CalendarFields, beforeChrist: boolean): number {
  if (parts.weekYearAt > parts.yearAt) return ofWeekYear(parts, beforeChrist);
  const year = beforeChrist ? 1 - parts.year : parts.year;
  const { weekOfYearAt, weekOfMonthAt, weekdayInMonthAt, weekdayAt, dayOfYearAt } = parts;
  let dayAt = parts.dayAt;
  let inYear = together(weekOfYearAt, weekdayAt);
  let inMonth = together(weekOfMonthAt, weekdayAt);
  let nthWeekday = together(weekdayInMonthAt, weekdayAt);
  let last = Math.max(dayAt, dayOfYearAt, inYear, inMonth, nthWeekday);
  if (last === 0) {
    // No complete combination.
    inYear = weekOfYearAt;
    inMonth = weekOfMonthAt;
    nthWeekday = Math.max(weekdayInMonthAt, weekdayAt);
    last = Math.max(inYear, inMonth, nthWeekday);
    if (last === 0) last = dayAt = parts.monthAt;
  }
  if (last === dayAt) return daysOf(year, parts.month, parts.day);
  const byMonth = last === inMonth && weekOfMonthAt >= weekOfYearAt;
  const byNth = last === nthWeekday && weekdayInMonthAt >= weekOfYearAt;
  if (byMonth && (inMonth !== nthWeekday || weekOfMonthAt >= weekdayInMonthAt))
    return inWeek(daysOf(year, parts.month, 1), parts.weekOfMonth, parts.weekday);
  if (byMonth || byNth) return ofNthWeekday(year, parts);
  if (last === dayOfYearAt) return daysOf(year, 1, parts.dayOfYear);
  return inWeek(daysOf(year, 1, 1), parts.weekOfYear, parts.weekday);
}

/** When the later of two parts was given; 0: one is missing. */
function together(first: number, second: number): number {
  return first === 0 || second === 0 ? 0 : Math.max(first, second);
}

/** @param month from 1; it and the day may be beyond the year and the month. */
function daysOf(year: number, month: number, day: number): number {
  scratch.setTime(0);
  return scratch.setUTCFullYear(year, month - 1, day) / DAY_MS;
}

const modulo = (value: number): number => ((value % DAYS) + DAYS) % DAYS;

function onOrBefore(days: number, weekday: number): number {
  return days - modulo(days + THURSDAY - weekday);
}

/** The weekday of a week, from 1, where the first one contains the first day of the period. */
function inWeek(first: number, week: number, weekday: number): number {
  return onOrBefore(first, 0) + modulo(weekday) + DAYS * (week - 1);
}

function ofNthWeekday(year: number, { month, weekdayInMonth: nth, weekdayInMonthAt, weekday }: CalendarFields): number {
  if (weekdayInMonthAt === 0) return onOrBefore(daysOf(year, month, DAYS), weekday);
  if (nth >= 0) return onOrBefore(daysOf(year, month, DAYS * nth), weekday);
  return onOrBefore(daysOf(year, month + 1, 0) + DAYS * (nth + 1), weekday);
}

function ofWeekYear({ weekYear, weekOfYear, weekOfYearAt, weekday }: CalendarFields, beforeChrist: boolean): number {
  const first = daysOf(beforeChrist ? 1 - weekYear : weekYear, 1, 1);
  const week = weekOfYearAt === 0 ? 1 : weekOfYear;
  if (weekday >= 0 && weekday < DAYS) return inWeek(first, week, weekday);
  // Java counts weekdays that do not exist from Monday here.
  return inWeek(first, week + Math.floor(weekday / DAYS), modulo(weekday) + 1);
}
