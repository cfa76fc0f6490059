/** Reads tables in one transaction while the stream pauses (cdc-postgres §4.13). */
import { type SourceOffset, type SourceRecord, Wakeup } from '@millrace/sdk';
import type { Client } from 'pg';
import { findTables, qualified, readTables, snapshotTables, type CatalogTable } from '../database/catalog';
import { closeConnection, openConnection } from '../database/connection';
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import { offsetLsn, type Lsn } from '../database/lsn';
import { singleStatement } from '../database/single-statement';
import type { TableModel } from '../events/table-model';
import { TableNotifications } from '../notifications/table-notifications';
import { DATA_ROW, MessageTap } from '../replication/message-tap';
import type { Session } from '../session';
import { conditionFor, matcherOf, type SnapshotRequest } from '../signals/snapshot-request';
import { reportingWaits } from '../database/lock-wait';
import { holdBlocks } from '../snapshot/lock-tables';
import { SnapshotStorage } from '../snapshot/rewritten-tables';
import { snapshotError } from '../snapshot/snapshot-error';
import { SnapshotMarkers, TableRows } from '../snapshot/snapshot-markers';
import { newXid } from '../snapshot/snapshot-source';
import { IncrementalRows } from './incremental-rows';

/** Bytes of rows per round trip. */
const FETCH_BYTES = 1024 * 1024;
const ISOLATION: Readonly<Record<string, string>> = {
  serializable: 'SERIALIZABLE READ ONLY DEFERRABLE',
  repeatable_read: 'REPEATABLE READ READ ONLY',
  read_committed: 'READ COMMITTED READ ONLY',
  read_uncommitted: 'READ UNCOMMITTED READ ONLY',
};

export class BlockingSnapshot {
  private client: Client | null = null;
  private readonly rows: IncrementalRows;
  private notify: TableNotifications;
  /** Table that is being read. */
  private current: string | null = null;
  private readonly ready: SourceRecord[] = [];
  private readonly wakeup = new Wakeup();
  private reading: Promise<void> | null = null;
  private failure: unknown = null;
  private closed = false;
  /** Everything is read. */
  private finished = false;
  /** The rows up to here are returned before more are read. */
  private resume: (() => void) | null = null;
  /** All rows were returned by `next`. */
  done = false;

  /** @param position offset of everything streamed so far, with an incremental snapshot that waits for the end */
  constructor(
    private readonly session: Session,
    private readonly id: string,
    private readonly request: SnapshotRequest,
    private readonly position: SourceOffset,
  ) {
    this.rows = new IncrementalRows(session);
    this.notify = this.notificationsOf([]);
  }

  /** The next rows; null when there are none yet. Throws what has ended the snapshot, after the rows read before. */
  async next(): Promise<SourceRecord[] | null> {
    const { session } = this;
    this.reading ??= this.readAll()
      .then(
        () => (this.finished = true),
        (error: unknown) => (this.failure = error),
      )
      .then(() => this.wakeup.wake());
    this.resume?.();
    this.resume = null;
    if (!this.finished && this.failure === null)
      await this.wakeup.wait(session.config.queue.pollIntervalMs, session.signal);
    if (this.failure !== null && this.ready.length === 0) throw this.failure;
    const records = this.ready.splice(0);
    this.done = this.finished;
    return records.length > 0 ? records : null;
  }

  /** Call for the error that ends it for good. */
  failed(): void {
    if (this.current !== null) this.notify.failed(this.current);
    this.notify.aborted();
  }

  private notificationsOf(tables: readonly string[]): TableNotifications {
    return new TableNotifications(this.session.notifications, tables, { signal_id: this.id });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.resume?.();
    await closeConnection(this.client);
    await this.reading;
  }

  private async readAll(): Promise<void> {
    const { session, position } = this;
    const { config, facts, relations, logger } = session;
    const { client } = await openConnection(config.connection, 'Snapshot');
    this.client = client;
    if (this.closed) throw new Error('Connection terminated: the task is stopping');
    // Before the transaction, which could write otherwise; see `newXid`.
    const xid = offsetLsn(position.txId) ?? (await newXid(client, session));
    const isolation = facts.inRecovery ? 'repeatable_read' : config.snapshot.isolation;
    await client.query(`BEGIN ISOLATION LEVEL ${ISOLATION[isolation] ?? 'REPEATABLE READ READ ONLY'}`);
    const matches = this.request.collections.map(matcherOf);
    const captured = snapshotTables(await findTables(client, config.filters), config.filters);
    const found = captured.filter((table) => matches.some((one) => one(qualified(table))));
    const tables = await readTables(
      client,
      found.map(({ oid }) => oid),
      facts.version,
    );
    if (tables.length === 0)
      logger.warn(
        `PG_SIGNAL: blocking snapshot ${this.id} reads nothing: its data-collections match no captured table. They are patterns of the whole name, schema.table.`,
      );
    // Until they are read, they must not be rewritten.
    await reportingWaits(
      { config: config.connection, logger, client, doing: `Blocking snapshot ${this.id}` },
      holdBlocks(client, tables),
    );
    const oids = tables.map(({ oid }) => oid);
    await this.checkStorage(client, oids);
    const models = await relations.load(client, tables);
    const names = tables.map(qualified);
    logger.info(`Blocking snapshot ${this.id} of ${tables.length} table(s): ${names.join(',')}. The stream pauses.`);
    this.notify = this.notificationsOf(names);
    this.notify.started();
    const marks = { snapshot: 'BLOCKING', last_snapshot_record: false, snapshot_completed: false };
    const running = { ...position, ...marks };
    const markers = new SnapshotMarkers(() => running, {
      ...running,
      last_snapshot_record: true,
      snapshot_completed: true,
    });
    const tap = new MessageTap<null>(
      client,
      DATA_ROW,
      { maxBytes: config.queue.maxBytes, maxMessages: Infinity },
      null,
    );
    try {
      for (const table of tables) {
        const name = qualified(table);
        this.current = name;
        this.notify.inProgress(name);
        const model = models.get(table.oid) as TableModel;
        const scanned = await this.readTable(client, tap, table, model, markers, xid);
        this.notify.scanned(name, scanned, 'SUCCEEDED');
      }
    } catch (error) {
      markers.abandon(this.ready);
      throw error;
    }
    this.current = null;
    markers.finish(this.ready);
    tap.discard();
    await closeConnection(client);
    this.notify.completed();
    logger.info(`Blocking snapshot ${this.id} is complete. The stream resumes.`);
  }

  /**
   * On a connection of its own: on the general one, a query of an incremental snapshot may wait long for a lock, even
   * for one that is only free after this snapshot.
   */
  private async checkStorage(reader: Client, oids: readonly number[]): Promise<void> {
    const { session } = this;
    const storage = await SnapshotStorage.read(session, reader, oids);
    const { client } = await openConnection(session.config.connection, 'General');
    try {
      await storage.check(reader, client, oids);
    } finally {
      await closeConnection(client);
    }
  }

  /** Returns the number of rows. */
  private async readTable(
    client: Client,
    tap: MessageTap<null>,
    table: CatalogTable,
    model: TableModel,
    markers: SnapshotMarkers,
    xid: Lsn,
  ): Promise<number> {
    const select = conditionFor(this.request, qualified(table));
    const columns = model.columns.map((column, i) => (model.decoders[i] === null ? 'NULL' : quoteIdentifier(column)));
    const from = select === null ? quoteTable(table) : `(${select.replace(/;\s*$/, '')}\n) AS selected`;
    const query = `SELECT ${columns.join(', ')} FROM ${from}`;
    try {
      await client.query(singleStatement(`DECLARE millrace_blocking NO SCROLL CURSOR FOR ${query}`));
    } catch (error) {
      throw snapshotError(qualified(table), select === null ? null : 'the filter of the signal', error);
    }
    const held = new TableRows();
    let total = 0;
    let bytes = 0;
    // While the rows arrive, because the tap stops reading when its queue is full.
    tap.onQueued = () => {
      const { queue } = tap;
      for (; queue.peek(); queue.shift()) {
        const row = queue.buffer.subarray(queue.start, queue.end);
        const record = this.rows.record(row, model, this.position, this.position, 'true', xid);
        markers.row(held, record, this.ready);
        total++;
        bytes += row.length;
      }
      tap.consumed();
    };
    for (let count = 4; ; count = Math.max(1, Math.floor((FETCH_BYTES * total) / Math.max(1, bytes)))) {
      const { rowCount } = await client.query(`FETCH FORWARD ${count} FROM millrace_blocking`);
      if ((rowCount ?? 0) < count) break;
      await this.returned();
    }
    await client.query('CLOSE millrace_blocking');
    markers.tableEnded(held, this.ready);
    return total;
  }

  /** Resolves when `next` has returned the rows read so far. */
  private async returned(): Promise<void> {
    if (this.closed) throw new Error('Connection terminated: the task is stopping');
    await new Promise<void>((resolve) => {
      this.resume = resolve;
      this.wakeup.wake();
    });
  }
}
