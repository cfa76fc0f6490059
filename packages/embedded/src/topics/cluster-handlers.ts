/** Metadata, DescribeCluster, FindCoordinator: this broker is every leader, the controller and every coordinator. */
import { handles, type Handler } from '../requests/handler';
import { LEADER_EPOCH } from '../log/batch';
import { DESCRIBE_CLUSTER, FIND_COORDINATOR, METADATA } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import type { TopicRegistry } from './registry';
import { nameProblem, type Topic } from './topic';

const GROUP = 0;
const TRANSACTION = 1;
const BATCHED_SINCE_VERSION = 4;

export interface ClusterHandlerDeps {
  readonly topics: TopicRegistry;
  readonly nodeId: number;
  /** Advertised address. A function, because the port is known only after listening. */
  readonly address: () => { readonly host: string; readonly port: number };
  readonly autoCreateTopics: boolean;
  readonly defaultPartitions: number;
  readonly maxPartitions: number;
}

export function clusterHandlers(deps: ClusterHandlerDeps): ReadonlyMap<number, Handler> {
  const { topics, nodeId, address } = deps;

  const describe = ({ name, id, partitions }: Topic) => ({
    errorCode: ErrorCode.NONE,
    name,
    topicId: id,
    isInternal: false,
    partitions: partitions.map((_, partitionIndex) => ({
      errorCode: ErrorCode.NONE,
      partitionIndex,
      leaderId: nodeId,
      leaderEpoch: LEADER_EPOCH,
      replicaNodes: [nodeId],
      isrNodes: [nodeId],
    })),
  });

  const describeOrCreate = (name: string, mayCreate: boolean) => {
    const topic = topics.get(name);
    if (topic) return describe(topic);
    if (nameProblem(name)) return { name, errorCode: ErrorCode.INVALID_TOPIC_EXCEPTION };
    const inUse = topics.all().reduce((sum, { partitions }) => sum + partitions.length, 0);
    if (!mayCreate || !deps.autoCreateTopics || inUse + deps.defaultPartitions > deps.maxPartitions) {
      return { name, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
    }
    return describe(topics.create(name, deps.defaultPartitions, new Map()));
  };

  /** By name, or where that is null by id. */
  const find = (name: string | null, topicId: string, mayCreate: boolean) => {
    if (name !== null) return describeOrCreate(name, mayCreate);
    const topic = topics.byId(topicId);
    return topic ? describe(topic) : { name, topicId, errorCode: ErrorCode.UNKNOWN_TOPIC_ID };
  };

  const coordinator = (keyType: number) =>
    keyType === GROUP || keyType === TRANSACTION
      ? { errorCode: ErrorCode.NONE, errorMessage: null, nodeId, ...address() }
      : {
          errorCode: ErrorCode.INVALID_REQUEST,
          errorMessage: `Unknown coordinator type ${keyType}.`,
          nodeId: -1,
          host: '',
          port: -1,
        };

  return new Map([
    handles(METADATA, ({ topics: requested, allowAutoTopicCreation }, { apiVersion }) => {
      // In version 0, which has no null, an empty list means all topics.
      const all = requested === null || (apiVersion === 0 && requested.length === 0);
      return {
        brokers: [{ nodeId, ...address() }],
        clusterId: topics.clusterId,
        controllerId: nodeId,
        topics: all
          ? topics.all().map(describe)
          : requested.map(({ name, topicId }) => find(name, topicId, allowAutoTopicCreation)),
      };
    }),

    handles(DESCRIBE_CLUSTER, () => ({
      clusterId: topics.clusterId,
      controllerId: nodeId,
      brokers: [{ brokerId: nodeId, ...address() }],
    })),

    handles(FIND_COORDINATOR, ({ keyType, coordinatorKeys }, { apiVersion }) =>
      apiVersion < BATCHED_SINCE_VERSION
        ? coordinator(keyType)
        : { coordinators: coordinatorKeys.map((key) => ({ key, ...coordinator(keyType) })) },
    ),
  ]);
}
