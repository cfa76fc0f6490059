/** The stream with its signals: reads those of all channels, and runs the snapshots that they ask for. */
import { messageOf, sleep, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import { CANCELED_RETRIES, isTransient, wasCanceled } from '../database/errors';
import { GeneralConnection } from '../database/general-connection';
import type { Lsn } from '../database/lsn';
import type { Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import type { ChangeObserver, OldTuple } from '../replication/change-observer';
import type { Position } from '../replication/position';
import { reconnectDelayMs } from '../replication/reconnect-delay';
import { StreamReader } from '../replication/stream-reader';
import type { Phase, Session } from '../session';
import { SignalChannels, type ChannelContext } from '../signals/signal-channels';
import { SignalInbox, type WaitingSignal } from '../signals/signal-inbox';
import { SIGNAL_TYPES, type Signal } from '../signals/signal';
import { snapshotRequest, type SnapshotRequest } from '../signals/snapshot-request';
import { BlockingSnapshot } from './blocking-snapshot';
import { IncrementalSnapshot } from './incremental-snapshot';
import { isSignalTable, rowId, signalOfRow, SignalTableWatermarks, WINDOW_CLOSE, WINDOW_OPEN } from './signal-table';
import { SnapshotContext, withoutContext } from './snapshot-context';
import { PositionWatermarks } from './watermarks';

interface Pause {
  readonly id: string;
  readonly request: SnapshotRequest;
  readonly waiting: WaitingSignal | null;
  snapshot: BlockingSnapshot | null;
  attempts: number;
}

const MAX_PAUSES = 100;

export class SignaledStream implements Phase, ChangeObserver {
  readonly inbox = new SignalInbox();
  private readonly stream: StreamReader;
  private readonly snapshot: IncrementalSnapshot;
  /** Of incremental snapshots, whose statements may wait for the lock of a table while the stream needs the catalog. */
  private readonly snapshotConnection: GeneralConnection;
  private readonly channels: SignalChannels;
  /** Signals that are applied when the offset is stored. */
  private unstored: WaitingSignal[] = [];
  /** The context has changed since an offset with it was stored. */
  private storesContext = false;
  private failure: unknown = null;
  /** Blocking snapshots, the first of which is running. */
  private readonly pauses: Pause[] = [];

  /** @param lastOffset the stored offset, in which an incremental snapshot may be running */
  constructor(
    private readonly session: Session,
    context: ChannelContext,
    position: Position,
    lastOffset: SourceOffset | null,
  ) {
    const { config, logger, facts } = session;
    const { table } = config.signals;
    this.stream = new StreamReader(session, position, lastOffset === null ? null : withoutContext(lastOffset));
    const restored = SnapshotContext.restore(lastOffset, (problem) =>
      logger.warn(`PG_INCREMENTAL_SNAPSHOT: an incremental snapshot was running. ${problem}`),
    );
    // Tables split over several slots have one signal table, whose rows only one of the slots sends.
    const writes = table !== null && !config.incremental.readOnly && !facts.inRecovery && config.part === null;
    const { lockTimeoutMs } = config.incremental;
    this.snapshotConnection = new GeneralConnection(config.connection, 'General', lockTimeoutMs, session.reach);
    const own: Session = { ...session, general: this.snapshotConnection };
    const watermarks = writes ? new SignalTableWatermarks(own, table) : new PositionWatermarks(own);
    this.snapshot = new IncrementalSnapshot(
      own,
      restored,
      watermarks,
      () => this.contextChanged(),
      () => this.stream.recentTransactions,
      () => this.stream.wake(),
    );
    if (this.snapshot.isRunning) logger.info(`Resuming the incremental snapshot of ${restored.tables}.`);
    const members = restored.members();
    if (members !== null) this.stream.shareMembers(members, withoutContext);
    this.follow();
    this.channels = new SignalChannels(config, context, this.inbox, restored.marks);
    this.inbox.onSignal = () => this.stream.wake();
    this.inbox.onForget = (channel) => {
      if (restored.marks.delete(channel)) this.contextChanged();
    };
    this.channels.start();
  }

  async next(): Promise<SourceRecord[] | null> {
    const { stream, snapshot } = this;
    if (this.failure !== null) throw this.failure;
    this.applyWaiting();
    this.store();
    if (this.pauses.length > 0) {
      const settled = stream.settledOffset;
      if (settled !== null) return await this.nextOfPause(settled);
    }
    snapshot.advance();
    await snapshot.backlog;
    if (snapshot.awaited !== null) stream.requestKeepalive();
    const isComplete = (): boolean => snapshot.isComplete(() => stream.reached);
    const records = (await stream.next(isComplete)) ?? [];
    const position = stream.settledOffset;
    if (position !== null && isComplete()) {
      for (const record of snapshot.take(withoutContext(position))) records.push(record);
      snapshot.advance();
    }
    return records.length > 0 ? records : null;
  }

  /** See `MovedRows`. */
  get tablesBeingRead(): ReadonlySet<string> | null {
    const { beingRead, context } = this.snapshot;
    return beingRead.names(context.current?.table ?? null, () => this.stream.reached);
  }

  /** See `Position`. */
  unreadUntil(lsn: Lsn): void {
    this.stream.unreadUntil(lsn);
  }

  /** All records that `next` has returned are converted. */
  released(): void {
    this.stream.released();
  }

  acknowledge(position: Lsn): void {
    this.stream.acknowledge(position);
  }

  async close(): Promise<void> {
    const { unstored, pauses } = this;
    this.unstored = [];
    // First, so that no channel takes what is rejected now for read.
    this.inbox.close();
    const stopping = new Error('The task is stopping.');
    for (const { rejected } of unstored) rejected(stopping);
    for (const { waiting, snapshot } of pauses.splice(0)) {
      waiting?.rejected(stopping);
      await snapshot?.close();
    }
    await this.channels.close();
    const ended = this.snapshot.close();
    await this.snapshotConnection.close();
    await ended;
    await this.stream.close();
  }

  // ------------------------------------------------------------ changes of the stream

  watches(model: TableModel): boolean {
    return isSignalTable(model, this.session.config.signals.table) || this.snapshot.watches(model);
  }

  changed(op: 'c' | 'u' | 'd', model: TableModel, newCells: Cells, oldCells: Cells, old: OldTuple, xid: number): void {
    if (this.snapshot.watches(model)) this.snapshot.changed(op, model, newCells, oldCells, old, xid);
    if (!isSignalTable(model, this.session.config.signals.table)) return;
    if (op === 'c') this.inserted(newCells);
    else if (op === 'd') this.closed(rowId(oldCells), 'open');
  }

  truncated(model: TableModel, xid: number): void {
    if (this.snapshot.watches(model)) this.snapshot.truncated(model, xid);
  }

  private inserted(cells: Cells): void {
    try {
      const signal = signalOfRow(cells);
      if (signal.type === WINDOW_CLOSE) this.closed(signal.id, 'close');
      else if (signal.type === WINDOW_OPEN) this.snapshot.open(signal.id.replace(/-open$/, ''));
      else if (this.session.config.signals.source) this.apply(signal, null);
    } catch (error) {
      this.session.logger.warn(`PG_SIGNAL: the signal ${rowId(cells) ?? ''} of the signal table ${messageOf(error)}.`);
    }
  }

  private closed(id: string | null, suffix: 'open' | 'close'): void {
    if (id?.endsWith(`-${suffix}`)) this.snapshot.mark(id.slice(0, -suffix.length - 1));
  }

  // ------------------------------------------------------------ signals

  private applyWaiting(): void {
    for (const waiting of this.inbox.take()) {
      try {
        if (!this.apply(waiting.signal, waiting)) this.settle(waiting);
      } catch (error) {
        const problem = messageOf(error);
        this.session.logger.warn(`PG_SIGNAL: the signal ${waiting.signal.id} ${problem}.`);
        waiting.rejected(new Error(`The signal ${waiting.signal.id} ${problem}.`));
      }
    }
  }

  /** The offset with the effect of the signal, or after the rows that it asked for, is stored next. */
  private settle(waiting: WaitingSignal): void {
    this.unstored.push(waiting);
    if (waiting.mark !== null) this.snapshot.context.marks.set(waiting.mark.channel, waiting.mark.text);
    this.contextChanged();
  }

  /**
   * Returns true for a signal that is applied later, and then settles `waiting`. Throws an Error whose message
   * completes "The signal …".
   */
  private apply(signal: Signal, waiting: WaitingSignal | null): boolean {
    if (signal.type === 'execute-snapshot') {
      const request = snapshotRequest(signal.data);
      if (request.collections.length === 0) throw new Error('names no data-collections');
      if (request.kind === 'blocking') {
        if (this.pauses.length >= MAX_PAUSES) throw new Error(`comes after ${MAX_PAUSES} blocking snapshots that wait`);
        this.pauses.push({ id: signal.id, request, waiting, snapshot: null, attempts: 0 });
        return true;
      }
      this.snapshot.execute(signal.id, request);
    } else this.applyOther(signal);
    return false;
  }

  private applyOther({ id, type, data }: Signal): void {
    const { snapshot, session } = this;
    switch (type) {
      case 'stop-snapshot':
        return snapshot.stop(snapshotRequest(data).collections);
      case 'pause-snapshot':
        return snapshot.pause();
      case 'resume-snapshot':
        return snapshot.resume();
      case 'log':
        return this.log(data.message);
      case 'schema-changes':
        return session.logger.info(`The signal ${id} of type schema-changes has no effect for PostgreSQL.`);
      default:
        throw new Error(`has the unknown type "${type}"; the types are ${SIGNAL_TYPES.join(', ')}`);
    }
  }

  /** The stream is read again when the first pause has ended. */
  private async nextOfPause(settled: SourceOffset): Promise<SourceRecord[] | null> {
    const { session } = this;
    const pause = this.pauses[0] as Pause;
    pause.snapshot ??= new BlockingSnapshot(session, pause.id, pause.request, settled);
    try {
      const records = await pause.snapshot.next();
      if (pause.snapshot.done) {
        this.pauses.shift();
        if (pause.waiting !== null) this.settle(pause.waiting);
      }
      return records;
    } catch (error) {
      const { snapshot } = pause;
      pause.snapshot = null;
      await snapshot.close();
      if (session.signal.aborted) return null;
      pause.attempts++;
      const mayPass = isTransient(error) || (wasCanceled(error) && pause.attempts <= CANCELED_RETRIES);
      if (mayPass && pause.attempts <= session.config.maxRetries) {
        session.logger.warn(`Blocking snapshot ${pause.id} failed (${messageOf(error)}); starting it again.`);
        await sleep(reconnectDelayMs(pause.attempts, session.config.firstRetryMs), session.signal).catch(
          () => undefined,
        );
        return null;
      }
      this.pauses.shift();
      session.logger.error(`PG_SIGNAL: blocking snapshot ${pause.id} failed: ${messageOf(error)}. The stream resumes.`);
      snapshot.failed();
      pause.waiting?.rejected(error);
      return null;
    }
  }

  private log(message: unknown): void {
    if (typeof message !== 'string') throw new Error('has no message');
    const offset = JSON.stringify(this.stream.settledOffset ?? {}, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    this.session.logger.info(message.replace('{}', () => offset));
  }

  // ------------------------------------------------------------ offsets

  private contextChanged(): void {
    this.stream.shareMembers(this.snapshot.context.members(), withoutContext);
    this.storesContext = true;
    this.follow();
  }

  /** Changes cost less while nothing observes them. */
  private follow(): void {
    const needed = this.session.config.signals.table !== null || this.snapshot.isRunning;
    this.stream.observer = needed ? this : null;
  }

  /** Before anything else is decoded, so that the offset covers only records that `next` has returned. */
  private store(): void {
    const offset = this.stream.settledOffset;
    if (offset === null) return;
    const waiting = this.unstored.splice(0);
    const done = (): void => waiting.forEach(({ applied }) => applied());
    if (!this.storesContext) return done();
    this.storesContext = false;
    this.session.storeOffset(offset).then(done, (error: unknown) => {
      // The task stops or fails: the channels must read these signals again.
      this.inbox.close();
      for (const { rejected } of waiting) rejected(error);
      if (!this.session.signal.aborted) this.failure = error;
    });
  }
}
