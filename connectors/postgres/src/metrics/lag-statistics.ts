/**
 * Minimum, maximum, average and percentiles of lags since the start of the task. A histogram with sixteen buckets per
 * power of two: its memory is fixed, and a percentile is at most a sixteenth too low.
 */

/** Values below it have buckets of their own. */
const EXACT = 32;
const PER_POWER = 16;
const POWERS = 26;
const LARGEST = 2 ** 31 - 1;

export class LagStatistics {
  private readonly buckets = new Float64Array(EXACT + PER_POWER * POWERS);
  private count = 0;
  private sum = 0;
  private least = Infinity;
  private most = 0;

  /** @param ms not negative @param times number of events with this lag */
  record(ms: number, times: number): void {
    const value = Math.min(LARGEST, Math.floor(ms));
    const at = bucketOf(value);
    this.buckets[at] = (this.buckets[at] ?? 0) + times;
    this.count += times;
    this.sum += ms * times;
    if (ms < this.least) this.least = ms;
    if (ms > this.most) this.most = ms;
  }

  /** The following are -1 before the first value. */
  get minimum(): number {
    return this.count === 0 ? -1 : this.least;
  }
  get maximum(): number {
    return this.count === 0 ? -1 : this.most;
  }
  get average(): number {
    return this.count === 0 ? -1 : this.sum / this.count;
  }

  /** @param share from 0 to 1 */
  percentile(share: number): number {
    if (this.count === 0) return -1;
    let left = Math.max(1, Math.ceil(this.count * share));
    for (let i = 0; i < this.buckets.length; i++) {
      left -= this.buckets[i] ?? 0;
      if (left <= 0) return Math.min(this.most, Math.max(this.least, lowestOf(i)));
    }
    return this.most;
  }
}

function bucketOf(value: number): number {
  if (value < EXACT) return value;
  const power = 31 - Math.clz32(value);
  return EXACT + (power - 5) * PER_POWER + ((value >> (power - 4)) & (PER_POWER - 1));
}

function lowestOf(bucket: number): number {
  if (bucket < EXACT) return bucket;
  const power = 5 + Math.floor((bucket - EXACT) / PER_POWER);
  return 2 ** power + ((bucket - EXACT) % PER_POWER) * 2 ** (power - 4);
}
