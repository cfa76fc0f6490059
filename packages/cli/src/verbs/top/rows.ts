/** The figures of `millrace top`, from what the workers report now and what they reported before. */
import { cpuOf, most, sum, taskKey, taskRates, type TimedReading } from '@millrace/texts/worker-rates';
import type { Connector } from '../../connectors/connectors';
import type { Health } from '../../connectors/health';

/** A worker that was asked for its metrics. */
export interface WorkerReading extends TimedReading {
  /** Host and port of its URL. */
  readonly worker: string;
  /** Why there are no figures; absent for a worker without `GET /metrics`. */
  readonly problem?: string;
}

/** Null: unknown. */
export interface Figures {
  readonly recordsPerSecond: number | null;
  readonly lagRecords: number | null;
  readonly lagSeconds: number | null;
  readonly errors: number | null;
  readonly errorsPerSecond: number | null;
}

export interface TaskRow extends Figures {
  readonly id: number;
  readonly state: string;
  readonly worker: string;
}

export interface ConnectorRow extends Figures {
  readonly name: string;
  readonly type: string;
  readonly state: string;
  /** Null: not measured, as by Java's workers. */
  readonly health: Pick<Health, 'summary' | 'reasons'> | null;
  readonly tasks: readonly TaskRow[];
}

export interface WorkerRow {
  readonly worker: string;
  /** Of one core, 1 is all of it; since the reading before, or since the worker's start. */
  readonly cpu: number | null;
  readonly memoryBytes: number | null;
  readonly recordsPerSecond: number | null;
  /** Tasks with figures. */
  readonly tasks: number | null;
}

/** @param before of the same workers, in the same order; empty for the first reading */
export function connectorRows(
  connectors: readonly Connector[],
  now: readonly WorkerReading[],
  before: readonly (WorkerReading | undefined)[],
): readonly ConnectorRow[] {
  const figures = new Map(now.flatMap((worker, i) => [...taskRates(worker, before[i])]));
  return connectors.map(({ name, type, status, health }) => {
    const tasks = status.tasks.map(({ id, state, worker }) => {
      const reading = figures.get(taskKey(name, id)) ?? {};
      const { rate = null, lagRecords = null, lagSeconds = null, errors = null, errorRate = null } = reading;
      const errorsPerSecond = errorRate ?? health?.errorsPerSecond.get(id) ?? null;
      return { id, state, worker, recordsPerSecond: rate, lagRecords, lagSeconds, errors, errorsPerSecond };
    });
    return {
      name,
      type,
      state: status.state,
      health: health && { summary: health.summary, reasons: health.reasons },
      recordsPerSecond: sum(tasks.map((task) => task.recordsPerSecond)),
      lagRecords: most(tasks.map((task) => task.lagRecords)),
      lagSeconds: most(tasks.map((task) => task.lagSeconds)),
      errors: sum(tasks.map((task) => task.errors)),
      errorsPerSecond: sum(tasks.map((task) => task.errorsPerSecond)),
      tasks,
    };
  });
}

/** @param epochMs the time of this machine */
export function workerRow(now: WorkerReading, before: WorkerReading | undefined, epochMs: number): WorkerRow {
  const { worker, figures } = now;
  if (!figures) return { worker, cpu: null, memoryBytes: null, recordsPerSecond: null, tasks: null };
  return {
    worker,
    cpu: cpuOf(now, before, epochMs),
    memoryBytes: figures.memoryBytes ?? null,
    recordsPerSecond: sum([...taskRates(now, before).values()].map(({ rate = null }) => rate)),
    tasks: figures.tasks.size,
  };
}

export type SortKey = 'rate' | 'lag' | 'errors' | 'name';

const FIGURES: Readonly<Record<Exclude<SortKey, 'name'>, (row: Figures) => readonly (number | null)[]>> = {
  rate: ({ recordsPerSecond }) => [recordsPerSecond],
  lag: ({ lagSeconds, lagRecords }) => [lagSeconds, lagRecords],
  errors: ({ errorsPerSecond, errors }) => [errorsPerSecond, errors],
};

/** Largest first, unknown last; equal ones stay in their order. */
export function sortRows<T extends Figures>(rows: readonly T[], key: SortKey): readonly T[] {
  if (key === 'name') return rows;
  const figuresOf = FIGURES[key];
  return [...rows].sort((a, b) => {
    const others = figuresOf(b);
    return figuresOf(a).reduce<number>((order, value, i) => order || (others[i] ?? -1) - (value ?? -1), 0);
  });
}
