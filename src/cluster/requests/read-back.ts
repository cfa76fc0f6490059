/** What a request has changed can be read from this worker once the request is answered. */
import { settledWithin } from '@millrace/sdk';
import { HerderError, NotHereError } from '../errors';

export interface ReadBackStores {
  readonly configs: { readToEnd(timeoutMs: number): Promise<void>; readWritten(): Promise<void> };
  readonly statuses: { flush(): Promise<void>; readToEnd(): Promise<void>; readWritten(): Promise<void> };
}

/** The change is made, so its answer does not wait longer for Kafka. */
const READ_BACK_MS = 2_000;

/** What any worker has written. Never rejects. */
export async function readBack({ configs, statuses }: ReadBackStores): Promise<void> {
  const written = statuses.flush().then(async () => await statuses.readToEnd());
  await settledWithin(Promise.allSettled([configs.readToEnd(READ_BACK_MS), written]), READ_BACK_MS, null);
}

/** What this worker has written. Never rejects. */
export async function readOwnBack({ configs, statuses }: ReadBackStores): Promise<void> {
  await settledWithin(Promise.allSettled([configs.readWritten(), statuses.readWritten()]), READ_BACK_MS, null);
}

/**
 * Settles as `change` does, later: after a read, unless nothing was changed. What a failed change has written may not
 * be acknowledged: `read` must find it nevertheless. `readDone`: after a change that succeeded (Default: `read`)
 */
export async function thenReadBack<T>(
  change: Promise<T>,
  read: () => Promise<void>,
  readDone: () => Promise<void> = read,
): Promise<T> {
  try {
    const result = await change;
    await readDone();
    return result;
  } catch (error) {
    if (!isRefusal(error)) await read();
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof NotHereError || (error instanceof HerderError && error.status < 500);
}
