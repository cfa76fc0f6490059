/**
 * poll → transform → convert → send, until told to stop. Delivery callbacks feed the offset tracker. Source:
 * connect-runtime §4.2, §4.3.
 *
 * A batch that could not be sent completely is held and goes on where it stopped; nothing is polled meanwhile.
 */
import { isRetriable, type SourceRecord, type SourceTask, yieldToEventLoop, Wakeup, messageOf } from '@millrace/sdk';
import { KafkaError } from '../../kafka/errors';
import type { DeliveryCallback, Producer, ProducerRecord } from '../../kafka/port';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { TransformationChain } from '../../transforms/chain';
import type { CallClock } from '../call-clock';
import { RetriesCutShort, type ErrorPolicy } from '../errors/error-policy';
import type { OffsetTracker } from './offset-tracker';
import { PendingRecords } from './pending-records';
import type { WorkLease } from '../session-lease';
import type { SourceConversion } from './source-conversion';
import type { TopicCreator } from './topic-creator';
import { recoverTransformation } from '../errors/transform-recovery';

/** Before a batch that Kafka did not take yet is tried again. */
const HELD_BATCH_MS = 100;
/** After an answer of "nothing now" that came at once: the task has not waited, so we do. */
const IDLE_MS = 5;
/** Between two looks at a lease that does not hold. */
const LEASE_MS = 100;
const PRODUCER_CLASS = 'org.apache.kafka.clients.producer.KafkaProducer';

export interface SourceLoopParts {
  readonly task: SourceTask;
  readonly calls: CallClock;
  readonly lease: WorkLease;
  readonly producer: Producer;
  readonly conversion: SourceConversion;
  readonly policy: ErrorPolicy;
  readonly tracker: OffsetTracker;
  /** Null: records are converted as the task gave them. */
  readonly chain: TransformationChain | null;
  /** Null: topics are left to the broker. */
  readonly topics: TopicCreator | null;
  /** True when failed records are reported with their contents. */
  readonly keepRecords: boolean;
  readonly metrics: TaskMetrics;
  readonly logger: Logger;
  onTopicActive(topic: string): void;
  onPaused(): void;
  onResumed(): void;
}

export class SourceLoop {
  private readonly wakeup = new Wakeup();
  private readonly active = new Set<string>();
  /** Only when someone asks for the records again: tokens then number these, else the tracker's slots. */
  private readonly pending: PendingRecords | null;
  private held: readonly SourceRecord[] = [];
  /** Next record of `held`. */
  private at = 0;
  private stopping = false;
  private paused = false;
  private sendError: KafkaError | null = null;
  private readyTopic: string | null = null;
  private ackedTopic: string | null = null;
  /** Records done with since they were counted last. */
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
    this.active.delete(topic);
    if (this.ackedTopic === topic) this.ackedTopic = null;
  }

  /** Waits, but not beyond a request to stop. */
  async sleep(ms: number): Promise<void> {
    if (!this.stopping) await this.wakeup.wait(ms);
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  /** Resolves when stopped; rejects when the task has to fail. */
  async run(): Promise<void> {
    try {
      while (!this.stopping) {
        if (this.paused) await this.pausedUntilWoken();
        else if (this.parts.lease.holds) await this.turn();
        else await this.sleep(LEASE_MS);
      }
    } catch (error) {
      if (!(error instanceof RetriesCutShort)) throw error;
    }
  }

  private async pausedUntilWoken(): Promise<void> {
    this.parts.onPaused();
    while (this.paused && !this.stopping) await this.wakeup.wait(null);
    if (!this.stopping) this.parts.onResumed();
  }

  private async turn(): Promise<void> {
    this.throwSendError();
    if (this.at >= this.held.length) {
      const started = performance.now();
      const polled = await this.poll();
      if (polled !== null) this.parts.metrics.polled(polled.length, performance.now() - started);
      this.held = polled ?? [];
      this.at = 0;
      if (this.held.length === 0) {
        if (performance.now() - started < 1) await this.sleep(IDLE_MS);
        return;
      }
    }
    if (await this.sendOrFail()) {
      this.held = [];
      this.at = 0;
      this.parts.tracker.endBatch();
      await yieldToEventLoop();
    } else {
      await this.sleep(HELD_BATCH_MS);
    }
  }

  private async poll(): Promise<readonly SourceRecord[] | null> {
    try {
      return await this.parts.calls.during('poll', () => this.parts.task.poll());
    } catch (error) {
      if (!isRetriable(error)) throw error;
      this.parts.logger.warn(`poll() failed and is tried again: ${messageOf(error)}`, { error });
      await this.sleep(HELD_BATCH_MS);
      return null;
    }
  }

  private async sendOrFail(): Promise<boolean> {
    try {
      return await this.send();
    } catch (error) {
      // The task ends here: everything before this record may still be stored.
      const next = this.held[this.at];
      if (next) this.parts.tracker.announce(next.sourcePartition, next.sourceOffset);
      throw error;
    }
  }

  /** False: the rest of the batch has to wait. */
  private async send(): Promise<boolean> {
    const { producer, conversion, chain } = this.parts;
    for (; this.at < this.held.length; this.at++) {
      for (let full = producer.whenReady(); full && !this.sendError; full = producer.whenReady()) {
        await this.wakeup.waitFor(full);
        if (this.stopping) return false;
      }
      if (this.sendError) this.throwSendError();
      const polled = this.held[this.at] as SourceRecord;
      let record = polled;
      if (chain !== null) {
        let transformed = this.transform(chain, polled);
        if (transformed instanceof Promise) transformed = await transformed;
        if (transformed === null) {
          this.drop(polled);
          continue;
        }
        record = transformed;
      }
      if (record.topic !== this.readyTopic && !this.isReady(record.topic) && !(await this.prepare(record.topic)))
        return false;
      let converted = conversion.convert(record, polled);
      if (converted instanceof Promise) converted = await converted;
      if (converted === null) this.drop(polled);
      else if (!this.hand(polled, converted)) return false;
    }
    return true;
  }

  /** Null: dropped, or skipped; a promise only after something went wrong. */
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
   * Kafka gets nothing of it, so it is done with as soon as everything before it is. Java's offset stays where it is
   * until a later record of the partition is delivered; a source whose records are all filtered would be read again
   * from there, and could never forget them.
   */
  private drop(polled: SourceRecord): void {
    const { tracker } = this.parts;
    tracker.acknowledge(tracker.add(polled.sourcePartition, polled.sourceOffset));
    this.countSkipped();
    this.tellTask(polled, null);
  }

  /** False: Kafka cannot take it now. */
  private hand(polled: SourceRecord, converted: ProducerRecord): boolean {
    const slot = this.parts.tracker.add(polled.sourcePartition, polled.sourceOffset);
    const token = this.pending ? this.pending.add(polled, slot) : slot;
    try {
      this.parts.producer.send(converted, this.onDelivery, token);
      return true;
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      if (!error.retriable) {
        // Such as a record too large: the same as a refusal that comes later.
        this.onDelivery(error, token, converted.topic, -1, -1);
        return true;
      }
      this.parts.logger.warn(`Kafka does not take records of topic ${converted.topic} now: ${messageOf(error)}`);
      // It may have been deleted: it is looked for again, and created, as a new one is.
      this.readyTopic = null;
      this.pending?.remove(token);
      this.parts.tracker.withdraw(slot);
      return false;
    }
  }

  /** Batches of several topics change between them often: no waiting for what is known. */
  private isReady(topic: string): boolean {
    const { topics, producer } = this.parts;
    if (!producer.isPrepared(topic) || (topics !== null && !topics.isKnown(topic))) return false;
    this.readyTopic = topic;
    return true;
  }

  /** The topic exists and the producer knows its partitions. False: not yet. */
  private async prepare(topic: string): Promise<boolean> {
    try {
      await this.parts.topics?.ensure(topic);
      if (!this.parts.producer.isPrepared(topic)) await this.parts.producer.prepare([topic]);
      this.readyTopic = topic;
      return true;
    } catch (error) {
      if (!isRetriable(error)) throw error;
      this.parts.logger.warn(`Topic ${topic} is not available, trying on: ${messageOf(error)}`);
      return false;
    }
  }

  private readonly onDelivery: DeliveryCallback = (error, token, topic, partition, offset) => {
    const pending = this.pending;
    const slot = pending ? pending.slot(token) : token;
    const record = pending ? pending.remove(token) : null;
    if (error !== null) {
      this.refused(error, slot, record);
      return;
    }
    if (topic !== this.ackedTopic) this.track(topic);
    this.parts.tracker.acknowledge(slot);
    if (this.acknowledged++ === 0) setImmediate(this.countFinished);
    if (record) this.tellTask(record, { topic, partition, offset });
  };

  /** Without tolerance the offset must never move past this record, so it is not acknowledged. */
  private refused(error: KafkaError, slot: number, record: SourceRecord | null): void {
    // Kafka has said nothing: the record comes again with the next start.
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
    if (record) this.tellTask(record, null);
    this.parts.tracker.acknowledge(slot);
    this.countSkipped();
  }

  private countSkipped(): void {
    if (this.skipped++ === 0) setImmediate(this.countFinished);
  }

  /** Once for all records that Kafka acknowledged in one go, rather than for each. */
  private readonly countFinished = (): void => {
    if (this.acknowledged + this.skipped === 0) return;
    this.parts.metrics.source.finished(this.acknowledged, this.skipped);
    this.acknowledged = 0;
    this.skipped = 0;
  };

  private throwSendError(): void {
    if (this.sendError) throw this.sendError;
  }

  private track(topic: string): void {
    this.ackedTopic = topic;
    if (this.active.has(topic)) return;
    this.active.add(topic);
    this.parts.onTopicActive(topic);
  }

  private tellTask(record: SourceRecord, metadata: { topic: string; partition: number; offset: number } | null): void {
    if (!this.parts.task.commitRecord) return;
    try {
      this.parts.task.commitRecord(record, metadata);
    } catch (error) {
      this.parts.logger.error(`commitRecord() of the task threw, which is ignored: ${messageOf(error)}`, { error });
    }
  }
}
