/**
 * The one error class of the Kafka port. `code` is the protocol's name (`NOT_LEADER_OR_FOLLOWER`, …) or one of the
 * client-side codes below. Source: kafka-client §2.
 */
export type ClientErrorCode =
  | 'CONNECTION_FAILED'
  | 'SSL_HANDSHAKE_FAILED'
  | 'REQUEST_TIMED_OUT_CLIENT'
  | 'DELIVERY_TIMEOUT'
  | 'RECORD_TOO_LARGE_CLIENT'
  | 'PRODUCER_CLOSED'
  | 'SESSION_LOST'
  | 'SESSION_IN_DOUBT'
  | 'CONSUMER_CLOSED'
  | 'CORRUPT_BATCH'
  | 'DECOMPRESSED_BATCH_TOO_LARGE'
  | 'LOG_TRUNCATED'
  | 'UNSUPPORTED_VERSION_CLIENT'
  | 'INVALID_CLIENT_CONFIG'
  | 'ABORTED';

export interface KafkaErrorOptions {
  retriable?: boolean;
  /** The transaction must be aborted, the producer lives on. */
  abortable?: boolean;
  /** Another client took this one's place: fatal. */
  fenced?: boolean;
  /** A record failed that the broker may have all the same. */
  inDoubt?: boolean;
  cause?: unknown;
  topic?: string;
  partition?: number;
}

export class KafkaError extends Error {
  readonly code: string;
  readonly retriable: boolean;
  readonly abortable: boolean;
  readonly fenced: boolean;
  readonly inDoubt: boolean;
  readonly topic: string | null;
  readonly partition: number | null;

  constructor(code: string, message: string, options: KafkaErrorOptions = {}) {
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

  /** The same, about a record that the broker may have. */
  doubted(): KafkaError {
    const { retriable, abortable, fenced, cause } = this;
    const place = { topic: this.topic ?? undefined, partition: this.partition ?? undefined };
    return new KafkaError(this.code, this.message, { retriable, abortable, fenced, inDoubt: true, cause, ...place });
  }
}
