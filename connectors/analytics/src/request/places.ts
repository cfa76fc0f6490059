/** A number of places, taken in order of arrival. */
export class Places {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Resolves with what gives the place back, once. Rejects with the signal's reason when it is aborted first. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(signal);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      // A place goes straight to whoever waits: nobody can come between.
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    };
  }

  private async turn(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const mine = (): void => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      const aborted = (): void => {
        this.waiting.splice(this.waiting.indexOf(mine), 1);
        reject(signal.reason as Error);
      };
      this.waiting.push(mine);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
