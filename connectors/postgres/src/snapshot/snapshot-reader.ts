/** Reads all captured tables in one snapshot, with one connection or several (cdc-postgres §4). */
import {
  type OffsetValue,
  type SourceOffset,
  type SourceRecord,
  Wakeup,
  yieldToEventLoop,
  monotonicNow,
} from '@millrace/sdk';
import { closeConnection } from '../database/connection';
import { databaseError, errorCode } from '../database/errors';
import { insertedLsn } from '../database/inserted-lsn';
import type { Lsn } from '../database/lsn';
import { Instant } from '../events/event-context';
import { UNREAD_MEMBER } from '../replication/position';
import { TIMELINE_MEMBER } from '../replication/wal-history';
import type { CreatedSlot } from '../replication/slot';
import { MAX_BATCH_BYTES, type Phase, type Session } from '../session';
import type { Chunk, SnapshotTable } from './chunk';
import { chunkQuery, type VersionConditions } from './chunk-query';
import { FinishedWork } from './finished-work';
import { changedFrom, tellsChanges, unchangedSince } from './first-snapshot';
import { unlessStuck } from './lane-locks';
import { afterOthers, LockedTables } from './locked-tables';
import { progressLength, readResumePoint, type ResumePoint } from './resume-point';
import { snapshotError } from './snapshot-error';
import { SnapshotLane } from './snapshot-lane';
import { SnapshotMarkers } from './snapshot-markers';
import { SnapshotReport } from './snapshot-report';
import { SnapshotRows } from './snapshot-rows';
import { beginSnapshot, type SnapshotSource } from './snapshot-source';
import { planSnapshot, type SnapshotPlan } from './snapshot-plan';
import { changedError, readTableChange, type TableChange } from './table-change';

interface Running {
  readonly lanes: readonly SnapshotLane[];
  readonly markers: SnapshotMarkers;
  readonly work: FinishedWork;
  readonly report: SnapshotReport;
  readonly rows: SnapshotRows;
  readonly versions: VersionConditions;
  readonly plan: SnapshotPlan;
  /** Exactly-once: chunks that have rows and are not finished. */
  readonly begun: Set<Chunk>;
  /** What no connection has begun; the chunks of an entry are read by one connection. */
  waiting: Chunk[][];
  readonly locked: LockedTables;
}

export class SnapshotReader implements Phase {
  private running: Running | null = null;
  private readonly wakeup = new Wakeup();
  private readonly beginAt: number;
  /** Fetching has ended: all rows are queued, unless `failure` is set. */
  private fetched = false;
  private failure: unknown = null;
  /** The connection that is decoded first in the next batch. */
  private turn = 0;
  private closed = false;
  private storing = false;
  /** When progress may be stored again, in milliseconds since the epoch. */
  private storeAt = 0;
  /** Stored, or about to be. */
  private storedOffset: SourceOffset | null = null;

  /** All rows were emitted. */
  done = false;
  /** The offset that says a snapshot is running is stored. */
  announced = false;
  /** Offset of the last row; set once the snapshot has started. */
  finalOffset: SourceOffset | null = null;

  /**
   * @param created see `beginSnapshot`
   * @param stream whether the snapshot is followed by a stream
   * @param streamLsn where that stream starts; null: at the position of this snapshot, which replaces null once it has
   *   started
   * @param resume what earlier attempts have finished, if the stream covers every change since then; null: nothing
   */
  constructor(
    private readonly session: Session,
    private created: CreatedSlot | null,
    private readonly stream: boolean,
    public streamLsn: Lsn | null,
    private resume: ResumePoint | null,
  ) {
    this.beginAt = monotonicNow() + session.config.snapshot.delayMs;
  }

  /** What another attempt need not read, provided that everything returned by `next` is delivered. */
  get resumePoint(): ResumePoint | null {
    return this.resume;
  }

  async next(): Promise<SourceRecord[] | null> {
    const { signal, config } = this.session;
    const deadline = monotonicNow() + config.queue.pollIntervalMs;
    if (this.running === null) {
      await this.wakeup.wait(Math.min(deadline, this.beginAt) - monotonicNow(), signal);
      if (monotonicNow() < this.beginAt) return null;
      await this.begin();
    }
    this.storeProgress();
    await yieldToEventLoop();
    const out: SourceRecord[] = [];
    do {
      this.decode(out);
      if (out.length > 0 || this.done) break;
      await this.wakeup.wait(deadline - monotonicNow(), signal);
      await yieldToEventLoop();
    } while (monotonicNow() < deadline && !signal.aborted);
    this.positionOf(out);
    if (this.done) await this.close();
    return out.length > 0 ? out : null;
  }

  async close(): Promise<void> {
    this.closed = true;
    const { created, running } = this;
    this.created = null;
    this.running = null;
    await created?.release();
    if (running === null) return;
    if (!this.done) running.report.aborted();
    this.resume = readResumePoint(running.markers.lastOffset) ?? this.resume;
    await Promise.all(running.lanes.map((lane) => lane.close()));
  }

  private async begin(): Promise<void> {
    const { session, created } = this;
    const { config, signal } = session;
    this.created = null;
    const { exactlyOnce } = session;
    const exact = this.stream && (this.streamLsn === null || (exactlyOnce && this.resume === null));
    const source = await beginSnapshot(session, created, exact, config.snapshot.threads);
    if (this.closed) return await closeAll(source);
    try {
      this.streamLsn ??= source.lsn;
      const { timeline } = session;
      const wal = timeline === null ? null : { [TIMELINE_MEMBER]: timeline };
      const offset = { lsn: this.streamLsn, snapshot: 'INITIAL', ts_usec: source.micros, txId: source.xid, ...wal };
      const isTelling = tellsChanges(source.snapshot.xmax);
      if (exactlyOnce && this.resume !== null && !isTelling)
        session.logger.warn(
          'Rows that changed since the snapshot began may be read, too, besides their changes: the server has had more than 2^32 transactions.',
        );
      const plan = await planSnapshot(session, source.clients[0], this.resume, this.stream, isTelling);
      const isResumed = this.resume !== null;
      const first = this.resume?.snapshot ?? source.snapshot;
      const base = { last_snapshot_record: false, ...offset, snapshot_completed: false };
      const work = new FinishedWork(base, first, exactlyOnce, plan.tables);
      const completed: Record<string, OffsetValue> = {
        last_snapshot_record: true,
        ...offset,
        snapshot_completed: true,
      };
      if (exactlyOnce && isResumed) completed[UNREAD_MEMBER] = await insertedLsn(source.clients[0]);
      // Before the first row: a repeated snapshot must know where this one started.
      this.storedOffset = work.offset;
      if (exactlyOnce) this.resume = readResumePoint(work.offset);
      await session.storeOffset(work.offset);
      this.announced = true;
      if (this.closed) return await closeAll(source);
      const time = new Instant();
      time.setMicros(source.micros);
      const { maxMessages, maxBytes } = config.queue;
      const share = 1 / source.clients.length;
      const limits = { maxMessages: Math.ceil(maxMessages * share), maxBytes: Math.ceil(maxBytes * share) };
      const running: Running = {
        lanes: source.clients.map(
          (client) =>
            new SnapshotLane(
              client,
              limits,
              () => this.wakeup.wake(),
              ({ table }, fields) => plan.columns.isOf(table, fields),
            ),
        ),
        markers: new SnapshotMarkers(() => work.offset, completed),
        ...{ work, plan, waiting: plan.chunks, begun: new Set(), locked: new LockedTables(session) },
        versions: {
          changedFrom: changedFrom(first, source.snapshot),
          unchanged: unchangedSince(first, source.snapshot.xmax),
        },
        report: new SnapshotReport(session, plan, isResumed),
        rows: new SnapshotRows(session, { time, xid: source.xid, origin: null, originLsn: null }, source.lsn),
      };
      this.running = running;
      this.finalOffset = completed;
      void unlessStuck(session, source.clients, this.fetchAll(running, signal)).then(
        () => this.fetchEnded(null),
        (error: unknown) => this.fetchEnded(error),
      );
    } catch (error) {
      await closeAll(source);
      throw databaseError('Starting the snapshot failed', error);
    }
  }

  /** Exactly-once: the last record of a poll says which rows were emitted. */
  private positionOf(out: SourceRecord[]): void {
    const { running } = this;
    const last = out[out.length - 1];
    if (!this.session.exactlyOnce || this.done || running === null || last === undefined) return;
    const offset = running.work.partly(running.begun);
    (last as { sourceOffset: SourceOffset }).sourceOffset = offset;
    running.markers.lastOffset = offset;
  }

  private fetchEnded(error: unknown): void {
    this.fetched = true;
    this.failure = error;
    this.wakeup.wake();
  }

  /**
   * Does not wait for the next scheduled commit, so that a crash repeats little. One at a time; it covers the records
   * of earlier polls only.
   */
  private storeProgress(): void {
    const offset = this.running?.markers.lastOffset ?? null;
    // Otherwise the transaction of the records has it.
    if (this.session.exactlyOnce) return;
    if (this.storing || offset === null || offset === this.storedOffset || monotonicNow() < this.storeAt) return;
    this.storing = true;
    this.storedOffset = offset;
    this.storeAt = monotonicNow() + progressLength(offset) / STORED_PER_MS;
    this.session.storeOffset(offset).then(
      () => (this.storing = false),
      // The task is stopping.
      () => undefined,
    );
  }

  private decode(out: SourceRecord[]): void {
    const { running, session } = this;
    if (running === null) return;
    const { lanes, markers, report } = running;
    session.factory.readClock();
    let bytes = 0;
    for (let i = 0; i < lanes.length; i++)
      bytes += this.decodeLane(running, lanes[(this.turn + i) % lanes.length] as SnapshotLane, out, bytes);
    this.turn = (this.turn + 1) % lanes.length;
    report.logProgress();
    if (!this.fetched || lanes.some((lane) => lane.tap.queue.messages > 0)) return;
    if (this.failure !== null) {
      if (out.length === 0) throw databaseError('The snapshot failed', this.failure);
      return;
    }
    markers.finish(out);
    this.done = true;
    report.completed();
  }

  /** Returns the number of bytes decoded. */
  private decodeLane(running: Running, lane: SnapshotLane, out: SourceRecord[], before: number): number {
    if (lane.isChanged) return 0;
    const { tap, open } = lane;
    const { maxBatch } = this.session.config.queue;
    const { queue } = tap;
    const { markers, report, rows } = running;
    let bytes = 0;
    while (out.length < maxBatch && before + bytes < MAX_BATCH_BYTES && queue.peek()) {
      const { buffer, start, end } = queue;
      const chunk = queue.tag as Chunk;
      while (open[0] !== chunk) this.chunkEnded(running, open.shift() as Chunk, out);
      const { model, marks } = chunk.table;
      markers.row(marks, rows.record(model, buffer, start, end), out);
      if (chunk.rows++ === 0) {
        report.chunkBegun(chunk);
        if (chunk.exactly !== undefined) running.begun.add(chunk);
      }
      if (chunk.exactly !== undefined) {
        chunk.exactly.position.row(buffer, end);
        chunk.table.heldOf = chunk;
      }
      bytes += end - start;
      queue.shift();
    }
    tap.consumed();
    while (queue.messages === 0 && open[0]?.fetched) this.chunkEnded(running, open.shift() as Chunk, out);
    return bytes;
  }

  private chunkEnded({ markers, work, report, begun }: Running, chunk: Chunk, out: SourceRecord[]): void {
    const { table } = chunk;
    const emitted = (): void => {
      begun.delete(chunk);
      work.finish(chunk);
    };
    if (!table.skipped) markers.partEnded(table.marks, { emitted });
    table.openChunks--;
    if (table.openChunks === 0) markers.tableEnded(table.marks, out);
    report.chunkEnded(chunk);
  }

  /** Rejects on a stop, so it resolves only after everything was read. */
  private async fetchAll(running: Running, signal: AbortSignal): Promise<void> {
    const { lanes, plan } = running;
    await Promise.all(lanes.map((lane) => this.fetchWaiting(running, lane, signal)));
    const [first] = lanes;
    const read = plan.tables.filter(({ skipped }) => !skipped).map(({ table }) => table.oid);
    if (first !== undefined) await plan.storage.check(first.client, await this.session.general.get(), read);
    // Not before: the first connection holds the locks of `planSnapshot` for all of them.
    await Promise.all(lanes.map(({ client }) => client.query('ROLLBACK')));
  }

  private async fetchWaiting(running: Running, lane: SnapshotLane, signal: AbortSignal): Promise<void> {
    for (;;) {
      const chunks = running.waiting.shift();
      if (chunks === undefined || this.failure !== null) return;
      for (const [i, chunk] of chunks.entries()) {
        if (await this.fetchChunk(running, lane, chunk, signal)) continue;
        running.waiting = afterOthers(running.waiting, chunks.slice(i));
        break;
      }
    }
  }

  /** False: another session holds the lock of the table. */
  private async fetchChunk(running: Running, lane: SnapshotLane, chunk: Chunk, signal: AbortSignal): Promise<boolean> {
    const { config, logger } = this.session;
    const { table } = chunk;
    if (table.skipped) {
      lane.open.push(chunk);
      chunk.fetched = true;
      return true;
    }
    try {
      if (await lane.fetch(chunk, chunkQuery(chunk, running.versions), config.snapshot.fetchSize, signal)) return true;
    } catch (error) {
      if (lane.isLocked(error)) {
        await lane.postpone();
        await running.locked.report(table);
        return false;
      }
      // Undefined tables, columns, types, what cannot be compared: all but missing privileges.
      const change = /^42(?!501)/.test(errorCode(error)) ? await this.changeOf(table) : null;
      if (change?.kind === 'changed') throw changedError(table.name, change.reason);
      if (change === null || table.override !== null)
        throw snapshotError(table.name, table.override === null ? null : 'snapshot.select.statement.overrides', error);
      await lane.leave(chunk);
      if (!table.skipped)
        logger.warn(`Table ${table.name} ${change.reason} before the snapshot reached it; skipping it.`);
      table.skipped = true;
      this.wakeup.wake();
      return true;
    }
    throw changedError(table.name, (await this.changeOf(table))?.reason ?? 'was altered or replaced');
  }

  private async changeOf(table: SnapshotTable): Promise<TableChange | null> {
    const { session } = this;
    return await readTableChange(await session.general.get(), table, (named) => session.relations.captures(named));
  }
}

/** Characters of progress: with thousands of tables, storing it after each one would write gigabytes. */
const STORED_PER_MS = 50;

async function closeAll({ clients }: SnapshotSource): Promise<void> {
  await Promise.all(clients.map(closeConnection));
}
