/** One connection of a snapshot: fetches chunks, whose rows wait in the queue of its tap until they are decoded. */
import type { Client } from 'pg';
import { closeConnection } from '../database/connection';
import { errorCode } from '../database/errors';
import { MessageTap, DATA_ROW, type TapLimits } from '../replication/message-tap';
import type { Chunk } from './chunk';

export class SnapshotLane {
  readonly tap: MessageTap<Chunk | null>;
  /** Chunks whose rows are being fetched or wait in the queue, oldest first. */
  readonly open: Chunk[] = [];

  constructor(
    readonly client: Client,
    limits: TapLimits,
    onQueued: () => void,
  ) {
    this.tap = new MessageTap<Chunk | null>(client, DATA_ROW, limits, null);
    this.tap.onQueued = onQueued;
  }

  /**
   * Resolves when all rows are queued; false: the table does not exist. The chunk is in `open` in both cases.
   */
  async fetch(chunk: Chunk, query: string, fetchSize: number, signal: AbortSignal): Promise<boolean> {
    const { client } = this;
    this.open.push(chunk);
    await client.query('SAVEPOINT millrace_table');
    try {
      await client.query(`DECLARE millrace_rows NO SCROLL CURSOR FOR ${query}`);
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT millrace_table');
      if (errorCode(error) !== '42P01' || chunk.table.override !== null) throw error;
      chunk.fetched = true;
      return false;
    }
    // Otherwise savepoints would be nested, one in another for each chunk.
    await client.query('RELEASE SAVEPOINT millrace_table');
    this.tap.tag = chunk;
    for (;;) {
      signal.throwIfAborted();
      const { rowCount } = await client.query(`FETCH FORWARD ${fetchSize} FROM millrace_rows`);
      if ((rowCount ?? 0) < fetchSize) break;
    }
    await client.query('CLOSE millrace_rows');
    chunk.fetched = true;
    return true;
  }

  async close(): Promise<void> {
    this.tap.discard();
    await closeConnection(this.client);
  }
}
