/**
 * Tables that were rewritten after the snapshot was taken, by most forms of ALTER TABLE and by tools that replace a
 * table's files: to the snapshot they are empty, and the stream does not have their rows either. Reading holds a lock,
 * so they can only be rewritten before they are read. VACUUM FULL and CLUSTER keep the rows that a snapshot contains.
 */
import { RetriableError } from '@millrace/sdk';
import type { Client, QueryResult } from 'pg';
import { errorCode } from '../database/errors';
import { readSizes } from './table-sizes';
import type { SnapshotTable } from './chunk';

/** Tables, or their parts, whose files are not those that the snapshot of the query knows. */
export const MOVED = `
  WITH RECURSIVE part AS (
    SELECT o AS oid FROM unnest($1::oid[]) AS o
    UNION SELECT i.inhrelid FROM part JOIN pg_inherits i ON i.inhparent = part.oid)
  SELECT c.oid::regclass::text AS name FROM part JOIN pg_class c ON c.oid = part.oid
  WHERE c.relfilenode <> 0 AND c.relfilenode <> pg_relation_filenode(c.oid)`;

/** Call before anything is read: the files that the plan knows are then those of the snapshot. */
export async function checkFiles(client: Client, oids: readonly number[]): Promise<void> {
  const { rows } = await client.query(MOVED, [oids.map(String)]);
  const [moved] = rows as { name: string }[];
  if (moved !== undefined) throw rewritten(moved.name);
}

/**
 * Call when all tables are read, and before their locks are released.
 * @param reader has the transaction of the snapshot; it must not return rows, which would be taken for those of a table
 */
export async function checkRewritten(reader: Client, general: Client, tables: readonly SnapshotTable[]): Promise<void> {
  const now = await readSizes(
    general,
    tables.map(({ table }) => table.oid),
  );
  for (const { table, name, size, skipped } of tables) {
    const { files } = now(table.oid);
    if (skipped || files === size.files) continue;
    for (const part of movedParts(size.files, files)) if (await isHidden(reader, general, part)) throw rewritten(name);
  }
}

/** Oids of `oid:file,…` that have another file now. */
function movedParts(before: string, now: string): string[] {
  const oldFiles = new Map(before.split(',').map((part) => part.split(':') as [string, string]));
  return now.split(',').flatMap((part) => {
    const [oid = '', file] = part.split(':');
    return oldFiles.has(oid) && oldFiles.get(oid) !== file ? [oid] : [];
  });
}

/** Whether the table has rows, and none in the snapshot: it was not truncated alone. */
async function isHidden(reader: Client, general: Client, oid: string): Promise<boolean> {
  const { rows } = await general.query('SELECT $1::oid::regclass::text AS name', [oid]);
  const rowOf = `SELECT FROM ONLY ${(rows as { name: string }[])[0]?.name} LIMIT 1`;
  try {
    if ((await general.query(rowOf)).rowCount === 0) return false;
    const results = (await reader.query(
      `DECLARE millrace_row NO SCROLL CURSOR FOR ${rowOf}; MOVE FORWARD ALL IN millrace_row; CLOSE millrace_row`,
    )) as unknown as readonly QueryResult[];
    return results.every(({ command, rowCount }) => command !== 'MOVE' || rowCount === 0);
  } catch (error) {
    // A part of a table may only be readable through the table. Another attempt is right in any case.
    if (errorCode(error) === '42501') return true;
    throw error;
  }
}

function rewritten(table: string): RetriableError {
  return new RetriableError(
    `Table ${table} was rewritten (for example by ALTER TABLE) before the snapshot reached it, which therefore does not contain its rows`,
    { code: 'PG_SNAPSHOT_REWRITTEN', place: { table } },
  );
}
