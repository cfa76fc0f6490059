/**
 * What becomes of a source task's records: how their offsets are stored, and when the task is notified.
 * Implementations: at-least-once-delivery.ts and exactly-once-delivery.ts. A promise means that the loop must wait;
 * null, the usual case, that it need not.
 */
import type { SourceOffset, SourcePartition, SourceRecord, TransactionRequests } from '@millrace/sdk';
import type { DeliveryCallback, KafkaError } from '@millrace/kafka-client';

export interface SourceDelivery {
  readonly exactlyOnce: boolean;
  /** Null unless the connector defines its transactions. */
  readonly requests: TransactionRequests | null;
  /** Fails the task. */
  readonly failure: Error | null;
  /** For `send` of the producer. */
  readonly onDelivery: DeliveryCallback;

  /** Once, after the producer has connected and before the plugin's task starts. Returns early when it is stopped. */
  open(): Promise<void>;
  /** The plugin's task has started. */
  started(): void;
  /** Before the first record of a batch, and of the rest of one, is sent. */
  ready(): Promise<void> | null;
  /** Before a record is sent to a topic. Returns the token for `onDelivery`. */
  add(polled: SourceRecord, topic: string): number;
  /** The producer has accepted the record that was added last. */
  sent(polled: SourceRecord): Promise<void> | null;
  /** The producer has not accepted the record that was added last: it is added again later. */
  withdraw(token: number): void;
  /** The producer will never accept the record that was added last, for example because it is too large. */
  refuse(error: KafkaError, token: number, topic: string): void;
  /** The record is not sent: a transformation dropped it, or it failed and is tolerated. */
  skip(polled: SourceRecord): Promise<void> | null;
  /** All records of the batch are sent or skipped; also after a poll without records (`isEmpty`). */
  endBatch(isEmpty: boolean): Promise<void> | null;
  /** The task fails or stops before this record is sent. */
  endAt(next: SourceRecord): void;
  /** @param midBatch some records of the batch are sent, others are not */
  pause(midBatch: boolean): Promise<void> | null;
  resume(): void;
  forgetTopic(topic: string): void;
  storeOffset(partition: SourcePartition, offset: SourceOffset | null, signal: AbortSignal): Promise<void>;
  /** Before the plugin's task is stopped: stores what may be stored. Never rejects. */
  finish(end: { readonly failed: boolean; readonly midBatch: boolean }): Promise<void>;
  /** From now on nothing is stored or committed. */
  cancel(): void;
}
