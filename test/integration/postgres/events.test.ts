import { TestDatabase } from '../../helpers/test-database';
import { TODOS, TaskRun, describe as show, ops, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(TODOS);
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

test('cdc-postgres 14: two rows are read as first and last, with the offsets of §6.2', async () => {
  await database.query("INSERT INTO todos(description, todo_status) VALUES ('buy milk','open'), ('write spec','done')");
  run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.todos' }));
  const records = await run.count(2);
  const [first, last] = records as [(typeof records)[0], (typeof records)[0]];
  expect(first.topic).toBe('fulfillment.public.todos');
  expect(first.key).toEqual({ id: 1 });
  expect(first.value).toEqual({
    before: null,
    after: { id: 1, description: 'buy milk', todo_status: 'open' },
    source: {
      version: '3.7.0.Final',
      connector: 'postgresql',
      name: 'fulfillment',
      ts_ms: expect.any(Number),
      snapshot: 'first',
      db: database.name,
      sequence: `[null,"${first.value.source.lsn}"]`,
      ts_us: expect.any(Number),
      ts_ns: BigInt(first.value.source.ts_us) * 1000n,
      schema: 'public',
      table: 'todos',
      txId: expect.any(Number),
      lsn: expect.any(Number),
      xmin: null,
      origin: null,
      origin_lsn: null,
    },
    transaction: null,
    op: 'r',
    ts_ms: expect.any(Number),
    ts_us: expect.any(Number),
    ts_ns: expect.anything(),
  });
  const { lsn, txId, ts_us: ts_usec } = first.value.source;
  expect(first.sourceOffset).toEqual({
    last_snapshot_record: false,
    lsn,
    snapshot: 'INITIAL',
    snapshot_completed: false,
    ts_usec,
    txId,
    wal_timeline: expect.stringMatching(/^\d+\/\d+(\/|$)/),
  });
  expect(last.value.source.snapshot).toBe('last');
  expect(last.sourceOffset).toEqual({
    last_snapshot_record: true,
    lsn,
    snapshot: 'INITIAL',
    snapshot_completed: true,
    ts_usec,
    txId,
    wal_timeline: expect.stringMatching(/^\d+\/\d+(\/|$)/),
  });
  expect(first.valueSchema).toBe(last.valueSchema);
  expect(first.sourcePartition).toBe(last.sourcePartition);
});

test('cdc-postgres 33: insert, update, delete and tombstone', async () => {
  run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.todos' }));
  await run.nothingMore();
  await database.query("INSERT INTO todos(description, todo_status) VALUES ('feed cat','open')");
  await database.query("UPDATE todos SET todo_status = 'done' WHERE id = 1");
  await database.query('DELETE FROM todos WHERE id = 1');
  const records = await run.count(4);
  expect(ops(records)).toEqual(['c', 'u', 'd', 'tombstone']);
  const [c, u, d, t] = records.map((record) => record.value);
  expect([c.before, c.after]).toEqual([null, { id: 1, description: 'feed cat', todo_status: 'open' }]);
  expect([u.before, u.after]).toEqual([null, { id: 1, description: 'feed cat', todo_status: 'done' }]);
  expect([d.before, d.after]).toEqual([{ id: 1, description: null, todo_status: null }, null]);
  expect(t).toBeNull();
  expect(c.source.snapshot).toBe('false');
  expect(records[0]?.sourceOffset).toEqual({
    lsn: c.source.lsn,
    lsn_proc: c.source.lsn,
    lsn_events_processed: 1,
    messageType: 'INSERT',
    ts_usec: c.source.ts_us,
    txId: c.source.txId,
    tx_event_index: 1,
    wal_timeline: expect.stringMatching(/^\d+\/\d+(\/|$)/),
  });
  const commit = (records[1]?.sourceOffset as { lsn_commit: number }).lsn_commit;
  expect(u.source.sequence).toBe(`["${commit}","${u.source.lsn}"]`);
  // The tombstone carries the delete's offset, the delete the one before.
  expect(records[2]?.sourceOffset).toBe(records[1]?.sourceOffset);
  expect((records[3]?.sourceOffset as { messageType: string }).messageType).toBe('DELETE');
  expect(show(records[3]?.key)).toBe('{"id":1}');
});

test('cdc-postgres 33, Appendix R.19: a required column that a delete does not contain has Debezium’s placeholder', async () => {
  await database.query(
    `CREATE TABLE v (id int PRIMARY KEY, u uuid NOT NULL, z timestamptz NOT NULL, z3 timestamptz(3) NOT NULL, t text NOT NULL, o uuid);
     INSERT INTO v VALUES (1, gen_random_uuid(), now(), now(), 't', gen_random_uuid())`,
  );
  run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.v', 'snapshot.mode': 'no_data' }));
  await database.query('DELETE FROM v');
  expect((await run.count(1))[0]?.value.before).toEqual({
    id: 1,
    u: '',
    z: '1970-01-01T00:00:00Z',
    z3: '1970-01-01T00:00:00Z',
    t: '',
    o: null,
  });
});

describe('key changes', () => {
  test('cdc-postgres 34: delete, tombstone and creation with headers at one position', async () => {
    await database.query("INSERT INTO todos VALUES (3, 'feed cat', 'open')");
    run = await TaskRun.start(taskConfig(database));
    await run.count(1);
    const snapshotOffset = run.lastOffset;
    await database.query('UPDATE todos SET id = 30 WHERE id = 3');
    const [, d, t, c] = (await run.count(4)) as AnyRecord[];
    expect([d?.value.op, t?.value, c?.value.op]).toEqual(['d', null, 'c']);
    expect([d?.key, t?.key, c?.key]).toEqual([{ id: 3 }, { id: 3 }, { id: 30 }]);
    expect(d?.value.before).toEqual({ id: 3, description: null, todo_status: null });
    expect([c?.value.before, c?.value.after]).toEqual([null, { id: 30, description: 'feed cat', todo_status: 'open' }]);
    expect(d?.value.source.lsn).toBe(c?.value.source.lsn);
    const header = (record: AnyRecord | undefined): unknown => {
      const first = record?.headers?.[0];
      return [first?.key, first?.value, first?.schema];
    };
    expect(header(d)).toEqual(['__debezium.newkey', { id: 30 }, d?.keySchema]);
    expect(header(t)).toEqual(['__debezium.newkey', { id: 30 }, d?.keySchema]);
    expect(header(c)).toEqual(['__debezium.oldkey', { id: 3 }, d?.keySchema]);
    // Only the last one says that the change is done.
    expect(d?.sourceOffset).toBe(snapshotOffset);
    expect(t?.sourceOffset).toBe(snapshotOffset);
    expect(c?.sourceOffset).toMatchObject({ messageType: 'UPDATE', tx_event_index: 1 });
  });

  test.each([1, 2])('cdc-postgres 34: a crash after record %i of the three loses nothing', async (delivered) => {
    await database.query("INSERT INTO todos VALUES (3, 'a', 'b'), (4, 'c', 'd')");
    run = await TaskRun.start(taskConfig(database));
    await run.count(2);
    await database.query("UPDATE todos SET todo_status = 'x' WHERE id = 4; UPDATE todos SET id = 30 WHERE id = 3");
    const records = await run.count(6);
    const offset = records[2 + delivered]?.sourceOffset ?? null;
    run.commitUpTo(2 + delivered);
    await run.stop();
    run = await TaskRun.start(taskConfig(database), offset);
    expect(ops(await run.count(3))).toEqual(['d', 'tombstone', 'c']);
    await run.nothingMore();
  });

  test('cdc-postgres 39: with d skipped only the creation remains, with u skipped all three; the publication is not narrowed', async () => {
    await database.query("INSERT INTO todos VALUES (3, 'a', 'b')");
    run = await TaskRun.start(taskConfig(database, { 'skipped.operations': 'd', 'snapshot.mode': 'no_data' }));
    await database.query('UPDATE todos SET id = 30 WHERE id = 3; DELETE FROM todos; INSERT INTO todos VALUES (1)');
    const records = await run.count(2);
    expect(records.map((record) => [record.value.op, record.key.id])).toEqual([
      ['c', 30],
      ['c', 1],
    ]);
    expect(records[0]?.headers?.[0]?.key).toBe('__debezium.oldkey');
    const offset = run.lastOffset;
    await run.stop();
    run = await TaskRun.start(taskConfig(database, { 'skipped.operations': 'u', 'snapshot.mode': 'no_data' }), offset);
    await database.query("UPDATE todos SET description = 'u'; UPDATE todos SET id = 2");
    expect(ops(await run.count(3))).toEqual(['d', 'tombstone', 'c']);
    const [flags] = await database.query('SELECT pubinsert, pubupdate, pubdelete, pubtruncate FROM pg_publication');
    expect(flags).toEqual({ pubinsert: true, pubupdate: true, pubdelete: true, pubtruncate: true });
  });
});

test('cdc-postgres 35: REPLICA IDENTITY FULL gives complete old rows', async () => {
  await database.query("ALTER TABLE todos REPLICA IDENTITY FULL; INSERT INTO todos VALUES (3, 'feed cat', 'open')");
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }));
  await database.query("UPDATE todos SET todo_status = 'done'; UPDATE todos SET id = 30; DELETE FROM todos");
  const records = await run.count(6);
  expect(ops(records)).toEqual(['u', 'd', 'tombstone', 'c', 'd', 'tombstone']);
  const before = records.map((record) => record.value?.before);
  expect(before[0]).toEqual({ id: 3, description: 'feed cat', todo_status: 'open' });
  expect(before[1]).toEqual({ id: 3, description: 'feed cat', todo_status: 'done' });
  expect(before[4]).toEqual({ id: 30, description: 'feed cat', todo_status: 'done' });
});

describe('cdc-postgres 35: REPLICA IDENTITY USING INDEX', () => {
  beforeEach(async () => {
    await database.query(
      'CREATE TABLE x (id int PRIMARY KEY, code text NOT NULL UNIQUE); ALTER TABLE x REPLICA IDENTITY USING INDEX x_code_key; INSERT INTO x VALUES (1, $$a$$)',
    );
  });
  const config = (overrides: Record<string, string>): Record<string, string> =>
    taskConfig(database, { 'table.include.list': 'public.x', 'snapshot.mode': 'no_data', ...overrides });

  test('a delete without the key fails with a message; no key 0 is invented', async () => {
    run = await TaskRun.start(config({}));
    await database.query('DELETE FROM x');
    await expect(run.count(1)).rejects.toMatchObject({
      code: 'PG_INCOMPLETE_KEY',
      message: expect.stringContaining('public.x'),
    });
    expect(run.records).toEqual([]);
  });

  test('message.key.columns over the index columns makes it work', async () => {
    run = await TaskRun.start(config({ 'message.key.columns': 'public.x:code' }));
    await database.query("UPDATE x SET code = 'b'; DELETE FROM x");
    const records = await run.count(5);
    expect(ops(records)).toEqual(['d', 'tombstone', 'c', 'd', 'tombstone']);
    expect(records.map((record) => record.key.code)).toEqual(['a', 'a', 'b', 'b', 'b']);
  });

  test('debezium: same events as Debezium', async () => {
    run = await TaskRun.start(config({ 'event.incomplete.key.handling': 'debezium' }));
    await database.query("UPDATE x SET code = 'b'; DELETE FROM x");
    const records = await run.count(5);
    expect(ops(records)).toEqual(['d', 'tombstone', 'c', 'd', 'tombstone']);
    expect(records.map((record) => record.key.id)).toEqual([0, 0, 1, 0, 0]);
    expect(records[3]?.value.before).toEqual({ id: 0, code: 'b' });
  });
});

describe('cdc-postgres 36: tables without primary key', () => {
  test('null key; no tombstone without a key', async () => {
    await database.query('CREATE TABLE n (a int, b int); ALTER TABLE n REPLICA IDENTITY FULL');
    run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.n' }));
    await run.nothingMore();
    await database.query('INSERT INTO n VALUES (1, 2); DELETE FROM n; INSERT INTO n VALUES (3, 4)');
    const records = await run.count(3);
    expect(ops(records)).toEqual(['c', 'd', 'c']);
    expect(records.map((record) => [record.key, record.keySchema])).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
  });

  test('a unique index is the key, one over an expression or with a condition is not', async () => {
    await database.query(
      'CREATE TABLE u (a int, b int NOT NULL, c int NOT NULL); CREATE UNIQUE INDEX a_expr ON u ((a + 1)); CREATE UNIQUE INDEX b_cond ON u (c) WHERE c > 0; CREATE UNIQUE INDEX z ON u (b); INSERT INTO u VALUES (1, 2, 3)',
    );
    run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.u' }));
    expect((await run.count(1))[0]?.key).toEqual({ b: 2 });
  });
});

test('cdc-postgres 37: message.key.columns with two columns, a pattern and a nullable column', async () => {
  run = await TaskRun.start(
    taskConfig(database, { 'message.key.columns': 'public\\.to.*:todo_status,id', 'snapshot.mode': 'no_data' }),
  );
  await database.query("INSERT INTO todos VALUES (1, 'x', NULL)");
  const [record] = await run.count(1);
  expect(record?.key).toEqual({ todo_status: null, id: 1 });
  expect(record?.keySchema?.fields?.map((field) => [field.name, field.schema.optional])).toEqual([
    ['todo_status', true],
    ['id', false],
  ]);
});

test('cdc-postgres 37: message.key.columns with a column that does not exist', async () => {
  const config = taskConfig(database, { 'message.key.columns': 'public.todos:nope', 'snapshot.mode': 'no_data' });
  await expect(TaskRun.start(config)).rejects.toThrow(
    'message.key.columns names column "nope" of table public.todos, which has no such column.',
  );
  expect(await database.slots()).toEqual([]);
});

test('cdc-postgres 38: TRUNCATE of captured tables when it is not skipped', async () => {
  await database.query('CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)');
  const config = taskConfig(database, {
    'table.include.list': 'public.a,public.b,public.todos',
    'snapshot.mode': 'no_data',
    'snapshot.include.collection.list': 'none',
  });
  run = await TaskRun.start({ ...config, 'skipped.operations': 'none' });
  await database.query('TRUNCATE a, b');
  const records = await run.count(2);
  expect(ops(records)).toEqual(['t', 't']);
  expect(records.map((record) => record.value.source.table).sort()).toEqual(['a', 'b']);
  expect(records[0]).toMatchObject({ key: null, keySchema: null, value: { before: null, after: null } });
  expect(records[0]?.sourceOffset).not.toBe(records[1]?.sourceOffset);
  const offset = run.lastOffset;
  await run.stop();
  run = await TaskRun.start(config, offset);
  await database.query('TRUNCATE a; INSERT INTO a VALUES (1)');
  expect(ops(await run.count(1))).toEqual(['c']);
});

test('cdc-postgres 40: no tombstones', async () => {
  run = await TaskRun.start(taskConfig(database, { 'tombstones.on.delete': 'false', 'snapshot.mode': 'no_data' }));
  await database.query('INSERT INTO todos VALUES (1); UPDATE todos SET id = 2; DELETE FROM todos');
  expect(ops(await run.count(4))).toEqual(['c', 'd', 'c', 'd']);
});

test('cdc-postgres 41: unchanged TOAST values', async () => {
  await database.query('CREATE EXTENSION IF NOT EXISTS hstore');
  await database.query(
    `CREATE TABLE big (id int PRIMARY KEY, n int, t text, b bytea, ta text[], ia int[], ua uuid[], j jsonb, h hstore, na numeric[]);
     ALTER TABLE big ALTER t SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL, ALTER ta SET STORAGE EXTERNAL, ALTER ia SET STORAGE EXTERNAL,
       ALTER ua SET STORAGE EXTERNAL, ALTER j SET STORAGE EXTERNAL, ALTER h SET STORAGE EXTERNAL, ALTER na SET STORAGE EXTERNAL;
     INSERT INTO big SELECT 1, 1, repeat('x', 10000), decode(repeat('ab', 10000), 'hex'), array_agg('t' || i), array_agg(i),
       array_agg(md5(i::text)::uuid), jsonb_agg(i), hstore(array_agg(i::text), array_agg(i::text)), array_agg(i::numeric * 123456789012345678)
     FROM generate_series(1, 3000) i`,
  );
  run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.big' }));
  await run.count(1);
  await database.query('UPDATE big SET n = 2; ALTER TABLE big REPLICA IDENTITY FULL; UPDATE big SET n = 3');
  const [r, u, full] = (await run.count(3)) as AnyRecord[];
  const placeholder = '__debezium_unavailable_value';
  expect(u?.value.after).toEqual({
    id: 1,
    n: 2,
    t: placeholder,
    b: Buffer.from(placeholder),
    ta: [placeholder],
    ia: [...Buffer.from(placeholder)],
    ua: ['b68a35a7-17ad-35b3-af2a-ae46edb4545a'],
    j: placeholder,
    h: `{"${placeholder}":"${placeholder}"}`,
    na: null,
  });
  expect(full?.value.before).toEqual({ ...r?.value.after, n: 2 });
  expect(full?.value.after).toEqual({ ...r?.value.after, n: 3 });
});

describe('cdc-postgres 41: keys that are stored out of line', () => {
  const long = 'k'.repeat(2300);

  test('an update that does not change a long key is one update with that key', async () => {
    await database.query('CREATE TABLE k (k text PRIMARY KEY, v int); ALTER TABLE k ALTER k SET STORAGE EXTERNAL');
    run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.k', 'snapshot.mode': 'no_data' }));
    await database.query('INSERT INTO k VALUES ($1, 1)', [long]);
    await database.query("UPDATE k SET v = 2; UPDATE k SET k = 'short'; UPDATE k SET v = 3; DELETE FROM k");
    const records = await run.count(8);
    expect(ops(records)).toEqual(['c', 'u', 'd', 'tombstone', 'c', 'u', 'd', 'tombstone']);
    expect(records.map((record) => record.key.k)).toEqual([long, long, long, long, ...Array<string>(4).fill('short')]);
    expect(records[1]?.value).toMatchObject({ before: { k: long, v: null }, after: { k: long, v: 2 } });
  });

  const outside = (overrides: Record<string, string> = {}): Record<string, string> =>
    taskConfig(database, {
      'table.include.list': 'public.m',
      'message.key.columns': 'public.m:doc',
      'snapshot.mode': 'no_data',
      ...overrides,
    });
  const create = async (): Promise<void> => {
    await database.query('CREATE TABLE m (id int PRIMARY KEY, doc text, v int)');
    await database.query('ALTER TABLE m ALTER doc SET STORAGE EXTERNAL; ALTER TABLE m REPLICA IDENTITY DEFAULT');
    await database.query('INSERT INTO m VALUES (1, $1, 1)', [long]);
  };

  test('a large column outside the identity as the key: an update that does not change it is rejected by name', async () => {
    await create();
    run = await TaskRun.start(outside());
    await database.query('UPDATE m SET v = 2');
    await expect(run.count(1)).rejects.toMatchObject({
      code: 'PG_INCOMPLETE_KEY',
      message: expect.stringMatching(
        /update of table public\.m does not hold the key column doc.* REPLICA IDENTITY FULL/,
      ),
      place: { table: 'public.m' },
    });
    expect(run.records).toEqual([]);
  });

  test('a delete, too, if the old row does not contain a nullable key column', async () => {
    await create();
    run = await TaskRun.start(outside());
    await database.query('DELETE FROM m');
    await expect(run.count(1)).rejects.toMatchObject({ code: 'PG_INCOMPLETE_KEY' });
    expect(run.records).toEqual([]);
  });

  test('with REPLICA IDENTITY FULL the key is there', async () => {
    await create();
    await database.query('ALTER TABLE m REPLICA IDENTITY FULL');
    run = await TaskRun.start(outside());
    await database.query('UPDATE m SET v = 2; DELETE FROM m');
    const records = await run.count(3);
    expect(ops(records)).toEqual(['u', 'd', 'tombstone']);
    expect(records.map((record) => record.key.doc)).toEqual([long, long, long]);
  });

  test('warn: logged once, and the placeholder replaces the unknown value', async () => {
    await create();
    run = await TaskRun.start(outside({ 'event.incomplete.key.handling': 'warn' }));
    await database.query('UPDATE m SET v = 2; UPDATE m SET v = 3; DELETE FROM m');
    const records = await run.count(4);
    expect(ops(records)).toEqual(['u', 'u', 'd', 'tombstone']);
    const placeholder = '__debezium_unavailable_value';
    expect(records.map((record) => record.key.doc)).toEqual([placeholder, placeholder, null, null]);
    expect(run.log.filter(({ message }) => message.includes('key column doc'))).toHaveLength(2);
  });
});

test('cdc-postgres 47: context headers, and none when they are disabled', async () => {
  await database.query('INSERT INTO todos VALUES (1)');
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await database.query('DELETE FROM todos');
  const records = await run.count(3);
  for (const record of records)
    expect(record.headers?.map((header) => [header.key, header.value])).toEqual([
      ['__debezium.context.connectorLogicalName', 'fulfillment'],
      ['__debezium.context.taskId', '0'],
      ['__debezium.context.connectorName', 'postgresql'],
      ['__debezium.context.runId', expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)],
    ]);
  const offset = run.lastOffset;
  await run.stop();
  run = await TaskRun.start(taskConfig(database, { 'extended.headers.enabled': 'false' }), offset);
  await database.query('INSERT INTO todos VALUES (2)');
  expect((await run.count(1))[0]?.headers).toBeNull();
});

test('cdc-postgres 48: 64-bit integers keep every digit', async () => {
  await database.query('CREATE TABLE n (id bigint PRIMARY KEY)');
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }));
  await database.query(
    'INSERT INTO n VALUES (9223372036854775807), (-9223372036854775808), (9007199254740991), (-42), (999999999999999)',
  );
  expect((await run.count(5)).map((record) => record.key.id)).toEqual([
    9223372036854775807n,
    -9223372036854775808n,
    9007199254740991,
    -42,
    999999999999999,
  ]);
});

test('cdc-postgres 1, 2: old and new names capture the same table; each old name is warned about once', async () => {
  await database.query(
    "CREATE TABLE other (id int PRIMARY KEY); INSERT INTO other VALUES (1); INSERT INTO todos VALUES (1, 'a', 'b')",
  );
  const { 'topic.prefix': prefix, ...rest } = taskConfig(database);
  run = await TaskRun.start({ ...rest, 'database.server.name': prefix as string, 'table.whitelist': 'public.todos' });
  const [old] = await run.count(1);
  await run.nothingMore();
  expect(run.log.filter((line) => /deprecated/.test(line.message)).map((line) => line.message)).toEqual([
    'The configuration key "database.server.name" is deprecated, use "topic.prefix".',
    'The configuration key "table.whitelist" is deprecated, use "table.include.list".',
  ]);
  await run.stop();
  await database.dropSlots();
  run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public\\.todos' }));
  const [current] = await run.count(1);
  expect([current?.topic, current?.key, current?.value.after]).toEqual([old?.topic, old?.key, old?.value.after]);
});

test('cdc-postgres 7: an excluded primary key stays in the key', async () => {
  await database.query("INSERT INTO todos VALUES (1, 'a', 'b')");
  run = await TaskRun.start(
    taskConfig(database, { 'column.exclude.list': 'public.todos.id,public.todos.description' }),
  );
  await run.count(1);
  await database.query("UPDATE todos SET todo_status = 'c'");
  const records = await run.count(2);
  expect(records.map((record) => [record.key, record.value.after])).toEqual([
    [{ id: 1 }, { todo_status: 'b' }],
    [{ id: 1 }, { todo_status: 'c' }],
  ]);
});

test('cdc-postgres 111: skip.messages.without.change drops updates that change no emitted column, if the old row is known', async () => {
  await database.query(`
    CREATE EXTENSION hstore;
    CREATE TABLE full_row (id int PRIMARY KEY, a numeric, list text[], map hstore, long text, hidden int);
    ALTER TABLE full_row REPLICA IDENTITY FULL; ALTER TABLE full_row ALTER long SET STORAGE EXTERNAL;
    CREATE TABLE key_only (id int PRIMARY KEY, a int, hidden int);
    CREATE TABLE last (id int PRIMARY KEY)`);
  const config = taskConfig(database, {
    'snapshot.mode': 'no_data',
    'column.exclude.list': 'public\\..*\\.hidden',
    'hstore.handling.mode': 'map',
    'tombstones.on.delete': 'false',
  });
  const update = async (table: string, ...changes: string[]): Promise<void> => {
    for (const change of changes) await database.query(`UPDATE ${table} SET ${change}`);
  };
  const seen = async (): Promise<string[]> => {
    const records = await (run as TaskRun).until((all) => all.at(-1)?.value.source.table === 'last');
    return records.map(({ value }) => `${value.op} ${value.source.table}`);
  };
  run = await TaskRun.start({ ...config, 'skip.messages.without.change': 'true' });
  await database.query("INSERT INTO full_row VALUES (1, 1.5, '{a,NULL}', 'x=>1', repeat('x', 5000), 1)");
  await update('full_row', 'hidden = 2', 'a = 1.50', "list = '{a,NULL}', map = 'x=>1'", 'id = 1');
  await database.query('INSERT INTO last VALUES (1)');
  // 1.50 is emitted as 1.5 is.
  expect(await seen()).toEqual(['c full_row', 'c last']);
  let offset = run.lastOffset;
  await run.stop();

  run = await TaskRun.start({ ...config, 'skip.messages.without.change': 'true' }, offset);
  await update('full_row', 'a = 2', "list = '{NULL,a}'", "map = 'x=>2'", "long = 'short'", 'id = 2', 'a = NULL');
  await database.query('INSERT INTO key_only VALUES (1, 1, 1)');
  await update('key_only', 'hidden = 2', 'a = 1');
  await database.query('INSERT INTO last VALUES (2)');
  expect(await seen()).toEqual([
    ...Array.from({ length: 4 }, () => 'u full_row'),
    ...['d full_row', 'c full_row', 'u full_row'],
    ...['c key_only', 'u key_only', 'u key_only', 'c last'],
  ]);
  offset = run.lastOffset;
  await run.stop();

  run = await TaskRun.start(config, offset);
  await update('full_row', 'hidden = 3');
  await database.query('INSERT INTO last VALUES (3)');
  expect(await seen()).toEqual(['u full_row', 'c last']);
});

describe('cdc-postgres 110: names that Avro accepts', () => {
  const adjusted = (mode: string): Record<string, string> =>
    taskConfig(database, {
      'table.include.list': 'My Schema\\.1table-.*',
      'schema.name.adjustment.mode': mode,
      'field.name.adjustment.mode': mode,
    });
  beforeEach(async () => {
    await database.query(
      'CREATE SCHEMA "My Schema"; CREATE TABLE "My Schema"."1table-ü_x" ("1id" int PRIMARY KEY, "a b" int, "c.d-é_f" int)',
    );
  });

  // As Debezium 3.7.0.Final names them.
  test.each([
    ['avro', 'fulfillment.My_Schema.1table___x', '_1id', 'a_b', 'c_d___f'],
    [
      'avro_unicode',
      'fulfillment.My_u005fSchema.1table_u002d_u005f_u005fx',
      '_u0031id',
      'a_u0020b',
      'c_u002ed_u002d_u00e9_u005ff',
    ],
  ])('%s: schemas and fields, not topics, in keys, rows and key changes', async (mode, schema, id, a, c) => {
    await database.query('INSERT INTO "My Schema"."1table-ü_x" VALUES (1, 2, 3)');
    run = await TaskRun.start(adjusted(mode));
    await run.count(1);
    await database.query('UPDATE "My Schema"."1table-ü_x" SET "1id" = 2');
    const [read, gone, , made] = await run.count(4);
    expect(read?.topic).toBe('fulfillment.My_Schema.1table-__x');
    expect([read?.key, read?.value.after]).toEqual([{ [id]: 1 }, { [id]: 1, [a]: 2, [c]: 3 }]);
    const envelope = read?.valueSchema;
    const after = envelope?.fields?.find(({ name }) => name === 'after')?.schema;
    expect([read?.keySchema?.name, envelope?.name, after?.name]).toEqual(
      ['Key', 'Envelope', 'Value'].map((part) => `${schema}.${part}`),
    );
    expect(after?.fields?.map(({ name }) => name)).toEqual([id, a, c]);
    expect([gone?.key, made?.value.after]).toEqual([{ [id]: 1 }, { [id]: 2, [a]: 2, [c]: 3 }]);
    expect(made?.headers?.find(({ key }) => key === '__debezium.oldkey')?.value).toEqual({ [id]: 1 });
  });

  test('two columns with the same adjusted name are an error', async () => {
    await database.query('ALTER TABLE "My Schema"."1table-ü_x" ADD "a-b" int');
    run = await TaskRun.start(adjusted('avro_unicode'));
    await run.stop();
    await expect(
      TaskRun.start(adjusted('avro')).then(async (task) => {
        run = task;
        await task.count(1);
      }),
    ).rejects.toMatchObject({
      code: 'PG_CONFIG',
      message: expect.stringContaining('maps both "a b" and "a-b", columns of table My Schema.1table-ü_x, to "a_b"'),
    });
  });

  test('keys of an identity index are found by their columns', async () => {
    await database.query(
      'ALTER TABLE "My Schema"."1table-ü_x" ALTER "a b" SET NOT NULL; CREATE UNIQUE INDEX other ON "My Schema"."1table-ü_x" ("a b"); ALTER TABLE "My Schema"."1table-ü_x" REPLICA IDENTITY USING INDEX other',
    );
    const config = { ...adjusted('avro'), 'message.key.columns': 'My Schema\\.1table-.*:a b' };
    run = await TaskRun.start({ ...config, 'snapshot.mode': 'no_data' });
    await database.query('INSERT INTO "My Schema"."1table-ü_x" VALUES (1, 2, 3); DELETE FROM "My Schema"."1table-ü_x"');
    const [, gone] = await run.count(2);
    expect(gone?.key).toEqual({ a_b: 2 });
  });
});
