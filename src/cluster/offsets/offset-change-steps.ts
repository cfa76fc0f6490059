/** The steps of one change of offsets, with a common deadline. Source: connect-runtime §3.8, connect-rest §2.6. */
import { isUnsupportedOperation, withDeadline, monotonicNow } from '@millrace/sdk';
import { CONFLICT, HerderError } from '../errors';
import type { OffsetLock } from './offset-locks';

export class OffsetChangeSteps {
  /** `deadline`: by the monotonic clock, milliseconds. */
  constructor(
    readonly connector: string,
    readonly kind: 'source' | 'sink',
    private readonly deadline: number,
    private readonly lock: OffsetLock,
    /** False if another worker may be leading the group. */
    private readonly mayChange: () => boolean,
  ) {}

  /** Before the change: at the deadline, `run` is abandoned and nothing is changed. */
  async prepare<T>(timedOut: string, run: () => Promise<T>): Promise<T> {
    return await withDeadline(run(), this.remaining(), () => new HerderError(500, timedOut));
  }

  /** Returns true if the connector reported that nothing else is to be done. Its error rejects the change. */
  async callAlterOffsets(hook: () => Promise<boolean> | boolean | undefined): Promise<boolean> {
    const { connector, kind } = this;
    const timedOut = `Timed out while calling the 'alterOffsets' method for ${kind} connector ${connector}`;
    try {
      return (await this.prepare(timedOut, async () => await hook())) === true;
    } catch (error) {
      if (!isUnsupportedOperation(error)) throw error;
      throw new HerderError(
        500,
        `Failed to modify offsets for connector ${connector} because it doesn't support external modification of offsets`,
        { cause: error },
      );
    }
  }

  /** The change cannot be cancelled: after the deadline it continues, and no task starts before its end. */
  async change(timedOut: string, run: () => Promise<void>): Promise<void> {
    if (!this.mayChange()) throw new HerderError(409, CONFLICT);
    const change = run();
    this.lock.keep(change);
    await withDeadline(change, this.remaining(), () => new HerderError(500, timedOut));
  }

  private remaining(): number {
    return Math.max(1, this.deadline - monotonicNow());
  }
}
