import { startTimer } from '@millrace/sdk';

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
