export interface WaitOptions {
  /** (Default: 120,000) */
  readonly timeoutMs?: number;
  /** Interval between calls of `probe`. (Default: 50) */
  readonly everyMs?: number;
  /** Appended to the timeout error, e.g. the last state or a log. */
  readonly detail?: () => string;
}

type Found<T> = Exclude<T, false | 0 | '' | null | undefined>;

/**
 * Calls `probe` repeatedly until it returns a truthy value, and resolves with that. Rejects at once with an error that
 * `probe` throws, and with `waited … ms for <what>` on timeout.
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 120_000, everyMs = 50, detail }: WaitOptions = {},
): Promise<Found<T>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found) return found as Found<T>;
    if (Date.now() >= end) throw new Error(`waited ${timeoutMs} ms for ${what}${detail ? `\n${detail()}` : ''}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
