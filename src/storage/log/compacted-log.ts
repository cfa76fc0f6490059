/**
 * A compacted topic as a replicated table: everything in it is read from its beginning and then followed; whatever is
 * written is seen again by every worker, this one included. Source: connect-runtime §1.1.
 */
export interface LogRecord {
  readonly partition: number;
  readonly offset: number;
  /** Milliseconds. */
  readonly timestamp: number;
  /** Views on a larger buffer: copy what is kept. */
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** Called in offset order within a partition, never concurrently. Must not throw. */
export type LogListener = (record: LogRecord) => void;

export type KeyValue = readonly [key: Uint8Array, value: Uint8Array | null];

export interface CompactedLog {
  /** Number of partitions, known once started. */
  readonly partitions: number;
  /** Resolves when everything that was in the topic has been given to the listener. */
  start(listener: LogListener): Promise<void>;
  /**
   * Resolves when all are acknowledged; rejects with the first error, `inDoubt` where Kafka may have some of them.
   * Order is kept per key. `epoch`: the epoch to check this log's permission with. (Default: its current epoch)
   */
  write(records: readonly KeyValue[], epoch?: number): Promise<void>;
  /** Resolves when everything written by anyone before the call has been given to the listener. */
  readToEnd(): Promise<void>;
  /** Resolves when everything written by this worker has been acknowledged or has failed. */
  flush(): Promise<void>;
  /** Flushes and closes; pending reads are rejected. */
  stop(): Promise<void>;
}
