/**
 * Fetches partitions ahead of `take`, bounded in bytes: long polls to each leader on lanes of their own, offset resets,
 * leader changes. Source: kafka-client §1 and §3.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startTimer, backoffMs } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { OffsetReset } from './auto-offset-reset';
import type { FetchSettings } from './consumer-settings';
import { KafkaError } from '../errors';
import { sendFetch, STALE_LEADER, type RequestedPartition } from './fetch-request';
import { FetchedPartition } from './fetched-partition';
import { recoverMissingOffset, recoverTruncated, type RecoveryResult } from './position-recovery';
import { epochOf, nameOf } from '../protocol/offset-lookup';
import { resetPositions } from './offset-reset';
import type { FetchedBatch, TopicPartition, TopicPartitionOffset } from '../port';
import { errorName, protocolError } from '../protocol/protocol-error';
import type { FetchedPartition as Answer } from '../protocol/fetch';
import { RecordSetReader } from '../records/record-batch-decoder';
import { findTruncated } from './truncation-check';
import type { Wire } from '../wire';

/** Read-ahead of all partitions in bytes; `max.partition.fetch.bytes` if that is larger. */
const READ_AHEAD_BYTES = 16 * 1024 * 1024;
/** Read-ahead of decoded records in bytes; a single batch may exceed it. Beyond it, responses stay undecoded. */
const DECODE_AHEAD_BYTES = 16 * 1024 * 1024;
/** Two long polls per broker, so that busy partitions do not wait for the long poll of the idle ones. */
const LANES = ['fetch', 'fetch-2'] as const;

export class Fetcher {
  private states = new Map<string, FetchedPartition>();
  /** Busy lanes, `node/lane`. */
  private readonly busy = new Set<string>();
  private readonly readAhead: number;
  private bufferedBytes = 0;
  private decodedBytes = 0;
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
  ) {
    this.readAhead = Math.max(READ_AHEAD_BYTES, settings.maxPartitionBytes);
  }

  // ------------------------------------------------------------ what to read

  /** Partitions that stay assigned keep their position. New ones wait for `seek` when `reset` is null. */
  assign(partitions: readonly TopicPartition[], reset: OffsetReset | null): void {
    const before = this.states;
    this.states = new Map();
    for (const { topic, partition } of partitions) {
      const name = nameOf({ topic, partition });
      this.states.set(name, before.get(name) ?? new FetchedPartition(topic, partition, reset));
    }
    this.recountBytes();
    this.startRequests();
  }

  assignment(): TopicPartition[] {
    return [...this.states.values()].map(({ topic, partition }) => ({ topic, partition }));
  }

  seek({ topic, partition, offset }: TopicPartitionOffset): void {
    this.state({ topic, partition }).seek(offset);
    this.recountBytes();
    this.startRequests();
  }

  /** The position is looked up in the background. */
  reset(partitions: readonly TopicPartition[], to: OffsetReset = this.settings.offsetReset): void {
    for (const tp of partitions) this.state(tp).resetTo(to);
    this.recountBytes();
    this.startRequests();
  }

  position(tp: TopicPartition): number | undefined {
    return this.states.get(nameOf(tp))?.position;
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const tp of partitions) this.state(tp).paused = true;
    // Their buffers may have used the read-ahead of the other partitions.
    this.startRequests();
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const tp of partitions) this.state(tp).paused = false;
    this.startRequests();
    this.signal();
  }

  private state(tp: TopicPartition): FetchedPartition {
    const state = this.states.get(nameOf(tp));
    if (state === undefined) {
      throw new KafkaError('ILLEGAL_STATE', `Partition ${nameOf(tp)} is not assigned to this consumer`, tp);
    }
    return state;
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
    const batches: FetchedBatch[] = [];
    let advanced = false;
    let left = limit;
    for (const [name, state] of [...this.states]) {
      if (left === 0) break;
      if (state.paused || !state.hasBuffered) continue;
      while (left > 0 && (state.hasDecoded || this.decodeMore(state))) {
        const batch = this.trackBytes(state, () => state.take(left)) as FetchedBatch;
        left -= batch.records.length;
        if (batch.records.length > 0) batches.push(batch);
        else advanced = true;
      }
      // The next call starts with the other partitions.
      this.states.delete(name);
      this.states.set(name, state);
    }
    if (batches.length > 0 || advanced) this.startRequests();
    return { batches, advanced };
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
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.states.clear();
    this.signal();
  }

  private recountBytes(): void {
    this.bufferedBytes = 0;
    this.decodedBytes = 0;
    for (const state of this.states.values()) {
      this.bufferedBytes += state.bufferedBytes;
      this.decodedBytes += state.decodedBytes;
    }
  }

  /** Updates the sums by what `change` does to one partition, without a pass over all of them. */
  private trackBytes<T>(state: FetchedPartition, change: () => T): T {
    const { bufferedBytes, decodedBytes } = state;
    try {
      return change();
    } finally {
      this.bufferedBytes += state.bufferedBytes - bufferedBytes;
      this.decodedBytes += state.decodedBytes - decodedBytes;
    }
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
    for (const state of this.states.values()) {
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
      if (state.paused || state.hasUndecoded || state.bufferedBytes > this.settings.maxPartitionBytes / 2) continue;
      const leader = this.wire.leader(state);
      if (leader === undefined) {
        leaderless.add(state.topic);
        continue;
      }
      if (state.needsTruncationCheck(epochOf(this.wire, state))) {
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
    if (fetchable.size > 0 && pausedBytes > this.readAhead / 2) this.releasePaused(pausedBytes);
    for (const [node, states] of fetchable) this.fetchFrom(node, states, fetchable.size);
    this.startRequestsAt(retryAt);
  }

  /** Paused partitions may stay paused: they keep at most half of the read-ahead. */
  private releasePaused(pausedBytes: number): void {
    let left = pausedBytes;
    for (const state of this.states.values()) {
      if (left <= this.readAhead / 2) break;
      if (!state.paused) continue;
      left -= state.bufferedBytes;
      state.release();
    }
    this.recountBytes();
  }

  private startRequestsAt(time: number): void {
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.retryTimer = null;
    if (time === Infinity) return;
    this.retryTimer = startTimer(() => this.startRequests(), Math.max(1, time - performance.now()));
  }

  private fetchFrom(node: number, states: readonly FetchedPartition[], nodes: number): void {
    const lane = LANES.find((name) => !this.busy.has(`${node}/${name}`));
    const room = Math.floor((this.readAhead - this.bufferedBytes) / nodes);
    if (lane === undefined || room <= 0) return;
    const requested = states.map((state): RequestedPartition => {
      const leaderEpoch = epochOf(this.wire, state);
      const one = { state, seeks: state.seeks, offset: state.fetchOffset, leaderEpoch };
      state.inFlight = one;
      return one;
    });
    const key = `${node}/${lane}`;
    this.busy.add(key);
    void this.fetch(node, lane, requested, Math.min(this.settings.maxBytes, room))
      .catch((error: unknown) => this.fetchFailed(requested, error))
      .finally(() => {
        this.busy.delete(key);
        for (const one of requested) if (one.state.inFlight === one) one.state.inFlight = null;
        this.startRequests();
      });
  }

  private async fetch(
    node: number,
    lane: string,
    requested: readonly RequestedPartition[],
    maxBytes: number,
  ): Promise<void> {
    const answers = await sendFetch(this.wire, node, lane, requested, this.settings, maxBytes);
    const byName = new Map(requested.map((one) => [nameOf(one.state), one]));
    const stale = new Set<string>();
    for (const answer of answers) {
      const one = byName.get(nameOf(answer));
      // The partition was sought, or revoked and perhaps assigned again, after the request.
      if (one === undefined || one.seeks !== one.state.seeks || this.states.get(nameOf(answer)) !== one.state) continue;
      this.handleAnswer(one, answer, stale);
    }
    this.recountBytes();
    if (stale.size > 0) await this.findLeaders([...stale]);
  }

  private handleAnswer({ state, offset, leaderEpoch }: RequestedPartition, answer: Answer, stale: Set<string>): void {
    const name = errorName(answer.errorCode);
    if (answer.errorCode === 0) {
      state.failures = 0;
      state.checkedEpoch = leaderEpoch;
      if (answer.records.length > 0) this.decode(state, offset, answer);
    } else if (name === 'OFFSET_OUT_OF_RANGE') {
      this.applyRecovery(state, recoverMissingOffset(state, offset, this.settings.offsetReset));
    } else if (STALE_LEADER.has(name)) {
      this.logger.debug(`Retrying the fetch of ${nameOf(state)}: ${name}`);
      this.retryLater(state);
      stale.add(state.topic);
    } else {
      this.retryLater(state);
      const error = protocolError(answer.errorCode, `fetch ${nameOf(state)} at offset ${offset}`, state);
      if (!error.retriable) this.fail(error);
    }
  }

  private decode(state: FetchedPartition, fetchOffset: number, answer: Answer): void {
    const { isolation, checkCrcs, maxDecompressedBytes } = this.settings;
    const { abortedTransactions, records: bytes } = answer;
    const options = { fetchOffset, isolation, abortedTransactions, checkCrcs, maxDecompressedBytes };
    this.trackBytes(state, () => state.add(new RecordSetReader(bytes, options), bytes.length));
    if (this.decodedBytes < DECODE_AHEAD_BYTES) this.decodeBuffered(state);
    this.signal();
  }

  /** @returns true when there is something to take. Partitions with decoded records are taken first. */
  private decodeMore(state: FetchedPartition): boolean {
    if (!state.hasUndecoded) return false;
    if (this.decodedBytes >= DECODE_AHEAD_BYTES) {
      for (const other of this.states.values()) if (other.paused && other.decodedBytes > 0) other.release();
      this.recountBytes();
      if (this.decodedBytes >= DECODE_AHEAD_BYTES) return false;
    }
    this.decodeBuffered(state);
    return state.hasDecoded;
  }

  private decodeBuffered(state: FetchedPartition): void {
    const { topic, partition, fetchOffset } = state;
    try {
      // The undecodable response is dropped, so its bytes are free for other partitions.
      this.trackBytes(state, () => state.decode(DECODE_AHEAD_BYTES - this.decodedBytes));
    } catch (cause) {
      this.retryLater(state);
      const { code, message } = cause as KafkaError;
      const text = `Reading ${nameOf(state)} at offset ${fetchOffset} failed: ${message}`;
      this.fail(new KafkaError(code ?? 'CORRUPT_BATCH', text, { cause, topic, partition }));
    }
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
      for (const state of this.states.values()) {
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
        if (this.states.get(nameOf(state)) === state)
          this.applyRecovery(state, recoverTruncated(state, cut, this.settings.offsetReset));
      this.recountBytes();
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
