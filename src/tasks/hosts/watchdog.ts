/** Says loudly what does not come back. It ends nothing: what is merely slow goes on. */
import { startInterval } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';

const EVERY_MS = 5_000;

/** Something that is going on. */
export interface Ongoing {
  readonly id: string;
  /** Begins a sentence: `Task c-0: poll() of its plug-in`. */
  readonly what: string;
  /** Absolute, milliseconds. */
  readonly since: number;
  /** How long it may take; 0: as long as it likes. Milliseconds. */
  readonly limitMs: number;
  /** One or more sentences: what to do, and which setting says how long is long. */
  readonly hint: string;
  /** It waits for something that is told of elsewhere. */
  readonly excused?: boolean;
  /** When it is not found any more: what became of it if it did not come back, as the end of a sentence. */
  readonly fate?: () => string | null;
}

export interface WatchdogOptions {
  readonly look: () => readonly Ongoing[];
  readonly logger: Logger;
  /** The shortest limit to be expected; 0: none. It is looked twice as often, every 5 s at least. Milliseconds. */
  readonly limitMs: number;
  readonly now?: () => number;
}

interface Told {
  readonly ongoing: Ongoing;
  times: number;
}

/** True at the limit, and at each doubling of it: told once per call. Pure. */
export function isToBeTold({ since, limitMs, excused = false }: Ongoing, timesTold: number, now: number): boolean {
  return !excused && limitMs > 0 && now - since >= limitMs * 2 ** timesTold;
}

export class Watchdog {
  private readonly told = new Map<string, Told>();
  private timer: NodeJS.Timeout | null = null;
  private readonly now: () => number;

  constructor(private readonly options: WatchdogOptions) {
    this.now = options.now ?? Date.now;
  }

  start(): void {
    const everyMs = this.options.limitMs > 0 ? Math.min(this.options.limitMs / 2, EVERY_MS) : EVERY_MS;
    this.timer ??= startInterval(() => this.check(), everyMs).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  check(): void {
    const { look, logger } = this.options;
    const now = this.now();
    const seconds = (since: number): number => Math.round((now - since) / 1000);
    const ongoing = new Map(look().map((one) => [`${one.since} ${one.id}`, one]));
    for (const [key, { ongoing: over }] of this.told) {
      if (ongoing.has(key)) continue;
      this.told.delete(key);
      logger.warn(`${over.what} ${over.fate?.() ?? 'is over'}, after ${seconds(over.since)} s`);
    }
    for (const [key, one] of ongoing) {
      const told = this.told.get(key) ?? { ongoing: one, times: 0 };
      if (!isToBeTold(one, told.times, now)) continue;
      told.times++;
      this.told.set(key, told);
      const began = new Date(one.since).toISOString();
      logger.error(`${one.what} has not come back for ${seconds(one.since)} s, since ${began}. ${one.hint}`);
    }
  }
}
