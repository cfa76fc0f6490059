/**
 * Since when the server's WAL has something that is not delivered. PostgreSQL does not tell the time of a position, so
 * the end of the WAL is sampled. The number of samples is bounded, however long nothing is delivered.
 */
import type { Lsn } from '../database/lsn';

interface Sample {
  readonly end: Lsn;
  readonly at: number;
}

const MAX_SAMPLES = 512;

export class WalLag {
  private samples: Sample[] = [];

  /**
   * @param end of the WAL
   * @param delivered everything before it is delivered
   * @param now milliseconds since the epoch
   * @returns the time when the WAL had something beyond `delivered` for the first time; 0: it has nothing
   */
  since(end: Lsn, delivered: Lsn, now: number): number {
    const newest = this.samples.at(-1);
    if (newest === undefined || end > newest.end) this.samples.push({ end, at: now });
    const first = this.samples.findIndex((sample) => sample.end > delivered);
    this.samples = first < 0 ? [] : this.samples.slice(first);
    if (this.samples.length > MAX_SAMPLES) this.samples = this.samples.filter((_, i) => i % 2 === 0);
    return this.samples[0]?.at ?? 0;
  }
}
