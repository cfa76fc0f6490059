/** Long work in slices, so that requests are answered between them. */

/** Longer than that, and heartbeats and long polls of clients would notice. Milliseconds. */
const SLICE_MS = 5;

export class Pace {
  private restedAt = performance.now();

  constructor(private readonly signal: AbortSignal) {}

  /** The slice is over. */
  isDue(): boolean {
    return performance.now() - this.restedAt >= SLICE_MS;
  }

  /** Resolves when what waited has had its turn. Rejects with the signal's reason once the work is to be given up. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.signal.throwIfAborted();
    this.restedAt = performance.now();
  }
}
