/**
 * Timers that accept any delay. Node fires a timer after 1 ms when its delay exceeds 2^31 - 1 ms (about 24.8 days).
 * Settings, and sums of them, may exceed that, so these timers use the longest delay instead.
 */

/** The longest delay of a timer in Node.js, in milliseconds. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Like `setTimeout`, without Node's warning about a time that has passed. Cancel it with `clearTimeout`. */
export function startTimer(run: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(run, Math.max(0, Math.min(ms, LONGEST_TIMER_MS)));
}

/** Like `setInterval`. Cancel it with `clearInterval`. */
export function startInterval(run: () => void, ms: number): NodeJS.Timeout {
  return setInterval(run, Math.min(ms, LONGEST_TIMER_MS));
}

/** Like `AbortSignal.timeout`: aborts after `ms` and does not keep the process alive. */
export function timeoutSignal(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(ms, LONGEST_TIMER_MS));
}
