/** Reads the rows of a chunk as received bytes, and no more of them than a window may hold. */
import { RetriableError } from '@millrace/sdk';
import type { Client } from 'pg';
import { closeConnection, openConnection } from '../database/connection';
import { lockTimeout } from '../database/general-connection';
import { quoteIdentifier } from '../database/identifiers';
import { keyRangeQuery, type KeyValues } from '../database/key-range';
import { DATA_ROW, MessageTap } from '../replication/message-tap';
import { visibility, type Visibility } from '../replication/recent-transactions';
import type { Session } from '../session';
import { MOVED } from '../snapshot/rewritten-tables';
import type { ChunkTable } from './chunk-table';
import { checkUnaltered } from './table-definition';

/** Bytes after which a chunk ends early, so that large rows do not add up. */
const MAX_CHUNK_BYTES = 8 * 1024 * 1024;
const FIRST_ROWS = 4;

export interface ReadChunk {
  /** DataRow messages: the columns of the model, then the key columns as texts. */
  readonly rows: readonly Buffer[];
  /** Key of the last row; null: there are no rows. */
  readonly lastKey: KeyValues | null;
  /** Whose changes the rows contain. */
  readonly visibility: Visibility;
}

export class ChunkReader {
  private client: Client | null = null;
  private tap: MessageTap<null> | null = null;
  private closed = false;
  /** Bytes of a row of the last chunk, on average. */
  private rowBytes = MAX_CHUNK_BYTES / FIRST_ROWS;

  constructor(
    private readonly session: Pick<Session, 'config' | 'facts' | 'general'>,
    private readonly maxBytes = MAX_CHUNK_BYTES,
  ) {}

  /** Throws errors of the server and of the connection, which is then opened again for the next chunk. */
  async read(table: ChunkTable, after: KeyValues | null, upTo: KeyValues, limit: number): Promise<ReadChunk> {
    return await this.use((client, tap) => {
      tap.code = DATA_ROW;
      return this.fetch(client, tap, table, after, upTo, limit);
    });
  }

  /** Queries on the connection of the chunks, which may wait for the lock of a table while others continue. */
  async prepare<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return await this.use((client, tap) => {
      tap.code = 0;
      return work(client);
    });
  }

  private async use<T>(work: (client: Client, tap: MessageTap<null>) => Promise<T>): Promise<T> {
    try {
      const client = await this.connected();
      return await work(client, this.tap as MessageTap<null>);
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.release();
  }

  private async release(): Promise<void> {
    const { client } = this;
    this.client = null;
    this.tap?.discard();
    this.tap = null;
    await closeConnection(client);
  }

  private async connected(): Promise<Client> {
    if (this.client !== null) return this.client;
    const { client } = await openConnection(this.session.config.connection, 'Snapshot');
    if (this.closed) {
      await closeConnection(client);
      throw new Error('Connection terminated: the task is stopping');
    }
    const { queue, incremental } = this.session.config;
    await client.query(`SET lock_timeout = ${lockTimeout(incremental.lockTimeoutMs)}`);
    this.tap = new MessageTap<null>(client, DATA_ROW, { maxBytes: queue.maxBytes, maxMessages: Infinity }, null);
    this.client = client;
    return client;
  }

  private async fetch(
    client: Client,
    tap: MessageTap<null>,
    { table, model, from, key, isUnique, condition, definition }: ChunkTable,
    after: KeyValues | null,
    upTo: KeyValues,
    limit: number,
  ): Promise<ReadChunk> {
    const columns = model.columns.map((column, i) => (model.decoders[i] === null ? 'NULL' : quoteIdentifier(column)));
    // Under names of their own, because ORDER BY refers to result columns first.
    const keyColumns = key.map((name, i) => `${quoteIdentifier(name)}::text AS millrace_key_${i}`);
    const query = keyRangeQuery({
      columns: [...columns, ...keyColumns],
      ...{ from, key, after, upTo, condition, limit, withTies: !isUnique },
    });
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const snapshots: Buffer[] = [];
    tap.onQueued = () => void drain(tap, snapshots);
    const { facts, general } = this.session;
    const current = facts.version >= 130000 ? 'pg_current_snapshot()' : 'txid_current_snapshot()';
    await client.query(`SELECT ${current}::text`);
    const [snapshot = ''] = texts(snapshots[0] as Buffer, 0, 1);
    await client.query(`DECLARE millrace_chunk NO SCROLL CURSOR FOR ${query}`);
    // It may have waited for the lock of an ALTER TABLE that hides all rows from its snapshot.
    const moved = await client.query(MOVED, [[table.oid]]);
    if ((moved.rowCount ?? 0) > 0)
      throw new RetriableError('The table was rewritten before its rows were read', { code: 'PG_SNAPSHOT_REWRITTEN' });
    // On another connection, because this transaction does not see what was committed since it began.
    await checkUnaltered(await general.get(), { table, definition });
    const rows: Buffer[] = [];
    let bytes = 0;
    // While the rows arrive, because the tap stops reading when its queue is full.
    tap.onQueued = () => void (bytes += drain(tap, rows));
    const lastKeyOf = (row: Buffer | undefined): KeyValues | null =>
      row === undefined ? null : texts(row, columns.length, key.length);
    for (;;) {
      const room = Math.max(1, Math.floor((this.maxBytes - bytes) / this.rowBytes));
      const count = isUnique ? Math.min(limit - rows.length, room) : room;
      const { rowCount } = await client.query(`FETCH FORWARD ${count} FROM millrace_chunk`);
      if (rows.length > 0) this.rowBytes = Math.max(1, bytes / rows.length);
      if ((rowCount ?? 0) < count || (isUnique && rows.length >= limit)) break;
      if (bytes < this.maxBytes) continue;
      if (isUnique) break;
      // Rows with the same key must be in the same chunk.
      const [previous, last] = [lastKeyOf(rows.at(-2)), lastKeyOf(rows.at(-1))];
      if (previous !== null && String(previous) !== String(last)) {
        rows.pop();
        break;
      }
    }
    await client.query('COMMIT');
    return { rows, lastKey: lastKeyOf(rows.at(-1)), visibility: visibility(snapshot, facts.inRecovery) };
  }
}

/** Returns the number of bytes. */
function drain(tap: MessageTap<null>, rows: Buffer[]): number {
  const { queue } = tap;
  let bytes = 0;
  while (queue.peek()) {
    rows.push(Buffer.from(queue.buffer.subarray(queue.start, queue.end)));
    bytes += queue.end - queue.start;
    queue.shift();
  }
  tap.consumed();
  return bytes;
}

/** `count` columns of a DataRow from the one at `from` on. None is NULL. */
function texts(row: Buffer, from: number, count: number): string[] {
  const found: string[] = [];
  let at = 2;
  for (let i = 0; i < from + count; i++) {
    const length = row.readInt32BE(at);
    at += 4;
    if (i >= from) found.push(row.toString('utf8', at, at + Math.max(0, length)));
    at += Math.max(0, length);
  }
  return found;
}
