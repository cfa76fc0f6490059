/**
 * What was returned to the worker and is not stored yet: how long ago, and how old its changes are. Sampled, so that
 * its size is bounded however long Kafka is unavailable.
 */
import type { SourceOffset } from '@millrace/sdk';
import { offsetLsn, type Lsn } from '../database/lsn';

interface Batch {
  /** Position of its last record: the transactions before, and the ordinal in its own one. */
  readonly commit: Lsn;
  readonly index: number;
  /** When it was returned. */
  readonly at: number;
  /** Commit time of its changes. */
  readonly committedAt: number;
}

/** Between two samples; the last batch is always known. */
const EVERY_MS = 100;
const MAX_SAMPLES = 512;

export class Delivery {
  private samples: Batch[] = [];
  private last: Batch | null = null;

  /** A batch was returned. Times are milliseconds since the epoch. */
  returned(offset: SourceOffset, committedAt: number, at: number): void {
    this.last = { commit: commitOf(offset), index: indexOf(offset), at, committedAt };
    const newest = this.samples[this.samples.length - 1];
    if (newest !== undefined && at - newest.at < EVERY_MS) return;
    if (this.samples.length >= MAX_SAMPLES) this.samples = this.samples.filter((_, i) => i % 2 === 0);
    this.samples.push(this.last);
  }

  /** The offset is stored, and so are all before it. */
  stored(offset: SourceOffset): void {
    const commit = commitOf(offset);
    const index = indexOf(offset);
    const isStored = (batch: Batch): boolean =>
      commit > batch.commit || (commit === batch.commit && index >= batch.index);
    if (this.last !== null && isStored(this.last)) {
      this.last = null;
      this.samples = [];
      return;
    }
    const kept = this.samples.findIndex((batch) => !isStored(batch));
    this.samples = kept < 0 ? [] : this.samples.slice(kept);
  }

  /** All records returned are stored. */
  get complete(): boolean {
    return this.last === null;
  }

  /** When the oldest batch that is not stored was returned; 0: there is none. */
  get oldestReturned(): number {
    return (this.samples[0] ?? this.last)?.at ?? 0;
  }

  /** When the oldest change that is not stored was committed; 0: there is none. */
  get oldestCommitted(): number {
    return (this.samples[0] ?? this.last)?.committedAt ?? 0;
  }
}

function commitOf(offset: SourceOffset): Lsn {
  return offsetLsn(offset.lsn_commit) ?? 0;
}

function indexOf(offset: SourceOffset): number {
  return typeof offset.tx_event_index === 'number' ? offset.tx_event_index : 0;
}
