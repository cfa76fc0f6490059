/** One sample of a worker, from two readings of its counters and what its tasks publish. Pure. */
import type { ConnectorConsole, FigureUnit } from '@millrace/sdk';
import { cpuOf, most, sum, taskRates, type TimedReading } from '@millrace/texts/worker-rates';
import { figureOf, type Series } from '../panels';
import type { TaskReport } from '../../reports/worker-report';
import type { Samples } from './sample-history';

/** Of every connector. Failed records count once they finally failed. */
export const MEASURES = ['rate', 'errorRate', 'lagRecords', 'lagBytes', 'lagSeconds'] as const;
export const PROCESS_MEASURES = ['memoryBytes', 'cpu'] as const;

/** A figure of a connector's panels that can be drawn. */
export interface ChartedFigure {
  /** Unique among the connector's measures. */
  readonly measure: string;
  readonly panel: string;
  readonly title: string;
  readonly unit: FigureUnit;
  readonly value: number | null;
}

const CHARTED: ReadonlySet<FigureUnit> = new Set(['bytes', 'seconds', 'percent']);
const MOST_FIGURES = 12;

/** The facts of a connector's panels that are amounts: a count may be that of a name, or of what never changes. */
export function chartedFigures({ panels = [] }: ConnectorConsole, series: readonly Series[]): readonly ChartedFigure[] {
  return panels
    .flatMap(({ title: panel, facts = [], figures = {} }) =>
      facts.flatMap(({ title, figure }) => {
        const declared = figures[figure];
        if (!declared || declared.label !== undefined || !CHARTED.has(declared.unit ?? 'count')) return [];
        const { value, unit } = figureOf(declared, series);
        return [{ measure: `${panel}\n${title}`, panel, title, unit, value: typeof value === 'number' ? value : null }];
      }),
    )
    .slice(0, MOST_FIGURES);
}

/** By connector: rates are sums of its tasks here, lags those of the task that is most behind. */
export function connectorSamples(
  reading: TimedReading<TaskReport>,
  before: TimedReading<TaskReport> | undefined,
): ReadonlyMap<string, Samples> {
  const tasks = new Map<string, TaskReport[]>();
  for (const task of taskRates(ofGivenUp(reading), before && ofGivenUp(before)).values())
    tasks.set(task.connector, [...(tasks.get(task.connector) ?? []), task]);
  return new Map(
    [...tasks].map(([connector, all]) => [
      connector,
      {
        rate: sum(all.map(({ rate }) => rate ?? null)),
        errorRate: sum(all.map(({ errorRate }) => errorRate ?? null)),
        lagRecords: most(all.map(({ lagRecords }) => lagRecords ?? null)),
        lagBytes: most(all.map(({ lagBytes }) => lagBytes ?? null)),
        lagSeconds: most(all.map(({ lagSeconds }) => lagSeconds ?? null)),
      } satisfies Record<(typeof MEASURES)[number], number | null>,
    ]),
  );
}

/** With the records that were given up as errors: the failed attempts of a record that is delivered are none. */
function ofGivenUp({ at, figures }: TimedReading<TaskReport>): TimedReading<TaskReport> {
  if (!figures) return { at };
  const tasks = [...figures.tasks].map(([key, task]) => [key, { ...task, errors: task.failed }] as const);
  return { at, figures: { ...figures, tasks: new Map(tasks) } };
}

/** CPU of one core, 1 is all of it, since the reading before. */
export function processSamples(
  reading: TimedReading<TaskReport>,
  before: TimedReading<TaskReport> | undefined,
): Samples {
  return {
    memoryBytes: reading.figures?.memoryBytes ?? null,
    cpu: before ? cpuOf(reading, before, 0) : null,
  } satisfies Record<(typeof PROCESS_MEASURES)[number], number | null>;
}
