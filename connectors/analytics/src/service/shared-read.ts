/**
 * One read for all who ask while it is under way. It is nobody's own: whoever gives up does not end it for the others.
 */
import { unlessAborted } from '@millrace/sdk';

export class SharedRead<T> {
  private pending: Promise<T> | null = null;

  /** @param read Gets a signal that is aborted with the task alone. */
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
