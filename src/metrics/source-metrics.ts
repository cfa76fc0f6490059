/** Records that a source task polled and wrote. Source: connect-runtime §9 "source-task-metrics". */
import { Figure, type Cells } from './cells';
import { SampledStat, type SampleWindows } from './sampled-stat';

export class SourceMetrics {
  readonly polled: Figure;
  readonly written: Figure;
  /** Polled, and not yet written or skipped. */
  readonly active: Figure;
  readonly polls: SampledStat;
  readonly pollTimes: SampledStat;
  readonly writes: SampledStat;
  readonly actives: SampledStat;
  /** 1: the task is exactly-once. */
  readonly transactional: Figure;
  /** Records of each committed transaction. */
  readonly transactions: SampledStat;

  constructor(cells: Cells, windows: SampleWindows) {
    this.polled = new Figure(cells);
    this.written = new Figure(cells);
    this.active = new Figure(cells);
    this.polls = new SampledStat(cells, windows);
    this.pollTimes = new SampledStat(cells, windows);
    this.writes = new SampledStat(cells, windows);
    this.actives = new SampledStat(cells, windows);
    this.transactional = new Figure(cells);
    this.transactions = new SampledStat(cells, windows);
  }

  /** A committed transaction. 0: it has offsets only. */
  transaction(records: number): void {
    this.transactions.record(records);
  }

  /** A poll that returned a list, even an empty one. */
  poll(records: number, ms: number): void {
    this.polled.add(records);
    this.polls.record(records);
    this.pollTimes.record(ms);
    this.activate(records);
  }

  /** Records that are done: acknowledged by Kafka, or skipped (filtered, or failed and tolerated). */
  finished(acknowledged: number, skipped: number): void {
    this.written.add(acknowledged);
    this.writes.record(acknowledged);
    this.activate(-acknowledged - skipped);
  }

  private activate(by: number): void {
    this.active.set(Math.max(0, this.active.value + by));
    this.actives.record(this.active.value);
  }
}
