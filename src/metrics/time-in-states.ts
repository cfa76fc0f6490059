/** Time spent in each state. Source: connect-runtime §9 "connector-task-metrics". */
export const STATES = ['unassigned', 'running', 'paused', 'stopped', 'failed', 'restarting'] as const;
export type MeasuredState = (typeof STATES)[number];

export class TimeInStates {
  private current: MeasuredState = 'unassigned';
  private readonly spent = new Map<MeasuredState, number>();
  private since: number;

  constructor(now = Date.now()) {
    this.since = now;
  }

  get state(): MeasuredState {
    return this.current;
  }

  change(state: MeasuredState, now = Date.now()): void {
    this.spent.set(this.current, (this.spent.get(this.current) ?? 0) + now - this.since);
    this.current = state;
    this.since = now;
  }

  /** Fraction of the total time spent in the state, from 0 to 1. */
  share(state: MeasuredState, now = Date.now()): number {
    const ongoing = now - this.since;
    const total = [...this.spent.values()].reduce((sum, ms) => sum + ms, ongoing);
    const inState = (this.spent.get(state) ?? 0) + (state === this.current ? ongoing : 0);
    return total <= 0 ? 0 : inState / total;
  }
}
