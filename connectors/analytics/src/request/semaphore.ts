/** A counting semaphore that serves waiters in order of arrival. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /**
   * Resolves with a function that releases the permit; further calls of it do nothing. Rejects with the signal's reason
   * when that is aborted first.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.waitForRelease(signal);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      // The permit passes directly to the next waiter, so that a later call cannot overtake it.
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
