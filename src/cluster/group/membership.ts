/** This worker's place in the group: joins, leads when elected, knows who owns what. Source: connect-runtime §2. */
import { sleep } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import type { KafkaError } from '../../kafka/errors';
import type {
  ClientConfig,
  GroupMember,
  GroupMemberInfo,
  GroupProtocol,
  JoinedGroup,
  KafkaClients,
} from '../../kafka/port';
import type { Logger } from '../../logging/logger';
import type { GroupMetrics } from '../../metrics/group-metrics';
import type { ConfigSnapshot } from '../../storage/config-snapshot';
import type { SessionLease } from '../../tasks/session-lease';
import { taskName } from '../../tasks/task-id';
import {
  decodeAssignment,
  decodeMetadata,
  encodeMetadata,
  offeredProtocols,
  type Assignment,
  type ConnectProtocolName,
  type MemberMetadata,
} from './connect-protocol';
import { configuredWork, LeaderAssignment } from './leader-assignment';
import { intersection, isEmpty, minus, NO_WORK, union, type Work } from './work';
import { monotonicNow } from '../monotonic-clock';

/** For the others to ask for their assignment, before the leader joins again. */
const OTHERS_HEAR_MS = 1_000;

export interface MembershipSettings {
  readonly groupId: string;
  readonly connectProtocol: 'eager' | 'compatible' | 'sessioned';
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly scheduledRebalanceMaxDelayMs: number;
}

export interface MembershipOptions {
  readonly clients: KafkaClients;
  readonly client: ClientConfig;
  readonly settings: MembershipSettings;
  /** Advertised REST URL with its trailing slash. */
  readonly workerUrl: string;
  readonly snapshot: () => ConfigSnapshot;
  /** The snapshot that a join is made with; everything read so far is covered by the rebalance that follows. */
  readonly joinSnapshot: () => ConfigSnapshot;
  /** Stops what is listed; resolves when it no longer runs. */
  readonly stopWork: (work: Work) => Promise<void>;
  /** Ends at once, without a word, what other members may be running by now. */
  readonly cancelLostWork: (work: Work) => Promise<void>;
  /** What runs here looks at it before it sends anything. */
  readonly lease: SessionLease;
  /** The tick has something to do. */
  readonly wake: () => void;
  readonly metrics: GroupMetrics;
  readonly logger: Logger;
  readonly now?: () => number;
}

interface Current {
  readonly joined: JoinedGroup;
  readonly protocol: ConnectProtocolName;
  readonly assignment: Assignment;
}

/** What a worker that lost its place would go on with if it is back before others are given it. */
interface Claim {
  readonly allocation: Assignment;
  /** Absolute, milliseconds. */
  readonly validUntil: number;
}

export class Membership {
  private readonly member: GroupMember;
  private leader: LeaderAssignment;
  private readonly now: () => number;
  private readonly aborter = new AbortController();
  /** Aborts the join that is under way, so that lost work is stopped first. */
  private joining: AbortController | null = null;
  private current: Current | null = null;
  /** What the group spoke last; before the first rebalance, what it will speak if nobody in it is older. */
  private spoken: ConnectProtocolName;
  /** Everything assigned so far. */
  private held: Work = NO_WORK;
  /** What the join under way reports as this worker's. */
  private reported: Work = NO_WORK;
  private claim: Claim | null = null;
  private lost = false;
  /** Left on purpose and not joined again; what is held still runs. */
  private left = false;
  private joinSnapshot: ConfigSnapshot;
  private ownMetadata: readonly GroupProtocol[] = [];
  private lastCompletedGeneration = -1;
  private scheduled: number | null = null;
  private owners: ReadonlyMap<string, Work> = new Map();
  /** Leader: the last assignment takes work from others. */
  private othersRevoke = false;
  private running: Work = NO_WORK;
  private urls: ReadonlyMap<string, string> = new Map();

  constructor(private readonly options: MembershipOptions) {
    const { settings, clients, client } = options;
    this.now = options.now ?? monotonicNow;
    this.leader = this.newLeader();
    [this.spoken] = offeredProtocols(settings.connectProtocol);
    this.joinSnapshot = options.snapshot();
    const { lease } = options;
    this.member = clients.groupMember(client, {
      groupId: settings.groupId,
      protocolType: 'connect',
      sessionTimeoutMs: settings.sessionTimeoutMs,
      heartbeatIntervalMs: settings.heartbeatIntervalMs,
      rebalanceTimeoutMs: settings.rebalanceTimeoutMs,
      metrics: options.metrics,
      onHeard: (sent) => lease.renew(sent),
      protocols: () => this.protocols(),
      assign: (protocol, members, generation) => this.assign(protocol as ConnectProtocolName, members, generation),
    });
    this.member.onLost = (error) => this.onLost(error);
  }

  /** -1 before the first rebalance. */
  get generation(): number {
    return this.current?.joined.generation ?? this.lastCompletedGeneration;
  }
  get isLeader(): boolean {
    return !this.left && this.current !== null && this.current.joined.leaderId === this.current.joined.memberId;
  }
  /** Null while no leader is known. */
  get leaderUrl(): string | null {
    return (!this.left && this.current?.assignment.leaderUrl) || null;
  }
  get protocol(): ConnectProtocolName | null {
    return this.current?.protocol ?? null;
  }
  /** Whether internal requests carry signatures; without a membership, too, since they are done with the next one. */
  get signsRequests(): boolean {
    return this.spoken === 'sessioned';
  }
  /** What the last rebalance said to this worker. */
  get assignment(): Assignment | null {
    return this.current?.assignment ?? null;
  }
  /** All that this worker is to run. */
  get work(): Work {
    return this.held;
  }
  /** When everyone must rejoin; absolute, milliseconds. */
  get scheduledRebalance(): number | null {
    return this.scheduled;
  }
  get needsJoin(): boolean {
    return this.lost || this.left || this.current === null || this.member.needsJoin;
  }
  /** True: what this worker held may be running elsewhere; the next join stops it first. */
  get isLost(): boolean {
    return this.lost;
  }

  /** Leader only: URL of the worker that runs the connector. */
  connectorOwner(connector: string): string | null {
    return this.owner((work) => work.connectors.includes(connector));
  }
  /** Leader only. */
  taskOwner(task: ConnectorTaskId): string | null {
    const name = taskName(task);
    return this.owner((work) => work.tasks.some((held) => taskName(held) === name));
  }

  /** Leader only: whether a member said, at the last rebalance, that it still ran a task of the connector. */
  wasRunningTasksOf(connector: string): boolean {
    return this.running.tasks.some((task) => task.connector === connector);
  }

  /**
   * One rebalance: stops what must be stopped and takes what is given; starts nothing. Rejects when the group can not
   * be joined.
   */
  async join(): Promise<void> {
    const { metrics } = this.options;
    const began = this.now();
    metrics.rebalancing = true;
    if (this.lost) await this.giveUpLostWork();
    else if (this.eager) await this.giveUpWork();
    this.lost = false;
    this.left = false;
    this.owners = new Map();
    this.joining = new AbortController();
    const signal = AbortSignal.any([this.aborter.signal, this.joining.signal]);
    try {
      await this.apply(await this.member.join(signal));
      metrics.workerRebalances.record(this.now() - began);
      metrics.rebalancing = false;
    } finally {
      this.joining = null;
    }
    this.watch();
  }

  /**
   * A leader that joins again at once cuts off members that have not asked for their assignment yet. They would go on
   * with what they were to stop, and if that ran twice, the goodbye of whoever did stop would be its last status.
   * Resolves when one of them joins again, having stopped its part, or a moment later.
   */
  async othersHear(): Promise<void> {
    if (!this.isLeader || !this.othersRevoke) return;
    const done = new AbortController();
    const signal = AbortSignal.any([this.aborter.signal, done.signal]);
    await Promise.race([this.member.whenNeedsJoin(signal), sleep(OTHERS_HEAR_MS, signal)]).catch(() => undefined);
    done.abort();
  }

  requestRejoin(reason: string): void {
    this.options.logger.info(`The group is to be joined again: ${reason}`);
    this.scheduled = null;
    this.member.requestRejoin(reason);
  }

  /** Stops everything this worker holds and forgets it; the next join reports nothing as running. */
  async giveUpWork(): Promise<void> {
    const work = this.held;
    const isLost = this.lost || this.left;
    if (isLost) this.options.lease.end();
    const stop = isLost ? this.options.cancelLostWork : this.options.stopWork;
    this.held = NO_WORK;
    this.claim = null;
    this.current = null;
    this.scheduled = null;
    if (!isEmpty(work)) await stop(work);
  }

  /**
   * Others may take what this worker held, so it is stopped; but until the delay for workers that left is over nobody
   * does, and whoever is back by then says what was its own. Otherwise the only worker of a group would wait for
   * itself, for the whole delay.
   */
  private async giveUpLostWork(): Promise<void> {
    const claim =
      this.current === null || this.eager
        ? this.claim
        : {
            allocation: this.allocation(this.current.assignment, this.held),
            validUntil: this.now() + this.options.settings.scheduledRebalanceMaxDelayMs,
          };
    await this.giveUpWork();
    this.claim = claim;
  }

  /** Leaves, so that others need not wait for this worker; it joins again later. */
  async leave(reason: string): Promise<void> {
    this.left = true;
    // So long its work is nobody else's.
    this.options.lease.keepFor(this.eager ? 0 : this.options.settings.scheduledRebalanceMaxDelayMs);
    await this.member.leave(reason);
  }

  /** Ends a pending join; no further one is possible. */
  abort(): void {
    this.aborter.abort();
  }

  /** Leaves for good. */
  async close(reason: string): Promise<void> {
    this.abort();
    try {
      if (this.member.current !== null) await this.member.leave(reason);
    } finally {
      await this.member.close();
    }
  }

  /** True while the group speaks the eager protocol. */
  get eager(): boolean {
    return this.current?.protocol === 'default';
  }

  private owner(test: (work: Work) => boolean): string | null {
    for (const [member, work] of this.owners) if (test(work)) return this.urls.get(member) ?? null;
    return null;
  }

  private protocols(): GroupProtocol[] {
    this.joinSnapshot = this.options.joinSnapshot();
    const allocation = this.current === null ? this.claimed() : this.allocation(this.current.assignment, this.held);
    this.reported = allocation?.assigned ?? NO_WORK;
    const metadata: MemberMetadata = {
      url: this.options.workerUrl,
      configOffset: this.joinSnapshot.offset,
      allocation,
    };
    const protocols = offeredProtocols(this.options.settings.connectProtocol).map((name) => ({
      name,
      metadata: encodeMetadata(name, metadata),
    }));
    this.ownMetadata = protocols;
    return protocols;
  }

  private allocation(assignment: Assignment, assigned: Work): Assignment {
    return { ...assignment, assigned, revoked: NO_WORK, delay: 0 };
  }

  private claimed(): Assignment | null {
    if (this.claim === null) return null;
    const { allocation, validUntil } = this.claim;
    if (this.now() < validUntil)
      return this.allocation(allocation, intersection(allocation.assigned, configuredWork(this.joinSnapshot)));
    // As leader, this worker would wait once more for those it missed when it was lost.
    this.leader = this.newLeader();
    this.claim = null;
    return null;
  }

  private newLeader(): LeaderAssignment {
    return new LeaderAssignment(this.options.settings.scheduledRebalanceMaxDelayMs, this.now);
  }

  private assign(
    protocol: ConnectProtocolName,
    members: readonly GroupMemberInfo[],
    generation: number,
  ): Map<string, Buffer> {
    const decoded = new Map(members.map(({ memberId, metadata }) => [memberId, decodeMetadata(metadata)]));
    const leaderId = this.ownMemberId(protocol, members);
    const { assignments, owners, running } = this.leader.assign({
      protocol,
      members: decoded,
      leaderId,
      generation,
      lastCompletedGeneration: this.lastCompletedGeneration,
      snapshot: this.joinSnapshot,
      freshSnapshot: this.options.snapshot,
    });
    this.owners = owners;
    this.running = running;
    this.othersRevoke = [...assignments].some(
      ([member, bytes]) => member !== leaderId && !isEmpty(decodeAssignment(bytes).revoked),
    );
    this.urls = new Map([...decoded].map(([member, { url }]) => [member, url]));
    return assignments;
  }

  /** Only this worker sent exactly these bytes: they hold its URL. */
  private ownMemberId(protocol: string, members: readonly GroupMemberInfo[]): string {
    const own = this.ownMetadata.find(({ name }) => name === protocol)?.metadata;
    return members.find(({ metadata }) => own?.equals(metadata))?.memberId ?? this.member.current?.memberId ?? '';
  }

  private async apply(joined: JoinedGroup): Promise<void> {
    const assignment = decodeAssignment(joined.assignment);
    const protocol = joined.protocol as ConnectProtocolName;
    this.current = { joined, protocol, assignment };
    this.spoken = protocol;
    this.lastCompletedGeneration = joined.generation;
    this.scheduled = assignment.delay > 0 ? this.now() + assignment.delay : null;
    if (joined.leaderId !== joined.memberId) this.owners = new Map();
    this.claim = null;
    const before = this.held;
    this.held =
      protocol === 'default'
        ? assignment.assigned
        : union(minus(this.reported, assignment.revoked), assignment.assigned);
    this.options.logger.info(`Joined generation ${joined.generation} of the group`, {
      protocol,
      leader: assignment.leaderUrl,
      configMismatch: assignment.configMismatch,
      connectors: this.held.connectors.length,
      tasks: this.held.tasks.length,
      revoked: assignment.revoked.connectors.length + assignment.revoked.tasks.length,
      delay: assignment.delay,
    });
    // Under the eager protocol everything was stopped before joining.
    const stop = protocol === 'default' ? before : assignment.revoked;
    if (!isEmpty(stop)) await this.options.stopWork(stop);
  }

  private watch(): void {
    this.member.whenNeedsJoin(this.aborter.signal).then(this.options.wake, () => undefined);
  }

  /** Others may be running this worker's tasks already: whatever the tick is doing, the work is stopped next. */
  private onLost(error: KafkaError): void {
    this.options.logger.warn(`The worker lost its place in the group, its work is stopped: ${error.message}`);
    this.lost = true;
    this.options.lease.end();
    this.joining?.abort();
    this.options.wake();
  }
}
