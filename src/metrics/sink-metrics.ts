/** What a sink task has read and delivered. Source: connect-runtime §9 "sink-task-metrics". */
import { Figure, type Cells } from './cells';
import { Windowed, type Windows } from './windowed';

export class SinkMetrics {
  readonly read: Figure;
  readonly sent: Figure;
  readonly partitions: Figure;
  /** Commits begun. */
  readonly commits: Figure;
  readonly commitsCompleted: Figure;
  /** Answers that came when a newer commit was under way. */
  readonly commitsSkipped: Figure;
  /** Consumed and not committed. */
  readonly active: Figure;
  readonly reads: Windowed;
  readonly sends: Windowed;
  readonly putTimes: Windowed;
  readonly completions: Windowed;
  readonly skips: Windowed;
  readonly actives: Windowed;

  constructor(cells: Cells, windows: Windows) {
    this.read = new Figure(cells);
    this.sent = new Figure(cells);
    this.partitions = new Figure(cells);
    this.commits = new Figure(cells);
    this.commitsCompleted = new Figure(cells);
    this.commitsSkipped = new Figure(cells);
    this.active = new Figure(cells);
    this.reads = new Windowed(cells, windows);
    this.sends = new Windowed(cells, windows);
    this.putTimes = new Windowed(cells, windows);
    this.completions = new Windowed(cells, windows);
    this.skips = new Windowed(cells, windows);
    this.actives = new Windowed(cells, windows);
  }

  /** `offsets`: how far the partition's position moved, which may be more than its records. */
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

  /** Counted anew: offsets were committed, or partitions have come or gone. */
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
