/** The partitions of a consumer and their read-ahead: responses and decoded records, both bounded in bytes. No I/O. */
import type { ConsumerMetrics } from '../client-metrics';
import type { OffsetReset } from './auto-offset-reset';
import type { FetchSettings } from './consumer-settings';
import { KafkaError } from '../errors';
import { FetchedPartition, type TakenBatch } from './fetched-partition';
import type { FetchedBatch, ReadBatch, TopicPartition } from '../port';
import type { PartitionResponse } from '../protocol/fetch';
import { partitionName } from '../protocol/offset-lookup';
import { RecordSetReader } from '../records/record-batch-decoder';

/** Read-ahead of all partitions in bytes; `max.partition.fetch.bytes` if that is larger. */
const READ_AHEAD_BYTES = 16 * 1024 * 1024;
/** Read-ahead of decoded records in bytes; a single batch may exceed it. Beyond it, responses stay undecoded. */
const DECODE_AHEAD_BYTES = 16 * 1024 * 1024;

export class ReadAhead {
  private states = new Map<string, FetchedPartition>();
  private readonly limit: number;
  private bufferedBytes = 0;
  private decodedBytes = 0;

  /** @param onUndecodable called for a response that cannot be decoded; it is dropped, to be fetched again. */
  constructor(
    private readonly settings: FetchSettings,
    private readonly onUndecodable: (state: FetchedPartition, error: KafkaError) => void,
    private readonly metrics?: ConsumerMetrics,
  ) {
    this.limit = Math.max(READ_AHEAD_BYTES, settings.maxPartitionBytes);
  }

  // ------------------------------------------------------------ partitions

  /** Partitions that stay assigned keep their state. */
  assign(partitions: readonly TopicPartition[], reset: OffsetReset | null): void {
    const before = this.states;
    this.states = new Map();
    for (const { topic, partition } of partitions) {
      const name = partitionName({ topic, partition });
      this.states.set(name, before.get(name) ?? this.newPartition(topic, partition, reset));
      before.delete(name);
    }
    for (const { lag } of before.values()) lag?.unassign();
    this.recountBytes();
  }

  private newPartition(topic: string, partition: number, reset: OffsetReset | null): FetchedPartition {
    const lag = this.metrics?.lags?.of({ topic, partition }) ?? null;
    return new FetchedPartition(topic, partition, reset, lag, this.settings.views);
  }

  partitions(): IterableIterator<FetchedPartition> {
    return this.states.values();
  }

  find(tp: TopicPartition): FetchedPartition | undefined {
    return this.states.get(partitionName(tp));
  }

  /** Throws KafkaError ILLEGAL_STATE for a partition that is not assigned. */
  get(tp: TopicPartition): FetchedPartition {
    const state = this.find(tp);
    if (state === undefined) {
      throw new KafkaError('ILLEGAL_STATE', `Partition ${partitionName(tp)} is not assigned to this consumer`, tp);
    }
    return state;
  }

  clear(): void {
    this.states.clear();
  }

  // ------------------------------------------------------------ records

  add(state: FetchedPartition, fetchOffset: number, response: PartitionResponse): void {
    const { isolation, checkCrcs, maxDecompressedBytes, views } = this.settings;
    const { abortedTransactions, records: bytes } = response;
    const options = { fetchOffset, isolation, abortedTransactions, checkCrcs, maxDecompressedBytes, views };
    this.trackBytes(state, () => state.add(new RecordSetReader(bytes, options), bytes.length));
    if (this.decodedBytes < DECODE_AHEAD_BYTES) this.decode(state);
  }

  /** Returns at most `limit` records, in order per partition; `advanced` when a position moved without records. */
  take(limit: number): { batches: FetchedBatch[]; advanced: boolean } {
    const batches: FetchedBatch[] = [];
    let advanced = false;
    let left = limit;
    for (const [name, state] of [...this.states]) {
      if (left === 0) break;
      if (state.paused || !state.hasBuffered) continue;
      while (left > 0 && (state.hasDecoded || this.decodeMore(state))) {
        const batch = this.trackBytes(state, () => state.take(left)) as TakenBatch;
        left -= batch.records.length;
        this.measure(state, batch);
        if (batch.records.length > 0) batches.push(batch);
        else advanced = true;
      }
      // The next call starts with the other partitions.
      this.states.delete(name);
      this.states.set(name, state);
    }
    return { batches, advanced };
  }

  /** What `take` returns next, if that are `limit` records and they are decoded; otherwise nothing. */
  peek(limit: number): ReadBatch[] {
    const batches: ReadBatch[] = [];
    let left = limit;
    for (const state of this.states.values()) {
      if (left === 0) break;
      if (state.paused) continue;
      for (const batch of state.peek(left)) {
        batches.push(batch);
        left -= batch.views.length;
      }
    }
    return left === 0 ? batches : [];
  }

  private measure({ lag }: FetchedPartition, { records, recordBytes, nextOffset }: TakenBatch): void {
    const { metrics } = this;
    if (metrics === undefined) return;
    const now = Date.now();
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) {
      lag?.skipped(nextOffset, now);
      return;
    }
    metrics.consumed(records.length, recordBytes);
    if (lag !== null)
      metrics.lagsSeen.record(lag.took(nextOffset, last.offset + 1, first.timestamp, last.timestamp, now));
  }

  /** @returns true when there is something to take. Partitions with decoded records are taken first. */
  private decodeMore(state: FetchedPartition): boolean {
    if (!state.hasUndecoded) return false;
    if (this.decodedBytes >= DECODE_AHEAD_BYTES) {
      for (const other of this.states.values()) if (other.paused && other.decodedBytes > 0) other.release();
      this.recountBytes();
      if (this.decodedBytes >= DECODE_AHEAD_BYTES) return false;
    }
    this.decode(state);
    return state.hasDecoded;
  }

  private decode(state: FetchedPartition): void {
    const { topic, partition, fetchOffset } = state;
    try {
      // The undecodable response is dropped, so its bytes are free for other partitions.
      this.trackBytes(state, () => state.decode(DECODE_AHEAD_BYTES - this.decodedBytes));
    } catch (cause) {
      const { code, message } = cause as KafkaError;
      const text = `Reading ${partitionName(state)} at offset ${fetchOffset} failed: ${message}`;
      this.onUndecodable(state, new KafkaError(code ?? 'CORRUPT_BATCH', text, { cause, topic, partition }));
    }
  }

  // ------------------------------------------------------------ bytes

  /** Bytes that may still be fetched. */
  get room(): number {
    return this.limit - this.bufferedBytes;
  }

  /** Paused partitions may stay paused: while others can be fetched, they keep at most half of the read-ahead. */
  releasePaused(pausedBytes: number): void {
    if (pausedBytes <= this.limit / 2) return;
    let left = pausedBytes;
    for (const state of this.states.values()) {
      if (left <= this.limit / 2) break;
      if (!state.paused) continue;
      left -= state.bufferedBytes;
      state.release();
    }
    this.recountBytes();
  }

  /** Call it after partitions dropped their buffers. */
  recountBytes(): void {
    this.bufferedBytes = 0;
    this.decodedBytes = 0;
    for (const state of this.states.values()) {
      this.bufferedBytes += state.bufferedBytes;
      this.decodedBytes += state.decodedBytes;
    }
  }

  /** Updates the sums by what `change` does to one partition, without a pass over all of them. */
  private trackBytes<T>(state: FetchedPartition, change: () => T): T {
    const { bufferedBytes, decodedBytes } = state;
    try {
      return change();
    } finally {
      this.bufferedBytes += state.bufferedBytes - bufferedBytes;
      this.decodedBytes += state.decodedBytes - decodedBytes;
    }
  }
}
