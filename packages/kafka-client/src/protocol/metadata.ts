import * as kafka from '@millrace/kafka-protocol';
import type { ElementOf, MessageOf } from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { request } from './api';

/** Event Hubs supports up to v5. v4 can disable auto-creation, v7 has leader epochs, v10 has topic ids. */
export const METADATA = kafka.withVersions(kafka.METADATA, 4, 12);

const NO_UUID = '0'.repeat(32);

export interface MetadataPartition {
  readonly errorCode: number;
  readonly partition: number;
  readonly leader: number;
  /** -1 in versions without epochs. */
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
}

export interface MetadataResponse {
  readonly brokers: readonly { readonly id: number; readonly host: string; readonly port: number }[];
  readonly clusterId: string | null;
  readonly controllerId: number;
  readonly topics: readonly {
    readonly errorCode: number;
    readonly name: string;
    /** Differs after the topic was deleted and created again. Absent in versions without ids. */
    readonly id?: string;
    readonly internal: boolean;
    readonly partitions: readonly MetadataPartition[];
  }[];
}

/** `topics` null: all topics; empty: only the brokers. */
export function metadataRequest(
  version: number,
  topics: readonly string[] | null,
  allowAutoCreate: boolean,
): WireRequest<MetadataResponse> {
  const message = { topics: topics && topics.map((name) => ({ name })), allowAutoTopicCreation: allowAutoCreate };
  return request(METADATA, version, message, ({ brokers, clusterId, controllerId, topics }) => ({
    brokers: brokers.map(({ nodeId, host, port }) => ({ id: nodeId, host, port })),
    clusterId,
    controllerId,
    topics: topics.map(({ errorCode, name, topicId, isInternal, partitions }) => ({
      ...{ errorCode, name: name ?? '', ...(version >= 10 && topicId !== NO_UUID && { id: topicId }) },
      ...{ internal: isInternal, partitions: partitions.map(metadataPartition) },
    })),
  }));
}

const metadataPartition = ({
  errorCode,
  partitionIndex,
  leaderId,
  leaderEpoch,
  replicaNodes,
}: ElementOf<ElementOf<MessageOf<typeof METADATA.response>['topics']>['partitions']>): MetadataPartition => ({
  ...{ errorCode, partition: partitionIndex, leader: leaderId, leaderEpoch, replicas: replicaNodes },
});
