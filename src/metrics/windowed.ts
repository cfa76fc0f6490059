/**
 * What happened of late, in samples of some seconds, as Kafka's sampled statistics: a sample is given up once nothing
 * was recorded in it for as long as all samples together are. Reading changes nothing, so that another thread may.
 * Source: connect-runtime §9 "Common windowing".
 */
import type { Cells } from './cells';

export interface Windows {
  /** Length of a sample: `metrics.sample.window.ms`. */
  readonly sampleMs: number;
  /** `metrics.num.samples`. */
  readonly samples: number;
}

// The cells of a sample.
const START = 0;
const LAST = 1;
const COUNT = 2;
const SUM = 3;
const MAX = 4;
const CELLS = 5;

export class Windowed {
  private readonly current: number;
  private readonly first: number;
  /** One more than are counted: the newest is not full yet. */
  private readonly kept: number;

  constructor(
    private readonly cells: Cells,
    private readonly windows: Windows,
  ) {
    this.kept = windows.samples + 1;
    this.current = cells.take(1);
    this.first = cells.take(this.kept * CELLS);
  }

  /** `now`: milliseconds since the epoch. */
  record(value: number, now = Date.now()): void {
    const { cells } = this;
    let sample = this.sample(cells.get(this.current));
    if (cells.get(sample + COUNT) > 0 && now - cells.get(sample + START) >= this.windows.sampleMs) {
      cells.set(this.current, (cells.get(this.current) + 1) % this.kept);
      sample = this.sample(cells.get(this.current));
      cells.set(sample + COUNT, 0);
    }
    const isNew = cells.get(sample + COUNT) === 0;
    if (isNew) {
      cells.set(sample + START, now);
      cells.set(sample + SUM, 0);
    }
    cells.add(sample + SUM, value);
    if (isNew || value > cells.get(sample + MAX)) cells.set(sample + MAX, value);
    cells.set(sample + LAST, now);
    cells.add(sample + COUNT, 1);
  }

  /** Sum of what was recorded, per `unitMs` (default: a second). 0 without any. */
  rate(now: number, unitMs = 1000): number {
    return (this.sum(SUM, now) * unitMs) / this.span(now);
  }

  /** How often something was recorded, per `unitMs` (default: a second). */
  frequency(now: number, unitMs = 1000): number {
    return (this.sum(COUNT, now) * unitMs) / this.span(now);
  }

  /** NaN without any. */
  average(now: number): number {
    return this.sum(SUM, now) / this.sum(COUNT, now);
  }

  /** NaN without any. */
  maximum(now: number): number {
    return this.living(now).reduce((most, sample) => {
      const value = this.cells.get(sample + MAX);
      return most >= value ? most : value;
    }, NaN);
  }

  private sum(cell: number, now: number): number {
    return this.living(now).reduce((sum, sample) => sum + this.cells.get(sample + cell), 0);
  }

  /** Milliseconds that a rate is taken over. The first seconds of a life are no reason to divide by next to nothing. */
  private span(now: number): number {
    const { sampleMs, samples } = this.windows;
    const oldest = Math.min(now, ...this.living(now).map((sample) => this.cells.get(sample + START)));
    const missing = Math.max(0, samples - 1 - Math.floor((now - oldest) / Math.max(1, sampleMs)));
    return Math.max(1, now - oldest + missing * sampleMs);
  }

  private living(now: number): number[] {
    const { sampleMs, samples } = this.windows;
    return Array.from({ length: this.kept }, (_, n) => this.sample(n)).filter(
      (sample) => this.cells.get(sample + COUNT) > 0 && now - this.cells.get(sample + LAST) < sampleMs * samples,
    );
  }

  private sample(n: number): number {
    return this.first + n * CELLS;
  }
}

/** Of so many tries, which part went well, and which did not. */
export class Outcomes {
  private readonly results: Windowed;

  constructor(cells: Cells, windows: Windows) {
    this.results = new Windowed(cells, windows);
  }

  record(success: boolean, now = Date.now()): void {
    this.results.record(success ? 1 : 0, now);
  }

  /** From 0 to 1; 0 without any try, as for `failures`. */
  successes(now: number): number {
    const part = this.results.average(now);
    return Number.isNaN(part) ? 0 : part;
  }
  failures(now: number): number {
    const part = this.results.average(now);
    return Number.isNaN(part) ? 0 : 1 - part;
  }
}
