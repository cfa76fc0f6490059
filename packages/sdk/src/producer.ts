/** Producers for records that a task writes in addition to its actual work, such as dead letters of its own. */

export interface KafkaHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** A serialized record. The plugin chooses the topic. */
export interface KafkaRecord {
  readonly topic: string;
  /** Null or undefined: chosen by the partitioner from the key's bytes. */
  readonly partition?: number | null;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers?: readonly KafkaHeader[];
  /** Milliseconds since the epoch; null or undefined: the current time. */
  readonly timestamp?: number | null;
}

/**
 * Kafka client settings by Java's names, e.g. `bootstrap.servers`, `security.protocol`, `sasl.jaas.config`,
 * `acks`.
 */
export type KafkaClientConfig = Readonly<Record<string, string>>;

/**
 * A producer based on the worker's Kafka client. Calls may overlap. Errors are the SDK's: after a RetriableError the
 * same call may succeed, without a new producer. Close it in `stop`; the worker closes producers that are left open.
 */
export interface TaskProducer {
  /**
   * Resolves once the client is connected and authenticated. Optional, since `send` connects by itself: use it to
   * detect a wrong address or password early.
   */
  connect(): Promise<void>;
  /**
   * Resolves once all records are acknowledged. Reads from `records` only while the buffer has space (`buffer.memory`),
   * and splits them into batches by size. Rejects with the first error; any of the records may have been written.
   */
  send(records: Iterable<KafkaRecord> | AsyncIterable<KafkaRecord>): Promise<void>;
  /** Rejects calls of `send` that are in progress. */
  close(): Promise<void>;
}
