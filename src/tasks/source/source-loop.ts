/**
 * poll → transform → convert → send, until stopped. Source: connect-runtime §4.2, §4.3.
 *
 * A batch that could not be sent completely resumes where it stopped. Nothing is polled meanwhile.
 */
import {
  checkTopicName,
  isRetriable,
  type SourceBatchCheck,
  type SourceRecord,
  type SourceTask,
  yieldToEventLoop,
  Wakeup,
  messageOf,
} from '@millrace/sdk';
import { KafkaError, type Producer, type ProducerRecord } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { TransformationChain } from '../../transforms/chain';
import type { CallClock } from '../call-clock';
import type { ConverterWait } from '../errors/converter-wait';
import { RetryInterrupted, type ErrorPolicy } from '../errors/error-policy';
import type { ReportedCondition } from '../reported-condition';
import type { SourceDelivery } from './source-delivery';
import type { WorkLease } from '../session-lease';
import type { SourceConversion } from './source-conversion';
import type { SourceOutcomes } from './source-outcomes';
import { TurnLimit } from '../turn-limit';
import type { TopicCreator } from './topic-creator';
import { recoverTransformation } from '../errors/transform-recovery';

/** Delay before the rest of a batch, or a failed poll, is retried. */
const RETRY_MS = 100;
/** Delay after an empty poll that returned at once: keeps such a task from a busy loop. */
const IDLE_MS = 5;
/** Interval of checks while the lease does not hold. */
const LEASE_CHECK_MS = 100;

export interface SourceLoopDependencies {
  readonly task: SourceTask;
  readonly check: SourceBatchCheck;
  readonly calls: CallClock;
  readonly lease: WorkLease;
  readonly producer: Producer;
  readonly conversion: Pick<SourceConversion, 'convert'>;
  readonly converterWait: Pick<ConverterWait, 'until' | 'end'>;
  readonly policy: ErrorPolicy;
  readonly delivery: SourceDelivery;
  /** Null: the task has taken no part of the processing of its records. */
  readonly outcomes: SourceOutcomes | null;
  /** Null: no transformations. */
  readonly chain: TransformationChain | null;
  /** Null: the broker creates topics. */
  readonly topics: TopicCreator | null;
  readonly metrics: TaskMetrics;
  readonly condition: Pick<ReportedCondition, 'retrying' | 'succeeded'>;
  readonly logger: Logger;
  onPaused(): void;
  onResumed(): void;
}

export class SourceLoop {
  private readonly wakeup = new Wakeup();
  private readonly turns = new TurnLimit();
  private batch: readonly SourceRecord[] = [];
  /** Next record of `batch`. */
  private position = 0;
  private stopping = false;
  private paused = false;
  private readyTopic: string | null = null;
  private hasFailed = false;
  private isPolling = false;

  constructor(private readonly parts: SourceLoopDependencies) {}

  stop(): void {
    this.stopping = true;
    this.wakeup.wake();
  }

  pause(): void {
    this.paused = true;
    // A converter may wait.
    this.wakeup.wake();
  }

  resume(): void {
    this.paused = false;
    this.wakeup.wake();
  }

  forgetTopic(topic: string): void {
    this.parts.delivery.forgetTopic(topic);
  }

  /** Ends waits that a failure of the delivery ends. */
  wake(): void {
    this.wakeup.wake();
  }

  /** Ends early when the task is stopped. Null: no limit. */
  async sleep(ms: number | null): Promise<void> {
    if (!this.stopping) await this.wakeup.wait(ms);
  }

  /** Whether a converter is waited for no longer: its record is converted again when the loop gets to it. */
  get endsConverterWait(): boolean {
    return this.stopping || this.paused || this.parts.delivery.failure !== null;
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  get end(): { readonly failed: boolean; readonly midBatch: boolean } {
    return { failed: this.hasFailed, midBatch: this.isMidBatch };
  }

  /** Resolves when stopped; rejects when the task must fail. */
  async run(): Promise<void> {
    try {
      while (!this.stopping) {
        if (this.paused) await this.waitUntilResumed();
        else if (this.parts.lease.holds) await this.runOnce();
        else await this.sleep(LEASE_CHECK_MS);
      }
    } catch (error) {
      this.hasFailed = true;
      throw error;
    } finally {
      const next = this.batch[this.position];
      if (next) this.parts.delivery.endAt(next);
    }
  }

  /** With transactions of the connector, what a poll has requested belongs to its records, even if none is sent yet. */
  private get isMidBatch(): boolean {
    if (this.parts.task.isWithinBatch === true) return true;
    const isBegun = this.position > 0 || this.parts.delivery.requests !== null;
    return isBegun && this.position < this.batch.length;
  }

  private async waitUntilResumed(): Promise<void> {
    this.parts.converterWait.end();
    await this.parts.delivery.pause(this.isMidBatch);
    this.throwFailure();
    this.parts.onPaused();
    while (this.paused && !this.stopping) await this.wakeup.wait(null);
    if (this.stopping) return;
    this.parts.delivery.resume();
    this.parts.onResumed();
  }

  private async runOnce(): Promise<void> {
    this.throwFailure();
    if (this.position >= this.batch.length) {
      const started = performance.now();
      const returned = await this.poll();
      // Another run of the task may have begun meanwhile.
      if (this.parts.calls.revoked) return;
      const polled = this.parts.check.check(returned);
      if (polled !== null) this.parts.metrics.polled(polled.length, performance.now() - started);
      this.batch = polled ?? [];
      this.position = 0;
      if (this.batch.length === 0) {
        await this.endBatch(true);
        if (performance.now() - started < 1) await this.sleep(IDLE_MS);
        return;
      }
    }
    if (await this.sendUnlessInterrupted()) {
      this.batch = [];
      this.position = 0;
      await this.endBatch(false);
      await yieldToEventLoop();
    } else if (!this.paused) {
      await this.sleep(RETRY_MS);
    }
  }

  /** @param isEmpty the poll has returned no records */
  private async endBatch(isEmpty: boolean): Promise<void> {
    if (this.parts.task.isWithinBatch !== true) await this.parts.delivery.endBatch(isEmpty);
  }

  /** What the plugin returns, unchecked. */
  private async poll(): Promise<unknown> {
    this.isPolling = true;
    // A poll that has more records at hand has returned them by then. An idle task would wake its thread twice.
    if (this.parts.producer.bufferedBytes > 0) setImmediate(this.pushIfWaiting);
    try {
      const polled = await this.parts.calls.during('poll', () => this.parts.task.poll());
      this.parts.condition.succeeded();
      return polled;
    } catch (error) {
      if (!isRetriable(error)) throw error;
      this.parts.condition.retrying(error);
      this.parts.logger.warn(`poll() failed, retrying: ${messageOf(error)}`, { error });
      await this.sleep(RETRY_MS);
      return null;
    } finally {
      this.isPolling = false;
    }
  }

  /** The source waits for records: those sent before need not wait for them. */
  private readonly pushIfWaiting = (): void => {
    const { producer } = this.parts;
    if (this.isPolling && producer.bufferedBytes > 0) producer.push();
  };

  /** As `sendBatch`. False also if something else ends the wait for a converter, or attempts to convert a record. */
  private async sendUnlessInterrupted(): Promise<boolean> {
    try {
      return await this.sendBatch();
    } catch (error) {
      if (error instanceof RetryInterrupted) return false;
      throw error;
    }
  }

  /** False: the rest of the batch must wait. */
  private async sendBatch(): Promise<boolean> {
    const { producer, conversion, outcomes, chain, delivery } = this.parts;
    for (let ready = delivery.ready(); ready !== null && !delivery.failure; ready = delivery.ready()) {
      await this.wakeup.waitFor(ready);
      if (this.stopping) return false;
    }
    this.throwFailure();
    this.turns.begin();
    for (; this.position < this.batch.length; this.position++) {
      for (let full = producer.whenReady(); full && !delivery.failure; full = producer.whenReady()) {
        await this.wakeup.waitFor(full);
        if (this.stopping) return false;
      }
      const turn = chain === null ? null : this.turns.next();
      if (turn !== null) {
        await turn;
        if (this.stopping) return false;
      }
      if (delivery.failure) this.throwFailure();
      const polled = this.batch[this.position] as SourceRecord;
      let record = polled;
      if (outcomes !== null) {
        let taken = outcomes.take(polled);
        if (taken instanceof Promise) taken = await taken;
        if (taken === null) {
          const skipped = delivery.skip(polled);
          if (skipped !== null) await skipped;
          continue;
        }
        record = taken;
      }
      if (chain !== null) {
        let transformed = this.transform(chain, record, polled);
        if (transformed instanceof Promise) transformed = await transformed;
        if (transformed === null) {
          const skipped = delivery.skip(polled);
          if (skipped !== null) await skipped;
          continue;
        }
        record = transformed;
      }
      if (record.topic !== this.readyTopic && !this.isReady(record.topic) && !(await this.prepare(record.topic)))
        return false;
      let converted = conversion.convert(record, polled);
      if (converted instanceof Promise) converted = await converted;
      if (converted !== null && !this.sendRecord(polled, converted)) return false;
      const finished = converted === null ? delivery.skip(polled) : delivery.sent(polled);
      if (finished !== null) await finished;
    }
    return true;
  }

  /** Null: filtered or skipped. A promise only after a failure. */
  private transform(
    chain: TransformationChain,
    record: SourceRecord,
    polled: SourceRecord,
  ): SourceRecord | null | Promise<SourceRecord | null> {
    try {
      return chain.apply(record);
    } catch (error) {
      const { policy, converterWait } = this.parts;
      return recoverTransformation<SourceRecord>(chain, policy, converterWait, error, { source: polled });
    }
  }

  /** False: Kafka does not accept the record now. */
  private sendRecord(polled: SourceRecord, converted: ProducerRecord): boolean {
    const { delivery } = this.parts;
    const token = delivery.add(polled, converted.topic);
    try {
      this.parts.producer.send(converted, delivery.onDelivery, token);
      return true;
    } catch (error) {
      if (!(error instanceof KafkaError)) {
        delivery.withdraw(token);
        throw error;
      }
      if (!error.retriable) {
        delivery.refuse(error, token, converted.topic);
        return true;
      }
      this.parts.condition.retrying(error);
      this.parts.logger.warn(`Cannot send to topic ${converted.topic}, retrying: ${messageOf(error)}`);
      // The topic may have been deleted: look it up again, and create it if it is missing.
      this.readyTopic = null;
      delivery.withdraw(token);
      return false;
    }
  }

  /** Without a promise, because batches of several topics alternate between them. */
  private isReady(topic: string): boolean {
    const { topics, producer } = this.parts;
    if (!producer.isPrepared(topic) || (topics !== null && !topics.isKnown(topic))) return false;
    this.readyTopic = topic;
    return true;
  }

  /** Ensures that the topic exists and the producer has its metadata. False: not yet. */
  private async prepare(topic: string): Promise<boolean> {
    // After the transformations, which may have replaced a name that Kafka does not accept.
    checkTopicName(topic);
    try {
      await this.parts.topics?.ensure(topic);
      if (!this.parts.producer.isPrepared(topic)) await this.parts.producer.prepare([topic]);
      this.readyTopic = topic;
      return true;
    } catch (error) {
      if (!isRetriable(error)) throw error;
      this.parts.condition.retrying(error);
      this.parts.logger.warn(`Topic ${topic} is not available, retrying: ${messageOf(error)}`);
      return false;
    }
  }

  private throwFailure(): void {
    const { failure } = this.parts.delivery;
    if (failure) throw failure;
  }
}
