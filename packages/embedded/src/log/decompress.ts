/**
 * The record batch codecs, only for what a broker must look into: keys of compacted topics and timestamps looked for.
 * Each is loaded when first needed; batches are otherwise stored and sent as they came.
 */
import { createRequire } from 'node:module';
import * as zlib from 'node:zlib';
import type * as NodeZstd from '@toondepauw/node-zstd';
import type * as Lz4 from 'lz4-napi';
import type * as Snappy from 'snappy';
import { mostOfLz4, mostOfZstd, sizeOfSnappy } from './decompressed-size';

type Decompress = (compressed: Buffer) => Buffer;

/** What is larger when unpacked is no batch that a client could have meant. */
const MOST_BYTES = 128 * 1024 * 1024;
/** What Java's SnappyOutputStream begins its streams with, followed by two int32 versions. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;

const load = createRequire(__filename);

function refuseBeyond(bytes: number): void {
  if (bytes > MOST_BYTES) throw new RangeError(`it takes more than ${MOST_BYTES} bytes once it is decompressed`);
}

function gzip(): Decompress {
  return (compressed) => zlib.gunzipSync(compressed, { maxOutputLength: MOST_BYTES });
}

function snappy(): Decompress {
  const { uncompressSync } = load('snappy') as typeof Snappy;
  const block = (bytes: Buffer): Buffer => uncompressSync(bytes, { asBuffer: true }) as Buffer;
  return (compressed) => {
    const isXerial = compressed.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC);
    if (!isXerial) {
      refuseBeyond(sizeOfSnappy(compressed));
      return block(compressed);
    }
    const blocks: Buffer[] = [];
    let total = 0;
    for (let at = XERIAL_HEADER_BYTES; at < compressed.length;) {
      const end = at + 4 + compressed.readInt32BE(at);
      if (end <= at + 4 || end > compressed.length) throw new RangeError('a snappy block does not fit its batch');
      const part = compressed.subarray(at + 4, end);
      refuseBeyond((total += sizeOfSnappy(part)));
      blocks.push(block(part));
      at = end;
    }
    return Buffer.concat(blocks);
  };
}

function lz4(): Decompress {
  const { decompressFrameSync } = load('lz4-napi') as typeof Lz4;
  return (compressed) => {
    refuseBeyond(mostOfLz4(compressed));
    return decompressFrameSync(compressed);
  };
}

function zstd(): Decompress {
  const own = (zlib as unknown as { zstdDecompressSync?: (bytes: Buffer, options: object) => Buffer })
    .zstdDecompressSync;
  if (own) return (compressed) => own(compressed, { maxOutputLength: MOST_BYTES });
  const decoder = new (zstdBinding().Decoder)();
  return (compressed) => {
    refuseBeyond(mostOfZstd(compressed));
    return decoder.decodeSync(compressed);
  };
}

/** An optional dependency, for Node before 22.15 alone. */
function zstdBinding(): typeof NodeZstd {
  try {
    return load('@toondepauw/node-zstd') as typeof NodeZstd;
  } catch (cause) {
    const fix = 'run Node 22.15 or later, which has zstd, or install the optional package @toondepauw/node-zstd';
    throw new Error(`zstd cannot be loaded (Node ${process.versions.node}); ${fix}`, { cause });
  }
}

const CODECS: readonly (() => Decompress)[] = [() => (bytes) => bytes, gzip, snappy, lz4, zstd];
const loaded: Decompress[] = [];

/**
 * @param codec its number in the batch attributes. Throws what the codec throws, or what prevents its loading on this
 *   machine.
 */
export function decompress(codec: number, bytes: Buffer): Buffer {
  return (loaded[codec] ??= CODECS[codec]!())(bytes);
}
