/** Records of a sink on their way to the host, and back in reports. See PROTOCOL.md. */
import type { ConsumedBatch, Header, SinkRecord } from '@millrace/sdk';
import type { DataReader } from '../data/data-reader';
import type { DataWriter } from '../data/data-writer';
import { ByteReader } from '../wire/byte-reader';
import { ByteWriter } from '../wire/byte-writer';
import { ProtocolError } from '../wire/protocol-error';
import { MAX_RECORD } from '../wire/too-large';

const TIMESTAMP_TYPES = ['NoTimestampType', 'CreateTime', 'LogAppendTime'] as const;

/** Parts of a batch have about this size. Bytes. */
const PART = 1024 * 1024;
/** Numbers of partitions have 2 bytes. */
const MOST_PARTITIONS = 60_000;

/** The partitions that the records of one part name, in the order of their first use. */
class PartitionTable {
  readonly list: { readonly topic: string; readonly partition: number }[] = [];
  private readonly numbers = new Map<string, Map<number, number>>();

  number(topic: string, partition: number): number {
    let ofTopic = this.numbers.get(topic);
    if (ofTopic === undefined) this.numbers.set(topic, (ofTopic = new Map<number, number>()));
    let number = ofTopic.get(partition);
    if (number === undefined) {
      number = this.list.push({ topic, partition }) - 1;
      ofTopic.set(partition, number);
    }
    return number;
  }
}

/** Writes one part: the records of a batch from `next` on that fit. */
export class SinkPartWriter {
  private readonly body = new ByteWriter();
  private table = new PartitionTable();
  private count = 0;

  /** @param data null: key, value and headers are bytes */
  constructor(private readonly data: DataWriter | null) {}

  get isFull(): boolean {
    return this.body.length >= PART || this.table.list.length >= MOST_PARTITIONS;
  }

  /** Bytes of the records. */
  get size(): number {
    return this.body.length;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Throws DataError for data that does not fit its schema, or is too large; nothing is written then. */
  add(number: number, record: SinkRecord): void {
    const { body } = this;
    const start = body.length;
    const mark = this.data?.mark;
    body.limit(MAX_RECORD, 'The record');
    try {
      body.i64(number);
      body.u16(this.table.number(record.originalTopic, record.originalPartition));
      if (this.data !== null) body.u16(this.table.number(record.topic, record.partition));
      body.i64(record.originalOffset);
      body.i64(record.timestamp ?? -1);
      body.u8(TIMESTAMP_TYPES.indexOf(record.timestampType));
      if (this.data === null) writeBytes(body, record);
      else writeData(body, this.data, record);
      this.count++;
    } catch (error) {
      body.truncate(start);
      if (mark !== undefined) this.data?.rollBack(mark);
      throw error;
    }
  }

  /**
   * For converters of the host. Returns the number after that of the last record.
   * @param first number of the first record
   */
  addConsumed(first: number, { topic, partition, timestampType, records }: ConsumedBatch): number {
    const { body } = this;
    const of = this.table.number(topic, partition);
    const type = TIMESTAMP_TYPES.indexOf(timestampType);
    let number = first;
    for (const { offset, timestamp, bytes, keyStart, keyEnd, valueStart, valueEnd, headers } of records) {
      body.i64(number++);
      body.u16(of);
      body.i64(offset);
      body.i64(timestamp < 0 ? -1 : timestamp);
      body.u8(type);
      body.slice(bytes, keyStart, keyEnd);
      body.slice(bytes, valueStart, valueEnd);
      writeHeaders(body, headers);
    }
    this.count += records.length;
    return number;
  }

  /** Writes what was added to the frame; the writer is empty then. */
  writeTo(out: ByteWriter): void {
    const { list } = this.table;
    out.i32(list.length);
    for (const { topic, partition } of list) {
      out.string(topic);
      out.i32(partition);
    }
    out.i32(this.count);
    this.body.moveTo(out);
    this.table = new PartitionTable();
    this.count = 0;
  }
}

function writeBytes(out: ByteWriter, { key, value, headers }: SinkRecord): void {
  out.bytes(key as Uint8Array | null);
  out.bytes(value as Uint8Array | null);
  writeHeaders(out, headers);
}

function writeHeaders(out: ByteWriter, headers: readonly { readonly key: string; readonly value: unknown }[]): void {
  out.i32(headers.length);
  for (const header of headers) {
    out.string(header.key);
    out.bytes(header.value as Uint8Array | null);
  }
}

function writeData(out: ByteWriter, data: DataWriter, record: SinkRecord): void {
  data.write(out, record.keySchema, record.key);
  data.write(out, record.valueSchema, record.value);
  out.i32(record.headers.length);
  for (const { key, schema, value } of record.headers) {
    out.string(key);
    data.write(out, schema, value);
  }
}

export function countOf(batches: readonly ConsumedBatch[]): number {
  return batches.reduce((sum, { records }) => sum + records.length, 0);
}

/** Bytes of keys, values and headers, at least. */
export function sizeOf(batches: readonly ConsumedBatch[]): number {
  let size = 0;
  for (const { records } of batches)
    for (const { keyStart, keyEnd, valueStart, valueEnd, headers } of records) {
      if (keyStart >= 0) size += keyEnd - keyStart;
      if (valueStart >= 0) size += valueEnd - valueStart;
      for (const { key, value } of headers) size += key.length + (value?.length ?? 0);
    }
  return size;
}

/**
 * The record of a report, and its number: -1 for one that the task has made. Throws ProtocolError.
 * @param data null: key, value and headers are bytes
 */
export function readReported(bytes: Buffer, data: DataReader | null): { number: number; record: SinkRecord } {
  const reader = new ByteReader(bytes);
  if (reader.i32() !== 1) throw new ProtocolError('a report has more than one partition');
  const topic = reader.string();
  const partition = reader.i32();
  if (reader.i32() !== 1) throw new ProtocolError('a report has more than one record');
  const number = reader.safeI64();
  if (reader.u16() !== 0) throw new ProtocolError('a reported record has an unknown partition');
  const offset = reader.safeI64();
  const timestamp = reader.safeI64();
  const timestampType = TIMESTAMP_TYPES[reader.u8()];
  if (timestampType === undefined) throw new ProtocolError('a reported record has an unknown type of timestamp');
  const read = (): { schema: Header['schema']; value: unknown } =>
    data === null ? { schema: null, value: copied(reader.nullableBytes()) } : data.read(reader);
  const key = read();
  const value = read();
  const headers: Header[] = [];
  for (let left = reader.count(4); left > 0; left--) {
    const name = reader.string();
    const { schema, value } = read();
    headers.push({ key: name, schema, value });
  }
  reader.end();
  const record: SinkRecord = {
    topic,
    partition,
    offset,
    originalTopic: topic,
    originalPartition: partition,
    originalOffset: offset,
    keySchema: key.schema,
    key: key.value,
    valueSchema: value.schema,
    value: value.value,
    timestamp: timestamp < 0 ? null : timestamp,
    timestampType,
    headers,
  };
  return { number, record };
}

function copied(bytes: Buffer | null): Buffer | null {
  return bytes && Buffer.from(bytes);
}
