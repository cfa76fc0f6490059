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
  readonly call: WatchedCall;
  times: number;
}

/** True at the limit and at each doubling of it. Pure. */
export function isReportDue(
  { since, limitMs, excused = false }: WatchedCall,
  timesReported: number,
  now: number,
): boolean {
  return !excused && limitMs > 0 && now - since >= limitMs * 2 ** timesReported;
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
    const { calls, logger } = this.options;
    const now = this.now();
    const seconds = (since: number): number => Math.round((now - since) / 1000);
    const ongoing = new Map(calls().map((call) => [`${call.since} ${call.id}`, call]));
    for (const [key, { call }] of this.reports) {
      if (ongoing.has(key)) continue;
      this.reports.delete(key);
      const fate = call.fate?.() ?? null;
      const lasted = `${seconds(call.since)} s`;
      logger.warn(
        `${call.what} ${fate === null ? `returned after ${lasted}` : `${fate} (${lasted} after the call began)`}`,
      );
    }
    for (const [key, call] of ongoing) {
      const report = this.reports.get(key) ?? { call, times: 0 };
      if (!isReportDue(call, report.times, now)) continue;
      report.times++;
      this.reports.set(key, report);
      const began = new Date(call.since).toISOString();
      logger.error(`${call.what} has not returned for ${seconds(call.since)} s, since ${began}. ${call.hint}`);
    }
  }
}
