/**
 * Offsets of failed records that commits must not pass: the report is not written yet, or the record fails the task.
 * Pure.
 */
import type { TopicPartitionOffset } from '@millrace/sdk';
import type { Consumed } from './failed-record';
import { PartitionMap } from '../partition-map';

/** Of a record as consumed. */
type Position = Pick<Consumed, 'topic' | 'partition'> & { readonly record: { readonly offset: number } };

/** Keeps only the record's position. */
export interface Hold extends TopicPartitionOffset {
  /** By `performance.now()`. */
  readonly since: number;
}

export class OffsetHolds {
  /** Oldest first. */
  private readonly holds = new Set<Hold>();

  add({ topic, partition, record }: Position): Hold {
    const hold = { topic, partition, offset: record.offset, since: performance.now() };
    this.holds.add(hold);
    return hold;
  }

  release(hold: Hold): void {
    this.holds.delete(hold);
  }

  get size(): number {
    return this.holds.size;
  }

  /** Age of the oldest hold in milliseconds; 0: none. */
  get ageMs(): number {
    for (const { since } of this.holds) return performance.now() - since;
    return 0;
  }

  /** The lowest held offset of each partition. */
  lowestOffsets(): PartitionMap<number> {
    const first = new PartitionMap<number>();
    for (const hold of this.holds) first.set(hold, Math.min(hold.offset, first.get(hold) ?? hold.offset));
    return first;
  }
}
