/**
 * Tells that this process stood still, stopped or suspended, or that its thread was kept busy: what it was about to do
 * may be outdated.
 */
import { startInterval } from '@millrace/sdk';
import { readClocks, type ClockReading } from '../../kafka/port';

const BEATS = 4;

export class Pulse {
  private last: ClockReading;
  private missed = false;
  private readonly timer: NodeJS.Timeout;

  /** It begins now. */
  constructor(
    private readonly limitMs: number,
    private readonly now: () => ClockReading = readClocks,
  ) {
    this.last = now();
    this.timer = startInterval(() => this.beat(), Math.max(1, limitMs / BEATS)).unref();
  }

  /** Since it began, the process has never stood still for longer than the limit. */
  get isSteady(): boolean {
    this.beat();
    return !this.missed;
  }

  end(): void {
    clearInterval(this.timer);
  }

  /**
   * By both clocks: the monotonic one stands still while a machine is suspended, and the wall clock may be set back.
   */
  private beat(): void {
    const at = this.now();
    const gap = Math.max(at.monotonic - this.last.monotonic, at.wall - this.last.wall);
    if (gap > this.limitMs) this.missed = true;
    this.last = at;
  }
}

export interface SessionSettings {
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
}

/**
 * Steady for as long as no session can have ended by a sleep: the last heartbeat may have been sent an interval before
 * it.
 */
export function sessionPulse({ sessionTimeoutMs, heartbeatIntervalMs }: SessionSettings): Pulse {
  return new Pulse(sessionTimeoutMs - heartbeatIntervalMs);
}
