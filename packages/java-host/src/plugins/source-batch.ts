/** Batches of a source task: see PROTOCOL.md. */
import {
  type Header,
  type ProcessedSourceRecord,
  ProcessingFailure,
  type Schema,
  type SourceOffset,
  type SourcePartition,
  type TransactionContext,
} from '@millrace/sdk';
import { DataReader } from '../data/data-reader';
import { ByteReader } from '../wire/byte-reader';
import { javaError } from '../wire/java-error';
import { ProtocolError } from '../wire/protocol-error';
import { StringCache } from '../wire/string-cache';
import { readPlainMap, readValue } from '../wire/values';

const FILTERED = 1;
const FAILED = 2;
const PARTITION = 4;
const TIMESTAMP = 8;
const COMMIT = 16;
const ABORT = 32;
const LEFT_OUT = FILTERED | FAILED;

const NONE = 65_535;
/** The least bytes of a record: index, flags, topic, partition, offset. */
const SMALLEST = 10;
/** Partitions that are kept by their bytes, so that equal ones are one object. */
const MOST_PARTITIONS = 10_000;

const STAGES = ['TRANSFORMATION', 'KEY_CONVERTER', 'VALUE_CONVERTER', 'HEADER_CONVERTER'] as const;

export const PART_COMMITS = 1;
export const PART_ABORTS = 2;
export const PART_OF_MORE = 4;

/** What `poll` of a Java task returns to the runtime. `part` and `index` identify it in the host. */
export class JavaSourceRecord implements ProcessedSourceRecord {
  constructor(
    readonly part: number,
    readonly index: number,
    readonly sourcePartition: SourcePartition | null,
    readonly sourceOffset: SourceOffset | null,
    readonly topic: string,
    readonly partition: number | null,
    readonly keySchema: Schema | null,
    readonly key: unknown,
    readonly valueSchema: Schema | null,
    readonly value: unknown,
    readonly timestamp: number | null,
    readonly headers: readonly Header[] | null,
    readonly outcome: null | 'filtered' | ProcessingFailure<ProcessedSourceRecord>,
  ) {}
}

export interface SourcePart {
  readonly number: number;
  readonly records: readonly JavaSourceRecord[];
  /** Bits of `PART_…`. */
  readonly transaction: number;
}

export type Retry = (part: number, index: number) => Promise<ProcessedSourceRecord>;

/** Reads the batches of one session, in their order. */
export class SourceBatches {
  private readonly strings = new StringCache();
  private readonly partitions = new Map<string, SourcePartition>();
  private readonly data: DataReader | null;
  /** Of the last record of a part, which the first ones of the next part may share. */
  private lastOffset: SourceOffset | null = null;
  private lastBytes: Buffer = Buffer.alloc(0);

  /** @param converted whether key, value and headers are bytes */
  constructor(
    converted: boolean,
    private readonly retry: Retry,
  ) {
    this.data = converted ? null : new DataReader();
  }

  /**
   * Keys and values share the memory of the bytes. Throws ProtocolError.
   * @param transactions gets what the task has requested for single records
   */
  read(bytes: Buffer, transactions: TransactionContext | null): SourcePart {
    const reader = new ByteReader(bytes, this.strings);
    const number = reader.i32();
    const transaction = reader.u8();
    const topics: string[] = [];
    for (let left = reader.count(4); left > 0; left--) topics.push(reader.string());
    const partitions: SourcePartition[] = [];
    for (let left = reader.count(1); left > 0; left--) partitions.push(this.readPartition(reader));
    const hasMore = (transaction & PART_OF_MORE) !== 0;
    const records = this.readRecords(reader, number, topics, partitions, transactions, hasMore);
    reader.end();
    return { number, records, transaction };
  }

  private readRecords(
    reader: ByteReader,
    part: number,
    topics: readonly string[],
    partitions: readonly SourcePartition[],
    transactions: TransactionContext | null,
    hasMore: boolean,
  ): JavaSourceRecord[] {
    const records: JavaSourceRecord[] = [];
    let offset = this.lastOffset;
    let offsetBytes = this.lastBytes;
    let offsetStart = 0;
    let offsetLength = offsetBytes.length;
    for (let left = reader.count(SMALLEST); left > 0; left--) {
      const index = reader.i32();
      const flags = reader.u8();
      const topic = named(topics, reader.u16());
      const sourcePartition = named(partitions, reader.u16());
      const start = reader.at;
      if (isSame(offsetBytes, offsetStart, reader.buffer, start, offsetLength)) {
        // Records with one offset share it: the runtime compares them by identity.
        reader.at = start + offsetLength;
      } else {
        offset = readPlainMap(reader) as SourceOffset | null;
        offsetBytes = reader.buffer;
        offsetStart = start;
        offsetLength = reader.at - start;
      }
      const partition = (flags & PARTITION) === 0 ? null : reader.i32();
      const timestamp = (flags & TIMESTAMP) === 0 ? null : reader.safeI64();
      const record = this.readRecord(reader, part, index, flags, sourcePartition, offset, topic, partition, timestamp);
      if ((flags & COMMIT) !== 0) transactions?.commitTransaction(record);
      if ((flags & ABORT) !== 0) transactions?.abortTransaction(record);
      records.push(record);
    }
    if (hasMore) {
      this.lastOffset = offset;
      // Copied: otherwise the whole part would stay.
      this.lastBytes = Buffer.from(offsetBytes.subarray(offsetStart, offsetStart + offsetLength));
    }
    return records;
  }

  /** What follows the partition and timestamp of a record. */
  private readRecord(
    reader: ByteReader,
    part: number,
    index: number,
    flags: number,
    sourcePartition: SourcePartition | null,
    offset: SourceOffset | null,
    topic: string | null,
    partition: number | null,
    timestamp: number | null,
  ): JavaSourceRecord {
    let outcome: JavaSourceRecord['outcome'] = null;
    let keySchema: Schema | null = null;
    let key: unknown = null;
    let valueSchema: Schema | null = null;
    let value: unknown = null;
    let headers: readonly Header[] | null = null;
    if ((flags & LEFT_OUT) !== 0) {
      outcome = (flags & FAILED) === 0 ? 'filtered' : this.readFailure(reader, part, index);
    } else if (this.data === null) {
      key = reader.nullableBytes();
      value = reader.nullableBytes();
      headers = readHeaders(reader);
    } else {
      ({ schema: keySchema, value: key } = this.data.read(reader));
      ({ schema: valueSchema, value } = this.data.read(reader));
      headers = readDataHeaders(reader, this.data);
    }
    return new JavaSourceRecord(
      part,
      index,
      sourcePartition,
      offset,
      // What the runtime refuses, as Kafka would.
      topic ?? '',
      partition,
      keySchema,
      key,
      valueSchema,
      value,
      timestamp,
      headers,
      outcome,
    );
  }

  private readFailure(reader: ByteReader, part: number, index: number): ProcessingFailure<ProcessedSourceRecord> {
    const stage = stageOf(reader.string());
    const className = reader.string();
    return new ProcessingFailure(stage, className, javaError(readValue(reader)), () => this.retry(part, index));
  }

  private readPartition(reader: ByteReader): SourcePartition {
    const start = reader.at;
    const read = readPlainMap(reader);
    if (read === null) throw new ProtocolError('a source partition is null');
    const bytes = reader.buffer.toString('latin1', start, reader.at);
    const known = this.partitions.get(bytes);
    if (known !== undefined) return known;
    if (this.partitions.size >= MOST_PARTITIONS) this.partitions.clear();
    this.partitions.set(bytes, read as SourcePartition);
    return read as SourcePartition;
  }
}

export function stageOf(name: string): (typeof STAGES)[number] {
  const stage = STAGES.find((one) => one === name);
  if (stage === undefined) throw new ProtocolError('a failed record has an unknown stage');
  return stage;
}

function readHeaders(reader: ByteReader): readonly Header[] | null {
  let left = reader.count(8);
  if (left === 0) return null;
  const headers: Header[] = [];
  for (; left > 0; left--) {
    const key = reader.string();
    headers.push({ key, schema: null, value: reader.nullableBytes() });
  }
  return headers;
}

function readDataHeaders(reader: ByteReader, data: DataReader): readonly Header[] {
  const headers: Header[] = [];
  for (let left = reader.count(5); left > 0; left--) {
    const key = reader.string();
    const { schema, value } = data.read(reader);
    headers.push({ key, schema, value });
  }
  return headers;
}

function named<T>(list: readonly T[], number: number): T | null {
  if (number === NONE) return null;
  if (number >= list.length) throw new ProtocolError(`there is no number ${number} in its lists`);
  return list[number] as T;
}

/** Whether the bytes at both places are equal: a value that is complete has no other one that starts with it. */
function isSame(left: Buffer, from: number, right: Buffer, start: number, length: number): boolean {
  if (length === 0 || start + length > right.length) return false;
  for (let i = 0; i < length; i++) if (left[from + i] !== right[start + i]) return false;
  return true;
}
