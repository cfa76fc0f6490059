/**
 * Whether a partition is still this task's, and what of it is being posted. Nothing is begun to be posted after it was
 * given away. Source: analytics-sink §4.9.
 */
import { setMaxListeners } from 'node:events';
import { settledWithin } from '@millrace/sdk';

/** The partition was given away before the file was posted; whoever has it now delivers its records. */
export class GivenAwayError extends Error {
  override readonly name = 'GivenAwayError';
}

export class Ownership {
  private readonly giving = new AbortController();
  private readonly cutting = new AbortController();
  private readonly posts = new Set<Promise<unknown>>();

  constructor() {
    // Each file under way listens.
    setMaxListeners(0, this.signal, this.cutting.signal);
  }

  /** Aborted when the partition is given away: for everything but posts. */
  get signal(): AbortSignal {
    return this.giving.signal;
  }

  /**
   * @param work Hands a file to the service, after which its rows appear. @throws GivenAwayError instead of beginning
   *   it
   */
  async post<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw new GivenAwayError('It was not posted: its partition was given away');
    const posted = work(this.cutting.signal);
    this.posts.add(posted);
    return await posted.finally(() => this.posts.delete(posted));
  }

  /**
   * Posts that were begun may end, so that their offsets can still be committed; those that take longer are cut off.
   * May be called again.
   */
  async giveAway(timeoutMs: number): Promise<void> {
    this.giving.abort(new GivenAwayError('The partition was given away'));
    await settledWithin(Promise.allSettled(this.posts), timeoutMs, undefined);
    this.cutting.abort(new GivenAwayError('The partition was given away'));
  }
}
