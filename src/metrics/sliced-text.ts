/** Collects a long text and lets other work of the thread run meanwhile. */
import { setImmediate } from 'node:timers/promises';

/** Heartbeats and requests wait for no longer than about this. */
const SLICE_MS = 10;
/** Characters that are encoded at once. */
const PIECE = 256 * 1024;

export class SlicedText {
  private readonly pieces: Buffer[] = [];
  private text = '';
  private began = performance.now();

  add(line: string): void {
    this.text += line;
    if (this.text.length >= PIECE) this.encode();
  }

  /** True when it is time to call `pause`. A look at the clock costs less than a line. */
  get isDue(): boolean {
    return performance.now() - this.began >= SLICE_MS;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.began = performance.now();
  }

  end(): Buffer {
    this.encode();
    return Buffer.concat(this.pieces);
  }

  private encode(): void {
    this.pieces.push(Buffer.from(this.text));
    this.text = '';
  }
}
