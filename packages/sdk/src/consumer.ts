/** Consumers for records that a task reads in addition to its actual work, such as signals. */
import type { KafkaHeader } from './producer';

export interface ConsumedRecord {
  readonly offset: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly KafkaHeader[];
}

/**
 * A consumer of one partition, without the group protocol, based on the worker's Kafka client. It starts at the offset
 * that is committed for `group.id`, or at `auto.offset.reset`. Errors are the SDK's: after a RetriableError the same
 * call may succeed. Close it in `stop`; the worker closes consumers that are left open.
 */
export interface TaskConsumer {
  /** The next records, at most `max.poll.records`. Waits up to `timeoutMs` for the first. */
  poll(timeoutMs: number): Promise<readonly ConsumedRecord[]>;
  /** Continues at this offset. */
  seek(offset: number): Promise<void>;
  /** Stores the offset of the next record to read under `group.id`. */
  commit(offset: number): Promise<void>;
  /** Rejects calls in progress. */
  close(): Promise<void>;
}
