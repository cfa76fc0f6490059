/** The state of one partition of a consumer: position, buffered responses and decoded records. No I/O. */
import type { PartitionLag } from '../client-metrics';
import type { OffsetReset } from './auto-offset-reset';
import { KafkaError } from '../errors';
import type { ConsumerRecord, FetchedBatch, ReadBatch, RecordView, TopicPartition } from '../port';
import type { DecodedBatches, RecordSetReader } from '../records/record-batch-decoder';

/** What `take` returns. */
export interface TakenBatch extends FetchedBatch {
  /** Bytes of its records in a batch without compression; pieces of a batch share them by number. */
  readonly recordBytes: number;
}

interface Chunk extends Pick<DecodedBatches, 'nextOffset' | 'timestampType' | 'memory'> {
  readonly records: readonly ConsumerRecord[];
  /** Index of the next record to return. */
  at: number;
  /** Bytes of the response that it references. */
  readonly size: number;
  /** Bytes of the records that were not returned yet. */
  recordBytes: number;
}

export class FetchedPartition implements TopicPartition {
  /** Next offset to return; undefined before it is known. */
  position: number | undefined;
  /** Next offset to fetch. */
  fetchOffset = -1;
  /** Leader epoch of the record before `fetchOffset`; -1 when unknown. */
  fetchEpoch = -1;
  /** Leader epoch whose log is known to contain all records read; -1 before the first fetch. */
  checkedEpoch = -1;
  /** Id of the topic that the position belongs to; undefined before the first response, and without ids. */
  topicId: string | undefined;
  paused = false;
  /** The request in flight; a seek abandons it. */
  inFlight: object | null = null;
  /** How to find the position; null: it is known, or the owner will set it. */
  reset: OffsetReset | null;
  /** Backoff after an error: no request before this time. */
  retryAt = 0;
  failures = 0;
  /** Counts seeks, so that responses to earlier requests are recognized. */
  seeks = 0;
  /** Bytes of buffered responses. */
  bufferedBytes = 0;
  /** Additional bytes of decoded records. */
  decodedBytes = 0;
  /** The part of the last response that is not decoded yet. */
  private undecoded: { readonly reader: RecordSetReader; size: number } | null = null;
  private chunks: Chunk[] = [];

  constructor(
    readonly topic: string,
    readonly partition: number,
    reset: OffsetReset | null,
    /** Null: not measured. */
    readonly lag: PartitionLag | null = null,
    /** The records are `RecordView`s. */
    private readonly views = false,
  ) {
    this.reset = reset;
    lag?.assign();
  }

  /** Drops buffered records. */
  seek(offset: number): void {
    this.fetchFrom(offset);
    this.lag?.sought(offset, Date.now());
  }

  /** Drops the read-ahead; it is fetched again from the position. */
  release(): void {
    if (this.position !== undefined && this.hasBuffered) this.fetchFrom(this.position);
  }

  private fetchFrom(offset: number): void {
    this.dropBuffered();
    this.position = offset;
    this.fetchOffset = offset;
    this.reset = null;
  }

  /** Drops the position, to be found by `reset`. */
  resetTo(reset: OffsetReset): void {
    this.dropBuffered();
    this.position = undefined;
    this.reset = reset;
  }

  private dropBuffered(): void {
    this.seeks++;
    this.inFlight = null;
    this.chunks = [];
    this.undecoded = null;
    this.bufferedBytes = 0;
    this.decodedBytes = 0;
    this.fetchEpoch = -1;
    this.retryAt = 0;
    this.failures = 0;
  }

  /** The topic was deleted and created again: the position is not one of the new topic. */
  isOfAnotherTopic(topicId: string | undefined): boolean {
    return this.topicId !== undefined && topicId !== undefined && this.topicId !== topicId;
  }

  /** A new leader may lack records that were read from the previous one. */
  needsTruncationCheck(leaderEpoch: number): boolean {
    return this.fetchEpoch >= 0 && this.checkedEpoch >= 0 && leaderEpoch > this.checkedEpoch;
  }

  /** Buffers a record set of `size` bytes from `fetchOffset` on, undecoded. */
  add(reader: RecordSetReader, size: number): void {
    this.undecoded = { reader, size };
    this.bufferedBytes += size;
  }

  /**
   * Decodes about `room` more bytes. Throws the reader's error; then the undecoded part is dropped, to be fetched
   * again.
   */
  decode(room: number): void {
    if (this.undecoded === null) return;
    const { reader, size } = this.undecoded;
    let decoded: DecodedBatches;
    try {
      decoded = reader.read(room);
      if (decoded.nextOffset === this.fetchOffset) throw noProgress(size);
    } catch (error) {
      this.undecoded = null;
      this.bufferedBytes -= size;
      throw error;
    }
    const { records, nextOffset, timestampType, memory, recordBytes } = decoded;
    const used = reader.done ? size : decoded.consumed;
    this.undecoded = reader.done ? null : { reader, size: size - used };
    this.fetchEpoch = decoded.leaderEpoch;
    this.fetchOffset = nextOffset;
    this.decodedBytes += memory;
    this.chunks.push({ ...{ records, nextOffset, timestampType, memory, recordBytes }, at: 0, size: used });
  }

  get hasBuffered(): boolean {
    return this.hasDecoded || this.hasUndecoded;
  }

  get hasDecoded(): boolean {
    return this.chunks.length > 0;
  }

  get hasUndecoded(): boolean {
    return this.undecoded !== null;
  }

  /** What `take` returns next, as far as it is decoded: at most `limit` records. */
  peek(limit: number): ReadBatch[] {
    const { topic, partition } = this;
    const batches: ReadBatch[] = [];
    let left = limit;
    for (const { records: all, at, timestampType } of this.chunks) {
      if (left === 0) break;
      const records: readonly ConsumerRecord[] = all.slice(at, at + left);
      const views = records as readonly RecordView[];
      left -= views.length;
      if (views.length > 0) batches.push({ topic, partition, timestampType, views });
    }
    return batches;
  }

  /** Returns at most `limit` records of one chunk. A chunk without records still moves the position. */
  take(limit: number): TakenBatch | null {
    const chunk = this.chunks[0];
    if (chunk === undefined) return null;
    const end = Math.min(chunk.records.length, chunk.at + limit);
    const records = chunk.at === 0 && end === chunk.records.length ? chunk.records : chunk.records.slice(chunk.at, end);
    const recordBytes = Math.round(chunk.recordBytes * (records.length / Math.max(1, chunk.records.length - chunk.at)));
    chunk.recordBytes -= recordBytes;
    chunk.at = end;
    let nextOffset = chunk.nextOffset;
    if (end < chunk.records.length) {
      nextOffset = (chunk.records[end] as ConsumerRecord).offset;
    } else {
      this.chunks.shift();
      this.bufferedBytes -= chunk.size;
      this.decodedBytes -= chunk.memory;
    }
    this.position = nextOffset;
    let bytes = 0;
    const views = this.views ? (records as readonly RecordView[]) : undefined;
    if (views)
      for (const { keyStart, keyEnd, valueStart, valueEnd } of views)
        bytes += (keyStart < 0 ? 0 : keyEnd - keyStart) + (valueStart < 0 ? 0 : valueEnd - valueStart);
    else for (const { key, value } of records) bytes += (key?.length ?? 0) + (value?.length ?? 0);
    return {
      topic: this.topic,
      partition: this.partition,
      records,
      ...(views && { views }),
      timestampType: chunk.timestampType,
      nextOffset,
      bytes,
      recordBytes,
      topicId: this.topicId,
    };
  }
}

/** Brokers return the first batch whole, whatever its size: the same response would be repeated. */
function noProgress(bytes: number): KafkaError {
  const text = `The broker's response of ${bytes} bytes has no complete record batch from that offset on.`;
  return new KafkaError('CORRUPT_BATCH', text);
}
