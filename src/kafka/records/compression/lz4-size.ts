/**
 * The decompressed size of an LZ4 frame, computed from its blocks without decompressing them. The content size in the
 * frame header is not trusted. Format: lz4_Frame_format.md and lz4_Block_format.md of LZ4.
 */
import { checkSize, DecompressionLimitError } from './limit';

const MAGIC = 0x184d2204;
/** Flags of the frame descriptor. */
const BLOCK_CHECKSUM = 0x10;
const CONTENT_SIZE = 0x08;
const DICTIONARY_ID = 0x01;
/** In a block's size: the block is not compressed. */
const STORED = 0x80000000;
/** Maximum of decompressed bytes per byte of a match length. */
const LARGEST_RATIO = 255;

/**
 * @throws DecompressionLimitError when `frame` contains more than `limit` bytes.
 * @throws RangeError for an invalid frame.
 */
export function checkLz4Size(frame: Buffer, limit: number): void {
  if (frame.length < 7 || frame.readUInt32LE(0) !== MAGIC) throw new RangeError('not an LZ4 frame');
  const flags = frame[4]!;
  const largestBlock = blockMaximum(frame[5]!);
  const trailer = flags & BLOCK_CHECKSUM ? 4 : 0;
  let at = 7 + (flags & CONTENT_SIZE ? 8 : 0) + (flags & DICTIONARY_ID ? 4 : 0);
  const blocks: Buffer[] = [];
  let stored = 0;
  let most = 0;
  while (at + 4 <= frame.length) {
    const field = frame.readUInt32LE(at);
    if (field === 0) break;
    at += 4;
    const isStored = field >= STORED;
    const size = isStored ? field - STORED : field;
    if (size > largestBlock || at + size > frame.length) throw new RangeError('an LZ4 block exceeds the batch');
    if (isStored) stored += size;
    else {
      blocks.push(frame.subarray(at, at + size));
      most += Math.min(largestBlock, size * LARGEST_RATIO);
    }
    checkSize(stored, limit);
    at += size + trailer;
  }
  if (stored + most > limit) checkExactly(blocks, stored, largestBlock, limit);
}

function blockMaximum(descriptor: number): number {
  const code = (descriptor >> 4) & 7;
  if (code < 4) throw new RangeError(`unknown LZ4 block size ${code}`);
  return 2 ** (8 + 2 * code);
}

/** Blocks may be partly filled: their sequences have the exact size. */
function checkExactly(blocks: readonly Buffer[], stored: number, largestBlock: number, limit: number): void {
  let total = stored;
  for (const block of blocks) {
    total += blockSize(block, largestBlock);
    checkSize(total, limit);
  }
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
