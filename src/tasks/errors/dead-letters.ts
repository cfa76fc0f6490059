/**
 * Writes failed records to the dead letter topic as consumed, with the reason in their headers, and holds their offsets
 * until they are written. While Kafka accepts no more, records wait here and the loop consumes nothing. A record that
 * Kafka refuses fails the task. Source: connect-runtime §5.8.
 */
import { ConnectError, messageOf } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import type { Producer, ProducerRecord, RecordHeader } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { ErrorMetrics } from '../../metrics/error-metrics';
import type { CallClock } from '../call-clock';
import { contextHeaders } from './dead-letter-topic';
import type { ErrorSettings } from './error-settings';
import type { Consumed, FailedRecord, FailureReporter } from './failed-record';
import type { Hold, OffsetHolds } from './offset-holds';
import { quotedSentence } from '../trace';

/** Limit of unwritten records; the producer bounds their bytes. */
const MAX_PENDING = 10_000;

export interface DeadLetterDependencies {
  readonly producer: Producer;
  readonly topic: string;
  readonly id: ConnectorTaskId;
  readonly settings: Pick<ErrorSettings, 'deadLetterHeaders'>;
  readonly holds: OffsetHolds;
  readonly calls: Pick<CallClock, 'begin' | 'end'>;
  readonly metrics: ErrorMetrics;
  readonly logger: Logger;
  /** There is room again, everything is written, or a record was refused. */
  onChange(): void;
}

/** A record that is not written yet. The producer copies the bytes, so the fetched ones are released after `send`. */
class DeadLetter {
  settle!: (error: Error | null) => void;
  readonly whenWritten = new Promise<void>((resolve, reject) => {
    this.settle = (error) => (error ? reject(error) : resolve());
  });

  constructor(
    readonly hold: Hold,
    public failure: FailedRecord | null,
  ) {
    // The caller may ignore the report's promise.
    this.whenWritten.catch(() => undefined);
  }
}

export class DeadLetters implements FailureReporter {
  /** Not passed to the producer yet, in the order of their reports. */
  private readonly waiting: DeadLetter[] = [];
  private pending = 0;
  private sending = false;
  private closed = false;
  /** Not written when the producer was closed. */
  private late = 0;
  private failureReason: ConnectError | null = null;
  private waiters: (() => void)[] = [];

  constructor(private readonly parts: DeadLetterDependencies) {}

  async connect(): Promise<void> {
    await this.parts.producer.connect();
  }

  /** Why the task must fail; null: it need not. */
  get failure(): ConnectError | null {
    return this.failureReason;
  }

  /** Kafka accepts no more for now: consume nothing until it does. */
  get congested(): boolean {
    return this.waiting.length > 0 || this.pending >= MAX_PENDING;
  }

  /** Resolves when the record is in the topic; rejects when it cannot be written. */
  report(failure: FailedRecord): Promise<void> {
    const { consumed } = failure;
    if (!consumed) return Promise.resolve();
    this.parts.metrics.deadLetterRequests.add();
    const letter = new DeadLetter(this.parts.holds.add(consumed), failure);
    this.pending++;
    this.parts.calls.begin('dead-letter');
    this.waiting.push(letter);
    if (!this.sending) void this.sendWaiting();
    return letter.whenWritten;
  }

  /** Resolves when everything is written, or when a record was refused. */
  async written(): Promise<void> {
    if (this.pending > 0 && this.failureReason === null)
      await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  /** Records that are not written in time are delivered again: their offsets are not committed. */
  async close(timeoutMs: number): Promise<void> {
    this.closed = true;
    await this.parts.producer.close(timeoutMs);
    const { late } = this;
    this.late = 0;
    if (late === 0) return;
    this.parts.logger.warn(
      `The task stopped before ${late} failed records were written to the dead letter topic ${this.parts.topic}: they will be delivered again`,
    );
  }

  /** Synchronous while the producer accepts records. */
  private async sendWaiting(): Promise<void> {
    const { producer, topic } = this.parts;
    this.sending = true;
    for (let letter = this.waiting[0]; letter; letter = this.waiting[0]) {
      try {
        if (!producer.isPrepared(topic)) await producer.prepare([topic]);
        const full = producer.whenReady();
        if (full) {
          await full;
          continue;
        }
        this.send(letter);
      } catch (error) {
        this.onFailure(letter, error);
      }
      this.waiting.shift();
    }
    this.sending = false;
    this.parts.onChange();
  }

  private send(letter: DeadLetter): void {
    const { producer, settings, id } = this.parts;
    const failure = letter.failure as FailedRecord;
    const onDelivery = (error: Error | null): void => {
      if (error) this.onFailure(letter, error);
      else this.onSuccess(letter);
    };
    const context = settings.deadLetterHeaders ? contextHeaders(failure, id) : [];
    try {
      producer.send(this.recordOf(failure, context), onDelivery);
    } catch (error) {
      // Without the headers it is as large as it was in its own topic.
      if (context.length === 0 || !isTooLarge(error)) throw error;
      producer.send(this.recordOf(failure, []), onDelivery);
    }
    letter.failure = null;
  }

  /** Omits a timestamp that Kafka would refuse: it must not keep the record from the topic. */
  private recordOf(failure: FailedRecord, context: readonly RecordHeader[]): ProducerRecord {
    const { key, value, headers, timestamp } = (failure.consumed as Consumed).record;
    return {
      topic: this.parts.topic,
      key,
      value,
      headers: [...headers, ...context],
      timestamp: timestamp < 0 || !Number.isSafeInteger(timestamp) ? null : timestamp,
    };
  }

  private onSuccess(letter: DeadLetter): void {
    this.parts.holds.release(letter.hold);
    letter.settle(null);
    this.pending--;
    this.parts.calls.end('dead-letter');
    if (this.pending === 0 || this.pending === MAX_PENDING - 1) this.notifyChange();
  }

  /** The hold stays. */
  private onFailure({ hold, settle }: DeadLetter, cause: unknown): void {
    const { topic, partition, offset } = hold;
    const error = new ConnectError(
      `A failed record could not be written to the dead letter topic ${this.parts.topic}: ${quotedSentence(messageOf(cause), this.parts.id.connector)} Its offset is not committed. ` +
        'Allow the write (ACLs), raise max.message.bytes or producer.override.max.request.size, or remove errors.deadletterqueue.topic.name.',
      { code: 'DLQ_WRITE', cause, place: { topic, partition, offset } },
    );
    this.pending--;
    this.parts.calls.end('dead-letter');
    if (this.closed) {
      this.late++;
    } else {
      this.parts.metrics.deadLetterFailures.add();
      this.parts.logger.error(error.message, { error: cause, topic, partition, offset });
      this.failureReason ??= error;
    }
    settle(error);
    this.notifyChange();
  }

  private notifyChange(): void {
    if (this.pending === 0 || this.failureReason !== null) for (const resolve of this.waiters.splice(0)) resolve();
    this.parts.onChange();
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'RECORD_TOO_LARGE_CLIENT';
}
