/**
 * All that is measured of one start of one task: written by the thread it runs in, read by the worker's. Source:
 * connect-runtime §9.
 */
import { Cells } from './cells';
import { ErrorMetrics } from './error-metrics';
import { SinkMetrics } from './sink-metrics';
import { SourceMetrics } from './source-metrics';
import { Outcomes, Windowed, type Windows } from './windowed';

/** Crosses threads; `memory` is shared. */
export interface TaskMetricsMemory {
  readonly type: 'source' | 'sink';
  readonly windows: Windows;
  readonly memory: SharedArrayBuffer;
}

/** Kafka's. */
export const DEFAULT_WINDOWS: Windows = { sampleMs: 30_000, samples: 2 };

export class TaskMetrics {
  readonly batches: Windowed;
  readonly commitTimes: Windowed;
  readonly commitOutcomes: Outcomes;
  readonly errors: ErrorMetrics;
  readonly source: SourceMetrics;
  readonly sink: SinkMetrics;

  constructor(
    readonly type: 'source' | 'sink',
    cells: Cells,
    windows: Windows,
  ) {
    this.batches = new Windowed(cells, windows);
    this.commitTimes = new Windowed(cells, windows);
    this.commitOutcomes = new Outcomes(cells, windows);
    this.errors = new ErrorMetrics(cells);
    this.source = new SourceMetrics(cells, windows);
    this.sink = new SinkMetrics(cells, windows);
  }

  static allocate(type: 'source' | 'sink', windows: Windows): TaskMetricsMemory {
    return { type, windows, memory: Cells.memoryFor((cells) => new TaskMetrics(type, cells, windows)) };
  }

  static in({ type, windows, memory }: TaskMetricsMemory): TaskMetrics {
    return new TaskMetrics(type, new Cells(memory), windows);
  }

  /** The source task gave a batch, were it an empty one. */
  polled(records: number, ms: number): void {
    this.batches.record(records);
    this.source.poll(records, ms);
  }

  /** The sink task took a batch, were it an empty one. */
  put(records: number, ms: number): void {
    this.batches.record(records);
    this.sink.put(records, ms);
  }

  /** A commit of offsets has ended, after `ms`. */
  committed(success: boolean, ms: number): void {
    this.commitTimes.record(ms);
    this.commitOutcomes.record(success);
    if (success && this.type === 'sink') this.sink.commitCompleted();
  }
}
