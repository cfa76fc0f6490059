export interface WaitOptions {
  /** (Default: 120,000) */
  readonly timeoutMs?: number;
  /** Pause between two looks. (Default: 50) */
  readonly everyMs?: number;
  /** Added to the error when time is up: the last state seen, a log. */
  readonly detail?: () => string;
}

type Found<T> = Exclude<T, false | 0 | '' | null | undefined>;

/**
 * Looks again and again until `probe` returns something truthy, and returns that. An error thrown by `probe` ends the
 * wait at once. Rejects with `waited … ms for <what>` when time is up.
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
