/** The task: a snapshot if the plan says so, then the stream. */
import { reconnectDelayMs } from './replication/reconnect-delay';
import {
  ConnectError,
  isConnectError,
  type ConnectorConfig,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  type SourceTask,
  type SourceTaskContext,
  type TaskSignal,
  Wakeup,
  monotonicNow,
} from '@millrace/sdk';
import { parseConfig } from './config/postgres-config';
import { slotPart } from './config/slot-part';
import { CANCELED_RETRIES, errorText, isTransient, wasCanceled } from './database/errors';
import { offsetLsn, type Lsn } from './database/lsn';
import { flushLsn, positionAt, startLsn, UNREAD_MEMBER, type Position } from './replication/position';
import { dropSlot } from './replication/slot';
import { ColumnReselector } from './reselect/column-reselector';
import { MovedRows } from './reselect/moved-rows';
import { UnreadValues } from './reselect/unread-values';
import { SignaledStream } from './incremental/signaled-stream';
import type { Phase, Session } from './session';
import { readResumePoint } from './snapshot/resume-point';
import { SnapshotEnd } from './snapshot/snapshot-end';
import { SnapshotReader } from './snapshot/snapshot-reader';
import { startUp, type Started } from './startup/start';

export class PostgresSourceTask implements SourceTask {
  private started: Started | null = null;
  private context: SourceTaskContext | null = null;
  private phase: Phase | null = null;
  private reselector: ColumnReselector | null = null;
  private unread: UnreadValues | null = null;
  private moved: MovedRows | null = null;
  private emitted = false;
  /** LSN of the last stored offset; the server may remove WAL before it. */
  private storedLsn: Lsn = 0;
  private attempts = 0;
  /** Statements of the snapshot that the server canceled. */
  private canceled = 0;
  private retryAt = 0;
  private readonly idle = new Wakeup();

  async start(config: ConnectorConfig, context: SourceTaskContext): Promise<void> {
    const started = await startUp(slotPart(parseConfig(config), context.task), context);
    this.started = started;
    this.context = context;
    const { session, plan, created, resumable, streamFrom, storedOffset } = started;
    const { reselect } = session.config;
    if (reselect !== null) this.reselector = new ColumnReselector(session, reselect);
    const lsn = streamFrom === null ? null : startLsn(streamFrom);
    if (plan.snapshot) {
      const resume = resumable ? readResumePoint(storedOffset) : null;
      this.phase = new SnapshotReader(session, created, plan.stream, lsn, resume);
      return;
    }
    session.snapshot.skip();
    session.notifications.send({ aggregateType: 'Initial Snapshot', type: 'SKIPPED' });
    if (plan.stream) this.phase = this.streamFrom(streamFrom ?? positionAt(0), storedOffset);
    else session.metrics.stop();
  }

  async poll(): Promise<readonly SourceRecord[] | null> {
    const { session } = this.started as Started;
    const { phase } = this;
    const isAllReturned = [this.reselector, this.moved, this.unread].every((one) => one?.isIdle !== false);
    if (phase instanceof SignaledStream && isAllReturned) phase.released();
    return session.notifications.appendTo(await this.records(session));
  }

  private async records(session: Session): Promise<readonly SourceRecord[] | null> {
    const { signal } = session;
    if (signal.aborted) return null;
    this.started?.publication?.poll();
    if (this.phase === null || monotonicNow() < this.retryAt) {
      // Either initial_only has finished its snapshot, or a lost connection is in backoff.
      await this.idle.wait(session.config.queue.pollIntervalMs, signal);
      return null;
    }
    try {
      const records = await this.completed(this.phase);
      if (records !== null) {
        session.factory.layout.finish?.(records);
        const last = records[records.length - 1];
        if (last?.sourceOffset != null) session.metrics.returned(last.sourceOffset);
        this.emitted = true;
        this.attempts = 0;
        if (this.phase instanceof SnapshotReader) session.reach.up('queries');
      }
      this.nextPhase();
      return records;
    } catch (error) {
      if (signal.aborted) return null;
      await this.failed(error);
      return null;
    }
  }

  /** The next records, with columns that are read from their tables. */
  private async completed(phase: Phase): Promise<SourceRecord[] | null> {
    const { reselector } = this;
    const records = await (reselector === null ? this.raw(phase) : reselector.next({ next: () => this.raw(phase) }));
    const { unread } = this;
    if (unread?.done) {
      this.unread = null;
      await unread.close();
    }
    return records;
  }

  /** The next records, with unsent values that no other record has. */
  private async raw(phase: Phase): Promise<SourceRecord[] | null> {
    const { moved, unread } = this;
    if (!(phase instanceof SignaledStream) || moved === null) return await phase.next();
    if (unread === null) return await moved.next(phase);
    return await unread.next({ next: () => moved.next(phase), unreadUntil: (lsn) => phase.unreadUntil(lsn) });
  }

  commit(offsets: ReadonlyMap<SourcePartition, SourceOffset | null>): void {
    if (this.started === null) return;
    const { session } = this.started;
    const { partition } = session.factory;
    const offset = offsets.get(partition) ?? find(offsets, partition);
    if (offset == null) return;
    const position = flushLsn(offset);
    session.metrics.stored(offset, position);
    if (position === null || !session.config.slot.flush) return;
    this.storedLsn = position;
    if (this.phase instanceof SignaledStream) this.phase.acknowledge(position);
  }

  /** Resolves when the signal's effect is part of the stored offset. */
  async onSignal(signal: TaskSignal): Promise<void> {
    const { phase } = this;
    if (!(phase instanceof SignaledStream))
      throw new ConnectError('The task does not stream changes yet, so it accepts no signals; send it again later.', {
        code: 'PG_SIGNAL',
      });
    await phase.inbox.add({ ...signal, channel: 'rest' });
  }

  async stop(): Promise<void> {
    const { phase, started } = this;
    this.phase = null;
    this.started = null;
    started?.session.metrics.stop();
    await this.reselector?.close();
    await this.unread?.close();
    await this.moved?.close();
    await phase?.close();
    if (started === null) return;
    await started.release();
    const { general, config, logger, relations } = started.session;
    relations.close();
    if (config.slot.dropOnStop && started.plan.stream) {
      await general
        .get()
        .then((client) => dropSlot(client, config.slot.name))
        .catch((error: unknown) =>
          logger.warn(`Could not drop replication slot "${config.slot.name}": ${errorText(error)}`),
        );
    }
    await general.close();
  }

  private nextPhase(): void {
    const { phase } = this;
    if (phase instanceof SnapshotReader && phase.done) this.phase = this.afterSnapshot(phase);
    else if (phase instanceof SnapshotEnd && phase.done) this.phase = this.streamAfter(phase);
  }

  private afterSnapshot(snapshot: SnapshotReader): Phase | null {
    const { session, plan, streamFrom, created } = this.started as Started;
    if (!plan.stream) {
      const { mode } = session.config.snapshot;
      session.metrics.stop();
      session.logger.info(`snapshot.mode=${mode}: the snapshot is complete, no changes are streamed.`);
      return null;
    }
    const offset = snapshot.finalOffset as SourceOffset;
    // A slot of this start begins where its snapshot ends, or a later one that replaced it.
    const position = created === null && streamFrom !== null ? streamFrom : positionAt(snapshot.streamLsn as Lsn);
    return new SnapshotEnd(session, { ...position, unreadUntil: offsetLsn(offset[UNREAD_MEMBER]) }, offset);
  }

  private streamAfter({ position, offset }: SnapshotEnd): Phase {
    const reader = this.streamFrom(position, offset);
    if (this.storedLsn > 0) reader.acknowledge(this.storedLsn);
    return reader;
  }

  private streamFrom(position: Position, offset: SourceOffset | null): SignaledStream {
    const { session } = this.started as Started;
    if (position.unreadUntil !== null) this.unread = new UnreadValues(session);
    this.moved = new MovedRows(session);
    return new SignaledStream(session, this.context as SourceTaskContext, position, offset);
  }

  /**
   * Where the stream starts after another attempt. Exactly-once, one that has emitted nothing is replaced by another
   * snapshot, with a position of its own unless an earlier run has left one.
   */
  private resumedLsn({ streamLsn, resumePoint }: SnapshotReader): Lsn | null {
    const { session, created, streamFrom } = this.started as Started;
    if (!session.exactlyOnce || resumePoint !== null) return streamLsn;
    return created !== null || streamFrom === null ? null : startLsn(streamFrom);
  }

  /**
   * Resumes the snapshot after a lost connection or a canceled statement. Any other error fails the task and removes
   * what it has created.
   */
  private async failed(error: unknown): Promise<void> {
    const started = this.started as Started;
    const { session, plan } = started;
    const { phase } = this;
    this.attempts++;
    const mayPass = isTransient(error) || (wasCanceled(error) && ++this.canceled <= CANCELED_RETRIES);
    const retry = phase instanceof SnapshotReader && mayPass && this.attempts <= session.config.maxRetries;
    if (retry) {
      const wait = reconnectDelayMs(this.attempts, session.config.firstRetryMs);
      this.retryAt = monotonicNow() + wait;
      if (isTransient(error)) session.reach.down('queries', 'The snapshot was interrupted', error, { waitMs: wait });
      session.logger.warn(`${errorText(error)}; resuming the snapshot in ${wait} ms.`);
      await phase.close();
      this.phase = new SnapshotReader(session, null, plan.stream, this.resumedLsn(phase), phase.resumePoint);
      return;
    }
    // Once streaming has started, the slot retains changes that are not in Kafka yet, so it must stay.
    if (phase instanceof SnapshotReader && !this.emitted && started.stored.kind === 'none') {
      await phase.close();
      await started.undo();
      if (phase.announced) await session.storeOffset(null);
    }
    throw final(error);
  }
}

/**
 * The retries within the task are exhausted, so the runtime must not poll again, as it does after a retriable error.
 * The retriable error stays the cause: a restart may still succeed, for example when the slot has been released by
 * then.
 */
function final(error: unknown): unknown {
  if (!isConnectError(error) || !error.retriable) return error;
  return new ConnectError(error.message, { code: error.code, cause: error, place: error.place });
}

/** Partitions read back by the runtime are equal but not identical. */
function find(
  offsets: ReadonlyMap<SourcePartition, SourceOffset | null>,
  partition: SourcePartition,
): SourceOffset | null {
  for (const [key, offset] of offsets)
    if (key.server === partition.server && key.slot === partition.slot) return offset;
  return null;
}
