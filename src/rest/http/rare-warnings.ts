/** Warnings that clients can cause: one line a minute for each client, and few lines a minute for all of them. */
import { monotonicNow } from '@millrace/sdk';

const QUIET_MS = 60_000;
const MAX_LINES = 20;
const MAX_CLIENTS = 1_000;

export class RareWarnings {
  /** By client, the oldest line first. */
  private readonly clients = new Map<string, { readonly loggedAt: number; suppressed: number }>();
  private windowAt = -Infinity;
  private lines = 0;

  constructor(
    private readonly warn: (message: string) => void,
    private readonly now: () => number = monotonicNow,
  ) {}

  /** `message` gets the number of times since the last line about the client, this one included. */
  report(client: string, message: (times: number) => string): void {
    const now = this.now();
    const known = this.clients.get(client);
    if (known && now - known.loggedAt < QUIET_MS) {
      known.suppressed++;
      return;
    }
    if (now - this.windowAt >= QUIET_MS) {
      this.windowAt = now;
      this.lines = 0;
    }
    if (this.lines >= MAX_LINES) return;
    this.lines++;
    this.clients.delete(client);
    this.clients.set(client, { loggedAt: now, suppressed: 0 });
    const [oldest] = this.clients.keys();
    if (this.clients.size > MAX_CLIENTS && oldest !== undefined) this.clients.delete(oldest);
    this.warn(message(1 + (known?.suppressed ?? 0)));
  }
}
