/** Rows of about 200 B, the same in all benchmarks of the PostgreSQL source. */

const COLUMNS = `id bigint PRIMARY KEY, account int NOT NULL, amount numeric(12,2) NOT NULL, open boolean NOT NULL,
  at timestamptz NOT NULL, note text NOT NULL`;

export const createSampleTable = (table: string): string => `CREATE TABLE ${table} (${COLUMNS})`;

/** Inserts the rows with the ids `from` to `to`, in one statement. */
export const insertSampleRows = (table: string, from: number, to: number): string =>
  `INSERT INTO ${table} SELECT id, id % 9973, (id % 100000) / 100.0, id % 2 = 0, now(),
     rpad('row ' || id || ' ', 150, md5(id::text)) FROM generate_series(${from}, ${to}) AS id`;
