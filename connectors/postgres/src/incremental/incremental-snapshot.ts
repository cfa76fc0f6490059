/**
 * Reads tables again while the stream continues, chunk by chunk in the order of their keys (cdc-postgres §4.10). A
 * chunk is read at some point between two positions of the stream; rows that the stream changes between them are
 * dropped, and the others are emitted after the second one. So no row is emitted after a change that it does not
 * contain.
 */
import { randomUUID } from 'node:crypto';
import { isConnectError, type SourceOffset, type SourceRecord, monotonicNow } from '@millrace/sdk';
import { CANCELED_RETRIES, errorCode, errorText, isDisconnection, isTransient, wasCanceled } from '../database/errors';
import { quoteIdentifier } from '../database/identifiers';
import type { KeyValues } from '../database/key-range';
import type { Lsn } from '../database/lsn';
import type { Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import type { ChangeObserver, OldTuple } from '../replication/change-observer';
import { reconnectDelayMs } from '../replication/reconnect-delay';
import type { Session } from '../session';
import { exactMatcherOf, type SnapshotRequest } from '../signals/snapshot-request';
import { ChunkProgress } from './chunk-progress';
import { ChunkReader, type ReadChunk } from './chunk-reader';
import type { ChunkTable } from './chunk-table';
import type { ChunkWindow } from './chunk-window';
import { countRows } from './count-rows';
import { IncrementalRows } from './incremental-rows';
import { prepareTable, type PreparedTable } from './prepared-table';
import { requestedTables } from './requested-tables';
import { checkListFits, type Collection, type SnapshotContext } from './snapshot-context';
import { SnapshotNotifications, type ScanStatus } from './snapshot-notifications';
import { whileUnaltered } from './table-definition';
import { TablesBeingRead } from './tables-being-read';
import { PositionWatermarks, type ChunkMark, type Watermarks } from './watermarks';
import { WindowChanges } from './window-changes';

/** A chunk that was read and waits for its end in the stream. */
interface Chunk {
  readonly table: ChunkTable;
  readonly read: ReadChunk;
  /** The stream has passed this position; null: its closing mark arrives. */
  until: Lsn | null;
  /** When a position replaces a mark that has not arrived, in milliseconds since the epoch. */
  readonly positionAt: number;
}

export class IncrementalSnapshot implements ChangeObserver {
  readonly beingRead = new TablesBeingRead();
  private readonly positions: PositionWatermarks;
  private readonly notify: SnapshotNotifications;
  private readonly reader: ChunkReader;
  private readonly rows: IncrementalRows;
  private window: ChunkWindow | null = null;
  private changes: WindowChanges | null = null;
  private chunk: Chunk | null = null;
  /** Transactions that the stream had passed when `window` began to observe. */
  private passed: ReadonlySet<number> = new Set();
  /** Id of the chunk that is being read or waits for its end. */
  private chunkId = '';
  private opened = false;
  private marked = false;
  private reading: Promise<void> | null = null;
  private paused = false;
  /** Counts what makes a chunk in progress useless. */
  private generation = 0;
  private scanned = 0;
  private readonly progress: ChunkProgress;
  /** When tables are stopped although the chunk has not ended; null: none is to be stopped. */
  private stopAt: number | null = null;
  /** Notifications that follow those of the read. */
  private afterRead: (() => void)[] = [];
  private attempts = 0;
  private retryAt = 0;
  private closed = false;

  /** @param changed the members that offsets have while the snapshot runs are different ones */
  constructor(
    private readonly session: Session,
    readonly context: SnapshotContext,
    private watermarks: Watermarks,
    private readonly contextChanged: () => void,
    /** Transactions that the stream has passed. */
    private readonly streamed: () => ReadonlySet<number>,
    /** Something was read, so there is more to do. */
    private readonly wake: () => void,
  ) {
    this.positions = watermarks instanceof PositionWatermarks ? watermarks : new PositionWatermarks(session);
    this.notify = new SnapshotNotifications(session, context);
    this.reader = new ChunkReader(session);
    this.progress = new ChunkProgress(session.config.incremental.chunkSize);
    this.rows = new IncrementalRows(session);
  }

  get isRunning(): boolean {
    return this.context.queue.length > 0;
  }

  /** A position that the stream must pass; null: none. */
  get awaited(): Lsn | null {
    return this.chunk?.until ?? null;
  }

  /** The stream must wait until the chunk is read; null: it need not. */
  get backlog(): Promise<void> | null {
    return this.window?.isFull ? this.reading : null;
  }

  /** Adds tables. A signal that arrives again adds nothing. Throws an Error for more than offsets can hold. */
  execute(id: string, request: SnapshotRequest): void {
    const { context, session } = this;
    const wasRunning = this.isRunning;
    const queue = context.correlationId === id ? context.queue : context.queue.slice(1);
    const queued = new Set(queue.filter((one) => !context.stopping.has(one)).map(({ table }) => table));
    const { signals, filters } = session.config;
    const known = session.relations.tableNames();
    const added = requestedTables(id, request, known, queued, signals.table, filters.owns);
    if (added.length === 0) return;
    try {
      checkListFits(context.queue, added, id);
    } catch (error) {
      this.notify.refused(id, `The signal ${id} ${(error as Error).message}.`);
      throw error;
    }
    context.queue.push(...added);
    context.correlationId = id;
    session.logger.info(`Incremental snapshot ${id} of ${added.map(({ table }) => table).join(', ')} is queued.`);
    this.contextChanged();
    if (!wasRunning) this.notify.started();
  }

  /** Stops the whole snapshot, or the tables that match. The rows of the open chunk are emitted before. */
  stop(patterns: readonly string[]): void {
    const { context, session } = this;
    if (!this.isRunning) {
      session.logger.warn('No incremental snapshot is running, so none is stopped.');
      return;
    }
    const matches = patterns.length === 0 ? [() => true] : patterns.map(exactMatcherOf);
    const found = context.queue.filter(({ table }) => matches.some((one) => one(table)));
    if (found.length === 0) session.logger.warn('The incremental snapshot does not contain any of the tables to stop.');
    for (const one of found) context.stopping.add(one);
    this.stopAt ??= monotonicNow() + STOP_MS;
    if (this.reading === null && this.chunk === null) this.stopTables();
    // Offsets are without the tables from here on, so a crash does not bring them back.
    else this.contextChanged();
  }

  private stopTables(): void {
    const { context, session } = this;
    const current = context.current;
    const stopped = context.stopTables();
    this.stopAt = null;
    // Its end was notified.
    if (current === null) return;
    if (context.current !== current) {
      this.discard();
      this.scanned = 0;
      this.progress.reset();
    }
    const names = stopped.map(({ table }) => table);
    session.logger.info(`Incremental snapshot: ${names.join(', ')} stopped.`);
    if (!this.isRunning) this.notify.completed();
    this.notify.aborted(names);
    if (!this.isRunning) {
      context.correlationId = null;
      // The next one must not wait for a resume of this one.
      this.unpause();
    }
    this.contextChanged();
  }

  private unpause(): void {
    this.paused = false;
    this.session.snapshot.resume();
  }

  pause(): void {
    if (!this.isRunning || this.paused) return;
    this.paused = true;
    this.session.snapshot.pause();
    this.whenRead(() => this.notify.paused());
  }

  resume(): void {
    if (!this.isRunning || !this.paused) return;
    this.unpause();
    this.whenRead(() => this.notify.resumed());
  }

  /** What is read now is notified before. */
  private whenRead(notify: () => void): void {
    if (this.reading === null) notify();
    else this.afterRead.push(notify);
  }

  /** The stream has found the opening mark of a chunk. */
  open(chunk: string): void {
    if (chunk !== this.chunkId) return;
    this.opened = true;
    this.window?.open();
  }

  /** The stream has found the closing mark of a chunk. */
  mark(chunk: string): void {
    if (chunk === this.chunkId) this.marked = true;
  }

  watches(model: TableModel): boolean {
    return this.window?.isOf(model) === true;
  }

  changed(op: 'c' | 'u' | 'd', model: TableModel, newCells: Cells, oldCells: Cells, old: OldTuple, xid: number): void {
    this.changes?.changed(op, model, newCells, oldCells, old, xid);
  }

  truncated(_model: TableModel, xid: number): void {
    this.window?.invalidate(xid);
  }

  /** Starts to read a chunk if one is due. */
  advance(): void {
    const isIdle = this.reading === null && this.chunk === null;
    if (this.stopAt !== null && (isIdle || monotonicNow() >= this.stopAt)) this.stopTables();
    if (!this.isRunning || this.paused || this.closed || this.reading !== null) return;
    const { chunk } = this;
    const lacksMark = chunk?.until === null && !this.marked && monotonicNow() >= chunk.positionAt;
    if (chunk === null ? monotonicNow() < this.retryAt : !lacksMark) return;
    const next = chunk === null ? this.read() : this.usePosition(chunk);
    this.reading = next.finally(() => {
      this.reading = null;
      for (const notify of this.afterRead.splice(0)) notify();
      this.wake();
    });
  }

  /** @param reached all transactions that committed before it were streamed */
  isComplete(reached: () => Lsn): boolean {
    const { chunk } = this;
    if (chunk === null || this.marked) return chunk !== null;
    if (chunk.until === null || reached() < chunk.until) return false;
    if (this.watermarks !== this.positions) this.marksAreMissing();
    return true;
  }

  /** The mark was committed before this position. */
  private async usePosition(chunk: Chunk): Promise<void> {
    chunk.until = await this.positions.close().catch(() => null);
  }

  /** The stream has passed the mark of a chunk without it. */
  private marksAreMissing(): void {
    const { session } = this;
    const { table } = session.config.signals;
    session.logger.warn(
      `PG_SIGNAL: rows of the signal table ${table} do not arrive in the stream, so signals in it are not read; incremental snapshots use positions in the WAL instead. Is it in the publication? ALTER PUBLICATION ${quoteIdentifier(session.config.publication.name)} ADD TABLE ${table};`,
    );
    this.watermarks = this.positions;
  }

  /** Ends the chunk, and returns its remaining rows. @param position offset of everything streamed so far, bare */
  take(position: SourceOffset): SourceRecord[] {
    const { context, session } = this;
    const { table, read } = this.chunk as Chunk;
    const window = this.window as ChunkWindow;
    this.discard();
    // The definition has changed, so the rows may be of another shape than their schema.
    if (window.stale || session.relations.modelOf(table.table.oid) !== table.model) return [];
    const running = { ...position, ...INCREMENTAL, ...context.members() };
    context.lastKey = read.lastKey;
    const after = { ...position, ...INCREMENTAL, ...context.members() };
    const rows = window.remaining();
    session.factory.readClock();
    const records = rows.map(({ bytes, newer }, i) => {
      const offset = i === rows.length - 1 ? after : running;
      return this.rows.record(bytes, table.model, position, offset, 'incremental', null, newer);
    });
    this.scanned += read.rows.length;
    this.progress.chunkEnded();
    this.contextChanged();
    return records;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.generation++;
    await this.reader.close();
    await this.reading;
  }

  private discard(): void {
    this.generation++;
    this.observe(null);
    this.chunk = null;
    this.opened = false;
    this.marked = false;
  }

  private async read(): Promise<void> {
    const generation = ++this.generation;
    this.notify.readBegun();
    try {
      await this.readChunk(generation);
      this.session.reach.up('queries');
      this.attempts = 0;
    } catch (error) {
      if (!this.closed && generation === this.generation) this.failed(error);
    } finally {
      this.notify.readEnded();
    }
  }

  private failed(error: unknown): void {
    const { session, context } = this;
    const { table } = context.current as Collection;
    this.discard();
    if (isTransient(error) || (wasCanceled(error) && this.attempts < CANCELED_RETRIES)) {
      // A lock may be held for long, and its table is read soon after it is free.
      const isLocked = errorCode(error) === '55P03';
      const wait = reconnectDelayMs(isLocked ? 1 : ++this.attempts, session.config.firstRetryMs);
      this.retryAt = monotonicNow() + wait;
      if (isDisconnection(error))
        session.reach.down('queries', `Reading a chunk of ${table} failed`, error, { waitMs: wait });
      session.logger.warn(`Reading a chunk of ${table} failed (${errorText(error)}); retrying in ${wait} ms.`);
      return;
    }
    const code = isConnectError(error) ? error.code : 'PG_INCREMENTAL_SNAPSHOT';
    session.logger.error(
      `${code}: the incremental snapshot of ${table} failed, skipping the table: ${errorText(error)}`,
    );
    this.endTable('SQL_EXCEPTION');
  }

  /** Reads one table after the other, until there are rows. They share a mark in the stream, as in Debezium. */
  private async readChunk(generation: number): Promise<void> {
    const { session, watermarks } = this;
    const isStale = (): boolean => generation !== this.generation;
    const { table: name, correlationId } = this.context.current as Collection;
    const mark: ChunkMark = { id: randomUUID(), table: name, correlationId };
    this.chunkId = '';
    this.opened = false;
    // Its changes are observed before the mark is in the stream.
    let prepared = await this.prepare(isStale);
    if (isStale()) return;
    this.chunkId = mark.id;
    this.marked = false;
    await watermarks.open(mark);
    let chunk: Pick<Chunk, 'table' | 'read'> | null = null;
    try {
      while (!isStale()) {
        const read = 'status' in prepared ? this.endTable(prepared.status) : await this.readRows(prepared, generation);
        if (read !== null && 'table' in prepared) chunk = { table: prepared.table, read };
        if (chunk !== null || isStale() || !this.isRunning) break;
        prepared = await this.prepare(isStale);
      }
    } catch (error) {
      await watermarks.close(mark).catch(() => undefined);
      throw error;
    }
    const until = await watermarks.close(mark).catch((error: unknown) => {
      if (chunk !== null || isStale()) throw error;
      session.logger.warn(`The closing mark of a chunk without rows is not written (${errorText(error)}).`);
      return null;
    });
    await this.beingRead.noteEnds(() => session.general.get());
    if (isStale() || chunk === null) return;
    const { table, read } = chunk;
    // Their changes are in the stream already, and would be followed by rows without them.
    if ([...this.passed].some((xid) => read.visibility.misses(xid))) {
      session.logger.debug(`Reading a chunk of ${table.table.name} again: a streamed transaction is not visible yet.`);
      this.discard();
      this.retryAt = monotonicNow() + INVISIBLE_MS;
      return;
    }
    await this.report(table, read);
    if (isStale()) return;
    this.chunk = { table, read, until, positionAt: monotonicNow() + MARK_MS };
  }

  private async prepare(isStale: () => boolean): Promise<PreparedTable | { readonly status: ScanStatus }> {
    const { context } = this;
    const { maximumKey } = context;
    const prepared = await prepareTable(this.session, this.reader, context, isStale, () => {
      this.scanned = 0;
      this.progress.reset();
      this.contextChanged();
    });
    if (isStale()) return prepared;
    this.observe('window' in prepared ? prepared : null);
    this.passed = this.streamed();
    if (context.maximumKey !== maximumKey) this.contextChanged();
    return prepared;
  }

  private observe(prepared: PreparedTable | null): void {
    this.window = prepared?.window ?? null;
    this.changes = prepared === null ? null : new WindowChanges(prepared.window, prepared.table.table);
    // Several tables that are read one after the other share a mark.
    if (this.opened) this.window?.open();
  }

  /** Null: the table has no more rows, and the next one is current. */
  private async readRows({ table, window }: PreparedTable, generation: number): Promise<ReadChunk | null> {
    const { session, context } = this;
    const { chunkSize } = session.config.incremental;
    const { lastKey, maximumKey } = context;
    const read = await whileUnaltered(
      () => session.general.get(),
      table,
      () => this.reader.read(table, lastKey, maximumKey as KeyValues, chunkSize),
    );
    if (generation !== this.generation) return null;
    const rows = read.rows.map((bytes) => ({ key: this.rows.identityOf(bytes, table.model, window.identity), bytes }));
    window.load(rows, read.visibility);
    if (read.rows.length > 0) return read;
    this.endTable('SUCCEEDED');
    return null;
  }

  private async report(table: ChunkTable, read: ReadChunk): Promise<void> {
    const { session, context, progress } = this;
    if (!session.notifications.areSent) return;
    const [lastKey, upTo] = [read.lastKey as KeyValues, context.maximumKey as KeyValues];
    await progress.count(() => countRows(session, table, context.lastKey, upTo, read));
    this.notify.inProgress((context.current as Collection).table, lastKey, progress.ofChunk);
  }

  /** Continues with the next table, if there is one. */
  private endTable(status: ScanStatus): null {
    const { context, session, scanned, progress } = this;
    const { table } = context.current as Collection;
    this.observe(null);
    this.scanned = 0;
    this.beingRead.ends(table);
    this.notify.scanned(table, scanned, status, status === 'SUCCEEDED' ? progress.ofTable : {});
    progress.reset();
    context.nextTable();
    if (!this.isRunning) {
      this.notify.completed();
      session.logger.info('The incremental snapshot is complete.');
      context.correlationId = null;
    }
    this.contextChanged();
    return null;
  }
}

/** A stop waits so long for the chunk that is open; then its rows are dropped. */
const STOP_MS = 10_000;
/** Within which the mark of a chunk arrives, unless the stream is late. */
const MARK_MS = 5000;
/** Until a commit that was streamed is probably visible. */
const INVISIBLE_MS = 100;
const INCREMENTAL = { last_snapshot_record: false, snapshot: 'INCREMENTAL', snapshot_completed: false };
