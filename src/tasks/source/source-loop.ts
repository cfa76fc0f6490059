/**
 * poll → transform → convert → send, until stopped. Delivery callbacks feed the offset tracker. Source:
 * connect-runtime §4.2, §4.3.
 *
 * A batch that could not be sent completely resumes where it stopped. Nothing is polled meanwhile.
 */
import { isRetriable, type SourceRecord, type SourceTask, yieldToEventLoop, Wakeup, messageOf } from '@millrace/sdk';
import { KafkaError } from '../../kafka/errors';
import type { DeliveryCallback, Producer, ProducerRecord } from '../../kafka/port';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { TransformationChain } from '../../transforms/chain';
import type { CallClock } from '../call-clock';
import { RetryInterrupted, type ErrorPolicy } from '../errors/error-policy';
import type { OffsetTracker } from './offset-tracker';
import { PendingRecords } from './pending-records';
import type { WorkLease } from '../session-lease';
import type { SourceConversion } from './source-conversion';
import { TurnLimit } from '../turn-limit';
import type { TopicCreator } from './topic-creator';
import { recoverTransformation } from '../errors/transform-recovery';

/** Delay before the rest of a batch, or a failed poll, is retried. */
const RETRY_MS = 100;
/** Delay after an empty poll that returned at once: keeps such a task from a busy loop. */
const IDLE_MS = 5;
/** Interval of checks while the lease does not hold. */
const LEASE_CHECK_MS = 100;
const PRODUCER_CLASS = 'org.apache.kafka.clients.producer.KafkaProducer';

export interface SourceLoopParts {
  readonly task: SourceTask;
  readonly calls: CallClock;
  readonly lease: WorkLease;
  readonly producer: Producer;
  readonly conversion: SourceConversion;
  readonly policy: ErrorPolicy;
  readonly tracker: OffsetTracker;
  /** Null: no transformations. */
  readonly chain: TransformationChain | null;
  /** Null: the broker creates topics. */
  readonly topics: TopicCreator | null;
  /** True: failed records are logged with their contents. */
  readonly keepRecords: boolean;
  readonly metrics: TaskMetrics;
  readonly logger: Logger;
  onTopicActive(topic: string): void;
  onPaused(): void;
  onResumed(): void;
}

export class SourceLoop {
  private readonly wakeup = new Wakeup();
  private readonly turns = new TurnLimit();
  private readonly activeTopics = new Set<string>();
  /** Only where records are needed after delivery: tokens then number these, otherwise the tracker's slots. */
  private readonly pending: PendingRecords | null;
  private batch: readonly SourceRecord[] = [];
  /** Next record of `batch`. */
  private position = 0;
  private stopping = false;
  private paused = false;
  private sendError: KafkaError | null = null;
  private readyTopic: string | null = null;
  private ackedTopic: string | null = null;
  /** Records finished since the metrics were last updated. */
  private acknowledged = 0;
  private skipped = 0;

  constructor(private readonly parts: SourceLoopParts) {
    this.pending = parts.task.commitRecord || parts.keepRecords ? new PendingRecords() : null;
  }

  stop(): void {
    this.stopping = true;
    this.wakeup.wake();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.wakeup.wake();
  }

  forgetTopic(topic: string): void {
    this.activeTopics.delete(topic);
    if (this.ackedTopic === topic) this.ackedTopic = null;
  }

  /** Ends early when the task is stopped. */
  async sleep(ms: number): Promise<void> {
    if (!this.stopping) await this.wakeup.wait(ms);
  }

  get isStopping(): boolean {
    return this.stopping;
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
      if (!(error instanceof RetryInterrupted)) throw error;
    }
  }

  private async waitUntilResumed(): Promise<void> {
    this.parts.onPaused();
    while (this.paused && !this.stopping) await this.wakeup.wait(null);
    if (!this.stopping) this.parts.onResumed();
  }

  private async runOnce(): Promise<void> {
    this.throwSendError();
    if (this.position >= this.batch.length) {
      const started = performance.now();
      const polled = await this.poll();
      if (polled !== null) this.parts.metrics.polled(polled.length, performance.now() - started);
      this.batch = polled ?? [];
      this.position = 0;
      if (this.batch.length === 0) {
        if (performance.now() - started < 1) await this.sleep(IDLE_MS);
        return;
      }
    }
    if (await this.sendBatchOrFail()) {
      this.batch = [];
      this.position = 0;
      this.parts.tracker.endBatch();
      await yieldToEventLoop();
    } else {
      await this.sleep(RETRY_MS);
    }
  }

  private async poll(): Promise<readonly SourceRecord[] | null> {
    try {
      return await this.parts.calls.during('poll', () => this.parts.task.poll());
    } catch (error) {
      if (!isRetriable(error)) throw error;
      this.parts.logger.warn(`poll() failed, retrying: ${messageOf(error)}`, { error });
      await this.sleep(RETRY_MS);
      return null;
    }
  }

  private async sendBatchOrFail(): Promise<boolean> {
    try {
      return await this.sendBatch();
    } catch (error) {
      // The task fails here: offsets of the records before this one may still be stored.
      const next = this.batch[this.position];
      if (next) this.parts.tracker.announce(next.sourcePartition, next.sourceOffset);
      throw error;
    }
  }

  /** False: the rest of the batch must wait. */
  private async sendBatch(): Promise<boolean> {
    const { producer, conversion, chain } = this.parts;
    this.turns.begin();
    for (; this.position < this.batch.length; this.position++) {
      for (let full = producer.whenReady(); full && !this.sendError; full = producer.whenReady()) {
        await this.wakeup.waitFor(full);
        if (this.stopping) return false;
      }
      const turn = chain === null ? null : this.turns.next();
      if (turn !== null) {
        await turn;
        if (this.stopping) return false;
      }
      if (this.sendError) this.throwSendError();
      const polled = this.batch[this.position] as SourceRecord;
      let record = polled;
      if (chain !== null) {
        let transformed = this.transform(chain, polled);
        if (transformed instanceof Promise) transformed = await transformed;
        if (transformed === null) {
          this.skip(polled);
          continue;
        }
        record = transformed;
      }
      if (record.topic !== this.readyTopic && !this.isReady(record.topic) && !(await this.prepare(record.topic)))
        return false;
      let converted = conversion.convert(record, polled);
      if (converted instanceof Promise) converted = await converted;
      if (converted === null) this.skip(polled);
      else if (!this.sendRecord(polled, converted)) return false;
    }
    return true;
  }

  /** Null: filtered or skipped. A promise only after a failure. */
  private transform(
    chain: TransformationChain,
    polled: SourceRecord,
  ): SourceRecord | null | Promise<SourceRecord | null> {
    try {
      return chain.apply(polled);
    } catch (error) {
      return recoverTransformation<SourceRecord>(chain, this.parts.policy, error, { source: polled });
    }
  }

  /**
   * The record is not sent, so its offset is acknowledged at once. In Java the offset stays until a later record of the
   * partition is delivered: a source whose records are all filtered would read them again after each restart, and
   * could never release them.
   */
  private skip(polled: SourceRecord): void {
    const { tracker } = this.parts;
    tracker.acknowledge(tracker.add(polled.sourcePartition, polled.sourceOffset));
    this.countSkipped();
    this.notifyTask(polled, null);
  }

  /** False: Kafka does not accept the record now. */
  private sendRecord(polled: SourceRecord, converted: ProducerRecord): boolean {
    const slot = this.parts.tracker.add(polled.sourcePartition, polled.sourceOffset);
    const token = this.pending ? this.pending.add(polled, slot) : slot;
    try {
      this.parts.producer.send(converted, this.onDelivery, token);
      return true;
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      if (!error.retriable) {
        // For example a record that is too large: handled like a failed delivery.
        this.onDelivery(error, token, converted.topic, -1, -1);
        return true;
      }
      this.parts.logger.warn(`Cannot send to topic ${converted.topic}, retrying: ${messageOf(error)}`);
      // The topic may have been deleted: look it up again, and create it if it is missing.
      this.readyTopic = null;
      this.pending?.remove(token);
      this.parts.tracker.withdraw(slot);
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
    try {
      await this.parts.topics?.ensure(topic);
      if (!this.parts.producer.isPrepared(topic)) await this.parts.producer.prepare([topic]);
      this.readyTopic = topic;
      return true;
    } catch (error) {
      if (!isRetriable(error)) throw error;
      this.parts.logger.warn(`Topic ${topic} is not available, retrying: ${messageOf(error)}`);
      return false;
    }
  }

  private readonly onDelivery: DeliveryCallback = (error, token, topic, partition, offset) => {
    const pending = this.pending;
    const slot = pending ? pending.slot(token) : token;
    const record = pending ? pending.remove(token) : null;
    if (error !== null) {
      this.onSendFailure(error, slot, record);
      return;
    }
    if (topic !== this.ackedTopic) this.reportTopic(topic);
    this.parts.tracker.acknowledge(slot);
    if (this.acknowledged++ === 0) setImmediate(this.countFinished);
    if (record) this.notifyTask(record, { topic, partition, offset });
  };

  /** Without tolerance the record is not acknowledged: committed offsets must never pass it. */
  private onSendFailure(error: KafkaError, slot: number, record: SourceRecord | null): void {
    // The outcome is unknown: the record is polled again after the restart.
    if (error.code === 'PRODUCER_CLOSED') return;
    if (!this.parts.policy.tolerant) {
      this.sendError ??= error;
      this.wakeup.wake();
      return;
    }
    void this.parts.policy.report({
      stage: 'KAFKA_PRODUCE',
      className: PRODUCER_CLASS,
      error,
      ...(record ? { source: record } : {}),
    });
    if (record) this.notifyTask(record, null);
    this.parts.tracker.acknowledge(slot);
    this.countSkipped();
  }

  private countSkipped(): void {
    if (this.skipped++ === 0) setImmediate(this.countFinished);
  }

  /** Once for all records of an acknowledgement, not for each. */
  private readonly countFinished = (): void => {
    if (this.acknowledged + this.skipped === 0) return;
    this.parts.metrics.source.finished(this.acknowledged, this.skipped);
    this.acknowledged = 0;
    this.skipped = 0;
  };

  private throwSendError(): void {
    if (this.sendError) throw this.sendError;
  }

  private reportTopic(topic: string): void {
    this.ackedTopic = topic;
    if (this.activeTopics.has(topic)) return;
    this.activeTopics.add(topic);
    this.parts.onTopicActive(topic);
  }

  private notifyTask(
    record: SourceRecord,
    metadata: { topic: string; partition: number; offset: number } | null,
  ): void {
    if (!this.parts.task.commitRecord) return;
    try {
      this.parts.task.commitRecord(record, metadata);
    } catch (error) {
      this.parts.logger.error(`Ignoring an error of commitRecord(): ${messageOf(error)}`, { error });
    }
  }
}
