/**
 * Logs calls that do not return, and ends those that may be ended. Time in which this process did not run does not
 * count: after a suspension every call would otherwise seem to have been stuck.
 */
import { startInterval } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';

const CHECK_MS = 5_000;

/** A call in progress. */
export interface WatchedCall {
  readonly id: string;
  /** Begins a sentence: `Task c-0: poll() of its plugin`. */
  readonly what: string;
  /** (Default: `returned`) */
  readonly verb?: string;
  /** By the clock of the watchdog, milliseconds. */
  readonly since: number;
  /** How long it may take; 0: unlimited. Milliseconds. */
  readonly limitMs: number;
  /** One or more sentences: what to do, and which setting is the limit. */
  readonly hint: string;
  /** It waits for something that is reported elsewhere. */
  readonly excused?: boolean;
  /** What happened to the call if it never returned; ends a sentence. Null: it returned. */
  readonly fate?: () => string | null;
  /** Ends the call. Called once, after it was logged. Absent: it may not be ended now. */
  readonly end?: (lastedMs: number) => void;
}

export interface WatchdogOptions {
  readonly calls: () => readonly WatchedCall[];
  readonly logger: Logger;
  /** The shortest expected limit; 0: none. Checks run twice as often, and at least every 5 s. Milliseconds. */
  readonly limitMs: number;
  /** The clock of all calls; it may be a monotonic one. Milliseconds. (Default: the wall clock) */
  readonly now?: () => number;
  /** For the times that are logged. */
  readonly wallClock?: () => number;
}

interface Watched {
  call: WatchedCall;
  lastedMs: number;
  timesReported: number;
  ended: boolean;
}

export interface StuckCall {
  readonly call: WatchedCall;
  readonly lastedMs: number;
}

/** True at the limit and at each doubling of it. Pure. */
export function isReportDue(
  { limitMs, excused = false }: WatchedCall,
  timesReported: number,
  lastedMs: number,
): boolean {
  return !excused && limitMs > 0 && lastedMs >= limitMs * 2 ** timesReported;
}

export class Watchdog {
  private readonly watched = new Map<string, Watched>();
  private timer: NodeJS.Timeout | null = null;
  private readonly now: () => number;
  private readonly wallClock: () => number;
  private readonly everyMs: number;
  private checkedAt: number | null = null;
  private beyondLimit: readonly Watched[] = [];

  constructor(private readonly options: WatchdogOptions) {
    this.now = options.now ?? Date.now;
    this.wallClock = options.wallClock ?? Date.now;
    this.everyMs = options.limitMs > 0 ? Math.min(options.limitMs / 2, CHECK_MS) : CHECK_MS;
  }

  start(): void {
    this.timer ??= startInterval(() => this.check(), this.everyMs).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /** Calls beyond their limit, as of the last check. */
  stuck(): StuckCall[] {
    if (this.beyondLimit.length === 0) return [];
    const ongoing = new Set(this.options.calls().map(keyOf));
    return this.beyondLimit.filter(({ call }) => ongoing.has(keyOf(call)));
  }

  check(): void {
    const now = this.now();
    const passed = this.passed(now);
    const ongoing = new Map(this.options.calls().map((call) => [keyOf(call), call]));
    for (const [key, { call, timesReported }] of this.watched) {
      if (ongoing.has(key)) continue;
      this.watched.delete(key);
      if (timesReported > 0) this.logEnd(call, now);
    }
    for (const [key, call] of ongoing) this.look(key, call, passed, now);
    this.beyondLimit = [...this.watched.values()].filter(({ call, lastedMs }) => isReportDue(call, 0, lastedMs));
  }

  private look(key: string, call: WatchedCall, passed: number, now: number): void {
    const known = this.watched.get(key);
    const watched = known ?? { call, lastedMs: 0, timesReported: 0, ended: false };
    this.watched.set(key, watched);
    watched.call = call;
    // While the call is excused, another one keeps it from running.
    if (call.excused !== true) watched.lastedMs += known ? passed : Math.min(passed, Math.max(0, now - call.since));
    const { lastedMs } = watched;
    if (isReportDue(call, watched.timesReported, lastedMs)) {
      watched.timesReported++;
      const { what, verb = 'returned', since, hint } = call;
      const began = new Date(this.wallClock() - (now - since)).toISOString();
      this.options.logger.error(`${what} has not ${verb} for ${seconds(lastedMs)} s, since ${began}. ${hint}`);
    }
    if (watched.ended || call.end === undefined || !isReportDue(call, 0, lastedMs)) return;
    watched.ended = true;
    call.end(lastedMs);
  }

  /** The time before a late check does not count: if this process was suspended, the calls were, too. */
  private passed(now: number): number {
    const passed = now - (this.checkedAt ?? now - this.everyMs);
    this.checkedAt = now;
    return passed < 0 || passed > 2 * this.everyMs ? 0 : passed;
  }

  private logEnd({ what, verb = 'returned', since, fate }: WatchedCall, now: number): void {
    const end = fate?.() ?? null;
    const lasted = `${seconds(now - since)} s`;
    this.options.logger.warn(
      `${what} ${end === null ? `${verb} after ${lasted}` : `${end} (${lasted} after the call began)`}`,
    );
  }
}

function keyOf({ id, since }: WatchedCall): string {
  return `${since} ${id}`;
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
