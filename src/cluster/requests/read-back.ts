/** What a request has changed can be read from this worker once the request is answered. */
import { settledWithin } from '@millrace/sdk';
import { HerderError, NotHereError } from '../errors';

export interface ReadBackStores {
  readonly configs: { readToEnd(timeoutMs: number): Promise<void> };
  readonly statuses: { flush(): Promise<void>; readToEnd(): Promise<void> };
}

/** The change is made, so its answer does not wait longer for Kafka. */
const READ_BACK_MS = 2_000;

/** Never rejects. */
export async function readBack({ configs, statuses }: ReadBackStores): Promise<void> {
  const written = statuses.flush().then(async () => await statuses.readToEnd());
  await settledWithin(Promise.allSettled([configs.readToEnd(READ_BACK_MS), written]), READ_BACK_MS, null);
}

/** Settles as `change` does, later: after a read, unless nothing was changed. */
export async function thenReadBack<T>(change: Promise<T>, read: () => Promise<void>): Promise<T> {
  try {
    const result = await change;
    await read();
    return result;
  } catch (error) {
    if (!isRefusal(error)) await read();
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof NotHereError || (error instanceof HerderError && error.status < 500);
}
