/** Terminates threads: at once, or after a delay unless they are needed again. */
import { startTimer } from '@millrace/sdk';

interface Terminable {
  terminate(): Promise<void>;
}

export class ThreadTerminations<T extends Terminable> {
  private readonly timers = new Map<T, NodeJS.Timeout>();
  private readonly ending = new Set<Promise<void>>();

  /** Replaces what was scheduled for the thread. Does not keep the process alive. */
  later(thread: T, ms: number, then: () => void): void {
    this.keep(thread);
    this.timers.set(thread, startTimer(then, ms).unref());
  }

  /** Cancels what was scheduled for the thread. */
  keep(thread: T): void {
    clearTimeout(this.timers.get(thread));
    this.timers.delete(thread);
  }

  /** Resolves when the thread has exited. */
  async now(thread: T): Promise<void> {
    this.keep(thread);
    const ending = thread.terminate().finally(() => this.ending.delete(ending));
    this.ending.add(ending);
    await ending;
  }

  /** Cancels everything scheduled. Resolves when all threads being terminated have exited. */
  async close(): Promise<void> {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    await Promise.all(this.ending);
  }
}
