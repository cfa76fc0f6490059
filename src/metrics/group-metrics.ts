/**
 * What a worker goes through as a member of its group: requests to the coordinator, and rebalances.
 * Source: connect-runtime §9 "connect-worker-rebalance-metrics" and "connect-coordinator-metrics".
 */
import { Cells, Figure } from './cells';
import { Windowed, type Windows } from './windowed';

export const HOUR_MS = 3_600_000;

/** Events of one kind: how many, when the last was, and how long they took. */
export class Timed {
  readonly total: Figure;
  /** Milliseconds, all together. */
  readonly totalMs: Figure;
  readonly times: Windowed;
  /** Samples of an hour each, whatever others have: as Java has them where something is counted by the hour. */
  readonly lastHours: Windowed;
  private lastAt: number | null = null;

  constructor(cells: Cells, windows: Windows) {
    this.total = new Figure(cells);
    this.totalMs = new Figure(cells);
    this.times = new Windowed(cells, windows);
    this.lastHours = new Windowed(cells, { ...windows, sampleMs: HOUR_MS });
  }

  record(ms: number, now = Date.now()): void {
    this.total.add();
    this.totalMs.add(ms);
    this.times.record(ms, now);
    this.lastHours.record(ms, now);
    this.lastAt = now;
  }

  /** Milliseconds since the last one; infinite before the first. */
  since(now: number): number {
    return this.lastAt === null ? Infinity : now - this.lastAt;
  }
}

export class GroupMetrics {
  readonly heartbeats: Timed;
  readonly joins: Timed;
  readonly syncs: Timed;
  /** From the first request to join until the assignment is known. */
  readonly rebalances: Timed;
  readonly failedRebalances: Timed;
  /** The same with what this worker has to stop for it. */
  readonly workerRebalances: Timed;
  rebalancing = false;

  private constructor(cells: Cells, windows: Windows) {
    this.heartbeats = new Timed(cells, windows);
    this.joins = new Timed(cells, windows);
    this.syncs = new Timed(cells, windows);
    this.rebalances = new Timed(cells, windows);
    this.failedRebalances = new Timed(cells, windows);
    this.workerRebalances = new Timed(cells, windows);
  }

  static create(windows: Windows): GroupMetrics {
    return new GroupMetrics(new Cells(Cells.memoryFor((cells) => new GroupMetrics(cells, windows))), windows);
  }
}
