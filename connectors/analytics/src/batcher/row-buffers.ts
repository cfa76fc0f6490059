/**
 * Rows between `put` and the disk: buffers that are filled and used again, and how many bytes the streams of all files
 * of a task hold. `put` waits while they hold too many, so memory does not grow when the disk or the processor is slow.
 */
export const ROW_BUFFER_BYTES = 128 * 1024;
const FREE_BUFFERS = 8;
/** Enough for the thread pool to compress while the next records are fetched. */
const HELD_BYTES = 2 * 1024 * 1024;

export class RowBuffers {
  private readonly free: Buffer[] = [];
  private held = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly limit = HELD_BYTES) {}

  take(): Buffer {
    return this.free.pop() ?? Buffer.allocUnsafeSlow(ROW_BUFFER_BYTES);
  }

  giveBack(buffer: Buffer): void {
    if (this.free.length < FREE_BUFFERS) this.free.push(buffer);
  }

  /** Bytes are passed to a stream. */
  hold(bytes: number): void {
    this.held += bytes;
  }

  /** A stream has processed them, or never will. */
  release(bytes: number): void {
    this.held -= bytes;
    if (this.isFull || this.waiting.length === 0) return;
    for (const resume of this.waiting.splice(0)) resume();
  }

  get isFull(): boolean {
    return this.held >= this.limit;
  }

  /** Resolves when the streams hold less than the limit. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
