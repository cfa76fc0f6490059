/**
 * Detects that this process was stopped or suspended, or that its thread was blocked: what it was about to do may be
 * outdated.
 */
import { startInterval } from '@millrace/sdk';
import { readClocks, type ClockReading } from '@millrace/kafka-client';

/** Checks within the limit. */
const CHECKS = 4;

export class SuspensionDetector {
  private last: ClockReading;
  private suspended = false;
  private readonly timer: NodeJS.Timeout;

  /** Starts now. */
  constructor(
    private readonly limitMs: number,
    private readonly now: () => ClockReading = readClocks,
  ) {
    this.last = now();
    this.timer = startInterval(() => this.check(), Math.max(1, limitMs / CHECKS)).unref();
  }

  /** The process has been suspended for longer than the limit since the start. */
  get wasSuspended(): boolean {
    this.check();
    return this.suspended;
  }

  end(): void {
    clearInterval(this.timer);
  }

  /**
   * Uses both clocks: the monotonic one stops while a machine is suspended, and the wall clock may be set back.
   */
  private check(): void {
    const at = this.now();
    const gap = Math.max(at.monotonic - this.last.monotonic, at.wall - this.last.wall);
    if (gap > this.limitMs) this.suspended = true;
    this.last = at;
  }
}

export interface SessionSettings {
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
}

/**
 * Detects a suspension that may have ended the session: the last heartbeat may have been sent an interval before it.
 */
export function detectSuspension({ sessionTimeoutMs, heartbeatIntervalMs }: SessionSettings): SuspensionDetector {
  return new SuspensionDetector(sessionTimeoutMs - heartbeatIntervalMs);
}
