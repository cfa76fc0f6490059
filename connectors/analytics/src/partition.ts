/** One assigned partition: its open file, what is under way, and whether it is paused. */
import { setMaxListeners } from 'node:events';
import type { TopicPartition } from '@millrace/sdk';
import type { PartitionBatcher } from './batcher/partition-batcher';

export class AssignedPartition {
  /** Ends everything under way when the partition is given away. */
  readonly aborter = new AbortController();
  readonly shipments = new Set<Promise<void>>();
  isPaused = false;

  constructor(
    readonly id: TopicPartition,
    readonly batcher: PartitionBatcher,
  ) {
    // Each file under way listens.
    setMaxListeners(0, this.aborter.signal);
  }

  /** Full: enough files wait. */
  isFull(most: number): boolean {
    return this.shipments.size >= most;
  }
  hasRoom(most: number): boolean {
    return this.shipments.size <= Math.floor(most / 2);
  }

  /** Resolves when nothing of it is under way any more and its open file is gone. */
  async close(timeoutMs: number): Promise<void> {
    this.aborter.abort(new Error('the partition was given away'));
    const settled = Promise.allSettled(this.shipments);
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, timeoutMs).unref())]);
    await this.batcher.discard();
  }
}

export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
