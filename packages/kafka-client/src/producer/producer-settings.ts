/**
 * Producer settings with Java's names and defaults, except where noted. Source: kafka-client §2, connect-runtime
 * §4.1.
 */
import { COMPRESSION_TYPES, compressionId } from '@millrace/record-codecs';
import { bool, duration, integer, invalid, oneOf, text } from '../client-settings';
import type { ClientConfig, ProducerOptions } from '../port';

/**
 * Maximum size of a batch that grows while others are in flight, when `batch.size` is not set. With the default of 16
 * KiB as the limit, a partition would get 16 KiB per request. So the default is only the size at which a batch is sent
 * without lingering, and records that arrive during the round trip form one batch.
 * Brokers accept 1 MiB by default (`max.message.bytes`); Event Hubs closes the connection above 1 046 528 bytes per
 * request.
 */
const GROWN_BATCH_BYTES = 900 * 1024;
/** Maximum size of a request, for the same two limits, when `max.request.size` is not set. */
const REQUEST_BYTES = 1_040_000;
/**
 * Brokers recognize the last five batches of a producer in a partition as duplicates, so no more may be without an
 * outcome. Source: kafka-client §1.
 */
const MAX_IN_FLIGHT_BATCHES = 5;
const INT32_MAX = 2_147_483_647;

/** Durations in milliseconds; Infinity where Java's largest value means "unlimited". */
export interface ProducerSettings {
  readonly acks: -1 | 0 | 1;
  readonly lingerMs: number;
  /** The user has chosen `lingerMs`. */
  readonly lingerIsSet: boolean;
  /** A batch of this many bytes is sent without lingering. */
  readonly batchBytes: number;
  /** No batch grows beyond this, except for a single record. */
  readonly maxBatchBytes: number;
  readonly bufferMemory: number;
  /** A record whose batch could be larger is rejected. */
  readonly maxRecordBytes: number;
  readonly maxRequestBytes: number;
  readonly maxInFlightRequests: number;
  /** Of a partition; more than one only where sequence numbers keep the order, and retries are possible. */
  readonly maxInFlightBatches: number;
  readonly deliveryTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxBlockMs: number;
  /** Brokers may create missing topics. Java has this setting only for consumers. */
  readonly allowAutoCreate: boolean;
  readonly retries: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
  readonly idempotent: boolean;
  /** False: idempotent only where the broker assigns a producer id. */
  readonly idempotenceRequired: boolean;
  readonly transactionalId: string | null;
  readonly transactionTimeoutMs: number;
  /** The codec's number in the batch attributes; 0: none. */
  readonly codec: number;
  readonly compressionLevel: number | undefined;
}

/** @throws KafkaError INVALID_CLIENT_CONFIG naming the key. */
export function readProducerSettings(config: ClientConfig, options: ProducerOptions = {}): ProducerSettings {
  const acks = readAcks(config);
  const transactionalId = text(config, 'transactional.id') ?? null;
  const compression = oneOf(config, 'compression.type', 'none', COMPRESSION_TYPES);
  const maxRequestSize = integer(config, 'max.request.size', 1_048_576, 0, INT32_MAX);
  const batchSize = integer(config, 'batch.size', 16_384, 0, INT32_MAX);
  const limit = text(config, 'max.request.size') === undefined ? REQUEST_BYTES : maxRequestSize;
  const idempotenceRequired = readIdempotence(config, acks, transactionalId);
  const isOptional = !idempotenceRequired && options.idempotentIfAllowed === true && acks === -1;
  const idempotent = idempotenceRequired || isOptional;
  const givenInFlight = integer(config, 'max.in.flight.requests.per.connection', MAX_IN_FLIGHT_BATCHES, 1);
  const maxInFlightRequests = isOptional ? MAX_IN_FLIGHT_BATCHES : givenInFlight;
  const retries = integer(config, 'retries', INT32_MAX, 0, INT32_MAX);
  return {
    acks,
    lingerMs: duration(config, 'linger.ms', 5),
    lingerIsSet: text(config, 'linger.ms') !== undefined,
    batchBytes: batchSize,
    maxBatchBytes: Math.min(limit, text(config, 'batch.size') === undefined ? GROWN_BATCH_BYTES : batchSize),
    bufferMemory: integer(config, 'buffer.memory', 33_554_432, 0),
    maxRecordBytes: maxRequestSize,
    maxRequestBytes: limit,
    maxInFlightRequests,
    maxInFlightBatches: idempotent && retries > 0 ? Math.min(maxInFlightRequests, MAX_IN_FLIGHT_BATCHES) : 1,
    deliveryTimeoutMs: duration(config, 'delivery.timeout.ms', 120_000),
    requestTimeoutMs: integer(config, 'request.timeout.ms', 30_000, 1, INT32_MAX),
    maxBlockMs: duration(config, 'max.block.ms', 60_000),
    allowAutoCreate: bool(config, 'allow.auto.create.topics', true),
    retries,
    retryBackoffMs: duration(config, 'retry.backoff.ms', 100),
    retryBackoffMaxMs: duration(config, 'retry.backoff.max.ms', 1_000),
    idempotent,
    idempotenceRequired,
    transactionalId,
    transactionTimeoutMs: integer(config, 'transaction.timeout.ms', 60_000, 1, INT32_MAX),
    codec: compressionId(compression),
    compressionLevel: readLevel(config, compression),
  };
}

function readAcks(config: ClientConfig): -1 | 0 | 1 {
  const value = oneOf(config, 'acks', 'all', ['all', '-1', '0', '1']);
  return value === 'all' ? -1 : (Number(value) as -1 | 0 | 1);
}

/** On by default. As in Java, off without an error when `acks` is lowered and idempotence is not set. */
function readIdempotence(config: ClientConfig, acks: number, transactionalId: string | null): boolean {
  const isExplicit = text(config, 'enable.idempotence') !== undefined || transactionalId !== null;
  const idempotent = bool(config, 'enable.idempotence', acks === -1 || transactionalId !== null);
  if (transactionalId !== null && !idempotent) {
    throw invalid('enable.idempotence', 'must be true when transactional.id is set');
  }
  if (idempotent && isExplicit && acks !== -1) throw invalid('acks', 'must be all for an idempotent producer');
  return idempotent;
}

function readLevel(config: ClientConfig, compression: string): number | undefined {
  const key = [`compression.${compression}.level`, 'compression.level'].find((k) => text(config, k) !== undefined);
  return key === undefined ? undefined : integer(config, key, 0, -131_072, 22);
}
