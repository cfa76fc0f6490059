import type { Client } from 'pg';
import { insertedLsn } from '../database/inserted-lsn';
import type { Lsn } from '../database/lsn';

/**
 * Tables that an incremental snapshot reads. One counts until the stream has passed the changes that were made before
 * its end, because a chunk is read ahead of the stream.
 */
export class TablesBeingRead {
  /** With the position that the stream must pass; null: not known. */
  private readonly ended = new Map<string, Lsn | null>();

  ends(table: string): void {
    this.ended.set(table, null);
  }

  /** Call after tables have ended. Never rejects: the next call tries again. */
  async noteEnds(connect: () => Promise<Client>): Promise<void> {
    const { ended } = this;
    if (![...ended.values()].includes(null)) return;
    const at = await connect()
      .then(insertedLsn)
      .catch(() => null);
    for (const [table, known] of ended) if (known === null) ended.set(table, at);
  }

  /**
   * Names as `schema.table`; null: none.
   * @param current the table whose chunks are read; null: none
   * @param reached all transactions that committed before it were streamed
   */
  names(current: string | null, reached: () => Lsn): ReadonlySet<string> | null {
    const { ended } = this;
    if (ended.size === 0 && current === null) return null;
    for (const [table, at] of ended) if (at !== null && at <= reached()) ended.delete(table);
    return new Set(current === null ? ended.keys() : [current, ...ended.keys()]);
  }
}
