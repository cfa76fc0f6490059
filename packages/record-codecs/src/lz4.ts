/**
 * LZ4 frames with independent blocks, the only kind Java's reader accepts: native, or in JavaScript where lz4-napi
 * cannot be loaded. The JavaScript does not verify the checksums that a frame can contain: the batch's own checksum
 * covers the same bytes. Formats: lz4_Frame_format.md and lz4_Block_format.md of LZ4.
 */
import type * as Lz4 from 'lz4-napi';
import { checkSize, copyLiterals, copyMatch, DecompressionLimitError, readWord, type Codec } from './codec';
import { nativePackage } from './native-package';

const MAGIC = 0x184d2204;
/** Flags of the frame descriptor. */
const INDEPENDENT_BLOCKS = 0x20;
const BLOCK_CHECKSUM = 0x10;
const CONTENT_SIZE = 0x08;
const DICTIONARY_ID = 0x01;
/** In a block's size: the block is not compressed. */
const STORED = 0x80000000;
/** Maximum of decompressed bytes per byte of a match length. */
const LARGEST_RATIO = 255;
/** What is written: version 1, independent blocks of at most 64 KiB, no checksums; then the header's checksum. */
const FRAME_HEADER = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
const BLOCK_BYTES = 64 * 1024;
/** A block ends with at least five literals, and no match starts in its last twelve bytes. */
const LAST_LITERALS = 5;
const MATCH_MARGIN = 12;
const HASH_BITS = 14;
const SHORTEST_MATCH = 4;

export function lz4Codec(native = nativePackage<typeof Lz4>('lz4-napi')): Codec {
  if (native === null) return { compress: compressFrame, decompress: decompressFrame };
  const { compressFrameSync, decompressFrameSync } = native;
  return {
    compress: (records) => compressFrameSync(records),
    decompress(compressed, limit) {
      // The package has no size limit.
      checkLz4Size(compressed, limit);
      return decompressFrameSync(compressed);
    },
  };
}

interface Lz4Block {
  readonly bytes: Buffer;
  readonly isStored: boolean;
}

interface Lz4Blocks {
  readonly blocks: readonly Lz4Block[];
  /** Matches of a block can reach into earlier blocks. */
  readonly areLinked: boolean;
  /** Decompressed bytes of a block. */
  readonly largestBlock: number;
  /** Upper bound of the decompressed bytes. */
  readonly most: number;
}

/**
 * @throws DecompressionLimitError when `frame` contains more than `limit` bytes.
 * @throws RangeError for an invalid frame.
 */
export function checkLz4Size(frame: Buffer, limit: number): void {
  const { blocks, largestBlock, most } = readBlocks(frame, limit);
  if (most > limit) sizeOf(blocks, largestBlock, limit);
}

/**
 * @throws DecompressionLimitError when the stored blocks contain more than `limit` bytes.
 * @throws RangeError for an invalid frame.
 */
function readBlocks(frame: Buffer, limit: number): Lz4Blocks {
  if (frame.length < 7 || frame.readUInt32LE(0) !== MAGIC) throw new RangeError('not an LZ4 frame');
  const flags = frame[4]!;
  const largestBlock = blockMaximum(frame[5]!);
  const trailer = flags & BLOCK_CHECKSUM ? 4 : 0;
  let at = 7 + (flags & CONTENT_SIZE ? 8 : 0) + (flags & DICTIONARY_ID ? 4 : 0);
  const blocks: Lz4Block[] = [];
  let stored = 0;
  let most = 0;
  while (at + 4 <= frame.length) {
    const field = frame.readUInt32LE(at);
    if (field === 0) break;
    at += 4;
    const isStored = field >= STORED;
    const size = isStored ? field - STORED : field;
    if (size > largestBlock || at + size > frame.length) throw new RangeError('an LZ4 block exceeds the batch');
    blocks.push({ bytes: frame.subarray(at, at + size), isStored });
    if (isStored) stored += size;
    else most += Math.min(largestBlock, size * LARGEST_RATIO);
    checkSize(stored, limit);
    at += size + trailer;
  }
  return { blocks, areLinked: (flags & INDEPENDENT_BLOCKS) === 0, largestBlock, most: stored + most };
}

function blockMaximum(descriptor: number): number {
  const code = (descriptor >> 4) & 7;
  if (code < 4) throw new RangeError(`unknown LZ4 block size ${code}`);
  return 2 ** (8 + 2 * code);
}

/**
 * The exact size, from the sequences: blocks may be partly filled.
 * @throws DecompressionLimitError when it exceeds `limit`.
 */
function sizeOf(blocks: readonly Lz4Block[], largestBlock: number, limit: number): number {
  let total = 0;
  for (const { bytes, isStored } of blocks) {
    total += isStored ? bytes.length : blockSize(bytes, largestBlock);
    checkSize(total, limit);
  }
  return total;
}

function blockSize(block: Buffer, largest: number): number {
  let at = 0;
  let size = 0;
  /** The remaining bytes of a length whose four bits are all set. */
  const more = (): number => {
    let sum = 0;
    for (;;) {
      const byte = block[at++];
      if (byte === undefined) throw new RangeError('an LZ4 block ends in the middle of a length');
      sum += byte;
      if (byte !== 255) return sum;
    }
  };
  while (at < block.length) {
    const token = block[at++]!;
    const literals = token >> 4 === 15 ? 15 + more() : token >> 4;
    at += literals;
    size += literals;
    // The last sequence has only literals.
    if (at < block.length) {
      at += 2;
      size += 4 + ((token & 15) === 15 ? 15 + more() : token & 15);
    }
    if (size > largest) throw new DecompressionLimitError(`an LZ4 block of more than ${largest} bytes`);
  }
  return size;
}

/** @throws DecompressionLimitError, RangeError */
function decompressFrame(frame: Buffer, limit: number): Buffer {
  const { blocks, areLinked, largestBlock } = readBlocks(frame, limit);
  const records = Buffer.allocUnsafe(sizeOf(blocks, largestBlock, limit));
  let end = 0;
  for (const { bytes, isStored } of blocks) {
    if (isStored) end += bytes.copy(records, end);
    else end = decompressBlock(bytes, records, end, areLinked ? 0 : end);
  }
  return records;
}

/** @param first the lowest position to which a match may refer. Returns the end of the block in `out`. */
function decompressBlock(block: Buffer, out: Buffer, start: number, first: number): number {
  let [at, end] = [0, start];
  const more = (): number => {
    let sum = 0;
    for (;;) {
      const byte = block[at++]!;
      sum += byte;
      if (byte !== 255) return sum;
    }
  };
  for (;;) {
    const token = block[at++];
    if (token === undefined) throw new RangeError('an LZ4 block ends without literals');
    const literals = token >> 4 === 15 ? 15 + more() : token >> 4;
    if (at + literals > block.length) throw new RangeError('LZ4 literals exceed their block');
    end = copyLiterals(block, at, literals, out, end);
    at += literals;
    if (at === block.length) return end;
    const distance = block[at]! | ((block[at + 1] ?? 0) << 8);
    at += 2;
    const from = end - distance;
    if (distance === 0 || from < first) throw new RangeError('an LZ4 match refers to bytes before its block');
    end = copyMatch(out, from, end, SHORTEST_MATCH + ((token & 15) === 15 ? 15 + more() : token & 15));
  }
}

function compressFrame(records: Buffer): Buffer {
  const parts: Buffer[] = [FRAME_HEADER];
  const table = new Int32Array(1 << HASH_BITS);
  for (let at = 0; at < records.length; at += BLOCK_BYTES) {
    const block = records.subarray(at, at + BLOCK_BYTES);
    const compressed = compressBlock(block, table.fill(-1));
    const isSmaller = compressed.length < block.length;
    const size = Buffer.allocUnsafe(4);
    size.writeUInt32LE(isSmaller ? compressed.length : STORED + block.length);
    parts.push(size, isSmaller ? compressed : block);
  }
  parts.push(Buffer.alloc(4));
  return Buffer.concat(parts);
}

function compressBlock(block: Buffer, table: Int32Array): Buffer {
  const out = Buffer.allocUnsafe(block.length + Math.ceil(block.length / 255) + 16);
  let [end, literalsFrom] = [0, 0];
  const length = (rest: number): void => {
    for (; rest >= 255; rest -= 255) out[end++] = 255;
    out[end++] = rest;
  };
  const sequence = (literals: number, match: number): void => {
    out[end++] = (Math.min(literals, 15) << 4) | Math.min(match, 15);
    if (literals >= 15) length(literals - 15);
    end = copyLiterals(block, literalsFrom, literals, out, end);
  };
  const lastMatchStart = block.length - MATCH_MARGIN;
  for (let at = 0; at < lastMatchStart;) {
    const word = readWord(block, at);
    const hash = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
    const from = table[hash]!;
    table[hash] = at;
    if (from < 0 || readWord(block, from) !== word) {
      // Incompressible stretches are scanned in growing steps.
      at += 1 + ((at - literalsFrom) >> 6);
      continue;
    }
    let match = SHORTEST_MATCH;
    const longest = block.length - LAST_LITERALS - at;
    while (match < longest && block[from + match] === block[at + match]) match++;
    sequence(at - literalsFrom, match - SHORTEST_MATCH);
    out[end++] = (at - from) & 255;
    out[end++] = (at - from) >> 8;
    if (match - SHORTEST_MATCH >= 15) length(match - SHORTEST_MATCH - 15);
    literalsFrom = at += match;
  }
  sequence(block.length - literalsFrom, 0);
  return out.subarray(0, end);
}
