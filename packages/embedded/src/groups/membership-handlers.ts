/** JoinGroup, SyncGroup, Heartbeat, LeaveGroup. */
import { handles, type Handler } from '../requests/handler';
import { HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import { failedJoin, failedSync, type JoinResult, type SyncResult } from './member';
import type { GroupRegistry } from './registry';

export interface SessionBounds {
  /** `group.min.session.timeout.ms` and `group.max.session.timeout.ms`. */
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
}

const KNOWN_MEMBER_ID_SINCE_VERSION = 4;
const BATCHED_LEAVE_SINCE_VERSION = 3;

export function membershipHandlers(groups: GroupRegistry, bounds: SessionBounds): [number, Handler][] {
  return [
    handles(JOIN_GROUP, (request, context) => {
      const { groupId, memberId, sessionTimeoutMs, rebalanceTimeoutMs } = request;
      if (groupId === '') return failedJoin(ErrorCode.INVALID_GROUP_ID, memberId);
      if (sessionTimeoutMs < bounds.minSessionTimeoutMs || sessionTimeoutMs > bounds.maxSessionTimeoutMs) {
        return failedJoin(ErrorCode.INVALID_SESSION_TIMEOUT, memberId);
      }
      // A member id is only valid in an existing group.
      const group = memberId === '' ? groups.ensure(groupId) : groups.get(groupId);
      if (group === undefined) return failedJoin(ErrorCode.UNKNOWN_MEMBER_ID, memberId);
      const join = {
        ...request,
        // In JoinGroup v0 the session timeout is also the rebalance timeout.
        rebalanceTimeoutMs: rebalanceTimeoutMs < 0 ? sessionTimeoutMs : rebalanceTimeoutMs,
        clientId: context.clientId ?? '',
        clientHost: `/${context.connection.host}`,
        requireKnownMemberId: context.apiVersion >= KNOWN_MEMBER_ID_SINCE_VERSION,
      };
      return new Promise<JoinResult>((resolve) => group.join(join, resolve));
    }),

    handles(SYNC_GROUP, (request) => {
      if (request.groupId === '') return failedSync(ErrorCode.INVALID_GROUP_ID);
      const group = groups.get(request.groupId);
      if (group === undefined) return failedSync(ErrorCode.UNKNOWN_MEMBER_ID);
      return new Promise<SyncResult>((resolve) => group.sync(request, resolve));
    }),

    handles(HEARTBEAT, (request) => {
      if (request.groupId === '') return { errorCode: ErrorCode.INVALID_GROUP_ID };
      const errorCode = groups.get(request.groupId)?.heartbeat(request, request.generationId);
      return { errorCode: errorCode ?? ErrorCode.UNKNOWN_MEMBER_ID };
    }),

    handles(LEAVE_GROUP, ({ groupId, memberId, members }, { apiVersion }) => {
      if (groupId === '') return { errorCode: ErrorCode.INVALID_GROUP_ID };
      const leaving = apiVersion >= BATCHED_LEAVE_SINCE_VERSION ? members : [{ memberId, groupInstanceId: null }];
      const left = leaving.map(({ memberId, groupInstanceId }) => ({
        memberId,
        groupInstanceId,
        errorCode: groups.get(groupId)?.leave({ memberId, groupInstanceId }) ?? ErrorCode.UNKNOWN_MEMBER_ID,
      }));
      if (apiVersion >= BATCHED_LEAVE_SINCE_VERSION) return { errorCode: ErrorCode.NONE, members: left };
      return { errorCode: left[0]?.errorCode ?? ErrorCode.NONE };
    }),
  ];
}
