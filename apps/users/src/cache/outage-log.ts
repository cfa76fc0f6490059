import type { Log } from '../logging/log';
import { describeFailure } from './failure';

const SUMMARY_MS = 30_000;

/**
 * Tells of an outage without a line for each of its thousand errors: each new cause once, a count every 30 s, and its
 * end.
 */
export class OutageLog {
  private readonly causes = new Map<string, number>();
  private began = 0;
  private summarised = 0;

  constructor(
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {}

  failed(error: unknown): void {
    const now = this.now();
    if (this.causes.size === 0) this.began = this.summarised = now;
    const cause = describeFailure(error);
    const count = (this.causes.get(cause) ?? 0) + 1;
    this.causes.set(cause, count);
    if (count === 1) this.log.warn({ cause }, 'the cache does not answer');
    if (now - this.summarised < SUMMARY_MS) return;
    this.summarised = now;
    this.log.warn(
      { forMs: now - this.began, causes: Object.fromEntries(this.causes) },
      'the cache still does not answer',
    );
  }

  recovered(): void {
    if (this.causes.size === 0) return;
    this.log.info({ afterMs: this.now() - this.began }, 'the cache answers again');
    this.causes.clear();
  }
}
