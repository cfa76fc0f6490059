/**
 * Collects records into batches per partition. Bytes are copied into the open batch at once; only a token is kept per
 * record. The sender decides when batches are sent. Source: kafka-client §1.
 */
import { PartitionQueue } from './partition-queue';
import { BufferPool } from '../records/buffer-pool';
import { KafkaError } from '../errors';
import { StickyPartition } from './partitioner';
import type { DeliveryCallback, ProducerRecord } from '../port';
import { ProducerBatch } from './producer-batch';
import type { ProducerSettings } from './producer-settings';
import { produceHeadroom } from '../protocol/produce';
import { decodeRecordBatches } from '../records/record-batch-decoder';

/** Idle buffers kept for reuse: enough for a burst. */
const MAX_IDLE_POOL_BYTES = 8 * 1024 * 1024;
const FIRST_BATCH_BYTES = 4 * 1024;

interface TopicQueues {
  readonly sticky: StickyPartition;
  readonly queues: PartitionQueue[];
}

export interface AccumulatorEvents {
  /** The queue may have something to send. */
  onWork(queue: PartitionQueue): void;
  /** Sealing failed: the batch was removed from its queue. */
  onSealFailed(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError): void;
  onBatchDone(): void;
  onCallbackError(error: unknown): void;
}

/** No limit for decoding batches that were encoded here. */
const MAX_OWN_BATCH_BYTES = 2 ** 31 - 1;

export class Accumulator {
  readonly pool: BufferPool;
  /** Queues with something that may be sent now or later, or with new records since the sender's last pass. */
  readonly active = new Set<PartitionQueue>();
  /** Batches whose callbacks were not called yet. */
  readonly live = new Set<ProducerBatch>();
  bufferedBytes = 0;
  private readonly topics = new Map<string, TopicQueues>();

  constructor(
    private readonly settings: ProducerSettings,
    private readonly events: AccumulatorEvents,
  ) {
    this.pool = new BufferPool(Math.min(MAX_IDLE_POOL_BYTES, settings.bufferMemory));
  }

  /** The sticky partition of a topic for a record without a key. */
  stickyPartition(topic: string, partitionCount: number, hasLeader: (partition: number) => boolean): number {
    return this.topic(topic).sticky.choose(partitionCount, hasLeader);
  }

  queue(topic: string, partition: number): PartitionQueue {
    const { queues, sticky } = this.topic(topic);
    const { maxBatchBytes, transactionalId } = this.settings;
    return (queues[partition] ??= new PartitionQueue(
      topic,
      partition,
      maxBatchBytes,
      produceHeadroom(transactionalId, topic),
      sticky,
    ));
  }

  append(
    record: ProducerRecord,
    partition: number,
    timestamp: number,
    onDelivery: DeliveryCallback | undefined,
    token: number,
    permissionEpoch: number,
  ): void {
    const queue = this.topic(record.topic).queues[partition] ?? this.queue(record.topic, partition);
    let batch = queue.open;
    let isNew = false;
    if (
      batch === null ||
      batch.permissionEpoch !== permissionEpoch ||
      !batch.append(record, timestamp, queue.maxBatchBytes, onDelivery, token)
    ) {
      if (batch !== null) this.closeOpen(queue);
      batch = queue.open = this.newBatch(queue, performance.now(), permissionEpoch);
      batch.append(record, timestamp, queue.maxBatchBytes, onDelivery, token);
      isNew = true;
    }
    const size = batch.encoder.byteLength;
    this.bufferedBytes += size - batch.accountedBytes;
    batch.accountedBytes = size;
    const isFull = size >= this.settings.batchBytes;
    if (isFull) queue.sticky?.batchEnded(partition);
    if (isNew || isFull) {
      this.active.add(queue);
      this.events.onWork(queue);
    }
  }

  /** The open batch becomes the last closed one; compression starts. */
  closeOpen(queue: PartitionQueue): void {
    const batch = queue.open;
    if (batch === null) return;
    queue.open = null;
    queue.sizeHint = batch.encoder.byteLength;
    queue.closed.push(batch);
    queue.sticky?.batchEnded(queue.partition);
    this.seal(queue, batch);
  }

  /**
   * Replaces a batch that the broker rejected as too large by smaller ones in its place, and keeps later batches of the
   * partition below that size. The batch must have more than one record and not be in flight.
   */
  split(queue: PartitionQueue, batch: ProducerBatch): void {
    const limit = Math.max(1, Math.ceil(batch.accountedBytes / 2));
    queue.maxBatchBytes = Math.min(queue.maxBatchBytes, limit);
    const { records } = decodeRecordBatches(batch.encoder.bytes(), {
      fetchOffset: 0,
      isolation: 'read_uncommitted',
      abortedTransactions: [],
      checkCrcs: false,
      maxDecompressedBytes: MAX_OWN_BATCH_BYTES,
    });
    const parts: ProducerBatch[] = [];
    records.forEach((record, i) => {
      const append = (part: ProducerBatch | undefined) =>
        part?.append(record, record.timestamp, limit, batch.callbackOf(i), batch.tokenOf(i)) ?? false;
      if (append(parts.at(-1))) return;
      const fresh = this.newBatch(queue, batch.createdAt, batch.permissionEpoch, limit);
      parts.push(fresh);
      append(parts.at(-1));
    });
    for (const part of parts) {
      part.accountedBytes = part.encoder.byteLength;
      this.bufferedBytes += part.accountedBytes;
    }
    queue.replace(batch, parts);
    this.active.add(queue);
    for (const part of parts) this.seal(queue, part);
    this.replaced(batch, parts);
  }

  /** The batch's outcome is known: it is reported after those of the batches that were sent before it. */
  settle(queue: PartitionQueue, batch: ProducerBatch, error: KafkaError | null, baseOffset: number): void {
    const { sent } = queue;
    if (sent[0] !== batch && sent.includes(batch)) {
      batch.outcome = { error, baseOffset };
      return;
    }
    if (sent[0] === batch) sent.shift();
    this.complete(batch, error, baseOffset);
    for (let first = sent[0]; first !== undefined && first.outcome !== null; first = sent[0]) {
      sent.shift();
      this.complete(first, first.outcome.error, first.outcome.baseOffset);
    }
  }

  /** Reports the outcome of the batch to the callbacks of its records. */
  complete(batch: ProducerBatch, error: KafkaError | null, baseOffset: number): void {
    if (!this.live.delete(batch)) return;
    this.bufferedBytes -= batch.accountedBytes;
    batch.complete(error, baseOffset, this.events.onCallbackError);
    for (const waiter of this.flushWaiters) waiter.settle(batch, []);
    this.events.onBatchDone();
  }

  /** Resolves when every live batch, and the parts of split batches, were reported. */
  allReported(): Promise<void> {
    if (this.live.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const pending = new Set(this.live);
      const waiter: FlushWaiter = {
        settle: (batch, parts) => {
          if (!pending.delete(batch)) return;
          for (const part of parts) pending.add(part);
          if (pending.size > 0) return;
          this.flushWaiters.delete(waiter);
          resolve();
        },
      };
      this.flushWaiters.add(waiter);
    });
  }

  private readonly flushWaiters = new Set<FlushWaiter>();

  private replaced(batch: ProducerBatch, parts: readonly ProducerBatch[]): void {
    this.live.delete(batch);
    this.bufferedBytes -= batch.accountedBytes;
    batch.discard();
    for (const waiter of this.flushWaiters) waiter.settle(batch, parts);
  }

  private seal(queue: PartitionQueue, batch: ProducerBatch): void {
    const fail = (cause: unknown): void => {
      queue.remove(batch);
      const error =
        cause instanceof KafkaError
          ? cause
          : new KafkaError('COMPRESSION_FAILED', `Compressing a batch failed: ${(cause as Error).message}`, {
              cause,
            });
      this.events.onSealFailed(queue, batch, error);
    };
    try {
      batch.seal(this.settings.codec, this.settings.compressionLevel)?.then(() => this.events.onWork(queue), fail);
    } catch (error) {
      fail(error);
    }
  }

  private newBatch(
    queue: PartitionQueue,
    createdAt: number,
    permissionEpoch: number,
    sizeHint = queue.sizeHint,
  ): ProducerBatch {
    const batch = new ProducerBatch(
      queue.topic,
      queue.partition,
      createdAt,
      permissionEpoch,
      this.pool,
      queue.headroom,
      Math.max(sizeHint, FIRST_BATCH_BYTES),
    );
    this.live.add(batch);
    return batch;
  }

  private topic(name: string): TopicQueues {
    let topic = this.topics.get(name);
    if (topic === undefined) this.topics.set(name, (topic = { sticky: new StickyPartition(), queues: [] }));
    return topic;
  }
}

interface FlushWaiter {
  settle(batch: ProducerBatch, replacedBy: readonly ProducerBatch[]): void;
}
