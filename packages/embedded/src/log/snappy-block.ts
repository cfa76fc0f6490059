/** Decompresses raw snappy blocks. Format: format_description.txt of snappy. */
/** Calls into the runtime cost more than the copy of a few bytes. */
const FEW_BYTES = 32;
/** The kind of an element, in the lowest two bits of its first byte. */
const LITERAL = 0;
const COPY_1_BYTE_OFFSET = 1;
const COPY_2_BYTE_OFFSET = 2;

/**
 * @param size of the decompressed block: the caller has read it from the block and limited it.
 * @throws RangeError
 */
export function decompressSnappyBlock(block: Buffer, size: number): Buffer {
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
      if (count > FEW_BYTES) block.copy(out, end, at, at + count);
      else for (let i = 0; i < count; i++) out[end + i] = block[at + i]!;
      at += count;
      end += count;
      continue;
    }
    const offsetBytes = kind === COPY_1_BYTE_OFFSET ? 1 : kind === COPY_2_BYTE_OFFSET ? 2 : 4;
    const low = block.readUIntLE(at, offsetBytes);
    at += offsetBytes;
    const distance = kind === COPY_1_BYTE_OFFSET ? low | ((tag >> 5) << 8) : low;
    const count = kind === COPY_1_BYTE_OFFSET ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const from = end - distance;
    if (distance === 0 || from < 0 || end + count > size) throw new RangeError('a snappy copy exceeds its block');
    // The copy may overlap its source.
    if (count > FEW_BYTES && distance >= count) out.copyWithin(end, from, from + count);
    else for (let i = 0; i < count; i++) out[end + i] = out[from + i]!;
    end += count;
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
