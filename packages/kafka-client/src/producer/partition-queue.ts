import type { StickyPartition } from './partitioner';
import type { ProducerBatch } from './producer-batch';
import type { TopicPartition } from '../port';

const SEQUENCES = 2_147_483_648;
/**
 * A broker that has forgotten a producer, or never knew it, accepts any sequence number: if the first of two batches
 * fails there, the second is stored before it. So batches follow one another only where an acknowledgement is this
 * recent. Brokers keep producers for a day unless told otherwise. Milliseconds.
 */
const KNOWN_TO_BROKER_MS = 60_000;

/** Sequence numbers are non-negative int32 and wrap to 0. */
export function advanceSequence(sequence: number, records: number): number {
  return (sequence + records) % SEQUENCES;
}

/** The batches of one partition, in order: those that were sent, then the closed ones, then the open one. */
export class PartitionQueue implements TopicPartition {
  /** Not reported yet: in flight, waiting for a retry, or with an outcome behind one without. */
  readonly sent: ProducerBatch[] = [];
  readonly closed: ProducerBatch[] = [];
  open: ProducerBatch | null = null;
  /** How many of `sent` are in flight. */
  inFlight = 0;
  /** Number of the request with its latest batch. */
  request = 0;
  /** Nothing is sent before this time of `performance.now()`. */
  retryAt = 0;
  /** Size of the last batch, as the expected size of the next. */
  sizeHint = 0;

  /** Identity of the next new batch; the id is -1 before one was assigned. */
  producerId = -1;
  epoch = -1;
  nextSequence = 0;
  /** When the broker last acknowledged a batch of this identity. Time of `performance.now()`. */
  private acknowledgedAt = -Infinity;
  /** The first sequence number of a failed batch that the broker does not have, while later ones have no outcome. */
  private unusedFrom: number | null = null;

  constructor(
    readonly topic: string,
    readonly partition: number,
    /** Lowered when the broker rejects a batch as too large. */
    public maxBatchBytes: number,
    /** Bytes that a request with one batch has before it. */
    readonly headroom = 0,
    /** Of its topic. */
    readonly sticky: StickyPartition | null = null,
  ) {}

  /** The first batch without an outcome. Only while none is in flight. */
  get head(): ProducerBatch | null {
    return this.sent[0] ?? this.closed[0] ?? this.open;
  }

  /**
   * The batch to send next; null: none, or it must wait for those in flight. A retry waits for all earlier ones, so
   * that it is in order whatever happens to them. A new batch follows others only if it is closed, that is full.
   * @param limit of batches without an outcome
   */
  next(now: number, limit: number): ProducerBatch | null {
    const { sent } = this;
    if (sent.length === 0) return this.head;
    let areCurrent = true;
    for (let i = 0, earlier = 0; i < sent.length; i++) {
      const batch = sent[i]!;
      if (batch.inFlight) {
        earlier++;
        areCurrent &&= this.isCurrent(batch);
      } else if (batch.outcome === null) return earlier === 0 ? batch : null;
    }
    if (sent.length >= limit || this.producerId < 0 || !areCurrent) return null;
    if (now - this.acknowledgedAt > KNOWN_TO_BROKER_MS) return null;
    return this.closed[0] ?? null;
  }

  /** @param batch from `next`, and not the open one */
  sending(batch: ProducerBatch): void {
    batch.isFirst = this.sent.length === 0 || this.sent[0] === batch;
    if (this.closed[0] === batch) {
      this.closed.shift();
      this.sent.push(batch);
    }
    batch.inFlight = true;
    batch.attempts++;
    this.inFlight++;
  }

  /** The attempt has ended. */
  returned(batch: ProducerBatch): void {
    batch.inFlight = false;
    this.inFlight--;
  }

  /** The broker has the batch. */
  acknowledged(batch: ProducerBatch, now: number): void {
    this.unusedFrom = null;
    if (this.isCurrent(batch)) this.acknowledgedAt = now;
  }

  /** Replaces a batch that is not in flight by parts with the same records, and thus the same sequence numbers. */
  replace(batch: ProducerBatch, parts: readonly ProducerBatch[]): void {
    this.sent.splice(this.sent.indexOf(batch), 1, ...parts);
    const { identity } = batch;
    if (identity === null) return;
    let sequence = identity.baseSequence;
    for (const part of parts) {
      part.identity = { ...identity, baseSequence: sequence };
      if (sequence >= 0) sequence = advanceSequence(sequence, part.recordCount);
    }
  }

  /** A batch that cannot be sent. */
  remove(batch: ProducerBatch): void {
    for (const list of [this.sent, this.closed]) {
      const at = list.indexOf(batch);
      if (at >= 0) list.splice(at, 1);
    }
  }

  useIdentity(producerId: number, epoch: number): void {
    if (this.producerId === producerId && this.epoch === epoch) return;
    this.producerId = producerId;
    this.epoch = epoch;
    this.nextSequence = 0;
    this.acknowledgedAt = -Infinity;
    this.unusedFrom = null;
  }

  /** Assigns the batch its identity and sequence. Retries keep them, unless the queue's identity has changed. */
  assignIdentity(batch: ProducerBatch, transactional: boolean): void {
    if (this.isCurrent(batch)) return;
    const { producerId, epoch } = this;
    if (producerId < 0) {
      batch.identity = { producerId: -1, epoch: -1, baseSequence: -1, transactional: false };
      return;
    }
    batch.identity = { producerId, epoch, baseSequence: this.nextSequence, transactional };
    this.nextSequence = advanceSequence(this.nextSequence, batch.recordCount);
  }

  isCurrent({ identity }: ProducerBatch): boolean {
    return identity !== null && identity.producerId === this.producerId && identity.epoch === this.epoch;
  }

  /** Whether batches after this one were sent and have no outcome. */
  hasLater(batch: ProducerBatch): boolean {
    return this.sent.slice(this.sent.indexOf(batch) + 1).some(({ outcome }) => outcome === null);
  }

  /**
   * The batch failed and the broker does not have it: its sequence numbers are used again, unless later batches wait
   * for their outcome. The broker refuses those, because they are out of order.
   */
  rollBackSequence(batch: ProducerBatch): void {
    if (this.producerId < 0 || !this.isCurrent(batch)) return;
    this.unusedFrom ??= batch.identity!.baseSequence;
    if (this.hasLater(batch)) return;
    this.nextSequence = this.unusedFrom;
    this.unusedFrom = null;
  }

  /** The batch failed, and the broker may have it. Later ones without an outcome will show whether it does. */
  keepSequence(): void {
    this.unusedFrom = null;
  }
}
