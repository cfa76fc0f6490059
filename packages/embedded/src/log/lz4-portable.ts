/**
 * Decompresses LZ4 frames in JavaScript, for machines without the native package. The checksums that a frame can
 * contain are not verified: the batch's own checksum covers the same bytes.
 */
const INDEPENDENT_BLOCKS = 0x20;
const BLOCK_CHECKSUM = 0x10;
const CONTENT_SIZE = 0x08;
const DICTIONARY_ID = 0x01;
/** Bit of a block's size: the block is not compressed. */
const STORED = 0x80000000;
const SHORTEST_MATCH = 4;
/** Calls into the runtime cost more than the copy of a few bytes. */
const FEW_BYTES = 32;

/**
 * @param maxSize from maxSizeOfLz4, which has checked the start of the frame
 * @throws RangeError
 */
export function decompressLz4Frame(frame: Buffer, maxSize: number): Buffer {
  const flags = frame.readUInt8(4);
  const sizeCode = (frame.readUInt8(5) >> 4) & 7;
  if (sizeCode < 4) throw new RangeError(`unknown LZ4 block size ${sizeCode}`);
  const blockBytes = 2 ** (8 + 2 * sizeCode);
  // The bound counts a block whose size is unknown as full: nothing is written to the rest of this memory.
  const out = Buffer.allocUnsafeSlow(maxSize);
  let end = 0;
  let at = 7 + (flags & CONTENT_SIZE ? 8 : 0) + (flags & DICTIONARY_ID ? 4 : 0);
  while (at + 4 <= frame.length) {
    const field = frame.readUInt32LE(at);
    if (field === 0) break;
    at += 4;
    const isStored = field >= STORED;
    const size = isStored ? field - STORED : field;
    if (size > blockBytes || at + size > frame.length) throw new RangeError('an LZ4 block exceeds its batch');
    const block = frame.subarray(at, at + size);
    const room = out.subarray(0, Math.min(maxSize, end + blockBytes));
    if (isStored) end += block.copy(out, end);
    else end = decompressBlock(block, room, end, flags & INDEPENDENT_BLOCKS ? end : 0);
    at += size + (flags & BLOCK_CHECKSUM ? 4 : 0);
  }
  return Buffer.from(out.subarray(0, end));
}

/** @param first the lowest position to which a match may refer. Returns the end of the block in `out`. */
function decompressBlock(block: Buffer, out: Buffer, start: number, first: number): number {
  let [at, end] = [0, start];
  const length = (nibble: number): number => {
    if (nibble < 15) return nibble;
    for (let sum = 15; ;) {
      const byte = block.readUInt8(at++);
      sum += byte;
      if (byte !== 255) return sum;
    }
  };
  for (;;) {
    const token = block.readUInt8(at++);
    const literals = length(token >> 4);
    if (at + literals > block.length || end + literals > out.length)
      throw new RangeError('LZ4 literals exceed their block');
    if (literals > FEW_BYTES) block.copy(out, end, at, at + literals);
    else for (let i = 0; i < literals; i++) out[end + i] = block[at + i]!;
    at += literals;
    end += literals;
    // The last sequence has only literals.
    if (at === block.length) return end;
    const distance = block.readUInt16LE(at);
    at += 2;
    const count = SHORTEST_MATCH + length(token & 15);
    const from = end - distance;
    if (distance === 0 || from < first || end + count > out.length)
      throw new RangeError('an LZ4 match exceeds its block');
    // The copy may overlap its source.
    if (count > FEW_BYTES && distance >= count) out.copyWithin(end, from, from + count);
    else if (count > FEW_BYTES && distance === 1) out.fill(out[from]!, end, end + count);
    else for (let i = 0; i < count; i++) out[end + i] = out[from + i]!;
    end += count;
  }
}
