/**
 * Membership of a group, whatever its protocol type: join, sync, heartbeats in the background, leave. Source:
 * connect-runtime 2.1, 2.6 and 2.8, kafka-client §2.
 */
import { startTimer, sleep, backoffMs } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import { duration, integer } from '../client-settings';
import { KafkaError } from '../errors';
import { reactionTo, reactionToJoin, type Reaction } from './group-reactions';
import { whileBeating } from './join-heartbeats';
import { momentNow } from '../moment';
import type { ClientConfig, GroupMember, GroupMemberOptions, JoinedGroup, Moment } from '../port';
import { call } from '../protocol/api';
import { errorName, protocolError } from '../protocol/error-codes';
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
} from '../protocol/group-membership';
import type { Wire } from '../wire';

/** Joins wait for other members and heartbeats must not wait behind them. */
const JOIN_LANE = 'join';
const HEARTBEAT_LANE = 'heartbeat';
const LEAVE_TIMEOUT_MS = 5_000;

export interface GroupTimings {
  readonly requestTimeoutMs: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
}

export class KafkaGroupMember implements GroupMember {
  onLost: ((error: KafkaError) => void) | null = null;
  private memberId = '';
  private generation = -1;
  private joined: JoinedGroup | null = null;
  private wanted: string | null = 'initial join';
  private fatal: KafkaError | null = null;
  private joining: AbortController | null = null;
  private readonly waiters = new Set<() => void>();
  private timer: NodeJS.Timeout | null = null;
  private expiry: NodeJS.Timeout | null = null;
  private beating = false;
  private heartbeatFailures = 0;
  private heartbeatAt = 0;
  private closed = false;

  constructor(
    private readonly wire: Wire,
    private readonly options: GroupMemberOptions,
    private readonly timings: GroupTimings,
    private readonly logger: Logger,
  ) {}

  get current(): JoinedGroup | null {
    return this.joined;
  }

  get needsJoin(): boolean {
    return this.wanted !== null;
  }

  get sinceHeartbeatMs(): number {
    return performance.now() - this.heartbeatAt;
  }

  get identity(): MemberIdentity {
    const { groupId, groupInstanceId = null } = this.options;
    return { groupId, groupInstanceId, memberId: this.memberId };
  }

  requestRejoin(reason: string): void {
    this.wanted ??= reason;
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
    if (this.joining !== null) throw new KafkaError('ILLEGAL_STATE', 'This member is joining already');
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
      // A membership from before that was not given up goes on.
      if (this.generation !== -1 && this.timer === null) this.scheduleHeartbeat();
    }
  }

  private async joinUntilDone(signal: AbortSignal): Promise<JoinedGroup> {
    for (let failures = 0; ;) {
      if (this.fatal !== null) throw this.fatal;
      if (signal.aborted) throw aborted();
      let reaction: Reaction;
      try {
        const outcome = await this.joinOnce(signal);
        if (typeof outcome !== 'string') return outcome;
        reaction = outcome;
      } catch (error) {
        if (!(error instanceof KafkaError && error.retriable)) throw error;
        this.logger.debug(`Joining group '${this.options.groupId}' again: ${error.message}`);
        reaction = 'find-coordinator';
      }
      if (signal.aborted) throw aborted();
      if (reaction === 'find-coordinator') this.wire.forgetCoordinator('group', this.options.groupId);
      if (reaction === 'find-coordinator' || reaction === 'later') {
        if (this.sinceHeartbeatMs > this.options.sessionTimeoutMs) this.expireSession();
        failures++;
        await sleep(
          backoffMs(failures, { firstMs: this.timings.retryBackoffMs, maxMs: this.timings.retryBackoffMaxMs }),
          signal,
        );
      }
    }
  }

  private async joinOnce(signal: AbortSignal): Promise<JoinedGroup | Reaction> {
    const { groupId, sessionTimeoutMs, rebalanceTimeoutMs, protocolType } = this.options;
    const node = await this.wire.coordinator('group', groupId);
    if (signal.aborted) throw aborted();
    const reason = this.wanted ?? 'joining again';
    // From here on a wish to join is one for the next round.
    this.wanted = null;
    const input = {
      ...this.identity,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      protocolType,
      protocols: this.options.protocols(),
      reason,
    };
    const timeoutMs = Math.max(this.timings.requestTimeoutMs, rebalanceTimeoutMs + 5_000);
    const build = (version: number) => joinGroupRequest(version, input, timeoutMs);
    // A heartbeat of the old generation that crosses the answer would be told that it is of an old generation.
    this.stopHeartbeat();
    const sent = momentNow();
    const joining = call(this.wire, node, JOIN_GROUP, build, JOIN_LANE);
    const output = await whileBeating(joining, this.options.heartbeatIntervalMs, () => this.beatBesideJoin(node));
    if (output.errorCode === 0) this.options.metrics?.joins.record(performance.now() - sent.monotonic);
    if (signal.aborted) throw aborted();
    const name = errorName(output.errorCode);
    if (name === 'MEMBER_ID_REQUIRED' || output.errorCode === 0) this.memberId = output.memberId;
    if (output.errorCode !== 0) {
      return this.react(reactionToJoin(name), protocolError(output.errorCode, `join group '${groupId}'`));
    }
    this.generation = output.generation;
    this.heardFromCoordinator(sent);
    this.scheduleHeartbeat();
    return this.sync(node, output, signal);
  }

  private async sync(node: number, joined: JoinOutput, signal: AbortSignal): Promise<JoinedGroup | Reaction> {
    const { groupId, protocolType, rebalanceTimeoutMs } = this.options;
    const { generation, memberId, leaderId, protocol, members } = joined;
    const assignments =
      memberId === leaderId ? await this.options.assign(protocol, members, generation) : new Map<string, Buffer>();
    if (signal.aborted) throw aborted();
    const input = { ...this.identity, generation, protocolType, protocol, assignments };
    const timeoutMs = Math.max(this.timings.requestTimeoutMs, rebalanceTimeoutMs + 5_000);
    const build = (version: number) => syncGroupRequest(version, input, timeoutMs);
    const sent = momentNow();
    const output = await call(this.wire, node, SYNC_GROUP, build, JOIN_LANE);
    if (output.errorCode === 0) this.options.metrics?.syncs.record(performance.now() - sent.monotonic);
    // It is about a membership that was given up: a later one may have begun.
    if (signal.aborted) throw aborted();
    if (output.errorCode !== 0) {
      const error = protocolError(output.errorCode, `get the assignment of group '${groupId}'`);
      return this.react(reactionTo(error.code), error);
    }
    if (output.protocol !== null && output.protocol !== protocol) {
      const text = `Group '${groupId}' answered with protocol '${output.protocol}' where '${protocol}' was joined`;
      throw new KafkaError('INCONSISTENT_GROUP_PROTOCOL', text);
    }
    this.heardFromCoordinator(sent);
    this.joined = { generation, memberId, leaderId, protocol, assignment: output.assignment };
    return this.joined;
  }

  /** Throws for `fatal`. */
  private react(reaction: Reaction, error: KafkaError): Reaction {
    if (reaction === 'fatal') {
      if (error.fenced) this.die(error);
      throw error;
    }
    if (reaction === 'lost' || reaction === 'lost-identity') this.lose(error, reaction === 'lost-identity');
    return reaction;
  }

  // ------------------------------------------------------------ losing

  /** What a response to another request of this member, a commit, says about the membership. */
  reportError(error: KafkaError, generation: number): void {
    if (generation !== this.generation) return;
    const reaction = reactionTo(error.code);
    if (reaction === 'rejoin' && this.joining === null) this.requestRejoin(error.message);
    else if (reaction === 'find-coordinator') this.wire.forgetCoordinator('group', this.options.groupId);
    else if (reaction === 'lost' || reaction === 'lost-identity') this.lose(error, reaction === 'lost-identity');
    else if (error.fenced) this.die(error);
  }

  private lose(error: KafkaError, forgetIdentity: boolean): void {
    this.stopHeartbeat();
    this.generation = -1;
    if (forgetIdentity) this.memberId = '';
    const had = this.joined !== null;
    this.joined = null;
    if (had) {
      this.logger.warn(`Membership of group '${this.options.groupId}' was lost: ${error.message}`);
      this.tellLost(error);
    }
    this.requestRejoin(error.message);
  }

  /** From a timer an error of the owner's would end the process. */
  private tellLost(error: KafkaError): void {
    try {
      this.onLost?.(error);
    } catch (cause) {
      this.logger.error(`The loss of group '${this.options.groupId}' was not handled: ${String(cause)}`, {
        error: cause,
      });
    }
  }

  private die(error: KafkaError): void {
    this.fatal = error;
    this.lose(error, true);
  }

  private expireSession(): void {
    const { groupId, sessionTimeoutMs } = this.options;
    const text = `No heartbeat reached the coordinator of group '${groupId}' for ${sessionTimeoutMs} ms`;
    this.lose(new KafkaError('SESSION_EXPIRED', text, { retriable: true }), false);
  }

  // ------------------------------------------------------------ heartbeats

  private heardFromCoordinator(sent: Moment): void {
    const heard = (this.heartbeatAt = performance.now());
    this.heartbeatFailures = 0;
    this.options.onHeard?.(sent);
    if (this.expiry !== null) clearTimeout(this.expiry);
    // While a join waits for the other members, the coordinator keeps this one without heartbeats.
    this.expiry = startTimer(() => {
      // After a busy moment of this thread an answer may lie in the socket: it is read first.
      setImmediate(() => {
        if (this.heartbeatAt === heard && this.joining === null && this.generation !== -1) this.expireSession();
      });
    }, this.options.sessionTimeoutMs);
  }

  private scheduleHeartbeat(afterMs = this.options.heartbeatIntervalMs): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = startTimer(() => void this.beat(), afterMs);
  }

  private stopHeartbeat(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.expiry !== null) clearTimeout(this.expiry);
    this.timer = null;
    this.expiry = null;
  }

  private async beat(): Promise<void> {
    if (this.beating || this.closed) return;
    this.beating = true;
    const generation = this.generation;
    let wait = this.options.heartbeatIntervalMs;
    try {
      wait = await this.beatOnce(generation);
    } catch (error) {
      if (this.closed || generation !== this.generation || this.timer === null) return;
      this.logger.debug(`Heartbeat of group '${this.options.groupId}' failed: ${(error as Error).message}`);
      this.wire.forgetCoordinator('group', this.options.groupId);
      wait = this.heartbeatFailed();
    } finally {
      this.beating = false;
      // Not when the membership ended meanwhile; a new generation is beating with this timer as well.
      if (!this.closed && this.generation !== -1 && this.timer !== null) this.scheduleHeartbeat(wait);
    }
  }

  private async beatOnce(generation: number): Promise<number> {
    const { groupId, sessionTimeoutMs, heartbeatIntervalMs } = this.options;
    const stopped = (): boolean => generation !== this.generation || this.timer === null;
    const node = await this.wire.coordinator('group', groupId);
    const timeoutMs = Math.min(sessionTimeoutMs, this.timings.requestTimeoutMs);
    const identity = this.identity;
    const build = (version: number) => heartbeatRequest(version, identity, generation, timeoutMs);
    const sent = momentNow();
    const code = await call(this.wire, node, HEARTBEAT, build, HEARTBEAT_LANE);
    const tookMs = performance.now() - sent.monotonic;
    this.options.metrics?.heartbeats.record(tookMs);
    // A join that began meanwhile will know better.
    if (stopped()) return heartbeatIntervalMs;
    const name = errorName(code);
    if (code === 0 || name === 'REBALANCE_IN_PROGRESS') {
      this.heardFromCoordinator(sent);
      if (code !== 0 && this.joining === null) this.requestRejoin('the group is rebalancing');
      // The session counts from when a heartbeat was sent.
      return Math.max(0, heartbeatIntervalMs - tookMs);
    }
    const error = protocolError(code, `keep the membership of group '${groupId}'`);
    const reaction = reactionTo(name);
    if (error.fenced) this.die(error);
    else if (reaction === 'later' || reaction === 'find-coordinator') throw error;
    else this.lose(error, reaction === 'lost-identity');
    return heartbeatIntervalMs;
  }

  /**
   * Whoever waits for others in a join goes on with its work meanwhile, for longer than a session perhaps: is it still
   * a member?
   */
  private async beatBesideJoin(node: number): Promise<void> {
    const { identity, generation } = this;
    const { onHeard, sessionTimeoutMs } = this.options;
    if (generation === -1 || onHeard === undefined) return;
    const build = (version: number) => heartbeatRequest(version, identity, generation, sessionTimeoutMs);
    const sent = momentNow();
    const code = await call(this.wire, node, HEARTBEAT, build, HEARTBEAT_LANE);
    const isMember = code === 0 || errorName(code) === 'REBALANCE_IN_PROGRESS';
    if (isMember && generation === this.generation) onHeard(sent);
  }

  private heartbeatFailed(): number {
    this.heartbeatFailures++;
    const { retryBackoffMs, retryBackoffMaxMs } = this.timings;
    const wait = backoffMs(this.heartbeatFailures, { firstMs: retryBackoffMs, maxMs: retryBackoffMaxMs });
    return Math.min(this.options.heartbeatIntervalMs, wait);
  }

  // ------------------------------------------------------------ leaving

  /**
   * Never rejects: a coordinator that cannot be told will notice. Static members are not signed off, so that they find
   * their place again.
   */
  async leave(reason = 'the member left'): Promise<void> {
    this.joining?.abort();
    this.stopHeartbeat();
    const identity = this.identity;
    this.memberId = '';
    this.generation = -1;
    this.joined = null;
    this.requestRejoin('the member had left');
    if (identity.memberId === '' || identity.groupInstanceId !== null || this.closed) return;
    const timer = new AbortController();
    try {
      await Promise.race([this.signOff(identity, reason), sleep(LEAVE_TIMEOUT_MS, timer.signal)]);
    } catch (error) {
      this.logger.debug(`Leaving group '${identity.groupId}' failed: ${(error as Error).message}`);
    } finally {
      timer.abort();
    }
  }

  private async signOff(identity: MemberIdentity, reason: string): Promise<void> {
    const node = await this.wire.coordinator('group', identity.groupId);
    const code = await call(this.wire, node, LEAVE_GROUP, (version) => leaveGroupRequest(version, identity, reason));
    if (code !== 0) throw protocolError(code, `leave group '${identity.groupId}'`);
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
