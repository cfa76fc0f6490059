/** Rates and CPU of a worker, from two readings of its counters. Pure. */

export interface TaskReading {
  /** Records written by a source or delivered to a sink, since the task started. */
  readonly records?: number;
  /** Per second, over the worker's metrics window. */
  readonly rate?: number;
  /** Of the partition that is most behind. */
  readonly lagRecords?: number;
  readonly lagSeconds?: number;
  /** Records that finally failed. */
  readonly errors?: number;
  /** Of them, per second since the reading before. */
  readonly errorRate?: number;
}

export interface ProcessReading<T extends TaskReading = TaskReading> {
  readonly tasks: ReadonlyMap<string, T>;
  readonly cpuSeconds?: number;
  /** Seconds since the epoch. */
  readonly startSeconds?: number;
  readonly memoryBytes?: number;
}

export interface TimedReading<T extends TaskReading = TaskReading> {
  /** Monotonic time of the answer, ms. */
  readonly at: number;
  /** Absent: the worker did not answer, or has none. */
  readonly figures?: ProcessReading<T>;
}

export function taskKey(connector: string, task: number | string): string {
  return `${connector}\n${task}`;
}

/** Figures with the rates since the reading before; without one, that of the worker's window. */
export function taskRates<T extends TaskReading>(
  { at, figures }: TimedReading<T>,
  before: TimedReading | undefined,
): ReadonlyMap<string, T> {
  if (!figures) return new Map();
  const seconds = before && isSameProcess(figures, before.figures) ? (at - before.at) / 1000 : 0;
  if (seconds <= 0) return figures.tasks;
  return new Map(
    [...figures.tasks].map(([key, task]) => {
      const { records, errors } = before?.figures?.tasks.get(key) ?? {};
      const rate = perSecond(task.records, records, seconds);
      const errorRate = perSecond(task.errors, errors, seconds);
      return [key, { ...task, ...(rate !== undefined && { rate }), ...(errorRate !== undefined && { errorRate }) }];
    }),
  );
}

/** The counter of a task that was restarted begins again. */
function perSecond(now: number | undefined, before: number | undefined, seconds: number): number | undefined {
  return now === undefined || before === undefined || now < before ? undefined : (now - before) / seconds;
}

/**
 * Of one core, 1 is all of it; since the reading before, or since the worker's start.
 *
 * @param epochMs the time of this machine
 */
export function cpuOf({ at, figures }: TimedReading, before: TimedReading | undefined, epochMs: number): number | null {
  if (figures?.cpuSeconds === undefined) return null;
  const earlier = before?.figures?.cpuSeconds;
  if (before && earlier !== undefined && isSameProcess(figures, before.figures) && at > before.at)
    return Math.max(figures.cpuSeconds - earlier, 0) / ((at - before.at) / 1000);
  const age = figures.startSeconds === undefined ? 0 : epochMs / 1000 - figures.startSeconds;
  return age > 0 ? figures.cpuSeconds / age : null;
}

/** Otherwise the worker was restarted, or another one answers under its URL. */
function isSameProcess(now: ProcessReading, before: ProcessReading | undefined): boolean {
  return before !== undefined && now.startSeconds === before.startSeconds;
}

/** Of those that are known. */
export function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

export function most(values: readonly (number | null)[]): number | null {
  return values.reduce((a, b) => (a === null ? b : b === null ? a : Math.max(a, b)), null);
}
