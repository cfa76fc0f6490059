import type { Schema } from './schema';

/**
 * A Connect value in plain JavaScript: STRUCT → object, ARRAY → array, MAP → `Map`, STRING → string,
 * BOOLEAN → boolean, INT8…INT32 and FLOAT → number, INT64 → number or bigint (bigint outside ±2^53),
 * BYTES → Buffer, Decimal → `{ unscaled, scale }`, Date/Time/Timestamp → `Date`, absent → null.
 */
export type ConnectValue = unknown;

/** Values allowed in source partitions and offsets. */
export type OffsetValue = null | boolean | number | bigint | string | Uint8Array;
/** Identifies where a source reads, e.g. `{ server: 'fulfillment' }`. Member order is part of its identity. */
export type SourcePartition = Readonly<Record<string, OffsetValue>>;
/** How far a source has read in a partition. */
export type SourceOffset = Readonly<Record<string, OffsetValue>>;

export interface Header {
  readonly key: string;
  readonly schema: Schema | null;
  readonly value: ConnectValue;
}

/**
 * One record from a source task. Share `sourcePartition`, schemas and, where possible, `headers` between records:
 * the runtime compares partitions by object identity first, and converts a frozen list of frozen headers once.
 */
export interface SourceRecord {
  readonly sourcePartition: SourcePartition | null;
  readonly sourceOffset: SourceOffset | null;
  readonly topic: string;
  /** Kafka partition; null leaves the choice to the partitioner (murmur2 of the key bytes). */
  readonly partition?: number | null;
  readonly keySchema: Schema | null;
  readonly key: ConnectValue;
  readonly valueSchema: Schema | null;
  readonly value: ConnectValue;
  /** Milliseconds since the epoch; null or absent lets the producer stamp it. */
  readonly timestamp?: number | null;
  readonly headers?: readonly Header[] | null;
}

/**
 * One record for a sink task. `topic` and `partition` are what transformations made of those it was consumed from, and
 * say where it should go; `originalTopic`, `originalPartition` and `originalOffset` say where it was consumed, whatever
 * was transformed: offsets of `preCommit`, `open`, `close`, `seek`, `pause` and `resume` are about these.
 */
export interface SinkRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly originalTopic: string;
  readonly originalPartition: number;
  readonly originalOffset: number;
  readonly keySchema: Schema | null;
  readonly key: ConnectValue;
  readonly valueSchema: Schema | null;
  readonly value: ConnectValue;
  readonly timestamp: number | null;
  readonly timestampType: 'CreateTime' | 'LogAppendTime' | 'NoTimestampType';
  readonly headers: readonly Header[];
}

/** Where Kafka put a record. */
export interface RecordMetadata {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface TopicPartitionOffset extends TopicPartition {
  readonly offset: number;
}
