/** How far the server's clock is ahead of this machine's. Commit times are the server's. Pure. */

/** NTP keeps clocks closer, and a lag of less is of no interest. */
const TOLERATED_MS = 1_000;

/**
 * @param serverMs what the server's clock showed at some time between `askedMs` and `answeredMs`
 * @returns milliseconds, negative if it is behind; 0: no more than tolerated, or than the answer's delay explains
 */
export function clockAhead(serverMs: number, askedMs: number, answeredMs: number): number {
  const uncertain = (answeredMs - askedMs) / 2;
  const ahead = serverMs - (askedMs + uncertain);
  return Math.abs(ahead) > TOLERATED_MS + uncertain ? Math.round(ahead) : 0;
}
