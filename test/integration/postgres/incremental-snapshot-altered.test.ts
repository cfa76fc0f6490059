/** Incremental snapshots of tables that are altered or locked meanwhile: cdc-postgres §4.10. */
import { waitFor } from '../../helpers/wait-for';
import type { AnyRecord, TaskRun } from './harness';
import { completed, database, execute, notes, of, resume, start } from './signals-harness';

/** `code` descends while `id` ascends. */
const T = `CREATE TABLE t (id int PRIMARY KEY, code int NOT NULL UNIQUE, v int DEFAULT 7);
  INSERT INTO t SELECT i, 61 - i FROM generate_series(1, 60) i`;
const ALL = Array.from({ length: 60 }, (_, i) => i + 1);
const SCANNED = 'TABLE_SCAN_COMPLETED public.t SUCCEEDED';

/** Whatever the column is called by then. */
const idsRead = (records: readonly AnyRecord[]): Set<number> =>
  new Set(
    of(records, 't').flatMap(({ value }) => {
      const { id, i } = (value?.op === 'r' ? value.after : {}) as { id?: number | string; i?: number };
      return id === undefined && i === undefined ? [] : [Number(id ?? i)];
    }),
  );

const isLocked = async (task: TaskRun): Promise<boolean> => {
  await task.poll();
  const sql = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await database.query(sql)).length > 0;
};

/** Alters the table while a chunk of it waits for its lock. */
const alterUnderChunk = async (task: TaskRun, sql: string): Promise<void> => {
  const client = await database.connect();
  await client.query(`BEGIN; ${sql}`);
  await waitFor('a chunk', () => isLocked(task), { everyMs: 0 });
  await client.query('COMMIT');
  await client.end();
};

const MOVED = 'ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (code)';
const READ_AGAIN =
  'PG_INCREMENTAL_SNAPSHOT: the key of table public.t, in whose order the incremental snapshot reads it, has changed; reading the table from its beginning.';
const lines = (task: TaskRun): string[] => task.log.map(({ message }) => message).filter((m) => m.startsWith('PG_'));

describe('cdc-postgres 99: a primary key that moves to other columns: the table is read again', () => {
  test.each(['between chunks', 'while a chunk waits for its lock'])('%s', async (when) => {
    const task = await start(T);
    await execute(['public.t']);
    await task.until((records) => idsRead(records).size >= 20);
    if (when === 'between chunks') await database.query(MOVED);
    else await alterUnderChunk(task, MOVED);
    await task.until(completed);
    expect(idsRead(task.records)).toEqual(new Set(ALL));
    expect(lines(task)).toEqual([READ_AGAIN]);
  });

  test('while the task is stopped', async () => {
    const first = await start(T);
    await execute(['public.t']);
    await first.until((records) => idsRead(records).size >= 20);
    const { lastOffset } = first;
    await first.stop();
    await database.query(MOVED);
    const second = await resume({}, lastOffset);
    await second.until(completed);
    expect(idsRead(second.records)).toEqual(new Set(ALL));
    expect(lines(second)).toEqual([READ_AGAIN]);
  });

  test.each([
    ['another type of the key', 'ALTER TABLE t ALTER COLUMN id TYPE text'],
    [
      'another table of the name',
      'ALTER TABLE t RENAME TO old; CREATE TABLE t (LIKE old INCLUDING ALL); INSERT INTO t SELECT * FROM old ORDER BY id',
    ],
  ])('%s', async (_name, sql) => {
    const task = await start(T);
    await execute(['public.t']);
    await task.until((records) => idsRead(records).size >= 20);
    const from = task.records.length;
    await database.query(sql);
    await task.until(completed);
    expect(idsRead(task.records.slice(from))).toEqual(new Set(ALL));
    expect(lines(task)).toEqual([READ_AGAIN]);
  });
});

test.each([
  ['a column is dropped', 'ALTER TABLE t DROP COLUMN v'],
  ['a column is renamed', 'ALTER TABLE t RENAME COLUMN v TO w'],
  ['the key column is renamed', 'ALTER TABLE t RENAME COLUMN id TO i'],
])('cdc-postgres 99: %s while a chunk waits for its lock: the table is read to its end', async (_name, sql) => {
  const task = await start(T);
  await execute(['public.t']);
  await task.until((records) => idsRead(records).size >= 20);
  await alterUnderChunk(task, sql);
  await task.until(completed);
  expect(notes(task.records).filter((note) => note.startsWith('TABLE_SCAN'))).toEqual([`${SCANNED} 60`]);
  expect(idsRead(task.records)).toEqual(new Set(ALL));
});

test('cdc-postgres 99: a chunk that waits for a lock does not hold back other tables', async () => {
  const task = await start(`${T}; CREATE TABLE u (id int PRIMARY KEY)`, { 'snapshot.lock.timeout.ms': '300' });
  const other = await database.connect();
  try {
    await other.query('BEGIN; LOCK TABLE t');
    await execute(['public.t']);
    await waitFor('a chunk', () => isLocked(task), { everyMs: 0 });
    // Its definition must be read first.
    await database.query('ALTER TABLE u ADD COLUMN v int DEFAULT 5; INSERT INTO u VALUES (1)');
    await task.until((records) => of(records, 'u').length > 0);
    const retries = (): unknown[] => task.log.filter(({ message }) => message.includes('lock timeout'));
    await task.until(() => retries().length > 0);
  } finally {
    await other.end();
  }
  await task.until(completed);
  expect(idsRead(task.records)).toEqual(new Set(ALL));
});
