import { Client } from 'pg';
import { onServer, TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TODOS, TaskRun, ops, taskConfig, type AnyRecord } from './harness';

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

/** Holds the result of the next query that contains this text until it is released. */
function heldOnce(text: string): { readonly answered: Promise<void>; readonly letGo: () => void } {
  let arrive = (): void => undefined;
  let letGo = (): void => undefined;
  const answered = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const query = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown;
  const spy: jest.SpyInstance = jest.spyOn(Client.prototype, 'query');
  spy.mockImplementation(function (this: Client, ...args: unknown[]) {
    const answer = query.apply(this, args);
    if (typeof args[0] !== 'string' || !args[0].includes(text)) return answer;
    spy.mockRestore();
    return (async () => {
      const result = await answer;
      arrive();
      await released;
      return result;
    })();
  });
  return { answered, letGo: () => letGo() };
}

const marks = (records: AnyRecord[]): string[] => records.map((r) => r.value.source.snapshot);

test('cdc-postgres 15: three tables of 2, 0 and 1 rows', async () => {
  await database.query(
    'CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY);' +
      'INSERT INTO a VALUES (1), (2); INSERT INTO c VALUES (3)',
  );
  run = await TaskRun.start(taskConfig(database));
  expect(marks(await run.count(3))).toEqual(['first', 'last_in_data_collection', 'last']);
});

test('cdc-postgres 15: middle tables have their own first and last rows', async () => {
  await database.query(
    'CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY);' +
      'INSERT INTO a VALUES (1), (2), (3); INSERT INTO b SELECT generate_series(1, 3); INSERT INTO c VALUES (1), (2)',
  );
  run = await TaskRun.start(taskConfig(database, { 'snapshot.fetch.size': '2' }));
  expect(marks(await run.count(8))).toEqual([
    'first',
    'true',
    'last_in_data_collection',
    'first_in_data_collection',
    'true',
    'last_in_data_collection',
    'first_in_data_collection',
    'last',
  ]);
});

test('cdc-postgres 16: a single row is the last', async () => {
  await database.query(`${TODOS}; INSERT INTO todos VALUES (1, 'a', 'b')`);
  run = await TaskRun.start(taskConfig(database));
  const records = await run.count(1);
  expect(marks(records)).toEqual(['last']);
  expect(records[0]?.sourceOffset).toMatchObject({ last_snapshot_record: true, snapshot_completed: true });
});

test('cdc-postgres 17: empty tables give no record, and the next start reads them again', async () => {
  await database.query(TODOS);
  run = await TaskRun.start(taskConfig(database));
  await run.nothingMore();
  await run.stop();
  await database.query("INSERT INTO todos(description) VALUES ('x')");
  run = await TaskRun.start(taskConfig(database));
  expect(ops(await run.count(1))).toEqual(['r']);
});

test('cdc-postgres 17: with heartbeats there is an offset', async () => {
  await database.query(TODOS);
  run = await TaskRun.start(taskConfig(database, { 'heartbeat.interval.ms': '50' }));
  const records = await run.count(1);
  expect(records[0]).toMatchObject({
    topic: '__debezium-heartbeat.fulfillment',
    partition: 0,
    key: { serverName: 'fulfillment' },
    value: { ts_ms: expect.any(Number) },
  });
  expect(records[0]?.sourceOffset?.lsn).toEqual(expect.any(Number));
  expect(records[0]?.keySchema?.name).toBe('io.debezium.connector.common.ServerNameKey');
  expect(records[0]?.valueSchema?.name).toBe('io.debezium.connector.common.Heartbeat');
});

/** Applies records in order to an empty table; throws where an insert repeats or an update misses. */
function replay(records: readonly AnyRecord[], strict = true): Map<number, number> {
  const table = new Map<number, number>();
  for (const { key, value } of records) {
    if (value === null) continue;
    if (strict && (value.op === 'r' || value.op === 'c') && table.has(key.id))
      throw new Error(`${key.id} is there twice`);
    if (strict && value.op === 'u' && !table.has(key.id)) throw new Error(`${key.id} is updated before it is there`);
    if (value.op === 'd') table.delete(key.id);
    else table.set(key.id, value.after.v);
  }
  return table;
}

async function writer(database: TestDatabase, transactions: number, from: number): Promise<void> {
  const client = await database.connect();
  for (let i = 0; i < transactions; i++) {
    const id = from + i;
    await client.query(
      `BEGIN; INSERT INTO t VALUES (${id}, 0); UPDATE t SET v = v + 1 WHERE id % 50 = ${i % 50} AND id < 1000; DELETE FROM t WHERE id = ${id - 7} AND id >= ${from}; COMMIT`,
    );
  }
  await client.end();
}

async function contents(database: TestDatabase): Promise<Map<number, number>> {
  const rows = await database.query('SELECT id, v FROM t');
  return new Map(rows.map((row) => [row.id as number, row.v as number]));
}

const DONE = 999_999;
const sawDone = (records: AnyRecord[]): boolean => records.some((record) => record.key?.id === DONE);

test('cdc-postgres 18: rows and changes during the snapshot add up, without gap or overlap', async () => {
  await database.query(
    'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, 0 FROM generate_series(1, 999) i',
  );
  const writing = [writer(database, 150, 10_000), writer(database, 150, 20_000)];
  run = await TaskRun.start(
    taskConfig(database, { 'snapshot.fetch.size': '10', 'max.batch.size': '50', 'max.queue.size': '60' }),
  );
  const first = await run.count(500);
  expect(first.length).toBeGreaterThan(0);
  await Promise.all(writing);
  await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
  const records = await run.until(sawDone);
  expect(replay(records)).toEqual(await contents(database));
});

test('cdc-postgres 19: with an existing slot the snapshot is consistent, and the stream continues it exactly', async () => {
  await database.query(
    'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, 0 FROM generate_series(1, 999) i',
  );
  await database.query('SELECT pg_create_logical_replication_slot($1, $2)', [database.slot, 'pgoutput']);
  await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE t`);
  // The publication is newer than the slot: only positions after both can be decoded.
  await database.query('SELECT pg_replication_slot_advance($1, pg_current_wal_lsn())', [database.slot]);
  const writing = [writer(database, 100, 10_000), writer(database, 100, 20_000)];
  run = await TaskRun.start(taskConfig(database, { 'snapshot.fetch.size': '10' }));
  await run.count(500);
  await Promise.all(writing);
  await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
  const records = await run.until(sawDone);
  expect(replay(records)).toEqual(await contents(database));
  await waitFor('the slot of the snapshot alone to go', async () => {
    const names = (await database.slots()).map((slot) => slot.slot_name);
    expect(names).toContain(database.slot);
    return names.length === 1;
  });
});

test('cdc-postgres 20: a transaction open while the slot is created appears once, as changes', async () => {
  await database.query('CREATE TABLE t (id int PRIMARY KEY, v int)');
  const other = await database.connect();
  await other.query('BEGIN; INSERT INTO t VALUES (1, 1)');
  const starting = TaskRun.start(taskConfig(database));
  await waitFor('the slot to wait for the transaction', async () => {
    const [row] = await database.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'CREATE_REPLICATION_SLOT%' AND wait_event_type = 'Lock'",
      [database.name],
    );
    return row?.n === 1;
  });
  await other.query('INSERT INTO t VALUES (2, 2); COMMIT');
  run = await starting;
  await database.query(`INSERT INTO t VALUES (${DONE}, 0)`);
  const records = await run.until(sawDone);
  expect([...replay(records).keys()].sort()).toEqual([1, 2, DONE]);
  await other.end();
});

test('cdc-postgres 21: initial_only reads, leaves no slot and streams nothing', async () => {
  await database.query('CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2)');
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'initial_only' }));
  await run.count(2);
  await database.query('INSERT INTO t VALUES (3, 3)');
  // No connection is left.
  expect(await run.poll()).toEqual([]);
  expect(await database.slots()).toEqual([]);
  expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
});

test.each(['no_data', 'never'])('cdc-postgres 22: %s streams only', async (mode) => {
  await database.query('CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1)');
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': mode }));
  await database.query('INSERT INTO t VALUES (2, 2)');
  const records = await run.count(1);
  expect([records[0]?.value.op, records[0]?.key]).toEqual(['c', { id: 2 }]);
});

test('cdc-postgres 23: always takes a snapshot at every start', async () => {
  await database.query('CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1)');
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'always' }));
  await run.count(1);
  await database.query('INSERT INTO t VALUES (2, 2)');
  await run.count(2);
  run.commitUpTo();
  const offset = run.lastOffset;
  await run.stop();
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'always' }), offset);
  const again = await run.count(2);
  expect(ops(again)).toEqual(['r', 'r']);
  await database.query('INSERT INTO t VALUES (3, 3)');
  expect(ops(await run.count(3))).toEqual(['r', 'r', 'c']);
  await run.nothingMore();
});

test('cdc-postgres 24: an interrupted snapshot is taken again from its beginning, with a finished offset', async () => {
  await database.query(
    'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, i FROM generate_series(1, 1000) i',
  );
  run = await TaskRun.start(taskConfig(database, { 'max.batch.size': '100' }));
  await run.count(300);
  const offset = run.lastOffset;
  expect(offset).toMatchObject({ snapshot: 'INITIAL', snapshot_completed: false });
  await run.stop();
  await database.query('INSERT INTO t VALUES (1001, 1)');
  run = await TaskRun.start(taskConfig(database), offset);
  const records = await run.count(1001);
  expect(new Set(records.map((record) => record.key.id)).size).toBe(1001);
  expect(records.every((record) => record.value.op === 'r')).toBe(true);
  expect(run.lastOffset).toMatchObject({ snapshot_completed: true, last_snapshot_record: true });
  // Changes since the start of the first snapshot are repeated.
  expect((await run.count(1002))[1001]).toMatchObject({ key: { id: 1001 }, value: { op: 'c' } });
  await run.nothingMore();
});

test('cdc-postgres 25: no_data with the offset of an unfinished snapshot', async () => {
  await database.query(TODOS);
  const offset = { lsn: 1, snapshot: 'INITIAL', snapshot_completed: false, last_snapshot_record: false };
  await expect(TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }), offset)).rejects.toThrow(
    'The connector previously stopped while taking a snapshot, but now the connector is configured to never allow snapshots. Reconfigure the connector to use snapshots initially or when needed.',
  );
  expect(await database.slots()).toEqual([]);
});

test('cdc-postgres 26: a SELECT statement restricts the rows; one that lacks columns fails', async () => {
  await database.query(`${TODOS}; INSERT INTO todos VALUES (1, 'a', 'open'), (2, 'b', 'done'), (3, 'c', 'open')`);
  const overrides = { 'snapshot.select.statement.overrides': 'public.todos' };
  const key = 'snapshot.select.statement.overrides.public.todos';
  run = await TaskRun.start(
    taskConfig(database, {
      ...overrides,
      [key]: "SELECT * FROM public.todos WHERE todo_status = 'open' ORDER BY id DESC;",
    }),
  );
  expect((await run.count(2)).map((record) => record.key.id)).toEqual([3, 1]);
  await run.nothingMore();
  await run.stop();
  await database.drop();
  database = await TestDatabase.create(`${TODOS}; INSERT INTO todos VALUES (1, 'a', 'open')`);
  run = await TaskRun.start(taskConfig(database, { ...overrides, [key]: 'SELECT id FROM public.todos' }));
  await expect(run.count(1)).rejects.toThrow(
    /snapshot\.select\.statement\.overrides.*column "description" does not exist/,
  );
  // Nothing was emitted, so slot and publication are removed.
  expect(await database.slots()).toEqual([]);
  expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
});

test('cdc-postgres 27: a snapshot of some tables, a stream of all', async () => {
  await database.query(
    'CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)',
  );
  run = await TaskRun.start(taskConfig(database, { 'snapshot.include.collection.list': 'public.a' }));
  await run.count(1);
  await database.query('INSERT INTO b VALUES (2)');
  const records = await run.count(2);
  expect(records.map((record) => [record.topic, record.value.op])).toEqual([
    ['fulfillment.public.a', 'r'],
    ['fulfillment.public.b', 'c'],
  ]);
});

test('cdc-postgres 29: names with capitals, blanks, quotes, letters of all kinds and reserved words', async () => {
  const names = ['Mixed', 'with blank', 'quo"te', 'Täble', 'select', `it's`, 'a.b'];
  for (const name of names) {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    await database.query(
      `CREATE TABLE ${quoted} ("Id" int PRIMARY KEY, "a ""b" text); INSERT INTO ${quoted} VALUES (1, 'x')`,
    );
  }
  run = await TaskRun.start(taskConfig(database));
  await run.count(names.length);
  for (const name of names) await database.query(`UPDATE "${name.replaceAll('"', '""')}" SET "a ""b" = 'y'`);
  const records = await run.count(names.length * 2);
  const topics = new Map<string, string[]>();
  for (const record of records) {
    expect(record.value.source.table).toEqual(expect.any(String));
    topics.set(record.topic, [...(topics.get(record.topic) ?? []), record.value.after['a "b']]);
  }
  expect([...topics.keys()].sort()).toEqual(
    ['Mixed', 'T_ble', 'a.b', 'it_s', 'quo_te', 'select', 'with_blank'].map((name) => `fulfillment.public.${name}`),
  );
  expect([...topics.values()].every((values) => values.join() === 'x,y')).toBe(true);
});

test('cdc-postgres 32: a table that may not be read fails the start at once and names the GRANT', async () => {
  const role = `r_${database.name}`;
  await database.query(
    `${TODOS}; CREATE ROLE ${role} LOGIN REPLICATION PASSWORD 'x'; GRANT CREATE ON DATABASE ${database.name} TO ${role}`,
  );
  try {
    const config = taskConfig(database, { 'database.user': role, 'database.password': 'x' });
    await expect(TaskRun.start(config)).rejects.toMatchObject({
      code: 'PG_PRIVILEGE',
      retriable: false,
      message: expect.stringMatching(
        /permission denied for table public\.todos.*GRANT SELECT ON "public"\."todos" TO "r_/,
      ),
    });
    expect(await database.slots()).toEqual([]);
    expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
  } finally {
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('cdc-postgres 32: the snapshot leaves out the signal table, which the role need not read', async () => {
  const role = `r_${database.name}`;
  await database.query(
    `${TODOS}; INSERT INTO todos VALUES (1); CREATE TABLE signals (id text PRIMARY KEY, type text, data text);
     INSERT INTO signals VALUES ('old', 'execute-snapshot', '{}'), ('old-open', 'snapshot-window-open', '{}');
     CREATE PUBLICATION p FOR ALL TABLES; CREATE ROLE ${role} LOGIN REPLICATION PASSWORD 'x'; GRANT SELECT ON todos TO ${role}`,
  );
  try {
    run = await TaskRun.start(
      taskConfig(database, {
        ...{ 'database.user': role, 'database.password': 'x', 'publication.name': 'p' },
        ...{ 'publication.autocreate.mode': 'disabled', 'signal.data.collection': 'public.signals' },
      }),
    );
    await run.until((all) => all[all.length - 1]?.value.source.snapshot === 'last');
    await database.query("INSERT INTO signals VALUES ('new', 'log', '{\"message\": \"hello\"}')");
    const records = await run.count(2);
    expect(records.map(({ topic, value }) => `${topic} ${value.op} ${value.after.id}`)).toEqual([
      'fulfillment.public.todos r 1',
      'fulfillment.public.signals c new',
    ]);
  } finally {
    await run?.stop();
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('cdc-postgres 31: a table dropped before it is read is left out', async () => {
  await database.query(
    'CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY)',
  );
  await database.query(
    'INSERT INTO a SELECT generate_series(1, 3000); INSERT INTO b VALUES (1); INSERT INTO c VALUES (1)',
  );
  run = await TaskRun.start(
    taskConfig(database, { 'snapshot.fetch.size': '10', 'max.batch.size': '10', 'max.queue.size': '11' }),
  );
  await run.count(20);
  await database.query('DROP TABLE b');
  const records = await run.until((all) => all[all.length - 1]?.value.source.snapshot === 'last');
  expect(records.filter((record) => record.value.source.table === 'b')).toEqual([]);
  expect(records[records.length - 1]?.topic).toBe('fulfillment.public.c');
  expect(run.log.some((line) => /public\.b was dropped/.test(line.message))).toBe(true);
});

test('without a list, tables of other schemas and temporary tables are not captured', async () => {
  await database.query(
    'CREATE TABLE a (id int PRIMARY KEY); CREATE TEMP TABLE b (id int PRIMARY KEY); INSERT INTO a VALUES (1)',
  );
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await run.nothingMore();
});

test('a connection lost during the snapshot: another snapshot is taken', async () => {
  await database.query(
    'CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t SELECT i, i FROM generate_series(1, 5000) i',
  );
  run = await TaskRun.start(
    taskConfig(database, { 'snapshot.fetch.size': '10', 'max.batch.size': '10', 'max.queue.size': '11' }),
  );
  await run.count(50);
  await onServer(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'Millrace Snapshot'",
    [database.name],
  );
  const records = await run.until((all) => all[all.length - 1]?.value.source.snapshot === 'last');
  expect(new Set(records.map((record) => record.key.id)).size).toBe(5000);
  expect(run.log.some((line) => /resuming the snapshot/.test(line.message))).toBe(true);
});

test('a stop at the start of the snapshot leaves it unfinished', async () => {
  await database.query('CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2)');
  const abort = new AbortController();
  run = await TaskRun.start(taskConfig(database), null, abort);
  const polling = run.poll();
  abort.abort();
  await polling;
  expect(run.log.filter((line) => /Snapshot completed/.test(line.message))).toEqual([]);
});

test('a stop between two tables leaves the snapshot unfinished: after a restart every row of every table is read', async () => {
  const tables = ['a', 'b', 'c'];
  for (const table of tables)
    await database.query(`CREATE TABLE ${table} (id int PRIMARY KEY); INSERT INTO ${table} VALUES (1), (2), (3)`);
  const abort = new AbortController();
  run = await TaskRun.start(taskConfig(database), null, abort);
  const secondRead = heldOnce('FROM "public"."b"');
  // The first table except its last row, which is held back until the next one.
  await run.count(2);
  await secondRead.answered;
  const polling = run.poll();
  abort.abort();
  // The reader continues with the third table only now.
  secondRead.letGo();
  await polling;
  const offsets = [run.stored, ...run.records.map((record) => record.sourceOffset)];
  expect(offsets.filter((offset) => offset?.snapshot_completed !== false)).toEqual([]);
  const { lastOffset: offset, records: before } = run;
  await run.stop();

  run = await TaskRun.start(taskConfig(database), offset);
  const after = await run.until((all) => all[all.length - 1]?.value.source.snapshot === 'last');
  const read = [...before, ...after].map(({ value, key }) => `${value.op} ${value.source.table} ${key.id}`);
  expect([...new Set(read)].sort()).toEqual(tables.flatMap((table) => [1, 2, 3].map((id) => `r ${table} ${id}`)));
  expect(run.lastOffset).toMatchObject({ snapshot_completed: true });
});
