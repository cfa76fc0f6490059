/** One connection of a snapshot: fetches chunks, whose rows wait in the queue of its tap until they are decoded. */
import type { Client } from 'pg';
import { closeConnection } from '../database/connection';
import { errorCode } from '../database/errors';
import { connectionOf, fetchFrom, type RowField } from '../database/pg-internals';
import { MessageTap, DATA_ROW, type TapLimits } from '../replication/message-tap';
import type { Chunk } from './chunk';

/** Other tables can be read meanwhile. */
const LOCK_TIMEOUT_MS = 1_000;

export class SnapshotLane {
  readonly tap: MessageTap<Chunk | null>;
  /** Chunks whose rows are being fetched or wait in the queue, oldest first. */
  readonly open: Chunk[] = [];
  /** Its next rows are not described yet. */
  private undescribed: Chunk | null = null;
  /** The rows that arrive are not those of their table as planned: nothing of this connection is decoded. */
  isChanged = false;

  /** @param isPlanned whether the described rows are those of the chunk's table as planned */
  constructor(
    readonly client: Client,
    limits: TapLimits,
    onQueued: () => void,
    private readonly isPlanned: (chunk: Chunk, fields: readonly RowField[]) => boolean,
  ) {
    // Before the rows, which would otherwise be decoded as something else.
    connectionOf(client).on('rowDescription', ({ fields }) => this.described(fields));
    this.tap = new MessageTap<Chunk | null>(client, DATA_ROW, limits, null);
    this.tap.onQueued = onQueued;
  }

  /**
   * Resolves when all rows are queued; false: they are not `isPlanned`. The chunk is in `open` in any case.
   */
  async fetch(chunk: Chunk, query: string, fetchSize: number, signal: AbortSignal): Promise<boolean> {
    const { client } = this;
    signal.throwIfAborted();
    this.open.push(chunk);
    this.tap.tag = chunk;
    this.undescribed = chunk;
    // One message, because small tables would otherwise take five round trips each. Releasing the savepoint keeps those
    // of many chunks from being nested. What is closed is the cursor of the last chunk.
    await client.query(
      `CLOSE ALL; SAVEPOINT millrace_table; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; DECLARE millrace_rows NO SCROLL CURSOR FOR ${query}; SET LOCAL lock_timeout TO DEFAULT; RELEASE SAVEPOINT millrace_table`,
    );
    let hasMore = await fetchFrom(client, 'millrace_rows', fetchSize, true);
    if (this.isChanged) return false;
    while (hasMore) {
      signal.throwIfAborted();
      hasMore = await fetchFrom(client, 'millrace_rows', fetchSize, false);
    }
    chunk.fetched = true;
    return true;
  }

  /** After `fetch` has failed: the transaction continues without the chunk. */
  async leave(chunk: Chunk): Promise<void> {
    this.undescribed = null;
    await this.client.query('ROLLBACK TO SAVEPOINT millrace_table');
    chunk.fetched = true;
  }

  /** After `fetch` has failed: whether another session holds the lock of the table, so that nothing of it was read. */
  isLocked(error: unknown): boolean {
    return errorCode(error) === '55P03' && this.undescribed !== null;
  }

  /** After `isLocked`: the chunk is fetched later. */
  async postpone(): Promise<void> {
    this.undescribed = null;
    await this.client.query('ROLLBACK TO SAVEPOINT millrace_table');
    this.open.pop();
  }

  private described(fields: readonly RowField[]): void {
    const chunk = this.undescribed;
    this.undescribed = null;
    if (chunk === null || this.isPlanned(chunk, fields)) return;
    this.isChanged = true;
    this.tap.discard();
  }

  async close(): Promise<void> {
    this.tap.discard();
    await closeConnection(this.client);
  }
}
