/**
 * Commits records and their offsets in the same transaction. While Kafka completes one, the next batch may already be
 * polled, but none of its records is sent. Source: connect-runtime §3.9, §4.8.
 */
import {
  ConnectError,
  settledWithin,
  sleep,
  startTimer,
  type RecordMetadata,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  type SourceTask,
  messageOf,
} from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import type { KafkaError, DeliveryCallback, Producer, TopicPartition } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { CallClock } from '../call-clock';
import type { WorkLease } from '../session-lease';
import type { ExactlyOnceGate, ExactlyOnceSpec, NewOffsets } from '../host';
import { taskName } from '../task-id';
import type { TaskOffsets } from '../task-offsets';
import type { DeliveredRecords } from './delivered-records';
import { NewestOffsets } from './newest-offsets';
import { PendingRecords } from './pending-records';
import type { SourceDelivery } from './source-delivery';
import type { TransactionBoundary, TransactionEnd } from './transaction-boundary';
import { transactionError, transactionTimeout, type TransactionFacts } from './transaction-errors';

/** Interval of checks while the lease does not hold. */
const LEASE_CHECK_MS = 100;

export interface ExactlyOnceOptions {
  readonly id: ConnectorTaskId;
  readonly spec: ExactlyOnceSpec;
  readonly gate: ExactlyOnceGate;
  readonly producer: Producer;
  readonly boundary: TransactionBoundary;
  readonly transactionTimeoutMs: number;
  readonly storage: Pick<TaskOffsets, 'encode' | 'copy'>;
  readonly task: Pick<SourceTask, 'commit' | 'commitRecord'>;
  readonly calls: Pick<CallClock, 'during' | 'duringWait'>;
  readonly lease: WorkLease;
  readonly delivered: DeliveredRecords;
  readonly metrics: TaskMetrics;
  readonly logger: Logger;
  /** Limit of the last commit. Milliseconds. */
  readonly flushTimeoutMs: number;
  stopping(): boolean;
  /** A failure is set. */
  onFailure(): void;
}

export class ExactlyOnceDelivery implements SourceDelivery {
  readonly exactlyOnce = true;
  failure: Error | null = null;
  private readonly offsets = new NewestOffsets();
  /** Only where `commitRecord` needs them. */
  private readonly pending: PendingRecords | null;
  private finished: [SourceRecord, RecordMetadata | null][] = [];
  private offsetsTopic = '';
  /** The last one written, which the next transaction probably writes too. */
  private offsetPartition: readonly TopicPartition[] = [];
  /** `performance.now()` of the begin of the open transaction; null: none is open. */
  private openSince: number | null = null;
  /** How long the last commit took. */
  private commitMs = 0;
  private timer: NodeJS.Timeout | null = null;
  private size = 0;
  private inBatch = false;
  private batchEnded: (() => void)[] = [];
  /** Commits and aborts, one after another. Never rejects. */
  private settling: Promise<void> | null = null;
  private cancelled = false;

  constructor(private readonly options: ExactlyOnceOptions) {
    this.pending = options.task.commitRecord ? new PendingRecords() : null;
    options.metrics.source.transactional.set(1);
  }

  get requests(): TransactionBoundary['requests'] {
    return this.options.boundary.requests;
  }

  /** Fences earlier runs of this task before it reads its offsets. */
  async open(): Promise<void> {
    const { id, spec, gate, lease, producer, storage, stopping } = this.options;
    await gate.fence(id.connector);
    // A start that is no longer wanted must not fence a newer one, of another worker if this one was suspended.
    while (!lease.holds && !stopping()) await sleep(LEASE_CHECK_MS);
    if (stopping()) return;
    try {
      await producer.initTransactions();
    } catch (error) {
      throw this.explained(error);
    }
    await gate.confirm(id, spec.generation);
    this.offsetsTopic = (await storage.encode([])).topic;
  }

  started(): void {
    this.options.boundary.begin(performance.now());
  }

  ready(): Promise<void> | null {
    this.inBatch = true;
    this.clearTimer();
    return this.settling;
  }

  add(polled: SourceRecord, topic: string): number {
    if (topic === this.offsetsTopic)
      throw new ConnectError(
        `The task produces to its own offsets topic '${topic}', which is not possible with exactly-once support: send its records to another topic, or set offsets.storage.topic.`,
        { code: 'OWN_OFFSETS_TOPIC', place: { topic } },
      );
    this.begin();
    return this.pending?.add(polled, 0) ?? 0;
  }

  sent(polled: SourceRecord): Promise<void> | null {
    this.size++;
    return this.added(polled);
  }

  withdraw(token: number): void {
    this.pending?.remove(token);
  }

  refuse(error: KafkaError, token: number, topic: string): void {
    this.onDelivery(error, token, topic, -1, -1);
  }

  /** In Java its offset is not committed, see the at-least-once delivery. */
  skip(polled: SourceRecord): Promise<void> | null {
    this.options.delivered.countSkipped();
    if (this.pending) this.finished.push([polled, null]);
    return this.added(polled);
  }

  endBatch(isEmpty: boolean): null {
    this.inBatch = false;
    for (const resolve of this.batchEnded.splice(0)) resolve();
    this.clearTimer();
    const { boundary, transactionTimeoutMs } = this.options;
    const now = performance.now();
    const openMs = this.openSince === null ? 0 : now - this.openSince;
    const uncommitted = this.openSince !== null || !this.offsets.isEmpty;
    const kept = this.finished.length;
    const end = this.failure
      ? null
      : boundary.afterBatch({ now, openMs, commitMs: this.commitMs, kept, uncommitted, isEmpty });
    if (typeof end === 'number') this.timer = startTimer(() => this.commitWithoutBatch(), end);
    else if (end !== null) this.endInBackground(end);
    // Kafka has aborted it, which an idle task would not notice.
    else if (openMs >= transactionTimeoutMs) void this.fail(transactionTimeout(this.facts()));
    return null;
  }

  endAt(): void {}

  /** So that the transaction does not expire. Part of a batch is not committed, see `finish`. */
  async pause(midBatch: boolean): Promise<void> {
    const end = midBatch ? null : this.options.boundary.atEnd();
    if (end !== null) await this.inTurn(() => this.end(end));
    await this.settling;
  }

  resume(): void {
    this.options.boundary.begin(performance.now());
  }

  forgetTopic(topic: string): void {
    this.options.delivered.forgetTopic(topic);
  }

  async storeOffset(partition: SourcePartition, offset: SourceOffset | null, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let aborted: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (aborted = () => reject(signal.reason as Error)));
    signal.addEventListener('abort', aborted, { once: true });
    try {
      await Promise.race([this.store(partition, offset), stopped]);
    } finally {
      signal.removeEventListener('abort', aborted);
    }
  }

  /**
   * Of a batch that is sent in part nothing is committed: its other records may have the same offset as the last one
   * sent, and would be lost.
   */
  async finish({ failed, midBatch }: { failed: boolean; midBatch: boolean }): Promise<void> {
    const { boundary, flushTimeoutMs, logger } = this.options;
    this.clearTimer();
    if (this.cancelled) return;
    const end = failed || midBatch || this.failure ? null : boundary.atEnd();
    const last = end === null ? this.settling : this.inTurn(() => this.end(end));
    await settledWithin(last ?? Promise.resolve(), flushTimeoutMs, undefined).catch((error: unknown) =>
      logger.warn(`The last transaction could not be committed: ${messageOf(error)}`, { error }),
    );
  }

  cancel(): void {
    this.cancelled = true;
    this.clearTimer();
  }

  readonly onDelivery: DeliveryCallback = (error, token, topic, partition, offset) => {
    const record = this.pending?.remove(token) ?? null;
    if (error !== null) return this.onSendFailure(error);
    this.options.delivered.countAcknowledged(topic);
    if (record) this.finished.push([record, { topic, partition, offset }]);
  };

  private readonly onOffsetDelivery: DeliveryCallback = (error, _token, topic, partition) => {
    if (error !== null) this.onSendFailure(error);
    else this.offsetPartition = [{ topic, partition }];
  };

  /** `errors.tolerance` does not apply: the transaction would miss the record. */
  private onSendFailure(error: KafkaError): void {
    // The transaction is lost anyway, and its records are polled again after the restart.
    if (error.code !== 'PRODUCER_CLOSED') void this.fail(error);
  }

  private added(polled: SourceRecord): Promise<void> | null {
    const { boundary } = this.options;
    this.offsets.set(polled.sourcePartition, polled.sourceOffset);
    const end = boundary.afterRecord(polled);
    return end === null ? null : this.inTurn(() => this.end(end));
  }

  private async store(partition: SourcePartition, offset: SourceOffset | null): Promise<void> {
    // Otherwise a part of the batch would be committed.
    if (this.inBatch) await new Promise<void>((resolve) => this.batchEnded.push(resolve));
    await this.inTurn(async () => {
      if (this.requests !== null && this.openSince !== null)
        throw new ConnectError(
          'An offset without a record cannot be stored while a transaction of the connector is open: commit or abort it first.',
          { code: 'TRANSACTION_OPEN' },
        );
      this.offsets.set(partition, offset);
      await this.end('commit');
    });
  }

  private commitWithoutBatch(): void {
    this.options.boundary.begin(performance.now());
    this.endInBackground('commit');
  }

  private endInBackground(end: TransactionEnd): void {
    this.inTurn(() => this.end(end)).catch((error: unknown) => void this.fail(error));
  }

  private clearTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private async end(end: TransactionEnd): Promise<void> {
    this.clearTimer();
    if (end === 'abort') await this.abort();
    await this.commit();
  }

  /** The records' offsets stay, so that the next commit stores them and the records are not read again. */
  private async abort(): Promise<void> {
    const { producer, logger } = this.options;
    this.throwFailure();
    if (this.openSince === null) return logger.warn('The connector aborted a transaction without records');
    logger.info(`Aborting a transaction of ${this.size} record(s), as the connector requested`);
    try {
      // First, so that `commitRecord` is called for all of them.
      await producer.flush();
      this.throwFailure();
      await producer.abortTransaction();
    } catch (error) {
      throw this.fail(error);
    }
    this.openSince = null;
    this.size = 0;
  }

  private async commit(): Promise<void> {
    const { calls, producer, metrics } = this.options;
    this.throwFailure();
    if (this.openSince === null && this.offsets.isEmpty) return;
    const began = performance.now();
    const offsets = this.offsets.take();
    try {
      this.begin();
      await calls.duringWait('offset-commit', async () => {
        await this.sendOffsets(offsets);
        await producer.commitTransaction();
      });
    } catch (error) {
      metrics.committed(false, performance.now() - began);
      // Nothing may be committed after it: the offsets are no longer known.
      throw this.fail(error);
    }
    this.openSince = null;
    this.commitMs = performance.now() - began;
    metrics.committed(true, this.commitMs);
    metrics.source.transaction(this.size);
    this.size = 0;
    await this.notify(offsets);
  }

  private async sendOffsets(offsets: NewOffsets): Promise<void> {
    const { producer, storage } = this.options;
    if (offsets.length === 0) return;
    const { topic, records } = await storage.encode(offsets);
    if (!producer.isPrepared(topic)) await producer.prepare([topic]);
    this.throwFailure();
    for (const [key, value] of records) producer.send({ topic, key, value }, this.onOffsetDelivery);
  }

  private async notify(offsets: NewOffsets): Promise<void> {
    const { task, calls, delivered, storage, logger } = this.options;
    const finished = this.finished;
    this.finished = [];
    for (const [record, metadata] of finished) delivered.notifyTask(record, metadata);
    if (offsets.length > 0)
      void storage
        .copy(offsets)
        .catch((error: unknown) =>
          logger.warn(`Cannot copy offsets to the worker's offsets topic: ${messageOf(error)}`, { error }),
        );
    if (!task.commit) return;
    const committed = new Map<SourcePartition, SourceOffset | null>();
    for (const [partition, offset] of offsets) if (partition !== null) committed.set(partition, offset);
    try {
      await calls.during('commit', () => task.commit?.(committed));
    } catch (error) {
      logger.error(`Ignoring an error of commit(): ${messageOf(error)}`, { error });
    }
  }

  private begin(): void {
    if (this.cancelled)
      throw new ConnectError('The task was cancelled and may no longer write.', { code: 'TASK_CANCELLED' });
    if (this.openSince !== null) return;
    this.options.producer.beginTransaction(this.offsetPartition);
    this.openSince = performance.now();
  }

  private inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.settling === null ? run() : this.settling.then(run);
    const settling = turn
      .catch(() => undefined)
      .then(() => {
        if (this.settling === settling) this.settling = null;
      });
    this.settling = settling;
    return turn;
  }

  private facts(): TransactionFacts {
    const { id, spec, transactionTimeoutMs } = this.options;
    const openMs = this.openSince === null ? 0 : performance.now() - this.openSince;
    return { task: taskName(id), transactionalId: spec.transactionalId, timeoutMs: transactionTimeoutMs, openMs };
  }

  private explained(error: unknown): Error {
    return transactionError(error, this.facts());
  }

  /** @returns the first failure */
  private fail(error: unknown): Error {
    this.failure ??= this.explained(error);
    this.options.onFailure();
    return this.failure;
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure;
  }
}
