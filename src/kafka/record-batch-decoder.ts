/**
 * Reads the record sets of a Fetch response: RecordBatch v2, uncompressed or with any codec. Keys and values are views on the
 * response (or on the decompressed batch), never copies. Source: kafka-client §1 and §3.
 */
import { codecById } from './compression/codecs';
import { crc32c } from './crc32c';
import { KafkaError } from './errors';
import type { ConsumerRecord, IsolationLevel } from './port';
import * as layout from './record-batch-layout';
import { RecordSectionReader } from './record-section-reader';

export interface DecodeOptions {
  /** Records below it are skipped: a fetch returns whole batches. */
  fetchOffset: number;
  isolation: IsolationLevel;
  /** Of the same Fetch response; only looked at under `read_committed`. */
  abortedTransactions: { producerId: bigint | number; firstOffset: number }[];
  checkCrcs: boolean;
}

export interface DecodedBatches {
  records: ConsumerRecord[];
  /** Past control batches, aborted batches and holes; `fetchOffset` when nothing complete was there. */
  nextOffset: number;
  /** In which the last of the batches was written; -1 when there was none. */
  leaderEpoch: number;
  timestampType: 'CreateTime' | 'LogAppendTime' | 'NoTimestampType';
  /** Bytes of the returned keys and values. */
  bytes: number;
}

const ABORT_MARKER = 0;
const NO_MARKER = -1;

/**
 * @throws KafkaError CORRUPT_BATCH when a checksum or a length does not hold, UNSUPPORTED_VERSION_CLIENT for message formats 0 and
 * 1, UNSUPPORTED_COMPRESSION_TYPE.
 */
export function decodeRecordBatches(buffer: Buffer, options: DecodeOptions): DecodedBatches {
  const aborted = options.isolation === 'read_committed' ? new AbortedRanges(options.abortedTransactions) : null;
  const result: DecodedBatches = {
    records: [],
    nextOffset: options.fetchOffset,
    leaderEpoch: -1,
    timestampType: 'NoTimestampType',
    bytes: 0,
  };

  let at = 0;
  // What is left may be a batch cut off by the fetch's size limit: it comes again with the next fetch.
  while (at + layout.MAGIC_AT < buffer.length) {
    const decoded = result.records.length;
    try {
      const size = readBatchAt(buffer, at, options, aborted, result);
      if (size === 0) break;
      at += size;
    } catch (error) {
      // What stands before it is good, and is handed out first; the next fetch begins with this one.
      if (result.nextOffset === options.fetchOffset) throw error;
      result.records.length = decoded;
      break;
    }
  }
  return result;
}

/** @returns the batch's size, 0 when it is cut off. */
function readBatchAt(
  buffer: Buffer,
  at: number,
  options: DecodeOptions,
  aborted: AbortedRanges | null,
  result: DecodedBatches,
): number {
  const baseOffset = layout.readInt64(buffer, at + layout.BASE_OFFSET_AT);
  const size = layout.LOG_OVERHEAD + buffer.readInt32BE(at + layout.BATCH_LENGTH_AT);
  refuseOldFormats(buffer[at + layout.MAGIC_AT]!, baseOffset);
  if (size < layout.BATCH_HEADER_BYTES) {
    throw corrupt(baseOffset, `declares an impossible length of ${size} bytes`);
  }
  if (at + size > buffer.length) return 0;
  readBatch(buffer.subarray(at, at + size), baseOffset, options, aborted, result);
  return size;
}

function readBatch(
  batch: Buffer,
  baseOffset: number,
  options: DecodeOptions,
  aborted: AbortedRanges | null,
  result: DecodedBatches,
): void {
  if (options.checkCrcs && crc32c(batch.subarray(layout.ATTRIBUTES_AT)) !== batch.readUInt32BE(layout.CRC_AT)) {
    throw corrupt(baseOffset, 'does not match its checksum');
  }
  const attributes = batch.readInt16BE(layout.ATTRIBUTES_AT);
  const lastOffset = baseOffset + batch.readInt32BE(layout.LAST_OFFSET_DELTA_AT);
  if (baseOffset < 0 || lastOffset < baseOffset || !Number.isSafeInteger(lastOffset))
    throw corrupt(baseOffset, `cannot end at offset ${lastOffset}`);
  // A batch may lie wholly before the position when the log was compacted; the position never moves back.
  if (lastOffset < options.fetchOffset) return;
  const producerId = layout.readInt64(batch, layout.PRODUCER_ID_AT);
  const isControl = (attributes & layout.CONTROL_FLAG) !== 0;

  aborted?.advanceTo(lastOffset);
  if (isControl) {
    if (aborted && controlType(batch, baseOffset) === ABORT_MARKER) aborted.markerPassed(producerId);
  } else if (!(aborted && attributes & layout.TRANSACTIONAL_FLAG && aborted.covers(producerId))) {
    readRecords(batch, baseOffset, lastOffset, attributes, options.fetchOffset, result);
  }
  result.nextOffset = Math.max(result.nextOffset, lastOffset + 1);
  result.leaderEpoch = batch.readInt32BE(layout.LEADER_EPOCH_AT);
}

function readRecords(
  batch: Buffer,
  baseOffset: number,
  lastOffset: number,
  attributes: number,
  fetchOffset: number,
  result: DecodedBatches,
): void {
  const count = batch.readInt32BE(layout.RECORD_COUNT_AT);
  const logAppendTime = (attributes & layout.LOG_APPEND_TIME_FLAG) !== 0;
  result.timestampType = logAppendTime ? 'LogAppendTime' : 'CreateTime';
  try {
    const reader = new RecordSectionReader(recordSection(batch, attributes));
    result.bytes += reader.readAll(
      count,
      baseOffset,
      lastOffset,
      layout.readInt64(batch, layout.BASE_TIMESTAMP_AT),
      logAppendTime ? layout.readInt64(batch, layout.MAX_TIMESTAMP_AT) : null,
      fetchOffset,
      result.records,
    );
  } catch (error) {
    if (error instanceof KafkaError) throw error;
    throw corrupt(baseOffset, `cannot be read: ${(error as Error).message}`, error);
  }
}

function recordSection(batch: Buffer, attributes: number): Buffer {
  const section = batch.subarray(layout.BATCH_HEADER_BYTES);
  const codec = attributes & layout.COMPRESSION_MASK;
  return codec === 0 ? section : codecById(codec).decompress(section);
}

/** The marker's kind is in its record's key: int16 version, int16 type. */
function controlType(batch: Buffer, baseOffset: number): number {
  const records: ConsumerRecord[] = [];
  // Compaction leaves the header of a producer's last batch when its record is gone.
  if (batch.readInt32BE(layout.RECORD_COUNT_AT) === 0) return NO_MARKER;
  try {
    new RecordSectionReader(batch.subarray(layout.BATCH_HEADER_BYTES)).readAll(1, 0, 0, 0, null, 0, records);
    return records[0]!.key!.readInt16BE(2);
  } catch (error) {
    throw corrupt(baseOffset, 'is a control batch without a readable marker', error);
  }
}

/**
 * Which producers are inside an aborted transaction at the offset reached. The response lists every aborted transaction of the
 * range, one producer's possibly several times; each is in force from its first offset until its marker.
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
    `The message at offset ${baseOffset} is in message format ${magic}, from before Kafka 0.11; have the topic rewritten in format 2 (log.message.format.version) or skip past it.`,
  );
}

function corrupt(baseOffset: number, what: string, cause?: unknown): KafkaError {
  return new KafkaError('CORRUPT_BATCH', `The record batch at offset ${baseOffset} ${what}.`, { cause });
}
