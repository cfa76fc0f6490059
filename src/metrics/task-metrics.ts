/**
 * The metrics of one run of a task: written by the task's thread, read by the worker's main thread. Source:
 * connect-runtime §9.
 */
import { Cells } from './cells';
import { ErrorMetrics } from './error-metrics';
import { SinkMetrics } from './sink-metrics';
import { SourceMetrics } from './source-metrics';
import { Outcomes, SampledStat, type SampleWindows } from './sampled-stat';

/** Passed between threads; `memory` is shared. */
export interface TaskMetricsMemory {
  readonly type: 'source' | 'sink';
  readonly windows: SampleWindows;
  readonly memory: SharedArrayBuffer;
}

/** Kafka's defaults. */
export const DEFAULT_SAMPLE_WINDOWS: SampleWindows = { sampleMs: 30_000, samples: 2 };

export class TaskMetrics {
  readonly batches: SampledStat;
  readonly commitTimes: SampledStat;
  readonly commitOutcomes: Outcomes;
  readonly errors: ErrorMetrics;
  readonly source: SourceMetrics;
  readonly sink: SinkMetrics;

  constructor(
    readonly type: 'source' | 'sink',
    cells: Cells,
    windows: SampleWindows,
  ) {
    this.batches = new SampledStat(cells, windows);
    this.commitTimes = new SampledStat(cells, windows);
    this.commitOutcomes = new Outcomes(cells, windows);
    this.errors = new ErrorMetrics(cells, windows);
    this.source = new SourceMetrics(cells, windows);
    this.sink = new SinkMetrics(cells, windows);
  }

  static allocate(type: 'source' | 'sink', windows: SampleWindows): TaskMetricsMemory {
    return { type, windows, memory: Cells.memoryFor((cells) => new TaskMetrics(type, cells, windows)) };
  }

  static in({ type, windows, memory }: TaskMetricsMemory): TaskMetrics {
    return new TaskMetrics(type, new Cells(memory), windows);
  }

  /** The source task returned a batch, even an empty one. */
  polled(records: number, ms: number): void {
    this.batches.record(records);
    this.source.poll(records, ms);
  }

  /** The sink task accepted a batch, even an empty one. */
  put(records: number, ms: number): void {
    this.batches.record(records);
    this.sink.put(records, ms);
  }

  /** An offset commit ended after `ms` milliseconds. */
  committed(success: boolean, ms: number): void {
    this.commitTimes.record(ms);
    this.commitOutcomes.record(success);
    if (success && this.type === 'sink') this.sink.commitCompleted();
  }
}
