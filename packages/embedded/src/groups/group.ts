/**
 * State machine of a group of the classic protocol: members, generation and pending joins and syncs. It does no I/O:
 * pending responses are callbacks, and time comes from the clock. It behaves as Kafka's group coordinator.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock';
import { ErrorCode } from '../protocol/errors';
import {
  commonProtocols,
  selectProtocol,
  Member,
  NO_BYTES,
  failedJoin,
  failedSync,
  subscribedTopics,
  type JoinRequest,
  type JoinResult,
  type MemberIdentity,
  type SyncRequest,
  type SyncResult,
} from './member';

type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead';

export interface GroupSettings {
  /** `group.initial.rebalance.delay.ms`: how long the first join of an empty group waits for other members. */
  readonly initialRebalanceDelayMs: number;
}

/** A member cannot send heartbeats while its first join is pending. Kafka's value. */
const NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000;

export class Group {
  state: GroupState = 'Empty';
  leaderId: string | null = null;
  protocolName: string | null = null;
  readonly members = new Map<string, Member>();
  private readonly staticIds = new Map<string, string>();
  /** Assigned member ids that have not joined yet, each with the function that cancels its timeout. */
  private readonly pending = new Map<string, () => void>();
  /** The rebalance began with an empty group, so its delay applies even if all known members have joined. */
  private initialRebalance = false;
  private joinedDuringDelay = false;
  private cancelJoin: (() => void) | null = null;
  private cancelSync: (() => void) | null = null;

  /** @param onChange called when a generation has its assignment, and when the group becomes empty */
  constructor(
    readonly id: string,
    private readonly clock: Clock,
    private readonly settings: GroupSettings,
    private readonly onChange: (group: Group) => void = () => undefined,
    public generation = 0,
    /** '' for a group that only has offsets. */
    public protocolType = '',
    /** Since when the group has no members, milliseconds; null if it has some. */
    public emptySince: number | null = clock.now(),
  ) {}

  get isIdle(): boolean {
    return this.members.size === 0 && this.pending.size === 0;
  }

  /** Whether a member subscribes to the topic; true if its subscription cannot be read. */
  isSubscribedTo(topic: string): boolean {
    return [...this.members.values()].some((member) => {
      const topics = subscribedTopics(member.metadata(this.protocolName ?? member.protocols[0]?.name ?? null));
      return topics === null || topics.includes(topic);
    });
  }

  // ------------------------------------------------------------ joining

  join(request: JoinRequest, reply: (result: JoinResult) => void): void {
    const fail = (errorCode: number): void => reply(failedJoin(errorCode, request.memberId));
    if (this.state === 'Dead') return fail(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    if (!this.supportsProtocols(request)) return fail(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    if (request.memberId === '') return this.joinWithoutId(request, reply);
    if (this.pending.has(request.memberId)) {
      // Only dynamic members get their id before they join.
      if (request.groupInstanceId !== null) return fail(ErrorCode.UNKNOWN_MEMBER_ID);
      return this.add(request.memberId, request, reply);
    }
    const member = this.findMember(request);
    if (typeof member === 'number') return fail(member);
    this.rejoin(member, request, reply);
  }

  private supportsProtocols({ protocolType, protocols }: JoinRequest): boolean {
    if (protocolType === '' || protocols.length === 0) return false;
    if (this.members.size === 0) return true;
    const common = commonProtocols([...this.members.values()]);
    return protocolType === this.protocolType && protocols.some(({ name }) => common.includes(name));
  }

  private joinWithoutId(request: JoinRequest, reply: (result: JoinResult) => void): void {
    const { groupInstanceId, clientId } = request;
    const id = `${groupInstanceId ?? clientId}-${randomUUID()}`;
    const replaced = groupInstanceId === null ? undefined : this.staticIds.get(groupInstanceId);
    if (replaced !== undefined) return this.replaceStaticMember(replaced, id, request, reply);
    if (groupInstanceId !== null || !request.requireKnownMemberId) return this.add(id, request, reply);
    const cancelTimeout = this.clock.schedule(request.sessionTimeoutMs, () => {
      this.pending.delete(id);
      this.completeJoinIfAllJoined();
    });
    this.pending.set(id, cancelTimeout);
    reply(failedJoin(ErrorCode.MEMBER_ID_REQUIRED, id));
  }

  private add(id: string, request: JoinRequest, reply: (result: JoinResult) => void): void {
    this.removePending(id);
    if (this.members.size === 0) this.protocolType = request.protocolType;
    const member = new Member(id, request.groupInstanceId);
    member.update(request);
    member.pendingJoin = reply;
    this.members.set(id, member);
    if (member.instanceId !== null) this.staticIds.set(member.instanceId, id);
    this.leaderId ??= id;
    this.joinedDuringDelay = true;
    this.scheduleSessionTimeout(member, NEW_MEMBER_JOIN_TIMEOUT_MS);
    this.rebalance();
  }

  private rejoin(member: Member, request: JoinRequest, reply: (result: JoinResult) => void): void {
    const unchanged = member.hasSameProtocols(request.protocols);
    // The response to its previous join or sync was lost, which requires no rebalance.
    if (unchanged && this.state === 'CompletingRebalance') return reply(this.joinResult(member));
    if (unchanged && this.state === 'Stable' && member.id !== this.leaderId) return reply(this.joinResult(member));
    member.update(request);
    this.waitForJoin(member, reply);
    this.rebalance();
  }

  /** Fences the previous process with the same `group.instance.id`. */
  private replaceStaticMember(
    oldId: string,
    id: string,
    request: JoinRequest,
    reply: (result: JoinResult) => void,
  ): void {
    const old = this.members.get(oldId) as Member;
    const leader = this.leaderId;
    const member = new Member(id, old.instanceId);
    member.assignment = old.assignment;
    member.awaitingSync = old.awaitingSync;
    member.isNew = false;
    this.removeMember(old, ErrorCode.FENCED_INSTANCE_ID);
    this.members.set(id, member);
    this.staticIds.set(member.instanceId as string, id);
    member.update(request);
    if (leader === oldId) this.leaderId = id;
    this.scheduleSessionTimeout(member);
    if (this.state === 'Stable' && selectProtocol([...this.members.values()]) === this.protocolName) {
      // With the previous leader id in the response, the member does not compute an assignment, which it must not send.
      return reply({ ...this.joinResult(member), leader: leader ?? '', members: [] });
    }
    this.waitForJoin(member, reply);
    this.rebalance();
  }

  /** A repeated join replaces the pending one, whose connection is closed or abandoned. */
  private waitForJoin(member: Member, reply: (result: JoinResult) => void): void {
    member.pendingJoin?.(failedJoin(ErrorCode.REBALANCE_IN_PROGRESS, member.id));
    member.pendingJoin = reply;
  }

  private joinResult(member: Member): JoinResult {
    const members = [...this.members.values()].map((each) => each.joinedMember(this.protocolName));
    return {
      errorCode: ErrorCode.NONE,
      generationId: this.generation,
      protocolType: this.protocolType,
      protocolName: this.protocolName,
      leader: this.leaderId ?? '',
      memberId: member.id,
      members: member.id === this.leaderId ? members : [],
    };
  }

  // ------------------------------------------------------------ rebalancing

  private rebalance(): void {
    if (this.state === 'PreparingRebalance') return this.completeJoinIfAllJoined();
    if (this.state === 'Dead') return;
    if (this.state === 'CompletingRebalance') this.failPendingSyncs();
    this.cancelSync?.();
    this.cancelSync = null;
    this.initialRebalance = this.state === 'Empty';
    this.state = 'PreparingRebalance';
    const delay = this.settings.initialRebalanceDelayMs;
    if (this.initialRebalance && delay > 0) this.delayJoin(delay, this.rebalanceTimeoutMs() - delay);
    else if (this.initialRebalance || this.allJoined()) this.completeJoin();
    else this.cancelJoin = this.clock.schedule(this.rebalanceTimeoutMs(), () => this.completeJoin());
  }

  /** Each new member extends the delay, up to the rebalance timeout. */
  private delayJoin(delayMs: number, remainingMs: number): void {
    this.joinedDuringDelay = false;
    this.cancelJoin = this.clock.schedule(delayMs, () => {
      const next = Math.min(this.settings.initialRebalanceDelayMs, remainingMs);
      if (this.joinedDuringDelay && next > 0) this.delayJoin(next, remainingMs - next);
      else this.completeJoin();
    });
  }

  private rebalanceTimeoutMs(): number {
    return Math.max(0, ...[...this.members.values()].map((member) => member.rebalanceTimeoutMs));
  }

  private allJoined(): boolean {
    return this.pending.size === 0 && [...this.members.values()].every((member) => member.pendingJoin !== null);
  }

  private completeJoinIfAllJoined(): void {
    if (this.state === 'PreparingRebalance' && !this.initialRebalance && this.allJoined()) this.completeJoin();
  }

  private completeJoin(): void {
    this.cancelJoin?.();
    this.cancelJoin = null;
    for (const member of [...this.members.values()]) {
      // Static members that have not rejoined stay in the group until their session times out.
      if (member.pendingJoin === null && member.instanceId === null)
        this.removeMember(member, ErrorCode.UNKNOWN_MEMBER_ID);
    }
    if (this.members.size > 0 && !this.electLeader()) {
      this.cancelJoin = this.clock.schedule(this.rebalanceTimeoutMs(), () => this.completeJoin());
      return;
    }
    this.initialRebalance = false;
    this.generation++;
    this.protocolName = selectProtocol([...this.members.values()]);
    if (this.members.size === 0) {
      this.state = 'Empty';
      this.emptySince = this.clock.now();
      this.leaderId = null;
      this.onChange(this);
      return;
    }
    this.state = 'CompletingRebalance';
    this.emptySince = null;
    for (const member of this.members.values()) {
      const reply = member.pendingJoin;
      member.pendingJoin = null;
      member.isNew = false;
      member.awaitingSync = true;
      this.scheduleSessionTimeout(member);
      reply?.(this.joinResult(member));
    }
    this.cancelSync = this.clock.schedule(this.rebalanceTimeoutMs(), () => this.expirePendingSyncs());
  }

  private electLeader(): boolean {
    const present = [...this.members.values()].filter((member) => member.pendingJoin !== null);
    const leader = present.find(({ id }) => id === this.leaderId) ?? present[0];
    if (leader !== undefined) this.leaderId = leader.id;
    return leader !== undefined;
  }

  // ------------------------------------------------------------ syncing

  sync(request: SyncRequest, reply: (result: SyncResult) => void): void {
    const member = this.findCurrentMember(request, request.generationId);
    if (typeof member === 'number') return reply(failedSync(member));
    if (differs(request.protocolType, this.protocolType) || differs(request.protocolName, this.protocolName)) {
      return reply(failedSync(ErrorCode.INCONSISTENT_GROUP_PROTOCOL));
    }
    if (this.state === 'PreparingRebalance') return reply(failedSync(ErrorCode.REBALANCE_IN_PROGRESS));
    member.awaitingSync = false;
    this.scheduleSessionTimeout(member);
    if (this.state === 'Stable') reply(this.syncResult(member));
    else {
      member.pendingSync?.(failedSync(ErrorCode.REBALANCE_IN_PROGRESS));
      member.pendingSync = reply;
      if (member.id === this.leaderId) this.applyAssignments(request.assignments);
    }
    if ([...this.members.values()].some(({ awaitingSync }) => awaitingSync)) return;
    this.cancelSync?.();
    this.cancelSync = null;
  }

  private applyAssignments(assignments: SyncRequest['assignments']): void {
    const byMember = new Map(assignments.map(({ memberId, assignment }) => [memberId, assignment]));
    this.state = 'Stable';
    for (const member of this.members.values()) {
      member.assignment = byMember.get(member.id) ?? NO_BYTES;
      const reply = member.pendingSync;
      member.pendingSync = null;
      if (reply !== null) this.scheduleSessionTimeout(member);
      reply?.(this.syncResult(member));
    }
    this.onChange(this);
  }

  private syncResult(member: Member): SyncResult {
    const { protocolType, protocolName } = this;
    return { errorCode: ErrorCode.NONE, protocolType, protocolName, assignment: member.assignment };
  }

  private failPendingSyncs(): void {
    for (const member of this.members.values()) {
      const reply = member.pendingSync;
      member.pendingSync = null;
      member.awaitingSync = false;
      member.assignment = NO_BYTES;
      if (reply !== null) this.scheduleSessionTimeout(member);
      reply?.(failedSync(ErrorCode.REBALANCE_IN_PROGRESS));
    }
  }

  private expirePendingSyncs(): void {
    this.cancelSync = null;
    const late = [...this.members.values()].filter(({ awaitingSync }) => awaitingSync);
    for (const member of late) this.removeMember(member, ErrorCode.UNKNOWN_MEMBER_ID);
    if (late.length > 0) this.rebalance();
  }

  // ------------------------------------------------------------ heartbeats, leaving, commits

  heartbeat(identity: MemberIdentity, generationId: number): number {
    const member = this.findCurrentMember(identity, generationId);
    if (typeof member === 'number') return member;
    this.scheduleSessionTimeout(member);
    return this.state === 'PreparingRebalance' ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
  }

  /** A static member may be identified by `group.instance.id` alone, as admin clients do. */
  leave({ memberId, groupInstanceId }: MemberIdentity): number {
    if (this.state === 'Dead') return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    if (this.removePending(memberId)) {
      this.completeJoinIfAllJoined();
      return ErrorCode.NONE;
    }
    const named = groupInstanceId !== null && memberId === '' ? this.staticIds.get(groupInstanceId) : memberId;
    const member = this.findMember({ memberId: named ?? '', groupInstanceId });
    if (typeof member === 'number') return member;
    this.removeMember(member, ErrorCode.UNKNOWN_MEMBER_ID);
    this.rebalance();
    return ErrorCode.NONE;
  }

  /**
   * Whether the offset commit is allowed, as an error code. A commit without member and generation comes from an admin
   * client or from a consumer with manual assignment, and is allowed while the group is empty. In a transaction it
   * comes from an old client, which is fenced by its producer epoch.
   */
  checkCommit(identity: MemberIdentity, generationId: number, transactional: boolean): number {
    const { memberId, groupInstanceId } = identity;
    if (this.state === 'Dead') return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    if (generationId < 0 && this.state === 'Empty') return ErrorCode.NONE;
    if (generationId < 0 && memberId === '' && groupInstanceId === null) {
      return transactional ? ErrorCode.NONE : ErrorCode.UNKNOWN_MEMBER_ID;
    }
    const member = this.findCurrentMember(identity, generationId);
    if (typeof member === 'number') return member;
    if (!transactional && this.state === 'CompletingRebalance') return ErrorCode.REBALANCE_IN_PROGRESS;
    this.scheduleSessionTimeout(member);
    return ErrorCode.NONE;
  }

  /** Fails all pending and later requests. */
  close(): void {
    this.state = 'Dead';
    this.cancelJoin?.();
    this.cancelSync?.();
    for (const id of [...this.pending.keys()]) this.removePending(id);
    for (const member of [...this.members.values()]) this.removeMember(member, ErrorCode.COORDINATOR_NOT_AVAILABLE);
  }

  // ------------------------------------------------------------ members

  private findMember({ memberId, groupInstanceId }: MemberIdentity): Member | number {
    if (groupInstanceId !== null) {
      const known = this.staticIds.get(groupInstanceId);
      if (known === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
      if (known !== memberId) return ErrorCode.FENCED_INSTANCE_ID;
    }
    return this.members.get(memberId) ?? ErrorCode.UNKNOWN_MEMBER_ID;
  }

  private findCurrentMember(identity: MemberIdentity, generationId: number): Member | number {
    if (this.state === 'Dead') return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    const member = this.findMember(identity);
    if (typeof member === 'number') return member;
    return generationId === this.generation ? member : ErrorCode.ILLEGAL_GENERATION;
  }

  private removePending(id: string): boolean {
    this.pending.get(id)?.();
    return this.pending.delete(id);
  }

  private scheduleSessionTimeout(member: Member, withinMs = member.sessionTimeoutMs): void {
    member.cancelSession?.();
    member.cancelSession = this.clock.schedule(withinMs, () => {
      // While a response is pending, the member cannot send heartbeats; the response restarts the session.
      if ((member.pendingJoin !== null && !member.isNew) || member.pendingSync !== null) return;
      this.removeMember(member, ErrorCode.UNKNOWN_MEMBER_ID);
      this.rebalance();
    });
  }

  private removeMember(member: Member, errorCode: number): void {
    member.cancelSession?.();
    this.members.delete(member.id);
    if (member.instanceId !== null) this.staticIds.delete(member.instanceId);
    if (this.leaderId === member.id) this.leaderId = this.members.keys().next().value ?? null;
    member.pendingJoin?.(failedJoin(errorCode, member.id));
    member.pendingSync?.(failedSync(errorCode));
    member.pendingJoin = member.pendingSync = null;
  }
}

/** A request may omit the value (null). */
const differs = (requested: string | null, current: string | null): boolean =>
  requested !== null && requested !== current;
