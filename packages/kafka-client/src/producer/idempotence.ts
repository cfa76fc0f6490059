import type { PartitionQueue } from './partition-queue';
import type { KafkaError } from '../errors';
import type { ProducerBatch } from './producer-batch';

/**
 * Assigns producer ids and decides when batches may be sent: without idempotence at once, with idempotence when the
 * broker has assigned a producer id, in a transaction when the partition was added to it.
 */
export interface Idempotence {
  readonly transactional: boolean;
  /** Set when buffered batches must no longer be sent: they fail with this error. */
  readonly abandoned: KafkaError | null;
  /** Sets the queue's producer id and epoch. False: none yet; the implementation wakes the sender later. */
  tryAssignIdentity(queue: PartitionQueue): boolean;
  /**
   * The broker expected another sequence number although it has acknowledged every earlier batch, so it does not have
   * this one. True: resend it, and those after it, under the queue's new identity.
   */
  onSequenceLost(queue: PartitionQueue, batch: ProducerBatch): boolean;
  /** The batch failed. The broker may have used its sequence numbers, see `mayBeAppended`. */
  onBatchFailed(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void;
}

export const withoutIdempotence: Idempotence = {
  transactional: false,
  abandoned: null,
  tryAssignIdentity: () => true,
  onSequenceLost: () => false,
  onBatchFailed: () => undefined,
};
