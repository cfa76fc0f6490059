/**
 * The columns of a record key that changes contain. Before PostgreSQL 18, pgoutput sends no generated columns: with
 * one in its key, a row would have one key in the snapshot and another one, or the key of other rows, in the stream.
 */
import { ConnectError, type Logger } from '@millrace/sdk';
import type { EventConfig } from '../config/event-config';
import { qualified, type TableDefinition } from '../database/catalog';

export const SEND_KEY =
  'Set message.key.columns to columns that are sent and tell the rows apart, or let PostgreSQL 18 send it (ALTER PUBLICATION … SET (publish_generated_columns = stored)), or set event.incomplete.key.handling=warn to leave it out of the key.';

export interface UnsentKey {
  /** The columns of the key that changes contain. */
  readonly sent: readonly string[];
  /** The others. */
  readonly missing: string;
  readonly reason: string;
}

/** Null: changes contain the whole key. @param key names of columns of the table */
export function unsentKey(key: readonly string[], table: TableDefinition): UnsentKey | null {
  const sent = key.filter((name) => table.columns.find((column) => column.name === name)?.sent !== false);
  if (sent.length === key.length) return null;
  const missing = key.filter((column) => !sent.includes(column)).join(', ');
  const reason = `The record key of table ${qualified(table)} contains the generated column ${missing}, which the server does not send with changes.`;
  return { sent, missing, reason };
}

/**
 * Throws ConnectError `PG_INCOMPLETE_KEY`, or omits and logs the columns that are not sent, as
 * `event.incomplete.key.handling` says.
 * @param key names of columns of the table
 */
export function sentKey(
  key: readonly string[],
  table: TableDefinition,
  { incompleteKey }: EventConfig,
  logger: Logger,
): readonly string[] {
  const unsent = unsentKey(key, table);
  if (unsent === null) return key;
  const { sent, missing, reason } = unsent;
  if (incompleteKey === 'fail')
    throw new ConnectError(`${reason} ${SEND_KEY}`, {
      code: 'PG_INCOMPLETE_KEY',
      place: { table: qualified(table), column: missing },
    });
  const rest =
    sent.length === 0
      ? 'Its events have no key, and its deletes no tombstone.'
      : `Its key is ${sent.join(', ')}, which rows may share.`;
  logger.warn(`${reason} ${rest}`);
  return sent;
}
