/**
 * Sends what the accumulator holds: at most one batch in flight per partition, several partitions of one broker in one
 * request, retries in place so that order holds. Source: kafka-client §1.
 */
import { startTimer, backoffMs } from '@millrace/sdk';
import type { Accumulator } from './accumulator';
import type { PartitionQueue } from './partition-queue';
import { KafkaError } from '../errors';
import type { Logger } from '../../logging/logger';
import type { ProducerBatch } from './producer-batch';
import type { SendPermission } from '../port';
import type { SendPermit } from './idempotence';
import { describeBatch, failedBatch, mayBeAppended, verdictOf } from './produce-response';
import type { ProducerSettings } from './producer-settings';
import { ProduceRequest } from './produce-request';
import type { ProducedPartition } from '../protocol/produce';
import type { Wire } from '../wire';

/** A permission says nothing when it changes. */
const ASK_AGAIN_MS = 50;

export class Sender {
  /** While above zero everything is due: a flush or a close is waiting. */
  hurrying = 0;
  private readonly requestsInFlight = new Map<number, number>();
  private readonly refreshing = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private drainScheduled = false;
  private stopped = false;

  constructor(
    private readonly wire: Wire,
    private readonly settings: ProducerSettings,
    private readonly accumulator: Accumulator,
    private readonly permit: SendPermit,
    /** Null: whatever is there may be sent. */
    private readonly permission: SendPermission | null,
    private readonly logger: Logger,
  ) {}

  /** The queue may have become sendable: now, or when its open batch has lingered. */
  onWork(queue: PartitionQueue): void {
    if (queue.inFlight !== null || this.drainScheduled) return;
    const now = performance.now();
    const at = Math.max(this.dueAt(queue), queue.retryAt);
    if (at <= now) this.wake();
    else this.setTimer(at, now);
  }

  /** Looks at every active queue soon, once however often it is called before that. */
  wake(): void {
    if (this.drainScheduled || this.stopped) return;
    this.drainScheduled = true;
    setImmediate(() => {
      this.drainScheduled = false;
      this.drain();
    });
  }

  stop(): void {
    this.stopped = true;
    this.clearTimer();
  }

  /** Gives a batch up that stands in no queue. */
  fail(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void {
    this.permit.onBatchFailed(queue, batch, error);
    this.accumulator.complete(batch, batch.mayBeAppended ? error.asInDoubt() : error, -1);
  }

  private drain(): void {
    if (this.stopped) return;
    const now = performance.now();
    const requests = new Map<number, ProduceRequest[]>();
    let wakeAt = Infinity;
    for (const queue of this.accumulator.active) {
      wakeAt = Math.min(wakeAt, this.consider(queue, now, requests));
    }
    for (const [node, list] of requests) for (const request of list) void this.transmit(node, request);
    if (wakeAt < Infinity) this.setTimer(wakeAt, now);
    else this.clearTimer();
  }

  /** Puts the queue's next batch into a request when it may go. @returns when to look again. */
  private consider(queue: PartitionQueue, now: number, requests: Map<number, ProduceRequest[]>): number {
    const { accumulator, settings } = this;
    if (queue.inFlight === null) this.expire(queue, now);
    const head = queue.head;
    if (queue.inFlight !== null || head === null) {
      accumulator.active.delete(queue);
      return Infinity;
    }
    const expiresAt = head.createdAt + settings.deliveryTimeoutMs;
    const sendAt = Math.max(this.dueAt(queue), queue.retryAt);
    if (sendAt > now) return Math.min(sendAt, expiresAt);
    if (this.permission?.ask(head.term) === 'later') return Math.min(now + ASK_AGAIN_MS, expiresAt);

    const node = this.wire.leader(queue);
    if (node === undefined || node < 0) {
      this.refreshMetadata(queue.topic);
      queue.retryAt = now + Math.max(settings.retryBackoffMs, 10);
      return Math.min(queue.retryAt, expiresAt);
    }
    if (!this.permit.admit(queue)) return expiresAt;
    const request = this.requestWithRoom(requests, node, head);
    if (request === null) return expiresAt;
    if (head === queue.open) accumulator.closeOpen(queue);
    if (queue.closed[0] !== head || head.state !== 'sealed') return expiresAt;

    queue.closed.shift();
    queue.inFlight = head;
    queue.identify(head, this.permit.transactional);
    head.attempts++;
    request.add(queue, head);
    accumulator.active.delete(queue);
    return Infinity;
  }

  private dueAt(queue: PartitionQueue): number {
    if (this.hurrying > 0 || queue.closed.length > 0 || queue.open === null) return 0;
    if (queue.open.encoder.byteLength >= this.settings.batchBytes) return 0;
    return queue.open.createdAt + this.settings.lingerMs;
  }

  private requestWithRoom(
    requests: Map<number, ProduceRequest[]>,
    node: number,
    batch: ProducerBatch,
  ): ProduceRequest | null {
    let list = requests.get(node);
    if (list === undefined) requests.set(node, (list = []));
    const last = list.at(-1);
    if (last?.hasRoom(batch, this.settings.maxRequestBytes)) return last;
    if ((this.requestsInFlight.get(node) ?? 0) + list.length >= this.settings.maxInFlightRequests) return null;
    const request = new ProduceRequest(this.settings, this.accumulator.pool, this.permission);
    list.push(request);
    return request;
  }

  private expire(queue: PartitionQueue, now: number): void {
    for (let head = queue.head; head !== null; head = queue.head) {
      const abandoned = this.permit.abandoned ?? this.disowned(queue, head);
      if (abandoned === null && head.createdAt + this.settings.deliveryTimeoutMs > now) return;
      if (head === queue.open) this.accumulator.closeOpen(queue);
      if (queue.closed[0] === head) queue.closed.shift();
      this.fail(queue, head, abandoned ?? this.timedOut(queue, head));
    }
  }

  private disowned(queue: PartitionQueue, batch: ProducerBatch): KafkaError | null {
    if (this.permission === null || this.permission.ask(batch.term) !== 'never') return null;
    const { topic, partition } = queue;
    const fate = batch.mayBeAppended ? 'was sent, but its answer was not waited for' : 'was not sent';
    return new KafkaError(
      'SESSION_LOST',
      `${describeBatch(queue, batch)} ${fate}: this worker has lost its place in the group, and others may have what it is about.`,
      { topic, partition },
    );
  }

  private timedOut(queue: PartitionQueue, batch: ProducerBatch): KafkaError {
    const why = batch.lastError ? ` The last attempt failed with: ${batch.lastError.message}` : '';
    return new KafkaError(
      'DELIVERY_TIMEOUT',
      `${describeBatch(queue, batch)} could not be delivered within delivery.timeout.ms=${this.settings.deliveryTimeoutMs}.${why}`,
      { topic: queue.topic, partition: queue.partition, cause: batch.lastError ?? undefined },
    );
  }

  private async transmit(node: number, request: ProduceRequest): Promise<void> {
    if (request.isEmpty) return;
    this.requestsInFlight.set(node, (this.requestsInFlight.get(node) ?? 0) + 1);
    try {
      const results = await request.send(this.wire, node);
      for (const entry of request.entries) this.settle(entry.queue, entry.batch, results);
    } catch (error) {
      const cause =
        error instanceof KafkaError ? error : new KafkaError('CONNECTION_FAILED', String(error), { cause: error });
      for (const { queue, batch } of request.entries) this.settleUnanswered(queue, batch, cause);
    } finally {
      this.requestsInFlight.set(node, this.requestsInFlight.get(node)! - 1);
      // At once: the broker would be idle while whoever produces takes its turn of the event loop.
      this.drain();
    }
  }

  /** @param results null with acks=0: the broker does not answer. */
  private settle(queue: PartitionQueue, batch: ProducerBatch, results: readonly ProducedPartition[] | null): void {
    this.land(queue);
    if (results === null) {
      batch.memoryInDoubt = true;
      return this.accumulator.complete(batch, null, -1);
    }
    const result = results.find((r) => r.partition === queue.partition && r.topic === queue.topic);
    const verdict = verdictOf(result, batch);
    if (verdict !== 'delivered' && mayBeAppended(result)) batch.mayBeAppended = true;
    switch (verdict) {
      case 'delivered':
        return this.accumulator.complete(batch, null, result!.baseOffset);
      case 'split':
        this.logger.debug('Kafka found a batch too large; it is split', {
          topic: queue.topic,
          bytes: batch.accountedBytes,
        });
        this.accumulator.split(queue, batch);
        return queue.takeBackSequence(batch);
      case 'sequence-lost':
        if (this.permit.onSequenceLost(queue, batch))
          return this.retry(queue, batch, failedBatch(queue, batch, result));
        return this.fail(queue, batch, failedBatch(queue, batch, result));
      case 'retry-elsewhere':
        this.refreshMetadata(queue.topic);
        return this.retry(queue, batch, failedBatch(queue, batch, result));
      case 'retry':
        return this.retry(queue, batch, failedBatch(queue, batch, result));
      case 'failed':
        return this.fail(queue, batch, failedBatch(queue, batch, result));
    }
  }

  /** No answer came: the broker may have the batch or not, unless the permission to send it was refused. */
  private settleUnanswered(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void {
    this.land(queue);
    if (error.code !== 'SESSION_IN_DOUBT') batch.mayBeAppended = true;
    batch.memoryInDoubt = true;
    if (!error.retriable) return this.fail(queue, batch, error);
    this.refreshMetadata(queue.topic);
    this.retry(queue, batch, error);
  }

  private land(queue: PartitionQueue): void {
    queue.inFlight = null;
    if (queue.head !== null) this.accumulator.active.add(queue);
  }

  private retry(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void {
    batch.lastError = error;
    if (batch.state === 'done') return;
    if (this.permit.abandoned !== null) return this.fail(queue, batch, this.permit.abandoned);
    const now = performance.now();
    if (now >= batch.createdAt + this.settings.deliveryTimeoutMs) {
      return this.fail(queue, batch, this.timedOut(queue, batch));
    }
    if (batch.attempts > this.settings.retries) return this.fail(queue, batch, error);
    this.logger.debug('A produce request is sent again', {
      topic: queue.topic,
      partition: queue.partition,
      code: error.code,
    });
    queue.closed.unshift(batch);
    queue.retryAt =
      now +
      backoffMs(batch.attempts, { firstMs: this.settings.retryBackoffMs, maxMs: this.settings.retryBackoffMaxMs });
    this.accumulator.active.add(queue);
  }

  private refreshMetadata(topic: string): void {
    if (this.refreshing.has(topic)) return;
    this.refreshing.add(topic);
    // Somebody waits for this topic: one that was deleted is created anew where brokers do that, as Java's producer
    // asks for it.
    const { allowAutoCreate } = this.settings;
    this.wire.refresh([topic], { allowAutoCreate }).then(
      () => this.refreshing.delete(topic),
      (error: unknown) => {
        this.refreshing.delete(topic);
        this.logger.debug('Kafka metadata could not be refreshed; it is tried again', { topic, error: String(error) });
      },
    );
  }

  private clearTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.timerAt = Infinity;
  }

  private setTimer(at: number, now: number): void {
    if (this.stopped || at >= this.timerAt) return;
    this.clearTimer();
    this.timerAt = at;
    this.timer = startTimer(
      () => {
        this.timer = null;
        this.timerAt = Infinity;
        this.drain();
      },
      Math.max(at - now, 1),
    );
  }
}
