/**
 * Reads zstd frames in JavaScript (RFC 8878), for machines without the native package. The checksum that a frame can
 * contain is not verified: the batch's own checksum covers the same bytes. Frames with a dictionary are rejected.
 */
import { checkSize } from '../limit';
import { COMPRESSED, LARGEST_BLOCK, RAW, readBlockHeader, readFrameHeader, skippableEnd } from './frame';
import { ZstdLiterals } from './literals';
import { ZstdSequences, type Target } from './sequences';
import { zstdSize } from './size';

const SMALLEST_COMPRESSED_BLOCK = 2;
const PADDING_BYTES = 8;

/** It keeps the memory for one block, which a call for each batch would have to allocate. */
export class ZstdDecoder {
  private readonly block = Buffer.alloc(LARGEST_BLOCK + PADDING_BYTES);
  private readonly literals = new ZstdLiterals();
  private readonly sequences = new ZstdSequences();

  /** @throws DecompressionLimitError, RangeError */
  decode(frames: Buffer, limit: number): Buffer {
    if (frames.length === 0) throw new RangeError('no zstd frame');
    const { least, most } = zstdSize(frames);
    checkSize(least, limit);
    // Most of this memory may remain unused, and then costs nothing. Every block that starts within the limit has
    // room, so that the limit is checked once per block.
    const out = Buffer.allocUnsafeSlow(Math.min(most, limit + LARGEST_BLOCK));
    let end = 0;
    for (let at = 0; at < frames.length;) {
      const skipped = skippableEnd(frames, at);
      if (skipped !== null) at = skipped;
      else [at, end] = this.decodeFrame(frames, at, out, end, limit);
    }
    // A small result is copied: otherwise any of its records would keep the whole memory.
    return end < out.length / 2 ? Buffer.from(out.subarray(0, end)) : out.subarray(0, end);
  }

  private decodeFrame(frames: Buffer, from: number, out: Buffer, start: number, limit: number): [number, number] {
    const header = readFrameHeader(frames, from);
    const { contentSize, largestBlock } = header;
    const frameStop = start + (contentSize ?? Infinity);
    this.literals.reset();
    this.sequences.reset();
    let at = header.end;
    let end = start;
    for (let isLast = false; !isLast;) {
      const block = readBlockHeader(frames, at);
      const content = block.end - (block.type === RAW || block.type === COMPRESSED ? block.size : 1);
      const stop = Math.min(end + largestBlock, frameStop);
      if (block.type === COMPRESSED)
        end = this.decodeBlock(frames, content, block.end, largestBlock, { out, first: start, stop }, end);
      else {
        if (end + block.size > stop) throw new RangeError('a zstd block exceeds its size');
        if (block.type === RAW) frames.copy(out, end, content, block.end);
        else out.fill(frames[content]!, end, end + block.size);
        end += block.size;
      }
      checkSize(end, limit);
      isLast = block.isLast;
      at = block.end;
    }
    if (contentSize !== undefined && end !== frameStop) throw new RangeError('a zstd frame does not have its size');
    return [at + (header.hasChecksum ? 4 : 0), end];
  }

  private decodeBlock(
    frames: Buffer,
    from: number,
    to: number,
    largestBlock: number,
    target: Target,
    end: number,
  ): number {
    const size = to - from;
    if (size < SMALLEST_COMPRESSED_BLOCK || size > largestBlock) throw new RangeError('invalid size of a zstd block');
    frames.copy(this.block, 0, from, to);
    const sequencesAt = this.literals.read(this.block, size, largestBlock);
    return this.sequences.decode(this.block, sequencesAt, size, this.literals, target, end);
  }
}
