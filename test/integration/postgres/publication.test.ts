import { TestDatabase } from '../../helpers/test-database';
import { TODOS, TaskRun, taskConfig } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
let role = '';
beforeEach(async () => {
  database = await TestDatabase.create(`${TODOS}; CREATE TABLE other (id int PRIMARY KEY)`);
  role = '';
});
afterEach(async () => {
  await run?.stop();
  run = null;
  if (role !== '') await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await database.drop();
});

async function published(): Promise<unknown[]> {
  const rows = await database.query('SELECT pubname, tablename FROM pg_publication_tables ORDER BY 1, 2');
  return rows.map((row) => `${String(row.pubname)}: ${String(row.tablename)}`);
}
const pub = (): string => `pub_${database.name}`;

describe('cdc-postgres 85: the publication', () => {
  test('all_tables', async () => {
    run = await TaskRun.start(taskConfig(database, { 'publication.autocreate.mode': 'all_tables' }));
    const [row] = await database.query('SELECT puballtables FROM pg_publication');
    expect(row).toEqual({ puballtables: true });
    await database.query('INSERT INTO other VALUES (1)');
    expect((await run.count(1))[0]?.topic).toBe('fulfillment.public.other');
  });

  test('filtered; a table added to the list is added to the publication at the next start', async () => {
    run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.todos' }));
    expect(await published()).toEqual([`${pub()}: todos`]);
    await run.stop();
    run = await TaskRun.start(
      taskConfig(database, { 'table.include.list': 'public.todos,public.other', 'skipped.operations': 't,d' }),
    );
    expect(await published()).toEqual([`${pub()}: other`, `${pub()}: todos`]);
    const [row] = await database.query('SELECT pubdelete, pubtruncate FROM pg_publication');
    expect(row).toEqual({ pubdelete: true, pubtruncate: true });
  });

  test('filtered refuses a publication for all tables', async () => {
    await database.query(`CREATE PUBLICATION ${pub()} FOR ALL TABLES`);
    await expect(TaskRun.start(taskConfig(database))).rejects.toThrow(
      `A logical publication for all tables named '${pub()}' for plugin 'pgoutput' and database '${database.name}' is already active on the server and can not be altered.`,
    );
    expect(await database.slots()).toEqual([]);
  });

  test('no_tables', async () => {
    run = await TaskRun.start(taskConfig(database, { 'publication.autocreate.mode': 'no_tables' }));
    expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([{ pubname: pub() }]);
    expect(await published()).toEqual([]);
    expect(run.log.some((line) => /ADD TABLE "public"\."other", "public"\."todos"/.test(line.message))).toBe(true);
  });

  test('disabled: a missing publication is an error with the statement, an existing one is used unchanged', async () => {
    const config = taskConfig(database, {
      'publication.autocreate.mode': 'disabled',
      'table.include.list': 'public.todos',
    });
    await expect(TaskRun.start(config)).rejects.toThrow(
      `Publication autocreation is disabled, please create one and restart the connector. Run CREATE PUBLICATION "${pub()}" FOR TABLE "public"."todos";`,
    );
    expect(await database.slots()).toEqual([]);
    await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE todos`);
    run = await TaskRun.start(config);
    await database.query('INSERT INTO todos VALUES (1)');
    await run.count(1);
  });

  test('a name with capitals and blanks', async () => {
    run = await TaskRun.start(taskConfig(database, { 'publication.name': 'My "Pub, 1' }));
    await database.query('INSERT INTO todos VALUES (1)');
    await run.count(1);
    expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([{ pubname: 'My "Pub, 1' }]);
  });

  test('a role without the rights: the statements for the owner', async () => {
    role = `r_${database.name}`;
    await database.query(`CREATE ROLE ${role} LOGIN REPLICATION PASSWORD 'x'; GRANT SELECT ON todos TO ${role}`);
    const config = taskConfig(database, {
      'database.user': role,
      'database.password': 'x',
      'table.include.list': 'public.todos',
    });
    await expect(TaskRun.start(config)).rejects.toMatchObject({
      code: 'PG_PRIVILEGE',
      message: expect.stringContaining(`CREATE PUBLICATION "${pub()}" FOR TABLE "public"."todos"`),
    });
    expect(await database.slots()).toEqual([]);
  });

  test('Appendix R.10: an UNLOGGED table is named', async () => {
    await database.query('CREATE UNLOGGED TABLE fast (id int PRIMARY KEY)');
    await expect(TaskRun.start(taskConfig(database))).rejects.toMatchObject({
      code: 'PG_UNLOGGED_TABLE',
      message: expect.stringMatching(/public\.fast is UNLOGGED.*ALTER TABLE "public"\."fast" SET LOGGED;/),
    });
    expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
  });
});

test('cdc-postgres 87: partitions go to their own topics, with publish.via.partition.root to the root', async () => {
  await database.query(
    'CREATE TABLE p (id int PRIMARY KEY, v int) PARTITION BY RANGE (id); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20)',
  );
  const config = taskConfig(database, { 'table.include.list': 'public.p.*', 'snapshot.mode': 'no_data' });
  run = await TaskRun.start(config);
  await database.query('INSERT INTO p VALUES (1, 1), (11, 1); UPDATE p SET id = 12 WHERE id = 1');
  const records = await run.count(5);
  expect(records.map((record) => [record.topic, record.value?.op ?? null])).toEqual([
    ['fulfillment.public.p1', 'c'],
    ['fulfillment.public.p2', 'c'],
    ['fulfillment.public.p1', 'd'],
    ['fulfillment.public.p1', null],
    ['fulfillment.public.p2', 'c'],
  ]);
  await run.stop();
  await database.dropSlots();
  await database.query(`DROP PUBLICATION ${pub()}`);
  run = await TaskRun.start({ ...config, 'publish.via.partition.root': 'true' });
  await database.query('INSERT INTO p VALUES (2, 1)');
  expect((await run.count(1))[0]?.topic).toBe('fulfillment.public.p');
});

test('Appendix R.8: a snapshot reads a partitioned table and its leaves, the stream only the leaves', async () => {
  await database.query(
    'CREATE TABLE p (id int PRIMARY KEY, v int) PARTITION BY RANGE (id); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20); INSERT INTO p SELECT generate_series(0, 19)',
  );
  run = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.p.*' }));
  const seen = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { topic, value } of run?.records ?? [])
      counts[`${topic} ${value.op}`] = (counts[`${topic} ${value.op}`] ?? 0) + 1;
    return counts;
  };
  await run.count(40);
  const snapshot = { 'fulfillment.public.p r': 20, 'fulfillment.public.p1 r': 10, 'fulfillment.public.p2 r': 10 };
  expect(seen()).toEqual(snapshot);
  await database.query('UPDATE p SET v = 1');
  await run.count(60);
  await run.nothingMore();
  expect(seen()).toEqual({ ...snapshot, 'fulfillment.public.p1 u': 10, 'fulfillment.public.p2 u': 10 });
});

describe('cdc-postgres 86: tables created while running', () => {
  const CREATE = `
    BEGIN; CREATE TABLE new_1 (id int PRIMARY KEY, v text NOT NULL); INSERT INTO new_1 VALUES (1, 'first'); COMMIT;
    CREATE TABLE new_2 (id int PRIMARY KEY); INSERT INTO new_2 VALUES (1); DROP TABLE new_2;
    CREATE TABLE hidden (id int PRIMARY KEY); INSERT INTO hidden VALUES (1); INSERT INTO new_1 VALUES (2, 'second')`;

  test('all_tables: matching tables are captured from their first row, also by a slot that is read later', async () => {
    const config = taskConfig(database, {
      'publication.autocreate.mode': 'all_tables',
      'table.include.list': 'public.(other|new_.*)',
    });
    run = await TaskRun.start(config);
    await database.query('INSERT INTO other VALUES (1)');
    await run.count(1);
    await database.query(CREATE);
    const rows = (): unknown[] => (run?.records ?? []).map(({ topic, value }) => [topic, value.after]);
    const created = [
      ['fulfillment.public.new_1', { id: 1, v: 'first' }],
      ['fulfillment.public.new_2', { id: 1 }],
      ['fulfillment.public.new_1', { id: 2, v: 'second' }],
    ];
    await run.count(4);
    expect(rows().slice(1)).toEqual(created);
    const offset = run.records[0]?.sourceOffset ?? null;
    await run.stop();
    run = await TaskRun.start(config, offset);
    await run.count(3);
    expect(rows()).toEqual(created);
  });

  test('filtered: the next start adds them', async () => {
    const config = taskConfig(database, { 'table.include.list': 'public.(other|new_.*)' });
    run = await TaskRun.start(config);
    await database.query(`${CREATE}; INSERT INTO other VALUES (1)`);
    expect((await run.count(1))[0]?.topic).toBe('fulfillment.public.other');
    const offset = run.lastOffset;
    await run.stop();
    run = await TaskRun.start(config, offset);
    expect(await published()).toEqual([`${pub()}: new_1`, `${pub()}: other`]);
    await database.query("INSERT INTO new_1 VALUES (3, 'third')");
    expect((await run.count(1))[0]).toMatchObject({ topic: 'fulfillment.public.new_1', key: { id: 3 } });
  });
});
