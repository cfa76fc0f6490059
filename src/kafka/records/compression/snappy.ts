import type { Codec } from './codec';
import { checkSize } from './limit';
import { compressSnappyBlock, decompressSnappyBlock } from './snappy-block';

/** Header of Java's SnappyOutputStream: magic, version 1, oldest compatible version 1. */
const XERIAL_HEADER = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00, 0, 0, 0, 1, 0, 0, 0, 1]);
const XERIAL_MAGIC = XERIAL_HEADER.subarray(0, 8);
/** Java's block size; readers allocate per block. */
const BLOCK_BYTES = 32 * 1024;
/** Three bytes copy at most 64. */
const LARGEST_RATIO = 22;

export interface SnappyBlocks {
  compress(plain: Buffer): Buffer;
  /** @param size of the plain bytes, as the block states it */
  decompress(block: Buffer, size: number): Buffer;
}

/** Faster than the native package for blocks of this size (`npm run bench -- codecs`). */
const BLOCKS: SnappyBlocks = { compress: compressSnappyBlock, decompress: decompressSnappyBlock };

/**
 * Snappy in Java's xerial framing (header, then blocks with an int32 length); raw blocks are also read.
 */
export function snappyCodec(codec = BLOCKS): Codec {
  return {
    compress(records) {
      const parts: Buffer[] = [XERIAL_HEADER];
      for (let at = 0; at < records.length; at += BLOCK_BYTES) {
        const block = codec.compress(records.subarray(at, at + BLOCK_BYTES));
        const length = Buffer.allocUnsafe(4);
        length.writeInt32BE(block.length, 0);
        parts.push(length, block);
      }
      return Buffer.concat(parts);
    },
    decompress(compressed, limit) {
      const blocks = startsWithMagic(compressed, 0) ? xerialBlocks(compressed) : [compressed];
      let total = 0;
      for (const block of blocks) checkSize((total += statedSize(block)), limit);
      if (blocks.length === 1) return codec.decompress(blocks[0]!, total);
      const records = Buffer.allocUnsafe(total);
      let at = 0;
      for (const block of blocks) at += codec.decompress(block, statedSize(block)).copy(records, at);
      return records;
    },
  };
}

function xerialBlocks(compressed: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  let at = XERIAL_HEADER.length;
  while (at < compressed.length) {
    if (startsWithMagic(compressed, at)) {
      // Each of several concatenated streams has a header.
      at += XERIAL_HEADER.length;
      continue;
    }
    const length = compressed.readInt32BE(at);
    if (length <= 0 || at + 4 + length > compressed.length) throw new RangeError('snappy block exceeds the batch');
    blocks.push(compressed.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return blocks;
}

/** Checks the size at the start of a block, a varint, for which memory is allocated. */
function statedSize(block: Buffer): number {
  let size = 0;
  for (let at = 0, scale = 1; at < 5; at++, scale *= 128) {
    const byte = block[at];
    if (byte === undefined) break;
    size += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (size > block.length * LARGEST_RATIO)
        throw new RangeError(`a snappy block of ${block.length} bytes cannot hold ${size}`);
      return size;
    }
  }
  throw new RangeError('snappy block without a size');
}

function startsWithMagic(bytes: Buffer, at: number): boolean {
  const end = at + XERIAL_MAGIC.length;
  return end <= bytes.length && XERIAL_MAGIC.compare(bytes, at, end) === 0;
}
