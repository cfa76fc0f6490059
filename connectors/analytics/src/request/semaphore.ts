/** A number of places, taken in order of arrival. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Resolves with what gives the place back, once. Rejects with the signal's reason when it is aborted first. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.waitForRelease(signal);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      // A place goes straight to whoever waits: nobody can come between.
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    };
  }

  private async waitForRelease(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const granted = (): void => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      const aborted = (): void => {
        this.waiting.splice(this.waiting.indexOf(granted), 1);
        reject(signal.reason as Error);
      };
      this.waiting.push(granted);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
