/** JoinGroup, SyncGroup, Heartbeat, LeaveGroup. */
import { handles, type Handler } from '../requests/handler';
import { HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP } from '../protocol/apis/groups';
import { ErrorCode } from '../protocol/errors';
import { refusedJoin, refusedSync, type JoinResult, type SyncResult } from './member';
import type { GroupRegistry } from './registry';

export interface SessionBounds {
  /** `group.min.session.timeout.ms` and `group.max.session.timeout.ms`. */
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
}

const KNOWN_MEMBER_ID_FROM = 4;
const SEVERAL_LEAVE_FROM = 3;

export function membershipHandlers(groups: GroupRegistry, bounds: SessionBounds): [number, Handler][] {
  return [
    handles(JOIN_GROUP, (request, context) => {
      const { groupId, memberId, sessionTimeoutMs, rebalanceTimeoutMs } = request;
      if (groupId === '') return refusedJoin(ErrorCode.INVALID_GROUP_ID, memberId);
      if (sessionTimeoutMs < bounds.minSessionTimeoutMs || sessionTimeoutMs > bounds.maxSessionTimeoutMs) {
        return refusedJoin(ErrorCode.INVALID_SESSION_TIMEOUT, memberId);
      }
      // Nobody comes back to a group that does not exist.
      const group = memberId === '' ? groups.ensure(groupId) : groups.get(groupId);
      if (group === undefined) return refusedJoin(ErrorCode.UNKNOWN_MEMBER_ID, memberId);
      const join = {
        ...request,
        // JoinGroup v0 has one timeout for both.
        rebalanceTimeoutMs: rebalanceTimeoutMs < 0 ? sessionTimeoutMs : rebalanceTimeoutMs,
        clientId: context.clientId ?? '',
        clientHost: `/${context.connection.host}`,
        requireKnownMemberId: context.apiVersion >= KNOWN_MEMBER_ID_FROM,
      };
      return new Promise<JoinResult>((resolve) => group.join(join, resolve));
    }),

    handles(SYNC_GROUP, (request) => {
      if (request.groupId === '') return refusedSync(ErrorCode.INVALID_GROUP_ID);
      const group = groups.get(request.groupId);
      if (group === undefined) return refusedSync(ErrorCode.UNKNOWN_MEMBER_ID);
      return new Promise<SyncResult>((resolve) => group.sync(request, resolve));
    }),

    handles(HEARTBEAT, (request) => {
      if (request.groupId === '') return { errorCode: ErrorCode.INVALID_GROUP_ID };
      const errorCode = groups.get(request.groupId)?.heartbeat(request, request.generationId);
      return { errorCode: errorCode ?? ErrorCode.UNKNOWN_MEMBER_ID };
    }),

    handles(LEAVE_GROUP, ({ groupId, memberId, members }, { apiVersion }) => {
      if (groupId === '') return { errorCode: ErrorCode.INVALID_GROUP_ID };
      const leaving = apiVersion >= SEVERAL_LEAVE_FROM ? members : [{ memberId, groupInstanceId: null }];
      const left = leaving.map(({ memberId, groupInstanceId }) => ({
        memberId,
        groupInstanceId,
        errorCode: groups.get(groupId)?.leave({ memberId, groupInstanceId }) ?? ErrorCode.UNKNOWN_MEMBER_ID,
      }));
      if (apiVersion >= SEVERAL_LEAVE_FROM) return { errorCode: ErrorCode.NONE, members: left };
      return { errorCode: left[0]?.errorCode ?? ErrorCode.NONE };
    }),
  ];
}
