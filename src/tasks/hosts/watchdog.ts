/** Logs calls that do not return. It terminates nothing: a call may just be slow. */
import { startInterval } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';

const CHECK_MS = 5_000;

/** A call in progress. */
export interface WatchedCall {
  readonly id: string;
  /** Begins a sentence: `Task c-0: poll() of its plugin`. */
  readonly what: string;
  /** Absolute, milliseconds. */
  readonly since: number;
  /** How long it may take; 0: unlimited. Milliseconds. */
  readonly limitMs: number;
  /** One or more sentences: what to do, and which setting is the limit. */
  readonly hint: string;
  /** It waits for something that is reported elsewhere. */
  readonly excused?: boolean;
  /** What happened to the call if it never returned; ends a sentence. Null: it returned. */
  readonly fate?: () => string | null;
}

export interface WatchdogOptions {
  readonly calls: () => readonly WatchedCall[];
  readonly logger: Logger;
  /** The shortest expected limit; 0: none. Checks run twice as often, and at least every 5 s. Milliseconds. */
  readonly limitMs: number;
  readonly now?: () => number;
}

interface Report {
  readonly ongoing: WatchedCall;
  times: number;
}

/** True at the limit and at each doubling of it. Pure. */
export function isReportDue({ since, limitMs, excused = false }: WatchedCall, timesTold: number, now: number): boolean {
  return !excused && limitMs > 0 && now - since >= limitMs * 2 ** timesTold;
}

export class Watchdog {
  private readonly reports = new Map<string, Report>();
  private timer: NodeJS.Timeout | null = null;
  private readonly now: () => number;

  constructor(private readonly options: WatchdogOptions) {
    this.now = options.now ?? Date.now;
  }

  start(): void {
    const everyMs = this.options.limitMs > 0 ? Math.min(this.options.limitMs / 2, CHECK_MS) : CHECK_MS;
    this.timer ??= startInterval(() => this.check(), everyMs).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  check(): void {
    const { calls: look, logger } = this.options;
    const now = this.now();
    const seconds = (since: number): number => Math.round((now - since) / 1000);
    const ongoing = new Map(look().map((one) => [`${one.since} ${one.id}`, one]));
    for (const [key, { ongoing: over }] of this.reports) {
      if (ongoing.has(key)) continue;
      this.reports.delete(key);
      logger.warn(`${over.what} ${over.fate?.() ?? 'returned'} after ${seconds(over.since)} s`);
    }
    for (const [key, one] of ongoing) {
      const told = this.reports.get(key) ?? { ongoing: one, times: 0 };
      if (!isReportDue(one, told.times, now)) continue;
      told.times++;
      this.reports.set(key, told);
      const began = new Date(one.since).toISOString();
      logger.error(`${one.what} has not returned for ${seconds(one.since)} s, since ${began}. ${one.hint}`);
    }
  }
}
