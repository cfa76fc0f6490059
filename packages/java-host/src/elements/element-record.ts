import { type ConnectRecord, DataError, type Header, type SinkRecord, type SourceRecord } from '@millrace/sdk';
import type { DataReader } from '../data/data-reader';
import type { DataWriter } from '../data/data-writer';
import type { ByteReader } from '../wire/byte-reader';
import type { ByteWriter } from '../wire/byte-writer';
import { ProtocolError } from '../wire/protocol-error';
import { readValue, writeValue } from '../wire/values';

const TIMESTAMP_TYPES = { NoTimestampType: 0, CreateTime: 1, LogAppendTime: 2 } as const;

export function isSinkRecord(record: ConnectRecord): record is SinkRecord {
  return 'originalOffset' in record;
}

/** A record for a transformation or a predicate. */
export function writeRecord(out: ByteWriter, writer: DataWriter, record: ConnectRecord): void {
  writeValue(out, record.topic);
  writeValue(out, record.partition ?? null);
  writeValue(out, record.timestamp ?? null);
  writer.write(out, record.keySchema, record.key);
  writer.write(out, record.valueSchema, record.value);
  const headers = record.headers ?? [];
  out.i32(headers.length);
  for (const { key, schema, value } of headers) {
    out.string(key);
    writer.write(out, schema, value);
  }
  if (isSinkRecord(record)) writePlace(out, record);
  else writeSource(out, record);
}

function writeSource(out: ByteWriter, record: SourceRecord): void {
  writeValue(out, record.sourcePartition);
  writeValue(out, record.sourceOffset);
}

function writePlace(out: ByteWriter, record: SinkRecord): void {
  out.i64(record.offset);
  out.u8(TIMESTAMP_TYPES[record.timestampType]);
  out.string(record.originalTopic);
  out.i32(record.originalPartition);
  out.i64(record.originalOffset);
}

/** What the transformation made of the record. Throws DataError for a record without a topic. */
export function readRecord<R extends ConnectRecord>(input: ByteReader, reader: DataReader, of: R): R {
  const topic = readValue(input);
  const partition = readValue(input);
  const timestamp = readValue(input);
  const key = reader.read(input);
  const value = reader.read(input);
  const headers: Header[] = [];
  const count = input.count(8);
  for (let i = 0; i < count; i++) headers.push({ key: input.string(), ...reader.read(input) });
  if (!isNumberOrNull(partition) || !isNumberOrNull(timestamp))
    throw new ProtocolError('a record has a partition or timestamp that is no number');
  if (typeof topic !== 'string')
    throw new DataError('The transformation returned a record without a topic.', { code: 'JAVA_DATA' });
  return {
    ...of,
    topic,
    partition: isSinkRecord(of) ? (partition ?? of.partition) : partition,
    timestamp,
    keySchema: key.schema,
    key: key.value,
    valueSchema: value.schema,
    value: value.value,
    headers,
  };
}

function isNumberOrNull(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}
