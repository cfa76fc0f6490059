import { messageOf } from '@millrace/sdk';
import type { Logger } from '../logging/logger';

/** What calls `release` of a plugin's task: once, and at once when the task is cancelled. */
export function releaseOnce(task: { release?(): void }, cancellation: AbortSignal, logger: Logger): () => void {
  let isReleased = false;
  const release = (): void => {
    if (isReleased) return;
    isReleased = true;
    cancellation.removeEventListener('abort', release);
    try {
      task.release?.();
    } catch (error) {
      logger.warn(`Ignoring an error of release(): ${messageOf(error)}`, { error });
    }
  };
  if (cancellation.aborted) release();
  else cancellation.addEventListener('abort', release, { once: true });
  return release;
}
