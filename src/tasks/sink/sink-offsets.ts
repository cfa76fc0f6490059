/** Tracks processed and committed offsets of a sink task. Pure. Source: connect-runtime §5.5. */
import type { TopicPartition, TopicPartitionOffset } from '@millrace/sdk';
import { PartitionMap } from '../partition-map';

export interface CommitChoice {
  /** Empty: nothing new. */
  readonly offsets: readonly TopicPartitionOffset[];
  /** One sentence for each offset that was refused. */
  readonly warnings: readonly string[];
}

export class SinkOffsets {
  /** Last processed offset + 1. */
  private readonly current = new PartitionMap<number>();
  private readonly committed = new PartitionMap<number>();
  /** Last consumed offset + 1; for metrics only. */
  private readonly fetched = new PartitionMap<number>();

  /** A newly assigned partition starts at the consumer's position. */
  start(partition: TopicPartition, position: number): void {
    this.current.set(partition, position);
    this.committed.set(partition, position);
    this.fetched.set(partition, position);
  }

  /** The first record of a partition whose position was not known at assignment. */
  startIfUnknown(partition: TopicPartition, position: number): void {
    if (!this.committed.has(partition)) this.start(partition, position);
  }

  /** Returns how far the position moved. */
  markConsumed(partition: TopicPartition, next: number): number {
    const previous = this.fetched.get(partition) ?? next;
    this.fetched.set(partition, next);
    return next - previous;
  }

  /** Number of offsets consumed and not committed. */
  uncommitted(): number {
    let sum = 0;
    for (const [at, next] of this.fetched.entries()) sum += Math.max(0, next - (this.committed.get(at) ?? next));
    return sum;
  }

  markProcessed(partition: TopicPartition, next: number): void {
    this.current.set(partition, next);
  }

  forget(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) {
      this.current.delete(partition);
      this.committed.delete(partition);
      this.fetched.delete(partition);
    }
  }

  /** Given to `preCommit`. */
  processedOf(partitions: readonly TopicPartition[]): TopicPartitionOffset[] {
    return pick(this.current, partitions);
  }

  /** Resets to the committed offsets; returns where to seek. */
  rewind(partitions: readonly TopicPartition[]): TopicPartitionOffset[] {
    const back = pick(this.committed, partitions);
    for (const { topic, partition, offset } of back) {
      this.current.set({ topic, partition }, offset);
      this.fetched.set({ topic, partition }, offset);
    }
    return back;
  }

  /** Selects what to commit from the offsets that `preCommit` returned; `concerned` are this commit's partitions. */
  choose(
    returned: readonly TopicPartitionOffset[],
    concerned: readonly TopicPartition[],
    assigned: readonly TopicPartition[],
  ): CommitChoice {
    const warnings: string[] = [];
    const offsets = new PartitionMap<number>();
    for (const { topic, partition, offset } of pick(this.committed, concerned))
      offsets.set({ topic, partition }, offset);
    let changed = false;
    for (const { topic, partition, offset } of returned) {
      const at = { topic, partition };
      const current = this.current.get(at);
      if (!includes(assigned, at)) {
        warnings.push(`preCommit() returned an offset for ${topic}-${partition}, which is not assigned to this task`);
      } else if (current === undefined || offset > current) {
        warnings.push(
          `preCommit() returned offset ${offset} for ${topic}-${partition}, which is beyond what was processed (${current ?? 'nothing'})`,
        );
      } else if (includes(concerned, at)) {
        if (offset !== this.committed.get(at)) changed = true;
        offsets.set(at, offset);
      }
    }
    return { offsets: changed ? [...offsets.entries()].map(([at, offset]) => ({ ...at, offset })) : [], warnings };
  }

  /**
   * Limits the offsets to the lowest held offset (`first`) of each partition. Never goes back. Empty: nothing new is
   * left.
   */
  before(first: PartitionMap<number>, offsets: readonly TopicPartitionOffset[]): readonly TopicPartitionOffset[] {
    if (first.size === 0) return offsets;
    const left = offsets.map(({ topic, partition, offset }) => {
      const at = { topic, partition };
      const limit = Math.max(first.get(at) ?? offset, this.committed.get(at) ?? 0);
      return { topic, partition, offset: Math.min(offset, limit) };
    });
    return left.some(({ offset, ...at }) => offset !== this.committed.get(at)) ? left : [];
  }

  markCommitted(offsets: readonly TopicPartitionOffset[]): void {
    for (const { topic, partition, offset } of offsets) {
      if (this.committed.has({ topic, partition })) this.committed.set({ topic, partition }, offset);
    }
  }
}

export function includes(list: readonly TopicPartition[], { topic, partition }: TopicPartition): boolean {
  return list.some((p) => p.partition === partition && p.topic === topic);
}

function pick(map: PartitionMap<number>, partitions: readonly TopicPartition[]): TopicPartitionOffset[] {
  return partitions.flatMap(({ topic, partition }) => {
    const offset = map.get({ topic, partition });
    return offset === undefined ? [] : [{ topic, partition, offset }];
  });
}
