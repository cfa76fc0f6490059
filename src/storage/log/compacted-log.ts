/**
 * A compacted topic as a replicated table: it is read from the beginning and then followed. Every worker, including the
 * writer, reads each record that is written. Source: connect-runtime §1.1.
 */
import type { RecordHeader } from '@millrace/kafka-client';

export interface LogRecord {
  readonly partition: number;
  readonly offset: number;
  /** Milliseconds. */
  readonly timestamp: number;
  /** Views of a larger buffer: copy before keeping. */
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/** Called in offset order within a partition, never concurrently. Must not throw. */
export type LogListener = (record: LogRecord) => void;

export type KeyValue = readonly [key: Uint8Array, value: Uint8Array | null];
export type LogEntry = readonly [...KeyValue, headers?: readonly RecordHeader[]];

export interface CompactedLog {
  /** Number of partitions, known once started. */
  readonly partitions: number;
  /** For people: why the log cannot be used; null: nothing is known to be wrong. (Default: null) */
  readonly problem?: string | null;
  /** Before a change: rejects if the topic was deleted. A producer would wait for it. (Default: not checked) */
  checkTopic?(): Promise<void>;
  /** Resolves when all existing records have been passed to the listener. */
  start(listener: LogListener): Promise<void>;
  /**
   * Resolves when all records are acknowledged. Rejects with the first error, `inDoubt` if Kafka may have stored
   * some of them. Keeps the order per key. `epoch`: checked against the log's permission. (Default: the current epoch)
   */
  write(records: readonly LogEntry[], epoch?: number): Promise<void>;
  /** Resolves when all records that any worker wrote before the call have been passed to the listener. */
  readToEnd(): Promise<void>;
  /**
   * The same for the acknowledged records of this worker, and all records before them in their partitions, without
   * asking Kafka how far the topic reaches.
   */
  readWritten(): Promise<void>;
  /** Resolves when all writes of this worker are acknowledged or have failed. */
  flush(): Promise<void>;
  /** Flushes and closes; pending reads are rejected. */
  stop(): Promise<void>;
}
