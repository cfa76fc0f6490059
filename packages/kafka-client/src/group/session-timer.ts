import { startTimer } from '@millrace/sdk';

/** Detects an expired session: no response of the coordinator within `session.timeout.ms`. */
export class SessionTimer {
  private lastResponseAt = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly timeoutMs: number,
    private readonly onTimeout: () => void,
  ) {}

  /** Milliseconds since the last `reset`. */
  get elapsedMs(): number {
    return performance.now() - this.lastResponseAt;
  }

  get isExpired(): boolean {
    return this.elapsedMs > this.timeoutMs;
  }

  /** The coordinator has responded: the timeout starts again. */
  reset(): void {
    const respondedAt = (this.lastResponseAt = performance.now());
    this.stop();
    this.timer = startTimer(() => {
      // If this thread was busy, a response may be waiting in the socket: it is read first.
      setImmediate(() => {
        if (this.lastResponseAt === respondedAt) this.onTimeout();
      });
    }, this.timeoutMs);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}
