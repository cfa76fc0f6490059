import type { PartitionQueue } from './partition-queue';
import type { KafkaError } from '../errors';
import type { ProducerBatch } from './producer-batch';
import type { Idempotence } from './idempotence';

/** Epochs are int16; the largest is not used, as in Java. */
const MAX_EPOCH = 32_766;

export interface ProducerIdAndEpoch {
  readonly producerId: number;
  readonly epoch: number;
}

/**
 * Producer ids of an idempotent producer without transactions. Brokers keep sequences per partition, so when the
 * sequences of a partition are in doubt only that partition moves to the next epoch, with sequence 0.
 */
export class IdempotentProducerIds implements Idempotence {
  readonly transactional = false;
  abandoned: KafkaError | null = null;
  /** The broker has no producer id for a producer that can do without. */
  private refused = false;
  private current: ProducerIdAndEpoch | null = null;
  private initializing: Promise<void> | null = null;

  /**
   * @param initProducerId InitProducerId with retries; rejects when the producer is closed or for a fatal error.
   * @param wake called when partitions that wait for a producer id can be sent, or must fail.
   */
  constructor(
    private readonly initProducerId: () => Promise<ProducerIdAndEpoch>,
    private readonly wake: () => void,
    /** False: records are sent without an id until the broker has assigned one, if ever. */
    private readonly isRequired = true,
  ) {}

  /** Rejects with the error of `initProducerId`. */
  obtain(): Promise<void> {
    this.initializing ??= this.initProducerId()
      .then((current) => {
        this.current = current;
        this.wake();
      })
      .finally(() => (this.initializing = null));
    return this.initializing;
  }

  tryAssignIdentity(queue: PartitionQueue): boolean {
    if (queue.producerId >= 0 || this.refused) return true;
    if (this.current === null) {
      this.obtainInBackground();
      return !this.isRequired;
    }
    // Batches that the broker may have without an id keep having none.
    if (this.isRequired || queue.sent.length === 0) queue.useIdentity(this.current.producerId, this.current.epoch);
    return true;
  }

  private obtainInBackground(): void {
    this.obtain().catch((error: unknown) => {
      if (this.isRequired) this.abandoned = error as KafkaError;
      else this.refused = true;
      this.wake();
    });
  }

  onSequenceLost(queue: PartitionQueue, batch: ProducerBatch): boolean {
    if (batch.identity === null || queue.isCurrent(batch)) this.bumpEpoch(queue);
    batch.identity = null;
    batch.mayBeAppended = false;
    return true;
  }

  onBatchFailed(queue: PartitionQueue, batch: ProducerBatch): void {
    if (!batch.mayBeAppended) queue.rollBackSequence(batch);
    else if (queue.hasLater(batch)) queue.keepSequence();
    else this.bumpEpoch(queue);
  }

  private bumpEpoch(queue: PartitionQueue): void {
    if (queue.producerId < 0) return;
    if (queue.epoch < MAX_EPOCH) return queue.useIdentity(queue.producerId, queue.epoch + 1);
    if (this.current?.producerId === queue.producerId) this.current = null;
    queue.useIdentity(-1, -1);
  }
}
