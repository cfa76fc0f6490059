/** Headers of zstd frames and blocks. Format: RFC 8878, section 3.1. */
const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const SINGLE_SEGMENT = 0x20;
const RESERVED = 0x08;
const CHECKSUM = 0x04;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
/** Two bytes of content size count from here. */
const SIZE_IN_2_BYTES_BASE = 256;

export const LARGEST_BLOCK = 128 * 1024;
export const RAW = 0;
export const RLE = 1;
export const COMPRESSED = 2;

export interface FrameHeader {
  /** The byte after the header. */
  end: number;
  /** What the frame declares; undefined: nothing. */
  contentSize: number | undefined;
  /** Limit for the decompressed size of each block. */
  largestBlock: number;
  hasChecksum: boolean;
}

export interface BlockHeader {
  isLast: boolean;
  type: number;
  /** Of the content; for RLE: how often its only byte is repeated. */
  size: number;
  /** The byte after the content. */
  end: number;
}

/**
 * @returns the byte after the skippable frame at byte `at`, or null if another kind of frame is there
 * @throws RangeError
 */
export function skippableEnd(frames: Buffer, at: number): number | null {
  if ((frames.readUInt32LE(at) & 0xfffffff0) >>> 0 !== SKIPPABLE_MAGIC) return null;
  const end = at + 8 + frames.readUInt32LE(at + 4);
  if (end > frames.length) throw new RangeError('a zstd frame exceeds the batch');
  return end;
}

/** @throws RangeError */
export function readFrameHeader(frames: Buffer, at: number): FrameHeader {
  if (frames.readUInt32LE(at) !== MAGIC) throw new RangeError('not a zstd frame');
  const descriptor = frames.readUInt8(at + 4);
  if (descriptor & RESERVED) throw new RangeError('unknown zstd frame');
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  let end = at + 5;
  let windowBytes = 0;
  if (!isSingleSegment) {
    const window = frames.readUInt8(end++);
    windowBytes = 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8);
  }
  const idBytes = DICTIONARY_ID_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];
  if (idBytes > 0 && frames.readUIntLE(end, idBytes) !== 0) throw new RangeError('the zstd frame needs a dictionary');
  end += idBytes;
  const sizeBytes = CONTENT_SIZE_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3] || Number(isSingleSegment);
  let contentSize: number | undefined;
  if (sizeBytes === 8) contentSize = Number(frames.readBigUInt64LE(end));
  else if (sizeBytes > 0)
    contentSize = frames.readUIntLE(end, sizeBytes) + (sizeBytes === 2 ? SIZE_IN_2_BYTES_BASE : 0);
  const largestBlock = Math.min(LARGEST_BLOCK, isSingleSegment ? contentSize! : windowBytes);
  return { end: end + sizeBytes, contentSize, largestBlock, hasChecksum: (descriptor & CHECKSUM) !== 0 };
}

/** @throws RangeError */
export function readBlockHeader(frames: Buffer, at: number): BlockHeader {
  const header = frames.readUIntLE(at, 3);
  const type = (header >> 1) & 3;
  const size = header >> 3;
  if (type > COMPRESSED) throw new RangeError('unknown zstd block');
  const end = at + 3 + (type === RLE ? 1 : size);
  if (end > frames.length) throw new RangeError('a zstd block exceeds the batch');
  return { isLast: (header & 1) === 1, type, size, end };
}
