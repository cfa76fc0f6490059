import { startInterval } from '@millrace/sdk';

/**
 * Beats now and then until the promise settles. A beat that fails is nobody's loss: the join itself says how it stands.
 */
export async function whileBeating<T>(pending: Promise<T>, intervalMs: number, beat: () => Promise<void>): Promise<T> {
  const timer = startInterval(() => void beat().catch(() => undefined), intervalMs);
  try {
    return await pending;
  } finally {
    clearInterval(timer);
  }
}
