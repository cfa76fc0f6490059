/** One sleeper at a time, woken by data, an end or an abort. */
import { startTimer } from '@millrace/sdk';

export class Wakeup {
  private wakeSleeper: (() => void) | null = null;
  private pending = false;

  wake(): void {
    this.pending = true;
    this.wakeSleeper?.();
  }

  /** Resolves after `ms` or when woken, at once if woken since the last sleep. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.pending && !signal.aborted && ms > 0) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          this.wakeSleeper = null;
          resolve();
        };
        const timer = startTimer(done, ms);
        signal.addEventListener('abort', done, { once: true });
        this.wakeSleeper = done;
      });
    }
    this.pending = false;
  }
}

/** Lets sockets have a turn: what has arrived meanwhile is then there. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
