/**
 * Splits the bytes of a connection into frames (int32 length, then that many bytes). Memory grows with the bytes
 * received, never with the announced length.
 */
import type { MemoryShare } from './memory-budget';

export class FrameTooLarge extends Error {
  override readonly name = 'FrameTooLarge';
}

const LENGTH_BYTES = 4;
/** Smaller chunks are copied into blocks, because a buffer for each would use many times its size. */
const SMALL_CHUNK = 1024;
const BLOCK_BYTES = 16 * 1024;

export class FrameAssembler {
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** The block that the last chunk is a part of, with space for more. */
  private block: Buffer | null = null;

  /** @param maxBytes limit of a frame, which differs before and after authentication */
  constructor(
    private readonly maxBytes: () => number,
    private readonly memory: MemoryShare,
  ) {}

  get hasIncompleteFrame(): boolean {
    return this.bytes > 0;
  }

  push(chunk: Buffer): void {
    if (this.chunks.length === 0 || chunk.length >= SMALL_CHUNK) {
      this.chunks.push(chunk);
      this.block = null;
    } else {
      this.appendToBlock(chunk);
    }
    this.bytes += chunk.length;
    this.memory.add(chunk.length);
  }

  private appendToBlock(chunk: Buffer): void {
    const used = this.block === null ? 0 : this.chunks.at(-1)!.length;
    if (this.block === null || used + chunk.length > BLOCK_BYTES) {
      this.block = Buffer.allocUnsafe(BLOCK_BYTES);
      chunk.copy(this.block);
      this.chunks.push(this.block.subarray(0, chunk.length));
    } else {
      chunk.copy(this.block, used);
      this.chunks[this.chunks.length - 1] = this.block.subarray(0, used + chunk.length);
    }
  }

  /**
   * The next complete frame, without its length; null if it is incomplete.
   * @throws FrameTooLarge as soon as the length has arrived.
   */
  next(): Buffer | null {
    if (this.bytes < LENGTH_BYTES) return null;
    const length = this.peekLength();
    if (length < 0 || length > this.maxBytes()) {
      throw new FrameTooLarge(`announces ${length} bytes; the limit is ${this.maxBytes()}`);
    }
    if (this.bytes < LENGTH_BYTES + length) return null;
    const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    const end = LENGTH_BYTES + length;
    this.memory.add(-end);
    this.bytes -= end;
    this.chunks = this.bytes > 0 ? [all.subarray(end)] : [];
    this.block = null;
    return all.subarray(LENGTH_BYTES, end);
  }

  /** Discards all bytes, when the connection is closed. */
  drop(): void {
    this.bytes = 0;
    this.chunks = [];
    this.block = null;
  }

  private peekLength(): number {
    if (this.chunks[0]!.length < LENGTH_BYTES) {
      this.chunks = [Buffer.concat(this.chunks)];
      this.block = null;
    }
    return this.chunks[0]!.readInt32BE(0);
  }
}
