/** What a source task has polled and written. Source: connect-runtime §9 "source-task-metrics". */
import { Figure, type Cells } from './cells';
import { Windowed, type Windows } from './windowed';

export class SourceMetrics {
  readonly polled: Figure;
  readonly written: Figure;
  /** Polled, and neither written nor skipped yet. */
  readonly active: Figure;
  readonly polls: Windowed;
  readonly pollTimes: Windowed;
  readonly writes: Windowed;
  readonly actives: Windowed;

  constructor(cells: Cells, windows: Windows) {
    this.polled = new Figure(cells);
    this.written = new Figure(cells);
    this.active = new Figure(cells);
    this.polls = new Windowed(cells, windows);
    this.pollTimes = new Windowed(cells, windows);
    this.writes = new Windowed(cells, windows);
    this.actives = new Windowed(cells, windows);
  }

  /** A poll that answered with a list, were it an empty one. */
  poll(records: number, ms: number): void {
    this.polled.add(records);
    this.polls.record(records);
    this.pollTimes.record(ms);
    this.activate(records);
  }

  /** So many records need no further care: acknowledged by Kafka, or skipped (filtered, or failed and tolerated). */
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
