/** One assigned partition: its open file, its shipments in flight, and whether it is paused. */
import { type TopicPartition, settledWithin } from '@millrace/sdk';
import type { PartitionBatcher } from './batcher/partition-batcher';
import { Ownership } from './request/ownership';

export class AssignedPartition {
  readonly owner = new Ownership();
  readonly shipments = new Set<Promise<void>>();
  isPaused = false;
  /** The shipments of a topic that was deleted since: their records cannot be read again. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly id: TopicPartition,
    readonly batcher: PartitionBatcher,
  ) {}

  isFull(max: number): boolean {
    return this.shipments.size >= max;
  }
  hasRoom(max: number): boolean {
    return this.shipments.size <= Math.floor(max / 2);
  }

  /**
   * The next records are those of this topic; null: its id is unknown. If it is another topic than before, the open
   * file of that is shipped.
   */
  async readFrom(topicId: string | null): Promise<void> {
    if (await this.batcher.readFrom(topicId)) this.last = Promise.allSettled(this.shipments);
  }

  /** Waits for the shipments that cannot be repeated. */
  async finishLast(timeoutMs: number): Promise<void> {
    await settledWithin(this.last, timeoutMs, undefined);
  }

  /** Ships the open file and waits for all shipments in flight, at most `timeoutMs`. */
  async finish(timeoutMs: number): Promise<void> {
    await this.batcher.seal();
    await settledWithin(Promise.allSettled(this.shipments), timeoutMs, undefined);
  }

  /** Resolves when nothing is in flight. Offsets include what was delivered within `timeoutMs`. */
  async release(timeoutMs: number): Promise<void> {
    await this.owner.revoke(timeoutMs);
    await settledWithin(Promise.allSettled(this.shipments), timeoutMs, undefined);
  }

  /** Also discards the open file. */
  async close(timeoutMs: number): Promise<void> {
    await this.release(timeoutMs);
    await this.batcher.discard();
  }
}

export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
