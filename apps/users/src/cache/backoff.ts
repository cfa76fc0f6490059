const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * How long to wait before another attempt: 100 ms, doubled each time up to 5 s, of which the second half is left to
 * chance, so that programs that lost a server together do not come back together.
 * @param failures attempts that failed so far, from 0.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const most = Math.min(FIRST_MS * 2 ** Math.min(failures, 10), LONGEST_MS);
  return Math.round(most * (0.5 + random() / 2));
}
