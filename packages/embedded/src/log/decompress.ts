/**
 * The record batch codecs. The broker decompresses batches only to read the keys of compacted topics and to find a
 * timestamp; otherwise it stores and sends them unchanged. Each codec is loaded on first use.
 */
import * as zlib from 'node:zlib';
import type * as NodeZstd from '@toondepauw/node-zstd';
import type * as Lz4 from 'lz4-napi';
import { nativePackage } from '../native-package';
import { maxSizeOfLz4, maxSizeOfZstd, sizeOfSnappy } from './decompressed-size';
import { decompressLz4Frame } from './lz4-portable';
import { decompressSnappyBlock } from './snappy-block';

type Decompress = (compressed: Buffer) => Buffer;

/** No client sends batches that are larger than this when decompressed. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Start of the streams of Java's SnappyOutputStream, followed by two int32 versions. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;

function checkSize(bytes: number): void {
  if (bytes > MAX_BYTES) throw new RangeError(`it exceeds ${MAX_BYTES} bytes when decompressed`);
}

function gzip(): Decompress {
  return (compressed) => zlib.gunzipSync(compressed, { maxOutputLength: MAX_BYTES });
}

/** Java's xerial framing; raw blocks are also read. */
function snappy(): Decompress {
  return (compressed) => {
    const isXerial = compressed.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC);
    if (!isXerial) {
      const size = sizeOfSnappy(compressed);
      checkSize(size);
      return decompressSnappyBlock(compressed, size);
    }
    const blocks: Buffer[] = [];
    let total = 0;
    for (let at = XERIAL_HEADER_BYTES; at < compressed.length;) {
      const end = at + 4 + compressed.readInt32BE(at);
      if (end <= at + 4 || end > compressed.length) throw new RangeError('a snappy block exceeds its batch');
      const part = compressed.subarray(at + 4, end);
      const size = sizeOfSnappy(part);
      checkSize((total += size));
      blocks.push(decompressSnappyBlock(part, size));
      at = end;
    }
    return Buffer.concat(blocks);
  };
}

function lz4(): Decompress {
  const native = nativePackage<typeof Lz4>('lz4-napi');
  if (native === null) return portableLz4();
  return (compressed) => {
    checkSize(maxSizeOfLz4(compressed));
    return native.decompressFrameSync(compressed);
  };
}

/** Exported for comparison with the native package. */
export function portableLz4(): Decompress {
  return (compressed) => {
    const maxSize = maxSizeOfLz4(compressed);
    checkSize(maxSize);
    return decompressLz4Frame(compressed, maxSize);
  };
}

function zstd(): Decompress {
  const builtIn = (zlib as unknown as { zstdDecompressSync?: (bytes: Buffer, options: object) => Buffer })
    .zstdDecompressSync;
  if (builtIn) return (compressed) => builtIn(compressed, { maxOutputLength: MAX_BYTES });
  const decoder = new (zstdBinding().Decoder)();
  return (compressed) => {
    checkSize(maxSizeOfZstd(compressed));
    return decoder.decodeSync(compressed);
  };
}

/** An optional peer dependency, only for Node.js before 22.15. */
function zstdBinding(): typeof NodeZstd {
  const binding = nativePackage<typeof NodeZstd>('@toondepauw/node-zstd');
  if (binding !== null) return binding;
  const fix = 'use Node.js 22.15 or later, which includes zstd, or run `npm install @toondepauw/node-zstd`';
  throw new Error(`zstd cannot be loaded (Node.js ${process.versions.node}); ${fix}`);
}

const CODECS: readonly (() => Decompress)[] = [() => (bytes) => bytes, gzip, snappy, lz4, zstd];
const loaded: Decompress[] = [];

/**
 * @param codec its number in the batch attributes
 * @throws the error of the codec, or why it cannot be loaded on this machine.
 */
export function decompress(codec: number, bytes: Buffer): Buffer {
  return (loaded[codec] ??= CODECS[codec]!())(bytes);
}
