/**
 * Recent activity, in samples of a few seconds, like Kafka's SampledStat. A sample expires once nothing was recorded in
 * it for the length of all samples. Reading changes nothing, so another thread can read.
 * Source: connect-runtime §9 "Common windowing".
 */
import type { Cells } from './cells';

export interface SampleWindows {
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
const MIN = 5;
const CELLS = 6;

export class SampledStat {
  private readonly current: number;
  private readonly first: number;
  /** One more than configured, because the newest sample is not full yet. */
  private readonly kept: number;

  constructor(
    private readonly cells: Cells,
    private readonly windows: SampleWindows,
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
    if (isNew || value < cells.get(sample + MIN)) cells.set(sample + MIN, value);
    cells.set(sample + LAST, now);
    cells.add(sample + COUNT, 1);
  }

  /** Sum of the recorded values per `unitMs` (default: one second); 0 if there are none. */
  rate(now: number, unitMs = 1000): number {
    return (this.sum(SUM, now) * unitMs) / this.span(now);
  }

  /** Number of recorded values per `unitMs` (default: one second). */
  frequency(now: number, unitMs = 1000): number {
    return (this.sum(COUNT, now) * unitMs) / this.span(now);
  }

  /** NaN if there are no values. */
  average(now: number): number {
    return this.sum(SUM, now) / this.sum(COUNT, now);
  }

  /** NaN if there are no values. */
  maximum(now: number): number {
    return this.liveSamples(now).reduce((most, sample) => {
      const value = this.cells.get(sample + MAX);
      return most >= value ? most : value;
    }, NaN);
  }

  /** NaN if there are no values. */
  minimum(now: number): number {
    return this.liveSamples(now).reduce((least, sample) => {
      const value = this.cells.get(sample + MIN);
      return least <= value ? least : value;
    }, NaN);
  }

  private sum(cell: number, now: number): number {
    return this.liveSamples(now).reduce((sum, sample) => sum + this.cells.get(sample + cell), 0);
  }

  /** Milliseconds that a rate covers: at least all samples but one, so that the first seconds do not inflate it. */
  private span(now: number): number {
    const { sampleMs, samples } = this.windows;
    const oldest = Math.min(now, ...this.liveSamples(now).map((sample) => this.cells.get(sample + START)));
    const missing = Math.max(0, samples - 1 - Math.floor((now - oldest) / Math.max(1, sampleMs)));
    return Math.max(1, now - oldest + missing * sampleMs);
  }

  private liveSamples(now: number): number[] {
    const { sampleMs, samples } = this.windows;
    return Array.from({ length: this.kept }, (_, n) => this.sample(n)).filter(
      (sample) => this.cells.get(sample + COUNT) > 0 && now - this.cells.get(sample + LAST) < sampleMs * samples,
    );
  }

  private sample(n: number): number {
    return this.first + n * CELLS;
  }
}

/** The recent fractions of successes and failures. */
export class Outcomes {
  private readonly results: SampledStat;

  constructor(cells: Cells, windows: SampleWindows) {
    this.results = new SampledStat(cells, windows);
  }

  record(success: boolean, now = Date.now()): void {
    this.results.record(success ? 1 : 0, now);
  }

  /** From 0 to 1; like `failures`, 0 if nothing was recorded. */
  successes(now: number): number {
    const part = this.results.average(now);
    return Number.isNaN(part) ? 0 : part;
  }
  failures(now: number): number {
    const part = this.results.average(now);
    return Number.isNaN(part) ? 0 : 1 - part;
  }
}
