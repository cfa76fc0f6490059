/** A commit of group offsets that is not confirmed yet, and the callers that wait for it. No I/O. */
import { KafkaError } from '../errors';
import type { TopicPartition } from '../port';
import type { MemberIdentity } from '../protocol/group-membership';
import type { CommittedOffset } from '../protocol/group-offsets';
import { partitionName } from '../protocol/offset-lookup';

interface Waiter {
  resolve(gone: readonly TopicPartition[]): void;
  reject(error: unknown): void;
}

export class PendingCommit {
  readonly done: Promise<readonly TopicPartition[]>;
  /** Not confirmed, by partition. */
  private readonly offsets: Map<string, CommittedOffset>;
  private waiters: Waiter[] = [];
  private gone: TopicPartition[] = [];

  constructor(
    readonly identity: MemberIdentity,
    readonly generation: number,
    offsets: readonly CommittedOffset[],
  ) {
    this.offsets = new Map(offsets.map((offset) => [partitionName(offset), offset]));
    this.done = new Promise((resolve, reject) => this.waiters.push({ resolve, reject }));
  }

  /**
   * Includes an earlier commit; its callers wait for this one. False if it is of an ended generation: its callers are
   * rejected.
   */
  replace(earlier: PendingCommit): boolean {
    if (earlier.generation !== this.generation || earlier.identity.memberId !== this.identity.memberId) {
      const text = `Offsets of group '${earlier.identity.groupId}' were not committed before generation ${earlier.generation} ended`;
      earlier.reject(new KafkaError('ILLEGAL_GENERATION', text));
      return false;
    }
    for (const [name, offset] of earlier.offsets) if (!this.offsets.has(name)) this.offsets.set(name, offset);
    this.gone.push(...earlier.gone.filter((partition) => !this.has(partition)));
    this.waiters.push(...earlier.waiters.splice(0));
    return true;
  }

  left(): CommittedOffset[] {
    return [...this.offsets.values()];
  }

  /** Of the topic that the offset belongs to. */
  topicId(partition: TopicPartition): string | undefined {
    return this.offsets.get(partitionName(partition))?.topicId;
  }

  has(partition: TopicPartition): boolean {
    return this.offsets.has(partitionName(partition));
  }

  /** All others are committed. */
  keep(failed: readonly TopicPartition[]): void {
    const names = new Set(failed.map(partitionName));
    for (const name of this.offsets.keys()) if (!names.has(name)) this.offsets.delete(name);
  }

  drop(partitions: readonly TopicPartition[]): void {
    for (const { topic, partition } of partitions)
      if (this.offsets.delete(partitionName({ topic, partition }))) this.gone.push({ topic, partition });
  }

  resolve(): void {
    for (const waiter of this.waiters.splice(0)) waiter.resolve(this.gone);
  }

  reject(error: unknown): void {
    for (const waiter of this.waiters.splice(0)) waiter.reject(error);
  }
}
