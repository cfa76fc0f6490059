/** Tells whether a table was altered between the reading of its definition and that of its rows. */
import { RetriableError } from '@millrace/sdk';
import type { Client } from 'pg';
import { isTransient, wasCanceled } from '../database/errors';

/** Reads the catalog only, so it waits for no lock. */
const DEFINITION = `
  SELECT concat_ws(' ', n.nspname, c.relname, c.relkind, c.relreplident,
    (SELECT string_agg(concat(a.attnum, ':', a.xmin), ',' ORDER BY a.attnum) FROM pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0),
    (SELECT string_agg(concat(i.indexrelid::int8, ':', i.xmin), ',' ORDER BY i.indexrelid) FROM pg_index i
     WHERE i.indrelid = c.oid)) AS definition
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1::oid`;

/** A text that differs after each change of the table's name, columns and indexes; empty: it was dropped. */
export async function definitionMark(client: Client, oid: number): Promise<string> {
  const { rows } = await client.query(DEFINITION, [String(oid)]);
  return (rows as { definition: string }[])[0]?.definition ?? '';
}

/** A table as it was when its definition was read. */
export interface ReadDefinition {
  readonly table: { readonly oid: number };
  /** See `definitionMark`. */
  readonly definition: string;
}

/** Throws a RetriableError if the table has another definition by now. */
export async function checkUnaltered(client: Client, { table, definition }: ReadDefinition): Promise<void> {
  if ((await definitionMark(client, table.oid)) !== definition)
    throw new RetriableError('The table was altered before its rows were read', { code: 'PG_SNAPSHOT_REWRITTEN' });
}

/** What `work` throws because the table was altered becomes a RetriableError. @param current any usable connection */
export async function whileUnaltered<T>(
  current: () => Promise<Client>,
  read: ReadDefinition,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isTransient(error) && !wasCanceled(error)) await checkUnaltered(await current(), read);
    throw error;
  }
}
