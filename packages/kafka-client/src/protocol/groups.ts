/** DescribeGroups, ListGroups, DeleteGroups. */
import type { GroupDescription } from '../port';
import type { WireRequest } from '../wire';
import { request, type Api } from './api';

export const DESCRIBE_GROUPS: Api = { name: 'DescribeGroups', key: 15, min: 0, max: 4, flexibleFrom: 5 };
export const LIST_GROUPS: Api = { name: 'ListGroups', key: 16, min: 0, max: 2, flexibleFrom: 3 };
export const DELETE_GROUPS: Api = { name: 'DeleteGroups', key: 42, min: 0, max: 1, flexibleFrom: 2 };

export function describeGroupRequest(
  version: number,
  groupId: string,
): WireRequest<{ errorCode: number; group: GroupDescription }[]> {
  return request(
    DESCRIBE_GROUPS,
    version,
    (w) => {
      w.array([groupId], (id) => w.string(id));
      if (version >= 3) w.boolean(false);
    },
    (r) => {
      if (version >= 1) r.int32();
      return r.array(() => {
        const errorCode = r.int16();
        const head = { groupId: r.string(), state: r.string(), protocolType: r.string(), protocol: r.string() };
        const members = r.array(() => {
          const memberId = r.string();
          if (version >= 4) r.nullableString();
          return { memberId, clientId: r.string(), host: r.string(), metadata: r.bytes(), assignment: r.bytes() };
        });
        if (version >= 3) r.int32();
        return { errorCode, group: { ...head, members } };
      });
    },
  );
}

export function listGroupsRequest(
  version: number,
): WireRequest<{ errorCode: number; groups: { groupId: string; protocolType: string }[] }> {
  return request(
    LIST_GROUPS,
    version,
    () => undefined,
    (r) => {
      if (version >= 1) r.int32();
      return { errorCode: r.int16(), groups: r.array(() => ({ groupId: r.string(), protocolType: r.string() })) };
    },
  );
}

/** Resolves to the group's error code. */
export function deleteGroupRequest(version: number, groupId: string): WireRequest<number> {
  return request(
    DELETE_GROUPS,
    version,
    (w) => w.array([groupId], (id) => w.string(id)),
    (r) => {
      r.int32();
      const responses = r.array(() => {
        r.string();
        return r.int16();
      });
      return responses[0] ?? 0;
    },
  );
}
