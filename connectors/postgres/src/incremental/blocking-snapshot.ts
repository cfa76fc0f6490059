/** Reads tables in one transaction while the stream pauses (cdc-postgres §4.13). */
import { type SourceOffset, type SourceRecord, Wakeup } from '@millrace/sdk';
import type { Client } from 'pg';
import { findTables, qualified, readTables, type CatalogTable } from '../database/catalog';
import { closeConnection, openConnection } from '../database/connection';
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import { singleStatement } from '../database/single-statement';
import type { TableModel } from '../events/table-model';
import type { NotificationType } from '../notifications/notification';
import { DATA_ROW, MessageTap } from '../replication/message-tap';
import type { Session } from '../session';
import { conditionFor, matcherOf, type SnapshotRequest } from '../signals/snapshot-request';
import { holdBlocks } from '../snapshot/lock-tables';
import { SnapshotStorage } from '../snapshot/rewritten-tables';
import { snapshotError } from '../snapshot/snapshot-error';
import { SnapshotMarkers, TableRows } from '../snapshot/snapshot-markers';
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
  }

  /** The next rows; null when there are none yet. Throws what has ended the snapshot. */
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
    if (this.failure !== null) throw this.failure;
    const records = this.ready.splice(0);
    this.done = this.finished;
    return records.length > 0 ? records : null;
  }

  notify(type: NotificationType, additionalData: Readonly<Record<string, string>> = {}): void {
    this.session.notifications.send({ id: this.id, aggregateType: 'Blocking Snapshot', type, additionalData });
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
    const isolation = facts.inRecovery ? 'repeatable_read' : config.snapshot.isolation;
    await client.query(`BEGIN ISOLATION LEVEL ${ISOLATION[isolation] ?? 'REPEATABLE READ READ ONLY'}`);
    const matches = this.request.collections.map(matcherOf);
    const found = (await findTables(client, config.filters)).filter((table) =>
      matches.some((one) => one(qualified(table))),
    );
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
    await holdBlocks(client, tables);
    const oids = tables.map(({ oid }) => oid);
    await this.checkStorage(client, oids);
    const models = await relations.load(client, tables);
    const names = tables.map(qualified).join(',');
    logger.info(`Blocking snapshot ${this.id} of ${tables.length} table(s): ${names}. The stream pauses.`);
    this.notify('STARTED', { data_collections: names });
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
    for (const table of tables) {
      const scanned = await this.readTable(client, tap, table, models.get(table.oid) as TableModel, markers);
      const result = { scanned_collection: qualified(table), total_rows_scanned: String(scanned), status: 'SUCCEEDED' };
      this.notify('TABLE_SCAN_COMPLETED', { data_collections: names, ...result });
    }
    markers.finish(this.ready);
    tap.discard();
    await closeConnection(client);
    this.notify('COMPLETED');
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
        markers.row(held, this.rows.record(row, model, this.position, this.position, 'true'), this.ready);
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
