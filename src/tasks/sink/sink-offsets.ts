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
  /** Last consumed offset + 1. */
  private readonly fetched = new PartitionMap<number>();
  /** Kafka may have a greater offset than `committed`. */
  private readonly restarted = new PartitionMap<true>();
  /** Their topics were deleted. */
  private readonly gone = new PartitionMap<true>();

  /** A newly assigned partition starts at the consumer's position. */
  start(partition: TopicPartition, position: number): void {
    this.current.set(partition, position);
    this.committed.set(partition, position);
    this.fetched.set(partition, position);
    this.gone.delete(partition);
  }

  /**
   * The next record of the partition is at `position`. True: that is before the last one, because the log is another
   * one than before. The topic was deleted and created again, or the log was truncated.
   */
  resume(partition: TopicPartition, position: number): boolean {
    const fetched = this.fetched.get(partition);
    if (fetched !== undefined && position >= fetched) return false;
    this.start(partition, position);
    if (fetched !== undefined) this.restarted.set(partition, true);
    return fetched !== undefined;
  }

  isStarted(partition: TopicPartition): boolean {
    return this.fetched.has(partition);
  }

  /** Nothing is committed before it has records again. */
  markGone(partition: TopicPartition): void {
    if (this.committed.has(partition)) this.gone.set(partition, true);
  }

  isGone(partition: TopicPartition): boolean {
    return this.gone.has(partition);
  }

  /** Returns how far the position moved. */
  markConsumed(partition: TopicPartition, next: number): number {
    const previous = this.fetched.get(partition) ?? next;
    this.fetched.set(partition, next);
    if (this.gone.size > 0) this.gone.delete(partition);
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
      this.restarted.delete(partition);
      this.gone.delete(partition);
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
    let changed = concerned.some((at) => this.restarted.has(at));
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
    const isNew = ({ offset, ...at }: TopicPartitionOffset): boolean =>
      offset !== this.committed.get(at) || this.restarted.has(at);
    return left.some(isNew) ? left : [];
  }

  markCommitted(offsets: readonly TopicPartitionOffset[]): void {
    for (const { topic, partition, offset } of offsets) {
      const at = { topic, partition };
      if (!this.committed.has(at)) continue;
      this.committed.set(at, offset);
      this.restarted.delete(at);
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
