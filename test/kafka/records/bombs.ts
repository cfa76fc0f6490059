/**
 * Record batches that are small until they are decompressed, made by hand: nothing of their content's size is ever in
 * memory.
 */
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type * as Lz4 from 'lz4-napi';
import type * as Snappy from 'snappy';
import { compressionId, crc32c, type CompressionType } from '@millrace/record-codecs';
import * as layout from '../../../packages/kafka-client/src/records/record-batch-layout';
import { varintBytes, writeVarint } from '../../../packages/kafka-client/src/records/varint';

const load = createRequire(__filename);
const MIB = 1024 * 1024;

const varint = (value: number): Buffer => {
  const bytes = Buffer.alloc(varintBytes(value));
  writeVarint(bytes, value, 0);
  return bytes;
};

/** A batch of one record or more around whatever section, with its checksum. */
export function batchAround(section: Buffer, type: CompressionType, count = 1): Buffer {
  const batch = Buffer.concat([Buffer.alloc(layout.BATCH_HEADER_BYTES), section]);
  batch.writeInt32BE(batch.length - layout.LOG_OVERHEAD, layout.BATCH_LENGTH_AT);
  batch.writeInt8(2, layout.MAGIC_AT);
  batch.writeInt16BE(compressionId(type), layout.ATTRIBUTES_AT);
  batch.writeInt32BE(count - 1, layout.LAST_OFFSET_DELTA_AT);
  layout.writeInt64(batch, 1_700_000_000_000, layout.BASE_TIMESTAMP_AT);
  layout.writeInt64(batch, 1_700_000_000_000, layout.MAX_TIMESTAMP_AT);
  layout.writeInt64(batch, -1, layout.PRODUCER_ID_AT);
  batch.writeInt16BE(-1, layout.PRODUCER_EPOCH_AT);
  batch.writeInt32BE(-1, layout.BASE_SEQUENCE_AT);
  batch.writeInt32BE(count, layout.RECORD_COUNT_AT);
  batch.writeUInt32BE(crc32c(batch.subarray(layout.ATTRIBUTES_AT)), layout.CRC_AT);
  return batch;
}

/** All before the zeros of the value of a section's only record, and the byte after them. */
function ends(valueBytes: number): [head: Buffer, tail: Buffer] {
  // Attributes, deltas, and a key of one byte: compacted topics ask for one.
  const fields = Buffer.concat([Buffer.from([0, 0, 0, 2, 0x6b]), varint(valueBytes)]);
  return [Buffer.concat([varint(fields.length + valueBytes + 1), fields]), Buffer.from([0])];
}

const uint24 = (value: number): Buffer => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);

/**
 * Run-length blocks: four bytes stand for 128 KiB. `contentSize`: what the frame claims, which may be wrong.
 */
export function zstdZeros(before: Buffer, zeros: number, after: Buffer, contentSize?: bigint): Buffer {
  const RAW = 0;
  const RLE = 2;
  const block = 128 * 1024;
  const claimed = Buffer.alloc(contentSize === undefined ? 0 : 8);
  if (contentSize !== undefined) claimed.writeBigUInt64LE(contentSize);
  // A window of 128 KiB; the content's size in eight bytes, or unsaid.
  const parts: Buffer[] = [
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, contentSize === undefined ? 0 : 0xc0, 7 << 3]),
    claimed,
  ];
  parts.push(uint24((before.length << 3) | RAW), before);
  for (let left = zeros; left > 0; left -= block) parts.push(uint24((Math.min(left, block) << 3) | RLE), Buffer.of(0));
  parts.push(uint24((after.length << 3) | RAW | 1), after);
  return Buffer.concat(parts);
}

/** `blocks` times the block of 4 MiB of zeros; what goes before and after stands in blocks of its own. */
function lz4Zeros(before: Buffer, blocks: number, after: Buffer): Buffer {
  const { compressFrameSync } = load('lz4-napi') as typeof Lz4;
  // A large frame has blocks of 4 MiB, and a header of seven bytes.
  const frame = compressFrameSync(Buffer.alloc(8 * MIB));
  const zeros = frame.subarray(7, 11 + frame.readUInt32LE(7));
  const stored = (bytes: Buffer): Buffer => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE((0x80000000 | bytes.length) >>> 0);
    return Buffer.concat([size, bytes]);
  };
  const parts = [frame.subarray(0, 7), stored(before)];
  for (let i = 0; i < blocks; i++) parts.push(zeros);
  return Buffer.concat([...parts, stored(after), Buffer.alloc(4)]);
}

/** Xerial blocks of 1 MiB. */
function snappyZeros(before: Buffer, blocks: number, after: Buffer): Buffer {
  const { compressSync } = load('snappy') as typeof Snappy;
  const block = (bytes: Buffer): Buffer => {
    const compressed = compressSync(bytes);
    const length = Buffer.alloc(4);
    length.writeInt32BE(compressed.length);
    return Buffer.concat([length, compressed]);
  };
  const header = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00, 0, 0, 0, 1, 0, 0, 0, 1]);
  const zeros = block(Buffer.alloc(MIB));
  const parts = [header, block(before)];
  for (let i = 0; i < blocks; i++) parts.push(zeros);
  return Buffer.concat([...parts, block(after)]);
}

/** Members written one after the other are one stream. */
function gzipZeros(before: Buffer, members: number, after: Buffer): Buffer {
  const zeros = gzipSync(Buffer.alloc(4 * MIB), { level: 9 });
  return Buffer.concat([gzipSync(before), ...Array.from({ length: members }, () => zeros), gzipSync(after)]);
}

export type Codec = Exclude<CompressionType, 'none'>;

/** One honest record whose value is `mebibytes` (a multiple of 4) of zeros. */
export function bomb(codec: Codec, mebibytes: number): Buffer {
  const [head, tail] = ends(mebibytes * MIB);
  const section = {
    gzip: () => gzipZeros(head, mebibytes / 4, tail),
    snappy: () => snappyZeros(head, mebibytes, tail),
    lz4: () => lz4Zeros(head, mebibytes / 4, tail),
    zstd: () => zstdZeros(head, mebibytes * MIB, tail),
  }[codec]();
  return batchAround(section, codec);
}

/** A record of a few bytes, and `mebibytes` of zeros that belong to none. */
export function overhang(codec: Codec, mebibytes: number): Buffer {
  const [head, tail] = ends(0);
  const record = Buffer.concat([head, tail]);
  const section = {
    gzip: () => gzipZeros(record, mebibytes / 4, Buffer.alloc(1)),
    snappy: () => snappyZeros(record, mebibytes, Buffer.alloc(1)),
    lz4: () => lz4Zeros(record, mebibytes / 4, Buffer.alloc(1)),
    zstd: () => zstdZeros(record, mebibytes * MIB, Buffer.alloc(1)),
  }[codec]();
  return batchAround(section, codec);
}
