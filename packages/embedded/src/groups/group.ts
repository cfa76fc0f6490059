/**
 * One group of the classic protocol as a state machine: who is in it, which generation, what each waits for. It does no
 * I/O; answers that must wait are kept as callbacks, and time comes from the clock. Behaviour is that of Kafka's own
 * coordinator.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock';
import { ErrorCode } from '../protocol/errors';
import {
  commonProtocols,
  electProtocol,
  Member,
  NO_BYTES,
  refusedJoin,
  refusedSync,
  subscribedTopics,
  type JoinRequest,
  type JoinResult,
  type MemberIdentity,
  type SyncRequest,
  type SyncResult,
} from './member';

export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead';

export interface GroupSettings {
  /** `group.initial.rebalance.delay.ms`: how long the first join of an empty group waits for company. */
  readonly initialRebalanceDelayMs: number;
}

/** A member without an id cannot send heartbeats while its first join waits. As in Kafka. */
const NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000;

export class Group {
  state: GroupState = 'Empty';
  leaderId: string | null = null;
  protocolName: string | null = null;
  readonly members = new Map<string, Member>();
  private readonly staticIds = new Map<string, string>();
  /** Ids given out and not yet used to join, each with what ends the wait for it. */
  private readonly pending = new Map<string, () => void>();
  /** The rebalance began with nobody, so its delay is waited out even when all known members are here. */
  private initialRebalance = false;
  private grewInDelay = false;
  private cancelJoin: (() => void) | null = null;
  private cancelSync: (() => void) | null = null;

  /** @param onSettled a generation has its assignment, or nobody is left. */
  constructor(
    readonly id: string,
    private readonly clock: Clock,
    private readonly settings: GroupSettings,
    private readonly onSettled: (group: Group) => void = () => undefined,
    public generation = 0,
    /** '' before anyone joined: offsets alone make such a group. */
    public protocolType = '',
    /** Since when nobody is in it, milliseconds; null: somebody is. */
    public emptySince: number | null = clock.now(),
  ) {}

  get isIdle(): boolean {
    return this.members.size === 0 && this.pending.size === 0;
  }

  /** Somebody consumes this topic, as far as can be told from outside. */
  reads(topic: string): boolean {
    return [...this.members.values()].some((member) => {
      const topics = subscribedTopics(member.metadata(this.protocolName ?? member.protocols[0]?.name ?? null));
      return topics === null || topics.includes(topic);
    });
  }

  // ------------------------------------------------------------ joining

  join(request: JoinRequest, reply: (result: JoinResult) => void): void {
    const refuse = (errorCode: number): void => reply(refusedJoin(errorCode, request.memberId));
    if (this.state === 'Dead') return refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    if (!this.canSpeakWith(request)) return refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    if (request.memberId === '') return this.joinWithoutId(request, reply);
    if (this.pending.has(request.memberId)) {
      // Only dynamic members are sent away with an id.
      if (request.groupInstanceId !== null) return refuse(ErrorCode.UNKNOWN_MEMBER_ID);
      return this.add(request.memberId, request, reply);
    }
    const member = this.find(request);
    if (typeof member === 'number') return refuse(member);
    this.joinAgain(member, request, reply);
  }

  private canSpeakWith({ protocolType, protocols }: JoinRequest): boolean {
    if (protocolType === '' || protocols.length === 0) return false;
    if (this.members.size === 0) return true;
    const common = commonProtocols([...this.members.values()]);
    return protocolType === this.protocolType && protocols.some(({ name }) => common.includes(name));
  }

  private joinWithoutId(request: JoinRequest, reply: (result: JoinResult) => void): void {
    const { groupInstanceId, clientId } = request;
    const id = `${groupInstanceId ?? clientId}-${randomUUID()}`;
    const replaced = groupInstanceId === null ? undefined : this.staticIds.get(groupInstanceId);
    if (replaced !== undefined) return this.replaceStatic(replaced, id, request, reply);
    if (groupInstanceId !== null || !request.requireKnownMemberId) return this.add(id, request, reply);
    const forget = this.clock.schedule(request.sessionTimeoutMs, () => {
      this.pending.delete(id);
      this.completeJoinIfAllHere();
    });
    this.pending.set(id, forget);
    reply(refusedJoin(ErrorCode.MEMBER_ID_REQUIRED, id));
  }

  private add(id: string, request: JoinRequest, reply: (result: JoinResult) => void): void {
    this.forgetPending(id);
    if (this.members.size === 0) this.protocolType = request.protocolType;
    const member = new Member(id, request.groupInstanceId);
    member.update(request);
    member.joining = reply;
    this.members.set(id, member);
    if (member.instanceId !== null) this.staticIds.set(member.instanceId, id);
    this.leaderId ??= id;
    this.grewInDelay = true;
    this.expectHeartbeat(member, NEW_MEMBER_JOIN_TIMEOUT_MS);
    this.rebalance();
  }

  private joinAgain(member: Member, request: JoinRequest, reply: (result: JoinResult) => void): void {
    const unchanged = member.offersTheSame(request.protocols);
    // The answer to its last join, or its assignment, was lost: nothing needs to move for that.
    if (unchanged && this.state === 'CompletingRebalance') return reply(this.joined(member));
    if (unchanged && this.state === 'Stable' && member.id !== this.leaderId) return reply(this.joined(member));
    member.update(request);
    this.waitForJoin(member, reply);
    this.rebalance();
  }

  /** The process that held this name is taken to be gone, or must go. */
  private replaceStatic(oldId: string, id: string, request: JoinRequest, reply: (result: JoinResult) => void): void {
    const old = this.members.get(oldId) as Member;
    const leader = this.leaderId;
    const member = new Member(id, old.instanceId);
    member.assignment = old.assignment;
    member.owesSync = old.owesSync;
    member.isNew = false;
    this.detach(old, ErrorCode.FENCED_INSTANCE_ID);
    this.members.set(id, member);
    this.staticIds.set(member.instanceId as string, id);
    member.update(request);
    if (leader === oldId) this.leaderId = id;
    this.expectHeartbeat(member);
    if (this.state === 'Stable' && electProtocol([...this.members.values()]) === this.protocolName) {
      // It is told of the leader before it, so that it does not assign anew what nobody would ask for.
      return reply({ ...this.joined(member), leader: leader ?? '', members: [] });
    }
    this.waitForJoin(member, reply);
    this.rebalance();
  }

  /** A join sent twice: the first connection is gone or will not be listened to. */
  private waitForJoin(member: Member, reply: (result: JoinResult) => void): void {
    member.joining?.(refusedJoin(ErrorCode.REBALANCE_IN_PROGRESS, member.id));
    member.joining = reply;
  }

  private joined(member: Member): JoinResult {
    const members = [...this.members.values()].map((each) => each.toLeader(this.protocolName));
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
    if (this.state === 'PreparingRebalance') return this.completeJoinIfAllHere();
    if (this.state === 'Dead') return;
    if (this.state === 'CompletingRebalance') this.refuseSyncs();
    this.cancelSync?.();
    this.cancelSync = null;
    this.initialRebalance = this.state === 'Empty';
    this.state = 'PreparingRebalance';
    const delay = this.settings.initialRebalanceDelayMs;
    if (this.initialRebalance && delay > 0) this.waitForCompany(delay, this.rebalanceTimeoutMs() - delay);
    else if (this.initialRebalance || this.allHere()) this.completeJoin();
    else this.cancelJoin = this.clock.schedule(this.rebalanceTimeoutMs(), () => this.completeJoin());
  }

  /** Each newcomer prolongs the delay, up to the rebalance timeout. */
  private waitForCompany(delayMs: number, remainingMs: number): void {
    this.grewInDelay = false;
    this.cancelJoin = this.clock.schedule(delayMs, () => {
      const next = Math.min(this.settings.initialRebalanceDelayMs, remainingMs);
      if (this.grewInDelay && next > 0) this.waitForCompany(next, remainingMs - next);
      else this.completeJoin();
    });
  }

  private rebalanceTimeoutMs(): number {
    return Math.max(0, ...[...this.members.values()].map((member) => member.rebalanceTimeoutMs));
  }

  private allHere(): boolean {
    return this.pending.size === 0 && [...this.members.values()].every((member) => member.joining !== null);
  }

  private completeJoinIfAllHere(): void {
    if (this.state === 'PreparingRebalance' && !this.initialRebalance && this.allHere()) this.completeJoin();
  }

  private completeJoin(): void {
    this.cancelJoin?.();
    this.cancelJoin = null;
    for (const member of [...this.members.values()]) {
      // Static members that are away keep their place until their session ends.
      if (member.joining === null && member.instanceId === null) this.detach(member, ErrorCode.UNKNOWN_MEMBER_ID);
    }
    if (this.members.size > 0 && !this.electLeader()) {
      this.cancelJoin = this.clock.schedule(this.rebalanceTimeoutMs(), () => this.completeJoin());
      return;
    }
    this.initialRebalance = false;
    this.generation++;
    this.protocolName = electProtocol([...this.members.values()]);
    if (this.members.size === 0) {
      this.state = 'Empty';
      this.emptySince = this.clock.now();
      this.leaderId = null;
      this.onSettled(this);
      return;
    }
    this.state = 'CompletingRebalance';
    this.emptySince = null;
    for (const member of this.members.values()) {
      const reply = member.joining;
      member.joining = null;
      member.isNew = false;
      member.owesSync = true;
      this.expectHeartbeat(member);
      reply?.(this.joined(member));
    }
    this.cancelSync = this.clock.schedule(this.rebalanceTimeoutMs(), () => this.dropThoseWithoutSync());
  }

  private electLeader(): boolean {
    const present = [...this.members.values()].filter((member) => member.joining !== null);
    const leader = present.find(({ id }) => id === this.leaderId) ?? present[0];
    if (leader !== undefined) this.leaderId = leader.id;
    return leader !== undefined;
  }

  // ------------------------------------------------------------ syncing

  sync(request: SyncRequest, reply: (result: SyncResult) => void): void {
    const member = this.findCurrent(request, request.generationId);
    if (typeof member === 'number') return reply(refusedSync(member));
    if (differs(request.protocolType, this.protocolType) || differs(request.protocolName, this.protocolName)) {
      return reply(refusedSync(ErrorCode.INCONSISTENT_GROUP_PROTOCOL));
    }
    if (this.state === 'PreparingRebalance') return reply(refusedSync(ErrorCode.REBALANCE_IN_PROGRESS));
    member.owesSync = false;
    this.expectHeartbeat(member);
    if (this.state === 'Stable') reply(this.synced(member));
    else {
      member.syncing?.(refusedSync(ErrorCode.REBALANCE_IN_PROGRESS));
      member.syncing = reply;
      if (member.id === this.leaderId) this.distribute(request.assignments);
    }
    if ([...this.members.values()].some(({ owesSync }) => owesSync)) return;
    this.cancelSync?.();
    this.cancelSync = null;
  }

  private distribute(assignments: SyncRequest['assignments']): void {
    const byMember = new Map(assignments.map(({ memberId, assignment }) => [memberId, assignment]));
    this.state = 'Stable';
    for (const member of this.members.values()) {
      member.assignment = byMember.get(member.id) ?? NO_BYTES;
      const reply = member.syncing;
      member.syncing = null;
      if (reply !== null) this.expectHeartbeat(member);
      reply?.(this.synced(member));
    }
    this.onSettled(this);
  }

  private synced(member: Member): SyncResult {
    const { protocolType, protocolName } = this;
    return { errorCode: ErrorCode.NONE, protocolType, protocolName, assignment: member.assignment };
  }

  private refuseSyncs(): void {
    for (const member of this.members.values()) {
      const reply = member.syncing;
      member.syncing = null;
      member.owesSync = false;
      member.assignment = NO_BYTES;
      if (reply !== null) this.expectHeartbeat(member);
      reply?.(refusedSync(ErrorCode.REBALANCE_IN_PROGRESS));
    }
  }

  private dropThoseWithoutSync(): void {
    this.cancelSync = null;
    const late = [...this.members.values()].filter(({ owesSync }) => owesSync);
    for (const member of late) this.detach(member, ErrorCode.UNKNOWN_MEMBER_ID);
    if (late.length > 0) this.rebalance();
  }

  // ------------------------------------------------------------ staying and leaving

  heartbeat(identity: MemberIdentity, generationId: number): number {
    const member = this.findCurrent(identity, generationId);
    if (typeof member === 'number') return member;
    this.expectHeartbeat(member);
    return this.state === 'PreparingRebalance' ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
  }

  /** A static member may be named by its instance alone, as an administrator does. */
  leave({ memberId, groupInstanceId }: MemberIdentity): number {
    if (this.state === 'Dead') return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    if (this.forgetPending(memberId)) {
      this.completeJoinIfAllHere();
      return ErrorCode.NONE;
    }
    const named = groupInstanceId !== null && memberId === '' ? this.staticIds.get(groupInstanceId) : memberId;
    const member = this.find({ memberId: named ?? '', groupInstanceId });
    if (typeof member === 'number') return member;
    this.detach(member, ErrorCode.UNKNOWN_MEMBER_ID);
    this.rebalance();
    return ErrorCode.NONE;
  }

  /**
   * May these offsets be committed? A commit without member and generation is an administrator's, or a consumer's that
   * assigns itself: welcome while nobody else is here. In a transaction such a commit is an old client's, whose
   * producer epoch protects it.
   */
  checkCommit(identity: MemberIdentity, generationId: number, transactional: boolean): number {
    const { memberId, groupInstanceId } = identity;
    if (this.state === 'Dead') return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    if (generationId < 0 && this.state === 'Empty') return ErrorCode.NONE;
    if (generationId < 0 && memberId === '' && groupInstanceId === null) {
      return transactional ? ErrorCode.NONE : ErrorCode.UNKNOWN_MEMBER_ID;
    }
    const member = this.findCurrent(identity, generationId);
    if (typeof member === 'number') return member;
    if (!transactional && this.state === 'CompletingRebalance') return ErrorCode.REBALANCE_IN_PROGRESS;
    this.expectHeartbeat(member);
    return ErrorCode.NONE;
  }

  /** Refuses everything from now on. */
  die(): void {
    this.state = 'Dead';
    this.cancelJoin?.();
    this.cancelSync?.();
    for (const id of [...this.pending.keys()]) this.forgetPending(id);
    for (const member of [...this.members.values()]) this.detach(member, ErrorCode.COORDINATOR_NOT_AVAILABLE);
  }

  // ------------------------------------------------------------ members

  private find({ memberId, groupInstanceId }: MemberIdentity): Member | number {
    if (groupInstanceId !== null) {
      const known = this.staticIds.get(groupInstanceId);
      if (known === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
      if (known !== memberId) return ErrorCode.FENCED_INSTANCE_ID;
    }
    return this.members.get(memberId) ?? ErrorCode.UNKNOWN_MEMBER_ID;
  }

  private findCurrent(identity: MemberIdentity, generationId: number): Member | number {
    if (this.state === 'Dead') return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    const member = this.find(identity);
    if (typeof member === 'number') return member;
    return generationId === this.generation ? member : ErrorCode.ILLEGAL_GENERATION;
  }

  private forgetPending(id: string): boolean {
    this.pending.get(id)?.();
    return this.pending.delete(id);
  }

  private expectHeartbeat(member: Member, withinMs = member.sessionTimeoutMs): void {
    member.cancelSession?.();
    member.cancelSession = this.clock.schedule(withinMs, () => {
      // Who waits for us is not late; the answer starts the session anew.
      if ((member.joining !== null && !member.isNew) || member.syncing !== null) return;
      this.detach(member, ErrorCode.UNKNOWN_MEMBER_ID);
      this.rebalance();
    });
  }

  private detach(member: Member, errorCode: number): void {
    member.cancelSession?.();
    this.members.delete(member.id);
    if (member.instanceId !== null) this.staticIds.delete(member.instanceId);
    if (this.leaderId === member.id) this.leaderId = this.members.keys().next().value ?? null;
    member.joining?.(refusedJoin(errorCode, member.id));
    member.syncing?.(refusedSync(errorCode));
    member.joining = member.syncing = null;
  }
}

/** Null means: not said. */
const differs = (said: string | null, known: string | null): boolean => said !== null && said !== known;
