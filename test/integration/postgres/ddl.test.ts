import type { Schema } from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, v text)');
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const streamOnly = (): Record<string, string> => taskConfig(database, { 'snapshot.mode': 'no_data' });
const after = (records: readonly AnyRecord[]): unknown[] => records.map((record) => record.value?.after);

/** Every struct has exactly the members of its schema, and null only where it is allowed. */
function expectValid(record: AnyRecord): void {
  const check = (value: Record<string, unknown> | null, schema: Schema | null): void => {
    if (value === null) return;
    expect(Object.keys(value)).toEqual(schema?.fields?.map((field) => field.name));
    for (const field of schema?.fields ?? [])
      if (!field.schema.optional) expect([field.name, value[field.name]]).not.toEqual([field.name, null]);
  };
  check(record.key, record.keySchema);
  if (record.value === null) return;
  check(record.value.after, record.valueSchema?.fields?.[1]?.schema ?? null);
  check(record.value.before, record.valueSchema?.fields?.[0]?.schema ?? null);
}

test('cdc-postgres 88: columns are added, dropped and changed while earlier events are pending', async () => {
  run = await TaskRun.start(streamOnly());
  await database.query("INSERT INTO t VALUES (1, 'a')");
  await database.query("ALTER TABLE t ADD n int NOT NULL DEFAULT 5; INSERT INTO t VALUES (2, 'b', 6)");
  await database.query('ALTER TABLE t DROP v; INSERT INTO t VALUES (3, 7)');
  await database.query('ALTER TABLE t RENAME n TO m; INSERT INTO t VALUES (4, 8)');
  await database.query("ALTER TABLE t ALTER m TYPE text, ALTER m DROP DEFAULT; INSERT INTO t VALUES (5, 'nine')");
  const records = await run.until((all) => all.some((record) => record.key?.id === 5));
  // Rewriting a table does not change its rows.
  expect(after(records)).toEqual([
    { id: 1, v: 'a' },
    { id: 2, v: 'b', n: 6 },
    { id: 3, n: 7 },
    { id: 4, m: 8 },
    { id: 5, m: 'nine' },
  ]);
  records.forEach(expectValid);
});

test('cdc-postgres 88: rows from before an ADD COLUMN that are read after it keep their schema', async () => {
  await database.query('ALTER TABLE t ADD a int NOT NULL DEFAULT 5, ADD b timestamptz NOT NULL DEFAULT now()');
  run = await TaskRun.start(streamOnly());
  await database.query("INSERT INTO t VALUES (1, 'a')");
  const [first] = await run.count(1);
  const { lastOffset } = run;
  await run.stop();
  await database.query("INSERT INTO t VALUES (2, 'b'); ALTER TABLE t ADD c int; INSERT INTO t VALUES (3, 'c')");
  run = await TaskRun.start(streamOnly(), lastOffset);
  const [second, third] = await run.count(2);
  expect(second?.valueSchema).toEqual(first?.valueSchema);
  const optional = third?.valueSchema?.fields?.[1]?.schema.fields?.map(({ schema }) => schema.optional);
  expect(optional).toEqual([false, true, false, false, true]);
});

test('cdc-postgres 88, Appendix R.3: a renamed table goes to its new topic at once', async () => {
  run = await TaskRun.start(streamOnly());
  await database.query("INSERT INTO t VALUES (1, 'a'); ALTER TABLE t RENAME TO u; INSERT INTO u VALUES (2, 'b')");
  await database.query("INSERT INTO u VALUES (3, 'c')");
  const records = await run.count(3);
  expect(records.map((record) => [record.topic, record.key.id])).toEqual([
    ['fulfillment.public.t', 1],
    ['fulfillment.public.u', 2],
    ['fulfillment.public.u', 3],
  ]);
});

test('cdc-postgres 88: NULLs from before SET NOT NULL, and from after DROP NOT NULL', async () => {
  run = await TaskRun.start(streamOnly());
  await database.query('INSERT INTO t VALUES (1, NULL)');
  // Otherwise the default would be published for NULL.
  await database.query("UPDATE t SET v = 'x'; ALTER TABLE t ALTER v SET DEFAULT 'd', ALTER v SET NOT NULL");
  await run.stop();
  // This start reads the catalog after the DDL and rows from before it.
  run = await TaskRun.start(streamOnly());
  const records = await run.count(2);
  records.forEach(expectValid);
  expect(after(records)).toEqual([
    { id: 1, v: null },
    { id: 1, v: 'x' },
  ]);
  await database.query('ALTER TABLE t ALTER v DROP NOT NULL; INSERT INTO t VALUES (2, NULL)');
  (await run.count(3)).forEach(expectValid);
});

test('cdc-postgres 88: the primary key is dropped, then created on another column', async () => {
  run = await TaskRun.start(streamOnly());
  await database.query("INSERT INTO t VALUES (1, 'a')");
  await database.query("ALTER TABLE t DROP CONSTRAINT t_pkey; INSERT INTO t VALUES (2, 'b')");
  await run.count(2);
  await database.query("ALTER TABLE t ADD PRIMARY KEY (v); INSERT INTO t VALUES (3, 'c')");
  const records = await run.count(3);
  expect(records.map((record) => record.key)).toEqual([{ id: 1 }, null, { v: 'c' }]);
  records.forEach(expectValid);
});

describe('cdc-postgres 88, Appendix R.16: DDL that leaves columns, types and identity unchanged is detected at once', () => {
  test.each([
    ['FULL', ''],
    ['NOTHING', ''],
    ['USING INDEX u_code_key', ''],
    ['FULL', 'PRIMARY KEY'],
  ])('another key under REPLICA IDENTITY %s, with %p', async (identity, before) => {
    await database.query(`CREATE TABLE u (id int NOT NULL, code int NOT NULL ${before})`);
    if (identity.startsWith('USING')) await database.query('ALTER TABLE u ADD CONSTRAINT u_code_key UNIQUE (code)');
    await database.query(`ALTER TABLE u REPLICA IDENTITY ${identity}`);
    run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.u', 'snapshot.mode': 'no_data' }));
    await database.query('INSERT INTO u VALUES (1, 10)');
    await run.count(1);
    if (before !== '') await database.query('ALTER TABLE u DROP CONSTRAINT u_pkey');
    await database.query('ALTER TABLE u ADD PRIMARY KEY (id)');
    await database.query('INSERT INTO u VALUES (2, 20)');
    await run.count(2);
    if (identity === 'FULL') await database.query('DELETE FROM u WHERE id = 1');
    const records = await run.count(identity === 'FULL' ? 4 : 2);
    const old = before !== '' || identity.startsWith('USING') ? { code: 10 } : null;
    expect(records.map((record) => record.key)).toEqual([
      old,
      { id: 2 },
      ...(identity === 'FULL' ? [{ id: 1 }, { id: 1 }] : []),
    ]);
    if (identity === 'FULL') expect(records.slice(2).map((record) => record.value?.op)).toEqual(['d', undefined]);
    records.forEach(expectValid);
  });

  const schemaOfV = (record: AnyRecord | undefined): Schema | undefined =>
    record?.valueSchema?.fields?.[1]?.schema.fields?.find((field) => field.name === 'v')?.schema;

  test.each([
    ["SET DEFAULT 'd'", { optional: true, default: 'd' }],
    ['SET NOT NULL', { optional: false, default: undefined }],
  ])('ALTER COLUMN %s', async (change, expected) => {
    run = await TaskRun.start(streamOnly());
    await database.query("INSERT INTO t VALUES (1, 'a')");
    await run.count(1);
    await database.query(`ALTER TABLE t ALTER v ${change}; INSERT INTO t VALUES (2, 'b')`);
    const [before, after] = await run.count(2);
    expect(schemaOfV(before)).toMatchObject({ optional: true, default: undefined });
    expect(schemaOfV(after)).toMatchObject(expected);
  });

  test('an announcement without a change (a new index, ANALYZE) leaves the schemas unchanged', async () => {
    run = await TaskRun.start(streamOnly());
    await database.query("INSERT INTO t VALUES (1, 'a')");
    await run.count(1);
    await database.query("CREATE INDEX ON t (v); INSERT INTO t VALUES (2, 'b')");
    await database.query("ANALYZE t; INSERT INTO t VALUES (3, 'c')");
    const records = await run.count(3);
    expect(new Set(records.map((record) => record.valueSchema)).size).toBe(1);
    expect(new Set(records.map((record) => record.keySchema)).size).toBe(1);
  });

  test('a table dropped since then keeps its key and the nullability of its columns', async () => {
    await database.query(
      'CREATE TABLE u (b int NOT NULL, a int, PRIMARY KEY (a, b)); ALTER TABLE u REPLICA IDENTITY FULL',
    );
    run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.u', 'snapshot.mode': 'no_data' }));
    await database.query('INSERT INTO u VALUES (1, 2)');
    await run.count(1);
    await database.cutStream();
    await database.query('DELETE FROM u; DROP TABLE u');
    const records = await run.count(3);
    expect(records.map((record) => JSON.stringify(record.key))).toEqual(Array(3).fill('{"a":2,"b":1}'));
    expect(new Set(records.slice(0, 2).map((record) => record.valueSchema)).size).toBe(1);
  });

  test('DDL while the connector is stopped: rows from before and after it, first read afterwards', async () => {
    await database.query('CREATE TABLE w (a int, b int, c int, PRIMARY KEY (c, a))');
    const config = { ...streamOnly(), 'table.include.list': 'public.t,public.w' };
    run = await TaskRun.start(config);
    await database.query("INSERT INTO t VALUES (1, 'a'); INSERT INTO w VALUES (1, 2, 3)");
    await run.count(2);
    const offset = run.commitUpTo();
    await run.stop();
    await database.query("DELETE FROM t; INSERT INTO t VALUES (2, 'b'); UPDATE w SET b = 4");
    await database.query('ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (v)');
    await database.query('ALTER TABLE w DROP CONSTRAINT w_pkey, ADD PRIMARY KEY (b)');
    await database.query('DELETE FROM t; UPDATE w SET c = 5');
    run = await TaskRun.start(config, offset);
    const records = await run.count(7);
    // The primary key is the identity, which the server sends as of the change.
    expect(records.map((record) => record.key)).toEqual([
      { id: 1 },
      { id: 1 },
      { id: 2 },
      { a: 1, c: 3 },
      { v: 'b' },
      { v: 'b' },
      { b: 4 },
    ]);
    records.forEach(expectValid);
  });
});

test('cdc-postgres 88: rows of a table that has another oid by the time they are read keep their keys and tombstones', async () => {
  const tables = ['again', 'swapped', 'keyless', 'indexed', 'gone'];
  const create = (name: string): string =>
    `CREATE TABLE ${name} (v text, id int NOT NULL, PRIMARY KEY (id)); ALTER TABLE ${name} REPLICA IDENTITY FULL`;
  const settings = {
    ...streamOnly(),
    'table.include.list': `public.(${tables.join('|')})`,
    'publication.autocreate.mode': 'all_tables',
  };
  await database.query(`${create('again')}`);
  run = await TaskRun.start(settings);
  await run.stop();
  await database.query(tables.slice(1).map(create).join(';'));
  await database.query('ALTER TABLE indexed REPLICA IDENTITY USING INDEX indexed_pkey');
  for (const name of tables) await database.query(`INSERT INTO ${name} VALUES ('x', 1); DELETE FROM ${name}`);
  await database.query(`DROP TABLE again, indexed, gone; ${create('again')}`);
  for (const name of ['swapped', 'keyless'])
    await database.query(
      `CREATE TABLE next (LIKE ${name} INCLUDING ALL); ALTER TABLE ${name} RENAME TO old_${name}; ALTER TABLE next RENAME TO ${name}`,
    );
  await database.query('DROP TABLE old_swapped; ALTER TABLE old_keyless DROP CONSTRAINT keyless_pkey');
  run = await TaskRun.start(settings);
  const records = await run.until((all) => all.some(({ topic, value }) => topic.endsWith('gone') && value?.op === 'd'));
  for (const name of tables) {
    const own = records.filter(({ topic }) => topic.endsWith(name));
    const expected = name === 'gone' ? [null, null] : Array(3).fill({ id: 1 });
    expect([name, own.map(({ key }) => key)]).toEqual([name, expected]);
    own.forEach(expectValid);
  }
  expect(run.log.filter(({ message }) => message.includes('was dropped or renamed before'))).toEqual([
    { level: 'warn', message: expect.stringContaining('Table public.gone was') },
  ]);
});

test('cdc-postgres 88: a column whose NOT NULL constraint is NOT VALID is optional until it is validated', async () => {
  await database.query(`
    INSERT INTO t VALUES (1, NULL); ALTER TABLE t ADD CONSTRAINT v_filled NOT NULL v NOT VALID;
    ALTER TABLE t ADD w int NOT NULL DEFAULT 0`);
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await database.query("UPDATE t SET v = 'x'");
  await run.count(2);
  await database.query("ALTER TABLE t VALIDATE CONSTRAINT v_filled; INSERT INTO t VALUES (2, 'y')");
  const records = await run.count(3);
  records.forEach(expectValid);
  const isOptional = ({ valueSchema }: AnyRecord): unknown =>
    valueSchema?.fields?.[1]?.schema.fields?.map(({ schema }) => schema.optional);
  expect(records.map(isOptional)).toEqual([
    [false, true, false],
    [false, true, false],
    [false, false, false],
  ]);
});

describe('cdc-postgres 88: a type that is dropped before its rows are read', () => {
  const before = `
    CREATE EXTENSION hstore; CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE color AS ENUM ('red'); CREATE DOMAIN email AS text;
    CREATE TABLE u (id int PRIMARY KEY, m mood, ms mood[], d email, h hstore, c color, n int)`;
  const insert = (id: number): string => `INSERT INTO u VALUES (${id}, 'sad', '{sad,ok}', 'a@b', 'k=>v', 'red', ${id})`;
  // As migrations of ORMs change an enum: the label "sad" goes.
  const migration = `
    BEGIN; UPDATE u SET n = n + 10; ALTER TYPE mood RENAME TO mood_old; CREATE TYPE mood AS ENUM ('good', 'ok');
    UPDATE u SET n = n + 10;
    ALTER TABLE u ALTER m TYPE mood USING CASE m WHEN 'sad' THEN 'good' ELSE 'ok' END::mood,
      ALTER ms TYPE text, ALTER d TYPE text, ALTER c TYPE text, ALTER h TYPE text USING h::text;
    DROP TYPE mood_old, color; DROP DOMAIN email; DROP EXTENSION hstore; UPDATE u SET n = n + 10; COMMIT`;
  const old = { m: 'sad', ms: ['sad', 'ok'], d: 'a@b', h: '{"k":"v"}', c: 'red' };
  const changed = { m: 'good', ms: '{sad,ok}', d: 'a@b', h: '"k"=>"v"', c: 'red' };
  const nameOf = ({ valueSchema }: AnyRecord): unknown => valueSchema?.fields?.[1]?.schema.fields?.[1]?.schema.name;

  test.each(['off', 'on'])(
    'keeps its columns while the connector runs, with pgoutput.streaming=%s',
    async (streaming) => {
      await database.query(
        `${before}; ALTER DATABASE ${database.name} SET debug_logical_replication_streaming = immediate`,
      );
      const settings = {
        'table.include.list': 'public.u',
        'snapshot.mode': 'no_data',
        'pgoutput.streaming': streaming,
      };
      run = await TaskRun.start(taskConfig(database, settings));
      await database.query(insert(1));
      await database.query(migration);
      const records = await run.count(4);
      expect(after(records)).toEqual([
        { id: 1, ...old, n: 1 },
        { id: 1, ...old, n: 11 },
        { id: 1, ...old, n: 21 },
        { id: 1, ...changed, n: 31 },
      ]);
      expect(records.map(nameOf)).toEqual(Array(4).fill('io.debezium.data.Enum'));
      records.forEach(expectValid);
    },
  );

  test('is the type that has its name, or text, for a connector that was stopped', async () => {
    const settings = { ...streamOnly(), 'table.include.list': 'public.u', 'publication.autocreate.mode': 'all_tables' };
    run = await TaskRun.start({ ...settings, 'table.include.list': 'public.t' });
    await run.stop();
    await database.query(before);
    await database.query(insert(1));
    await database.query(migration);
    run = await TaskRun.start(settings);
    const records = await run.count(4);
    expect(after(records)).toEqual([
      { id: 1, ...old, n: 1 },
      { id: 1, ...old, n: 11 },
      { id: 1, ...old, n: 21 },
      { id: 1, ...changed, n: 31 },
    ]);
    records.forEach(expectValid);
    expect(run.log.filter(({ message }) => message.includes('published as text'))).toEqual([
      { level: 'warn', message: expect.stringContaining('column public.u.c was dropped') },
    ]);
  });
});

test('cdc-postgres 89: DDL between two statements of one transaction', async () => {
  run = await TaskRun.start(streamOnly());
  await database.query(
    "BEGIN; INSERT INTO t VALUES (1, 'a'); ALTER TABLE t ADD w int; INSERT INTO t VALUES (2, 'b', 3); COMMIT",
  );
  const records = await run.count(2);
  expect(after(records)).toEqual([
    { id: 1, v: 'a' },
    { id: 2, v: 'b', w: 3 },
  ]);
  records.forEach(expectValid);
});

test('cdc-postgres 95: columns that differ by case only, and names that JavaScript treats specially', async () => {
  await database.query(
    'CREATE TABLE c (id int PRIMARY KEY, "a" int, "A" int, "__proto__" int, "constructor" int, "1" int); INSERT INTO c VALUES (1, 2, 3, 4, 5, 6)',
  );
  run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.c' }));
  await run.count(1);
  await database.query('UPDATE c SET a = 7');
  for (const [index, record] of (await run.count(2)).entries()) {
    const row = record.value.after as object;
    const read = (name: string): unknown => Object.getOwnPropertyDescriptor(row, name)?.value;
    expect(['id', 'a', 'A', '__proto__', 'constructor', '1'].map(read)).toEqual([1, index === 0 ? 2 : 7, 3, 4, 5, 6]);
  }
});

test('the schema of a table is the same object from snapshot to stream and after a reconnect', async () => {
  await database.query("INSERT INTO t VALUES (1, 'a')");
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await database.query("INSERT INTO t VALUES (2, 'b')");
  await run.count(2);
  await database.cutStream();
  await database.query("INSERT INTO t VALUES (3, 'c')");
  const records = await run.count(3);
  expect(new Set(records.map((record) => record.valueSchema)).size).toBe(1);
  expect(new Set(records.map((record) => record.keySchema)).size).toBe(1);
});
