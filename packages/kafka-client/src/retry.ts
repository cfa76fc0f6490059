/**
 * Repeats an operation while its KafkaError is retriable and time is left. Not for produce or fetch, which keep state
 * between attempts.
 */
import { sleep, backoffMs } from '@millrace/sdk';
import { KafkaError } from './errors';

export interface RetryPolicy {
  /** For all attempts, milliseconds. */
  readonly timeoutMs: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
}

/** Rejects with the last attempt's error. Aborting ends the wait between attempts, not an attempt. */
export async function retrying<T>(policy: RetryPolicy, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const deadline = performance.now() + policy.timeoutMs;
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const wait = backoffMs(failures, { firstMs: policy.retryBackoffMs, maxMs: policy.retryBackoffMaxMs });
      const retriable = error instanceof KafkaError && error.retriable;
      if (!retriable || signal?.aborted === true || performance.now() + wait > deadline) throw error;
      await sleep(wait, signal);
    }
  }
}
