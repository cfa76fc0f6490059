/** One assigned partition: its open file, what is under way, and whether it is paused. */
import { type TopicPartition, settledWithin } from '@millrace/sdk';
import type { PartitionBatcher } from './batcher/partition-batcher';
import { Ownership } from './request/ownership';

export class AssignedPartition {
  readonly owner = new Ownership();
  readonly shipments = new Set<Promise<void>>();
  isPaused = false;

  constructor(
    readonly id: TopicPartition,
    readonly batcher: PartitionBatcher,
  ) {}

  /** Full: enough files wait. */
  isFull(most: number): boolean {
    return this.shipments.size >= most;
  }
  hasRoom(most: number): boolean {
    return this.shipments.size <= Math.floor(most / 2);
  }

  /** Ships the open file and waits for all that is under way. */
  async finish(timeoutMs: number): Promise<void> {
    await this.batcher.seal();
    await settledWithin(Promise.allSettled(this.shipments), timeoutMs, undefined);
  }

  /** Resolves when nothing of it is under way any more and, if it was in time, its offsets tell of it. */
  async release(timeoutMs: number): Promise<void> {
    await this.owner.revoke(timeoutMs);
    await settledWithin(Promise.allSettled(this.shipments), timeoutMs, undefined);
  }

  /** Its open file is gone, too. */
  async close(timeoutMs: number): Promise<void> {
    await this.release(timeoutMs);
    await this.batcher.discard();
  }
}

export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
