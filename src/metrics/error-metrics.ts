/** Failed records of a task, counted as Java counts them. Source: connect-runtime §9 "task-error-metrics", §4.6. */
import { Figure, type Cells } from './cells';
import { SampledStat, type SampleWindows } from './sampled-stat';

export class ErrorMetrics {
  readonly failures: Figure;
  readonly errors: Figure;
  readonly skipped: Figure;
  readonly retries: Figure;
  readonly logged: Figure;
  readonly deadLetterRequests: Figure;
  readonly deadLetterFailures: Figure;
  /** Milliseconds since the epoch; 0: never. */
  readonly lastErrorAt: Figure;
  /** Millrace only: records that were given up, whether they were skipped, dead letters, or failed the task. */
  readonly failedRecords: Figure;
  readonly failedLately: SampledStat;

  constructor(cells: Cells, windows: SampleWindows) {
    this.failures = new Figure(cells);
    this.errors = new Figure(cells);
    this.skipped = new Figure(cells);
    this.retries = new Figure(cells);
    this.logged = new Figure(cells);
    this.deadLetterRequests = new Figure(cells);
    this.deadLetterFailures = new Figure(cells);
    this.lastErrorAt = new Figure(cells);
    this.failedRecords = new Figure(cells);
    this.failedLately = new SampledStat(cells, windows);
  }

  /** Records that were given up: by the worker, or by a plugin that writes dead letters itself. */
  failed(records: number): void {
    this.lastErrorAt.set(Date.now());
    this.failedRecords.add(records);
    this.failedLately.record(records);
  }

  /** A conversion or transformation that failed and is not retried. Each attempt counted as one of `failures`. */
  gaveUp(tolerated: boolean): void {
    this.failed(1);
    this.errors.add();
    if (tolerated) this.skipped.add();
  }

  /** A record that Kafka or the task rejected. It is not retried here, and Java does not count it as skipped. */
  refused(tolerated: boolean): void {
    this.failed(1);
    this.failures.add();
    if (!tolerated) this.errors.add();
  }
}
