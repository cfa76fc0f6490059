/** CreateTopics, DeleteTopics, CreatePartitions, DeleteRecords. */
import * as kafka from '@millrace/kafka-protocol';
import type { NewTopic, TopicPartitionOffset } from '../port';
import type { WireRequest } from '../wire';
import { request } from './api';
import { partitionErrorsOf, topicsOf, type PartitionError } from './by-topic';

/** v4 accepts -1 for partitions and replication factor. */
export const CREATE_TOPICS = kafka.withVersions(kafka.CREATE_TOPICS, 2, 4);
export const DELETE_TOPICS = kafka.withVersions(kafka.DELETE_TOPICS, 1, 3);
export const CREATE_PARTITIONS = kafka.withVersions(kafka.CREATE_PARTITIONS, 0, 1);
export const DELETE_RECORDS = kafka.withVersions(kafka.DELETE_RECORDS, 0, 1);

export interface TopicError {
  readonly name: string;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

const topicErrors = (
  topics: readonly { readonly name: string | null; readonly errorCode: number; readonly errorMessage: string | null }[],
): TopicError[] => topics.map(({ name, errorCode, errorMessage }) => ({ name: name ?? '', errorCode, errorMessage }));

export function createTopicsRequest(
  version: number,
  topics: readonly NewTopic[],
  timeoutMs: number,
  validateOnly: boolean,
): WireRequest<TopicError[]> {
  const created = topics.map(({ name, partitions, replicationFactor, configs = {} }) => ({
    ...{ name, numPartitions: partitions, replicationFactor },
    configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
  }));
  return request(CREATE_TOPICS, version, { topics: created, timeoutMs, validateOnly }, ({ topics }) =>
    topicErrors(topics),
  );
}

export function deleteTopicsRequest(
  version: number,
  topicNames: readonly string[],
  timeoutMs: number,
): WireRequest<TopicError[]> {
  return request(DELETE_TOPICS, version, { topicNames, timeoutMs }, ({ responses }) => topicErrors(responses));
}

export function createPartitionsRequest(
  version: number,
  topic: string,
  totalCount: number,
  timeoutMs: number,
): WireRequest<TopicError[]> {
  const topics = [{ name: topic, count: totalCount }];
  return request(CREATE_PARTITIONS, version, { topics, timeoutMs }, ({ results }) => topicErrors(results));
}

export function deleteRecordsRequest(
  version: number,
  before: readonly TopicPartitionOffset[],
  timeoutMs: number,
): WireRequest<PartitionError[]> {
  const topics = topicsOf(before, ({ partition, offset }) => ({ partitionIndex: partition, offset }));
  return request(DELETE_RECORDS, version, { topics, timeoutMs }, ({ topics }) => partitionErrorsOf(topics));
}
