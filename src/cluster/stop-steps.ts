/**
 * The steps of a worker's end: each has until a deadline, and one that fails or is late does not keep the others from
 * being taken.
 */
import { ConnectError, messageOf, withDeadline, monotonicNow } from '@millrace/sdk';
import type { Logger } from '../logging/logger';

/** What a step costs beside waiting: closing sockets, ending threads. */
const EXTRA_MS = 500;

export class StopSteps {
  private readonly unfinished: string[] = [];
  private deadline: number;

  constructor(
    allowedMs: number,
    private readonly logger: Logger,
    private readonly now = monotonicNow,
  ) {
    this.deadline = now() + allowedMs;
  }

  /** The steps that follow have this long from now on, all together. */
  allow(ms: number): void {
    this.deadline = this.now() + ms;
  }

  /** `what` completes the sentence "Stopped without …". */
  async run(what: string, step: () => Promise<unknown>): Promise<void> {
    const leftMs = Math.max(0, this.deadline - this.now()) + EXTRA_MS;
    try {
      await withDeadline(step(), leftMs, () => new Error(`it took longer than ${Math.round(leftMs)} ms`));
    } catch (error) {
      this.unfinished.push(`${what} (${messageOf(error)})`);
      this.logger.warn(`Stopping goes on without ${what}: ${messageOf(error)}`, { error });
    }
  }

  throwUnfinished(): void {
    if (this.unfinished.length > 0)
      throw new ConnectError(`Stopped without ${this.unfinished.join('; ')}`, { code: 'STOP_UNFINISHED' });
  }
}
