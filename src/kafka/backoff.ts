/** Waits between attempts grow from `firstMs` by doubling up to `maxMs`, a fifth of it at random so that clients do not retry in step (KIP-580). */
export function backoffMs(
  failures: number,
  firstMs: number,
  maxMs: number,
  random: () => number = Math.random,
): number {
  const exact = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return exact * (0.8 + random() * 0.4);
}

/** Resolves after `ms`, or at once when aborted; never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
