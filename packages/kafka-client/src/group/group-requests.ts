/** The requests of a group member to its coordinator, with their timeouts and metrics. */
import type { ClockReading, GroupMemberOptions, GroupProtocol } from '../port';
import { call } from '../protocol/api';
import {
  HEARTBEAT,
  heartbeatRequest,
  JOIN_GROUP,
  joinGroupRequest,
  LEAVE_GROUP,
  leaveGroupRequest,
  SYNC_GROUP,
  syncGroupRequest,
  type JoinOutput,
  type MemberIdentity,
  type SyncOutput,
} from '../protocol/group-membership';
import { protocolError } from '../protocol/protocol-error';
import type { Wire } from '../wire';

/** A JoinGroup response waits for the other members; heartbeats use a lane of their own so that they do not wait. */
const JOIN_LANE = 'join';
const HEARTBEAT_LANE = 'heartbeat';

export class GroupRequests {
  constructor(
    private readonly wire: Wire,
    private readonly options: GroupMemberOptions,
    private readonly requestTimeoutMs: number,
  ) {}

  coordinator(): Promise<number> {
    return this.wire.coordinator('group', this.options.groupId);
  }

  forgetCoordinator(): void {
    this.wire.forgetCoordinator('group', this.options.groupId);
  }

  async join(
    node: number,
    identity: MemberIdentity,
    protocols: GroupProtocol[],
    reason: string,
    sent: ClockReading,
  ): Promise<JoinOutput> {
    const { sessionTimeoutMs, rebalanceTimeoutMs, protocolType, metrics } = this.options;
    const input = { ...identity, sessionTimeoutMs, rebalanceTimeoutMs, protocolType, protocols, reason };
    const build = (version: number) => joinGroupRequest(version, input, this.rebalanceWaitMs);
    const output = await call(this.wire, node, JOIN_GROUP, build, JOIN_LANE);
    if (output.errorCode === 0) metrics?.joins.record(performance.now() - sent.monotonic);
    return output;
  }

  async sync(
    node: number,
    identity: MemberIdentity,
    { generation, protocol }: JoinOutput,
    assignments: Map<string, Buffer>,
    sent: ClockReading,
  ): Promise<SyncOutput> {
    const { protocolType, metrics } = this.options;
    const input = { ...identity, generation, protocolType, protocol, assignments };
    const build = (version: number) => syncGroupRequest(version, input, this.rebalanceWaitMs);
    const output = await call(this.wire, node, SYNC_GROUP, build, JOIN_LANE);
    if (output.errorCode === 0) metrics?.syncs.record(performance.now() - sent.monotonic);
    return output;
  }

  /** Resolves to the error code. */
  heartbeat(node: number, identity: MemberIdentity, generation: number, timeoutMs: number): Promise<number> {
    const build = (version: number) => heartbeatRequest(version, identity, generation, timeoutMs);
    return call(this.wire, node, HEARTBEAT, build, HEARTBEAT_LANE);
  }

  async leave(identity: MemberIdentity, reason: string): Promise<void> {
    const node = await this.coordinator();
    const code = await call(this.wire, node, LEAVE_GROUP, (version) => leaveGroupRequest(version, identity, reason));
    if (code !== 0) throw protocolError(code, `leave group '${identity.groupId}'`);
  }

  /** The coordinator responds when all members have joined or synced, or after the rebalance timeout. */
  private get rebalanceWaitMs(): number {
    return Math.max(this.requestTimeoutMs, this.options.rebalanceTimeoutMs + 5_000);
  }
}
