/**
 * A snapshot that is interrupted resumes: what it has finished is not emitted again, and a consumer that applies all
 * records in order ends with the state of the database.
 */
import type { SourceOffset } from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const ROWS = 60_000;
/** Interrupts that leave chunks of about 16,000 rows complete. */
const PART = 20_000;
const DONE = 9_999_999;
/** Small batches, so that the task is interrupted between chunks. */
const small = { 'max.batch.size': '500', 'max.queue.size': '600', 'snapshot.fetch.size': '500' };

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const create = async (rows = ROWS): Promise<void> => {
  await database.query(
    `CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, 0 FROM generate_series(1, ${rows}) i; ANALYZE t`,
  );
  await earlierTransactionsEnded();
};
/**
 * Without a slot, a snapshot does not wait for transactions that run, also of other databases. A resumed one reads all
 * rows again that are later than the oldest of them that has ended since.
 * @param but stays open
 */
async function earlierTransactionsEnded(but = '0'): Promise<void> {
  const [now] = await database.query('SELECT txid_current()::text AS xid');
  const ended = async (): Promise<boolean> => {
    const sql = 'SELECT FROM txid_snapshot_xip(txid_current_snapshot()) x WHERE x < $1 AND x <> $2';
    return (await database.query(sql, [now?.xid, but])).length === 0;
  };
  await waitFor('the transactions of other tests', ended);
}
const reads = (records: readonly AnyRecord[]): AnyRecord[] => records.filter(({ value }) => value?.op === 'r');

function apply(records: readonly AnyRecord[], table = new Map<number, unknown>()): Map<number, unknown> {
  for (const { key, value } of records) {
    if (value === null || value.op === 'd') table.delete(key.id);
    else table.set(key.id, value.after.v);
  }
  return table;
}

async function contents(): Promise<Map<number, unknown>> {
  const rows = await database.query('SELECT id, v FROM t');
  return new Map(rows.map((row) => [row.id as number, row.v]));
}

/**
 * Ends the task without a stop of its own after `count` records. What it returned is in Kafka.
 * @returns the stored offset
 */
async function interrupted(
  config: Record<string, string>,
  stored: SourceOffset | null,
  count: number,
): Promise<{ stored: SourceOffset; records: AnyRecord[] }> {
  run = await TaskRun.start(config, stored);
  const records = await run.count(count);
  await run.stop();
  return { stored: run.stored as SourceOffset, records };
}

async function finished(config: Record<string, string>, stored: SourceOffset): Promise<AnyRecord[]> {
  run = await TaskRun.start(config, stored);
  return await run.until((all) => all[all.length - 1]?.value?.source.snapshot === 'last');
}

/** Reads on until a change made now arrives. */
async function streamed(): Promise<AnyRecord[]> {
  await database.query(`INSERT INTO t VALUES (${DONE})`);
  return await (run as TaskRun).until((all) => all[all.length - 1]?.key?.id === DONE);
}

const logged = (text: RegExp): boolean => (run as TaskRun).log.some(({ message }) => text.test(message));

test.each(['initial', 'when_needed', 'always', 'initial_only'])(
  'cdc-postgres 24: %s: interrupted three times, the work is close to once, and changes in between are there',
  async (mode) => {
    const rows = 100_000;
    await create(rows);
    const config = taskConfig(database, { ...small, 'snapshot.mode': mode });
    const all: AnyRecord[] = [];
    let stored: SourceOffset | null = null;
    for (let attempt = 0; attempt < 3; attempt++) {
      const before: { stored: SourceOffset; records: AnyRecord[] } = await interrupted(config, stored, PART);
      ({ stored } = before);
      all.push(...before.records);
      expect(stored).toMatchObject({ snapshot: 'INITIAL', snapshot_completed: false });
      // Rows that were read, rows that were not, and rows that move among them.
      await database.query(`UPDATE t SET v = ${attempt + 1} WHERE id % 1000 = ${attempt}`);
      await database.query(`UPDATE t SET id = id + 1000000 WHERE id % 1000 = ${attempt + 10}`);
      await database.query(`DELETE FROM t WHERE id % 1000 = ${attempt + 20}`);
    }
    all.push(...(await finished(config, stored as SourceOffset)));
    expect(reads(all).length / rows).toBeLessThan(1.3);
    if (mode !== 'initial_only') {
      const records = (run as TaskRun).records.length;
      all.push(...(await streamed()).slice(records));
      expect(apply(all)).toEqual(await contents());
    } else {
      const emitted = apply(all);
      expect([...(await contents())].filter(([id, v]) => emitted.get(id) !== v)).toEqual([]);
    }
    expect(logged(/Resuming the snapshot of 1 table\(s\) after \d{4,} row\(s\)/)).toBe(true);
  },
);

test('cdc-postgres 24: a transaction that is open all the time repeats no finished rows, and its changes are read once it has ended', async () => {
  const open = await database.connect();
  await open.query('CREATE TABLE other (id int); BEGIN');
  const [own] = (await open.query<{ xid: string }>('SELECT txid_current()::text AS xid')).rows;
  await open.query('SAVEPOINT s; INSERT INTO other VALUES (1)');
  await database.query(
    `CREATE TABLE t (id int PRIMARY KEY, v int) WITH (fillfactor = 90); INSERT INTO t SELECT i, 0 FROM generate_series(1, ${ROWS}) i; ANALYZE t`,
  );
  await earlierTransactionsEnded(own?.xid);
  const config = taskConfig(database, { ...small, 'snapshot.mode': 'initial_only', 'table.include.list': 'public.t' });
  const readSoFar = (offset: SourceOffset): number =>
    Number(/^1 \S+ \d+:[0-9a-f]{8}:(\d+):/.exec(String(offset.snapshot_progress))?.[1]);
  const first = await interrupted(config, null, PART);
  expect(readSoFar(first.stored)).toBeGreaterThan(10_000);
  const second = await interrupted(config, first.stored, PART);
  const before = new Set(first.records.map(({ key }) => key.id));
  const again = second.records.filter(({ key }) => before.has(key.id));
  expect(again.length).toBe(first.records.length - readSoFar(first.stored));
  // In the savepoint, so under an id that is lower than those of the rows.
  await open.query('UPDATE t SET v = 1 WHERE id <= 10; COMMIT');
  const all = [...first.records, ...second.records, ...(await finished(config, second.stored))];
  expect(apply(all)).toEqual(await contents());
  await open.end();
});

test('cdc-postgres 24: finished tables are not emitted again', async () => {
  await create(100);
  await database.query(
    `CREATE TABLE z (id int PRIMARY KEY, v int); INSERT INTO z SELECT i, 0 FROM generate_series(1, ${ROWS}) i; CREATE TABLE a (v int); INSERT INTO a VALUES (1)`,
  );
  const { stored } = await interrupted(taskConfig(database, small), null, 5000);
  expect(stored.snapshot_progress).toMatch(/^1 \S+( \d+:[0-9a-f]{8}:\d+:0-){2}/);
  const records = await finished(taskConfig(database, small), stored);
  expect(new Set(records.map(({ topic }) => topic))).toEqual(new Set(['fulfillment.public.z']));
  expect(records.length).toBe(ROWS);
});

test('cdc-postgres R17: a row that moves from unread to read blocks is read with its unchanged TOASTed value', async () => {
  // In a full block, so that its next version lies in another one.
  const moved = ROWS - 5000;
  await database.query(`CREATE TABLE t (id int PRIMARY KEY, v int, w text);
    ALTER TABLE t ALTER COLUMN w SET STORAGE EXTERNAL;
    INSERT INTO t SELECT i, 0, CASE WHEN i = ${moved} THEN (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 500) n) END
      FROM generate_series(1, ${ROWS}) i`);
  // Room in the first blocks.
  await database.query('DELETE FROM t WHERE id < 1000');
  await waitFor('the room of the deleted rows, which a snapshot of autovacuum may hold', async () => {
    await database.query('VACUUM t');
    const [left] = await database.query("SELECT pg_stat_get_dead_tuples('t'::regclass)::int AS dead");
    return left?.dead === 0;
  });
  const config = taskConfig(database, small);
  const { stored, records: before } = await interrupted(config, null, ROWS / 2);
  await database.query(`UPDATE t SET id = 1 WHERE id = ${moved}`);
  const [at] = await database.query('SELECT ctid::text AS ctid FROM t WHERE id = 1');
  expect(Number(/\d+/.exec(String(at?.ctid))?.[0])).toBeLessThan(100);
  const records = await finished(config, stored);
  const [row] = await database.query('SELECT w FROM t WHERE id = 1');
  const read = reads(records).find(({ key }) => key.id === 1);
  expect(read?.value.after.w).toBe(row?.w);
  expect(before.length + records.length).toBeLessThan(ROWS * 1.5);
});

test.each([
  ['a column is added', 'ALTER TABLE t ADD COLUMN w int'],
  ['a column is replaced by one of the same type', 'ALTER TABLE t DROP COLUMN v, ADD COLUMN v int'],
  ['the key changes', 'ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (v, id)'],
  ['rows move to other blocks', 'CLUSTER t USING t_pkey'],
  ['it is another table', 'CREATE TABLE n AS TABLE t; DROP TABLE t; ALTER TABLE n RENAME TO t'],
])('cdc-postgres §4.7: the table is read again from its start if %s', async (_, ddl) => {
  await create();
  const { stored } = await interrupted(taskConfig(database, small), null, ROWS / 2);
  expect(stored.snapshot_progress).toBeDefined();
  await database.query(ddl);
  expect(reads(await finished(taskConfig(database, small), stored)).length).toBe(ROWS);
});

test('cdc-postgres §4.7: CLUSTER waits while a partly read table waits for its turn', async () => {
  await create();
  await database.query('CREATE INDEX backwards ON t (id DESC)');
  const { stored, records: before } = await interrupted(taskConfig(database, small), null, ROWS / 2);
  await database.query(`CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a SELECT generate_series(1, ${ROWS})`);
  run = await TaskRun.start(taskConfig(database, small), stored);
  // The reader is still at table a, which comes first.
  await run.count(1000);
  await expect(database.query("SET lock_timeout = '100ms'; CLUSTER t USING backwards")).rejects.toThrow(/lock timeout/);
  const records = await run.until((all) => all[all.length - 1]?.value?.source.snapshot === 'last');
  const ids = [...before, ...records].filter(({ topic }) => topic === 'fulfillment.public.t').map(({ key }) => key.id);
  expect(new Set(ids).size).toBe(ROWS);
});

test('the snapshot starts over if its slot was replaced', async () => {
  await create();
  const { stored } = await interrupted(taskConfig(database, small), null, ROWS / 2);
  await database.dropSlots();
  expect((await finished(taskConfig(database, small), stored)).length).toBe(ROWS);
  expect(logged(/Some deletes are not captured/)).toBe(true);
});

test('tables that are new, dropped or left out since then', async () => {
  await create(100);
  await database.query(
    `CREATE TABLE u (id int PRIMARY KEY); INSERT INTO u VALUES (1); CREATE TABLE z (id int PRIMARY KEY); INSERT INTO z SELECT i FROM generate_series(1, ${ROWS}) i; ANALYZE z`,
  );
  const { stored } = await interrupted(taskConfig(database, small), null, ROWS / 2);
  await database.query('DROP TABLE u; CREATE TABLE s (id int PRIMARY KEY); INSERT INTO s VALUES (1), (2)');
  const records = await finished(taskConfig(database, { ...small, 'table.exclude.list': 'public.t' }), stored);
  const topics = records.map(({ topic }) => topic);
  expect(topics.filter((topic) => topic === 'fulfillment.public.s').length).toBe(2);
  expect(new Set(topics)).toEqual(new Set(['fulfillment.public.s', 'fulfillment.public.z']));
  expect(records.length).toBeLessThan(ROWS);
});

test('a connection lost in the middle: the snapshot resumes', async () => {
  await create();
  run = await TaskRun.start(taskConfig(database, small));
  await run.count(ROWS / 2);
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'Millrace Snapshot'",
    [database.name],
  );
  const records = await run.until((all) => all[all.length - 1]?.value?.source.snapshot === 'last');
  expect(new Set(records.map(({ key }) => key.id)).size).toBe(ROWS);
  expect(records.length).toBeLessThan(ROWS * 1.4);
  expect(logged(/resuming the snapshot in/)).toBe(true);
});

test('cdc-postgres R8: a partitioned table and its leaves resume, too', async () => {
  await database.query(
    `CREATE TABLE t (id int PRIMARY KEY, v int) PARTITION BY RANGE (id);
     CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (${ROWS / 2}); CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (${ROWS / 2}) TO (10000000);
     INSERT INTO t SELECT i, 0 FROM generate_series(1, ${ROWS}) i; ANALYZE t`,
  );
  const { stored, records } = await interrupted(taskConfig(database, small), null, ROWS / 2);
  const rest = await finished(taskConfig(database, small), stored);
  expect(records.length + rest.length).toBeLessThan(2 * ROWS * 1.5);
  for (const [topic, count] of [
    ['t', ROWS],
    ['t1', ROWS / 2 - 1],
    ['t2', ROWS / 2 + 1],
  ] as const) {
    const own = [...records, ...rest].filter((record) => record.topic === `fulfillment.public.${topic}`);
    expect(new Set(own.map(({ key }) => key.id)).size).toBe(count);
  }
});
