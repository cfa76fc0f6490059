/**
 * The producer of the Kafka port: settings, partitioning, backpressure and lifecycle around accumulator and sender.
 */
import { codecById, UnavailableCodecError } from '@millrace/record-codecs';
import { sleep, backoffMs, type Logger } from '@millrace/sdk';
import type { Counter, ProducerMetrics } from '../client-metrics';
import { Accumulator } from './accumulator';
import { KafkaError } from '../errors';
import { partitionForKey } from './partitioner';
import type {
  ClientConfig,
  DeliveryCallback,
  Producer,
  ProducerOptions,
  ProducerRecord,
  SendPermission,
  TopicPartition,
  TopicPartitionOffset,
} from '../port';
import { IdempotentProducerIds } from './producer-ids';
import { withoutIdempotence, type Idempotence } from './idempotence';
import { Sender } from './sender';
import { readProducerSettings, type ProducerSettings } from './producer-settings';
import { recordSizeUpperBound } from '../records/record-batch-encoder';
import { TransactionCoordinator } from './transaction-coordinator';
import { TransactionManager } from './transaction-manager';
import type { Wire } from '../wire';

const CLOSE_TIMEOUT_MS = 30_000;
/** An auto-created topic is available within seconds; waiting longer would hide a misspelt name. */
const UNKNOWN_TOPIC_WAIT_MS = 10_000;

/**
 * @param wire used by this producer alone and closed with it.
 * @throws KafkaError INVALID_CLIENT_CONFIG naming the key.
 */
export function createProducer(
  wire: Wire,
  config: ClientConfig,
  logger: Logger,
  permission: SendPermission | null = null,
  metrics?: ProducerMetrics,
  options?: ProducerOptions,
): Producer {
  return new KafkaProducer(wire, readProducerSettings(config, options), logger, permission, metrics);
}

class KafkaProducer implements Producer {
  private readonly accumulator: Accumulator;
  private readonly sender: Sender;
  private readonly transactions: TransactionManager | null = null;
  private readonly ids: IdempotentProducerIds | null = null;
  private readonly closing = new AbortController();
  private state: 'new' | 'connected' | 'closed' = 'new';
  private readyWaiters: (() => void)[] = [];
  private closed: Promise<void> | null = null;

  constructor(
    private readonly wire: Wire,
    private readonly settings: ProducerSettings,
    private readonly logger: Logger,
    private readonly permission: SendPermission | null,
    private readonly metrics?: ProducerMetrics,
  ) {
    metrics?.bufferBytes.set(settings.bufferMemory);
    const coordinator = new TransactionCoordinator(wire, settings, this.closing.signal);
    const wake = (): void => this.sender.wake();
    let idempotence: Idempotence = withoutIdempotence;
    if (settings.transactionalId !== null) {
      idempotence = this.transactions = new TransactionManager(settings.transactionalId, coordinator, {
        wake,
        flush: () => this.flush(),
      });
    } else if (settings.idempotent) {
      idempotence = this.ids = new IdempotentProducerIds(
        () => coordinator.initProducerId(),
        wake,
        settings.idempotenceRequired,
      );
    }
    this.accumulator = new Accumulator(settings, {
      onWork: (queue) => this.sender.onWork(queue),
      onSealFailed: (queue, batch, error) => this.sender.fail(queue, batch, error),
      onBatchDone: () => this.batchDone(),
      onCallbackError: (error) => logger.error('A delivery callback threw', { error: String(error) }),
    });
    this.sender = new Sender(wire, settings, this.accumulator, idempotence, permission, logger, metrics);
  }

  async connect(): Promise<void> {
    if (this.state === 'connected') return;
    this.expectNotClosed();
    if (this.settings.codec !== 0) loadCodec(this.settings.codec);
    await this.wire.connect();
    if (this.settings.idempotenceRequired) await this.ids?.obtain();
    this.expectNotClosed();
    this.state = 'connected';
  }

  send(
    record: ProducerRecord,
    onDelivery?: DeliveryCallback,
    token = 0,
    permissionEpoch = this.permission?.epoch ?? 0,
  ): void {
    if (this.state !== 'connected') this.throwNotConnected();
    this.transactions?.expectOpen();
    const partition = this.choosePartition(record);
    const { timestamp } = record;
    if (timestamp != null && !(timestamp >= 0 && Number.isSafeInteger(timestamp))) {
      throw new KafkaError(
        'INVALID_TIMESTAMP',
        `A record for ${record.topic} has the invalid timestamp ${timestamp}.`,
        {
          topic: record.topic,
          partition,
        },
      );
    }
    const size = recordSizeUpperBound(record.key, record.value, record.headers);
    if (size > this.settings.maxRecordBytes) {
      throw new KafkaError(
        'RECORD_TOO_LARGE_CLIENT',
        `A record for ${record.topic} takes ${size} bytes, more than max.request.size=${this.settings.maxRecordBytes} allows.`,
        { topic: record.topic, partition },
      );
    }
    this.accumulator.append(record, partition, timestamp ?? Date.now(), onDelivery, token, permissionEpoch);
  }

  async prepare(topics: readonly string[]): Promise<void> {
    this.expectNotClosed();
    const missing = topics.filter((topic) => !this.isPrepared(topic));
    if (missing.length > 0) await Promise.all(missing.map((topic) => this.prepareTopic(topic)));
  }

  isPrepared(topic: string): boolean {
    return this.wire.cachedPartitions(topic) !== undefined;
  }

  get bufferedBytes(): number {
    return this.accumulator.bufferedBytes;
  }

  whenReady(): Promise<void> | null {
    if (this.accumulator.bufferedBytes < this.settings.bufferMemory) return null;
    const ready = new Promise<void>((resolve) => this.readyWaiters.push(resolve));
    const { metrics } = this;
    if (metrics === undefined) return ready;
    const began = performance.now();
    return ready.then(() => metrics.waitedForBuffer(performance.now() - began));
  }

  push(): void {
    if (!this.settings.lingerIsSet) this.sender.push();
  }

  async flush(): Promise<void> {
    if (this.accumulator.live.size === 0) return;
    this.sender.pendingFlushes++;
    this.sender.wake();
    await timed(this.metrics?.flushNs, () => this.accumulator.allReported());
    this.sender.pendingFlushes--;
  }

  initTransactions(): Promise<void> {
    return timed(this.metrics?.initNs, () => this.requireTransactions().init());
  }

  beginTransaction(expected: readonly TopicPartition[] = []): void {
    const began = performance.now();
    this.requireTransactions().begin(expected.map(({ topic, partition }) => this.accumulator.queue(topic, partition)));
    this.metrics?.beganTransaction(performance.now() - began);
  }

  sendOffsetsToTransaction(groupId: string, offsets: readonly TopicPartitionOffset[]): Promise<void> {
    return timed(this.metrics?.sendOffsetsNs, () => this.requireTransactions().sendOffsets(groupId, offsets));
  }

  commitTransaction(): Promise<void> {
    return timed(this.metrics?.commitNs, () => this.requireTransactions().commit());
  }

  abortTransaction(): Promise<void> {
    return timed(this.metrics?.abortNs, () => this.requireTransactions().abort());
  }

  close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<void> {
    return (this.closed ??= this.shutDown(timeoutMs));
  }

  /** As in Java, sends buffered records first; an open transaction is aborted. */
  private async shutDown(timeoutMs: number): Promise<void> {
    const wasConnected = this.state === 'connected';
    this.state = 'closed';
    if (wasConnected && timeoutMs > 0) {
      const work = this.transactions?.needsAbort ? this.transactions.abort() : this.flush();
      const timeout = new AbortController();
      await Promise.race([
        work.catch((error: unknown) => this.logger.debug('Closing a producer', { error: String(error) })),
        sleep(timeoutMs, timeout.signal),
      ]);
      timeout.abort();
    }
    this.closing.abort();
    this.sender.stop();
    const text = 'The producer was closed before the record was acknowledged.';
    const error = new KafkaError('PRODUCER_CLOSED', text, { inDoubt: true });
    this.transactions?.close(error);
    for (const batch of [...this.accumulator.live]) {
      batch.memoryInDoubt = true;
      this.accumulator.complete(batch, error, -1);
    }
    this.metrics?.closed.set(1);
    await this.wire.close();
  }

  private choosePartition(record: ProducerRecord): number {
    const { topic, partition, key } = record;
    const partitions = this.wire.cachedPartitions(topic);
    if (partitions === undefined || partitions.length === 0) {
      throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', `The partitions of topic ${topic} are not known yet.`, {
        retriable: true,
        topic,
      });
    }
    if (partition == null) {
      if (key !== null) return partitionForKey(key, partitions.length);
      return this.accumulator.stickyPartition(topic, partitions.length, (p) => partitions[p]!.leader >= 0);
    }
    if (Number.isInteger(partition) && partition >= 0 && partition < partitions.length) return partition;
    this.wire.refresh([topic]).catch(() => undefined);
    throw new KafkaError(
      'UNKNOWN_TOPIC_OR_PARTITION',
      `Topic ${topic} has ${partitions.length} partitions, so partition ${partition} does not exist.`,
      { retriable: true, topic, partition },
    );
  }

  private async prepareTopic(topic: string): Promise<void> {
    const begin = performance.now();
    const { allowAutoCreate } = this.settings;
    for (let failures = 1; ; failures++) {
      try {
        await this.wire.partitions(topic, { allowAutoCreate });
        return;
      } catch (error) {
        if (!(error instanceof KafkaError) || !error.retriable) throw error;
        const timeoutMs =
          error.code === 'UNKNOWN_TOPIC_OR_PARTITION'
            ? Math.min(UNKNOWN_TOPIC_WAIT_MS, this.settings.maxBlockMs)
            : this.settings.maxBlockMs;
        const wait = backoffMs(failures, {
          firstMs: this.settings.retryBackoffMs,
          maxMs: this.settings.retryBackoffMaxMs,
        });
        if (performance.now() + wait - begin > timeoutMs) throw error;
        await sleep(wait, this.closing.signal);
        this.expectNotClosed();
      }
    }
  }

  private batchDone(): void {
    this.metrics?.bufferedBytes.set(this.accumulator.bufferedBytes);
    this.resolveReadyWaiters();
  }

  /** Resolves waiters in a later turn of the event loop, after buffered batches were sent. */
  private resolveReadyWaiters(): void {
    if (this.readyWaiters.length === 0 || this.accumulator.bufferedBytes >= this.settings.bufferMemory) return;
    const waiters = this.readyWaiters;
    this.readyWaiters = [];
    setImmediate(() => {
      for (const resolve of waiters) resolve();
    });
  }

  private requireTransactions(): TransactionManager {
    if (this.state !== 'connected') this.throwNotConnected();
    if (this.transactions !== null) return this.transactions;
    throw new KafkaError('INVALID_TXN_STATE', 'The producer has no transactional.id, so it has no transactions.');
  }

  private throwNotConnected(): never {
    this.expectNotClosed();
    throw new KafkaError('PRODUCER_CLOSED', 'The producer is not connected yet.');
  }

  private expectNotClosed(): void {
    if (this.state === 'closed') throw new KafkaError('PRODUCER_CLOSED', 'The producer is closed.');
  }
}

/** Adds the duration of a call, failed or not, to a total in nanoseconds. */
async function timed<T>(total: Counter | undefined, run: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await run();
  } finally {
    total?.add((performance.now() - began) * 1e6);
  }
}

/** @throws KafkaError CODEC_UNAVAILABLE */
function loadCodec(id: number): void {
  try {
    codecById(id);
  } catch (error) {
    if (!(error instanceof UnavailableCodecError)) throw error;
    throw new KafkaError('CODEC_UNAVAILABLE', `This producer cannot compress records: ${error.message}`, {
      cause: error,
    });
  }
}
