/** Rows of about 200 B, the same in all benchmarks of the PostgreSQL source. */
import type { Client } from 'pg';

const COLUMNS = `id bigint PRIMARY KEY, account int NOT NULL, amount numeric(12,2) NOT NULL, open boolean NOT NULL,
  at timestamptz NOT NULL, note text NOT NULL`;

export const createSampleTable = (table: string): string => `CREATE TABLE ${table} (${COLUMNS})`;

/** Inserts the rows with the ids `from` to `to`, in one statement. */
export const insertSampleRows = (table: string, from: number, to: number): string =>
  `INSERT INTO ${table} SELECT id, id % 9973, (id % 100000) / 100.0, id % 2 = 0, now(),
     rpad('row ' || id || ' ', 150, md5(id::text)) FROM generate_series(${from}, ${to}) AS id`;

/** An empty table, its publication, and slots for every change of it. */
export async function createSampleSource(
  database: Client,
  table: string,
  publication: string,
  slots: readonly string[] = [],
): Promise<void> {
  await database.query(`${createSampleTable(table)}; CREATE PUBLICATION ${publication} FOR TABLE ${table}`);
  for (const slot of slots) await database.query(`SELECT pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
}

/** Inserts the rows with the ids 0 to `rows` - 1. */
export async function insertInTransactions(
  database: Client,
  table: string,
  rows: number,
  perTransaction: number,
): Promise<void> {
  for (let id = 0; id < rows; id += perTransaction)
    await database.query(insertSampleRows(table, id, Math.min(id + perTransaction, rows) - 1));
}
