/** One Fetch request for partitions of one leader. */
import type { FetchSettings } from './consumer-settings';
import { KafkaError } from '../errors';
import type { FetchedPartition } from './fetched-partition';
import { protocolError } from '../protocol/protocol-error';
import { FETCH, fetchRequest, LAST_WITH_NAMES, type FetchResponse } from '../protocol/fetch';
import type { Wire } from '../wire';

/** Errors that are resolved by a metadata refresh or a retry. */
export const STALE_LEADER = new Set([
  'NOT_LEADER_OR_FOLLOWER',
  'LEADER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'KAFKA_STORAGE_ERROR',
  'OFFSET_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'UNKNOWN_TOPIC_ID',
  'INCONSISTENT_TOPIC_ID',
]);

/** What was requested, to recognize responses that are no longer wanted. */
export interface RequestedPartition {
  readonly state: FetchedPartition;
  readonly seeks: number;
  readonly offset: number;
  /** Leader epoch of the request; the broker rejects it when its own differs. */
  readonly leaderEpoch: number;
  /** The broker rejects it after the topic was created again. Undefined for brokers before Apache Kafka 2.8. */
  readonly topicId: string | undefined;
}

export async function sendFetch(
  wire: Wire,
  node: number,
  lane: string,
  requested: readonly RequestedPartition[],
  settings: FetchSettings,
  maxBytes: number,
  maxWaitMs: number,
): Promise<FetchResponse> {
  const { minBytes, isolation, maxPartitionBytes, requestTimeoutMs } = settings;
  const [lowest, highest] = FETCH.versions;
  const last = requested.every(({ topicId }) => topicId !== undefined) ? highest : LAST_WITH_NAMES;
  const version = await wire.version(node, FETCH.key, lowest, last);
  if (version === undefined) {
    throw new KafkaError(
      'UNSUPPORTED_VERSION_CLIENT',
      `Broker ${node} has no Fetch between v${lowest} and v${highest}`,
    );
  }
  const queries = requested.map(({ state, offset, leaderEpoch, topicId }) => ({
    topic: state.topic,
    topicId,
    partition: state.partition,
    leaderEpoch,
    offset,
    maxBytes: maxPartitionBytes,
  }));
  const limits = { maxWaitMs, minBytes, maxBytes, isolation };
  const request = fetchRequest(version, queries, limits, maxWaitMs + requestTimeoutMs);
  const response = await wire.send(node, request, lane);
  if (response.errorCode !== 0) throw protocolError(response.errorCode, `fetch from broker ${node}`);
  return response;
}
