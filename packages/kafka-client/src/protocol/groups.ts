/** DescribeGroups, ListGroups, DeleteGroups. */
import * as kafka from '@millrace/kafka-protocol';
import type { GroupDescription } from '../port';
import type { WireRequest } from '../wire';
import { request } from './api';

export const DESCRIBE_GROUPS = kafka.withVersions(kafka.DESCRIBE_GROUPS, 0, 4);
export const LIST_GROUPS = kafka.withVersions(kafka.LIST_GROUPS, 0, 2);
export const DELETE_GROUPS = kafka.withVersions(kafka.DELETE_GROUPS, 0, 1);

export function describeGroupRequest(
  version: number,
  groupId: string,
): WireRequest<{ errorCode: number; group: GroupDescription }[]> {
  return request(DESCRIBE_GROUPS, version, { groups: [groupId] }, ({ groups }) =>
    groups.map(({ errorCode, groupId, groupState, protocolType, protocolData, members }) => ({
      errorCode,
      group: {
        ...{ groupId, state: groupState, protocolType, protocol: protocolData },
        members: members.map(({ memberId, clientId, clientHost, memberMetadata, memberAssignment }) => ({
          ...{ memberId, clientId, host: clientHost, metadata: memberMetadata, assignment: memberAssignment },
        })),
      },
    })),
  );
}

export function listGroupsRequest(
  version: number,
): WireRequest<{ errorCode: number; groups: { groupId: string; protocolType: string }[] }> {
  return request(LIST_GROUPS, version, {}, ({ errorCode, groups }) => ({
    errorCode,
    groups: groups.map(({ groupId, protocolType }) => ({ groupId, protocolType })),
  }));
}

/** Resolves to the group's error code. */
export function deleteGroupRequest(version: number, groupId: string): WireRequest<number> {
  return request(DELETE_GROUPS, version, { groupsNames: [groupId] }, ({ results }) => results[0]?.errorCode ?? 0);
}
