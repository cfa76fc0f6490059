/** What became of a table between the begin of a snapshot and the moment when it is read. */
import { RetriableError } from '@millrace/sdk';
import type { Client } from 'pg';
import { qualified, type TableName } from '../database/catalog';
import type { SnapshotTable } from './chunk';

/** A table as the catalog has it now. */
interface PresentTable extends TableName {
  /** `name type-oid` of each column, in the order of the columns. */
  readonly columns: readonly string[];
}

export interface TableChange {
  /** `left`: the snapshot has no rows to read, under whatever name. */
  readonly kind: 'left' | 'changed';
  /** Completes "Table …". */
  readonly reason: string;
}

/**
 * Null: it has not changed. Pure.
 * @param present the table itself; null: it does not exist
 * @param namesake whether another table has its name
 */
function tableChange(
  { table }: Pick<SnapshotTable, 'table'>,
  present: PresentTable | null,
  namesake: boolean,
  isCaptured: (table: TableName) => boolean,
): TableChange | null {
  if (present === null) {
    if (namesake) return { kind: 'changed', reason: 'was dropped and created again' };
    return { kind: 'left', reason: 'was dropped' };
  }
  const name = qualified(present);
  if (name !== qualified(table)) {
    if (isCaptured(present) || namesake) return { kind: 'changed', reason: `was renamed to ${name}` };
    return { kind: 'left', reason: `was renamed to ${name}, which the connector does not capture,` };
  }
  const columns = table.columns.map((column) => `${column.name} ${column.typeOid}`);
  if (columns.length === present.columns.length && columns.every((column, i) => column === present.columns[i]))
    return null;
  return { kind: 'changed', reason: 'was given other columns' };
}

/** Waits for no lock, unlike a query with `pg_get_expr`. */
const PRESENT = `
  SELECT c.oid = $1::oid AS is_same, n.nspname AS schema, c.relname AS name,
         ARRAY(SELECT a.attname || ' ' || a.atttypid::int8 FROM pg_attribute a
               WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid = $1::oid OR (n.nspname = $2 AND c.relname = $3 AND c.relkind IN ('r', 'p'))`;

/** @param client any connection but that of the snapshot, to which the catalog is that of its begin */
export async function readTableChange(
  client: Client,
  given: SnapshotTable,
  isCaptured: (table: TableName) => boolean,
): Promise<TableChange | null> {
  const { oid, schema, name } = given.table;
  const result = await client.query(PRESENT, [String(oid), schema, name]);
  const rows = result.rows as (PresentTable & { is_same: boolean })[];
  const present = rows.find(({ is_same }) => is_same) ?? null;
  const namesake = rows.some((row) => !row.is_same);
  return tableChange(given, present, namesake, isCaptured);
}

/** Another attempt reads the table as it is now. */
export function changedError(table: string, reason: string): RetriableError {
  return new RetriableError(
    `Table ${table} ${reason} after the snapshot began and before it was read: its rows are read in another attempt of the snapshot`,
    { code: 'PG_SNAPSHOT_CHANGED', place: { table } },
  );
}
