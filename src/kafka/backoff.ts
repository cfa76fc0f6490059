/**
 * Waits between attempts grow from `firstMs` by doubling up to `maxMs`, a fifth of it at random so that clients do not
 * retry in step (KIP-580).
 */
export function backoffMs(
  failures: number,
  firstMs: number,
  maxMs: number,
  random: () => number = Math.random,
): number {
  const exact = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return exact * (0.8 + random() * 0.4);
}
