/**
 * Whether a partition is still assigned to this task, and which of its files are being posted. No post starts after the
 * partition is revoked. Source: analytics-sink §4.9.
 */
import { setMaxListeners } from 'node:events';
import { settledWithin } from '@millrace/sdk';

/** The partition was revoked before the file was posted. Its next owner delivers the records. */
export class PartitionRevokedError extends Error {
  override readonly name = 'PartitionRevokedError';
}

export class Ownership {
  private readonly revocation = new AbortController();
  private readonly postCutoff = new AbortController();
  private readonly posts = new Set<Promise<unknown>>();

  constructor() {
    // Each file in flight adds a listener.
    setMaxListeners(0, this.signal, this.postCutoff.signal);
  }

  /** Aborted when the partition is revoked. Posts use a signal of their own. */
  get signal(): AbortSignal {
    return this.revocation.signal;
  }

  /**
   * @param work Passes a file to the service, after which its rows appear.
   * @throws PartitionRevokedError instead of starting it
   */
  async post<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw new PartitionRevokedError('The file was not posted: its partition was revoked');
    const posted = work(this.postCutoff.signal);
    this.posts.add(posted);
    return await posted.finally(() => this.posts.delete(posted));
  }

  /**
   * Lets posts in flight finish, so that their offsets can still be committed, and aborts those that take longer than
   * `timeoutMs`. May be called again.
   */
  async revoke(timeoutMs: number): Promise<void> {
    this.revocation.abort(new PartitionRevokedError('The partition was revoked'));
    await settledWithin(Promise.allSettled(this.posts), timeoutMs, undefined);
    this.postCutoff.abort(new PartitionRevokedError('The partition was revoked'));
  }
}
