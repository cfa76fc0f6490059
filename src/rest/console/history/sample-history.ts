/** Numbers sampled at regular steps, for about an hour: a ring of 32-bit floats per measure, NaN while unknown. */

export const STEP_MS = 10_000;
/** 64 minutes. */
export const STEPS = 384;
/** Later ones are not kept: 8,192 take 12 MiB, enough for the four measures of 2,048 connectors. */
const MOST_SERIES = 8_192;

export type Samples = Readonly<Record<string, number | null>>;

interface Kept {
  readonly measures: Map<string, Float32Array>;
  /** Step of the newest number. */
  newest: number;
}

export class SampleHistory {
  private readonly kept = new Map<string, Kept>();
  private series = 0;
  private step = 0;

  /** @param at milliseconds since the epoch; steps between two calls, and what a call does not name, are unknown */
  record(at: number, samples: ReadonlyMap<string, Samples>): void {
    this.advance(Math.floor(at / STEP_MS));
    for (const [subject, measures] of samples)
      for (const [measure, value] of Object.entries(measures)) {
        // A measure that was never known needs no memory.
        if (value === null || !Number.isFinite(value)) continue;
        const ring = this.kept.get(subject)?.measures.get(measure) ?? this.begin(subject, measure);
        if (ring === null) continue;
        ring[this.step % STEPS] = value;
        (this.kept.get(subject) as Kept).newest = this.step;
      }
  }

  /** Time of the newest step, milliseconds since the epoch; 0: none yet. */
  get end(): number {
    return this.step * STEP_MS;
  }

  get subjects(): Iterable<string> {
    return this.kept.keys();
  }

  /** Oldest first, by measure; null: unknown. */
  of(subject: string, steps = STEPS): Readonly<Record<string, (number | null)[]>> {
    const measures = [...(this.kept.get(subject)?.measures ?? [])];
    return Object.fromEntries(measures.map(([measure, ring]) => [measure, this.newestOf(ring, steps)]));
  }

  private newestOf(ring: Float32Array, steps: number): (number | null)[] {
    return Array.from({ length: steps }, (_, i) => {
      const value = ring[(this.step + 1 + i + STEPS - steps) % STEPS] ?? NaN;
      // Four digits are enough for a chart, and shorter.
      return Number.isNaN(value) ? null : Number(value.toPrecision(4));
    });
  }

  private advance(step: number): void {
    // Of a clock that was set back, the steps that it has again.
    const [first, last] = step > this.step ? [this.step + 1, step] : [step + 1, this.step];
    for (const { measures } of this.kept.values())
      for (const ring of measures.values())
        for (let i = Math.max(first, last - STEPS + 1); i <= last; i++) ring[i % STEPS] = NaN;
    this.step = step;
    for (const [subject, { measures, newest }] of this.kept) {
      if (newest > step - STEPS) continue;
      this.kept.delete(subject);
      this.series -= measures.size;
    }
  }

  private begin(subject: string, measure: string): Float32Array | null {
    if (this.series >= MOST_SERIES) return null;
    this.series++;
    const ring = new Float32Array(STEPS).fill(NaN);
    const kept = this.kept.get(subject) ?? { measures: new Map<string, Float32Array>(), newest: this.step };
    this.kept.set(subject, kept);
    kept.measures.set(measure, ring);
    return ring;
  }
}
