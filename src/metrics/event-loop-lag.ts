/** Measures how late the event loop of this thread runs. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** A timer of this interval is observed, so 10 ms is what an idle event loop shows. */
const RESOLUTION_MS = 10;

/** In seconds. */
export interface Delays {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

export class EventLoopLag {
  private readonly histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.histogram.enable();
  }

  /** @returns seconds until the next turn of the event loop */
  async current(): Promise<number> {
    const began = performance.now();
    await setImmediate();
    return (performance.now() - began) / 1000;
  }

  /** @returns the delays since the last call; null when none was measured */
  take(): Delays | null {
    const { histogram } = this;
    // An empty histogram has a minimum of 2^63 ns.
    if (histogram.count === 0) return null;
    const percentile = (percent: number): number => histogram.percentile(percent) / 1e9;
    const delays = {
      ...{ min: histogram.min / 1e9, max: histogram.max / 1e9 },
      ...{ mean: histogram.mean / 1e9, stddev: histogram.stddev / 1e9 },
      ...{ p50: percentile(50), p90: percentile(90), p99: percentile(99) },
    };
    histogram.reset();
    return delays;
  }
}
