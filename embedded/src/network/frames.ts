/**
 * Cuts a connection's bytes into frames (int32 length, then that many bytes). What is announced is never allocated in
 * advance: memory grows with the bytes that really arrive.
 */

export class FrameTooLarge extends Error {
  override readonly name = 'FrameTooLarge';
}

/** Bytes of unfinished frames of all connections together. */
export interface FrameBudget {
  readonly limit: number;
  used: number;
}

const LENGTH_BYTES = 4;

export class FrameAssembler {
  private chunks: Buffer[] = [];
  private bytes = 0;

  /** @param maxBytes of one frame; asked for each, as it differs before and after authentication. */
  constructor(
    private readonly maxBytes: () => number,
    private readonly budget: FrameBudget,
  ) {}

  /** @throws FrameTooLarge when all unfinished requests together would take more memory than the broker has for them. */
  push(chunk: Buffer): void {
    if (this.budget.used + chunk.length > this.budget.limit) {
      throw new FrameTooLarge(`more than ${this.budget.limit} bytes of unfinished requests are being held`);
    }
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    this.budget.used += chunk.length;
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
    this.budget.used -= end;
    this.bytes -= end;
    this.chunks = this.bytes > 0 ? [all.subarray(end)] : [];
    return all.subarray(LENGTH_BYTES, end);
  }

  /** The connection is gone. */
  drop(): void {
    this.budget.used -= this.bytes;
    this.bytes = 0;
    this.chunks = [];
  }

  private peekLength(): number {
    if (this.chunks[0]!.length < LENGTH_BYTES) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0]!.readInt32BE(0);
  }
}
