/** Reads all captured tables in one transaction (cdc-postgres §4). */
import { ConnectError, type SourceOffset, type SourceRecord, Wakeup, yieldToEventLoop } from '@millrace/sdk';
import type { Client } from 'pg';
import { findTables, qualified, readTables, type CatalogTable } from '../database/catalog';
import { closeConnection } from '../database/connection';
import { databaseError, errorCode, errorText } from '../database/errors';
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import type { Lsn } from '../database/lsn';
import { Instant, type EventContext } from '../events/event-factory';
import { completeRow, keyOf, readDataRow, RowContext, type Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import { DATA_ROW, MessageTap } from '../replication/message-tap';
import type { CreatedSlot } from '../replication/slot';
import { MAX_BATCH_BYTES, type Phase, type Session } from '../session';
import { SnapshotMarkers } from './snapshot-markers';
import { beginSnapshot, type SnapshotSource } from './snapshot-source';

interface Running {
  readonly source: SnapshotSource;
  readonly tap: MessageTap<TableModel | null>;
  readonly markers: SnapshotMarkers;
  readonly context: EventContext;
}

export class SnapshotReader implements Phase {
  private running: Running | null = null;
  private readonly wakeup = new Wakeup();
  private readonly cells: Cells = [];
  private readonly rowContext: RowContext;
  private table: TableModel | null = null;
  /** Fetching has ended: all rows are queued, unless `failure` is set. */
  private fetched = false;
  private failure: unknown = null;
  private rows = 0;
  private closed = false;

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
   */
  constructor(
    private readonly session: Session,
    private created: CreatedSlot | null,
    private readonly stream: boolean,
    public streamLsn: Lsn | null,
  ) {
    this.rowContext = new RowContext(session.relations.unrepresentable);
  }

  async next(): Promise<SourceRecord[] | null> {
    const { signal, config } = this.session;
    const deadline = Date.now() + config.queue.pollIntervalMs;
    if (this.running === null) await this.begin();
    await yieldToEventLoop();
    const out: SourceRecord[] = [];
    do {
      this.decode(out);
      if (out.length > 0 || this.done) break;
      await this.wakeup.wait(deadline - Date.now(), signal);
      await yieldToEventLoop();
    } while (Date.now() < deadline && !signal.aborted);
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
    running.tap.discard();
    await closeConnection(running.source.client);
  }

  private async begin(): Promise<void> {
    const { session, created } = this;
    const { config, relations, facts, logger } = session;
    this.created = null;
    const source = await beginSnapshot(session, created, this.stream && this.streamLsn === null);
    if (this.closed) return await closeConnection(source.client);
    try {
      this.streamLsn ??= source.lsn;
      const found = await findTables(source.client, config.filters);
      const tables = await readTables(
        source.client,
        found.map((table) => table.oid),
        facts.version,
      );
      const models = await relations.load(source.client, tables);
      const offset = { lsn: this.streamLsn, snapshot: 'INITIAL', ts_usec: source.micros, txId: source.xid };
      const completed = { last_snapshot_record: true, ...offset, snapshot_completed: true };
      const running = { last_snapshot_record: false, ...offset, snapshot_completed: false };
      if (this.stream) {
        // Before the first row: a repeated snapshot must know where this one started.
        await session.storeOffset(running);
        this.announced = true;
      }
      const markers = new SnapshotMarkers({ running, completed });
      const time = new Instant();
      time.setMicros(source.micros);
      const tap = new MessageTap<TableModel | null>(source.client, DATA_ROW, config.queue, null);
      tap.onQueued = () => this.wakeup.wake();
      this.running = { source, tap, markers, context: { time, xid: source.xid, origin: null, originLsn: null } };
      this.finalOffset = completed;
      const wanted = tables.filter((table) => config.snapshot.include?.matches(qualified(table)) ?? true);
      logger.info(`Starting the snapshot of ${wanted.length} table(s).`);
      void this.fetchAll(this.running, wanted, models).then(
        () => this.fetchEnded(null),
        (error: unknown) => this.fetchEnded(error),
      );
    } catch (error) {
      await closeConnection(source.client);
      throw databaseError('Starting the snapshot failed', error);
    }
  }

  private fetchEnded(error: unknown): void {
    this.fetched = true;
    this.failure = error;
    this.wakeup.wake();
  }

  private decode(out: SourceRecord[]): void {
    const { running, cells, session } = this;
    if (running === null) return;
    const { tap, markers } = running;
    const { queue } = tap;
    const { maxBatch } = session.config.queue;
    session.factory.readClock();
    let bytes = 0;
    while (out.length < maxBatch && bytes < MAX_BATCH_BYTES && queue.peek()) {
      const { buffer, start, end } = queue;
      const model = queue.tag as TableModel;
      if (model !== this.table) {
        markers.tableEnded();
        this.table = model;
      }
      readDataRow(buffer, start, model, cells, this.rowContext);
      markers.row(this.record(running, model), out);
      this.rows++;
      bytes += end - start;
      queue.shift();
    }
    tap.consumed();
    if (!this.fetched || queue.messages > 0) return;
    if (this.failure !== null) {
      if (out.length === 0) throw databaseError('The snapshot failed', this.failure);
      return;
    }
    markers.finish(out);
    this.done = true;
    session.logger.info(`Snapshot completed: ${this.rows} row(s).`);
  }

  private record(running: Running, model: TableModel): SourceRecord {
    const { cells, session } = this;
    const { factory } = session;
    const { context, source } = running;
    const after = completeRow(model, cells, this.rowContext);
    const block = factory.source(model, context, 'true', source.lsn, null);
    return factory.record(model, keyOf(model, cells), 'r', null, after, block, EMPTY_OFFSET);
  }

  /** Rejects on a stop, so it resolves only after all tables were read. */
  private async fetchAll(
    running: Running,
    tables: readonly CatalogTable[],
    models: ReadonlyMap<number, TableModel>,
  ): Promise<void> {
    const { client } = running.source;
    for (const table of tables) {
      await this.fetchTable(running, client, table, models.get(table.oid) as TableModel);
    }
    await client.query('ROLLBACK');
  }

  private async fetchTable(running: Running, client: Client, table: CatalogTable, model: TableModel): Promise<void> {
    const { config, logger, signal } = this.session;
    const name = qualified(table);
    const override = config.snapshot.overrides.get(name);
    const columns = model.columns.map((column, i) => (model.decoders[i] === null ? 'NULL' : quoteIdentifier(column)));
    const from = override === undefined ? quoteTable(table) : `(${override.replace(/;\s*$/, '')}) AS override`;
    await client.query('SAVEPOINT millrace_table');
    try {
      await client.query(`DECLARE millrace_rows NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${from}`);
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT millrace_table');
      if (errorCode(error) === '42P01' && override === undefined) {
        logger.warn(`Table ${name} was dropped before the snapshot reached it; skipping it.`);
        return;
      }
      throw snapshotError(name, override !== undefined, error);
    }
    running.tap.tag = model;
    try {
      for (;;) {
        signal.throwIfAborted();
        const { rowCount } = await client.query(`FETCH FORWARD ${config.snapshot.fetchSize} FROM millrace_rows`);
        if ((rowCount ?? 0) < config.snapshot.fetchSize) break;
      }
      await client.query('CLOSE millrace_rows');
    } catch (error) {
      throw snapshotError(name, override !== undefined, error);
    }
  }
}

const EMPTY_OFFSET: SourceOffset = {};

export function snapshotError(table: string, overridden: boolean, error: unknown): Error {
  const quoted = table.split('.').map(quoteIdentifier).join('.');
  if (errorCode(error) === '42501')
    return new ConnectError(
      `Snapshotting of table ${table} failed: ${errorText(error)}. Run GRANT SELECT ON ${quoted} TO the role of database.user;`,
      { code: 'PG_PRIVILEGE', cause: error, place: { table } },
    );
  const hint = overridden
    ? ' (check snapshot.select.statement.overrides: the result must have all captured columns)'
    : '';
  return databaseError(`Snapshotting of table ${table} failed${hint}`, error);
}
