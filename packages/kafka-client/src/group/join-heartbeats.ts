import { startInterval } from '@millrace/sdk';

/**
 * Sends heartbeats at an interval until the promise settles. Failed heartbeats are ignored: the outcome of the join
 * reports the state of the membership.
 */
export async function withHeartbeats<T>(
  pending: Promise<T>,
  intervalMs: number,
  sendHeartbeat: () => Promise<void>,
): Promise<T> {
  const timer = startInterval(() => void sendHeartbeat().catch(() => undefined), intervalMs);
  try {
    return await pending;
  } finally {
    clearInterval(timer);
  }
}
