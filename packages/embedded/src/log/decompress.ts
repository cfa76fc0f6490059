/**
 * The record batch codecs. The broker decompresses batches only to read the keys of compacted topics and to find a
 * timestamp; otherwise it stores and sends them unchanged. Each codec is loaded on first use.
 */
import * as zlib from 'node:zlib';
import type * as NodeZstd from '@toondepauw/node-zstd';
import type * as Lz4 from 'lz4-napi';
import { nativePackage } from '../native-package';
import { maxSizeOfLz4, sizeOfSnappy } from './decompressed-size';
import { checkSize } from './limit';
import { decompressLz4Frame } from './lz4-portable';
import { decompressSnappyBlock } from './snappy-block';
import { ZstdDecoder } from './zstd/decoder';
import { zstdSize } from './zstd/size';

type Decompress = (compressed: Buffer) => Buffer;

/** No client sends batches that are larger than this when decompressed. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Start of the streams of Java's SnappyOutputStream, followed by two int32 versions. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;

function gzip(): Decompress {
  return (compressed) => zlib.gunzipSync(compressed, { maxOutputLength: MAX_BYTES });
}

/** Java's xerial framing; raw blocks are also read. */
function snappy(): Decompress {
  return (compressed) => {
    const isXerial = compressed.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC);
    if (!isXerial) {
      const size = sizeOfSnappy(compressed);
      checkSize(size, MAX_BYTES);
      return decompressSnappyBlock(compressed, size);
    }
    const blocks: Buffer[] = [];
    let total = 0;
    for (let at = XERIAL_HEADER_BYTES; at < compressed.length;) {
      const end = at + 4 + compressed.readInt32BE(at);
      if (end <= at + 4 || end > compressed.length) throw new RangeError('a snappy block exceeds its batch');
      const part = compressed.subarray(at + 4, end);
      const size = sizeOfSnappy(part);
      checkSize((total += size), MAX_BYTES);
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
    checkSize(maxSizeOfLz4(compressed), MAX_BYTES);
    return native.decompressFrameSync(compressed);
  };
}

/** Exported for comparison with the native package. */
export function portableLz4(): Decompress {
  return (compressed) => {
    const maxSize = maxSizeOfLz4(compressed);
    checkSize(maxSize, MAX_BYTES);
    return decompressLz4Frame(compressed, maxSize);
  };
}

function zstd(): Decompress {
  const builtIn = (zlib as unknown as { zstdDecompressSync?: (bytes: Buffer, options: object) => Buffer })
    .zstdDecompressSync;
  if (builtIn) return (compressed) => builtIn(compressed, { maxOutputLength: MAX_BYTES });
  const binding = nativePackage<typeof NodeZstd>('@toondepauw/node-zstd');
  if (binding === null) return portableZstd();
  const decoder = new binding.Decoder();
  return (compressed) => {
    checkSize(zstdSize(compressed).likely, MAX_BYTES);
    return decoder.decodeSync(compressed);
  };
}

/** Exported for comparison with the native package. */
export function portableZstd(): Decompress {
  const decoder = new ZstdDecoder();
  return (compressed) => decoder.decode(compressed, MAX_BYTES);
}

const CODECS: readonly (() => Decompress)[] = [() => (bytes) => bytes, gzip, snappy, lz4, zstd];
const loaded: Decompress[] = [];

/**
 * @param codec its number in the batch attributes
 * @throws the error of the codec
 */
export function decompress(codec: number, bytes: Buffer): Buffer {
  return (loaded[codec] ??= CODECS[codec]!())(bytes);
}
