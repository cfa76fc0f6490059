/** Divides long work into slices, so that requests are handled between them. */

/** A longer slice would delay heartbeats and long polls of clients. */
const SLICE_MS = 5;

export class TimeSlice {
  private startedAt = performance.now();

  constructor(private readonly signal: AbortSignal) {}

  isOver(): boolean {
    return performance.now() - this.startedAt >= SLICE_MS;
  }

  /** Yields to the event loop and starts the next slice. Rejects with the signal's reason if it is aborted. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.signal.throwIfAborted();
    this.startedAt = performance.now();
  }
}
