/**
 * Administration of topics and the cluster. Operations are retried for `default.api.timeout.ms` while their errors are
 * retriable.
 */
import { KafkaError } from '../errors';
import { GroupAdmin } from './group-admin';
import { byLeader, lookUpOffsets } from '../protocol/offset-lookup';
import type {
  Admin,
  ClusterDescription,
  GroupDescription,
  IsolationLevel,
  NewTopic,
  TopicDescription,
  TopicPartition,
  TopicPartitionOffset,
} from '../port';
import { call } from '../protocol/api';
import {
  alterTopicConfigRequest,
  DESCRIBE_CONFIGS,
  describeTopicConfigsRequest,
  INCREMENTAL_ALTER_CONFIGS,
} from '../protocol/configs';
import { FINALIZED_FEATURES, finalizedFeaturesRequest } from '../protocol/finalized-features';
import { errorName, protocolError } from '../protocol/protocol-error';
import { INIT_PRODUCER_ID, initProducerIdRequest } from '../protocol/init-producer-id';
import { EARLIEST, LATEST } from '../protocol/list-offsets';
import { METADATA, metadataRequest } from '../protocol/metadata';
import {
  CREATE_PARTITIONS,
  CREATE_TOPICS,
  createPartitionsRequest,
  createTopicsRequest,
  DELETE_RECORDS,
  DELETE_TOPICS,
  deleteRecordsRequest,
  deleteTopicsRequest,
  type TopicError,
} from '../protocol/topics';
import { retrying, type RetryPolicy } from '../retry';
import type { Wire } from '../wire';

const FENCING_TRANSACTION_TIMEOUT_MS = 60_000;

class KafkaAdmin implements Admin {
  private readonly groups: GroupAdmin;
  private readonly closing = new AbortController();

  constructor(
    private readonly wire: Wire,
    private readonly policy: RetryPolicy,
  ) {
    this.groups = new GroupAdmin(wire, (attempt) => this.retry(attempt));
  }

  private retry<T>(attempt: () => Promise<T>): Promise<T> {
    return retrying(
      this.policy,
      async () => {
        await this.wire.connect();
        return attempt();
      },
      this.closing.signal,
    );
  }

  // ------------------------------------------------------------ topics

  createTopics(
    topics: readonly NewTopic[],
    options: { timeoutMs?: number; validateOnly?: boolean } = {},
  ): Promise<string[]> {
    const created: string[] = [];
    let left = topics;
    return this.retry(async () => {
      if (left.length === 0) return created;
      const timeoutMs = options.timeoutMs ?? this.policy.timeoutMs;
      const responses = await call(this.wire, await this.wire.controller(), CREATE_TOPICS, (version) => {
        const needsDefaults = left.some((topic) => topic.partitions < 0 || topic.replicationFactor < 0);
        if (version < 4 && needsDefaults) {
          const text = 'The broker does not support default partitions or replication factor (-1): set both to numbers';
          throw new KafkaError('UNSUPPORTED_VERSION_CLIENT', text);
        }
        return createTopicsRequest(version, left, timeoutMs, options.validateOnly === true);
      });
      let failed: TopicError | null = null;
      for (const response of responses) {
        if (response.errorCode === 0) created.push(response.name);
        else if (errorName(response.errorCode) !== 'TOPIC_ALREADY_EXISTS') failed ??= response;
      }
      const settled = new Set(responses.filter(({ errorCode }) => isSettled(errorCode)).map(({ name }) => name));
      left = left.filter((topic) => !settled.has(topic.name));
      if (failed !== null) throw topicError(failed, 'create');
      return created;
    });
  }

  deleteTopics(topics: readonly string[]): Promise<void> {
    return this.retry(async () => {
      const { timeoutMs } = this.policy;
      const responses = await call(this.wire, await this.wire.controller(), DELETE_TOPICS, (version) =>
        deleteTopicsRequest(version, topics, timeoutMs),
      );
      const unknown = responses.find((response) => errorName(response.errorCode) === 'UNKNOWN_TOPIC_OR_PARTITION');
      // The topic does not exist, and retries do not change that.
      if (unknown !== undefined) {
        const text = `Kafka could not delete topic '${unknown.name}': it does not exist (UNKNOWN_TOPIC_OR_PARTITION)`;
        throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', text, { topic: unknown.name });
      }
      throwFirst(responses, 'delete');
    });
  }

  listTopics(): Promise<string[]> {
    return this.retry(() => this.wire.allTopics());
  }

  describeTopics(topics: readonly string[]): Promise<TopicDescription[]> {
    if (topics.length === 0) return Promise.resolve([]);
    return this.retry(async () => {
      const response = await call(this.wire, await this.wire.anyNode(), METADATA, (version) =>
        metadataRequest(version, topics, false),
      );
      const failed = response.topics.find(
        ({ errorCode }) => errorCode !== 0 && errorName(errorCode) !== 'UNKNOWN_TOPIC_OR_PARTITION',
      );
      if (failed !== undefined) throw topicError({ ...failed, errorMessage: null }, 'describe');
      return response.topics
        .filter(({ errorCode }) => errorCode === 0)
        .map(({ name, partitions }) => ({
          name,
          partitions: partitions
            .map(({ partition, leader, replicas }) => ({ partition, leader, replicas }))
            .sort((a, b) => a.partition - b.partition),
        }));
    });
  }

  createPartitions(topic: string, totalCount: number): Promise<void> {
    return this.retry(async () => {
      const { timeoutMs } = this.policy;
      const responses = await call(this.wire, await this.wire.controller(), CREATE_PARTITIONS, (version) =>
        createPartitionsRequest(version, topic, totalCount, timeoutMs),
      );
      throwFirst(responses, 'add partitions to');
    });
  }

  topicConfig(topic: string): Promise<Record<string, string | null>> {
    return this.retry(async () => {
      const [response] = await call(this.wire, await this.wire.anyNode(), DESCRIBE_CONFIGS, (version) =>
        describeTopicConfigsRequest(version, topic),
      );
      if (response === undefined) return {};
      if (response.errorCode !== 0) throw topicError({ ...response, name: topic }, 'read the configs of');
      return { ...response.configs };
    });
  }

  alterTopicConfig(
    topic: string,
    set: Readonly<Record<string, string>>,
    remove: readonly string[] = [],
  ): Promise<void> {
    return this.retry(async () => {
      const responses = await call(this.wire, await this.wire.controller(), INCREMENTAL_ALTER_CONFIGS, (version) =>
        alterTopicConfigRequest(version, topic, set, remove),
      );
      throwFirst(
        responses.map((response) => ({ ...response, name: topic })),
        'change the configs of',
      );
    });
  }

  // ------------------------------------------------------------ offsets and records

  listOffsets(
    partitions: readonly TopicPartition[],
    at: 'earliest' | 'latest' | { timestamp: number },
    isolation: IsolationLevel = 'read_uncommitted',
  ): Promise<TopicPartitionOffset[]> {
    const timestamp = at === 'earliest' ? EARLIEST : at === 'latest' ? LATEST : at.timestamp;
    return this.retry(() => lookUpOffsets(this.wire, partitions, timestamp, isolation));
  }

  deleteRecords(before: readonly TopicPartitionOffset[]): Promise<void> {
    return this.retry(async () => {
      for (const [node, group] of await byLeader(this.wire, before)) {
        const { timeoutMs } = this.policy;
        const responses = await call(this.wire, node, DELETE_RECORDS, (version) =>
          deleteRecordsRequest(version, group, timeoutMs),
        );
        const failed = responses.find((response) => response.errorCode !== 0);
        if (failed === undefined) continue;
        const error = protocolError(failed.errorCode, `delete records of ${failed.topic}-${failed.partition}`, failed);
        if (error.retriable) await this.wire.refresh([failed.topic]);
        throw error;
      }
    });
  }

  describeCluster(): Promise<ClusterDescription> {
    return this.retry(async () => {
      const response = await call(this.wire, await this.wire.anyNode(), METADATA, (version) =>
        metadataRequest(version, [], false),
      );
      return {
        clusterId: response.clusterId,
        controllerId: response.controllerId < 0 ? null : response.controllerId,
        brokers: response.brokers,
      };
    });
  }

  features(): Promise<ReadonlyMap<string, number>> {
    return this.retry(async () => {
      const node = await this.wire.anyNode();
      const { key, versions } = FINALIZED_FEATURES;
      if ((await this.wire.version(node, key, ...versions)) === undefined) return new Map();
      return await call(this.wire, node, FINALIZED_FEATURES, finalizedFeaturesRequest);
    });
  }

  // ------------------------------------------------------------ groups and transactions

  listGroups(): Promise<{ groupId: string; protocolType: string }[]> {
    return this.groups.list();
  }

  describeGroup(groupId: string): Promise<GroupDescription> {
    return this.groups.describe(groupId);
  }

  listGroupOffsets(groupId: string): Promise<TopicPartitionOffset[]> {
    return this.groups.offsets(groupId);
  }

  alterGroupOffsets(groupId: string, offsets: readonly TopicPartitionOffset[]): Promise<void> {
    return this.groups.alterOffsets(groupId, offsets);
  }

  deleteGroupOffsets(groupId: string, partitions: readonly TopicPartition[]): Promise<void> {
    return this.groups.deleteOffsets(groupId, partitions);
  }

  deleteGroup(groupId: string): Promise<void> {
    return this.groups.delete(groupId);
  }

  async fenceProducers(transactionalIds: readonly string[]): Promise<void> {
    await Promise.all(transactionalIds.map((id) => this.fence(id)));
  }

  private fence(transactionalId: string): Promise<void> {
    return this.retry(async () => {
      const node = await this.wire.coordinator('transaction', transactionalId);
      try {
        const response = await call(this.wire, node, INIT_PRODUCER_ID, (version) =>
          initProducerIdRequest(version, transactionalId, FENCING_TRANSACTION_TIMEOUT_MS),
        );
        if (response.errorCode !== 0) {
          throw protocolError(response.errorCode, `fence producers with transactional.id '${transactionalId}'`);
        }
      } catch (error) {
        this.wire.forgetCoordinator('transaction', transactionalId);
        throw error;
      }
    });
  }

  close(): Promise<void> {
    this.closing.abort();
    return this.wire.close();
  }
}

export function createAdmin(wire: Wire, policy: RetryPolicy): Admin {
  return new KafkaAdmin(wire, policy);
}

/** Retrying does not help for this topic. */
function isSettled(errorCode: number): boolean {
  return errorCode === 0 || errorName(errorCode) === 'TOPIC_ALREADY_EXISTS';
}

function topicError(response: TopicError, verb: string): KafkaError {
  const doing = `${verb} topic '${response.name}'`;
  return protocolError(response.errorCode, doing, { detail: response.errorMessage, topic: response.name });
}

function throwFirst(responses: readonly TopicError[], verb: string): void {
  const failed = responses.find((response) => response.errorCode !== 0);
  if (failed !== undefined) throw topicError(failed, verb);
}
