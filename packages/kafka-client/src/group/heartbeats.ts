/** Heartbeats of a group member, and the session that responses of the coordinator extend. */
import { startInterval, startTimer } from '@millrace/sdk';

/** Sends heartbeats on a timer, at most one at a time. */
export class HeartbeatLoop {
  private timer: NodeJS.Timeout | null = null;
  private inFlight = false;

  /** @param sendHeartbeat never rejects; resolves to the time until the next heartbeat, in milliseconds. */
  constructor(
    private readonly intervalMs: number,
    private readonly sendHeartbeat: () => Promise<number>,
  ) {}

  get isRunning(): boolean {
    return this.timer !== null;
  }

  start(afterMs = this.intervalMs): void {
    this.stop();
    this.timer = startTimer(() => void this.run(), afterMs);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private async run(): Promise<void> {
    if (this.inFlight) return;
    this.inFlight = true;
    try {
      const wait = await this.sendHeartbeat();
      // Unless it was stopped meanwhile. A new generation uses the same timer.
      if (this.isRunning) this.start(wait);
    } finally {
      this.inFlight = false;
    }
  }
}

/**
 * Sends heartbeats at an interval until the promise settles. Failed heartbeats are ignored: the outcome of the join
 * reports the state of the membership.
 */
export async function withHeartbeats<T>(
  pending: Promise<T>,
  intervalMs: number,
  sendHeartbeat: () => Promise<void>,
): Promise<T> {
  const timer = startInterval(() => void sendHeartbeat().catch(() => undefined), intervalMs);
  try {
    return await pending;
  } finally {
    clearInterval(timer);
  }
}

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
