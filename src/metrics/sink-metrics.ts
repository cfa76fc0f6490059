/** Records that a sink task read and delivered. Source: connect-runtime §9 "sink-task-metrics". */
import { Figure, type Cells } from './cells';
import { SampledStat, type SampleWindows } from './sampled-stat';

export class SinkMetrics {
  readonly read: Figure;
  readonly sent: Figure;
  readonly partitions: Figure;
  /** Commits started. */
  readonly commits: Figure;
  readonly commitsCompleted: Figure;
  /** Commits whose response arrived after a newer commit had started. */
  readonly commitsSkipped: Figure;
  /** Consumed but not committed. */
  readonly active: Figure;
  readonly reads: SampledStat;
  readonly sends: SampledStat;
  readonly putTimes: SampledStat;
  readonly completions: SampledStat;
  readonly skips: SampledStat;
  readonly actives: SampledStat;

  constructor(cells: Cells, windows: SampleWindows) {
    this.read = new Figure(cells);
    this.sent = new Figure(cells);
    this.partitions = new Figure(cells);
    this.commits = new Figure(cells);
    this.commitsCompleted = new Figure(cells);
    this.commitsSkipped = new Figure(cells);
    this.active = new Figure(cells);
    this.reads = new SampledStat(cells, windows);
    this.sends = new SampledStat(cells, windows);
    this.putTimes = new SampledStat(cells, windows);
    this.completions = new SampledStat(cells, windows);
    this.skips = new SampledStat(cells, windows);
    this.actives = new SampledStat(cells, windows);
  }

  /** `offsets`: how far the partition's position moved, which may exceed the number of records. */
  consumed(records: number, offsets: number): void {
    this.read.add(records);
    this.reads.record(records);
    this.activate(this.active.value + offsets);
  }

  put(records: number, ms: number): void {
    this.sent.add(records);
    this.sends.record(records);
    this.putTimes.record(ms);
  }

  /** Sets the count after a commit, or after partitions were assigned or revoked. */
  activate(uncommitted: number): void {
    this.active.set(uncommitted);
    this.actives.record(uncommitted);
  }

  commitCompleted(): void {
    this.commitsCompleted.add();
    this.completions.record(1);
  }

  commitSkipped(): void {
    this.commitsSkipped.add();
    this.skips.record(1);
  }
}
