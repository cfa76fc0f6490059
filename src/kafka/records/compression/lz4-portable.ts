/**
 * LZ4 frames in JavaScript, for machines without the native package. The checksums that a frame can contain are not
 * verified: the batch's own checksum covers the same bytes.
 */
import { copyLiterals, copyMatch } from './byte-copies';
import { lz4Blocks, lz4Size } from './lz4-size';

/** Version 1, independent blocks of at most 64 KiB, no checksums; the last byte is the header's checksum. */
const FRAME_HEADER = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
const BLOCK_BYTES = 64 * 1024;
const STORED = 0x80000000;
/** A block ends with at least five literals, and no match starts in its last twelve bytes. */
const LAST_LITERALS = 5;
const MATCH_MARGIN = 12;
const HASH_BITS = 14;
const SHORTEST_MATCH = 4;

/**
 * The same contract as lz4-napi's function, with a limit.
 * @throws DecompressionLimitError, RangeError
 */
export function decompressLz4Frame(frame: Buffer, limit: number): Buffer {
  const { blocks, areLinked, largestBlock } = lz4Blocks(frame, limit);
  const records = Buffer.allocUnsafe(lz4Size(blocks, largestBlock, limit));
  let end = 0;
  for (const { bytes, isStored } of blocks) {
    if (isStored) end += bytes.copy(records, end);
    else end = decompressBlock(bytes, records, end, areLinked ? 0 : end);
  }
  return records;
}

/** @param first the lowest position to which a match may refer. Returns the end of the block in `out`. */
function decompressBlock(block: Buffer, out: Buffer, start: number, first: number): number {
  let [at, end] = [0, start];
  const more = (): number => {
    let sum = 0;
    for (;;) {
      const byte = block[at++]!;
      sum += byte;
      if (byte !== 255) return sum;
    }
  };
  for (;;) {
    const token = block[at++];
    if (token === undefined) throw new RangeError('an LZ4 block ends without literals');
    const literals = token >> 4 === 15 ? 15 + more() : token >> 4;
    if (at + literals > block.length) throw new RangeError('LZ4 literals exceed their block');
    end = copyLiterals(block, at, literals, out, end);
    at += literals;
    if (at === block.length) return end;
    const distance = block[at]! | ((block[at + 1] ?? 0) << 8);
    at += 2;
    const from = end - distance;
    if (distance === 0 || from < first) throw new RangeError('an LZ4 match refers to bytes before its block');
    end = copyMatch(out, from, end, SHORTEST_MATCH + ((token & 15) === 15 ? 15 + more() : token & 15));
  }
}

/** The same contract as lz4-napi's function. */
export function compressLz4Frame(records: Buffer): Buffer {
  const parts: Buffer[] = [FRAME_HEADER];
  const table = new Int32Array(1 << HASH_BITS);
  for (let at = 0; at < records.length; at += BLOCK_BYTES) {
    const block = records.subarray(at, at + BLOCK_BYTES);
    const compressed = compressBlock(block, table.fill(-1));
    const isSmaller = compressed.length < block.length;
    const size = Buffer.allocUnsafe(4);
    size.writeUInt32LE(isSmaller ? compressed.length : STORED + block.length);
    parts.push(size, isSmaller ? compressed : block);
  }
  parts.push(Buffer.alloc(4));
  return Buffer.concat(parts);
}

function compressBlock(block: Buffer, table: Int32Array): Buffer {
  const out = Buffer.allocUnsafe(block.length + Math.ceil(block.length / 255) + 16);
  let [end, literalsFrom] = [0, 0];
  const length = (rest: number): void => {
    for (; rest >= 255; rest -= 255) out[end++] = 255;
    out[end++] = rest;
  };
  const sequence = (literals: number, match: number): void => {
    out[end++] = (Math.min(literals, 15) << 4) | Math.min(match, 15);
    if (literals >= 15) length(literals - 15);
    end = copyLiterals(block, literalsFrom, literals, out, end);
  };
  const lastMatchStart = block.length - MATCH_MARGIN;
  for (let at = 0; at < lastMatchStart;) {
    const word = readWord(block, at);
    const hash = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
    const from = table[hash]!;
    table[hash] = at;
    if (from < 0 || readWord(block, from) !== word) {
      // Incompressible stretches are scanned in growing steps.
      at += 1 + ((at - literalsFrom) >> 6);
      continue;
    }
    let match = SHORTEST_MATCH;
    const longest = block.length - LAST_LITERALS - at;
    while (match < longest && block[from + match] === block[at + match]) match++;
    sequence(at - literalsFrom, match - SHORTEST_MATCH);
    out[end++] = (at - from) & 255;
    out[end++] = (at - from) >> 8;
    if (match - SHORTEST_MATCH >= 15) length(match - SHORTEST_MATCH - 15);
    literalsFrom = at += match;
  }
  sequence(block.length - literalsFrom, 0);
  return out.subarray(0, end);
}

function readWord(block: Buffer, at: number): number {
  return block[at]! | (block[at + 1]! << 8) | (block[at + 2]! << 16) | (block[at + 3]! << 24);
}
