/** Streams changes: connects, decodes received messages on each poll, and reconnects after a lost connection. */
import {
  isConnectError,
  type ConnectError,
  type SourceOffset,
  type SourceRecord,
  Wakeup,
  yieldToEventLoop,
  monotonicNow,
} from '@millrace/sdk';
import type { Client } from 'pg';
import { reconnectDelayMs } from './reconnect-delay';
import { databaseError, errorCode, errorText, isTransient, wasCanceled } from '../database/errors';
import { formatLsn, lsn, type Lsn } from '../database/lsn';
import type { StreamState } from '../metrics/streaming-metrics';
import { MAX_BATCH_BYTES, type Phase, type Session } from '../session';
import type { ChangeObserver } from './change-observer';
import { createDecoder, createSource } from './create-decoder';
import { curedByRestart } from './restart-errors';
import { Heartbeat } from './heartbeat';
import type { Position } from './position';
import { ResumeGuard } from './resume-guard';
import type { MessageSource } from './message-source';
import { isMissingObject, missingObject } from './missing-object';
import { KEEPALIVE } from './replication-messages';
import { ReplicationStream, SILENT } from './replication-stream';
import { SlotXmin } from './slot-xmin';
import { dropSlot, lostSlotError, slotActiveError } from './slot';
import type { StreamDecoder } from './stream-decoder';

/** SQLSTATE with which servers and plugins refuse options of START_REPLICATION. */
const OPTION_ERRORS = new Set(['22023', '42601', '0A000', 'XX000']);

/** SQLSTATE with which a server that is not yet promoted refuses a stream. */
const RECOVERY_ERRORS = new Set(['55000', '0A000']);

const LOST = 'The replication connection was lost';

export class StreamReader implements Phase, StreamState {
  private readonly decoder: StreamDecoder;
  private readonly heartbeat: Heartbeat;
  private readonly xmin: SlotXmin;
  private readonly guard: ResumeGuard;
  private readonly wakeup = new Wakeup();
  /** Since `next` has found no record. */
  private isWoken = false;
  private stream: ReplicationStream | null = null;
  /** What is decoded of `stream`. */
  private source: MessageSource | null = null;
  /** Records beyond the batch size, because one change may produce several. */
  private overflow: SourceRecord[] = [];
  /** Why the last stream ended. */
  private lost: unknown = null;
  private attempts = 0;
  private slotAttempts = 0;
  private retryAt = 0;
  private acknowledged: Lsn = 0;
  /** Server position of the last keepalive; everything before it was delivered. */
  private idleAt: Lsn | null = null;
  private closed = false;

  constructor(
    private readonly session: Session,
    position: Position,
    lastOffset: SourceOffset | null,
  ) {
    this.decoder = createDecoder(session, position, lastOffset);
    this.heartbeat = new Heartbeat(session);
    this.guard = new ResumeGuard(session, this.decoder);
    this.xmin = new SlotXmin(session);
    session.metrics.stream = this;
    const { general } = session;
    // A server that is shutting down waits for its walsenders, so disconnect.
    general.onRefused = (error) => {
      if (errorCode(error) === '57P03') void this.stream?.close();
    };
    general.onLost = (error) => {
      // A query that was running, if any, has got the reason.
      if (/^(57P0[1-4])?$/.test(errorCode(error))) void this.stream?.close();
      // A query that was being sent has got a reset instead; another connection shows whether the server shuts down.
      else void general.get().catch(() => undefined);
    };
  }

  /** @param isDue ends the wait for records: the caller has something to do */
  async next(isDue: () => boolean = () => false): Promise<SourceRecord[] | null> {
    const { signal, config } = this.session;
    const deadline = monotonicNow() + config.queue.pollIntervalMs;
    await yieldToEventLoop();
    do {
      // Nothing between removing these records and returning them may throw.
      if (this.overflow.length > 0) return this.limited(this.overflow.splice(0));
      const records: SourceRecord[] = [];
      const beats = this.heartbeat.isDue();
      if (await this.connected()) {
        this.decoder.xmin = await this.xmin.read();
        await this.decode(records, deadline);
      }
      // Last, because the position is idle only when everything received is decoded, including the reply to the last
      // heartbeat.
      if (beats) records.push(this.session.factory.heartbeat(this.heartbeatOffset()));
      if (records.length > 0) return this.limited(records);
      if (isDue()) return null;
      const until = this.retryAt > monotonicNow() ? Math.min(this.retryAt, deadline) : deadline;
      if (this.hasQueued && until === deadline) await yieldToEventLoop();
      else {
        await this.wakeup.wait(until - monotonicNow(), signal);
        // One more turn of the event loop collects messages that arrive together.
        await yieldToEventLoop();
      }
    } while (monotonicNow() < deadline && !this.isWoken && !signal.aborted);
    this.isWoken = false;
    return null;
  }

  /** Confirms a position whose offset is stored. */
  acknowledge(position: Lsn): void {
    if (position > this.acknowledged) this.acknowledged = position;
    this.stream?.acknowledge(this.acknowledged);
  }

  /** All records that `next` has returned are converted. */
  released(): void {
    if (this.session.rowsEndAtPoll && this.overflow.length === 0) this.stream?.tap.released();
  }

  set observer(observer: ChangeObserver | null) {
    this.decoder.observer = observer;
  }

  /** Transactions that the stream has passed. */
  get recentTransactions(): ReadonlySet<number> {
    return this.decoder.recent.copy();
  }

  /** See `StreamDecoder`. */
  shareMembers(members: SourceOffset | null, bare: (offset: SourceOffset) => SourceOffset): void {
    this.decoder.shareMembers(members, bare);
  }

  /** See `Position`. */
  unreadUntil(lsn: Lsn): void {
    this.decoder.unreadUntil(lsn);
  }

  /** Offset after the records that `next` has returned; null: it has decoded more than that. */
  get settledOffset(): SourceOffset | null {
    return this.overflow.length > 0 ? null : this.decoder.lastOffset;
  }

  /** All transactions that committed before this position were decoded. */
  get reached(): Lsn {
    const commit = this.decoder.current.commit ?? 0;
    const idle = this.hasQueued ? 0 : (this.idleAt ?? 0);
    return idle > commit ? idle : commit;
  }

  /** Requests a keepalive, which reports how far an idle server has got. */
  requestKeepalive(): void {
    if (!this.hasQueued) this.stream?.sendStatus(true);
  }

  /** Makes `next` return early. */
  wake(): void {
    this.isWoken = true;
    this.wakeup.wake();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.session.general.onLost = null;
    this.session.general.onRefused = null;
    const { stream, source } = this;
    this.stream = null;
    this.source = null;
    await stream?.close();
    await source?.close();
    await this.heartbeat.close();
  }

  get isConnected(): boolean {
    return this.stream?.isOpen ?? false;
  }
  get queuedMessages(): number {
    return this.stream?.tap.queue.messages ?? 0;
  }
  get queuedBytes(): number {
    return this.stream?.tap.queue.bytes ?? 0;
  }
  get serverLsn(): Lsn {
    return this.stream?.serverLsn ?? 0;
  }
  get decodedLsn(): Lsn {
    const { decodedLsn } = this.decoder;
    return this.idleAt !== null && this.idleAt > decodedLsn ? this.idleAt : decodedLsn;
  }
  get flushedLsn(): Lsn {
    return this.acknowledged;
  }

  private get hasQueued(): boolean {
    return this.source?.hasMore ?? false;
  }

  private limited(records: SourceRecord[]): SourceRecord[] {
    // Exactly-once, the records of one change belong to one transaction.
    if (this.session.exactlyOnce) return records;
    const { maxBatch } = this.session.config.queue;
    if (records.length > maxBatch) this.overflow = records.splice(maxBatch);
    return records;
  }

  private heartbeatOffset(): SourceOffset {
    this.stream?.sendStatus(true);
    return this.decoder.heartbeatOffset(this.hasQueued ? null : this.idleAt);
  }

  /** Decodes until a batch is full, nothing is queued, or something else is due. */
  private async decode(out: SourceRecord[], deadline: number): Promise<void> {
    const { decoder, session } = this;
    const { tap, isOpen } = this.stream as ReplicationStream;
    const source = this.source as MessageSource;
    const { maxBatch } = session.config.queue;
    session.factory.readClock();
    decoder.out = out;
    let bytes = 0;
    let isPaused = false;
    const connect = (): Promise<Client> => session.general.get();
    try {
      while (out.length < maxBatch && bytes < MAX_BATCH_BYTES) {
        const found = source.peek();
        if (found === 'none') return;
        if (found === 'wait') {
          await source.proceed();
          // Segments of a large transaction may arrive for hours: heartbeats, a stop and what is decoded do not wait.
          return;
        }
        const { buffer, start, end } = source;
        if (buffer[start] === KEEPALIVE)
          this.idleAt = lsn(buffer.readUInt32BE(start + 1), buffer.readUInt32BE(start + 5));
        else {
          const decoded = decoder.message(buffer, start, end);
          if (decoded === 'part') return;
          if (decoded === 'blocked') {
            await decoder.prepare(connect, source);
            // Thousands of announcements may follow one another.
            if (session.signal.aborted || monotonicNow() >= deadline) return;
            continue;
          }
        }
        this.attempts = 0;
        bytes += end - start;
        source.shift();
      }
    } catch (error) {
      // Return the records decoded before; the same message fails again on the next poll.
      if (out.length > 0) return;
      if (!isTransient(error) && !wasCanceled(error))
        throw databaseError('Reading the definition of a table failed', error);
      isPaused = true;
      this.pause(error, 'The definition of a table could not be read');
    } finally {
      if (bytes > 0 && isOpen && !isPaused) session.reach.up('stream');
      decoder.endBatch();
      tap.consumed();
    }
  }

  /** True when there is a stream to decode from. Throws errors that a retry cannot fix. */
  private async connected(): Promise<boolean> {
    if (monotonicNow() < this.retryAt || this.closed) return false;
    if (this.stream !== null && (this.stream.isOpen || this.hasQueued)) return true;
    if (this.stream !== null) {
      const { stream, source } = this;
      this.stream = null;
      this.source = null;
      await stream.close();
      await source?.close();
      await this.failed(this.lost);
    }
    if (monotonicNow() < this.retryAt || this.session.signal.aborted) return false;
    try {
      await this.connect();
      return this.stream !== null;
    } catch (error) {
      await this.failed(error);
      return false;
    }
  }

  private async connect(): Promise<void> {
    const { session, decoder, guard } = this;
    const { config, general, logger } = session;
    await general.get();
    this.idleAt = null;
    let at: Lsn = 0;
    const stream = await ReplicationStream.open({
      config,
      tls: general.tls,
      start: async (client) => (at = await guard.start(client)),
      serverVersion: session.facts.version,
      walSenderTimeoutMs: session.facts.walSenderTimeoutMs,
      reusesMemory: session.rowsEndAtPoll,
    });
    this.lost = null;
    stream.on('end', (error) => {
      this.lost = error ?? new Error('Connection terminated');
      // A paused task does not poll, so that it connects later.
      if (!this.closed && !session.signal.aborted) session.reach.down('stream', LOST, this.lost);
      // A query of the other connection, for which decoding may wait, would not end either.
      if (errorCode(error) === SILENT) void general.renew();
      this.wakeup.wake();
    });
    try {
      await guard.started(at, await general.get());
    } catch (error) {
      // If the server has ended the stream, the slot is free for that reason, which may arrive in this turn.
      await yieldToEventLoop();
      const cause = stream.failure ?? error;
      await Promise.all([stream.close(), general.renew()]);
      throw cause;
    }
    if (this.closed) {
      await stream.close();
      return;
    }
    stream.tap.onQueued = () => this.wakeup.wake();
    this.stream = stream;
    this.source = createSource(session, decoder, stream.tap.queue);
    this.slotAttempts = 0;
    session.reach.up('stream');
    session.metrics.streams();
    if (this.acknowledged > 0) stream.acknowledge(this.acknowledged);
    logger.info(`Streaming changes from slot "${config.slot.name}" at ${formatLsn(at)}.`);
  }

  /** Schedules the next attempt, or throws. */
  private async failed(error: unknown): Promise<void> {
    const { config, logger, general, reach, signal } = this.session;
    if (signal.aborted) return;
    const text = errorText(error);
    const code = errorCode(error);
    if (code === 'PG_IN_RECOVERY' || (RECOVERY_ERRORS.has(code) && this.guard.inRecovery)) {
      this.pause(error, 'The server is in recovery and does not stream yet', 'PG_IN_RECOVERY');
      return;
    }
    if (isConnectError(error) && !error.retriable) throw await this.final(error);
    if (code === '55006') {
      this.slotAttempts++;
      if (this.slotAttempts > config.slot.maxRetries) throw await slotActiveError(await general.get(), config, error);
      this.retryAt = monotonicNow() + config.slot.retryDelayMs;
      reach.down('stream', 'Another process reads the replication slot', error, { waitMs: config.slot.retryDelayMs });
      logger.warn(`${text}; retrying (${this.slotAttempts} of ${config.slot.maxRetries}).`);
      return;
    }
    const lost = await lostSlotError(config, general, error);
    if (lost !== null) throw lost;
    if (isMissingObject(error)) throw await this.final(missingObject(config, error));
    const canceled = wasCanceled(error);
    const hint = OPTION_ERRORS.has(code) && config.slot.streamParams.length > 0 ? ' (check slot.stream.params)' : '';
    if (!isTransient(error) && !canceled) throw databaseError(`Streaming changes failed${hint}`, error);
    const what = isConnectError(error) ? 'The stream could not start' : LOST;
    this.pause(error, canceled ? 'The server ended the stream' : what);
  }

  /**
   * The slot can never be read past changes that were made without the publication. If a snapshot may replace them, the
   * slot is dropped, and the start of the next task takes it.
   */
  private async final(error: ConnectError): Promise<ConnectError> {
    const { config, general, logger } = this.session;
    const { slot, snapshot } = config;
    if (error.code !== 'PG_PUBLICATION_MISSING' || !snapshot.policy.whenLost || slot.copyOf !== null) return error;
    await dropSlot(await general.get(), slot.name);
    logger.warn(`${error.message} Dropped slot "${slot.name}": the restarted task takes a new snapshot.`);
    return curedByRestart(error);
  }

  /** Backs off before the next attempt; throws when the retries are exhausted. */
  private pause(error: unknown, what: string, code?: string): void {
    const { config, logger, reach } = this.session;
    this.attempts++;
    if (this.attempts > config.maxRetries) throw databaseError('Streaming changes failed', error);
    const wait = reconnectDelayMs(this.attempts, config.firstRetryMs);
    this.retryAt = monotonicNow() + wait;
    reach.down('stream', what, error, { waitMs: wait, ...(code !== undefined && { code }) });
    const prefix = code === undefined ? '' : `${code}: `;
    logger.warn(`${prefix}${what} (${errorText(error)}); retrying in ${wait} ms.`);
  }
}
