/**
 * Upper bounds for the decompressed size of LZ4 frames and snappy blocks, without decompressing them. Their libraries
 * accept no limit, and the content size in a frame header cannot be trusted. A block whose size is unknown counts as a
 * full one.
 */
const LZ4_MAGIC = 0x184d2204;
/** Bit of an LZ4 block's size: the block is not compressed. */
const LZ4_STORED = 0x80000000;
/** Maximum number of bytes that one byte of a match length can produce. */
const LZ4_RATIO = 255;
/** Three bytes copy at most 64. */
const SNAPPY_RATIO = 22;

/** @throws RangeError if it is not an LZ4 frame. */
export function maxSizeOfLz4(frame: Buffer): number {
  if (frame.length < 7 || frame.readUInt32LE(0) !== LZ4_MAGIC) throw new RangeError('not an LZ4 frame');
  const flags = frame.readUInt8(4);
  const blockBytes = 2 ** (8 + 2 * ((frame.readUInt8(5) >> 4) & 7));
  let total = 0;
  for (let at = 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0); at + 4 <= frame.length;) {
    const field = frame.readUInt32LE(at);
    if (field === 0) break;
    const stored = field >= LZ4_STORED;
    const size = stored ? field - LZ4_STORED : field;
    total += stored ? size : Math.min(blockBytes, size * LZ4_RATIO);
    at += 4 + size + (flags & 0x10 ? 4 : 0);
  }
  return total;
}

/**
 * The size that the block declares, which its library allocates. @throws RangeError if the block is too short for it.
 */
export function sizeOfSnappy(block: Buffer): number {
  let size = 0;
  for (let at = 0, scale = 1; at < 5; at++, scale *= 128) {
    const byte = block.readUInt8(at);
    size += (byte & 0x7f) * scale;
    if (byte >= 0x80) continue;
    if (size <= block.length * SNAPPY_RATIO) return size;
    break;
  }
  throw new RangeError('a snappy block is too short for its declared size');
}
