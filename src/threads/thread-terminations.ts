/** When threads end: later, unless they are needed again, or now. */
import { startTimer } from '@millrace/sdk';

interface Endable {
  terminate(): Promise<void>;
}

export class ThreadEndings<T extends Endable> {
  private readonly timers = new Map<T, NodeJS.Timeout>();
  private readonly ending = new Set<Promise<void>>();

  /** Instead of what else was to happen to the thread. Keeps no process alive. */
  later(thread: T, ms: number, then: () => void): void {
    this.keep(thread);
    this.timers.set(thread, startTimer(then, ms).unref());
  }

  /** What was to happen to it does not. */
  keep(thread: T): void {
    clearTimeout(this.timers.get(thread));
    this.timers.delete(thread);
  }

  /** Resolves when the thread is gone. */
  async now(thread: T): Promise<void> {
    this.keep(thread);
    const ending = thread.terminate().finally(() => this.ending.delete(ending));
    this.ending.add(ending);
    await ending;
  }

  /** Nothing happens later any more; resolves when those are gone whose end has begun. */
  async close(): Promise<void> {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    await Promise.all(this.ending);
  }
}
