/**
 * The steps of a worker's shutdown. Each has a deadline; one that fails or times out does not prevent the others.
 */
import { ConnectError, messageOf, withDeadline, monotonicNow } from '@millrace/sdk';
import type { Logger } from '../logging/logger';

/** For the work of a step beside waiting: closing sockets, ending threads. */
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

  /** Sets the time that the following steps have together. */
  allow(ms: number): void {
    this.deadline = this.now() + ms;
  }

  /** `what` completes the sentence "Stopped without …". */
  async run(what: string, step: () => Promise<unknown>): Promise<void> {
    const leftMs = Math.max(0, this.deadline - this.now()) + EXTRA_MS;
    try {
      await withDeadline(step(), leftMs, () => new Error(`not done within ${Math.round(leftMs)} ms`));
    } catch (error) {
      this.unfinished.push(`${what} (${messageOf(error)})`);
      this.logger.warn(`Continuing the shutdown without ${what}: ${messageOf(error)}`, { error });
    }
  }

  throwUnfinished(): void {
    if (this.unfinished.length > 0)
      throw new ConnectError(`Stopped without ${this.unfinished.join('; ')}`, { code: 'STOP_UNFINISHED' });
  }
}
