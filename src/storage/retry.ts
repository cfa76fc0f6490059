/** Trying again, and not waiting for ever. */
import { startTimer } from '@millrace/sdk';

/** True for errors after which the same request may succeed. */
export function isRetriableError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { retriable?: unknown }).retriable === true;
}

/** Rejects with `error()` when the promise takes longer; what it does later is ignored. */
export async function within<T>(promise: Promise<T>, ms: number, error: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  // The loser of the race may reject when nobody listens any more.
  promise.catch(() => undefined);
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        timer = startTimer(() => reject(error()), ms);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
