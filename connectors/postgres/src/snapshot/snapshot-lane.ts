/** One connection of a snapshot: fetches chunks, whose rows wait in the queue of its tap until they are decoded. */
import type { Client, QueryResult } from 'pg';
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
    signal.throwIfAborted();
    this.open.push(chunk);
    this.tap.tag = chunk;
    const fetchRows = `FETCH FORWARD ${fetchSize} FROM millrace_rows`;
    let rows: number;
    try {
      // One message, because small tables would otherwise take five round trips each. Releasing the savepoint keeps
      // those of many chunks from being nested.
      const results = (await client.query(
        `SAVEPOINT millrace_table; DECLARE millrace_rows NO SCROLL CURSOR FOR ${query}; RELEASE SAVEPOINT millrace_table; ${fetchRows}`,
      )) as unknown as readonly QueryResult[];
      rows = results[results.length - 1]?.rowCount ?? 0;
    } catch (error) {
      if (errorCode(error) !== '42P01' || chunk.table.override !== null) throw error;
      await client.query('ROLLBACK TO SAVEPOINT millrace_table');
      chunk.fetched = true;
      return false;
    }
    while (rows >= fetchSize) {
      signal.throwIfAborted();
      rows = (await client.query(fetchRows)).rowCount ?? 0;
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
