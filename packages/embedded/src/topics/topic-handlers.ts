/** CreateTopics, DeleteTopics, CreatePartitions. */
import { handles, type Handler } from '../requests/handler';
import {
  CREATE_PARTITIONS,
  CREATE_TOPICS,
  DELETE_TOPICS,
  type ElementOf,
  type RequestOf,
} from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import { isDiskFailure } from '../requests/storage-errors';
import { configProblem, TOPIC_CONFIGS } from './config-definitions';
import { ConfigSource } from './config-handlers';
import type { TopicRegistry } from './registry';
import { nameProblem, type Topic } from './topic';

export interface TopicHandlerDeps {
  readonly topics: TopicRegistry;
  readonly nodeId: number;
  readonly defaultPartitions: number;
  /** Limit over all topics, because each partition uses files and memory. */
  readonly maxPartitions: number;
  /** Awaited before the response. */
  readonly deleteCommittedOffsets: (topic: string) => Promise<void>;
}

type NewTopic = ElementOf<RequestOf<typeof CREATE_TOPICS>['topics']>;

interface Rejection {
  readonly errorCode: number;
  readonly errorMessage: string;
}

function rejection(error: keyof typeof ErrorCode, errorMessage: string): Rejection {
  return { errorCode: ErrorCode[error], errorMessage };
}

export function topicHandlers(deps: TopicHandlerDeps): ReadonlyMap<number, Handler> {
  const { topics } = deps;
  const partitionsInUse = (): number => topics.all().reduce((sum, topic) => sum + topic.partitions.length, 0);

  const tooMany = (more: number): Rejection | null =>
    partitionsInUse() + more > deps.maxPartitions
      ? rejection('POLICY_VIOLATION', `The embedded broker supports at most ${deps.maxPartitions} partitions.`)
      : null;

  const validate = (topic: NewTopic, partitions: number): Rejection | null => {
    const badName = nameProblem(topic.name);
    if (badName) return rejection('INVALID_TOPIC_EXCEPTION', badName);
    if (topics.get(topic.name)) return rejection('TOPIC_ALREADY_EXISTS', `Topic '${topic.name}' already exists.`);
    const assigned = topic.assignments.length > 0;
    if (assigned && (topic.numPartitions !== -1 || topic.replicationFactor !== -1)) {
      return rejection('INVALID_REQUEST', 'Both numPartitions or replicationFactor and replicasAssignments were set.');
    }
    if (assigned && !topic.assignments.every((a) => a.brokerIds.length === 1 && a.brokerIds[0] === deps.nodeId)) {
      return rejection(
        'INVALID_REPLICA_ASSIGNMENT',
        `Broker ${deps.nodeId} is the only broker, so each partition must be assigned to it.`,
      );
    }
    if (assigned && new Set(topic.assignments.map((a) => a.partitionIndex)).size !== partitions) {
      return rejection('INVALID_REPLICA_ASSIGNMENT', 'A partition has more than one assignment.');
    }
    if (partitions < 1) return rejection('INVALID_PARTITIONS', 'Number of partitions must be larger than 0.');
    if (topic.replicationFactor !== -1 && topic.replicationFactor !== 1) {
      const n = topic.replicationFactor;
      const why =
        n < 1
          ? 'Replication factor must be larger than 0.'
          : `Unable to replicate the partition ${n} time(s): The target replication factor of ${n} cannot be reached because only 1 broker(s) are registered.`;
      return rejection('INVALID_REPLICATION_FACTOR', why);
    }
    for (const { name, value } of topic.configs) {
      const problem = configProblem(name, value);
      if (problem) return rejection('INVALID_CONFIG', problem);
    }
    return tooMany(partitions);
  };

  /** A disk failure rejects this topic only, not those already created by the request. */
  const create = (...topic: Parameters<TopicRegistry['create']>): Topic | NodeJS.ErrnoException => {
    try {
      return topics.create(...topic);
    } catch (error) {
      if (isDiskFailure(error)) return error;
      throw error;
    }
  };

  return new Map([
    handles(CREATE_TOPICS, ({ topics: wanted, validateOnly }) => ({
      topics: wanted.map((topic) => {
        const { name } = topic;
        const partitions =
          topic.assignments.length > 0
            ? topic.assignments.length
            : topic.numPartitions === -1
              ? deps.defaultPartitions
              : topic.numPartitions;
        const rejected =
          wanted.filter((other) => other.name === name).length > 1
            ? rejection('INVALID_REQUEST', 'The request contains the topic more than once.')
            : validate(topic, partitions);
        // Not null: the protocol allows it, but Apache Kafka never sends it and @kafkats/client cannot read it.
        if (rejected) return { name, ...rejected, configs: [] };
        const configs = new Map(topic.configs.map((config) => [config.name, config.value as string]));
        const created = validateOnly ? null : create(name, partitions, configs);
        if (created instanceof Error) {
          return { name, ...rejection('KAFKA_STORAGE_ERROR', created.message), configs: [] };
        }
        return {
          name,
          topicId: created?.id ?? '',
          errorCode: ErrorCode.NONE,
          numPartitions: partitions,
          replicationFactor: 1,
          configs: TOPIC_CONFIGS.map((definition) => ({
            name: definition.name,
            value: configs.get(definition.name) ?? definition.default,
            readOnly: false,
            configSource: configs.has(definition.name) ? ConfigSource.TOPIC : ConfigSource.DEFAULT,
            isSensitive: false,
          })),
        };
      }),
    })),

    handles(DELETE_TOPICS, async ({ topics: named, topicNames }) => ({
      responses: await Promise.all(
        [...named, ...topicNames.map((name) => ({ name, topicId: '' }))].map(async ({ name, topicId }) => {
          const topic = name === null ? topics.byId(topicId) : topics.get(name);
          if (!topic) {
            const error = name === null ? 'UNKNOWN_TOPIC_ID' : 'UNKNOWN_TOPIC_OR_PARTITION';
            return { name, topicId, errorCode: ErrorCode[error] };
          }
          // First the offsets: if they remained, groups would skip records of the next topic with this name.
          await deps.deleteCommittedOffsets(topic.name);
          if (topics.get(topic.name) === topic) topics.delete(topic);
          // Those committed meanwhile.
          await deps.deleteCommittedOffsets(topic.name);
          return { name: topic.name, topicId: topic.id, errorCode: ErrorCode.NONE };
        }),
      ),
    })),

    handles(CREATE_PARTITIONS, ({ topics: wanted, validateOnly }) => ({
      results: wanted.map(({ name, count, assignments }) => {
        const topic = topics.get(name);
        if (!topic) return { name, ...rejection('UNKNOWN_TOPIC_OR_PARTITION', `The topic '${name}' does not exist.`) };
        const now = topic.partitions.length;
        if (count <= now) {
          const why = `The topic ${name} currently has ${now} partition(s); ${count} would not be an increase.`;
          return { name, ...rejection('INVALID_PARTITIONS', why) };
        }
        if (assignments && assignments.length !== count - now) {
          const why = `${count - now} new partitions require ${count - now} assignments, not ${assignments.length}.`;
          return { name, ...rejection('INVALID_REPLICA_ASSIGNMENT', why) };
        }
        const refusal = tooMany(count - now);
        if (refusal) return { name, ...refusal };
        if (!validateOnly) topics.addPartitions(topic, count);
        return { name, errorCode: ErrorCode.NONE };
      }),
    })),
  ]);
}
