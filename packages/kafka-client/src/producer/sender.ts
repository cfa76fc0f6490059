/**
 * Sends the batches of the accumulator: the partitions of a broker in one request, several batches of a partition in
 * flight where sequence numbers keep their order, otherwise one. Retries precede later batches. Source: kafka-client
 * §1.
 */
import { startTimer, backoffMs, type Logger } from '@millrace/sdk';
import type { Accumulator } from './accumulator';
import type { PartitionQueue } from './partition-queue';
import { KafkaError } from '../errors';
import type { ProducerMetrics } from '../client-metrics';
import type { ProducerBatch } from './producer-batch';
import type { SendPermission } from '../port';
import type { Idempotence } from './idempotence';
import { describeBatch, failedBatch, mayBeAppended, outcomeOf, ResultsByPartition } from './produce-response';
import type { ProducerSettings } from './producer-settings';
import { ProduceRequest } from './produce-request';
import type { ProducedPartition } from '../protocol/produce';
import type { Wire } from '../wire';

/** Poll interval: a permission does not notify of changes. */
const PERMISSION_POLL_MS = 50;
/** A batch was added to a request; there may be another. */
const ADDED = -1;

export class Sender {
  /** Pending calls of `flush`: while above zero, batches are sent without lingering. */
  pendingFlushes = 0;
  private readonly requestsInFlight = new Map<number, number>();
  private allInFlight = 0;
  /** Batches that were begun until then do not linger. */
  private pushedAt = -Infinity;
  private pushWaits = false;
  private readonly refreshing = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private drainScheduled = false;
  private stopped = false;

  constructor(
    private readonly wire: Wire,
    private readonly settings: ProducerSettings,
    private readonly accumulator: Accumulator,
    private readonly idempotence: Idempotence,
    /** Null: batches may be sent at any time. */
    private readonly permission: SendPermission | null,
    private readonly logger: Logger,
    private readonly metrics?: ProducerMetrics,
  ) {}

  /** The queue may have something to send, now or after `linger.ms`. */
  onWork(queue: PartitionQueue): void {
    if (this.drainScheduled || (queue.inFlight > 0 && queue.closed.length === 0)) return;
    const now = performance.now();
    if (queue.next(now, this.settings.maxInFlightBatches) === null) return;
    const at = Math.max(this.dueAt(queue), queue.retryAt);
    if (at <= now) this.wake();
    else this.setTimer(at, now);
  }

  /** Without linger, a round trip collects the records of many transactions, also of several partitions. */
  push(): void {
    this.pushWaits = true;
    if (this.allInFlight === 0) this.wake();
  }

  /** Schedules one pass over the active queues, in a later turn of the event loop. */
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

  /** Fails a batch that is not in a queue. */
  fail(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void {
    if (error.code !== 'ABORTED') this.metrics?.failure(batch.recordCount);
    this.idempotence.onBatchFailed(queue, batch, error);
    this.accumulator.settle(queue, batch, batch.mayBeAppended ? error.asInDoubt() : error, -1);
  }

  private drain(): void {
    if (this.stopped) return;
    const now = performance.now();
    if (this.pushWaits && this.allInFlight === 0) {
      this.pushWaits = false;
      this.pushedAt = now;
    }
    const requests = new Map<number, ProduceRequest[]>();
    let wakeAt = Infinity;
    // One batch of each partition after the other, so that none waits for the requests that another one fills.
    for (let queues: Iterable<PartitionQueue> = this.accumulator.active; ;) {
      const more: PartitionQueue[] = [];
      for (const queue of queues) {
        const at = this.addNextBatch(queue, now, requests);
        if (at === ADDED) more.push(queue);
        else wakeAt = Math.min(wakeAt, at);
      }
      if (more.length === 0) break;
      queues = more;
    }
    for (const [node, list] of requests) for (const request of list) void this.transmit(node, request);
    this.metrics?.bufferedBytes.set(this.accumulator.bufferedBytes);
    if (wakeAt < Infinity) this.setTimer(wakeAt, now);
    else this.clearTimer();
  }

  /** Adds the queue's next batch to a request if it can be sent. @returns `ADDED` or the time of the next check. */
  private addNextBatch(queue: PartitionQueue, now: number, requests: Map<number, ProduceRequest[]>): number {
    const { accumulator, settings, permission } = this;
    if (queue.inFlight === 0) this.expire(queue, now);
    const batch = queue.next(now, settings.maxInFlightBatches);
    if (batch === null) {
      accumulator.active.delete(queue);
      return Infinity;
    }
    const expiresAt = batch.createdAt + settings.deliveryTimeoutMs;
    const sendAt = Math.max(this.dueAt(queue), queue.retryAt);
    if (sendAt > now) return Math.min(sendAt, expiresAt);
    // Expired or abandoned: it fails when those in flight have returned, which is the next check.
    if (queue.inFlight > 0 && (expiresAt <= now || this.idempotence.abandoned !== null)) return Infinity;
    if (permission !== null && permission.check(batch.permissionEpoch) !== 'now')
      return Math.min(now + PERMISSION_POLL_MS, expiresAt);

    const node = this.wire.leader(queue);
    if (node === undefined || node < 0) {
      this.refreshMetadata(queue.topic);
      queue.retryAt = now + Math.max(settings.retryBackoffMs, 10);
      return Math.min(queue.retryAt, expiresAt);
    }
    if (!this.idempotence.tryAssignIdentity(queue)) return expiresAt;
    const request = this.requestWithRoom(requests, node, queue, batch);
    if (request === null) return expiresAt;
    if (batch === queue.open) accumulator.closeOpen(queue);
    if (batch.state !== 'sealed') return expiresAt;

    queue.assignIdentity(batch, this.idempotence.transactional);
    queue.sending(batch);
    request.add(queue, batch);
    if (queue.closed.length > 0) return ADDED;
    accumulator.active.delete(queue);
    return Infinity;
  }

  private dueAt(queue: PartitionQueue): number {
    if (this.pendingFlushes > 0 || queue.sent.length + queue.closed.length > 0 || queue.open === null) return 0;
    if (queue.open.encoder.byteLength >= this.settings.batchBytes) return 0;
    return queue.open.createdAt <= this.pushedAt ? 0 : queue.open.createdAt + this.settings.lingerMs;
  }

  private requestWithRoom(
    requests: Map<number, ProduceRequest[]>,
    node: number,
    queue: PartitionQueue,
    batch: ProducerBatch,
  ): ProduceRequest | null {
    let list = requests.get(node);
    if (list === undefined) requests.set(node, (list = []));
    const last = list.at(-1);
    if (last?.hasRoom(queue, batch, this.settings.maxRequestBytes)) return last;
    if ((this.requestsInFlight.get(node) ?? 0) + list.length >= this.settings.maxInFlightRequests) return null;
    const request = new ProduceRequest(this.settings, this.accumulator.pool, this.permission);
    list.push(request);
    return request;
  }

  private expire(queue: PartitionQueue, now: number): void {
    for (let head = queue.head; head !== null; head = queue.head) {
      const abandoned = this.idempotence.abandoned ?? this.sessionLostError(queue, head);
      if (abandoned === null && head.createdAt + this.settings.deliveryTimeoutMs > now) return;
      if (head === queue.open) this.accumulator.closeOpen(queue);
      if (queue.closed[0] === head) queue.closed.shift();
      this.fail(queue, head, abandoned ?? this.timeoutError(queue, head));
    }
  }

  private sessionLostError(queue: PartitionQueue, batch: ProducerBatch): KafkaError | null {
    if (this.permission === null || this.permission.check(batch.permissionEpoch) !== 'never') return null;
    const { topic, partition } = queue;
    const fate = batch.mayBeAppended ? 'was sent, but not acknowledged' : 'was not sent';
    return new KafkaError(
      'SESSION_LOST',
      `${describeBatch(queue, batch)} ${fate}: the worker lost its group membership, and another member may own this work.`,
      { topic, partition },
    );
  }

  private timeoutError(queue: PartitionQueue, batch: ProducerBatch): KafkaError {
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
    this.allInFlight++;
    const { metrics } = this;
    const began = performance.now();
    if (metrics !== undefined) measure(request, metrics, began);
    let responded = false;
    try {
      const results = await request.send(this.wire, node);
      responded = results !== null;
      if (results !== null) metrics?.throttleTimes.record(results.throttleMs);
      const found = results === null ? null : new ResultsByPartition(results.partitions);
      const now = performance.now();
      for (const { queue, batch } of request.entries) {
        queue.returned(batch);
        this.handleResult(queue, batch, found === null ? null : found.of(queue), now);
        this.returned(queue);
      }
    } catch (error) {
      const cause =
        error instanceof KafkaError ? error : new KafkaError('CONNECTION_FAILED', String(error), { cause: error });
      for (const { queue, batch } of request.entries) {
        queue.returned(batch);
        this.handleMissingResponse(queue, batch, cause);
        this.returned(queue);
      }
    } finally {
      metrics?.requestEnded(responded ? performance.now() - began : null);
      this.requestsInFlight.set(node, this.requestsInFlight.get(node)! - 1);
      this.allInFlight--;
      // Not in a later turn: the broker would be idle until then.
      this.drain();
    }
  }

  /** @param result undefined: not in the response; null for acks=0: the broker does not respond. */
  private handleResult(
    queue: PartitionQueue,
    batch: ProducerBatch,
    result: ProducedPartition | undefined | null,
    now: number,
  ): void {
    if (result === null) {
      batch.memoryInDoubt = true;
      return this.accumulator.settle(queue, batch, null, -1);
    }
    const outcome = outcomeOf(result, batch);
    if (outcome !== 'delivered' && mayBeAppended(result)) batch.mayBeAppended = true;
    switch (outcome) {
      case 'delivered':
        queue.acknowledged(batch, now);
        return this.accumulator.settle(queue, batch, null, result!.baseOffset);
      case 'split':
        this.logger.debug('Kafka rejected a batch as too large; splitting it', {
          topic: queue.topic,
          bytes: batch.accountedBytes,
        });
        this.accumulator.split(queue, batch);
        this.metrics?.batchSplit();
        return;
      case 'sequence-lost':
        // An earlier batch was not appended. This one waits for it, and keeps its sequence numbers.
        if (!batch.isFirst) return this.retryInTurn(queue, batch);
        if (this.idempotence.onSequenceLost(queue, batch))
          return this.retry(queue, batch, failedBatch(queue, batch, result));
        return this.fail(queue, batch, failedBatch(queue, batch, result));
      case 'retry-refreshed':
        this.refreshMetadata(queue.topic);
        return this.retry(queue, batch, failedBatch(queue, batch, result));
      case 'retry':
        return this.retry(queue, batch, failedBatch(queue, batch, result));
      case 'failed':
        return this.fail(queue, batch, failedBatch(queue, batch, result));
    }
  }

  /** Without a response the broker may have the batch, unless it was not sent for lack of permission. */
  private handleMissingResponse(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void {
    if (error.code !== 'SESSION_IN_DOUBT') batch.mayBeAppended = true;
    batch.memoryInDoubt = true;
    if (!error.retriable) return this.fail(queue, batch, error);
    this.refreshMetadata(queue.topic);
    this.retry(queue, batch, error);
  }

  /** An attempt has returned: what waited for it may be sent. */
  private returned(queue: PartitionQueue): void {
    if (queue.head !== null) this.accumulator.active.add(queue);
  }

  /** Not counted as a retry: the batch was sent in advance. */
  private retryInTurn(queue: PartitionQueue, batch: ProducerBatch): void {
    batch.attempts--;
    const { abandoned } = this.idempotence;
    if (abandoned !== null) this.fail(queue, batch, abandoned);
  }

  private retry(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void {
    batch.lastError = error;
    if (batch.state === 'done') return;
    if (this.idempotence.abandoned !== null) return this.fail(queue, batch, this.idempotence.abandoned);
    const now = performance.now();
    if (now >= batch.createdAt + this.settings.deliveryTimeoutMs) {
      return this.fail(queue, batch, this.timeoutError(queue, batch));
    }
    if (batch.attempts > this.settings.retries) return this.fail(queue, batch, error);
    this.logger.debug('Retrying a produce request', {
      topic: queue.topic,
      partition: queue.partition,
      code: error.code,
    });
    this.metrics?.retry(batch.recordCount);
    queue.retryAt =
      now +
      backoffMs(batch.attempts, { firstMs: this.settings.retryBackoffMs, maxMs: this.settings.retryBackoffMaxMs });
  }

  private refreshMetadata(topic: string): void {
    if (this.refreshing.has(topic)) return;
    this.refreshing.add(topic);
    // Records wait for this topic: brokers may recreate a deleted one, as with Java's producer.
    const { allowAutoCreate } = this.settings;
    this.wire.refresh([topic], { allowAutoCreate }).then(
      () => this.refreshing.delete(topic),
      (error: unknown) => {
        this.refreshing.delete(topic);
        this.logger.debug('Refreshing Kafka metadata failed; retrying', { topic, error: String(error) });
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

/** @param now of `performance.now()` */
function measure(request: ProduceRequest, metrics: ProducerMetrics, now: number): void {
  const wall = Date.now();
  let records = 0;
  for (const { batch } of request.entries) {
    records += batch.recordCount;
    metrics.batchSent(batch.encoder.byteLength, now - batch.createdAt, wall);
  }
  metrics.requestSent(records, wall);
}
