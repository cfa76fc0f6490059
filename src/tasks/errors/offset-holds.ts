/**
 * Offsets of failed records that commits must not pass: the report is not written yet, or the task fails because of the
 * record. Pure.
 */
import type { TopicPartitionOffset } from '@millrace/sdk';
import type { Consumed } from './failed-record';
import { PartitionMap } from '../partition-map';

/** Keeps nothing of the record but where it lies. */
export interface Hold extends TopicPartitionOffset {
  /** By `performance.now()`. */
  readonly since: number;
}

export class OffsetHolds {
  /** The oldest first. */
  private readonly holds = new Set<Hold>();

  add({ topic, partition, record }: Consumed): Hold {
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

  /** Milliseconds since the oldest began; 0: there is none. */
  get ageMs(): number {
    for (const { since } of this.holds) return performance.now() - since;
    return 0;
  }

  /** The first one of each partition. */
  first(): PartitionMap<number> {
    const first = new PartitionMap<number>();
    for (const hold of this.holds) first.set(hold, Math.min(hold.offset, first.get(hold) ?? hold.offset));
    return first;
  }
}
