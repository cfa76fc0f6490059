/**
 * Reads tables again while the stream goes on, chunk by chunk in the order of their keys (cdc-postgres §4.10). A chunk
 * is read at some point between two positions of the stream; rows that the stream changes between them are dropped, and
 * the others are emitted after the second one. So no row is emitted after a change that it does not contain.
 */
import { randomUUID } from 'node:crypto';
import { isConnectError, type SourceOffset, type SourceRecord, monotonicNow } from '@millrace/sdk';
import { CANCELED_RETRIES, errorText, isTransient, wasCanceled } from '../database/errors';
import { quoteIdentifier } from '../database/identifiers';
import { lastKeyQuery, type KeyValues } from '../database/key-range';
import type { Lsn } from '../database/lsn';
import type { Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import type { ChangeObserver, OldTuple } from '../replication/change-observer';
import { reconnectDelayMs } from '../replication/reconnect-delay';
import type { Session } from '../session';
import { conditionFor, matcherOf, type SnapshotRequest } from '../signals/snapshot-request';
import { ChunkReader, type ReadChunk } from './chunk-reader';
import { chunkTable, type ChunkTable } from './chunk-table';
import { ChunkWindow } from './chunk-window';
import { IncrementalRows } from './incremental-rows';
import { PositionWatermarks } from './position-watermarks';
import { identityText, rowIdentity } from './row-identity';
import type { SnapshotContext } from './snapshot-context';
import { type Collection } from './snapshot-context';
import { SnapshotNotifications, type ScanStatus } from './snapshot-notifications';
import type { Watermarks } from './watermarks';

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
  private readonly positions: PositionWatermarks;
  private readonly notify: SnapshotNotifications;
  private readonly reader: ChunkReader;
  private readonly rows: IncrementalRows;
  private window: ChunkWindow | null = null;
  private chunk: Chunk | null = null;
  /** Id of the chunk that is being read or waits for its end. */
  private chunkId = '';
  private marked = false;
  private reading: Promise<void> | null = null;
  private paused = false;
  /** Counts what makes a chunk in progress useless. */
  private generation = 0;
  private scanned = 0;
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
  ) {
    this.positions = watermarks instanceof PositionWatermarks ? watermarks : new PositionWatermarks(session);
    this.notify = new SnapshotNotifications(session, context);
    this.reader = new ChunkReader(session);
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

  /** Adds tables. A signal that arrives again adds nothing. */
  execute(id: string, request: SnapshotRequest): void {
    const { context, session } = this;
    const known = session.relations.tableNames();
    const again = context.correlationId === id;
    const added: Collection[] = [];
    for (const pattern of request.collections) {
      const matches = matcherOf(pattern);
      const found = known.filter((table) => matches(table) && table !== session.config.signals.table).sort();
      const unknown = pattern.replaceAll('"', '');
      // The task of another slot reads it.
      if (found.length === 0 && session.config.filters.owns?.(unknown) === false) continue;
      // A table that was created since may be in the catalog.
      for (const table of found.length === 0 ? [unknown] : found) {
        const isQueued = [...added, ...(again ? context.queue : context.queue.slice(1))].some(
          (one) => one.table === table,
        );
        if (!isQueued)
          added.push({ table, condition: conditionFor(request, table), surrogateKey: request.surrogateKey });
      }
    }
    if (added.length === 0) return;
    context.queue.push(...added);
    context.correlationId = id;
    session.logger.info(`Incremental snapshot ${id} of ${added.map(({ table }) => table).join(', ')} is queued.`);
    this.contextChanged();
    this.notify.started();
  }

  /** Stops the whole snapshot, or the tables that match. */
  stop(patterns: readonly string[]): void {
    const { context, session } = this;
    if (!this.isRunning) {
      session.logger.warn('No incremental snapshot is running, so none is stopped.');
      return;
    }
    const matches = patterns.length === 0 ? [() => true] : patterns.map(matcherOf);
    const removed = context.queue.filter(({ table }) => matches.some((one) => one(table)));
    if (removed.length === 0) {
      session.logger.warn('The incremental snapshot does not contain any of the tables to stop.');
      return;
    }
    const current = context.current;
    context.queue = context.queue.filter((one) => !removed.includes(one));
    if (current !== null && removed.includes(current)) {
      this.discard();
      context.restartTable();
      this.scanned = 0;
    }
    session.logger.info(`Incremental snapshot: ${removed.map(({ table }) => table).join(', ')} stopped.`);
    this.notify.aborted(patterns.length === 0 ? null : removed.map(({ table }) => table));
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
    this.notify.paused();
  }

  resume(): void {
    if (!this.isRunning || !this.paused) return;
    this.unpause();
    this.notify.resumed();
  }

  /** The stream has found the closing mark of a chunk. */
  mark(chunk: string): void {
    if (chunk === this.chunkId) this.marked = true;
  }

  watches(model: TableModel): boolean {
    return this.window?.isOf(model) === true;
  }

  changed(op: 'c' | 'u' | 'd', model: TableModel, newCells: Cells, oldCells: Cells, old: OldTuple): void {
    const { window } = this;
    if (window === null) return;
    const { isUnique, isInOldKey } = window.identity;
    // A new row that equals others says nothing about them.
    if (op !== 'd' && isUnique) this.remove(window, newCells);
    if (op === 'c') return;
    if (old === 'complete') this.remove(window, oldCells);
    else if (!isInOldKey) window.invalidate();
    else if (old === 'key') this.remove(window, oldCells);
  }

  private remove(window: ChunkWindow, cells: Cells): void {
    const key = identityText(window.identity, cells);
    if (key === null) window.invalidate();
    else window.remove(key);
  }

  truncated(): void {
    this.window?.invalidate();
  }

  /** Starts to read a chunk if one is due. */
  advance(): void {
    if (!this.isRunning || this.paused || this.closed || this.reading !== null) return;
    const { chunk } = this;
    if (chunk === null ? monotonicNow() < this.retryAt : !this.lacksMark(chunk)) return;
    const next = chunk === null ? this.read() : this.usePosition(chunk);
    this.reading = next.finally(() => (this.reading = null));
  }

  /** @param reached all transactions that committed before it were streamed */
  isComplete(reached: () => Lsn): boolean {
    const { chunk } = this;
    if (chunk === null) return false;
    if (this.marked) return true;
    if (chunk.until === null || reached() < chunk.until) return false;
    if (this.watermarks !== this.positions) this.marksAreMissing();
    return true;
  }

  private lacksMark(chunk: Chunk): boolean {
    return chunk.until === null && !this.marked && monotonicNow() >= chunk.positionAt;
  }

  /** The mark was committed before this position. */
  private async usePosition(chunk: Chunk): Promise<void> {
    const until = await this.positions.close().catch(() => null);
    chunk.until = until;
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
    const records = rows.map(({ bytes }, i) =>
      this.rows.record(bytes, table.model, position, i === rows.length - 1 ? after : running),
    );
    this.scanned += read.rows.length;
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
    this.window = null;
    this.chunk = null;
    this.marked = false;
  }

  private async read(): Promise<void> {
    const generation = ++this.generation;
    const collection = this.context.current as Collection;
    try {
      await this.readChunk(collection, generation);
      this.attempts = 0;
    } catch (error) {
      if (this.closed || generation !== this.generation) return;
      this.failed(collection, error);
    }
  }

  private failed({ table }: Collection, error: unknown): void {
    const { session } = this;
    this.discard();
    if (isTransient(error) || (wasCanceled(error) && this.attempts < CANCELED_RETRIES)) {
      const wait = reconnectDelayMs(++this.attempts, session.config.firstRetryMs);
      this.retryAt = monotonicNow() + wait;
      session.logger.warn(`Reading a chunk of ${table} failed (${errorText(error)}); retrying in ${wait} ms.`);
      return;
    }
    const code = isConnectError(error) ? error.code : 'PG_INCREMENTAL_SNAPSHOT';
    session.logger.error(
      `${code}: the incremental snapshot of ${table} failed, skipping the table: ${errorText(error)}`,
    );
    this.endTable(table, 'SQL_EXCEPTION');
  }

  private async readChunk(collection: Collection, generation: number): Promise<void> {
    const { session, context, watermarks } = this;
    const { config, general } = session;
    const client = await general.get();
    const table = await chunkTable(session, client, collection);
    if (generation !== this.generation) return;
    if ('status' in table) {
      session.logger.warn(`PG_INCREMENTAL_SNAPSHOT: skipping table ${collection.table}, because it ${table.why}.`);
      this.endTable(collection.table, table.status);
      return;
    }
    context.keyTypes = table.keyTypes;
    const hasKeys = (key: KeyValues | null): boolean => key === null || key.length === table.key.length;
    if (!hasKeys(context.lastKey) || !hasKeys(context.maximumKey)) context.restartTable();
    if (context.maximumKey === null) {
      const { rows } = await client.query({
        text: lastKeyQuery(table.from, table.key, table.condition),
        rowMode: 'array',
      });
      if (generation !== this.generation) return;
      const [maximum] = rows as unknown as string[][];
      if (maximum === undefined) return this.endTable(collection.table, 'EMPTY');
      context.maximumKey = maximum;
      this.contextChanged();
    }
    const id = randomUUID();
    const streamed = this.streamed();
    const window = new ChunkWindow(table.table, rowIdentity(table.table, table.model));
    this.window = window;
    this.chunkId = id;
    this.marked = false;
    await watermarks.open(id);
    let read: ReadChunk;
    try {
      read = await this.reader.read(table, context.lastKey, context.maximumKey, config.incremental.chunkSize);
      if (generation === this.generation) {
        const { identity } = window;
        window.load(read.rows.map((bytes) => ({ key: this.rows.identityOf(bytes, table.model, identity), bytes })));
      }
    } catch (error) {
      await watermarks.close(id).catch(() => undefined);
      throw error;
    }
    const until = await watermarks.close(id);
    if (generation !== this.generation) return;
    // Their changes are in the stream already, and would be followed by rows without them.
    if ([...streamed].some((xid) => read.misses(xid))) {
      session.logger.debug(`Reading a chunk of ${collection.table} again: a streamed transaction is not visible yet.`);
      this.discard();
      this.retryAt = monotonicNow() + INVISIBLE_MS;
      return;
    }
    if (read.rows.length > 0) this.notify.inProgress(collection.table, read.lastKey);
    if (read.rows.length === 0) return this.endTable(collection.table, 'SUCCEEDED');
    this.chunk = { table, read, until, positionAt: monotonicNow() + MARK_MS };
  }

  /** Goes on with the next table, if there is one. */
  private endTable(table: string, status: ScanStatus): void {
    const { context, session, scanned } = this;
    this.discard();
    this.scanned = 0;
    this.notify.scanned(table, scanned, status);
    context.nextTable();
    if (!this.isRunning) {
      this.notify.completed();
      session.logger.info('The incremental snapshot is complete.');
      context.correlationId = null;
    }
    this.contextChanged();
  }
}

/** Within which the mark of a chunk arrives, unless the stream is late. */
const MARK_MS = 5000;
/** Until a commit that was streamed is probably visible. */
const INVISIBLE_MS = 100;
const INCREMENTAL = { last_snapshot_record: false, snapshot: 'INCREMENTAL', snapshot_completed: false };
