/** The only error class of the Kafka port, and its codes. Source: kafka-client §2. */
import type { ProtocolErrorCode } from './error-codes';

/** Errors that the client detects itself. */
export type ClientErrorCode =
  | 'ABORTED'
  | 'CODEC_UNAVAILABLE'
  | 'COMPRESSION_FAILED'
  | 'CONNECTION_FAILED'
  | 'CONSUMER_CLOSED'
  | 'CORRUPT_BATCH'
  | 'DECOMPRESSED_BATCH_TOO_LARGE'
  | 'DELIVERY_TIMEOUT'
  | 'GROUP_TYPE'
  | 'ILLEGAL_STATE'
  | 'INVALID_CLIENT_CONFIG'
  | 'LOG_TRUNCATED'
  | 'TOPIC_CREATED_AGAIN'
  | 'MAX_POLL_INTERVAL_EXCEEDED'
  | 'NO_OFFSET_FOR_PARTITION'
  | 'PRODUCER_CLOSED'
  | 'RECORD_TOO_LARGE_CLIENT'
  | 'REQUEST_TIMED_OUT_CLIENT'
  | 'SCRAM_ITERATIONS'
  | 'SESSION_EXPIRED'
  | 'SESSION_IN_DOUBT'
  | 'SESSION_LOST'
  | 'SSL_HANDSHAKE_FAILED'
  | 'UNKNOWN_CLIENT_ERROR'
  | 'UNSUPPORTED_VERSION_CLIENT';

export type KafkaErrorCode = ProtocolErrorCode | ClientErrorCode;

export interface KafkaErrorOptions {
  retriable?: boolean;
  /** The transaction must be aborted; the producer remains usable. */
  abortable?: boolean;
  /** Another client with the same id took over. Fatal. */
  fenced?: boolean;
  /** The record failed, but the broker may have appended it. */
  inDoubt?: boolean;
  cause?: unknown;
  topic?: string;
  partition?: number;
}

export class KafkaError extends Error {
  readonly code: KafkaErrorCode;
  readonly retriable: boolean;
  readonly abortable: boolean;
  readonly fenced: boolean;
  readonly inDoubt: boolean;
  readonly topic: string | null;
  readonly partition: number | null;

  constructor(code: KafkaErrorCode, message: string, options: KafkaErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KafkaError';
    this.code = code;
    this.retriable = options.retriable ?? false;
    this.abortable = options.abortable ?? false;
    this.fenced = options.fenced ?? false;
    this.inDoubt = options.inDoubt ?? false;
    this.topic = options.topic ?? null;
    this.partition = options.partition ?? null;
  }

  /** The same error for a record that the broker may have appended. */
  asInDoubt(): KafkaError {
    const { retriable, abortable, fenced, cause } = this;
    const location = { topic: this.topic ?? undefined, partition: this.partition ?? undefined };
    return new KafkaError(this.code, this.message, { retriable, abortable, fenced, inDoubt: true, cause, ...location });
  }
}
