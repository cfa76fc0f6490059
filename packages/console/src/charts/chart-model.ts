/** What a chart of the last hour shows: its units, the text of a moment, and the summary that its table has. Pure. */
import type { Figure, HistoryValues } from '../worker-api';
import { formatBytes, formatClock, formatCount, formatDuration, formatPercent, formatRate } from '../parts/format';

export type ChartUnit = 'rate' | 'fraction' | Figure['unit'];

export interface ChartSeries {
  readonly label: string;
  readonly values: HistoryValues;
}

const FORMATS: Partial<Readonly<Record<ChartUnit, (value: number | null) => string>>> = {
  rate: formatRate,
  fraction: formatPercent,
  bytes: formatBytes,
  seconds: (value) => formatDuration(value === null ? null : value * 1000),
  percent: (value) => formatPercent(value === null ? null : value / 100),
};

export function formatIn(unit: ChartUnit, value: number | null): string {
  return (FORMATS[unit] ?? formatCount)(value);
}

const powers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i).flatMap((e) => [1, 2, 5].map((n) => n * 10 ** e));
const SECONDS = [...powers(-3, -1), 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800];
const HOURS = [1, 2, 6, 12, 24, 48, 168, 720, 8760].map((hours) => hours * 3600);

/** Distances between two marks of the axis, so that their texts are short and differ. */
export function marksOf(unit: ChartUnit): number[] {
  if (unit === 'bytes') return Array.from({ length: 50 }, (_, i) => 2 ** i);
  if (unit === 'seconds') return [...SECONDS, ...HOURS];
  return powers(unit === 'fraction' ? -2 : unit === 'rate' ? -1 : 0, 15);
}

/** Times of the values in seconds since the epoch, which the library draws. */
export function timesOf(count: number, end: number, stepMs: number): number[] {
  return Array.from({ length: count }, (_, i) => (end - (count - 1 - i) * stepMs) / 1000);
}

/** Of values, that of the moment: `14:03:10: 1,234/s`; several with their labels. */
export function textAt(series: readonly ChartSeries[], index: number, time: number, unit: ChartUnit): string {
  const texts = series.map(({ label, values }) => {
    const value = values[index] ?? null;
    const text = value === null ? 'unknown' : formatIn(unit, value);
    return series.length === 1 ? text : `${label} ${text}`;
  });
  return `${formatClock(time * 1000)}: ${texts.join(', ')}`;
}

/** The newest value that is known; -1: none. */
export function newestKnown(series: readonly ChartSeries[]): number {
  return Math.max(-1, ...series.map(({ values }) => values.findLastIndex((value) => value !== null)));
}

export function isKnown(values: HistoryValues): boolean {
  return values.some((value) => value !== null);
}

/** Values without a neighbour: a line does not show them. */
export function lonely(values: HistoryValues): number[] {
  return values.flatMap((value, i) =>
    value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : [],
  );
}

export interface Summary {
  /** Seconds since the epoch. */
  readonly from: number;
  readonly lowest: number | null;
  readonly mean: number | null;
  readonly highest: number | null;
}

const ROWS = 16;

/** The hour in parts of some minutes, newest first: what a table says instead of a line. */
export function summaries(values: HistoryValues, times: readonly number[]): readonly Summary[] {
  const size = Math.max(1, Math.ceil(values.length / ROWS));
  const parts = Array.from({ length: Math.ceil(values.length / size) }, (_, i) => i * size);
  return parts
    .map((start) => {
      const known = values.slice(start, start + size).filter((value) => value !== null);
      const of = (value: number): number | null => (known.length === 0 ? null : value);
      return {
        from: times[start] ?? 0,
        lowest: of(Math.min(...known)),
        mean: of(known.reduce((total, value) => total + value, 0) / known.length),
        highest: of(Math.max(...known)),
      };
    })
    .reverse();
}
