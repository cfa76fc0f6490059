/**
 * Rates of the last minutes, kept while a console is open. It is written by the computations for it alone, so it has
 * gaps while no browser asked.
 */
import { startTimer } from '@millrace/sdk';
import type { RateHistory as RateHistoryRow } from '@millrace/console';

export const STEP_MS = 5_000;
/** Five minutes. */
export const STEPS = 60;
/** Those with the first names: 10,000 take about 4 MB. */
const MOST_CONNECTORS = 10_000;
const FORGOTTEN_AFTER_MS = 600_000;

export class RateHistory {
  private readonly rates = new Map<string, Float32Array>();
  /** Of the newest rates. */
  private step = 0;
  private forgetting: NodeJS.Timeout | null = null;

  constructor(private readonly forgottenAfterMs = FORGOTTEN_AFTER_MS) {}

  /**
   * Rates at a moment, in milliseconds; others of the same step are replaced. Forgets connectors that it does not name.
   */
  record(at: number, rates: ReadonlyMap<string, number | null>): void {
    for (const connector of this.rates.keys()) if (!rates.has(connector)) this.rates.delete(connector);
    for (const [connector, rate] of rates) this.add(at, connector, rate);
  }

  /** The rate of one connector alone. */
  add(at: number, connector: string, rate: number | null): void {
    this.advance(Math.floor(at / STEP_MS));
    const kept = this.rates.get(connector) ?? this.begin(connector);
    if (kept) kept[this.step % STEPS] = rate ?? NaN;
  }

  private advance(step: number): void {
    if (step === this.step) return;
    // The clock was set back.
    if (step < this.step) this.rates.clear();
    for (const kept of this.rates.values()) clearSteps(kept, this.step + 1, step);
    this.step = step;
    this.forgetLater();
  }

  /** Oldest first; null: unknown. */
  of(connector: string): (number | null)[] {
    const kept = this.rates.get(connector);
    return Array.from({ length: STEPS }, (_, i) => {
      const rate = kept?.[(this.step + 1 + i) % STEPS] ?? NaN;
      return Number.isNaN(rate) ? null : shortened(rate);
    });
  }

  all(): RateHistoryRow[] {
    return [...this.rates.keys()].map((connector) => ({ connector, rates: this.of(connector) }));
  }

  private begin(connector: string): Float32Array | null {
    if (this.rates.size >= MOST_CONNECTORS) return null;
    const kept = new Float32Array(STEPS).fill(NaN);
    this.rates.set(connector, kept);
    return kept;
  }

  /** The only timer, which does not keep the process alive. */
  private forgetLater(): void {
    if (this.forgetting) this.forgetting.refresh();
    else
      this.forgetting = startTimer(() => {
        this.rates.clear();
        this.forgetting = null;
      }, this.forgottenAfterMs).unref();
  }
}

/** Both ends included. */
function clearSteps(kept: Float32Array, first: number, last: number): void {
  for (let step = Math.max(first, last - STEPS + 1); step <= last; step++) kept[step % STEPS] = NaN;
}

/** Three digits are enough for a chart, and shorter. */
function shortened(rate: number): number {
  return Number(rate.toPrecision(3));
}
