/** What a consumer knows about one partition it reads: where it is, what is fetched and not yet handed out. No I/O. */
import type { OffsetReset } from './auto-offset-reset';
import { KafkaError } from '../errors';
import type { ConsumerRecord, FetchedBatch, TopicPartition } from '../port';
import type { DecodedBatches, RecordSetReader } from '../records/record-batch-decoder';

interface Chunk extends Pick<DecodedBatches, 'nextOffset' | 'timestampType' | 'memory'> {
  readonly records: readonly ConsumerRecord[];
  /** Records before it are handed out. */
  at: number;
  /** Bytes of the response it keeps alive. */
  readonly size: number;
}

export class FetchedPartition implements TopicPartition {
  /** Next offset to hand out; undefined before it is known. */
  position: number | undefined;
  /** Next offset to ask the broker for. */
  fetchOffset = -1;
  /** In which leader epoch the record before `fetchOffset` was written; -1 when that is not known. */
  fetchEpoch = -1;
  /** The leader epoch whose log was seen to have what was read; -1 before the first fetch. */
  checkedEpoch = -1;
  paused = false;
  /** The request under way for it; a seek gives that one up. */
  inFlight: object | null = null;
  /** How the position is to be found; null: it is known, or the owner is about to set it. */
  reset: OffsetReset | null;
  /** Not before this time, after an error. */
  retryAt = 0;
  failures = 0;
  /** Counts seeks, so that an answer asked for before one is recognised. */
  seeks = 0;
  /** Of responses. */
  bufferedBytes = 0;
  /** What is decoded of them takes beside that. */
  decodedBytes = 0;
  /** What of the last response is not decoded yet. */
  private undecoded: { readonly reader: RecordSetReader; size: number } | null = null;
  private chunks: Chunk[] = [];

  constructor(
    readonly topic: string,
    readonly partition: number,
    reset: OffsetReset | null,
  ) {
    this.reset = reset;
  }

  /** Forgets what is buffered. */
  seek(offset: number): void {
    this.forget();
    this.position = offset;
    this.fetchOffset = offset;
    this.reset = null;
  }

  /** Gives back what is read ahead: it is fetched again from the position. */
  release(): void {
    if (this.position !== undefined && this.hasBuffered) this.seek(this.position);
  }

  /** The position is to be found again. */
  lose(reset: OffsetReset): void {
    this.forget();
    this.position = undefined;
    this.reset = reset;
  }

  private forget(): void {
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

  /** Another leader than the one that it was read from may not have it all. */
  isSuspect(leaderEpoch: number): boolean {
    return this.fetchEpoch >= 0 && this.checkedEpoch >= 0 && leaderEpoch > this.checkedEpoch;
  }

  /** A response's record set of `size` bytes, from `fetchOffset` on; nothing is decoded yet. */
  add(reader: RecordSetReader, size: number): void {
    this.undecoded = { reader, size };
    this.bufferedBytes += size;
  }

  /**
   * Decodes on, about `room` bytes at most. Throws what the reader throws; then what is not decoded is forgotten, to be
   * fetched again.
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
    const { records, nextOffset, timestampType, memory } = decoded;
    const used = reader.done ? size : decoded.consumed;
    this.undecoded = reader.done ? null : { reader, size: size - used };
    this.fetchEpoch = decoded.leaderEpoch;
    this.fetchOffset = nextOffset;
    this.decodedBytes += memory;
    this.chunks.push({ records, at: 0, nextOffset, timestampType, memory, size: used });
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

  /** At most `limit` records of one chunk. A batch without records still moves the position. */
  take(limit: number): FetchedBatch | null {
    const chunk = this.chunks[0];
    if (chunk === undefined) return null;
    const end = Math.min(chunk.records.length, chunk.at + limit);
    const records = chunk.at === 0 && end === chunk.records.length ? chunk.records : chunk.records.slice(chunk.at, end);
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
    for (const { key, value } of records) bytes += (key?.length ?? 0) + (value?.length ?? 0);
    return {
      topic: this.topic,
      partition: this.partition,
      records,
      timestampType: chunk.timestampType,
      nextOffset,
      bytes,
    };
  }
}

/** A broker returns a first batch whole, however large it is: the same answer would come again and again. */
function noProgress(bytes: number): KafkaError {
  const text = `The broker's answer of ${bytes} bytes has no complete record batch from that offset on.`;
  return new KafkaError('CORRUPT_BATCH', text);
}
