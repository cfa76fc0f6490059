/**
 * Stores an offset without a record, for a source task that waits for it. It does not wait for the next scheduled
 * commit.
 */
import { sleep, type SourceOffset, type SourcePartition } from '@millrace/sdk';
import type { Producer } from '@millrace/kafka-client';
import type { OffsetTracker } from './offset-tracker';
import type { OffsetCommitter } from './offset-committer';

/** Retry delay, doubling: earlier records may be in flight, or the offset store unavailable. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5000;

export interface OffsetRequest {
  readonly tracker: OffsetTracker;
  readonly producer: Producer;
  readonly committer: OffsetCommitter;
  readonly signal: AbortSignal;
  readonly partition: SourcePartition;
  readonly offset: SourceOffset | null;
}

/** Resolves when the offset, or a newer one of its partition, is stored; rejects with the signal's reason. */
export async function storeOffset(request: OffsetRequest): Promise<void> {
  const { tracker, signal } = request;
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = new AbortController();
    const aborted = (): void => {
      stop.abort();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', aborted, { once: true });
    tracker.addOffset(request.partition, request.offset, () => {
      signal.removeEventListener('abort', aborted);
      stop.abort();
      resolve();
    });
    void commitUntil(stop.signal, request);
  });
}

async function commitUntil(over: AbortSignal, { producer, committer }: OffsetRequest): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !over.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    await producer.flush().catch(() => undefined);
    if (!over.aborted) await committer.commit();
    if (!over.aborted) await sleep(wait, over);
  }
}
