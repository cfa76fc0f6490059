/**
 * The blocks of an LZ4 frame, and its decompressed size, computed from them without decompressing. The content size in
 * the frame header is not trusted. Format: lz4_Frame_format.md and lz4_Block_format.md of LZ4.
 */
import { checkSize, DecompressionLimitError } from './limit';

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

export interface Lz4Block {
  readonly bytes: Buffer;
  readonly isStored: boolean;
}

export interface Lz4Blocks {
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
  const { blocks, largestBlock, most } = lz4Blocks(frame, limit);
  if (most > limit) lz4Size(blocks, largestBlock, limit);
}

/**
 * @throws DecompressionLimitError when the stored blocks contain more than `limit` bytes.
 * @throws RangeError for an invalid frame.
 */
export function lz4Blocks(frame: Buffer, limit: number): Lz4Blocks {
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
export function lz4Size(blocks: readonly Lz4Block[], largestBlock: number, limit: number): number {
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
