/**
 * Reads partitions ahead of its owner, bounded in bytes: long polls to each leader on lanes of their own, positions
 * that move over control batches and holes, resets, leader changes. Source: kafka-client §1 and §3.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startTimer, backoffMs } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { OffsetReset } from './auto-offset-reset';
import type { FetchSettings } from './consumer-settings';
import { KafkaError } from '../errors';
import { type Asked, sendFetch, STALE_LEADER } from './fetch-request';
import { FetchedPartition } from './fetched-partition';
import { leaveMissingOffset, leaveTruncated, type Said } from './position-recovery';
import { epochOf, nameOf } from '../protocol/offset-lookup';
import { resetPositions } from './offset-reset';
import type { FetchedBatch, TopicPartition, TopicPartitionOffset } from '../port';
import { errorName, protocolError } from '../protocol/protocol-error';
import type { FetchedPartition as Answer } from '../protocol/fetch';
import { RecordSetReader } from '../records/record-batch-decoder';
import { findTruncated } from './truncation-check';
import type { Wire } from '../wire';

/** Bytes read ahead over all partitions, unless one partition alone may bring more. */
const READ_AHEAD_BYTES = 16 * 1024 * 1024;
/**
 * What may be decompressed, and made into objects, ahead of the owner. Beyond it responses wait as they came; one batch
 * may lead further, up to its own limit.
 */
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
  /** A signal that found nobody waiting. */
  private signalled = false;
  private looking = false;
  private refreshing = false;
  private checking = false;
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

  /** Partitions read before keep their position. New ones wait for `seek` when `reset` is null. */
  assign(partitions: readonly TopicPartition[], reset: OffsetReset | null): void {
    const before = this.states;
    this.states = new Map();
    for (const { topic, partition } of partitions) {
      const name = nameOf({ topic, partition });
      this.states.set(name, before.get(name) ?? new FetchedPartition(topic, partition, reset));
    }
    this.count();
    this.pump();
  }

  assignment(): TopicPartition[] {
    return [...this.states.values()].map(({ topic, partition }) => ({ topic, partition }));
  }

  seek({ topic, partition, offset }: TopicPartitionOffset): void {
    this.state({ topic, partition }).seek(offset);
    this.count();
    this.pump();
  }

  /** The position is looked up in the background. */
  reset(partitions: readonly TopicPartition[], to: OffsetReset = this.settings.offsetReset): void {
    for (const tp of partitions) this.state(tp).lose(to);
    this.count();
    this.pump();
  }

  position(tp: TopicPartition): number | undefined {
    return this.states.get(nameOf(tp))?.position;
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const tp of partitions) this.state(tp).paused = true;
    // What they hold may be all that kept the others from being fetched.
    this.pump();
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const tp of partitions) this.state(tp).paused = false;
    this.pump();
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
   * At most `limit` records, in order per partition; `advanced` when a position moved without records. Throws what went
   * wrong since the last call.
   */
  take(limit: number): { batches: FetchedBatch[]; advanced: boolean } {
    if (this.error !== null) {
      const error = this.error;
      this.error = null;
      this.pump();
      throw error;
    }
    const batches: FetchedBatch[] = [];
    let advanced = false;
    let left = limit;
    for (const [name, state] of [...this.states]) {
      if (left === 0) break;
      if (state.paused || !state.hasBuffered) continue;
      while (left > 0 && (state.hasDecoded || this.decodeMore(state))) {
        const batch = this.counted(state, () => state.take(left)) as FetchedBatch;
        left -= batch.records.length;
        if (batch.records.length > 0) batches.push(batch);
        else advanced = true;
      }
      // The others come first next time.
      this.states.delete(name);
      this.states.set(name, state);
    }
    if (batches.length > 0 || advanced) this.pump();
    return { batches, advanced };
  }

  /**
   * Resolves when there may be something to take, after `signal`, or after `ms`. Other work of the process gets its
   * turn first.
   */
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

  private count(): void {
    this.bufferedBytes = 0;
    this.decodedBytes = 0;
    for (const state of this.states.values()) {
      this.bufferedBytes += state.bufferedBytes;
      this.decodedBytes += state.decodedBytes;
    }
  }

  /** The sums follow what `change` does to one partition: all of them would be walked over for each otherwise. */
  private counted<T>(state: FetchedPartition, change: () => T): T {
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

  // ------------------------------------------------------------ asking

  /** Starts everything that can be started now. Called after every change; never waits. */
  private pump(): void {
    if (this.closed || this.error !== null) return;
    const now = performance.now();
    const fetchable = new Map<number, FetchedPartition[]>();
    const lost: FetchedPartition[] = [];
    const suspects: FetchedPartition[] = [];
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
        if (state.reset !== null) lost.push(state);
        continue;
      }
      if (state.paused || state.hasUndecoded || state.bufferedBytes > this.settings.maxPartitionBytes / 2) continue;
      const leader = this.wire.leader(state);
      if (leader === undefined) {
        leaderless.add(state.topic);
        continue;
      }
      if (state.isSuspect(epochOf(this.wire, state))) {
        suspects.push(state);
        continue;
      }
      const group = fetchable.get(leader);
      if (group === undefined) fetchable.set(leader, [state]);
      else group.push(state);
    }
    if (lost.length > 0) void this.findPositions(lost);
    if (suspects.length > 0) void this.checkAgainstLeaders(suspects);
    if (leaderless.size > 0) void this.findLeaders([...leaderless]);
    if (fetchable.size > 0 && pausedBytes > this.readAhead / 2) this.releasePaused(pausedBytes);
    for (const [node, states] of fetchable) this.fetchFrom(node, states, fetchable.size);
    this.pumpAt(retryAt);
  }

  /** Nobody knows when paused partitions are read on: half of the read-ahead stays with the others. */
  private releasePaused(pausedBytes: number): void {
    let left = pausedBytes;
    for (const state of this.states.values()) {
      if (left <= this.readAhead / 2) break;
      if (!state.paused) continue;
      left -= state.bufferedBytes;
      state.release();
    }
    this.count();
  }

  private pumpAt(time: number): void {
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    this.retryTimer = null;
    if (time === Infinity) return;
    this.retryTimer = startTimer(() => this.pump(), Math.max(1, time - performance.now()));
  }

  private fetchFrom(node: number, states: readonly FetchedPartition[], nodes: number): void {
    const lane = LANES.find((name) => !this.busy.has(`${node}/${name}`));
    const room = Math.floor((this.readAhead - this.bufferedBytes) / nodes);
    if (lane === undefined || room <= 0) return;
    const asked = states.map((state): Asked => {
      const leaderEpoch = epochOf(this.wire, state);
      const one = { state, seeks: state.seeks, offset: state.fetchOffset, leaderEpoch };
      state.inFlight = one;
      return one;
    });
    const key = `${node}/${lane}`;
    this.busy.add(key);
    void this.fetch(node, lane, asked, Math.min(this.settings.maxBytes, room))
      .catch((error: unknown) => this.fetchFailed(asked, error))
      .finally(() => {
        this.busy.delete(key);
        for (const one of asked) if (one.state.inFlight === one) one.state.inFlight = null;
        this.pump();
      });
  }

  private async fetch(node: number, lane: string, asked: readonly Asked[], maxBytes: number): Promise<void> {
    const answers = await sendFetch(this.wire, node, lane, asked, this.settings, maxBytes);
    const byName = new Map(asked.map((one) => [nameOf(one.state), one]));
    const stale = new Set<string>();
    for (const answer of answers) {
      const one = byName.get(nameOf(answer));
      // Sought, or taken away and perhaps given again, since it was asked for.
      if (one === undefined || one.seeks !== one.state.seeks || this.states.get(nameOf(answer)) !== one.state) continue;
      this.accept(one, answer, stale);
    }
    this.count();
    if (stale.size > 0) await this.findLeaders([...stale]);
  }

  private accept({ state, offset, leaderEpoch }: Asked, answer: Answer, stale: Set<string>): void {
    const name = errorName(answer.errorCode);
    if (answer.errorCode === 0) {
      state.failures = 0;
      state.checkedEpoch = leaderEpoch;
      if (answer.records.length > 0) this.decode(state, offset, answer);
    } else if (name === 'OFFSET_OUT_OF_RANGE') {
      this.report(state, leaveMissingOffset(state, offset, this.settings.offsetReset));
    } else if (STALE_LEADER.has(name)) {
      this.logger.debug(`Fetching ${nameOf(state)} again after ${name}`);
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
    this.counted(state, () => state.add(new RecordSetReader(bytes, options), bytes.length));
    if (this.decodedBytes < DECODE_AHEAD_BYTES) this.decodeOn(state);
    this.signal();
  }

  /** @returns true when there is something to take. Those that hold what is decoded are read first. */
  private decodeMore(state: FetchedPartition): boolean {
    if (!state.hasUndecoded) return false;
    if (this.decodedBytes >= DECODE_AHEAD_BYTES) {
      for (const other of this.states.values()) if (other.paused && other.decodedBytes > 0) other.release();
      this.count();
      if (this.decodedBytes >= DECODE_AHEAD_BYTES) return false;
    }
    this.decodeOn(state);
    return state.hasDecoded;
  }

  private decodeOn(state: FetchedPartition): void {
    const { topic, partition, fetchOffset } = state;
    try {
      // What cannot be read is forgotten: its bytes no longer keep others from being fetched.
      this.counted(state, () => state.decode(DECODE_AHEAD_BYTES - this.decodedBytes));
    } catch (cause) {
      this.retryLater(state);
      const { code, message } = cause as KafkaError;
      const text = `Reading ${nameOf(state)} at offset ${fetchOffset} failed: ${message}`;
      this.fail(new KafkaError(code ?? 'CORRUPT_BATCH', text, { cause, topic, partition }));
    }
  }

  /** Nothing to say: nothing that was handed out is concerned. */
  private report(state: FetchedPartition, said: Said | null): void {
    if (said instanceof KafkaError) {
      this.retryLater(state);
      this.fail(said);
    } else if (said !== null) this.logger[said.level](said.text);
  }

  private fetchFailed(asked: readonly Asked[], cause: unknown): void {
    if (this.closed) return;
    const error =
      cause instanceof KafkaError ? cause : new KafkaError('UNKNOWN_CLIENT_ERROR', String(cause), { cause });
    for (const { state } of asked) this.retryLater(state);
    if (!error.retriable) {
      this.fail(error);
      return;
    }
    this.logger.debug(`Fetching again: ${error.message}`);
    void this.findLeaders(topicsOf(asked.map(({ state }) => state)));
  }

  private retryLater(state: FetchedPartition): void {
    state.failures++;
    const { retryBackoffMs, retryBackoffMaxMs } = this.settings;
    state.retryAt =
      performance.now() + backoffMs(state.failures, { firstMs: retryBackoffMs, maxMs: retryBackoffMaxMs });
  }

  // ------------------------------------------------------------ leaders and positions

  private async findLeaders(topics: readonly string[]): Promise<void> {
    if (this.refreshing || this.closed) return;
    this.refreshing = true;
    try {
      await this.wire.refresh(topics);
      // Says why, where waiting does not help: a topic that this principal may not read.
      for (const topic of topics)
        if (this.wire.cachedPartitions(topic) === undefined) await this.wire.partitions(topic);
    } catch (error) {
      if (!this.closed && !(error as KafkaError).retriable) this.fail(error as KafkaError);
    } finally {
      this.refreshing = false;
      for (const state of this.states.values()) {
        if (!state.inFlight && topics.includes(state.topic) && this.wire.leader(state) === undefined)
          this.retryLater(state);
      }
      this.pump();
    }
  }

  private async checkAgainstLeaders(suspects: readonly FetchedPartition[]): Promise<void> {
    if (this.checking) return;
    this.checking = true;
    try {
      for (const [state, cut] of await findTruncated(this.wire, suspects))
        if (this.states.get(nameOf(state)) === state)
          this.report(state, leaveTruncated(state, cut, this.settings.offsetReset));
      this.count();
    } catch (cause) {
      for (const state of suspects) this.retryLater(state);
      const { retriable, code } = cause as KafkaError;
      if (retriable || code === 'UNKNOWN_SERVER_ERROR') await this.findLeaders(topicsOf(suspects));
      else if (!this.closed) this.fail(cause as KafkaError);
    } finally {
      this.checking = false;
      this.signal();
      this.pump();
    }
  }

  private async findPositions(lost: readonly FetchedPartition[]): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      await resetPositions(this.wire, lost, this.settings.isolation);
    } catch (cause) {
      for (const state of lost) if (state.reset !== null) this.retryLater(state);
      if (!this.closed && !(cause instanceof KafkaError && cause.retriable)) this.fail(cause as KafkaError);
    } finally {
      this.looking = false;
      this.signal();
      this.pump();
    }
  }
}

function topicsOf(partitions: readonly TopicPartition[]): string[] {
  return [...new Set(partitions.map(({ topic }) => topic))];
}
