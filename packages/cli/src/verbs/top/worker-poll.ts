/** Reads the metrics of one worker again and again. A worker that does not answer in time does not delay the others. */
import { settledWithin } from '@millrace/sdk';
import { type ProcessReading, taskKey, type TaskReading } from '@millrace/texts/worker-rates';
import type { ConnectClient } from '../../rest/connect-client';
import { parseSamples, type Sample } from './prometheus-text';
import type { WorkerReading } from './rows';

export interface Readings {
  readonly now: WorkerReading;
  /** The latest one with figures before it. */
  readonly before: WorkerReading | undefined;
}

/** Metrics are text, errors are JSON. */
const TYPES = 'text/plain, application/json;q=0.5';
const LARGEST_METRICS = 64 * 1024 * 1024;

export class WorkerPoll {
  private readonly worker: string;
  private pending: Promise<void> | null = null;
  private sentAt = 0;
  /** Not yet returned. */
  private answer: WorkerReading | null = null;
  private before: WorkerReading | undefined;

  constructor(private readonly client: ConnectClient) {
    this.worker = new URL(client.address).host;
  }

  /** Waits for the answer at most `waitMs`. A later answer is the next reading. */
  async read(waitMs: number): Promise<Readings> {
    this.pending ??= this.request();
    await settledWithin(this.pending, waitMs, undefined);
    const { before } = this;
    const now = this.answer ?? this.missing();
    this.answer = null;
    if (now.figures) this.before = now;
    return { now, before };
  }

  private async request(): Promise<void> {
    this.sentAt = performance.now();
    this.answer = await this.readMetrics();
    this.pending = null;
  }

  private async readMetrics(): Promise<WorkerReading> {
    const { worker } = this;
    const limits = { accept: [404], mediaTypes: TYPES, largest: LARGEST_METRICS };
    try {
      const text = await this.client.requestText('/metrics', limits);
      const at = performance.now();
      return text === '' ? { worker, at } : { worker, at, figures: workerFigures(text) };
    } catch (error) {
      return { worker, at: performance.now(), problem: `GET /metrics: ${(error as Error).message}` };
    }
  }

  private missing(): WorkerReading {
    const at = performance.now();
    const problem = `GET /metrics: no answer for ${Math.ceil((at - this.sentAt) / 1000)} s`;
    return { worker: this.worker, at, problem };
  }
}

/** What `millrace top` shows of a worker's metrics. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const OF_TASK: ReadonlyMap<string, keyof TaskReading> = new Map([
  ['kafka_connect_source_task_metrics_source_record_write_total', 'records'],
  ['kafka_connect_source_task_metrics_source_record_write_rate', 'rate'],
  ['kafka_connect_sink_task_metrics_sink_record_send_total', 'records'],
  ['kafka_connect_sink_task_metrics_sink_record_send_rate', 'rate'],
  ['kafka_connect_task_error_metrics_total_record_errors', 'errors'],
  ['millrace_sink_lag_records_max', 'lagRecords'],
  ['millrace_sink_lag_seconds_max', 'lagSeconds'],
  ['millrace_task_lag_records', 'lagRecords'],
  ['millrace_task_lag_seconds', 'lagSeconds'],
]);
const OF_WORKER: ReadonlyMap<string, 'cpuSeconds' | 'startSeconds' | 'memoryBytes'> = new Map([
  ['process_cpu_seconds_total', 'cpuSeconds'],
  ['process_start_time_seconds', 'startSeconds'],
  ['process_resident_memory_bytes', 'memoryBytes'],
]);
const WANTED: ReadonlySet<string> = new Set([...OF_TASK.keys(), ...OF_WORKER.keys()]);

/**
 * @param text of `GET /metrics`
 * @throws Error if it is not in Prometheus' text format, or has no metrics of a process
 */
function workerFigures(text: string): ProcessReading {
  const tasks = new Map<string, Mutable<TaskReading>>();
  const worker: Mutable<Omit<ProcessReading, 'tasks'>> = {};
  for (const sample of parseSamples(text, WANTED)) {
    const { name, value } = sample;
    if (!Number.isFinite(value) || value < 0) continue;
    const figure = OF_TASK.get(name);
    const own = OF_WORKER.get(name);
    if (figure) addTo(tasks, sample, figure);
    else if (own) worker[own] = value;
  }
  if (worker.memoryBytes === undefined && worker.cpuSeconds === undefined && tasks.size === 0)
    throw new Error('it has no metrics of a Millrace worker');
  return { tasks, ...worker };
}

function addTo(tasks: Map<string, Mutable<TaskReading>>, { labels, value }: Sample, figure: keyof TaskReading): void {
  const connector = labels.get('connector');
  const task = labels.get('task');
  if (connector === undefined || task === undefined) return;
  const key = taskKey(connector, task);
  const found = tasks.get(key) ?? {};
  found[figure] = Math.max(found[figure] ?? 0, value);
  tasks.set(key, found);
}
