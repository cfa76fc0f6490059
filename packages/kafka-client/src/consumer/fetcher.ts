/**
 * Fetches partitions ahead of `take`, bounded in bytes: long polls to each leader on lanes of their own, offset resets,
 * leader changes. Source: kafka-client §1 and §3.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startTimer, backoffMs, type Logger } from '@millrace/sdk';
import type { ConsumerMetrics } from '../client-metrics';
import type { OffsetReset } from './auto-offset-reset';
import type { FetchSettings } from './consumer-settings';
import { KafkaError } from '../errors';
import { sendFetch, STALE_LEADER, type RequestedPartition } from './fetch-request';
import type { FetchedPartition } from './fetched-partition';
import { IdleWaits } from './idle-waits';
import { recoverMissingOffset, recoverRecreated, recoverTruncated, type RecoveryResult } from './position-recovery';
import { cachedLeaderEpoch, cachedTopicId, partitionName } from '../protocol/offset-lookup';
import { resetPositions } from './offset-reset';
import type { FetchedBatch, IsolationLevel, ReadBatch, TopicPartition, TopicPartitionOffset } from '../port';
import { errorName, protocolError } from '../protocol/protocol-error';
import type { PartitionResponse } from '../protocol/fetch';
import { ReadAhead } from './read-ahead';
import { findTruncated } from './truncation-check';
import type { Wire } from '../wire';

/** Two long polls per broker, so that busy partitions do not wait for the long poll of the idle ones. */
const LANES = ['fetch', 'fetch-2'] as const;

export class Fetcher {
  private readonly readAhead: ReadAhead;
  /** Busy lanes, `node/lane`. */
  private readonly busy = new Set<string>();
  private readonly waits: IdleWaits;
  private error: KafkaError | null = null;
  private wake: (() => void) | null = null;
  /** `signal` was called while nothing waited. */
  private signalled = false;
  private findingPositions = false;
  private findingLeaders = false;
  private checkingTruncation = false;
  private retryTimer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly wire: Wire,
    private readonly settings: FetchSettings,
    private readonly logger: Logger,
    private readonly metrics?: ConsumerMetrics,
  ) {
    const onUndecodable = (state: FetchedPartition, error: KafkaError): void => {
      this.retryLater(state);
      this.fail(error);
    };
    this.readAhead = new ReadAhead(settings, onUndecodable, metrics);
    this.waits = new IdleWaits(settings);
  }

  // ------------------------------------------------------------ what to read

  /** Partitions that stay assigned keep their position. New ones wait for `seek` when `reset` is null. */
  assign(partitions: readonly TopicPartition[], reset: OffsetReset | null): void {
    this.readAhead.assign(partitions, reset);
    this.metrics?.assigned.set(partitions.length);
    this.startRequests();
  }

  assignment(): TopicPartition[] {
    return [...this.readAhead.partitions()].map(({ topic, partition }) => ({ topic, partition }));
  }

  seek({ topic, partition, offset }: TopicPartitionOffset): void {
    this.readAhead.get({ topic, partition }).seek(offset);
    this.readAhead.recountBytes();
    this.startRequests();
  }

  /** The position is looked up in the background. */
  reset(partitions: readonly TopicPartition[], to: OffsetReset = this.settings.offsetReset): void {
    for (const tp of partitions) this.readAhead.get(tp).resetTo(to);
    this.readAhead.recountBytes();
    this.startRequests();
  }

  /** A topic created again is read from its first record, by default. What was read before is still returned. */
  restart(gone: readonly TopicPartition[]): void {
    if (this.settings.offsetReset !== 'earliest') return;
    for (const tp of gone) {
      const state = this.readAhead.find(tp);
      if (state !== undefined && !state.hasBuffered) state.resetTo('earliest');
    }
    this.startRequests();
  }

  position(tp: TopicPartition): number | undefined {
    return this.readAhead.find(tp)?.position;
  }

  /** Of the topic that was read. Undefined without topic ids. */
  topicId(tp: TopicPartition): string | undefined {
    return this.readAhead.find(tp)?.topicId ?? cachedTopicId(this.wire, tp.topic);
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const tp of partitions) this.readAhead.get(tp).paused = true;
    // Their buffers may have used the read-ahead of the other partitions.
    this.startRequests();
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const tp of partitions) this.readAhead.get(tp).paused = false;
    this.startRequests();
    this.signal();
  }

  // ------------------------------------------------------------ what was read

  /**
   * Returns at most `limit` records, in order per partition; `advanced` when a position moved without records. Throws
   * an error that occurred since the last call.
   */
  take(limit: number): { batches: FetchedBatch[]; advanced: boolean } {
    if (this.error !== null) {
      const error = this.error;
      this.error = null;
      this.startRequests();
      throw error;
    }
    const { batches, advanced } = this.readAhead.take(limit);
    if (batches.length > 0 || advanced) this.startRequests();
    return { batches, advanced };
  }

  /** What `take` returns next, if that are `limit` records and they are decoded; otherwise nothing. */
  peek(limit: number): ReadBatch[] {
    return this.readAhead.peek(limit);
  }

  /** Resolves when there may be something to take, after `signal` or `ms`. Always yields to the event loop. */
  async wait(ms: number): Promise<void> {
    if (ms <= 0) {
      await nextTurn();
      return;
    }
    if (this.signalled) {
      this.signalled = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = startTimer(() => done(), ms);
      const done = (): void => {
        clearTimeout(timer);
        if (this.wake === done) this.wake = null;
        resolve();
      };
      this.wake?.();
      this.wake = done;
    });
  }

  signal(): void {
    if (this.wake === null) this.signalled = true;
    else this.wake();
  }

  close(): void {
    this.closed = true;
    this.metrics?.closed.set(1);
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.readAhead.clear();
    this.signal();
  }

  private fail(error: KafkaError): void {
    this.error ??= error;
    this.signal();
  }

  // ------------------------------------------------------------ fetching

  /** Starts all requests that can be sent now. Called after every change; never waits. */
  private startRequests(): void {
    if (this.closed || this.error !== null) return;
    const now = performance.now();
    const fetchable = new Map<number, FetchedPartition[]>();
    const unpositioned: FetchedPartition[] = [];
    const unchecked: FetchedPartition[] = [];
    const leaderless = new Set<string>();
    let retryAt = Infinity;
    let pausedBytes = 0;
    for (const state of this.readAhead.partitions()) {
      if (state.paused) pausedBytes += state.bufferedBytes;
      if (state.inFlight !== null) continue;
      if (state.retryAt > now) {
        retryAt = Math.min(retryAt, state.retryAt);
        continue;
      }
      if (state.position === undefined) {
        if (state.reset !== null) unpositioned.push(state);
        continue;
      }
      if (state.isOfAnotherTopic(cachedTopicId(this.wire, state.topic))) {
        // The records of the old topic that were fetched are still returned.
        if (state.hasBuffered) continue;
        this.applyRecovery(state, recoverRecreated(state, this.settings.offsetReset));
        if (state.reset !== null) unpositioned.push(state);
        continue;
      }
      if (state.paused || state.hasUndecoded || state.bufferedBytes > this.settings.maxPartitionBytes / 2) continue;
      const leader = this.wire.leader(state);
      if (leader === undefined) {
        leaderless.add(state.topic);
        continue;
      }
      if (state.needsTruncationCheck(cachedLeaderEpoch(this.wire, state))) {
        unchecked.push(state);
        continue;
      }
      const group = fetchable.get(leader);
      if (group === undefined) fetchable.set(leader, [state]);
      else group.push(state);
    }
    if (unpositioned.length > 0) void this.findPositions(unpositioned);
    if (unchecked.length > 0) void this.checkTruncation(unchecked);
    if (leaderless.size > 0) void this.findLeaders([...leaderless]);
    if (fetchable.size > 0) this.readAhead.releasePaused(pausedBytes);
    for (const [node, states] of fetchable)
      retryAt = Math.min(retryAt, this.fetchFrom(node, states, fetchable.size, now) ?? Infinity);
    this.startRequestsAt(retryAt);
  }

  private startRequestsAt(time: number): void {
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.retryTimer = null;
    if (time === Infinity) return;
    this.retryTimer = startTimer(() => this.startRequests(), Math.max(1, time - performance.now()));
  }

  /** Returns when to try again, if the request is held back. */
  private fetchFrom(node: number, states: readonly FetchedPartition[], nodes: number, now: number): number | null {
    const lane = LANES.find((name) => !this.busy.has(`${node}/${name}`));
    const room = Math.floor(this.readAhead.room / nodes);
    if (lane === undefined || room <= 0) return null;
    const other = `${node}/${lane === LANES[0] ? LANES[1] : LANES[0]}`;
    const held = this.waits.heldUntil(node, other, now);
    if (held !== null) return held;
    const waitMs = this.waits.next(node, other, now);
    const requested = states.map((state): RequestedPartition => {
      const leaderEpoch = cachedLeaderEpoch(this.wire, state);
      const topicId = cachedTopicId(this.wire, state.topic);
      const entry = { state, seeks: state.seeks, offset: state.fetchOffset, leaderEpoch, topicId };
      state.inFlight = entry;
      return entry;
    });
    const key = `${node}/${lane}`;
    this.busy.add(key);
    this.waits.sent(key, now + waitMs);
    void this.fetch(node, lane, requested, Math.min(this.settings.maxBytes, room), waitMs)
      .catch((error: unknown) => this.fetchFailed(requested, error))
      .finally(() => {
        this.busy.delete(key);
        this.waits.ended(key);
        for (const entry of requested) if (entry.state.inFlight === entry) entry.state.inFlight = null;
        this.startRequests();
      });
    return null;
  }

  private async fetch(
    node: number,
    lane: string,
    requested: readonly RequestedPartition[],
    maxBytes: number,
    waitMs: number,
  ): Promise<void> {
    const began = performance.now();
    const response = await sendFetch(this.wire, node, lane, requested, this.settings, maxBytes, waitMs);
    const { partitions: responses, throttleMs } = response;
    const byName = new Map(requested.map((entry) => [partitionName(entry.state), entry]));
    const stale = new Set<string>();
    for (const response of responses) {
      const entry = byName.get(partitionName(response));
      // The partition was sought, or revoked and perhaps assigned again, after the request.
      if (entry === undefined || entry.seeks !== entry.state.seeks) continue;
      if (this.readAhead.find(response) === entry.state) this.handleResponse(entry, response, stale);
    }
    const ended = performance.now();
    const bytes = bytesOf(responses);
    if (bytes > 0) this.waits.received(node, ended);
    this.metrics?.fetched(ended - began, bytes, throttleMs);
    this.readAhead.recountBytes();
    if (stale.size > 0) await this.findLeaders([...stale]);
  }

  private handleResponse(
    { state, offset, leaderEpoch, topicId }: RequestedPartition,
    response: PartitionResponse,
    stale: Set<string>,
  ): void {
    const name = errorName(response.errorCode);
    if (response.errorCode === 0) {
      state.failures = 0;
      state.checkedEpoch = leaderEpoch;
      state.topicId ??= topicId;
      state.lag?.ended(endOf(response, this.settings.isolation), Date.now());
      if (response.records.length > 0) this.addRecords(state, offset, response);
    } else if (name === 'OFFSET_OUT_OF_RANGE') {
      this.applyRecovery(state, recoverMissingOffset(state, offset, this.settings.offsetReset));
    } else if (STALE_LEADER.has(name)) {
      this.logger.debug(`Retrying the fetch of ${partitionName(state)}: ${name}`);
      this.retryLater(state);
      stale.add(state.topic);
    } else {
      this.retryLater(state);
      const error = protocolError(response.errorCode, `fetch ${partitionName(state)} at offset ${offset}`, state);
      if (!error.retriable) this.fail(error);
    }
  }

  private addRecords(state: FetchedPartition, fetchOffset: number, response: PartitionResponse): void {
    this.readAhead.add(state, fetchOffset, response);
    this.signal();
  }

  /** Null: no returned record is affected. */
  private applyRecovery(state: FetchedPartition, result: RecoveryResult | null): void {
    if (result instanceof KafkaError) {
      this.retryLater(state);
      this.fail(result);
    } else if (result !== null) this.logger[result.level](result.text);
  }

  private fetchFailed(requested: readonly RequestedPartition[], cause: unknown): void {
    if (this.closed) return;
    const error =
      cause instanceof KafkaError ? cause : new KafkaError('UNKNOWN_CLIENT_ERROR', String(cause), { cause });
    for (const { state } of requested) this.retryLater(state);
    if (!error.retriable) {
      this.fail(error);
      return;
    }
    this.logger.debug(`Retrying a fetch: ${error.message}`);
    void this.findLeaders(topicsOf(requested.map(({ state }) => state)));
  }

  private retryLater(state: FetchedPartition): void {
    state.failures++;
    const { retryBackoffMs, retryBackoffMaxMs } = this.settings;
    state.retryAt =
      performance.now() + backoffMs(state.failures, { firstMs: retryBackoffMs, maxMs: retryBackoffMaxMs });
  }

  // ------------------------------------------------------------ leaders and positions

  private async findLeaders(topics: readonly string[]): Promise<void> {
    if (this.findingLeaders || this.closed) return;
    this.findingLeaders = true;
    try {
      await this.wire.refresh(topics);
      // Throws for errors that retries do not resolve, such as an unauthorized topic.
      for (const topic of topics)
        if (this.wire.cachedPartitions(topic) === undefined) await this.wire.partitions(topic);
    } catch (error) {
      if (!this.closed && !(error as KafkaError).retriable) this.fail(error as KafkaError);
    } finally {
      this.findingLeaders = false;
      for (const state of this.readAhead.partitions()) {
        if (!state.inFlight && topics.includes(state.topic) && this.wire.leader(state) === undefined)
          this.retryLater(state);
      }
      this.startRequests();
    }
  }

  private async checkTruncation(unchecked: readonly FetchedPartition[]): Promise<void> {
    if (this.checkingTruncation) return;
    this.checkingTruncation = true;
    try {
      for (const [state, cut] of await findTruncated(this.wire, unchecked))
        if (this.readAhead.find(state) === state)
          this.applyRecovery(state, recoverTruncated(state, cut, this.settings.offsetReset));
      this.readAhead.recountBytes();
    } catch (cause) {
      for (const state of unchecked) this.retryLater(state);
      const { retriable, code } = cause as KafkaError;
      if (retriable || code === 'UNKNOWN_SERVER_ERROR') await this.findLeaders(topicsOf(unchecked));
      else if (!this.closed) this.fail(cause as KafkaError);
    } finally {
      this.checkingTruncation = false;
      this.signal();
      this.startRequests();
    }
  }

  private async findPositions(unpositioned: readonly FetchedPartition[]): Promise<void> {
    if (this.findingPositions) return;
    this.findingPositions = true;
    try {
      await resetPositions(this.wire, unpositioned, this.settings.isolation);
    } catch (cause) {
      for (const state of unpositioned) if (state.reset !== null) this.retryLater(state);
      if (!this.closed && !(cause instanceof KafkaError && cause.retriable)) this.fail(cause as KafkaError);
    } finally {
      this.findingPositions = false;
      this.signal();
      this.startRequests();
    }
  }
}

function topicsOf(partitions: readonly TopicPartition[]): string[] {
  return [...new Set(partitions.map(({ topic }) => topic))];
}

function bytesOf(responses: readonly PartitionResponse[]): number {
  return responses.reduce((sum, { records }) => sum + records.length, 0);
}

/** What a consumer can read ends before the first open transaction, if it reads committed records only. */
function endOf({ highWatermark, lastStableOffset }: PartitionResponse, isolation: IsolationLevel): number {
  return isolation === 'read_committed' && lastStableOffset >= 0 ? lastStableOffset : highWatermark;
}
