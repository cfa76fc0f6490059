/**
 * Writes failed records as they were consumed, with the reason in their headers, and holds their offsets until they are
 * written. What Kafka does not take yet waits here, and the loop consumes nothing more meanwhile; what it refuses fails
 * the task. Source: connect-runtime §5.8.
 */
import { ConnectError, messageOf } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import type { Producer, ProducerRecord, RecordHeader } from '../../kafka/port';
import type { Logger } from '../../logging/logger';
import type { ErrorMetrics } from '../../metrics/error-metrics';
import { contextHeaders } from './dead-letter-topic';
import type { ErrorSettings } from './error-settings';
import type { Consumed, FailedRecord, FailureReporter } from './failed-record';
import type { Hold, OffsetHolds } from './offset-holds';
import { sentence } from '../trace';

/** The producer bounds their bytes; more of them than this are too many, however small. */
const MOST_OPEN = 10_000;

export interface DeadLetterParts {
  readonly producer: Producer;
  readonly topic: string;
  readonly id: ConnectorTaskId;
  readonly settings: Pick<ErrorSettings, 'deadLetterHeaders'>;
  readonly holds: OffsetHolds;
  readonly metrics: ErrorMetrics;
  readonly logger: Logger;
  /** There is room again, everything is written, or a record was refused. */
  onChange(): void;
}

/** Not in the topic yet. The producer has its own copy of the bytes: what was fetched is not kept beyond `send`. */
class Letter {
  settle!: (error: Error | null) => void;
  readonly written = new Promise<void>((resolve, reject) => {
    this.settle = (error) => (error ? reject(error) : resolve());
  });

  constructor(
    readonly hold: Hold,
    public failure: FailedRecord | null,
  ) {
    // Who asked for the report may look at it or not.
    this.written.catch(() => undefined);
  }
}

export class DeadLetters implements FailureReporter {
  /** Not with the producer yet, in the order of their reports. */
  private readonly waiting: Letter[] = [];
  private open = 0;
  private handing = false;
  private closed = false;
  /** Not written when the producer was closed. */
  private late = 0;
  private refusal: ConnectError | null = null;
  private waiters: (() => void)[] = [];

  constructor(private readonly parts: DeadLetterParts) {}

  async connect(): Promise<void> {
    await this.parts.producer.connect();
  }

  /** Why the task has to fail, if it has. */
  get failure(): ConnectError | null {
    return this.refusal;
  }

  /** Kafka takes no more for now: consume nothing until it does. */
  get congested(): boolean {
    return this.waiting.length > 0 || this.open >= MOST_OPEN;
  }

  /** Resolves when the record is in the topic; rejects when it cannot be written. */
  report(failure: FailedRecord): Promise<void> {
    const { consumed } = failure;
    if (!consumed) return Promise.resolve();
    this.parts.metrics.deadLetterRequests.add();
    const letter = new Letter(this.parts.holds.add(consumed), failure);
    this.open++;
    this.waiting.push(letter);
    if (!this.handing) void this.handOver();
    return letter.written;
  }

  /** Resolves when nothing is under way any more, or when a record was refused. */
  async written(): Promise<void> {
    if (this.open > 0 && this.refusal === null) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  /** What is not written by then comes again: its offset is not committed. */
  async close(timeoutMs: number): Promise<void> {
    this.closed = true;
    await this.parts.producer.close(timeoutMs);
    const { late } = this;
    this.late = 0;
    if (late === 0) return;
    this.parts.logger.warn(
      `The task stopped before ${late} failed records were in the dead letter topic ${this.parts.topic}: they come again`,
    );
  }

  /** Without a promise while Kafka takes them. */
  private async handOver(): Promise<void> {
    const { producer, topic } = this.parts;
    this.handing = true;
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
        this.refuse(letter, error);
      }
      this.waiting.shift();
    }
    this.handing = false;
    this.parts.onChange();
  }

  private send(letter: Letter): void {
    const { producer, settings, id } = this.parts;
    const failure = letter.failure as FailedRecord;
    const onDelivery = (error: Error | null): void => {
      if (error) this.refuse(letter, error);
      else this.accept(letter);
    };
    const context = settings.deadLetterHeaders ? contextHeaders(failure, id) : [];
    try {
      producer.send(this.recordOf(failure, context), onDelivery);
    } catch (error) {
      // Without them it is no larger than it was in its own topic.
      if (context.length === 0 || !isTooLarge(error)) throw error;
      producer.send(this.recordOf(failure, []), onDelivery);
    }
    letter.failure = null;
  }

  /** A time that Kafka has no place for is left out: it must not keep the record from the topic. */
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

  private accept(letter: Letter): void {
    this.parts.holds.release(letter.hold);
    letter.settle(null);
    this.open--;
    if (this.open === 0 || this.open === MOST_OPEN - 1) this.moved();
  }

  /** The hold stays. */
  private refuse({ hold, settle }: Letter, cause: unknown): void {
    const { topic, partition, offset } = hold;
    const error = new ConnectError(
      `A failed record could not be written to the dead letter topic ${this.parts.topic}: ${sentence(messageOf(cause))} Its offset is not committed. ` +
        'Let the topic take it (ACLs, max.message.bytes, producer.override.max.request.size), or do without errors.deadletterqueue.topic.name.',
      { code: 'DLQ_WRITE', cause, place: { topic, partition, offset } },
    );
    this.open--;
    if (this.closed) {
      this.late++;
    } else {
      this.parts.metrics.deadLetterFailures.add();
      this.parts.logger.error(error.message, { error: cause, topic, partition, offset });
      this.refusal ??= error;
    }
    settle(error);
    this.moved();
  }

  private moved(): void {
    if (this.open === 0 || this.refusal !== null) for (const resolve of this.waiters.splice(0)) resolve();
    this.parts.onChange();
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'RECORD_TOO_LARGE_CLIENT';
}
