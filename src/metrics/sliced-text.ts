/** Collects a long text and lets other work of the thread run meanwhile. */
import { setImmediate } from 'node:timers/promises';

/** Heartbeats and requests wait for no longer than about this. */
const SLICE_MS = 10;
/** Lines between two looks at the clock: a line takes less than 2 µs. */
const LINES_PER_LOOK = 100;
/** Characters that are encoded at once. */
const PIECE = 256 * 1024;

export class SlicedText {
  private readonly pieces: Buffer[] = [];
  private text = '';
  private lines = 0;
  private began = performance.now();

  /** @returns true when it is time to call `pause` */
  add(line: string): boolean {
    this.text += line;
    if (this.text.length >= PIECE) this.encode();
    if (++this.lines < LINES_PER_LOOK) return false;
    this.lines = 0;
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
