import type { PartitionQueue } from './partition-queue';
import type { KafkaError } from '../errors';
import type { ProducerBatch } from './producer-batch';

/**
 * Under which producer id, and whether yet, a partition's batches may be sent: without idempotence at once, with it
 * under an id of the broker, inside a transaction after the partition was added to it.
 */
export interface SendPermit {
  readonly transactional: boolean;
  /** Set when what is buffered must not be sent any more: each batch fails with it. */
  readonly abandoned: KafkaError | null;
  /** Sets the queue's identity. False: not yet; the implementation calls the sender when that changes. */
  admit(queue: PartitionQueue): boolean;
  /**
   * The broker's sequence and ours differ, so it does not have the batch. True: send it again under the queue's new
   * identity.
   */
  onSequenceLost(queue: PartitionQueue, batch: ProducerBatch): boolean;
  /** The batch is given up. Its sequence numbers may or may not be taken, see `mayBeAppended`. */
  onBatchFailed(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void;
}

export const withoutIdempotence: SendPermit = {
  transactional: false,
  abandoned: null,
  admit: () => true,
  onSequenceLost: () => false,
  onBatchFailed: () => undefined,
};
