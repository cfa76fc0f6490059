/**
 * Cuts a connection's bytes into frames (int32 length, then that many bytes). What is announced is never allocated in
 * advance: memory grows with the bytes that really arrive.
 */
import type { MemoryShare } from './memory-budget';

export class FrameTooLarge extends Error {
  override readonly name = 'FrameTooLarge';
}

const LENGTH_BYTES = 4;
/** Chunks below are collected in blocks: a buffer of its own for each would take many times the bytes in it. */
const SMALL_CHUNK = 1024;
const BLOCK_BYTES = 16 * 1024;

export class FrameAssembler {
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** The last of the chunks is the beginning of this block, which has room for more. */
  private block: Buffer | null = null;

  /** @param maxBytes of one frame; asked for each, as it differs before and after authentication. */
  constructor(
    private readonly maxBytes: () => number,
    private readonly memory: MemoryShare,
  ) {}

  /** A frame has begun and not ended. */
  get isInside(): boolean {
    return this.bytes > 0;
  }

  push(chunk: Buffer): void {
    if (this.chunks.length === 0 || chunk.length >= SMALL_CHUNK) {
      this.chunks.push(chunk);
      this.block = null;
    } else {
      this.collect(chunk);
    }
    this.bytes += chunk.length;
    this.memory.hold(chunk.length);
  }

  private collect(chunk: Buffer): void {
    const begun = this.block === null ? 0 : this.chunks.at(-1)!.length;
    if (this.block === null || begun + chunk.length > BLOCK_BYTES) {
      this.block = Buffer.allocUnsafe(BLOCK_BYTES);
      chunk.copy(this.block);
      this.chunks.push(this.block.subarray(0, chunk.length));
    } else {
      chunk.copy(this.block, begun);
      this.chunks[this.chunks.length - 1] = this.block.subarray(0, begun + chunk.length);
    }
  }

  /**
   * The next complete frame, without its length; null when there is none yet.
   * @throws FrameTooLarge as soon as the length alone shows that it cannot be a request.
   */
  next(): Buffer | null {
    if (this.bytes < LENGTH_BYTES) return null;
    const length = this.peekLength();
    if (length < 0 || length > this.maxBytes()) {
      throw new FrameTooLarge(`announces a request of ${length} bytes; up to ${this.maxBytes()} are taken`);
    }
    if (this.bytes < LENGTH_BYTES + length) return null;
    const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    const end = LENGTH_BYTES + length;
    this.memory.hold(-end);
    this.bytes -= end;
    this.chunks = this.bytes > 0 ? [all.subarray(end)] : [];
    this.block = null;
    return all.subarray(LENGTH_BYTES, end);
  }

  /** The connection is gone. */
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
