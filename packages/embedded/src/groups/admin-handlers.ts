/** DescribeGroups, ListGroups, DeleteGroups, OffsetDelete. */
import { handles, type Handler } from '../requests/handler';
import { DELETE_GROUPS, DESCRIBE_GROUPS, LIST_GROUPS, OFFSET_DELETE } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import type { Partitions, TopicPartition } from '../partitions';
import type { Group } from './group';
import { NO_BYTES } from './member';
import type { GroupRegistry } from './registry';

export function groupAdminHandlers(groups: GroupRegistry, partitions: Pick<Partitions, 'exists'>): [number, Handler][] {
  return [
    handles(DESCRIBE_GROUPS, (request) => ({
      groups: request.groups.map((groupId) => {
        const group = groups.get(groupId);
        return { errorCode: ErrorCode.NONE, groupId, ...(group === undefined ? UNKNOWN_GROUP : describe(group)) };
      }),
    })),

    handles(LIST_GROUPS, ({ statesFilter }) => {
      const wanted = statesFilter.map((state) => state.toLowerCase());
      return {
        errorCode: ErrorCode.NONE,
        groups: [...groups.all()]
          .filter(({ state }) => wanted.length === 0 || wanted.includes(state.toLowerCase()))
          .map(({ id, protocolType, state }) => ({ groupId: id, protocolType, groupState: state })),
      };
    }),

    handles(DELETE_GROUPS, async ({ groupsNames }) => {
      const results = groupsNames.map(async (groupId) => {
        const group = groups.get(groupId);
        if (group === undefined) return { groupId, errorCode: ErrorCode.GROUP_ID_NOT_FOUND };
        if (group.state !== 'Empty') return { groupId, errorCode: ErrorCode.NON_EMPTY_GROUP };
        await groups.delete(group);
        return { groupId, errorCode: ErrorCode.NONE };
      });
      return { results: await Promise.all(results) };
    }),

    handles(OFFSET_DELETE, async ({ groupId, topics }) => {
      const group = groups.get(groupId);
      if (group === undefined) return { errorCode: ErrorCode.GROUP_ID_NOT_FOUND };
      // Subscriptions are known for consumer groups only.
      if (group.state !== 'Empty' && group.protocolType !== 'consumer') return { errorCode: ErrorCode.NON_EMPTY_GROUP };
      const deletable: TopicPartition[] = [];
      const responses = topics.map(({ name, partitions: requested }) => ({
        name,
        partitions: requested.map(({ partitionIndex }) => {
          const at = { topic: name, partition: partitionIndex };
          if (!partitions.exists(at)) return { partitionIndex, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
          if (group.isSubscribedTo(name)) return { partitionIndex, errorCode: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC };
          deletable.push(at);
          return { partitionIndex, errorCode: ErrorCode.NONE };
        }),
      }));
      await groups.offsets.delete(groupId, deletable);
      return { errorCode: ErrorCode.NONE, topics: responses };
    }),
  ];
}

const UNKNOWN_GROUP = { groupState: 'Dead', protocolType: '', protocolData: '', members: [] };

function describe(group: Group) {
  // Metadata and assignments are only valid in a stable group.
  const stable = group.state === 'Stable';
  return {
    groupState: group.state,
    protocolType: group.protocolType,
    protocolData: stable ? (group.protocolName ?? '') : '',
    members: [...group.members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.instanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      memberMetadata: stable ? member.metadata(group.protocolName) : NO_BYTES,
      memberAssignment: stable ? member.assignment : NO_BYTES,
    })),
  };
}
