/** Shares one read among concurrent callers. A caller that aborts does not abort the read for the others. */
import { unlessAborted } from '@millrace/sdk';

export class SharedRead<T> {
  private pending: Promise<T> | null = null;

  /** @param read Receives a signal that is aborted only with the task. */
  constructor(
    private readonly read: (signal: AbortSignal) => Promise<T>,
    private readonly signal: AbortSignal,
  ) {}

  /** Rejects with the reason of `signal` when that is aborted first. */
  async get(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.pending ??= this.read(this.signal).finally(() => (this.pending = null));
    return await unlessAborted(this.pending, signal);
  }
}
