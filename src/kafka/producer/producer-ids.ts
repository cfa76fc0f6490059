import type { PartitionQueue } from './partition-queue';
import type { KafkaError } from '../errors';
import type { ProducerBatch } from './producer-batch';
import type { SendPermit } from './idempotence';

/** Epochs are int16; the last one is not used, as in Java. */
const LAST_EPOCH = 32_766;

export interface GivenProducerId {
  readonly producerId: number;
  readonly epoch: number;
}

/**
 * Identities of an idempotent producer without transactions. Brokers keep sequences per partition, so when one
 * partition's are in doubt only that partition moves on to the next epoch, beginning at sequence 0.
 */
export class IdempotentProducerIds implements SendPermit {
  readonly transactional = false;
  abandoned: KafkaError | null = null;
  private given: GivenProducerId | null = null;
  private asking: Promise<void> | null = null;

  /**
   * @param ask InitProducerId with retries; rejects only when the producer is closed or can never get one.
   * @param wake called when partitions that waited for an id may go on, or fail.
   */
  constructor(
    private readonly ask: () => Promise<GivenProducerId>,
    private readonly wake: () => void,
  ) {}

  /** @throws what `ask` rejects with. */
  obtain(): Promise<void> {
    this.asking ??= this.ask()
      .then((given) => {
        this.given = given;
        this.wake();
      })
      .finally(() => (this.asking = null));
    return this.asking;
  }

  admit(queue: PartitionQueue): boolean {
    if (queue.producerId >= 0) return true;
    if (this.given === null) {
      this.obtain().catch((error: unknown) => {
        this.abandoned = error as KafkaError;
        this.wake();
      });
      return false;
    }
    queue.useIdentity(this.given.producerId, this.given.epoch);
    return true;
  }

  onSequenceLost(queue: PartitionQueue, batch: ProducerBatch): boolean {
    this.moveOn(queue);
    batch.identity = null;
    batch.mayBeAppended = false;
    return true;
  }

  onBatchFailed(queue: PartitionQueue, batch: ProducerBatch): void {
    if (batch.mayBeAppended) this.moveOn(queue);
    else queue.takeBackSequence(batch);
  }

  private moveOn(queue: PartitionQueue): void {
    if (queue.epoch < LAST_EPOCH) return queue.useIdentity(queue.producerId, queue.epoch + 1);
    if (this.given?.producerId === queue.producerId) this.given = null;
    queue.useIdentity(-1, -1);
  }
}
