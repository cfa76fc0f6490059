/** This worker's membership in the group. Source: connect-runtime §2. */
import { monotonicNow, sleep } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import type {
  KafkaError,
  ClientConfig,
  GroupMember,
  GroupMemberInfo,
  GroupProtocol,
  JoinedGroup,
  KafkaClients,
} from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { GroupMetrics } from '../../metrics/group-metrics';
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { SessionLease } from '../../tasks/session-lease';
import type { Absence } from '../entities';
import {
  decodeAssignment,
  encodeMetadata,
  offeredProtocols,
  type Assignment,
  type ConnectProtocolName,
  type MemberMetadata,
} from './connect-protocol';
import { configuredWork } from './leader-assignment';
import { Leadership } from './leadership';
import { memberLines, type KnownWorkers } from './member-lines';
import type { PastGenerations } from './reservations';
import { logSigningChange } from './signing-changes';
import { intersection, isEmpty, minus, NO_WORK, union, type Work } from './work';

/** How long a leader waits for other members to fetch their assignments before it rejoins. */
const REVOCATION_WAIT_MS = 1_000;
/** A worker that returns waits for the others' heartbeats, which tell them that it has joined. */
const HEARTBEAT_WHILE_MISSING_MS = 500;

export interface MembershipSettings {
  readonly groupId: string;
  readonly connectProtocol: 'eager' | 'compatible' | 'sessioned';
  /** Accept only signed internal requests, whatever the protocol of the group. (Default: only under `sessioned`) */
  readonly alwaysVerifies?: boolean;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly scheduledRebalanceMaxDelayMs: number;
}

/** The configuration that this worker knows. */
export interface GroupConfig {
  newest(): ConfigSnapshot;
  /** For a join: the rebalance that follows covers everything read so far. */
  coverByRebalance(): ConfigSnapshot;
  /** What the config topic has been read to, for the other members. */
  readonly offset: number;
}

/** The connectors and tasks that run on this worker. */
export interface RunningWork {
  /** Resolves when none of it runs any more. */
  stop(work: Work): Promise<void>;
  /** Stops at once, without writing statuses, what other members may be running already. */
  cancelLost(work: Work): Promise<void>;
}

export interface MembershipOptions {
  readonly clients: KafkaClients;
  readonly client: ClientConfig;
  readonly settings: MembershipSettings;
  /** Advertised REST URL with its trailing slash. */
  readonly workerUrl: string;
  /** Worker id of the worker that ran the connector (`task` null) or task last; null if unknown. */
  readonly ranOn: PastGenerations['ranOn'];
  readonly configs: GroupConfig;
  /** Checked before anything is sent to Kafka. */
  readonly lease: SessionLease;
  /** Called when this worker has left its group, with the reason, and when it is a member again (null). */
  readonly onMember: (absence: Absence | null) => void;
  /** Wakes the tick. */
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

/** The work that a worker reports when it rejoins after losing its membership, so that it gets it back. */
interface Claim {
  readonly allocation: Assignment;
  /** Absolute, milliseconds. */
  readonly validUntil: number;
}

export class Membership {
  private readonly member: GroupMember;
  private readonly leadership: Leadership;
  private readonly now: () => number;
  private readonly aborter = new AbortController();
  /** Aborts the join in progress, so that lost work is stopped first. */
  private joining: AbortController | null = null;
  private current: Current | null = null;
  /** The group's last protocol; before the first rebalance, the newest one that this worker supports. */
  private lastProtocol: ConnectProtocolName;
  private owned: Work = NO_WORK;
  /** The work that the join in progress reports as this worker's. */
  private reported: Work = NO_WORK;
  private claim: Claim | null = null;
  private lost = false;
  private outSince: Absence | null = null;
  /** The group's workers at the last rebalance; null: this worker was not a member. */
  private known: KnownWorkers | null = null;
  /** Left on purpose and not rejoined yet; owned work still runs. */
  private left = false;
  private joinSnapshot: ConfigSnapshot;
  private ownMetadata: readonly GroupProtocol[] = [];
  private lastCompletedGeneration = -1;
  private scheduled: number | null = null;
  /** Worker id of each worker that was missing in the last rebalance → end of its delay; absolute, milliseconds. */
  private missing: ReadonlyMap<string, number> = new Map();

  constructor(private readonly options: MembershipOptions) {
    const { settings, clients, client, lease } = options;
    this.now = options.now ?? monotonicNow;
    this.leadership = new Leadership(settings.scheduledRebalanceMaxDelayMs, this.now);
    [this.lastProtocol] = offeredProtocols(settings.connectProtocol);
    this.joinSnapshot = options.configs.newest();
    this.member = clients.groupMember(client, {
      groupId: settings.groupId,
      protocolType: 'connect',
      sessionTimeoutMs: settings.sessionTimeoutMs,
      heartbeatIntervalMs: settings.heartbeatIntervalMs,
      rebalanceTimeoutMs: settings.rebalanceTimeoutMs,
      metrics: options.metrics,
      onSessionExtended: (sent) => lease.renew(sent),
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
  /** Whether internal requests carry signatures. Known without a membership, too: they are processed after the join. */
  get signsRequests(): boolean {
    return this.lastProtocol === 'sessioned';
  }
  /** Whether this worker accepts only signed internal requests. */
  get requiresSignatures(): boolean {
    return this.signsRequests || this.options.settings.alwaysVerifies === true;
  }
  /** Whether this worker leads a group without Java workers, whose internal requests have no marks. */
  get requiresMarks(): boolean {
    return this.isLeader && this.leadership.allMark;
  }
  /** This worker's part of the last rebalance. */
  get assignment(): Assignment | null {
    return this.current?.assignment ?? null;
  }
  /** Everything assigned to this worker. */
  get work(): Work {
    return this.owned;
  }
  /** When all members must rejoin; absolute, milliseconds. */
  get scheduledRebalance(): number | null {
    return this.scheduled;
  }
  get needsJoin(): boolean {
    return this.lost || this.left || this.current === null || this.member.needsJoin;
  }
  /** True if other members may be running the owned work; the next join stops it first. */
  get isLost(): boolean {
    return this.lost;
  }
  get isMember(): boolean {
    return this.current !== null && !this.lost && !this.left;
  }
  /** Null: this worker is a member, or has not been one yet. The reason is why it does not return, if that is known. */
  get absence(): Absence | null {
    const reason = this.member.joinFailure?.message;
    return this.outSince && reason !== undefined ? { ...this.outSince, reason } : this.outSince;
  }
  /** True while the group uses the eager protocol. */
  get eager(): boolean {
    return this.current?.protocol === 'default';
  }

  /** Leader only: URL of the worker that runs the connector. */
  connectorOwner(connector: string): string | null {
    return this.leadership.connectorOwner(connector);
  }
  /** Leader only. */
  taskOwner(task: ConnectorTaskId): string | null {
    return this.leadership.taskOwner(task);
  }
  /** Leader only: whether any member reported at the last rebalance that it was running a task of the connector. */
  wasRunningTasksOf(connector: string): boolean {
    return this.leadership.wasRunningTasksOf(connector);
  }

  /** One rebalance: stops revoked work and accepts the assignment; starts nothing. Rejects when joining fails. */
  async join(running: RunningWork): Promise<void> {
    const { metrics } = this.options;
    const began = this.now();
    metrics.rebalancing = true;
    if (this.lost) await this.dropLostWork(running);
    else if (this.eager) await this.dropWork(running);
    if (this.lost || this.left) this.known = null;
    this.lost = false;
    this.left = false;
    this.leadership.forgetOwners();
    this.joining = new AbortController();
    const signal = AbortSignal.any([this.aborter.signal, this.joining.signal]);
    try {
      await this.apply(await this.member.join(signal), running);
      metrics.workerRebalances.record(this.now() - began);
      metrics.rebalancing = false;
    } finally {
      this.joining = null;
    }
    this.member.whenNeedsJoin(this.aborter.signal).then(this.options.wake, () => undefined);
  }

  /**
   * Waits for other members to receive their revocations. A leader that rejoins at once cuts off members that have not
   * fetched their assignment yet. They would keep running revoked work, and if two members ran it, the one that stops
   * would write UNASSIGNED as its last status. Resolves when a member rejoins, having stopped its part, or after a
   * second.
   */
  async awaitRevocations(): Promise<void> {
    if (!this.isLeader || !this.leadership.revokesFromOthers) return;
    const done = new AbortController();
    const signal = AbortSignal.any([this.aborter.signal, done.signal]);
    await Promise.race([this.member.whenNeedsJoin(signal), sleep(REVOCATION_WAIT_MS, signal)]).catch(() => undefined);
    done.abort();
  }

  requestRejoin(reason: string): void {
    this.options.logger.debug(`Rejoining the group: ${reason}`);
    this.scheduled = null;
    this.member.requestRejoin(reason);
  }

  /** Stops all owned work and forgets it; the next join reports nothing. */
  async dropWork(running: RunningWork): Promise<void> {
    const work = this.owned;
    const isLost = this.lost || this.left;
    if (isLost) this.options.lease.end();
    this.owned = NO_WORK;
    this.claim = null;
    this.current = null;
    this.scheduled = null;
    if (isEmpty(work)) return;
    if (isLost) await running.cancelLost(work);
    else await running.stop(work);
  }

  /**
   * Other members may be assigned this worker's work, so it is stopped. Until the delay for departed workers is over
   * they are not, and a worker that rejoins in time claims its work. Otherwise the only worker of a group would wait
   * out the whole delay for itself.
   */
  private async dropLostWork(running: RunningWork): Promise<void> {
    const claim =
      this.current === null || this.eager
        ? this.claim
        : {
            allocation: this.allocation(this.current.assignment, this.owned),
            validUntil: this.now() + this.options.settings.scheduledRebalanceMaxDelayMs,
          };
    await this.dropWork(running);
    this.claim = claim;
  }

  /** Leaves, so that the other members need not wait for this worker. It rejoins later. */
  async leave(reason: string): Promise<void> {
    this.left = true;
    this.isOut(reason);
    // Its work is not reassigned before this delay is over.
    this.options.lease.keepFor(this.eager ? 0 : this.options.settings.scheduledRebalanceMaxDelayMs);
    await this.member.leave(reason);
  }

  /** Ends a pending join; no further join is possible. */
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

  private protocols(): GroupProtocol[] {
    this.joinSnapshot = this.options.configs.coverByRebalance();
    const allocation = this.current === null ? this.claimed() : this.allocation(this.current.assignment, this.owned);
    this.reported = allocation?.assigned ?? NO_WORK;
    const metadata: MemberMetadata = {
      url: this.options.workerUrl,
      configOffset: this.options.configs.offset,
      allocation,
      reserves: true,
      marks: true,
    };
    const protocols = offeredProtocols(this.options.settings.connectProtocol).map((name) => ({
      name,
      metadata: encodeMetadata(name, metadata),
    }));
    this.ownMetadata = protocols;
    return protocols;
  }

  private allocation(assignment: Assignment, assigned: Work): Assignment {
    const remaining = (until: number): number => Math.max(0, Math.ceil(until - this.now()));
    const missing = new Map([...this.missing].map(([worker, until]) => [worker, remaining(until)]));
    return { ...assignment, assigned, revoked: NO_WORK, delay: 0, ...(assignment.missing && { missing }) };
  }

  private claimed(): Assignment | null {
    if (this.claim === null) return null;
    const { allocation, validUntil } = this.claim;
    if (this.now() < validUntil)
      return this.allocation(allocation, intersection(allocation.assigned, configuredWork(this.joinSnapshot)));
    // As leader, this worker would otherwise wait once more for workers that were missing when it lost its membership.
    this.leadership.reset();
    this.claim = null;
    return null;
  }

  private assign(
    protocol: ConnectProtocolName,
    members: readonly GroupMemberInfo[],
    generation: number,
  ): Map<string, Buffer> {
    return this.leadership.assign(members, {
      protocol,
      leaderId: this.ownMemberId(protocol, members),
      generation,
      lastCompletedGeneration: this.lastCompletedGeneration,
      snapshot: this.joinSnapshot,
      freshSnapshot: () => this.options.configs.newest(),
      ranOn: this.options.ranOn,
    });
  }

  /** Only this worker sent exactly these bytes: they contain its URL. */
  private ownMemberId(protocol: string, members: readonly GroupMemberInfo[]): string {
    const own = this.ownMetadata.find(({ name }) => name === protocol)?.metadata;
    return members.find(({ metadata }) => own?.equals(metadata))?.memberId ?? this.member.current?.memberId ?? '';
  }

  private async apply(joined: JoinedGroup, running: RunningWork): Promise<void> {
    const assignment = decodeAssignment(joined.assignment);
    const protocol = joined.protocol as ConnectProtocolName;
    this.current = { joined, protocol, assignment };
    if (this.outSince !== null) this.options.onMember(null);
    this.outSince = null;
    const { settings, logger } = this.options;
    logSigningChange(this.lastProtocol, protocol, settings.alwaysVerifies === true, logger);
    this.lastProtocol = protocol;
    this.lastCompletedGeneration = joined.generation;
    this.scheduled = assignment.delay > 0 ? this.now() + assignment.delay : null;
    this.missing = new Map([...(assignment.missing ?? [])].map(([worker, delay]) => [worker, this.now() + delay]));
    this.member.heartbeatAtLeastEvery(this.missing.size > 0 ? HEARTBEAT_WHILE_MISSING_MS : null);
    if (joined.leaderId !== joined.memberId) this.leadership.forgetOwners();
    this.claim = null;
    const before = this.owned;
    this.owned =
      protocol === 'default'
        ? assignment.assigned
        : union(minus(this.reported, assignment.revoked), assignment.assigned);
    if (this.known === null) logger.info(`Joined the group '${settings.groupId}'`);
    logger.debug(`Joined generation ${joined.generation} of the group`, {
      protocol,
      leader: assignment.leaderUrl,
      configMismatch: assignment.configMismatch,
      connectors: this.owned.connectors.length,
      tasks: this.owned.tasks.length,
      revoked: assignment.revoked.connectors.length + assignment.revoked.tasks.length,
      delay: assignment.delay,
    });
    this.logMembers(assignment, joined.leaderId === joined.memberId);
    // Under the eager protocol everything was stopped before the join.
    const revoked = protocol === 'default' ? before : assignment.revoked;
    if (!isEmpty(revoked)) await running.stop(revoked);
  }

  private isOut(reason: string): void {
    if (this.outSince !== null) return;
    this.outSince = { since: Date.now(), reason };
    this.options.onMember(this.outSince);
  }

  private logMembers({ leaderUrl, delay }: Assignment, isLeader: boolean): void {
    const { lines, known } = memberLines(this.known, isLeader ? this.leadership.workers : null, leaderUrl, delay);
    this.known = known;
    for (const line of lines) this.options.logger.info(line);
  }

  /** Other members may be running this worker's tasks already, so they are stopped next, whatever the tick is doing. */
  private onLost(error: KafkaError): void {
    this.options.logger.warn(`The worker lost its group membership; stopping its work: ${error.message}`);
    this.lost = true;
    this.isOut(error.message);
    this.options.lease.end();
    this.joining?.abort();
    this.options.wake();
  }
}
