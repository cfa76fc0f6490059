/** Record batches as clients send them, made by hand so that tests can make wrong ones too. */
import { gzipSync } from 'node:zlib';
import { crc32c } from '@millrace/record-codecs';
import { HEADER_BYTES, readHeader } from '../../packages/embedded/src/log/batch';
import { readRecords } from '../../packages/embedded/src/log/records';

export interface RecordSpec {
  readonly key?: string | null;
  readonly value?: string | null;
  /** Milliseconds; default: the batch's. */
  readonly timestamp?: number;
}

export interface BatchSpec {
  readonly records: readonly (RecordSpec | string)[];
  readonly timestamp?: number;
  readonly producerId?: number;
  readonly epoch?: number;
  readonly sequence?: number;
  readonly transactional?: boolean;
  readonly gzip?: boolean;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value >= 0 ? value * 2 : -value * 2 - 1;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}

function optional(text: string | null): Buffer {
  if (text === null) return varint(-1);
  const bytes = Buffer.from(text);
  return Buffer.concat([varint(bytes.length), bytes]);
}

function encodeRecord({ key = null, value = null, timestamp }: RecordSpec, base: number, offsetDelta: number): Buffer {
  const delta = varint((timestamp ?? base) - base);
  const body = Buffer.concat([Buffer.of(0), delta, varint(offsetDelta), optional(key), optional(value), varint(0)]);
  return Buffer.concat([varint(body.length), body]);
}

/** Of today: what is old is deleted by a broker's first round of housekeeping, which a slow test sees. */
const NOW = Date.now();

export function encodeRecordBatch(spec: BatchSpec): Buffer {
  const base = spec.timestamp ?? NOW;
  const records = spec.records.map((record) => (typeof record === 'string' ? { value: record } : record));
  const plain = Buffer.concat(records.map((record, i) => encodeRecord(record, base, i)));
  const batch = Buffer.concat([Buffer.alloc(HEADER_BYTES), spec.gzip ? gzipSync(plain) : plain]);
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt8(2, 16);
  batch.writeInt16BE((spec.gzip ? 1 : 0) | (spec.transactional ? 0x10 : 0), 21);
  batch.writeInt32BE(records.length - 1, 23);
  batch.writeBigInt64BE(BigInt(base), 27);
  batch.writeBigInt64BE(BigInt(Math.max(...records.map((record) => record.timestamp ?? base))), 35);
  batch.writeBigInt64BE(BigInt(spec.producerId ?? -1), 43);
  batch.writeInt16BE(spec.epoch ?? -1, 51);
  batch.writeInt32BE(spec.sequence ?? -1, 53);
  batch.writeInt32BE(records.length, 57);
  return withChecksum(batch);
}

/** After a test has changed something inside. */
export function withChecksum(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

export interface SeenRecord {
  readonly offset: number;
  readonly key: string | null;
  readonly value: string | null;
}

/** Offset, key and value of every record in fetched bytes. */
export function recordsIn(bytes: Buffer | null): SeenRecord[] {
  const seen: SeenRecord[] = [];
  for (let rest = bytes ?? Buffer.alloc(0); rest.length > 0;) {
    const { bytes: size, control } = readHeader(rest);
    const batch = rest.subarray(0, size);
    if (!control) {
      for (const record of readRecords(batch)) {
        seen.push({
          offset: record.offset,
          key: record.key?.toString() ?? null,
          value: record.isTombstone ? null : valueOf(record.bytes),
        });
      }
    }
    rest = rest.subarray(size);
  }
  return seen;
}

/** Skips length, attributes, deltas and the key by their own lengths. */
function valueOf(record: Buffer): string {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = record[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  };
  number();
  at++;
  number();
  number();
  const key = number();
  at += Math.max(key, 0);
  const length = number();
  return record.toString('utf8', at, at + length);
}
