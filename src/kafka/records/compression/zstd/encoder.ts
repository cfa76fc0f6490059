/** Writes zstd frames in JavaScript (RFC 8878). There are no compression levels. */
import { LARGEST_BLOCK, COMPRESSED, RAW } from './frame';
import { writeLiterals } from './literal-writer';
import { FIELDS, writeSequences } from './sequence-writer';

const MAGIC = 0xfd2fb528;
/** The content size has four bytes. */
const SIZE_IN_4_BYTES = 0x80;
const SINGLE_SEGMENT = 0x20;
const WINDOW_LOG = 21;
const WINDOW_BYTES = 1 << WINDOW_LOG;
const WINDOW_DESCRIPTOR = (WINDOW_LOG - 10) << 3;
const FRAME_HEADER_BYTES = 10;
const BLOCK_HEADER_BYTES = 3;
const SHORTEST_MATCH = 4;
/** More than the shortest match: long matches are found more often. */
const HASHED_BYTES = 6;
const HASH_BITS = 15;

/** It keeps the memory for one block, which a call for each batch would have to allocate. */
export class ZstdEncoder {
  /** The last position of each hash, plus one. */
  private readonly positions = new Int32Array(1 << HASH_BITS);
  private readonly sequences = new Uint32Array((FIELDS * LARGEST_BLOCK) / SHORTEST_MATCH);
  private readonly literals = Buffer.allocUnsafeSlow(LARGEST_BLOCK);
  private readonly recentOffsets = new Int32Array(3);
  private sequenceCount = 0;
  private literalCount = 0;

  encode(records: Buffer): Buffer {
    const blocks = Math.max(1, Math.ceil(records.length / LARGEST_BLOCK));
    const out = Buffer.allocUnsafe(FRAME_HEADER_BYTES + records.length + blocks * BLOCK_HEADER_BYTES);
    this.positions.fill(0);
    this.recentOffsets.set([1, 4, 8]);
    let end = writeFrameHeader(out, records.length);
    for (let block = 0; block < blocks; block++) {
      const from = block * LARGEST_BLOCK;
      const to = Math.min(records.length, from + LARGEST_BLOCK);
      const content = end + BLOCK_HEADER_BYTES;
      const before = [...this.recentOffsets];
      this.findMatches(records, from, to);
      const compressed = this.writeBlock(out, content, content + to - from);
      if (compressed < 0) {
        records.copy(out, content, from, to);
        this.recentOffsets.set(before);
      }
      const size = compressed < 0 ? to - from : compressed - content;
      const isLast = block === blocks - 1 ? 1 : 0;
      out.writeUIntLE((size << 3) | ((compressed < 0 ? RAW : COMPRESSED) << 1) | isLast, end, BLOCK_HEADER_BYTES);
      end = content + size;
    }
    return out.subarray(0, end);
  }

  /** Returns the end, or -1 if the block does not become smaller. */
  private writeBlock(out: Buffer, start: number, stop: number): number {
    const end = writeLiterals(this.literals.subarray(0, this.literalCount), out, start, stop);
    return end < 0 ? -1 : writeSequences(this.sequences, this.sequenceCount, out, end, stop);
  }

  private findMatches(records: Buffer, start: number, stop: number): void {
    const { positions, sequences, literals } = this;
    let [offset1, offset2, offset3] = this.recentOffsets as unknown as [number, number, number];
    let [count, literalEnd, literalsFrom] = [0, 0, start];
    const lastStart = stop - HASHED_BYTES;
    for (let at = start; at <= lastStart;) {
      const word = readWord(records, at);
      const hash = hashOf(word, records[at + 4]! | (records[at + 5]! << 8));
      let from = positions[hash]! - 1;
      positions[hash] = at + 1;
      if (at >= offset1 && readWord(records, at - offset1) === word) from = at - offset1;
      else if (from < 0 || at - from > WINDOW_BYTES || readWord(records, from) !== word) {
        // Incompressible stretches are scanned in growing steps.
        at += 1 + ((at - literalsFrom) >> 6);
        continue;
      }
      while (at > literalsFrom && from > 0 && records[at - 1] === records[from - 1]) {
        at--;
        from--;
      }
      let match = SHORTEST_MATCH;
      while (at + match < stop && records[from + match] === records[at + match]) match++;
      const length = at - literalsFrom;
      const offset = at - from;
      let value = offset + 3;
      // The values 1 to 3 stand for recent offsets; without literals, the most recent one is not among them.
      if (offset === offset1 && length > 0) value = 1;
      else if (offset === offset2) value = length > 0 ? 2 : 1;
      else if (offset === offset3) value = length > 0 ? 3 : 2;
      if (value !== 1 || length === 0) {
        if (value > 3 || offset === offset3) offset3 = offset2;
        offset2 = offset1;
        offset1 = offset;
      }
      sequences[count++] = length;
      sequences[count++] = match;
      sequences[count++] = value;
      for (let i = literalsFrom; i < at; i++) literals[literalEnd++] = records[i]!;
      literalsFrom = at += match;
    }
    literalEnd += records.copy(literals, literalEnd, literalsFrom, stop);
    this.recentOffsets.set([offset1, offset2, offset3]);
    this.sequenceCount = count / FIELDS;
    this.literalCount = literalEnd;
  }
}

/** A window of the content's size, of at most 2 MiB. */
function writeFrameHeader(out: Buffer, size: number): number {
  let end = out.writeUInt32LE(MAGIC, 0);
  const isSingleSegment = size <= WINDOW_BYTES;
  out[end++] = SIZE_IN_4_BYTES | (isSingleSegment ? SINGLE_SEGMENT : 0);
  if (!isSingleSegment) out[end++] = WINDOW_DESCRIPTOR;
  return out.writeUInt32LE(size, end);
}

function hashOf(word: number, more: number): number {
  return (Math.imul(word, 0x9e3779b1) + Math.imul(more, 0x85ebca6b)) >>> (32 - HASH_BITS);
}

function readWord(block: Buffer, at: number): number {
  return block[at]! | (block[at + 1]! << 8) | (block[at + 2]! << 16) | (block[at + 3]! << 24);
}
