/** How long to wait before the next look at an input that has nothing more: longer once it has been quiet for long. */
const SHORT_MS = 200;
/** As Java's, which always waits so long. */
const LONG_MS = 1_000;
const QUIET_MS = 5_000;

export class IdleWait {
  private quietMs = 0;

  /** Milliseconds. */
  next(): number {
    const wait = this.quietMs < QUIET_MS ? SHORT_MS : LONG_MS;
    this.quietMs += wait;
    return wait;
  }

  /** Something has come. */
  reset(): void {
    this.quietMs = 0;
  }
}
