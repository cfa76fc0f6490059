/** Evaluates the result of one batch in a Produce response. Pure. Source: kafka-client §3. */
import type { KafkaError } from '../errors';
import type { TopicPartition } from '../port';
import type { ProducerBatch } from './producer-batch';
import { errorName, NO_ERROR, protocolError } from '../protocol/protocol-error';
import type { ProducedPartition } from '../protocol/produce';

type ProduceOutcome =
  | 'delivered'
  /** Too large and not appended: smaller batches may be accepted. */
  | 'split'
  /** The broker expected another sequence number, so it does not have the batch. */
  | 'sequence-lost'
  /** Retry after a metadata refresh. */
  | 'retry-refreshed'
  | 'retry'
  | 'failed';

const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
/** A wrong epoch fences a transactional producer; without transactions the sequence is lost. */
const SEQUENCE_LOST = new Set(['OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID', 'INVALID_PRODUCER_EPOCH']);
/** The leader has not moved. */
const SAME_LEADER = new Set([
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'REQUEST_TIMED_OUT',
  'NETWORK_EXCEPTION',
  'CORRUPT_MESSAGE',
  'THROTTLING_QUOTA_EXCEEDED',
  'CONCURRENT_TRANSACTIONS',
]);
/**
 * Errors that a broker returns before it appends. Others, such as a leader change or a disk failure, may occur while an
 * appended batch waits for its replicas.
 */
const NOT_APPENDED = new Set([
  ...TOO_LARGE,
  ...SEQUENCE_LOST,
  'CLUSTER_AUTHORIZATION_FAILED',
  'CONCURRENT_TRANSACTIONS',
  'CORRUPT_MESSAGE',
  'INVALID_PRODUCER_ID_MAPPING',
  'INVALID_RECORD',
  'INVALID_REQUIRED_ACKS',
  'INVALID_TIMESTAMP',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_TXN_STATE',
  'NOT_ENOUGH_REPLICAS',
  'POLICY_VIOLATION',
  'PRODUCER_FENCED',
  'THROTTLING_QUOTA_EXCEEDED',
  'TOPIC_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  'TRANSACTION_ABORTABLE',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'UNSUPPORTED_VERSION',
]);

/** Used for a response without the partition. */
const UNKNOWN_SERVER_ERROR = -1;

/** @param result undefined when the response does not include the partition. */
export function outcomeOf(
  result: ProducedPartition | undefined,
  batch: Pick<ProducerBatch, 'recordCount'>,
): ProduceOutcome {
  if (result === undefined) return 'failed';
  if (result.errorCode === NO_ERROR) return 'delivered';
  const code = errorName(result.errorCode);
  if (code === 'DUPLICATE_SEQUENCE_NUMBER') return 'delivered';
  if (TOO_LARGE.has(code)) return batch.recordCount > 1 ? 'split' : 'failed';
  if (SEQUENCE_LOST.has(code)) return 'sequence-lost';
  if (!protocolError(result.errorCode, '').retriable) return 'failed';
  return SAME_LEADER.has(code) ? 'retry' : 'retry-refreshed';
}

/** The results of a response, whose order is the broker's. Found in constant time, as it may have hundreds. */
export class ResultsByPartition {
  /** Of topics with several partitions, by partition. */
  private readonly topics = new Map<string, ProducedPartition | Map<number, ProducedPartition>>();

  constructor(results: readonly ProducedPartition[]) {
    for (const result of results) {
      const { topic, partition } = result;
      const known = this.topics.get(topic);
      if (known === undefined) this.topics.set(topic, result);
      else if (!(known instanceof Map))
        this.topics.set(
          topic,
          new Map([
            [partition, result],
            [known.partition, known],
          ]),
        );
      else if (!known.has(partition)) known.set(partition, result);
    }
  }

  /** The first result of the partition. */
  of({ topic, partition }: TopicPartition): ProducedPartition | undefined {
    const known = this.topics.get(topic);
    if (known instanceof Map) return known.get(partition);
    return known?.partition === partition ? known : undefined;
  }
}

/** Whether the broker may have appended the batch despite the error. */
export function mayBeAppended(result: ProducedPartition | undefined): boolean {
  return result === undefined || !NOT_APPENDED.has(errorName(result.errorCode));
}

export function describeBatch(at: TopicPartition, batch: Pick<ProducerBatch, 'recordCount'>): string {
  const records = batch.recordCount === 1 ? 'A record' : `A batch of ${batch.recordCount} records`;
  return `${records} for ${at.topic}-${at.partition}`;
}

export function failedBatch(
  at: TopicPartition,
  batch: Pick<ProducerBatch, 'recordCount'>,
  result: ProducedPartition | undefined,
): KafkaError {
  const records = batch.recordCount === 1 ? 'a record' : `a batch of ${batch.recordCount} records`;
  return protocolError(result?.errorCode ?? UNKNOWN_SERVER_ERROR, `store ${records} in ${at.topic}-${at.partition}`, {
    topic: at.topic,
    partition: at.partition,
    detail: result === undefined ? 'its response does not include the partition' : result.errorMessage,
  });
}
