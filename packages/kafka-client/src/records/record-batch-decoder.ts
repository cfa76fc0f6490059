/**
 * Reads the record sets of a Fetch response: RecordBatch v2, uncompressed or with any codec. Keys and values are views
 * of the response (or of the decompressed batch), not copies. Source: kafka-client §1 and §3.
 */
import {
  codecById,
  COMPRESSION_TYPES,
  crc32c,
  DecompressionLimitError,
  UnavailableCodecError,
} from '@millrace/record-codecs';
import { KafkaError } from '../errors';
import type { ConsumerRecord, IsolationLevel } from '../port';
import * as layout from './record-batch-layout';
import { RecordSectionReader } from './record-section-reader';

export interface DecodeOptions {
  /** Records below it are skipped: a fetch returns whole batches. */
  fetchOffset: number;
  isolation: IsolationLevel;
  /** Of the same Fetch response; used only for `read_committed`. */
  abortedTransactions: { producerId: bigint | number; firstOffset: number }[];
  checkCrcs: boolean;
  /** Limit for one decompressed batch. */
  maxDecompressedBytes: number;
  /** Records are `RecordView`s. (Default: false) */
  views?: boolean;
}

export interface DecodedBatches {
  records: ConsumerRecord[];
  /** After control batches, aborted batches and gaps; `fetchOffset` when there was no complete batch. */
  nextOffset: number;
  /** Leader epoch of the last batch; -1 when there was none. */
  leaderEpoch: number;
  timestampType: 'CreateTime' | 'LogAppendTime' | 'NoTimestampType';
  /** Bytes of the returned keys and values. */
  bytes: number;
  /** Bytes of the returned records as they are in a batch without compression. */
  recordBytes: number;
  /** Bytes of the decompressed data and of the record objects. */
  memory: number;
  /** Bytes of the record set that were processed. */
  consumed: number;
}

/** Default limit for one decompressed batch. */
export const DECOMPRESSED_BATCH_MAX_BYTES = 128 * 1024 * 1024;
/** Minimum size of a decoded piece of a batch. */
const LEAST_PIECE_BYTES = 1024 * 1024;
const ABORT_MARKER = 0;
const NO_MARKER = -1;

/** Decodes all batches up to a corrupt one. Throws the error of `RecordSetReader.read` when that is the first. */
export function decodeRecordBatches(buffer: Buffer, options: DecodeOptions): DecodedBatches {
  return new RecordSetReader(buffer, options).read(Infinity);
}

/** The batch that is being read. */
interface OpenBatch {
  readonly reader: RecordSectionReader;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly decompressedBytes: number;
}

/**
 * Reads a record set piece by piece, because a few compressed kilobytes may expand to more than the available memory.
 * Batches are decompressed one at a time, and records are decoded only while there is room.
 */
export class RecordSetReader {
  private at = 0;
  private nextOffset: number;
  private leaderEpoch = -1;
  private timestampType: DecodedBatches['timestampType'] = 'NoTimestampType';
  private batch: OpenBatch | null = null;
  /** The error of the batch after those returned last. */
  private failure: Error | null = null;
  private readonly aborted: AbortedRanges | null;

  constructor(
    private readonly buffer: Buffer,
    private readonly options: DecodeOptions,
  ) {
    this.nextOffset = options.fetchOffset;
    this.aborted = options.isolation === 'read_committed' ? new AbortedRanges(options.abortedTransactions) : null;
  }

  /**
   * No complete batch is left. An incomplete batch was cut off by the size limit of the fetch and is part of the next
   * response.
   */
  get done(): boolean {
    if (this.batch !== null || this.failure !== null) return false;
    return this.at + layout.MAGIC_AT >= this.buffer.length || this.at + this.nextSize() > this.buffer.length;
  }

  /**
   * Decodes the next records, about `room` bytes. Records before a corrupt batch are returned; the next call throws.
   * @throws KafkaError CORRUPT_BATCH for a wrong checksum or length, DECOMPRESSED_BATCH_TOO_LARGE,
   *   UNSUPPORTED_VERSION_CLIENT for message formats 0 and 1, CODEC_UNAVAILABLE.
   */
  read(room: number): DecodedBatches {
    if (this.failure !== null) throw this.failure;
    const from = this.at;
    const offset = this.nextOffset;
    const piece: Piece = { records: [], bytes: 0, recordBytes: 0, memory: 0 };
    try {
      while (piece.memory < room && this.readOn(piece, room));
    } catch (error) {
      this.failure = error as Error;
      if (piece.records.length === 0 && this.nextOffset === offset) throw error;
    }
    return {
      ...piece,
      nextOffset: this.nextOffset,
      leaderEpoch: this.leaderEpoch,
      timestampType: this.timestampType,
      consumed: this.at - from,
    };
  }

  /** @returns false when no complete batch is left. */
  private readOn(into: Piece, room: number): boolean {
    const batch = this.batch ?? this.openNext();
    if (batch === null) return false;
    const { reader, lastOffset } = batch;
    const { length } = into.records;
    const [values, bytes, objects] = [reader.valueBytes, reader.recordBytes, reader.objectBytes];
    into.memory += batch.decompressedBytes;
    let isRead: boolean;
    try {
      isRead = reader.readSome(this.options.fetchOffset, Math.max(room - into.memory, LEAST_PIECE_BYTES), into.records);
    } catch (error) {
      into.records.length = length;
      const limit = this.options.maxDecompressedBytes;
      const what = `has a record whose decoded headers exceed ${limit} bytes`;
      throw unreadable(error, batch.baseOffset, what);
    }
    into.bytes += reader.valueBytes - values;
    into.recordBytes += reader.recordBytes - bytes;
    into.memory += reader.objectBytes - objects;
    this.batch = isRead ? null : batch;
    const next = isRead ? lastOffset + 1 : (into.records.at(-1)?.offset ?? -1) + 1;
    this.nextOffset = Math.max(this.nextOffset, next);
    return true;
  }

  /** The next batch with records for this reader, or null. */
  private openNext(): OpenBatch | null {
    const { buffer } = this;
    while (this.at + layout.MAGIC_AT < buffer.length) {
      const { at } = this;
      const baseOffset = layout.readInt64(buffer, at + layout.BASE_OFFSET_AT);
      const size = this.nextSize();
      refuseOldFormats(buffer[at + layout.MAGIC_AT]!, baseOffset);
      if (size < layout.BATCH_HEADER_BYTES) {
        throw corrupt(baseOffset, `declares an impossible length of ${size} bytes`);
      }
      if (at + size > buffer.length) break;
      const batch = this.open(buffer.subarray(at, at + size), baseOffset);
      this.at += size;
      if (batch !== null) return batch;
    }
    return null;
  }

  private nextSize(): number {
    return layout.LOG_OVERHEAD + this.buffer.readInt32BE(this.at + layout.BATCH_LENGTH_AT);
  }

  /** Null: a batch without records for this reader. */
  private open(batch: Buffer, baseOffset: number): OpenBatch | null {
    const { options, aborted } = this;
    if (options.checkCrcs && crc32c(batch.subarray(layout.ATTRIBUTES_AT)) !== batch.readUInt32BE(layout.CRC_AT)) {
      throw corrupt(baseOffset, 'does not match its checksum');
    }
    const attributes = batch.readInt16BE(layout.ATTRIBUTES_AT);
    const lastOffset = baseOffset + batch.readInt32BE(layout.LAST_OFFSET_DELTA_AT);
    if (baseOffset < 0 || lastOffset < baseOffset || !Number.isSafeInteger(lastOffset))
      throw corrupt(baseOffset, `cannot end at offset ${lastOffset}`);
    // In a compacted log a batch may lie entirely before the position, which never moves back.
    if (lastOffset < options.fetchOffset) return null;
    const producerId = layout.readInt64(batch, layout.PRODUCER_ID_AT);
    this.leaderEpoch = batch.readInt32BE(layout.LEADER_EPOCH_AT);
    aborted?.advanceTo(lastOffset);
    if ((attributes & layout.CONTROL_FLAG) !== 0) {
      if (aborted && controlType(batch, baseOffset) === ABORT_MARKER) aborted.markerPassed(producerId);
    } else if (!(aborted && attributes & layout.TRANSACTIONAL_FLAG && aborted.covers(producerId))) {
      return this.openRecords(batch, baseOffset, lastOffset, attributes);
    }
    this.nextOffset = Math.max(this.nextOffset, lastOffset + 1);
    return null;
  }

  private openRecords(batch: Buffer, baseOffset: number, lastOffset: number, attributes: number): OpenBatch {
    const logAppendTime = (attributes & layout.LOG_APPEND_TIME_FLAG) !== 0;
    this.timestampType = logAppendTime ? 'LogAppendTime' : 'CreateTime';
    const limit = this.options.maxDecompressedBytes;
    const codec = attributes & layout.COMPRESSION_MASK;
    try {
      const section = recordSection(batch, codec, limit);
      const said = {
        count: batch.readInt32BE(layout.RECORD_COUNT_AT),
        baseOffset,
        lastOffset,
        baseTimestamp: layout.readInt64(batch, layout.BASE_TIMESTAMP_AT),
        logAppendTime: logAppendTime ? layout.readInt64(batch, layout.MAX_TIMESTAMP_AT) : null,
      };
      const decompressedBytes = codec === 0 ? 0 : section.length;
      return {
        ...{ baseOffset, lastOffset, decompressedBytes },
        reader: new RecordSectionReader(section, said, limit, this.options.views),
      };
    } catch (error) {
      const what = `(${COMPRESSION_TYPES[codec]}) exceeds ${limit} bytes when decompressed`;
      throw unreadable(error, baseOffset, what);
    }
  }
}

type Piece = Pick<DecodedBatches, 'records' | 'bytes' | 'recordBytes' | 'memory'>;

function recordSection(batch: Buffer, codec: number, limit: number): Buffer {
  const section = batch.subarray(layout.BATCH_HEADER_BYTES);
  return codec === 0 ? section : codecById(codec).decompress(section, limit);
}

/** The key of the marker's record is: int16 version, int16 type. */
function controlType(batch: Buffer, baseOffset: number): number {
  const records: ConsumerRecord[] = [];
  // Compaction keeps the header of a producer's last batch without its record.
  if (batch.readInt32BE(layout.RECORD_COUNT_AT) === 0) return NO_MARKER;
  try {
    const section = { count: 1, baseOffset: 0, lastOffset: 0, baseTimestamp: 0, logAppendTime: null };
    new RecordSectionReader(batch.subarray(layout.BATCH_HEADER_BYTES), section, 0).readSome(0, 1, records);
    return records[0]!.key!.readInt16BE(2);
  } catch (error) {
    throw corrupt(baseOffset, 'is a control batch without a readable marker', error);
  }
}

/**
 * The producers with an aborted transaction at the current offset. The response lists every aborted transaction of the
 * range, possibly several per producer; each lasts from its first offset to its marker.
 */
class AbortedRanges {
  private readonly upcoming: { producerId: number; firstOffset: number }[];
  private next = 0;
  private readonly current = new Set<number>();

  constructor(ranges: DecodeOptions['abortedTransactions']) {
    this.upcoming = ranges
      .map((r) => ({ producerId: Number(r.producerId), firstOffset: r.firstOffset }))
      .sort((a, b) => a.firstOffset - b.firstOffset);
  }

  advanceTo(offset: number): void {
    for (
      let range = this.upcoming[this.next];
      range && range.firstOffset <= offset;
      range = this.upcoming[++this.next]
    ) {
      this.current.add(range.producerId);
    }
  }

  markerPassed(producerId: number): void {
    this.current.delete(producerId);
  }

  covers(producerId: number): boolean {
    return this.current.has(producerId);
  }
}

function refuseOldFormats(magic: number, baseOffset: number): void {
  if (magic === 2) return;
  if (magic !== 0 && magic !== 1) throw corrupt(baseOffset, `has the unknown format version ${magic}`);
  throw new KafkaError(
    'UNSUPPORTED_VERSION_CLIENT',
    `The message at offset ${baseOffset} is in message format ${magic}, which is older than Kafka 0.11; rewrite the topic in format 2 (log.message.format.version), or skip past this offset.`,
  );
}

/** @param limited completes the sentence of the error when a limit was exceeded. */
function unreadable(error: unknown, baseOffset: number, limited: string): KafkaError {
  if (error instanceof KafkaError) return error;
  if (error instanceof UnavailableCodecError)
    return new KafkaError(
      'CODEC_UNAVAILABLE',
      `The record batch at offset ${baseOffset} cannot be decompressed: ${error.message}`,
      { cause: error },
    );
  if (!(error instanceof DecompressionLimitError)) {
    return corrupt(baseOffset, `cannot be read: ${(error as Error).message}`, error);
  }
  return new KafkaError(
    'DECOMPRESSED_BATCH_TOO_LARGE',
    `The record batch at offset ${baseOffset} ${limited}; if such batches are intended, raise ` +
      'decompressed.batch.max.bytes (consumer.override.decompressed.batch.max.bytes of a connector; ' +
      "for a storage topic the key itself, in the worker's settings).",
    { cause: error },
  );
}

function corrupt(baseOffset: number, what: string, cause?: unknown): KafkaError {
  return new KafkaError('CORRUPT_BATCH', `The record batch at offset ${baseOffset} ${what}.`, { cause });
}
