/** The figures of `millrace top`, from what the workers report now and what they reported before. */
import type { Connector } from '../connectors/connectors';
import { taskKey, type TaskFigures, type WorkerFigures } from './worker-figures';

/** A worker that was asked for its metrics. */
export interface WorkerReading {
  /** Host and port of its URL. */
  readonly worker: string;
  /** Monotonic time of the answer, ms. */
  readonly at: number;
  readonly figures?: WorkerFigures;
  /** Why there are no figures; absent for a worker without `GET /metrics`. */
  readonly problem?: string;
}

/** Null: unknown. */
export interface Figures {
  readonly recordsPerSecond: number | null;
  readonly lagRecords: number | null;
  readonly lagSeconds: number | null;
  readonly errors: number | null;
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
  return connectors.map(({ name, type, status }) => {
    const tasks = status.tasks.map(({ id, state, worker }) => {
      const { rate = null, lagRecords = null, lagSeconds = null, errors = null } = figures.get(taskKey(name, id)) ?? {};
      return { id, state, worker, recordsPerSecond: rate, lagRecords, lagSeconds, errors };
    });
    return {
      name,
      type,
      state: status.state,
      recordsPerSecond: sum(tasks.map((task) => task.recordsPerSecond)),
      lagRecords: most(tasks.map((task) => task.lagRecords)),
      lagSeconds: most(tasks.map((task) => task.lagSeconds)),
      errors: sum(tasks.map((task) => task.errors)),
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

/** Figures with the rate since the reading before; without one, that of the worker's window. */
function taskRates(
  { at, figures }: WorkerReading,
  before: WorkerReading | undefined,
): ReadonlyMap<string, TaskFigures> {
  if (!figures) return new Map();
  const seconds = before && isSameProcess(figures, before.figures) ? (at - before.at) / 1000 : 0;
  if (seconds <= 0) return figures.tasks;
  return new Map(
    [...figures.tasks].map(([key, task]) => {
      const records = before?.figures?.tasks.get(key)?.records;
      // The counter of a task that was restarted begins again.
      return records === undefined || task.records === undefined || task.records < records
        ? [key, task]
        : [key, { ...task, rate: (task.records - records) / seconds }];
    }),
  );
}

function cpuOf({ at, figures }: WorkerReading, before: WorkerReading | undefined, epochMs: number): number | null {
  if (figures?.cpuSeconds === undefined) return null;
  const earlier = before?.figures?.cpuSeconds;
  if (before && earlier !== undefined && isSameProcess(figures, before.figures) && at > before.at)
    return Math.max(figures.cpuSeconds - earlier, 0) / ((at - before.at) / 1000);
  const age = figures.startSeconds === undefined ? 0 : epochMs / 1000 - figures.startSeconds;
  return age > 0 ? figures.cpuSeconds / age : null;
}

/** Otherwise the worker was restarted, or another one answers under its URL. */
function isSameProcess(now: WorkerFigures, before: WorkerFigures | undefined): boolean {
  return before !== undefined && now.startSeconds === before.startSeconds;
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

function most(values: readonly (number | null)[]): number | null {
  return values.reduce((a, b) => (a === null ? b : b === null ? a : Math.max(a, b)), null);
}
