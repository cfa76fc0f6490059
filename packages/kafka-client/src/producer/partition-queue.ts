import type { ProducerBatch } from './producer-batch';
import type { TopicPartition } from '../port';

/** Sequence numbers are non-negative int32 and wrap to 0. */
export function advanceSequence(sequence: number, records: number): number {
  return (sequence + records) % 2_147_483_648;
}

/** The batches of one partition, in order: at most one in flight, then the closed ones, then the open one. */
export class PartitionQueue implements TopicPartition {
  inFlight: ProducerBatch | null = null;
  readonly closed: ProducerBatch[] = [];
  open: ProducerBatch | null = null;
  /** Nothing is sent before this time of `performance.now()`. */
  retryAt = 0;
  /** Size of the last batch, as the expected size of the next. */
  sizeHint = 0;

  /** Identity of the next new batch; the id is -1 before one was assigned. */
  producerId = -1;
  epoch = -1;
  nextSequence = 0;

  constructor(
    readonly topic: string,
    readonly partition: number,
    /** Lowered when the broker rejects a batch as too large. */
    public maxBatchBytes: number,
  ) {}

  get head(): ProducerBatch | null {
    return this.closed[0] ?? this.open;
  }

  useIdentity(producerId: number, epoch: number): void {
    if (this.producerId === producerId && this.epoch === epoch) return;
    this.producerId = producerId;
    this.epoch = epoch;
    this.nextSequence = 0;
  }

  /** Assigns the batch its identity and sequence, once; retries keep them. */
  assignIdentity(batch: ProducerBatch, transactional: boolean): void {
    if (batch.identity !== null) return;
    if (this.producerId < 0) {
      batch.identity = { producerId: -1, epoch: -1, baseSequence: -1, transactional: false };
      return;
    }
    batch.identity = {
      producerId: this.producerId,
      epoch: this.epoch,
      baseSequence: this.nextSequence,
      transactional,
    };
    this.nextSequence = advanceSequence(this.nextSequence, batch.recordCount);
  }

  /** The broker does not have the batch: its sequence numbers are reused for the next one. */
  rollBackSequence(batch: ProducerBatch): void {
    if (batch.identity === null) return;
    if (batch.identity.producerId === this.producerId && batch.identity.epoch === this.epoch && this.producerId >= 0) {
      this.nextSequence = batch.identity.baseSequence;
    }
    batch.identity = null;
  }
}
