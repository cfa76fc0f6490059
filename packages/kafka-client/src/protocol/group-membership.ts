/** JoinGroup, SyncGroup, Heartbeat, LeaveGroup: the classic group protocol for any protocol type. */
import * as kafka from '@millrace/kafka-protocol';
import type { GroupMemberInfo, GroupProtocol } from '../port';
import type { WireRequest } from '../wire';
import { request } from './api';

/**
 * v4 assigns member ids before joining, v5 supports static members, v8 has a reason. v9 may skip the assignment, which
 * is not used.
 */
export const JOIN_GROUP = kafka.withVersions(kafka.JOIN_GROUP, 2, 8);
export const SYNC_GROUP = kafka.withVersions(kafka.SYNC_GROUP, 0, 5);
export const HEARTBEAT = kafka.withVersions(kafka.HEARTBEAT, 0, 4);
export const LEAVE_GROUP = kafka.withVersions(kafka.LEAVE_GROUP, 0, 5);

/** The broker keeps as many characters. */
const REASON_LENGTH = 255;

export interface MemberIdentity {
  readonly groupId: string;
  /** Empty before the first join. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

export interface JoinInput extends MemberIdentity {
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  readonly protocols: readonly GroupProtocol[];
  readonly reason: string;
}

export interface JoinOutput {
  readonly errorCode: number;
  readonly generation: number;
  readonly protocol: string;
  readonly leaderId: string;
  readonly memberId: string;
  /** Empty unless this member is the leader. */
  readonly members: readonly GroupMemberInfo[];
}

export function joinGroupRequest(version: number, input: JoinInput, timeoutMs: number): WireRequest<JoinOutput> {
  const message = { ...input, reason: input.reason.slice(0, REASON_LENGTH) };
  return request(
    JOIN_GROUP,
    version,
    message,
    ({ errorCode, generationId, protocolName, leader, memberId, members }) => ({
      ...{ errorCode, generation: generationId, protocol: protocolName ?? '', leaderId: leader, memberId, members },
    }),
    { timeoutMs },
  );
}

export interface SyncInput extends MemberIdentity {
  readonly generation: number;
  readonly protocolType: string;
  readonly protocol: string;
  /** Member id → assignment; empty unless this member is the leader. */
  readonly assignments: ReadonlyMap<string, Buffer>;
}

export interface SyncOutput {
  readonly errorCode: number;
  readonly protocolType: string | null;
  readonly protocol: string | null;
  readonly assignment: Buffer;
}

export function syncGroupRequest(version: number, input: SyncInput, timeoutMs: number): WireRequest<SyncOutput> {
  const { groupId, generation, memberId, groupInstanceId, protocolType, protocol } = input;
  const assignments = [...input.assignments].map(([memberId, assignment]) => ({ memberId, assignment }));
  return request(
    SYNC_GROUP,
    version,
    {
      ...{ groupId, generationId: generation, memberId, groupInstanceId },
      ...{ protocolType, protocolName: protocol, assignments },
    },
    ({ errorCode, protocolType, protocolName, assignment }) => ({
      ...{ errorCode, protocolType, protocol: protocolName, assignment },
    }),
    { timeoutMs },
  );
}

/** Resolves to the error code. */
export function heartbeatRequest(
  version: number,
  { groupId, memberId, groupInstanceId }: MemberIdentity,
  generation: number,
  timeoutMs: number,
): WireRequest<number> {
  const message = { groupId, generationId: generation, memberId, groupInstanceId };
  return request(HEARTBEAT, version, message, ({ errorCode }) => errorCode, { timeoutMs });
}

/** Resolves to the first error code other than 0, of the group or of the member. */
export function leaveGroupRequest(
  version: number,
  { groupId, memberId, groupInstanceId }: MemberIdentity,
  reason: string,
): WireRequest<number> {
  const members = [{ memberId, groupInstanceId, reason: reason.slice(0, REASON_LENGTH) }];
  return request(LEAVE_GROUP, version, { groupId, memberId, members }, ({ errorCode, members }) =>
    errorCode !== 0 ? errorCode : (members.find((member) => member.errorCode !== 0)?.errorCode ?? 0),
  );
}
