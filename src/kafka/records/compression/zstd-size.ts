/**
 * Upper bound of the decompressed size of zstd frames, computed from their blocks without decompressing them. The
 * content size in the frame header is not trusted. Format: RFC 8878.
 */
import { checkSize } from './limit';

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const LARGEST_BLOCK = 128 * 1024;
const SINGLE_SEGMENT = 0x20;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const RAW = 0;
const RLE = 1;
const COMPRESSED = 2;

/**
 * Compressed blocks count as full; all but the last are full unless the producer flushes.
 * @throws DecompressionLimitError when `frames` may contain more than `limit` bytes.
 * @throws RangeError for invalid frames.
 */
export function checkZstdSize(frames: Buffer, limit: number): void {
  let at = 0;
  let total = 0;
  while (at < frames.length) {
    const magic = frames.readUInt32LE(at);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      at += 8 + frames.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== MAGIC) throw new RangeError('not a zstd frame');
    const descriptor = frames.readUInt8(at + 4);
    at += 5 + headerBytes(descriptor);
    for (let last = false; !last;) {
      const header = frames.readUIntLE(at, 3);
      last = (header & 1) === 1;
      const type = (header >> 1) & 3;
      const size = header >> 3;
      if (type > COMPRESSED) throw new RangeError('unknown zstd block');
      total += type === RAW || type === RLE ? size : LARGEST_BLOCK;
      checkSize(Math.max(0, total - (type === COMPRESSED ? LARGEST_BLOCK : 0)), limit);
      at += 3 + (type === RLE ? 1 : size);
      if (at > frames.length) throw new RangeError('a zstd block exceeds the batch');
    }
    if (descriptor & 0x04) at += 4;
  }
}

/** Window, dictionary and content size. */
function headerBytes(descriptor: number): number {
  const single = (descriptor & SINGLE_SEGMENT) !== 0;
  const contentSize = descriptor >> 6 === 0 ? (single ? 1 : 0) : CONTENT_SIZE_BYTES[(descriptor >> 6) as 1 | 2 | 3];
  return (single ? 0 : 1) + DICTIONARY_ID_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3] + contentSize;
}
