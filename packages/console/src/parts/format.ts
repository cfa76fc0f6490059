/** Numbers, sizes and times as people read them. An unknown value is a dash. */
import type { Lag } from '../worker-api';

export const UNKNOWN = '–';
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const byName = new Intl.Collator('en', { numeric: true });

export function compareNames(a: string, b: string): number {
  return byName.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** `1,234`; from a million on `1.2 M`. */
export function formatCount(count: number | null): string {
  if (count === null) return UNKNOWN;
  const size = Math.abs(count);
  if (size >= 1e9) return `${tenths.format(count / 1e9)} G`;
  if (size >= 1e6) return `${tenths.format(count / 1e6)} M`;
  return whole.format(count);
}

/** `1 task`, `2 tasks`. */
export function formatNumberOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** Records per second: `0.2/s`, `12/s`, `1,234/s`, `1.2 M/s`. */
export function formatRate(rate: number | null): string {
  if (rate === null) return UNKNOWN;
  if (rate > 0 && rate < 0.1) return '<0.1/s';
  return `${rate < 10 ? tenths.format(rate) : formatCount(rate)}/s`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
export function formatBytes(bytes: number | null): string {
  if (bytes === null) return UNKNOWN;
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || Math.abs(value) >= 100 ? whole.format(value) : tenths.format(value)} ${UNITS[unit]}`;
}

/** `850 ms`, `12 s`, `3 min 4 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  if (ms < 1000) return `${whole.format(Math.max(0, ms))} ms`;
  if (ms < 10_000) return `${tenths.format(ms / 1000)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return inTwoUnits(seconds, 'min', 60, 's', 1);
  if (seconds < 86_400) return inTwoUnits(seconds, 'h', 3600, 'min', 60);
  return inTwoUnits(seconds, 'd', 86_400, 'h', 3600);
}

function inTwoUnits(seconds: number, unit: string, size: number, smaller: string, smallerSize: number): string {
  const rest = Math.floor((seconds % size) / smallerSize);
  return `${whole.format(Math.floor(seconds / size))} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`;
}

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `3 d ago`. Clocks may differ a little: never in the future. */
export function formatAge(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${whole.format(Math.floor(seconds / 86_400))} d ago`;
}

/** A timestamp of Kafka may be absent (-1) or beyond what a date can be. */
export function isTime(at: number | null): at is number {
  return at !== null && at >= 0 && at <= 8.64e15;
}

/** `2026-11-26 14:03:07`, in the browser's time zone. */
export function formatTime(at: number): string {
  if (!isTime(at)) return UNKNOWN;
  const date = new Date(at);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
  return `${day} ${formatClock(at)}`;
}

/** `14:03:07`, in the browser's time zone. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** The measures of a lag that are known: `1,234 records`, `12 MiB`, `3.2 s`. */
export function formatLag({ records, bytes, seconds }: Lag): readonly string[] {
  return [
    ...(records === null ? [] : [formatNumberOf(records, 'record')]),
    ...(bytes === null ? [] : [formatBytes(bytes)]),
    ...(seconds === null ? [] : [formatDuration(seconds * 1000)]),
  ];
}

/** A position of 64 bits as two hexadecimal halves: `16/B374D848`. */
export function formatHex64(position: number): string {
  const bits = BigInt.asUintN(64, BigInt(Math.trunc(position)));
  const half = (value: bigint): string => value.toString(16).toUpperCase();
  return `${half(bits >> 32n)}/${half(bits & 0xffffffffn)}`;
}

export function formatPercent(fraction: number | null): string {
  return fraction === null ? UNKNOWN : `${whole.format(fraction * 100)} %`;
}
