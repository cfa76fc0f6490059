import type { Schema } from './schema';

/**
 * A Connect value in plain JavaScript: STRUCT → object, ARRAY → array, MAP → `Map`, STRING → string,
 * BOOLEAN → boolean, INT8…INT32 and FLOAT → number, INT64 → number or bigint (bigint outside ±2^53),
 * BYTES → Buffer, Decimal → `{ unscaled, scale }`, Date/Time/Timestamp → `Date`, missing → null.
 *
 * A JavaScript `Date` ends in the year 275760, Java's in 292278994. Beyond it, Date, Time and Timestamp are the number
 * that their schema's type holds: days since the epoch for Date, milliseconds for the other two. Sources may pass that
 * number for any time, and a sink must expect it for times that a `Date` cannot represent.
 */
export type ConnectValue = unknown;

/** Values allowed in source partitions and offsets. */
export type OffsetValue = null | boolean | number | bigint | string | Uint8Array;
/**
 * Identifies what a source reads, e.g. `{ server: 'fulfillment' }`. Keep the order of members: it is part of its
 * identity.
 */
export type SourcePartition = Readonly<Record<string, OffsetValue>>;
/** How far a source has read a partition, e.g. `{ position: 42 }`. */
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
  /** Kafka partition; null or undefined: chosen by the partitioner (murmur2 of the key bytes). */
  readonly partition?: number | null;
  readonly keySchema: Schema | null;
  readonly key: ConnectValue;
  readonly valueSchema: Schema | null;
  readonly value: ConnectValue;
  /** Milliseconds since the epoch; null or undefined: set by the producer. */
  readonly timestamp?: number | null;
  readonly headers?: readonly Header[] | null;
}

/**
 * One record for a sink task. Transformations may change `topic` and `partition`, which say where the record should be
 * written. `originalTopic`, `originalPartition` and `originalOffset` say where it was consumed and never change:
 * `preCommit`, `open`, `close`, `seek`, `pause` and `resume` refer to these.
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
  /** Milliseconds since the epoch. */
  readonly timestamp: number | null;
  readonly timestampType: 'CreateTime' | 'LogAppendTime' | 'NoTimestampType';
  readonly headers: readonly Header[];
}

/** A record of which a sink needs only the text of its value. See `SinkTask.putTexts`. */
export interface TextRecord {
  readonly offset: number;
  /** Milliseconds since the epoch; negative: it has none. */
  readonly timestamp: number;
  /** Has the value's text from `valueStart` to `valueEnd`, in UTF-8 if the record is valid. Do not change it. */
  readonly bytes: Uint8Array;
  /** -1: the value is null. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** Records of one partition, in offset order. */
export interface TextBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly TextRecord[];
}

/** Where a record was written. */
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
