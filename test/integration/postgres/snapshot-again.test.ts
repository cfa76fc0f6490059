/**
 * A repeated snapshot: a consumer that applies all records in order must end with the state of the database, deleted
 * rows included.
 */
import type { SourceOffset } from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, ops, taskConfig, type AnyRecord } from './harness';

const ROWS = 1000;
const DONE = 999_999;

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(
    `CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, 0 FROM generate_series(1, ${ROWS}) i`,
  );
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

function apply(records: readonly AnyRecord[], table: Map<number, number>): Map<number, number> {
  for (const { key, value } of records) {
    if (value === null || value.op === 'd') table.delete(key.id);
    else table.set(key.id, value.after.v);
  }
  return table;
}

async function contents(): Promise<Map<number, number>> {
  const rows = await database.query('SELECT id, v FROM t');
  return new Map(rows.map((row) => [row.id as number, row.v as number]));
}

/** Changes and deletes rows that were read; inserts and deletes new ones. */
async function meanwhile(from: number): Promise<void> {
  await database.query(`DELETE FROM t WHERE id BETWEEN ${from} AND ${from + 9}`);
  await database.query(`UPDATE t SET v = v + 1 WHERE id BETWEEN ${from + 10} AND ${from + 19}`);
  await database.query(`INSERT INTO t VALUES (${ROWS + from}, 1); DELETE FROM t WHERE id = ${ROWS + from}`);
}

const small = { 'max.batch.size': '50', 'max.queue.size': '60', 'snapshot.fetch.size': '50' };

/** Polls until `enough`, then abandons the task without a stop; its records are with the consumers. */
async function killed(
  config: Record<string, string>,
  stored: SourceOffset | null,
  table: Map<number, number>,
  enough: (records: AnyRecord[]) => boolean,
): Promise<SourceOffset | null> {
  run = await TaskRun.start(config, stored);
  const records = await run.until(enough);
  apply(records, table);
  await run.stop();
  return run.stored ?? stored;
}

async function converges(
  config: Record<string, string>,
  stored: SourceOffset | null,
  table: Map<number, number>,
): Promise<void> {
  run = await TaskRun.start(config, stored);
  await untilDone(run);
  expect(apply(run.records, table)).toEqual(await contents());
}

/** Polls until a change made after the last snapshot arrives, and with it all earlier ones. */
async function untilDone(current: TaskRun): Promise<void> {
  await current.until((records) => records.some(({ value }) => value?.source.snapshot === 'last'));
  await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
  await current.until((records) => records.some(({ key, value }) => key.id === DONE && value?.op === 'c'));
}

test.each(['initial', 'always', 'when_needed'])(
  '%s: killed inside the snapshot, twice: deletes since then are emitted',
  async (mode) => {
    const config = taskConfig(database, { ...small, 'snapshot.mode': mode });
    const table = new Map<number, number>();
    let stored = await killed(config, null, table, (records) => records.length >= 300);
    await meanwhile(1);
    stored = await killed(config, stored, table, (records) => records.length >= 500);
    await meanwhile(101);
    await converges(config, stored, table);
  },
);

test.each(['initial', 'when_needed'])(
  '%s: killed while streaming, before any offset of the stream is stored: deletes since then are emitted',
  async (mode) => {
    const config = taskConfig(database, { 'snapshot.mode': mode });
    const table = new Map<number, number>();
    run = await TaskRun.start(config);
    await run.count(ROWS);
    await meanwhile(1);
    await run.until((records) => records.some(({ key, value }) => key.id === ROWS + 1 && value?.op === 'd'));
    apply(run.records, table);
    await run.stop();
    const { stored } = run;
    await meanwhile(101);
    run = await TaskRun.start(config, stored);
    await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
    await run.until((records) => records.some(({ key }) => key.id === DONE));
    expect(apply(run.records, table)).toEqual(await contents());
  },
);

test('a snapshot at every start resumes the stream at its position: deletes while stopped are emitted', async () => {
  const config = taskConfig(database, { 'snapshot.mode': 'always' });
  const table = new Map<number, number>();
  run = await TaskRun.start(config);
  await run.count(ROWS);
  await database.query('INSERT INTO t VALUES (0, 0)');
  apply(await run.count(ROWS + 1), table);
  const stored = run.commitUpTo();
  await run.stop();
  await meanwhile(1);
  await converges(config, stored, table);
  // Stored records are not repeated.
  const again = (run as TaskRun).records.slice(ROWS);
  expect(again.some((record) => record.value?.op === 'c' && record.key.id === 0)).toBe(false);
});

test('a connection cut during the snapshot: deletes before its restart are emitted', async () => {
  const table = new Map<number, number>();
  run = await TaskRun.start(taskConfig(database, small));
  await run.count(300);
  await meanwhile(1);
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'Millrace Snapshot'",
    [database.name],
  );
  await untilDone(run);
  expect(apply(run.records, table)).toEqual(await contents());
  expect(run.log.some((line) => /resuming the snapshot/.test(line.message))).toBe(true);
});

test('killed inside the snapshot, and columns are added and dropped before the next one: changes in the old form are emitted, too', async () => {
  const config = taskConfig(database, small);
  await database.query('ALTER TABLE t ADD COLUMN old text');
  const table = new Map<number, number>();
  const stored = await killed(config, null, table, (records) => records.length >= 300);
  await meanwhile(1);
  await database.query("ALTER TABLE t ADD COLUMN w text DEFAULT 'w'; ALTER TABLE t DROP COLUMN old");
  await meanwhile(101);
  await converges(config, stored, table);
});

test('the end of the snapshot is stored before the first change is sent', async () => {
  run = await TaskRun.start(taskConfig(database));
  await run.count(ROWS);
  await database.query('DELETE FROM t WHERE id = 1');
  expect(ops((await run.count(ROWS + 2)).slice(ROWS))).toEqual(['d', 'tombstone']);
  expect(run.stored).toMatchObject({ snapshot_completed: true });
  await run.stop();
  await database.query('DELETE FROM t WHERE id = 2');
  run = await TaskRun.start(taskConfig(database), run.stored);
  expect(ops(await run.count(4))).toEqual(['d', 'tombstone', 'd', 'tombstone']);
});

test('an empty snapshot is stored as complete, too', async () => {
  await database.query('TRUNCATE t');
  run = await TaskRun.start(taskConfig(database));
  await run.nothingMore();
  expect(run.stored).toMatchObject({ snapshot_completed: true });
});
