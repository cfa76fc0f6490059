/** Compresses and decompresses raw snappy blocks. Format: format_description.txt of snappy. */
const HASH_BITS = 13;
const SHORTEST_MATCH = 4;
const LONGEST_COPY = 64;
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

/** @param block at most 64 KiB, the reach of a copy. */
export function compressSnappyBlock(block: Buffer): Buffer {
  const out = Buffer.allocUnsafe(32 + block.length + Math.ceil(block.length / 6));
  const table = new Int32Array(1 << HASH_BITS).fill(-1);
  let [end, literalsFrom] = [writeSize(out, block.length), 0];
  const literals = (to: number): void => {
    const count = to - literalsFrom;
    if (count === 0) return;
    const extra = count <= 60 ? 0 : count <= 256 ? 1 : 2;
    out[end++] = (extra === 0 ? count - 1 : 59 + extra) << 2;
    for (let i = 0; i < extra; i++) out[end++] = ((count - 1) >> (8 * i)) & 255;
    if (count > FEW_BYTES) block.copy(out, end, literalsFrom, to);
    else for (let i = 0; i < count; i++) out[end + i] = block[literalsFrom + i]!;
    end += count;
  };
  for (let at = 0; at + SHORTEST_MATCH <= block.length;) {
    const word = readWord(block, at);
    const hash = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS);
    const from = table[hash]!;
    table[hash] = at;
    if (from < 0 || readWord(block, from) !== word) {
      // Incompressible stretches are scanned in growing steps.
      at += 1 + ((at - literalsFrom) >> 5);
      continue;
    }
    let match = SHORTEST_MATCH;
    while (at + match < block.length && block[from + match] === block[at + match]) match++;
    literals(at);
    for (let left = match; left > 0;) {
      const count = Math.min(left, LONGEST_COPY);
      out[end++] = ((count - 1) << 2) | COPY_2_BYTE_OFFSET;
      out[end++] = (at - from) & 255;
      out[end++] = (at - from) >> 8;
      left -= count;
    }
    literalsFrom = at += match;
  }
  literals(block.length);
  return out.subarray(0, end);
}

function writeSize(out: Buffer, size: number): number {
  let end = 0;
  for (; size >= 0x80; size >>>= 7) out[end++] = (size & 0x7f) | 0x80;
  out[end++] = size;
  return end;
}

function readWord(block: Buffer, at: number): number {
  return block[at]! | (block[at + 1]! << 8) | (block[at + 2]! << 16) | (block[at + 3]! << 24);
}
