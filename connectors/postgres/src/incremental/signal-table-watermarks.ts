/** Marks chunks with rows in the signal table (cdc-postgres §4.10). */
import { quoteTable } from '../database/identifiers';
import type { Session } from '../session';
import type { Watermarks } from './watermarks';

export const WINDOW_OPEN = 'snapshot-window-open';
export const WINDOW_CLOSE = 'snapshot-window-close';

export class SignalTableWatermarks implements Watermarks {
  private readonly table: string;
  private readonly deletes: boolean;
  private openedAt = '';

  constructor(
    private readonly session: Pick<Session, 'config' | 'general'>,
    table: string,
  ) {
    const at = table.indexOf('.');
    this.table = quoteTable({ schema: table.slice(0, at), name: table.slice(at + 1) });
    this.deletes = session.config.incremental.deletesWatermarks;
  }

  async open(chunk: string): Promise<void> {
    this.openedAt = new Date().toISOString();
    await this.insert(`${chunk}-open`, WINDOW_OPEN, { openWindowTimestamp: this.openedAt });
  }

  async close(chunk: string): Promise<null> {
    if (this.deletes) {
      // The names of the columns are the user's; the first one is the id.
      const client = await this.session.general.get();
      const { rows } = await client.query(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${this.table.replaceAll("'", "''")}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum LIMIT 1`,
      );
      const [column] = rows as { name: string }[];
      await client.query(`DELETE FROM ${this.table} WHERE "${column?.name.replaceAll('"', '""')}" = $1`, [
        `${chunk}-open`,
      ]);
      return null;
    }
    const closeWindowTimestamp = new Date().toISOString();
    await this.insert(`${chunk}-close`, WINDOW_CLOSE, { openWindowTimestamp: this.openedAt, closeWindowTimestamp });
    return null;
  }

  private async insert(id: string, type: string, data: Record<string, string>): Promise<void> {
    const client = await this.session.general.get();
    await client.query(`INSERT INTO ${this.table} VALUES ($1, $2, $3)`, [id, type, JSON.stringify(data)]);
  }
}
