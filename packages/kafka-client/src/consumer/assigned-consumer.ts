/** A consumer of assigned partitions, without a group. */
import type { Logger } from '@millrace/sdk';
import type { ConsumerMetrics } from '../client-metrics';
import { readFetchSettings, type FetchSettings } from './consumer-settings';
import { KafkaError } from '../errors';
import { Fetcher } from './fetcher';
import { lookUpOffsets, partitionName } from '../protocol/offset-lookup';
import type { AssignedConsumer, ClientConfig, FetchedBatch, TopicPartition, TopicPartitionOffset } from '../port';
import { EARLIEST } from '../protocol/list-offsets';
import { retrying } from '../retry';
import type { Wire } from '../wire';

class KafkaAssignedConsumer implements AssignedConsumer {
  private readonly fetcher: Fetcher;
  private readonly closing = new AbortController();
  private wakeups = 0;

  constructor(
    private readonly wire: Wire,
    private readonly settings: FetchSettings,
    logger: Logger,
    private readonly metrics?: ConsumerMetrics,
  ) {
    this.fetcher = new Fetcher(wire, settings, logger, metrics);
  }

  connect(): Promise<void> {
    return this.wire.connect();
  }

  assign(partitions: readonly TopicPartition[]): void {
    this.fetcher.assign(partitions, this.settings.offsetReset);
  }

  seek(to: TopicPartitionOffset): void {
    this.fetcher.seek(to);
  }

  async seekToBeginning(partitions: readonly TopicPartition[]): Promise<void> {
    const { isolation, apiTimeoutMs: timeoutMs } = this.settings;
    const offsets = await retrying(
      { ...this.settings, timeoutMs },
      () => lookUpOffsets(this.wire, partitions, EARLIEST, isolation),
      this.closing.signal,
    );
    const assigned = new Set(this.fetcher.assignment().map(partitionName));
    for (const offset of offsets) if (assigned.has(partitionName(offset))) this.fetcher.seek(offset);
  }

  position(partition: TopicPartition): number | undefined {
    return this.fetcher.position(partition);
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.fetcher.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.fetcher.resume(partitions);
  }

  async poll(timeoutMs: number): Promise<FetchedBatch[]> {
    const deadline = performance.now() + timeoutMs;
    this.metrics?.polled(Date.now());
    await this.fetcher.wait(0);
    for (;;) {
      if (this.closing.signal.aborted) throw new KafkaError('CONSUMER_CLOSED', 'The consumer is closed');
      if (this.wakeups > 0) {
        this.wakeups = 0;
        return [];
      }
      const { batches, advanced } = this.fetcher.take(this.settings.maxPollRecords);
      const left = deadline - performance.now();
      if (batches.length > 0 || advanced || left <= 0) return batches;
      await this.fetcher.wait(left);
    }
  }

  wakeup(): void {
    this.wakeups++;
    this.fetcher.signal();
  }

  close(): Promise<void> {
    this.closing.abort();
    this.fetcher.close();
    return this.wire.close();
  }
}

/** Throws KafkaError INVALID_CLIENT_CONFIG. The consumer owns the wire and closes it. */
export function createAssignedConsumer(
  wire: Wire,
  config: ClientConfig,
  logger: Logger,
  metrics?: ConsumerMetrics,
): AssignedConsumer {
  return new KafkaAssignedConsumer(wire, readFetchSettings(config), logger, metrics);
}
