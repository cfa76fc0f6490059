/**
 * The activity of a member of a group, a worker or a consumer: requests to the coordinator, and rebalances.
 * Source: connect-runtime §9 "connect-worker-rebalance-metrics" and "connect-coordinator-metrics".
 */
import { Cells, Figure } from './cells';
import { SampledStat, type SampleWindows } from './sampled-stat';

export const HOUR_MS = 3_600_000;

/** Events of one kind: their count, the time of the last one, and their durations. */
export class TimedEvents {
  readonly total: Figure;
  /** Total milliseconds. */
  readonly totalMs: Figure;
  readonly times: SampledStat;
  /** Samples of one hour each, regardless of the configured window, as Java uses for rates per hour. */
  readonly lastHours: SampledStat;
  /** Milliseconds since the epoch; 0: never. */
  private readonly lastAt: Figure;

  constructor(cells: Cells, windows: SampleWindows) {
    this.lastAt = new Figure(cells);
    this.total = new Figure(cells);
    this.totalMs = new Figure(cells);
    this.times = new SampledStat(cells, windows);
    this.lastHours = new SampledStat(cells, { ...windows, sampleMs: HOUR_MS });
  }

  record(ms: number, now = Date.now()): void {
    this.total.add();
    this.totalMs.add(ms);
    this.times.record(ms, now);
    this.lastHours.record(ms, now);
    this.lastAt.set(now);
  }

  /** Milliseconds since the last event; infinite before the first. */
  since(now: number): number {
    return this.lastAt.value === 0 ? Infinity : now - this.lastAt.value;
  }
}

export class GroupMetrics {
  readonly heartbeats: TimedEvents;
  readonly joins: TimedEvents;
  readonly syncs: TimedEvents;
  /** From the first JoinGroup request until the assignment is known. */
  readonly rebalances: TimedEvents;
  readonly failedRebalances: TimedEvents;
  /** The same, plus stopping the work that was revoked. */
  readonly workerRebalances: TimedEvents;
  rebalancing = false;

  constructor(cells: Cells, windows: SampleWindows) {
    this.heartbeats = new TimedEvents(cells, windows);
    this.joins = new TimedEvents(cells, windows);
    this.syncs = new TimedEvents(cells, windows);
    this.rebalances = new TimedEvents(cells, windows);
    this.failedRebalances = new TimedEvents(cells, windows);
    this.workerRebalances = new TimedEvents(cells, windows);
  }

  static create(windows: SampleWindows): GroupMetrics {
    return new GroupMetrics(new Cells(Cells.memoryFor((cells) => new GroupMetrics(cells, windows))), windows);
  }
}
