/** What workers send each other of their last hour, and how the histories of several become one. Pure. */
import { most, sum } from '@millrace/texts/worker-rates';
import type { SampleHistory } from './sample-history';
import { STEP_MS, STEPS } from './sample-history';

export type Values = readonly (number | null)[];

/** Of one subject: a connector, or the process. */
export interface HistoryReport {
  /** Time of the newest numbers, milliseconds since the epoch; 0: none. */
  readonly end: number;
  readonly stepMs: number;
  /** By measure, oldest first; null: unknown. */
  readonly measures: Readonly<Record<string, Values>>;
}

const MOST_MEASURES = 50;

export function historyReport(history: SampleHistory, subject: string): HistoryReport {
  return { end: history.end, stepMs: STEP_MS, measures: history.of(subject) };
}

/** A report of a worker whose version may differ. Null: it is none, or one with other steps. */
export function readHistory(body: unknown): HistoryReport | null {
  const { end, stepMs, measures } = (body ?? {}) as Partial<Record<keyof HistoryReport, unknown>>;
  if (typeof end !== 'number' || stepMs !== STEP_MS || typeof measures !== 'object' || measures === null) return null;
  const read = Object.entries(measures as Record<string, unknown>)
    .slice(0, MOST_MEASURES)
    .flatMap(([measure, values]) => (Array.isArray(values) ? [[measure, readValues(values as unknown[])]] : []));
  return { end, stepMs: STEP_MS, measures: Object.fromEntries(read) as HistoryReport['measures'] };
}

export function readValues(values: readonly unknown[]): Values {
  return values
    .slice(-STEPS)
    .map((value) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null));
}

/** Values whose newest is of `from`, as `steps` values whose newest is of `to`. */
export function aligned(values: Values, from: number, to: number, steps: number): Values {
  const shift = Math.round((to - from) / STEP_MS);
  return Array.from({ length: steps }, (_, i) => values[values.length - steps + i + shift] ?? null);
}

/** Rates of several workers add up; of a lag or another amount, the largest is shown. */
export function combined(measure: string, series: readonly Values[]): Values {
  const [only] = series;
  if (only && series.length === 1) return only;
  const combine = measure === 'rate' || measure === 'errorRate' ? sum : most;
  return Array.from({ length: STEPS }, (_, i) => combine(series.map((values) => values[i] ?? null)));
}

/** All measures of the reports, in the order of their first report. */
export function joinedMeasures(reports: readonly HistoryReport[], end: number): ReadonlyMap<string, Values> {
  const names = new Set(reports.flatMap(({ measures }) => Object.keys(measures)));
  return new Map(
    [...names].map((name) => [
      name,
      combined(
        name,
        reports.flatMap((report) => {
          const values = report.measures[name];
          return values ? [aligned(values, report.end, end, STEPS)] : [];
        }),
      ),
    ]),
  );
}
