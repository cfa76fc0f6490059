/** CreateTopics, DeleteTopics, CreatePartitions, DeleteRecords. */
import type { NewTopic, TopicPartitionOffset } from '../port';
import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { groupByTopic } from './by-topic';

/** v4 accepts -1 for partitions and replication factor. */
export const CREATE_TOPICS: Api = { name: 'CreateTopics', key: 19, min: 2, max: 4, flexibleFrom: 5 };
export const DELETE_TOPICS: Api = { name: 'DeleteTopics', key: 20, min: 1, max: 3, flexibleFrom: 4 };
export const CREATE_PARTITIONS: Api = { name: 'CreatePartitions', key: 37, min: 0, max: 1, flexibleFrom: 2 };
export const DELETE_RECORDS: Api = { name: 'DeleteRecords', key: 21, min: 0, max: 1, flexibleFrom: 2 };

export interface TopicError {
  readonly name: string;
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

export function createTopicsRequest(
  version: number,
  topics: readonly NewTopic[],
  timeoutMs: number,
  validateOnly: boolean,
): WireRequest<TopicError[]> {
  return request(
    CREATE_TOPICS,
    version,
    (w) => {
      w.array(topics, (topic) => {
        w.string(topic.name).int32(topic.partitions).int16(topic.replicationFactor);
        w.array([], () => undefined);
        w.array(Object.entries(topic.configs ?? {}), ([name, value]) => w.string(name).nullableString(value));
      });
      w.int32(timeoutMs).boolean(validateOnly);
    },
    (r) => {
      r.int32();
      return r.array(() => ({ name: r.string(), errorCode: r.int16(), errorMessage: r.nullableString() }));
    },
  );
}

export function deleteTopicsRequest(
  version: number,
  topics: readonly string[],
  timeoutMs: number,
): WireRequest<TopicError[]> {
  return request(
    DELETE_TOPICS,
    version,
    (w) => w.array(topics, (topic) => w.string(topic)).int32(timeoutMs),
    (r) => {
      r.int32();
      return r.array(() => ({ name: r.string(), errorCode: r.int16(), errorMessage: null }));
    },
  );
}

export function createPartitionsRequest(
  version: number,
  topic: string,
  totalCount: number,
  timeoutMs: number,
): WireRequest<TopicError[]> {
  return request(
    CREATE_PARTITIONS,
    version,
    (w) => {
      w.array([topic], (name) => {
        w.string(name)
          .int32(totalCount)
          .nullableArray(null, () => undefined);
      });
      w.int32(timeoutMs).boolean(false);
    },
    (r) => {
      r.int32();
      return r.array(() => ({ name: r.string(), errorCode: r.int16(), errorMessage: r.nullableString() }));
    },
  );
}

export function deleteRecordsRequest(
  version: number,
  before: readonly TopicPartitionOffset[],
  timeoutMs: number,
): WireRequest<{ topic: string; partition: number; errorCode: number }[]> {
  return request(
    DELETE_RECORDS,
    version,
    (w) => {
      w.array(groupByTopic(before), ([topic, partitions]) => {
        w.string(topic).array(partitions, ({ partition, offset }) => w.int32(partition).int64(offset));
      }).int32(timeoutMs);
    },
    (r) => {
      r.int32();
      const topics = r.array(() => {
        const topic = r.string();
        return r.array(() => {
          const partition = r.int32();
          r.int64();
          return { topic, partition, errorCode: r.int16() };
        });
      });
      return topics.flat();
    },
  );
}
