/**
 * Membership of a group of any protocol type: join, sync, background heartbeats, leave. Source: connect-runtime §2.1,
 * §2.6 and §2.8, kafka-client §2.
 */
import { sleep, backoffMs, type Logger } from '@millrace/sdk';
import { duration, integer } from '../client-settings';
import { KafkaError } from '../errors';
import { joinError, reactionTo, reactionToJoin, type Reaction } from './group-errors';
import { GroupRequests } from './group-requests';
import { HeartbeatLoop, SessionTimer, withHeartbeats } from './heartbeats';
import { readClocks, type ClientConfig, type GroupMember, type GroupMemberOptions, type JoinedGroup } from '../port';
import type { ClockReading } from '../port';
import type { JoinOutput, MemberIdentity } from '../protocol/group-membership';
import { errorName, protocolError } from '../protocol/protocol-error';
import type { Wire } from '../wire';

const LEAVE_TIMEOUT_MS = 5_000;

export interface GroupTimings {
  readonly requestTimeoutMs: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
}

export class KafkaGroupMember implements GroupMember {
  onLost: ((error: KafkaError) => void) | null = null;
  joinFailure: KafkaError | null = null;
  private memberId = '';
  private generation = -1;
  private joined: JoinedGroup | null = null;
  /** Why a join is due; null when none is. */
  private joinReason: string | null = 'initial join';
  private fatal: KafkaError | null = null;
  private joining: AbortController | null = null;
  private readonly waiters = new Set<() => void>();
  private readonly session: SessionTimer;
  private readonly heartbeats: HeartbeatLoop;
  private readonly requests: GroupRequests;
  private heartbeatEveryMs: number;
  private heartbeatFailures = 0;
  private closed = false;

  constructor(
    private readonly wire: Wire,
    private readonly options: GroupMemberOptions,
    private readonly timings: GroupTimings,
    private readonly logger: Logger,
  ) {
    this.requests = new GroupRequests(wire, options, timings.requestTimeoutMs);
    this.heartbeats = new HeartbeatLoop(options.heartbeatIntervalMs, () => this.heartbeat());
    this.heartbeatEveryMs = options.heartbeatIntervalMs;
    this.session = new SessionTimer(options.sessionTimeoutMs, () => {
      // While a join waits for the other members, the coordinator does not expect heartbeats.
      if (this.joining === null && this.generation !== -1) this.expireSession();
    });
  }

  get current(): JoinedGroup | null {
    return this.joined;
  }

  get needsJoin(): boolean {
    return this.joinReason !== null;
  }

  get sinceHeartbeatMs(): number {
    return this.session.elapsedMs;
  }

  get identity(): MemberIdentity {
    const { groupId, groupInstanceId = null } = this.options;
    return { groupId, groupInstanceId, memberId: this.memberId };
  }

  requestRejoin(reason: string): void {
    this.joinReason ??= reason;
    for (const wake of [...this.waiters]) wake();
  }

  whenNeedsJoin(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.waiters.delete(done);
        signal?.removeEventListener('abort', done);
        if (this.needsJoin) resolve();
        else reject(aborted());
      };
      if (this.needsJoin || signal?.aborted === true) return done();
      this.waiters.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  // ------------------------------------------------------------ joining

  async join(signal?: AbortSignal): Promise<JoinedGroup> {
    if (this.joining !== null) throw new KafkaError('ILLEGAL_STATE', 'This member is already joining');
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    this.joining = attempt;
    signal?.addEventListener('abort', abort);
    if (signal?.aborted === true || this.closed) abort();
    const aborting = new Promise<never>((_, reject) => {
      if (attempt.signal.aborted) reject(aborted());
      attempt.signal.addEventListener('abort', () => reject(aborted()));
    });
    aborting.catch(() => undefined);
    const began = performance.now();
    try {
      const joined = await Promise.race([aborting, this.joinUntilDone(attempt.signal)]);
      this.options.metrics?.rebalances.record(performance.now() - began);
      return joined;
    } catch (error) {
      this.options.metrics?.failedRebalances.record(performance.now() - began);
      this.requestRejoin('the last join did not finish');
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      if (this.joining === attempt) this.joining = null;
      // A membership from before the failed join is still valid unless it was reset.
      if (this.generation !== -1 && !this.heartbeats.isRunning) this.heartbeats.start();
    }
  }

  private async joinUntilDone(signal: AbortSignal): Promise<JoinedGroup> {
    for (let failures = 0; ;) {
      if (this.fatal !== null) throw this.fatal;
      if (signal.aborted) throw aborted();
      let reaction: Reaction;
      try {
        const outcome = await this.joinOnce(signal);
        if (typeof outcome !== 'string') {
          this.joinFailure = null;
          return outcome;
        }
        reaction = outcome;
      } catch (error) {
        if (!(error instanceof KafkaError && error.retriable)) throw error;
        this.joinFailure = error;
        this.logger.debug(`Retrying to join group '${this.options.groupId}': ${error.message}`);
        reaction = 'find-coordinator';
      }
      if (signal.aborted) throw aborted();
      if (reaction === 'find-coordinator') this.requests.forgetCoordinator();
      if (reaction === 'find-coordinator' || reaction === 'retry-later') {
        if (this.session.isExpired) this.expireSession();
        failures++;
        await sleep(
          backoffMs(failures, { firstMs: this.timings.retryBackoffMs, maxMs: this.timings.retryBackoffMaxMs }),
          signal,
        );
      }
    }
  }

  private async joinOnce(signal: AbortSignal): Promise<JoinedGroup | Reaction> {
    const { groupId, protocolType, heartbeatIntervalMs } = this.options;
    const node = await this.requests.coordinator();
    if (signal.aborted) throw aborted();
    const reason = this.joinReason ?? 'rejoining';
    // A rejoin requested from here on is for the next round.
    this.joinReason = null;
    const protocols = this.options.protocols();
    // A heartbeat of the old generation that crosses the response would fail with ILLEGAL_GENERATION.
    this.stopHeartbeat();
    const sent = readClocks();
    const joining = this.requests.join(node, this.identity, protocols, reason, sent);
    const output = await withHeartbeats(joining, heartbeatIntervalMs, () => this.sendHeartbeatDuringJoin(node));
    if (signal.aborted) throw aborted();
    const name = errorName(output.errorCode);
    if (name === 'MEMBER_ID_REQUIRED' || output.errorCode === 0) this.memberId = output.memberId;
    if (output.errorCode !== 0) {
      return this.applyReaction(reactionToJoin(name), joinError(output.errorCode, groupId, protocolType));
    }
    this.generation = output.generation;
    this.resetSessionTimer(sent);
    this.heartbeats.start();
    return this.sync(node, output, signal);
  }

  private async sync(node: number, joined: JoinOutput, signal: AbortSignal): Promise<JoinedGroup | Reaction> {
    const { groupId } = this.options;
    const { generation, memberId, leaderId, protocol, members } = joined;
    const assignments =
      memberId === leaderId ? await this.options.assign(protocol, members, generation) : new Map<string, Buffer>();
    if (signal.aborted) throw aborted();
    const sent = readClocks();
    const output = await this.requests.sync(node, this.identity, joined, assignments, sent);
    // The member left meanwhile, and may have joined again.
    if (signal.aborted) throw aborted();
    if (output.errorCode !== 0) {
      const error = protocolError(output.errorCode, `get the assignment of group '${groupId}'`);
      return this.applyReaction(reactionTo(error.code), error);
    }
    if (output.protocol !== null && output.protocol !== protocol) {
      const text = `The coordinator of group '${groupId}' returned protocol '${output.protocol}' instead of '${protocol}'`;
      throw new KafkaError('INCONSISTENT_GROUP_PROTOCOL', text);
    }
    this.resetSessionTimer(sent);
    this.joined = { generation, memberId, leaderId, protocol, assignment: output.assignment };
    return this.joined;
  }

  /** Throws for `fatal`. */
  private applyReaction(reaction: Reaction, error: KafkaError): Reaction {
    this.joinFailure = error;
    if (reaction === 'fatal') {
      if (error.fenced) this.fence(error);
      throw error;
    }
    if (reaction === 'reset-generation' || reaction === 'reset-member-id') this.resetGeneration(error, reaction);
    return reaction;
  }

  // ------------------------------------------------------------ losing the membership

  /** Applies the error of another request of this member, an offset commit, to the membership. */
  reportError(error: KafkaError, generation: number): void {
    if (generation !== this.generation) return;
    const reaction = reactionTo(error.code);
    if (reaction === 'rejoin' && this.joining === null) this.requestRejoin(error.message);
    else if (reaction === 'find-coordinator') this.requests.forgetCoordinator();
    else if (reaction === 'reset-generation' || reaction === 'reset-member-id') this.resetGeneration(error, reaction);
    else if (error.fenced) this.fence(error);
  }

  private resetGeneration(error: KafkaError, reaction: 'reset-generation' | 'reset-member-id'): void {
    this.stopHeartbeat();
    this.generation = -1;
    if (reaction === 'reset-member-id') this.memberId = '';
    const wasMember = this.joined !== null;
    this.joined = null;
    if (wasMember) {
      this.logger.warn(`Lost the membership of group '${this.options.groupId}': ${error.message}`);
      this.invokeOnLost(error);
    }
    this.requestRejoin(error.message);
  }

  /** Called from a timer, where an error thrown by `onLost` would end the process. */
  private invokeOnLost(error: KafkaError): void {
    try {
      this.onLost?.(error);
    } catch (cause) {
      this.logger.error(`Handling the lost membership of group '${this.options.groupId}' failed: ${String(cause)}`, {
        error: cause,
      });
    }
  }

  private fence(error: KafkaError): void {
    this.fatal = error;
    this.resetGeneration(error, 'reset-member-id');
  }

  private expireSession(): void {
    const { groupId, sessionTimeoutMs } = this.options;
    const text = `No heartbeat reached the coordinator of group '${groupId}' for ${sessionTimeoutMs} ms`;
    this.resetGeneration(new KafkaError('SESSION_EXPIRED', text, { retriable: true }), 'reset-generation');
  }

  // ------------------------------------------------------------ heartbeats

  heartbeatAtLeastEvery(limitMs: number | null): void {
    const { heartbeatIntervalMs } = this.options;
    this.heartbeatEveryMs = Math.min(heartbeatIntervalMs, limitMs ?? heartbeatIntervalMs);
    if (limitMs !== null && this.heartbeats.isRunning) this.heartbeats.start(this.heartbeatEveryMs);
  }

  /** @param sent when the request was sent whose response was received. */
  private resetSessionTimer(sent: ClockReading): void {
    this.session.reset();
    this.heartbeatFailures = 0;
    this.options.onSessionExtended?.(sent);
  }

  private stopHeartbeat(): void {
    this.heartbeats.stop();
    this.session.stop();
  }

  /** Never rejects. Returns the time until the next heartbeat, in milliseconds. */
  private async heartbeat(): Promise<number> {
    const { generation } = this;
    try {
      return await this.sendHeartbeat(generation);
    } catch (error) {
      if (generation !== this.generation || !this.heartbeats.isRunning) return this.options.heartbeatIntervalMs;
      this.logger.debug(`Heartbeat of group '${this.options.groupId}' failed: ${(error as Error).message}`);
      this.requests.forgetCoordinator();
      return this.nextHeartbeatBackoffMs();
    }
  }

  /** Returns the time until the next heartbeat, in milliseconds. */
  private async sendHeartbeat(generation: number): Promise<number> {
    const { groupId, sessionTimeoutMs, heartbeatIntervalMs } = this.options;
    const stopped = (): boolean => generation !== this.generation || !this.heartbeats.isRunning;
    const node = await this.requests.coordinator();
    const timeoutMs = Math.min(sessionTimeoutMs, this.timings.requestTimeoutMs);
    const identity = this.identity;
    const sent = readClocks();
    const code = await this.requests.heartbeat(node, identity, generation, timeoutMs);
    const tookMs = performance.now() - sent.monotonic;
    this.options.metrics?.heartbeats.record(tookMs);
    // A join that started meanwhile supersedes this response.
    if (stopped()) return heartbeatIntervalMs;
    const name = errorName(code);
    if (code === 0 || name === 'REBALANCE_IN_PROGRESS') {
      this.resetSessionTimer(sent);
      if (code !== 0 && this.joining === null) this.requestRejoin('the group is rebalancing');
      // The session is counted from when the heartbeat was sent.
      return Math.max(0, this.heartbeatEveryMs - tookMs);
    }
    const error = protocolError(code, `keep the membership of group '${groupId}'`);
    const reaction = reactionTo(name);
    if (error.fenced) this.fence(error);
    else if (reaction === 'retry-later' || reaction === 'find-coordinator') throw error;
    else this.resetGeneration(error, reaction === 'reset-member-id' ? reaction : 'reset-generation');
    return heartbeatIntervalMs;
  }

  /**
   * The worker continues its work while a join waits for the other members, perhaps for longer than a session. These
   * heartbeats confirm that it is still a member.
   */
  private async sendHeartbeatDuringJoin(node: number): Promise<void> {
    const { identity, generation } = this;
    const { onSessionExtended, sessionTimeoutMs } = this.options;
    if (generation === -1 || onSessionExtended === undefined) return;
    const sent = readClocks();
    const code = await this.requests.heartbeat(node, identity, generation, sessionTimeoutMs);
    const isMember = code === 0 || errorName(code) === 'REBALANCE_IN_PROGRESS';
    if (isMember && generation === this.generation) onSessionExtended(sent);
  }

  private nextHeartbeatBackoffMs(): number {
    this.heartbeatFailures++;
    const { retryBackoffMs, retryBackoffMaxMs } = this.timings;
    const wait = backoffMs(this.heartbeatFailures, { firstMs: retryBackoffMs, maxMs: retryBackoffMaxMs });
    return Math.min(this.options.heartbeatIntervalMs, wait);
  }

  // ------------------------------------------------------------ leaving

  /**
   * Never rejects: without a LeaveGroup request the session expires. A static member sends none, so that it gets its
   * assignment back when it rejoins.
   */
  async leave(reason = 'the member left'): Promise<void> {
    this.joining?.abort();
    this.stopHeartbeat();
    const identity = this.identity;
    this.memberId = '';
    this.generation = -1;
    this.joined = null;
    this.requestRejoin('the member left');
    if (identity.memberId === '' || identity.groupInstanceId !== null || this.closed) return;
    const timeout = new AbortController();
    try {
      await Promise.race([this.requests.leave(identity, reason), sleep(LEAVE_TIMEOUT_MS, timeout.signal)]);
    } catch (error) {
      this.logger.debug(`Leaving group '${identity.groupId}' failed: ${(error as Error).message}`);
    } finally {
      timeout.abort();
    }
  }

  close(): Promise<void> {
    this.closed = true;
    this.joining?.abort();
    this.stopHeartbeat();
    this.generation = -1;
    this.joined = null;
    return this.wire.close();
  }
}

function aborted(): KafkaError {
  return new KafkaError('ABORTED', 'Joining the group was aborted');
}

export function readGroupTimings(config: ClientConfig): GroupTimings {
  return {
    requestTimeoutMs: integer(config, 'request.timeout.ms', 30_000, 1),
    retryBackoffMs: duration(config, 'retry.backoff.ms', 100),
    retryBackoffMaxMs: duration(config, 'retry.backoff.max.ms', 1_000),
  };
}

/** The member owns the wire and closes it. */
export function createGroupMember(
  wire: Wire,
  config: ClientConfig,
  options: GroupMemberOptions,
  logger: Logger,
): KafkaGroupMember {
  return new KafkaGroupMember(wire, options, readGroupTimings(config), logger);
}
