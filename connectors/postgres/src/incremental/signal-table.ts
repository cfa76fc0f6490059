/** The signal table: signals in its rows, and rows that mark chunks (cdc-postgres §4.9, §4.10). */
import type { JsonValue } from '@millrace/sdk';
import { qualified } from '../database/catalog';
import { errorCode } from '../database/errors';
import { quoteTable } from '../database/identifiers';
import { reportingWaits } from '../database/lock-wait';
import type { Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import type { Session } from '../session';
import { signalOf, type Signal } from '../signals/signal';
import type { ChunkMark, Watermarks } from './watermarks';

export const WINDOW_OPEN = 'snapshot-window-open';
export const WINDOW_CLOSE = 'snapshot-window-close';

const STRING_DATA_RIGHT_TRUNCATION = '22001';

export function isSignalTable(model: TableModel, table: string | null): boolean {
  return table !== null && table.length === model.schema.length + model.name.length + 1 && qualified(model) === table;
}

/** The columns are taken by their position. Throws an Error whose message completes "The signal …". */
export function signalOfRow(cells: Cells): Signal {
  return signalOf(text(cells[0]), text(cells[1]), text(cells[2]), 'source');
}

/** Id of a row, also of a deleted one; null: it is not a text. */
export function rowId(cells: Cells): string | null {
  return typeof cells[0] === 'string' ? cells[0] : null;
}

function text(value: unknown): JsonValue {
  return typeof value === 'string' ? value : null;
}

/** Marks chunks with rows. */
export class SignalTableWatermarks implements Watermarks {
  private readonly table: string;
  private readonly deletes: boolean;
  private openedAt = '';

  constructor(
    private readonly session: Pick<Session, 'config' | 'general' | 'logger'>,
    table: string,
  ) {
    const at = table.indexOf('.');
    this.table = quoteTable({ schema: table.slice(0, at), name: table.slice(at + 1) });
    this.deletes = session.config.incremental.deletesWatermarks;
  }

  async open(mark: ChunkMark): Promise<void> {
    this.openedAt = new Date().toISOString();
    await this.insert(`${mark.id}-open`, WINDOW_OPEN, { openWindowTimestamp: this.openedAt }, mark);
  }

  async close(mark: ChunkMark): Promise<null> {
    if (this.deletes) {
      // The names of the columns are the user's; the first one is the id.
      const client = await this.session.general.get();
      const { rows } = await client.query(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${this.table.replaceAll("'", "''")}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum LIMIT 1`,
      );
      const [column] = rows as { name: string }[];
      await client.query(`DELETE FROM ${this.table} WHERE "${column?.name.replaceAll('"', '""')}" = $1`, [
        `${mark.id}-open`,
      ]);
      return null;
    }
    const closeWindowTimestamp = new Date().toISOString();
    const times = { openWindowTimestamp: this.openedAt, closeWindowTimestamp };
    await this.insert(`${mark.id}-close`, WINDOW_CLOSE, times, mark);
    return null;
  }

  private async insert(
    id: string,
    type: string,
    times: Record<string, string>,
    { correlationId, table }: ChunkMark,
  ): Promise<void> {
    const client = await this.session.general.get();
    const { config, logger } = this.session;
    const write = async (data: Record<string, string>): Promise<void> =>
      void (await reportingWaits(
        { config: config.connection, logger, client, doing: `Marking a chunk of ${table} in the signal table` },
        client.query(`INSERT INTO ${this.table} VALUES ($1, $2, $3)`, [id, type, spaced(data)]),
      ));
    const signal: Record<string, string> = correlationId === null ? {} : { correlationId };
    try {
      await write({ ...times, ...signal, dataCollectionId: table });
    } catch (error) {
      // The data column is narrower than the one of the documentation, or the id of the signal is long.
      if (errorCode(error) !== STRING_DATA_RIGHT_TRUNCATION) throw error;
      await write(times);
    }
  }
}

/** JSON with Debezium's blanks, so that consumers see the same text. */
function spaced(data: Readonly<Record<string, string>>): string {
  const members = Object.entries(data).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  return `{${members.join(', ')}}`;
}
