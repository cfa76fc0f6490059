/** Waiting that ends with a signal. */
import { startTimer } from '@millrace/sdk';

/** Rejects with the signal's reason when it is aborted first. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const slept = new Promise<void>((resolve) => (timer = startTimer(resolve, ms)));
  await unlessAborted(slept, signal).finally(() => clearTimeout(timer));
}

/** What `work` settles with, or the signal's reason when it is aborted first; then nobody hears of the work's end. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const aborted = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', aborted, { once: true });
    const settled = (): void => signal.removeEventListener('abort', aborted);
    work.then(resolve, reject).then(settled, settled);
  });
}
