/**
 * Metadata, DescribeCluster, FindCoordinator: one broker, which is leader, controller and coordinator of everything.
 */
import { handles, type Handler } from '../requests/handler';
import { LEADER_EPOCH } from '../log/batch';
import { DESCRIBE_CLUSTER, METADATA } from '../protocol/apis/connection';
import { FIND_COORDINATOR } from '../protocol/apis/groups';
import { ErrorCode } from '../protocol/errors';
import type { TopicRegistry } from './registry';
import { nameProblem, type Topic } from './topic';

const GROUP = 0;
const TRANSACTION = 1;
const SEVERAL_COORDINATORS_FROM = 4;

export interface ClusterHandlerDeps {
  readonly topics: TopicRegistry;
  readonly nodeId: number;
  /** Where clients reach this broker; asked late, as the port is known only then. */
  readonly address: () => { readonly host: string; readonly port: number };
  readonly autoCreateTopics: boolean;
  readonly defaultPartitions: number;
  readonly maxPartitions: number;
}

export function clusterHandlers(deps: ClusterHandlerDeps): ReadonlyMap<number, Handler> {
  const { topics, nodeId, address } = deps;

  const describe = ({ name, partitions }: Topic) => ({
    errorCode: ErrorCode.NONE,
    name,
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

  const coordinator = (keyType: number) =>
    keyType === GROUP || keyType === TRANSACTION
      ? { errorCode: ErrorCode.NONE, errorMessage: null, nodeId, ...address() }
      : {
          errorCode: ErrorCode.INVALID_REQUEST,
          errorMessage: `There is no coordinator of type ${keyType}.`,
          nodeId: -1,
          host: '',
          port: -1,
        };

  return new Map([
    handles(METADATA, ({ topics: asked, allowAutoTopicCreation }, { apiVersion }) => {
      // Version 0 has no null and means all with an empty list.
      const all = asked === null || (apiVersion === 0 && asked.length === 0);
      return {
        brokers: [{ nodeId, ...address() }],
        clusterId: topics.clusterId,
        controllerId: nodeId,
        topics: all
          ? topics.all().map(describe)
          : asked.map(({ name }) => describeOrCreate(name, allowAutoTopicCreation)),
      };
    }),

    handles(DESCRIBE_CLUSTER, () => ({
      clusterId: topics.clusterId,
      controllerId: nodeId,
      brokers: [{ brokerId: nodeId, ...address() }],
    })),

    handles(FIND_COORDINATOR, ({ keyType, coordinatorKeys }, { apiVersion }) =>
      apiVersion < SEVERAL_COORDINATORS_FROM
        ? coordinator(keyType)
        : { coordinators: coordinatorKeys.map((key) => ({ key, ...coordinator(keyType) })) },
    ),
  ]);
}
