/**
 * Stores the offsets of acknowledged records from time to time. After a crash, records whose offsets are not stored yet
 * are read again. Source: connect-runtime §4.3, §4.4, §4.7.
 */
import { settledWithin, type SourceOffset, type SourcePartition, type SourceRecord } from '@millrace/sdk';
import type { KafkaError, DeliveryCallback, Producer } from '@millrace/kafka-client';
import type { ErrorPolicy } from '../errors/error-policy';
import type { DeliveredRecords } from './delivered-records';
import type { OffsetCommitter } from './offset-committer';
import type { OffsetTracker } from './offset-tracker';
import { PendingRecords } from './pending-records';
import type { SourceDelivery } from './source-delivery';
import { storeOffset } from './stored-offset';

const PRODUCER_CLASS = 'org.apache.kafka.clients.producer.KafkaProducer';

export interface AtLeastOnceOptions {
  readonly producer: Producer;
  readonly tracker: OffsetTracker;
  readonly committer: OffsetCommitter;
  readonly policy: ErrorPolicy;
  readonly delivered: DeliveredRecords;
  /** Records are needed after their delivery. */
  readonly keepRecords: boolean;
  /** Limit of the last commit. Milliseconds. */
  readonly flushTimeoutMs: number;
  /** A failure is set. */
  onFailure(): void;
}

export class AtLeastOnceDelivery implements SourceDelivery {
  readonly exactlyOnce = false;
  readonly requests = null;
  failure: KafkaError | null = null;
  /** Only where records are needed after delivery: tokens then number these, otherwise the tracker's slots. */
  private readonly pending: PendingRecords | null;
  private cancelled = false;
  private inBatch = false;
  private batchEnded: (() => void)[] = [];

  constructor(private readonly options: AtLeastOnceOptions) {
    this.pending = options.keepRecords ? new PendingRecords() : null;
  }

  async open(): Promise<void> {}

  started(): void {
    this.options.committer.start();
  }

  ready(): null {
    this.inBatch = true;
    return null;
  }

  add(polled: SourceRecord): number {
    const slot = this.options.tracker.add(polled.sourcePartition, polled.sourceOffset);
    return this.pending ? this.pending.add(polled, slot) : slot;
  }

  private slotOf(token: number): number {
    return this.pending === null ? token : this.pending.slot(token);
  }

  sent(): null {
    return null;
  }

  withdraw(token: number): void {
    this.options.tracker.withdraw(this.slotOf(token));
    this.pending?.remove(token);
  }

  refuse(error: KafkaError, token: number): void {
    const slot = this.options.tracker.part(this.slotOf(token));
    this.onSendFailure(error, slot, this.pending?.remove(token) ?? null);
  }

  /**
   * The record is not sent, so its offset is acknowledged at once. In Java the offset stays until a later record of the
   * partition is delivered: a source whose records are all filtered would read them again after each restart, and
   * could never release them.
   */
  skip(polled: SourceRecord): null {
    const { tracker, delivered } = this.options;
    tracker.acknowledge(tracker.add(polled.sourcePartition, polled.sourceOffset));
    delivered.countSkipped();
    delivered.notifyTask(polled, null);
    return null;
  }

  endBatch(): null {
    this.inBatch = false;
    this.options.tracker.endBatch();
    for (const resolve of this.batchEnded.splice(0)) resolve();
    return null;
  }

  /** Offsets of the records before this one may still be stored. */
  endAt(next: SourceRecord): void {
    this.options.tracker.announce(next.sourcePartition, next.sourceOffset);
  }

  pause(): null {
    return null;
  }

  resume(): void {}

  forgetTopic(topic: string): void {
    this.options.delivered.forgetTopic(topic);
  }

  async storeOffset(partition: SourcePartition, offset: SourceOffset | null, signal: AbortSignal): Promise<void> {
    // Otherwise it, or the offset that the rest of the batch shares with its first records, would be stored too early.
    if (this.inBatch) await this.untilBatchEnds(signal);
    await storeOffset({ ...this.options, signal, partition, offset });
  }

  /** Rejects with the signal's reason. */
  private async untilBatchEnds(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const aborted = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', aborted, { once: true });
      this.batchEnded.push(() => {
        signal.removeEventListener('abort', aborted);
        resolve();
      });
    });
  }

  /** Acknowledged offsets are stored while the task can still confirm them to its source. */
  async finish(): Promise<void> {
    const { committer, producer, flushTimeoutMs } = this.options;
    await committer.stop();
    if (this.cancelled) return;
    await settledWithin(producer.flush(), flushTimeoutMs, undefined).catch(() => undefined);
    await committer.commit(flushTimeoutMs);
  }

  get isCancelled(): boolean {
    return this.cancelled;
  }

  cancel(): void {
    this.cancelled = true;
    void this.options.committer.stop();
  }

  readonly onDelivery: DeliveryCallback = (error, token, topic, partition, offset) => {
    const slot = this.slotOf(token);
    const record = this.pending?.remove(token) ?? null;
    if (error !== null) {
      this.onSendFailure(error, slot, record);
      return;
    }
    this.options.delivered.countAcknowledged(topic);
    this.options.tracker.acknowledge(slot);
    if (record) this.options.delivered.notifyTask(record, { topic, partition, offset });
  };

  /** Without tolerance the record is not acknowledged: committed offsets must never pass it. */
  private onSendFailure(error: KafkaError, slot: number, record: SourceRecord | null): void {
    const { policy, tracker, delivered } = this.options;
    // The outcome is unknown: the record is polled again after the restart.
    if (error.code === 'PRODUCER_CLOSED') return;
    if (!policy.tolerant) {
      this.failure ??= error;
      this.options.onFailure();
      return;
    }
    void policy.report({
      stage: 'KAFKA_PRODUCE',
      className: PRODUCER_CLASS,
      error,
      ...(record ? { source: record } : {}),
    });
    if (record) delivered.notifyTask(record, null);
    tracker.acknowledge(slot);
    delivered.countSkipped();
  }
}
