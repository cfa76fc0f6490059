import type { Clock } from '../../packages/embedded/src/clock';

/** Time that stands still until it is turned; timers then run in the order they are due. */
export class FakeClock implements Clock {
  private time = 1_000_000;
  private readonly timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.time;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const timer = { at: this.time + delayMs, run };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  get waiting(): number {
    return this.timers.size;
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers.delete(due);
      this.time = Math.max(this.time, due.at);
      due.run();
    }
    this.time = end;
  }
}
