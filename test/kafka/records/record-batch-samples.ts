/** Reproducible random records and ready-made batches for the codec's tests. */
import { BufferPool } from '../../../packages/kafka-client/src/records/buffer-pool';
import {
  RecordBatchEncoder,
  type ProducerIdentity,
} from '../../../packages/kafka-client/src/records/record-batch-encoder';
import {
  ATTRIBUTES_AT,
  CONTROL_FLAG,
  CRC_AT,
  LAST_OFFSET_DELTA_AT,
  writeInt64,
} from '../../../packages/kafka-client/src/records/record-batch-layout';
import { crc32c } from '@millrace/record-codecs';
import type { RecordHeader } from '../../../packages/kafka-client/src/port';

export interface SampleRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers: RecordHeader[];
  timestamp: number;
}

export const NO_IDENTITY: ProducerIdentity = { producerId: -1, epoch: -1, baseSequence: -1, transactional: false };

/** mulberry32: small, seedable. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function randomBytes(next: () => number, maxLength: number): Buffer {
  const bytes = Buffer.alloc(Math.floor(next() * (maxLength + 1)));
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(next() * 256);
  return bytes;
}

export function randomRecord(next: () => number): SampleRecord {
  const maxLength = next() < 0.1 ? 5000 : next() < 0.5 ? 40 : 300;
  const names = ['h', 'trace-id', 'größe', '键', ''];
  return {
    key: next() < 0.2 ? null : randomBytes(next, 80),
    value: next() < 0.1 ? null : randomBytes(next, maxLength),
    headers:
      next() < 0.6
        ? []
        : Array.from({ length: Math.ceil(next() * 4) }, (_, i) => ({
            key: names[Math.floor(next() * names.length)]! + i,
            value: next() < 0.2 ? null : randomBytes(next, 50),
          })),
    timestamp: 1_700_000_000_000 + Math.floor((next() - 0.5) * (next() < 0.2 ? 1e12 : 5000)),
  };
}

export function encodeBatch(
  records: readonly SampleRecord[],
  options: { identity?: ProducerIdentity; baseOffset?: number; headroom?: number } = {},
): Buffer {
  const encoder = new RecordBatchEncoder(new BufferPool(0), options.headroom ?? 0, 16);
  for (const r of records) encoder.append(r.key, r.value, r.headers, r.timestamp, Infinity);
  return at(encoder.finish(options.identity ?? NO_IDENTITY), options.baseOffset ?? 0);
}

/** The broker assigns offsets outside the checksum. */
export function at(batch: Buffer, baseOffset: number): Buffer {
  writeInt64(batch, baseOffset, 0);
  return batch;
}

export const record = (value: string, timestamp = 1000): SampleRecord => ({
  key: Buffer.from(`k-${value}`),
  value: Buffer.from(value),
  headers: [],
  timestamp,
});

export const transaction = (producerId: number): ProducerIdentity => ({
  producerId,
  epoch: 0,
  baseSequence: 0,
  transactional: true,
});

/** The end marker of a transaction, as the coordinator writes it. */
export function marker(producerId: number, kind: 'abort' | 'commit', baseOffset: number): Buffer {
  const key = Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]);
  const batch = encodeBatch([{ key, value: Buffer.alloc(6), headers: [], timestamp: 1000 }], {
    identity: transaction(producerId),
    baseOffset,
  });
  return changed(batch, (b) => b.writeInt16BE(b.readInt16BE(ATTRIBUTES_AT) | CONTROL_FLAG, ATTRIBUTES_AT));
}

/** What compaction leaves when later records of the batch are gone: the last offset delta stays. */
export function withLastOffsetDelta(batch: Buffer, delta: number): Buffer {
  return changed(batch, (b) => b.writeInt32BE(delta, LAST_OFFSET_DELTA_AT));
}

/** Applies a change and makes the checksum right again. */
export function changed(batch: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(batch);
  change(copy);
  copy.writeUInt32BE(crc32c(copy.subarray(ATTRIBUTES_AT)), CRC_AT);
  return copy;
}
