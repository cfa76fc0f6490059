/** A snapshot with several connections (`snapshot.max.threads`). */
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const DONE = 9_999_999;
const THREADS = { 'snapshot.max.threads': '4', 'snapshot.fetch.size': '1000' };

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

const logged = (text: RegExp): boolean => (run as TaskRun).log.some(({ message }) => text.test(message));
const untilLast = (current: TaskRun): Promise<AnyRecord[]> =>
  current.until((all) => all[all.length - 1]?.value?.source.snapshot === 'last');

/** Applies records in order to an empty table; throws where an insert repeats or an update misses. */
function replay(records: readonly AnyRecord[]): Map<number, number> {
  const table = new Map<number, number>();
  for (const { key, value } of records) {
    if (value === null) continue;
    if ((value.op === 'r' || value.op === 'c') && table.has(key.id)) throw new Error(`${key.id} is there twice`);
    if (value.op === 'u' && !table.has(key.id)) throw new Error(`${key.id} is updated before it is there`);
    if (value.op === 'd') table.delete(key.id);
    else table.set(key.id, value.after.v);
  }
  return table;
}

/** Transfers between two rows of `t`, so that the sum of all stays the same. */
async function transfers(count: number, rows: number): Promise<void> {
  const client = await database.connect();
  for (let i = 0; i < count; i++) {
    const [from, to] = [(i * 7919) % rows, (i * 104729 + 1) % rows];
    await client.query(
      `BEGIN; UPDATE t SET v = v - 1 WHERE id = ${from}; UPDATE t SET v = v + 1 WHERE id = ${to}; INSERT INTO t VALUES (${rows + i}, 0); COMMIT`,
    );
  }
  await client.end();
}

test.each([
  ['a new slot', false],
  ['an existing slot', true],
])(
  'cdc-postgres 28: four connections read one snapshot, without gap or overlap with the stream: %s',
  async (_, slot) => {
    const rows = 100_000;
    await database.query(
      `CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, 0 FROM generate_series(0, ${rows - 1}) i; ANALYZE t`,
    );
    if (slot) {
      await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE t`);
      await database.query('SELECT pg_create_logical_replication_slot($1, $2)', [database.slot, 'pgoutput']);
    }
    const writing = transfers(400, rows);
    run = await TaskRun.start(taskConfig(database, { ...THREADS, 'max.batch.size': '500' }));
    const snapshot = [...(await untilLast(run))];
    expect(snapshot.reduce((sum, { value }) => sum + value.after.v, 0)).toBe(0);
    await writing;
    await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
    const records = await run.until((all) => all[all.length - 1]?.key?.id === DONE);
    const expected = await database.query('SELECT id, v FROM t');
    expect(replay(records)).toEqual(new Map(expected.map(({ id, v }) => [id as number, v as number])));
    const marks = snapshot.map(({ value }) => value.source.snapshot).filter((mark) => mark !== 'true');
    expect(marks).toEqual(['first', 'last']);
  },
);

test('cdc-postgres 30: keys of all kinds, no key, quoted names, empty tables and single rows', async () => {
  await database.query(`
    CREATE COLLATION other (provider = icu, locale = 'de-u-ks-level2', deterministic = false);
    CREATE TABLE composite (a text COLLATE other, b timestamp, PRIMARY KEY (a, b));
    INSERT INTO composite SELECT chr(65 + i % 26) || 'ß' || i, timestamp '2020-01-01' + i * interval '1 hour' FROM generate_series(1, 20000) i;
    CREATE TABLE uuids (id uuid PRIMARY KEY); INSERT INTO uuids SELECT gen_random_uuid() FROM generate_series(1, 20000);
    CREATE TABLE numbers (id numeric PRIMARY KEY); INSERT INTO numbers SELECT i / 7.0 FROM generate_series(1, 20000) i;
    CREATE TABLE "no ""key" ("a b" int); INSERT INTO "no ""key" SELECT i FROM generate_series(1, 20000) i;
    CREATE TABLE wide (id int PRIMARY KEY, w text); INSERT INTO wide SELECT i, repeat(md5(i::text), 1000) FROM generate_series(1, 300) i;
    CREATE TABLE empty (id int PRIMARY KEY); CREATE TABLE one (id int PRIMARY KEY); INSERT INTO one VALUES (1)`);
  run = await TaskRun.start(taskConfig(database, { ...THREADS, 'snapshot.max.threads.multiplier': '2' }));
  const records = await untilLast(run);
  const counts = new Map<string, Set<string>>();
  for (const { topic, value } of records) {
    const rows = counts.get(topic) ?? new Set();
    counts.set(topic, rows.add(JSON.stringify(value.after)));
  }
  expect(Object.fromEntries([...counts].map(([topic, rows]) => [topic.split('.').pop(), rows.size]))).toEqual({
    ...{ composite: 20_000, uuids: 20_000, numbers: 20_000, no__key: 20_000 },
    ...{ wide: 300, one: 1 },
  });
  expect(records.length).toBe(80_301);
  const marks = records.map(({ topic, value }) => `${value.source.snapshot} ${topic}`);
  for (const [mark, count] of [
    ['first ', 1],
    ['last ', 1],
  ] as const)
    expect(marks.filter((text) => text.startsWith(mark)).length).toBe(count);
  expect(marks[0]).toMatch(/^first /);
  expect(marks.filter((text) => text.startsWith('last_in_data_collection')).length).toBe(5);
});

test.each(['serializable', 'repeatable_read', 'read_committed'])(
  'cdc-postgres 28: without a slot, the first connection exports the snapshot: %s',
  async (isolation) => {
    await database.query(
      'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, 0 FROM generate_series(1, 40000) i; CREATE TABLE u AS TABLE t',
    );
    const config = { ...THREADS, 'snapshot.mode': 'initial_only', 'snapshot.isolation.mode': isolation };
    run = await TaskRun.start(taskConfig(database, { ...config, 'max.batch.size': '500' }));
    await run.count(1000);
    await database.query('UPDATE t SET v = 1; UPDATE u SET v = 1');
    const records = await untilLast(run);
    expect(records.length).toBe(80_000);
    expect(records.filter(({ value }) => value.after.v !== 0)).toEqual([]);
    expect(await database.slots()).toEqual([]);
  },
);

test('a table per connection: the rows of a table keep their order', async () => {
  for (const table of ['a', 'b', 'c'])
    await database.query(
      `CREATE TABLE ${table} (id int PRIMARY KEY); INSERT INTO ${table} SELECT generate_series(1, 40000)`,
    );
  run = await TaskRun.start(taskConfig(database, { ...THREADS, 'legacy.snapshot.max.threads': 'true' }));
  const last = new Map<string, number>();
  for (const { topic, key } of await untilLast(run)) {
    // A row out of order ends the count.
    if (key.id === (last.get(topic) ?? 0) + 1) last.set(topic, key.id);
  }
  expect([...last.values()]).toEqual([40_000, 40_000, 40_000]);
});

test('cdc-postgres 31: a table dropped before it is read is left out, by all connections', async () => {
  await database.query(
    'CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a SELECT generate_series(1, 40000); CREATE TABLE b AS TABLE a; CREATE TABLE c AS TABLE a; ANALYZE',
  );
  run = await TaskRun.start(taskConfig(database, { ...THREADS, 'max.batch.size': '100', 'max.queue.size': '120' }));
  await run.count(20);
  await database.query('DROP TABLE c');
  const records = await untilLast(run);
  expect(records.length).toBe(80_000);
  expect(run.log.filter(({ message }) => /public\.c was dropped/.test(message)).length).toBe(1);
  expect(run.log.filter(({ message }) => /Snapshot of table public\.[ab] completed: 40000/.test(message)).length).toBe(
    2,
  );
});

test('cdc-postgres 24: one of several connections is terminated: nothing is lost, and none of them remains', async () => {
  await database.query(
    'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, 0 FROM generate_series(1, 100000) i; ANALYZE t',
  );
  run = await TaskRun.start(taskConfig(database, { ...THREADS, 'max.batch.size': '500', 'max.queue.size': '800' }));
  await run.count(30_000);
  const readers = `FROM pg_stat_activity WHERE datname = '${database.name}' AND application_name = 'Millrace Snapshot'`;
  const [before] = await database.query(`SELECT count(*)::int AS count ${readers}`);
  await database.query(`SELECT pg_terminate_backend(pid) ${readers} ORDER BY backend_start DESC LIMIT 1`);
  const records = await untilLast(run);
  expect([before?.count, logged(/resuming the snapshot in/)]).toEqual([4, true]);
  expect(new Set(records.map(({ key }) => key.id)).size).toBe(100_000);
  const done = run;
  await waitFor('the connections to end', async () => {
    await done.poll();
    const [now] = await database.query(`SELECT count(*)::int AS count ${readers}`);
    return now?.count === 0;
  });
});

test('cdc-postgres 24: an interrupted snapshot with several connections resumes', async () => {
  await database.query(
    'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, 0 FROM generate_series(1, 100000) i; ANALYZE t',
  );
  const config = taskConfig(database, { ...THREADS, 'max.batch.size': '500', 'max.queue.size': '800' });
  run = await TaskRun.start(config);
  const before = [...(await run.count(75_000))];
  const { stored } = run;
  await run.stop();
  run = await TaskRun.start(config, stored);
  const records = await untilLast(run);
  expect(new Set([...before, ...records].map(({ key }) => key.id)).size).toBe(100_000);
  expect(before.length + records.length).toBeLessThan(170_000);
  expect(logged(/Resuming the snapshot/)).toBe(true);
});

test('cdc-postgres 28: no more connections than half of what the server has left', async () => {
  await database.query('CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2)');
  run = await TaskRun.start(taskConfig(database, { ...THREADS, 'snapshot.max.threads': '10000' }));
  expect((await untilLast(run)).length).toBe(2);
  expect(logged(/snapshot\.max\.threads is 10000, but the server has only \d+ free connection/)).toBe(true);
});

test('cdc-postgres 28: a limit of connections that is reached in the middle leaves fewer readers', async () => {
  await database.query(
    `CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 40000);
     CREATE ROLE r_${database.name} LOGIN PASSWORD 'secret' CONNECTION LIMIT 2; GRANT SELECT ON t TO r_${database.name}`,
  );
  try {
    const as = { 'database.user': `r_${database.name}`, 'database.password': 'secret' };
    run = await TaskRun.start(taskConfig(database, { ...THREADS, ...as, 'snapshot.mode': 'initial_only' }));
    expect((await untilLast(run)).length).toBe(40_000);
    expect(logged(/The snapshot is read with 1 connection\(s\): .*too many connections for role/)).toBe(true);
  } finally {
    await run?.stop();
    await database.query(`DROP OWNED BY r_${database.name}; DROP ROLE r_${database.name}`);
  }
});

test('snapshot.tables.order.by.row.count', async () => {
  for (const [table, rows] of [
    ['a', 10],
    ['b', 1000],
    ['c', 100],
  ] as const)
    await database.query(
      `CREATE TABLE ${table} (id int PRIMARY KEY); INSERT INTO ${table} SELECT generate_series(1, ${rows}); ANALYZE ${table}`,
    );
  const order = async (value: string): Promise<string[]> => {
    run = await TaskRun.start(
      taskConfig(database, { 'snapshot.tables.order.by.row.count': value, 'snapshot.mode': 'initial_only' }),
    );
    const topics = (await untilLast(run)).map(({ topic }) => topic.slice(-1));
    await run.stop();
    return [...new Set(topics)];
  };
  expect(await order('ascending')).toEqual(['a', 'c', 'b']);
  expect(await order('descending')).toEqual(['b', 'c', 'a']);
  expect(await order('disabled')).toEqual(['a', 'b', 'c']);
});

test('snapshot.locking.mode=shared waits for the lock of a table, and no longer than allowed', async () => {
  await database.query(
    'CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1); CREATE TABLE b (id int PRIMARY KEY)',
  );
  const other = await database.connect();
  await other.query('BEGIN; LOCK TABLE a IN ACCESS EXCLUSIVE MODE');
  run = await TaskRun.start(
    taskConfig(database, {
      ...{ 'snapshot.mode': 'initial_only', 'snapshot.locking.mode': 'shared', 'snapshot.lock.timeout.ms': '50' },
      'errors.max.retries': '0',
    }),
  );
  await expect(run.count(1)).rejects.toThrow(
    /Table public\.a could not be locked \(snapshot\.locking\.mode=shared, snapshot\.lock\.timeout\.ms=50\): .*lock timeout/,
  );
  await run.stop();
  await other.query('ROLLBACK');
  await other.end();
  run = await TaskRun.start(
    taskConfig(database, {
      'snapshot.mode': 'initial_only',
      'snapshot.locking.mode': 'shared',
      'max.queue.size': '3',
      'max.batch.size': '1',
    }),
  );
  expect((await run.count(1)).length).toBe(1);
});

test('guardrail.collections.max warns, or fails the start', async () => {
  await database.query('CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)');
  const config = { 'guardrail.collections.max': '1', 'snapshot.mode': 'initial_only' };
  run = await TaskRun.start(taskConfig(database, config));
  expect(logged(/2 tables are captured, but guardrail\.collections\.max allows 1/)).toBe(true);
  await run.stop();
  run = null;
  await expect(
    TaskRun.start(taskConfig(database, { ...config, 'guardrail.collections.limit.action': 'fail' })),
  ).rejects.toMatchObject({ code: 'PG_TOO_MANY_TABLES' });
});

test('snapshot.delay.ms delays the snapshot, and a stop ends the delay', async () => {
  await database.query('CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1)');
  run = await TaskRun.start(taskConfig(database, { 'snapshot.delay.ms': '3600000', 'poll.interval.ms': '10' }));
  expect(await run.poll()).toEqual([]);
  await run.stop();
  await database.dropSlots();
  run = await TaskRun.start(taskConfig(database, { 'snapshot.delay.ms': '300', 'poll.interval.ms': '10' }));
  expect((await run.count(1)).length).toBe(1);
});
