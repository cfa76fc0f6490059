/**
 * What LZ4 and zstd frames and snappy blocks take at most once decompressed, told without decompressing them: their
 * libraries take no limit, and what a frame says of its content may be a lie. A block counts as a full one where only
 * decompressing it would tell.
 */
const LZ4_MAGIC = 0x184d2204;
/** Bit of an LZ4 block's size: its bytes are stored as they are. */
const LZ4_STORED = 0x80000000;
/** One byte of a match's length stands for so many bytes. */
const LZ4_RATIO = 255;
const ZSTD_MAGIC = 0xfd2fb528;
const ZSTD_SKIPPABLE = 0x184d2a5;
const ZSTD_BLOCK_BYTES = 128 * 1024;
/** Three bytes copy 64 at most. */
const SNAPPY_RATIO = 22;

/** @throws RangeError for what is no frame. */
export function mostOfLz4(frame: Buffer): number {
  if (frame.readUInt32LE(0) !== LZ4_MAGIC) throw new RangeError('no LZ4 frame');
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

/** @throws RangeError for what are no frames. */
export function mostOfZstd(frames: Buffer): number {
  let total = 0;
  for (let at = 0; at < frames.length;) {
    const magic = frames.readUInt32LE(at);
    if (magic >>> 4 === ZSTD_SKIPPABLE) {
      at += 8 + frames.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== ZSTD_MAGIC) throw new RangeError('no zstd frame');
    const descriptor = frames.readUInt8(at + 4);
    const single = (descriptor & 0x20) !== 0;
    const contentSize = descriptor >> 6 === 0 ? Number(single) : 2 ** (descriptor >> 6);
    at += 5 + (single ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] as number) + contentSize;
    for (let last = false; !last;) {
      const header = frames.readUIntLE(at, 3);
      const [type, size] = [(header >> 1) & 3, header >> 3];
      last = (header & 1) === 1;
      total += type === 2 ? ZSTD_BLOCK_BYTES : size;
      at += 3 + (type === 1 ? 1 : size);
    }
    if (descriptor & 4) at += 4;
  }
  return total;
}

/** Its library takes the memory that a block claims. @throws RangeError when the block cannot hold that much. */
export function sizeOfSnappy(block: Buffer): number {
  let size = 0;
  for (let at = 0, scale = 1; at < 5; at++, scale *= 128) {
    const byte = block.readUInt8(at);
    size += (byte & 0x7f) * scale;
    if (byte >= 0x80) continue;
    if (size <= block.length * SNAPPY_RATIO) return size;
    break;
  }
  throw new RangeError('a snappy block cannot hold what it claims');
}
