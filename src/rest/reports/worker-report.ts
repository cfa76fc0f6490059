/**
 * What the workers of a group tell each other for the console: `GET /ui/api/worker`, this worker's own figures. Their
 * versions may differ, so a report is read like any other input.
 */
import { most, type ProcessReading, taskKey, type TaskReading } from '@millrace/texts/worker-rates';
import type { TaskProblem } from '@millrace/console';
import { jvmReports, type JvmReport, readJvmReports } from './jvm-reports';
import type { JvmState } from '../../metrics/jvm-groups';
import type { WorkerFigures, WorkerHealth } from '../../cluster/entities';
import { clientFigures } from '../../metrics/open-clients';
import { processMemory } from '../../metrics/process-memory';
import { type LagUnit, publishedLag } from '../../metrics/published-series';

export interface TaskReport extends TaskReading {
  readonly connector: string;
  readonly task: number;
  readonly lagBytes?: number;
  readonly thread?: number;
  /** Records given up since the task started, and per second. */
  readonly failed?: number;
  readonly failedRate?: number;
  readonly lastFailedAt?: number;
  /** Absent: unknown. */
  readonly isConnected?: boolean;
  readonly problem?: TaskProblem;
}

export interface WorkerReport {
  readonly version: string;
  /** What `GET /health` says; absent: healthy, without a remark. */
  readonly health?: string;
  readonly cpuSeconds?: number;
  readonly startSeconds?: number;
  readonly memoryBytes?: number;
  readonly tasks: readonly TaskReport[];
  /** Of plugins in jars. (Default: none) */
  readonly jvms?: readonly JvmReport[];
}

export type { JvmReport };

const HEALTHY = 'Worker has completed startup and is ready to handle requests.';
const LONGEST_TEXT = 2048;
const START_SECONDS = Math.round(Date.now() / 1000 - process.uptime());

/** Reads counters that exist anyway: nothing is measured for the console. */
export function workerReport(
  version: string,
  figures: WorkerFigures,
  { status, message }: WorkerHealth,
  now: number,
  jvms: readonly JvmState[] = [],
): WorkerReport {
  const { user, system } = process.cpuUsage();
  return {
    version,
    ...(status === 'healthy' && message === HEALTHY ? {} : { health: message }),
    cpuSeconds: (user + system) / 1e6,
    startSeconds: START_SECONDS,
    ...known({ memoryBytes: residentMemory() }),
    tasks: taskReports(figures, now),
    ...(jvms.length > 0 && { jvms: jvmReports(jvms) }),
  };
}

/** Null: the platform does not show it. */
function residentMemory(): number | null {
  try {
    return processMemory().resident;
  } catch {
    return null;
  }
}

function taskReports(figures: WorkerFigures, now: number): readonly TaskReport[] {
  const lags = sinkLags(figures, now);
  return figures.tasks.map(({ connector, task, metrics, published, thread, condition }) => {
    const isSource = metrics.type === 'source';
    const lag = lags.get(taskKey(connector, task));
    // What a plugin published before it lost its connection says nothing about now.
    const own = (unit: LagUnit): number | null =>
      condition.isConnected === false ? null : publishedLag(published, unit, now);
    return {
      ...{ connector, task },
      records: isSource ? metrics.source.written.value : metrics.sink.sent.value,
      errors: metrics.errors.errors.value,
      failed: metrics.errors.failedRecords.value,
      ...(condition.isConnected !== null && { isConnected: condition.isConnected }),
      ...(condition.problem !== null && { problem: condition.problem }),
      ...known({
        failedRate: metrics.errors.failedLately.rate(now),
        lastFailedAt: metrics.errors.lastErrorAt.value || null,
        rate: isSource ? metrics.source.writes.rate(now) : metrics.sink.sends.rate(now),
        lagRecords: lag?.records ?? own('records'),
        lagSeconds: lag?.seconds ?? own('seconds'),
        lagBytes: own('bytes'),
        thread,
      }),
    };
  });
}

interface SinkLag {
  readonly records: number | null;
  readonly seconds: number | null;
}

/** Of the partition that is most behind. */
function sinkLags(figures: WorkerFigures, now: number): ReadonlyMap<string, SinkLag> {
  const lags = new Map<string, SinkLag>();
  for (const { owner, partitions } of clientFigures(figures, now).consumers) {
    if (owner === null) continue;
    const key = taskKey(owner.connector, owner.task);
    const before = lags.get(key);
    lags.set(key, {
      records: most([before?.records ?? null, ...partitions.map(({ records }) => records)]),
      seconds: most([before?.seconds ?? null, ...partitions.map(({ seconds }) => seconds)]),
    });
  }
  return lags;
}

const finite = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** Without the values that are not known. */
function known<K extends string>(values: Readonly<Record<K, number | null>>): Partial<Record<K, number>> {
  return Object.fromEntries(
    Object.entries<number | null>(values).filter(([, value]) => value !== null && Number.isFinite(value)),
  ) as Partial<Record<K, number>>;
}

export interface ReadReport extends ProcessReading<TaskReport> {
  readonly version: string | null;
  readonly health: string | null;
  readonly jvms: readonly JvmReport[];
}

const NUMBERS = [
  'failed',
  'failedRate',
  'lastFailedAt',
  'records',
  'rate',
  'lagRecords',
  'lagSeconds',
  'lagBytes',
  'errors',
  'thread',
] as const;

/** Null: it is not a report. */
export function readReport(body: unknown): ReadReport | null {
  const report = body as Partial<Record<keyof WorkerReport, unknown>> | null;
  if (typeof report !== 'object' || report === null || !Array.isArray(report.tasks)) return null;
  const tasks = (report.tasks as unknown[]).flatMap((one) => taskOf(one) ?? []);
  return {
    version: textOf(report.version),
    health: textOf(report.health),
    jvms: readJvmReports(report.jvms),
    ...known({
      cpuSeconds: finite(report.cpuSeconds),
      startSeconds: finite(report.startSeconds),
      memoryBytes: finite(report.memoryBytes),
    }),
    tasks: new Map(tasks.map((task) => [taskKey(task.connector, task.task), task])),
  };
}

function taskOf(value: unknown): TaskReport | null {
  const task = value as Partial<Record<keyof TaskReport, unknown>> | null;
  if (typeof task !== 'object' || task === null) return null;
  const { connector, task: number } = task;
  if (typeof connector !== 'string' || typeof number !== 'number') return null;
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, finite(task[name])]));
  const problem = problemOf(task.problem);
  return {
    ...{ connector, task: number, ...known(numbers) },
    ...(typeof task.isConnected === 'boolean' && { isConnected: task.isConnected }),
    ...(problem !== null && { problem }),
  };
}

function problemOf(value: unknown): TaskProblem | null {
  const { kind, since, reason, code, nextTryAt } = (value ?? {}) as Partial<Record<keyof TaskProblem, unknown>>;
  const begun = finite(since);
  if ((kind !== 'disconnected' && kind !== 'retrying') || begun === null) return null;
  return { kind, since: begun, reason: textOf(reason) ?? '', code: textOf(code), nextTryAt: finite(nextTryAt) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : null;
}
