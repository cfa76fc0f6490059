/**
 * Snappy in JavaScript, in Java's xerial framing: a header, then blocks with an int32 length. Raw blocks are also read.
 * Format of the blocks: format_description.txt of snappy.
 */
import { checkSize, copyLiterals, copyMatch, readWord, type Codec } from './codec';

/** Header of Java's SnappyOutputStream: magic, version 1, oldest compatible version 1. */
const XERIAL_HEADER = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00, 0, 0, 0, 1, 0, 0, 0, 1]);
const XERIAL_MAGIC = XERIAL_HEADER.subarray(0, 8);
/** Java's block size; readers allocate per block. */
const BLOCK_BYTES = 32 * 1024;
/** Three bytes copy at most 64. */
const LARGEST_RATIO = 22;

const HASH_BITS = 13;
const SHORTEST_MATCH = 4;
const LONGEST_COPY = 64;
/** The kind of an element, in the lowest two bits of its first byte. */
const LITERAL = 0;
const COPY_1_BYTE_OFFSET = 1;
const COPY_2_BYTE_OFFSET = 2;

export interface SnappyBlocks {
  compress(plain: Buffer): Buffer;
  /** @param size of the plain bytes, as the block states it */
  decompress(block: Buffer, size: number): Buffer;
}

const BLOCKS: SnappyBlocks = { compress: compressBlock, decompress: decompressBlock };

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

/**
 * @param size of the decompressed block: the caller has read it from the block and limited it.
 * @throws RangeError
 */
function decompressBlock(block: Buffer, size: number): Buffer {
  const out = Buffer.allocUnsafe(size);
  let [at, end] = [sizeBytes(block), 0];
  while (at < block.length) {
    const tag = block[at++]!;
    const kind = tag & 3;
    if (kind === LITERAL) {
      const extra = Math.max(0, (tag >> 2) - 59);
      const count = 1 + (extra === 0 ? tag >> 2 : block.readUIntLE(at, extra));
      at += extra;
      if (at + count > block.length || end + count > size) throw new RangeError('a snappy literal exceeds its block');
      end = copyLiterals(block, at, count, out, end);
      at += count;
      continue;
    }
    const offsetBytes = kind === COPY_1_BYTE_OFFSET ? 1 : kind === COPY_2_BYTE_OFFSET ? 2 : 4;
    const low = block.readUIntLE(at, offsetBytes);
    at += offsetBytes;
    const distance = kind === COPY_1_BYTE_OFFSET ? low | ((tag >> 5) << 8) : low;
    const count = kind === COPY_1_BYTE_OFFSET ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const from = end - distance;
    if (distance === 0 || from < 0 || end + count > size) throw new RangeError('a snappy copy exceeds its block');
    end = copyMatch(out, from, end, count);
  }
  if (end !== size) throw new RangeError('a snappy block is shorter than its declared size');
  return out;
}

/** Length of the varint at the start of a block. */
function sizeBytes(block: Buffer): number {
  let bytes = 1;
  while (block[bytes - 1]! >= 0x80) bytes++;
  return bytes;
}

/** @param block at most 64 KiB, the reach of a copy. */
function compressBlock(block: Buffer): Buffer {
  const out = Buffer.allocUnsafe(32 + block.length + Math.ceil(block.length / 6));
  const table = new Int32Array(1 << HASH_BITS).fill(-1);
  let [end, literalsFrom] = [writeSize(out, block.length), 0];
  const literals = (to: number): void => {
    const count = to - literalsFrom;
    if (count === 0) return;
    const extra = count <= 60 ? 0 : count <= 256 ? 1 : 2;
    out[end++] = (extra === 0 ? count - 1 : 59 + extra) << 2;
    for (let i = 0; i < extra; i++) out[end++] = ((count - 1) >> (8 * i)) & 255;
    end = copyLiterals(block, literalsFrom, count, out, end);
  };
  for (let at = 0; at + SHORTEST_MATCH <= block.length;) {
    const word = readWord(block, at);
    const hash = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS);
    const from = table[hash]!;
    table[hash] = at;
    if (from < 0 || readWord(block, from) !== word) {
      // Incompressible stretches are scanned in growing steps.
      at += 1 + ((at - literalsFrom) >> 5);
      continue;
    }
    let match = SHORTEST_MATCH;
    while (at + match < block.length && block[from + match] === block[at + match]) match++;
    literals(at);
    for (let left = match; left > 0;) {
      const count = Math.min(left, LONGEST_COPY);
      out[end++] = ((count - 1) << 2) | COPY_2_BYTE_OFFSET;
      out[end++] = (at - from) & 255;
      out[end++] = (at - from) >> 8;
      left -= count;
    }
    literalsFrom = at += match;
  }
  literals(block.length);
  return out.subarray(0, end);
}

function writeSize(out: Buffer, size: number): number {
  let end = 0;
  for (; size >= 0x80; size >>>= 7) out[end++] = (size & 0x7f) | 0x80;
  out[end++] = size;
  return end;
}
