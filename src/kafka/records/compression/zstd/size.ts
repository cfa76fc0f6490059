/**
 * Decompressed sizes of zstd frames, computed from their blocks without decompressing them. How much a compressed block
 * contains is unknown: at most 128 KiB.
 */
import { COMPRESSED, LARGEST_BLOCK, readBlockHeader, readFrameHeader, skippableEnd } from './frame';

export interface ZstdSize {
  /** Of the blocks that are not compressed. */
  least: number;
  /** Compressed blocks count as full, except the last of all blocks, which counts as empty. */
  likely: number;
  /** Of a decoder that rejects frames which contain more than they declare. */
  most: number;
}

/** @throws RangeError for invalid frames. */
export function zstdSize(frames: Buffer): ZstdSize {
  const size = { least: 0, likely: 0, most: 0 };
  let full = 0;
  for (let at = 0; at < frames.length;) {
    const skipped = skippableEnd(frames, at);
    if (skipped !== null) {
      at = skipped;
      continue;
    }
    const header = readFrameHeader(frames, at);
    at = header.end;
    const before = full;
    for (let isLast = false; !isLast;) {
      const block = readBlockHeader(frames, at);
      const isCompressed = block.type === COMPRESSED;
      if (!isCompressed) size.least += block.size;
      full += isCompressed ? LARGEST_BLOCK : block.size;
      size.likely = isCompressed ? full - LARGEST_BLOCK : full;
      isLast = block.isLast;
      at = block.end;
    }
    size.most += Math.min(full - before, header.contentSize ?? Infinity);
    if (header.hasChecksum) at += 4;
    if (at > frames.length) throw new RangeError('a zstd frame exceeds the batch');
  }
  return size;
}
