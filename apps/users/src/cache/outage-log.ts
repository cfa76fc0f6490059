import type { Log } from '../logging/log';
import { describeFailure } from './failure';

const SUMMARY_MS = 30_000;

/**
 * Logs an outage without a line per error: each new cause once, a summary every 30 s, and the end.
 */
export class OutageLog {
  private readonly causes = new Map<string, number>();
  private beganAt = 0;
  private summarizedAt = 0;

  constructor(
    private readonly log: Log,
    private readonly now: () => number = () => Math.round(performance.now()),
  ) {}

  failed(error: unknown): void {
    const now = this.now();
    if (this.causes.size === 0) this.beganAt = this.summarizedAt = now;
    const cause = describeFailure(error);
    const count = (this.causes.get(cause) ?? 0) + 1;
    this.causes.set(cause, count);
    if (count === 1) this.log.warn({ cause }, 'the cache is not responding');
    if (now - this.summarizedAt < SUMMARY_MS) return;
    this.summarizedAt = now;
    this.log.warn(
      { forMs: now - this.beganAt, causes: Object.fromEntries(this.causes) },
      'the cache is still not responding',
    );
  }

  recovered(): void {
    if (this.causes.size === 0) return;
    this.log.info({ afterMs: this.now() - this.beganAt }, 'the cache is responding again');
    this.causes.clear();
  }
}
