/** Writing to Kafka beside what a task is there for: dead letters of its own, notes to others. */

export interface KafkaHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** A record as bytes, for a topic that the plug-in names itself. */
export interface KafkaRecord {
  readonly topic: string;
  /** Null or absent: by the key's bytes. */
  readonly partition?: number | null;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers?: readonly KafkaHeader[];
  /** Milliseconds since the epoch; null or absent: now. */
  readonly timestamp?: number | null;
}

/**
 * Settings of a Kafka client by Java's names, e.g. `bootstrap.servers`, `security.protocol`, `sasl.jaas.config`,
 * `acks`.
 */
export type KafkaClientConfig = Readonly<Record<string, string>>;

/**
 * A producer of the worker's own client. Calls may overlap. Errors are the SDK's: after a RetriableError the same call
 * may succeed, without a new producer. Close it with the task; the worker closes what is left open.
 */
export interface TaskProducer {
  /**
   * Resolves when Kafka was reached and knows us: for those who want to hear of a wrong address or password at once.
   * `send` does it by itself.
   */
  connect(): Promise<void>;
  /**
   * Resolves when all are acknowledged. Takes them as it has room for them (`buffer.memory`) and cuts its batches by
   * bytes. Rejects with the first failure; any of them may be written then.
   */
  send(records: Iterable<KafkaRecord> | AsyncIterable<KafkaRecord>): Promise<void>;
  /** A `send` that is under way is rejected. */
  close(): Promise<void>;
}
