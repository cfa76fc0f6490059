/** Zstandard of node:zlib, from Node 22.15 on; otherwise of a prebuilt package that users install. Format: RFC 8878. */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type * as NodeZstd from '@toondepauw/node-zstd';
import { checkSize, UnavailableCodecError, withinLimit, type Codec } from './codec';
import { nativeFailures, nativePackage } from './native-package';

const PACKAGE = '@toondepauw/node-zstd';
/** Kafka's default level. */
const DEFAULT_LEVEL = 3;

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const SINGLE_SEGMENT = 0x20;
const CHECKSUM = 0x04;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const RLE_BLOCK = 1;
const COMPRESSED_BLOCK = 2;
const LARGEST_BLOCK = 128 * 1024;

interface ZlibWithZstd {
  zstdCompress(
    input: Buffer,
    options: { params: Record<number, number> },
    done: (e: Error | null, r: Buffer) => void,
  ): void;
  zstdDecompressSync(input: Buffer, options: { maxOutputLength: number }): Buffer;
  constants: { ZSTD_c_compressionLevel: number };
}

/** @throws UnavailableCodecError if neither Node.js nor the package has it. */
export function zstdCodec(): Codec {
  if ('zstdCompress' in zlib) return fromZlib(zlib as unknown as ZlibWithZstd);
  const binding = nativePackage<typeof NodeZstd>(PACKAGE);
  if (binding !== null) return fromPackage(binding);
  throw new UnavailableCodecError(
    `zstd needs Node.js 22.15 or later, or the package ${PACKAGE} (npm install ${PACKAGE}), ` +
      `which cannot be loaded: ${nativeFailures.get(PACKAGE)}.`,
  );
}

function fromZlib(z: ZlibWithZstd): Codec {
  const compress = promisify(z.zstdCompress);
  return {
    compress: (records, level = DEFAULT_LEVEL) =>
      compress(records, { params: { [z.constants.ZSTD_c_compressionLevel]: level } }),
    decompress(compressed, limit) {
      // Node.js 22 reads truncated frames without an error.
      zstdSize(compressed);
      return withinLimit(z.zstdDecompressSync, compressed, limit);
    },
  };
}

function fromPackage({ Encoder, Decoder }: typeof NodeZstd): Codec {
  const decoder = new Decoder();
  const encoders = new Map<number, InstanceType<typeof Encoder>>();
  return {
    compress(records, level = DEFAULT_LEVEL) {
      let encoder = encoders.get(level);
      if (!encoder) encoders.set(level, (encoder = new Encoder(level)));
      return encoder.encode(records);
    },
    decompress(compressed, limit) {
      // The package has no size limit.
      checkSize(zstdSize(compressed), limit);
      const records = decoder.decodeSync(compressed);
      checkSize(records.length, limit);
      return records;
    },
  };
}

/**
 * The decompressed size in bytes, without decompressing. The content size in a frame header is not trusted. How much a
 * compressed block contains is unknown; it counts as full, except the last one, which counts as empty: producers fill
 * all others unless they flush.
 * @throws RangeError for truncated frames.
 */
export function zstdSize(frames: Buffer): number {
  if (frames.length === 0) throw new RangeError('no zstd frame');
  let full = 0;
  let lastBlock = 0;
  for (let at = 0; at < frames.length;) {
    const magic = frames.readUInt32LE(at);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      at += 8 + frames.readUInt32LE(at + 4);
      if (at > frames.length) throw new RangeError('a zstd frame exceeds the batch');
      continue;
    }
    if (magic !== MAGIC) throw new RangeError('not a zstd frame');
    const descriptor = frames.readUInt8(at + 4);
    at = frameHeaderEnd(descriptor, at);
    for (let isLast = false; !isLast;) {
      const header = frames.readUIntLE(at, 3);
      const type = (header >> 1) & 3;
      const size = header >> 3;
      isLast = (header & 1) === 1;
      lastBlock = type === COMPRESSED_BLOCK ? LARGEST_BLOCK : 0;
      full += lastBlock || size;
      at += 3 + (type === RLE_BLOCK ? 1 : size);
    }
    if (descriptor & CHECKSUM) at += 4;
    if (at > frames.length) throw new RangeError('a zstd frame exceeds the batch');
  }
  return full - lastBlock;
}

function frameHeaderEnd(descriptor: number, at: number): number {
  const isSingleSegment = descriptor & SINGLE_SEGMENT ? 1 : 0;
  const window = 1 - isSingleSegment;
  return (
    at + 5 + window + DICTIONARY_ID_BYTES[descriptor & 3]! + (CONTENT_SIZE_BYTES[descriptor >> 6]! || isSingleSegment)
  );
}
