/** JoinGroup, SyncGroup, Heartbeat, LeaveGroup: the classic group protocol for any protocol type. */
import type { GroupMemberInfo, GroupProtocol } from '../port';
import type { WireRequest } from '../wire';
import { request, type Api } from './api';

/**
 * v4 assigns member ids before joining, v5 supports static members, v8 has a reason. v9 may skip the assignment, which
 * is not used.
 */
export const JOIN_GROUP: Api = { name: 'JoinGroup', key: 11, min: 2, max: 8, flexibleFrom: 6 };
export const SYNC_GROUP: Api = { name: 'SyncGroup', key: 14, min: 0, max: 5, flexibleFrom: 4 };
export const HEARTBEAT: Api = { name: 'Heartbeat', key: 12, min: 0, max: 4, flexibleFrom: 4 };
export const LEAVE_GROUP: Api = { name: 'LeaveGroup', key: 13, min: 0, max: 5, flexibleFrom: 4 };

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
  return request(
    JOIN_GROUP,
    version,
    (w) => {
      w.string(input.groupId).int32(input.sessionTimeoutMs).int32(input.rebalanceTimeoutMs).string(input.memberId);
      if (version >= 5) w.nullableString(input.groupInstanceId);
      w.string(input.protocolType).array(input.protocols, (protocol) => {
        w.string(protocol.name).bytes(protocol.metadata).tags();
      });
      // The broker keeps 255 characters.
      if (version >= 8) w.nullableString(input.reason.slice(0, 255));
      w.tags();
    },
    (r) => {
      r.int32();
      const errorCode = r.int16();
      const generation = r.int32();
      if (version >= 7) r.nullableString();
      const protocol = r.nullableString() ?? '';
      const leaderId = r.string();
      const memberId = r.string();
      const members = r.array((): GroupMemberInfo => {
        const memberId = r.string();
        const groupInstanceId = version >= 5 ? r.nullableString() : null;
        const metadata = r.bytes();
        r.tags();
        return { memberId, groupInstanceId, metadata };
      });
      r.tags();
      return { errorCode, generation, protocol, leaderId, memberId, members };
    },
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
  return request(
    SYNC_GROUP,
    version,
    (w) => {
      w.string(input.groupId).int32(input.generation).string(input.memberId);
      if (version >= 3) w.nullableString(input.groupInstanceId);
      if (version >= 5) w.nullableString(input.protocolType).nullableString(input.protocol);
      w.array([...input.assignments], ([memberId, assignment]) => w.string(memberId).bytes(assignment).tags()).tags();
    },
    (r) => {
      if (version >= 1) r.int32();
      const errorCode = r.int16();
      const protocolType = version >= 5 ? r.nullableString() : null;
      const protocol = version >= 5 ? r.nullableString() : null;
      const assignment = r.bytes();
      r.tags();
      return { errorCode, protocolType, protocol, assignment };
    },
    { timeoutMs },
  );
}

/** Resolves to the error code. */
export function heartbeatRequest(
  version: number,
  identity: MemberIdentity,
  generation: number,
  timeoutMs: number,
): WireRequest<number> {
  return request(
    HEARTBEAT,
    version,
    (w) => {
      w.string(identity.groupId).int32(generation).string(identity.memberId);
      if (version >= 3) w.nullableString(identity.groupInstanceId);
      w.tags();
    },
    (r) => {
      if (version >= 1) r.int32();
      return r.int16();
    },
    { timeoutMs },
  );
}

/** Resolves to the first error code other than 0, of the group or of the member. */
export function leaveGroupRequest(version: number, identity: MemberIdentity, reason: string): WireRequest<number> {
  return request(
    LEAVE_GROUP,
    version,
    (w) => {
      w.string(identity.groupId);
      if (version < 3) {
        w.string(identity.memberId);
        return;
      }
      w.array([identity], (member) => {
        w.string(member.memberId).nullableString(member.groupInstanceId);
        if (version >= 5) w.nullableString(reason.slice(0, 255));
        w.tags();
      }).tags();
    },
    (r) => {
      if (version >= 1) r.int32();
      const errorCode = r.int16();
      if (errorCode !== 0 || version < 3) return errorCode;
      const codes = r.array(() => {
        r.string();
        r.nullableString();
        const code = r.int16();
        r.tags();
        return code;
      });
      return codes.find((code) => code !== 0) ?? 0;
    },
  );
}
