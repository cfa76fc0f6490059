/** Backoff of a worker that cannot keep up with the config topic. Pure. Source: connect-runtime §2.8. */
const TRIES = 5;

export class UnsyncBackoff {
  private remaining = TRIES;

  constructor(
    private readonly maxDelayMs: number,
    private readonly eagerBackoffMs: number,
  ) {}

  /** Milliseconds to wait, or `give-up`: stop all work and start over. */
  next(eager: boolean): number | 'give-up' {
    if (eager) return this.eagerBackoffMs;
    if (this.remaining === 0) {
      this.remaining = TRIES;
      return 'give-up';
    }
    return Math.floor(this.maxDelayMs / 10 / this.remaining--);
  }

  reset(): void {
    this.remaining = TRIES;
  }
}
