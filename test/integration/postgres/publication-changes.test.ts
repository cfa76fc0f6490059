/** Publications and tables that change while the connector runs or is stopped. */
import type { SourceOffset } from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
let role = '';
beforeEach(async () => {
  database = await TestDatabase.create(
    'CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE other (id int PRIMARY KEY)',
  );
  role = '';
});
afterEach(async () => {
  await run?.stop();
  run = null;
  if (role !== '') await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await database.drop();
});

const pub = (): string => `pub_${database.name}`;
async function start(overrides: Record<string, string>, stored: SourceOffset | null = null): Promise<TaskRun> {
  const config = taskConfig(database, {
    'publication.check.interval.ms': '1',
    'snapshot.mode': 'no_data',
    'table.include.list': 'public.t',
    ...overrides,
  });
  run = await TaskRun.start(config, stored);
  return run;
}
/** Polls until a line matches; returns all that do. */
async function line(task: TaskRun, pattern: RegExp): Promise<string[]> {
  const found = (): string[] => task.log.map(({ message }) => message).filter((message) => pattern.test(message));
  const look = async (): Promise<boolean> => {
    await task.poll();
    return found().length > 0;
  };
  await waitFor(`a line ${pattern}`, look, { everyMs: 0, detail: () => task.log.map((one) => one.message).join('\n') });
  return found();
}
const ids = (task: TaskRun): unknown[] => task.records.map(({ key }) => key.id);

/** Each leaves a publication of single tables without the table that is called `t` afterwards. */
const REPLACED = [
  ['dropped and created again', 'DROP TABLE t; CREATE TABLE t (id int PRIMARY KEY, v text)'],
  [
    'swapped by RENAME',
    'CREATE TABLE n (id int PRIMARY KEY, v text); BEGIN; ALTER TABLE t RENAME TO o; ALTER TABLE n RENAME TO t; COMMIT',
  ],
] as const;

describe.each(REPLACED)('cdc-postgres 86: a table %s', (_, replace) => {
  test('while running, filtered: the table is added to the publication again, with a warning', async () => {
    const task = await start({});
    await database.query("INSERT INTO t VALUES (1, 'a')");
    await task.count(1);
    await database.query(`${replace}; INSERT INTO t VALUES (2, 'in the gap')`);
    const [warning] = await line(task, /^PG_PUBLICATION_TABLES/);
    expect(warning).toMatch(
      new RegExp(
        `^PG_PUBLICATION_TABLES: table public\\.t was not in publication "${pub()}".*: added it \\(ALTER PUBLICATION "${pub()}" ADD TABLE "public"\\."t"\\)\\. Changes made to it before [0-9A-F]+/[0-9A-F]+ are not in its topic`,
      ),
    );
    await database.query("INSERT INTO t VALUES (3, 'c')");
    await task.count(2);
    expect(ids(task)).toEqual([1, 3]);
  });

  test('while stopped, filtered: the start warns of the missing changes', async () => {
    let task = await start({});
    await database.query("INSERT INTO t VALUES (1, 'a')");
    await task.count(1);
    const offset = task.commitUpTo();
    await task.stop();
    await database.query(`${replace}; INSERT INTO t VALUES (2, 'in the gap')`);
    task = await start({}, offset);
    expect(task.log.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^PG_PUBLICATION_TABLES: table public\.t was not in publication .* are not in its topic/),
    );
    await database.query("INSERT INTO t VALUES (3, 'c')");
    await task.count(1);
    expect(ids(task)).toEqual([3]);
  });

  test("while running, a DBA's publication: a warning when it leaves and when it is back", async () => {
    await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE t`);
    const task = await start({ 'publication.autocreate.mode': 'disabled' });
    await database.query("INSERT INTO t VALUES (1, 'a')");
    await task.count(1);
    await database.query(`${replace}; INSERT INTO t VALUES (2, 'in the gap')`);
    const add = `ALTER PUBLICATION "${pub()}" ADD TABLE "public"."t";`;
    expect(await line(task, /^PG_PUBLICATION_TABLES/)).toEqual([
      expect.stringMatching(/does not contain public\.t.*their changes do not arrive/),
    ]);
    expect(task.log.some(({ message }) => message.includes(`Run ${add}`))).toBe(true);
    await database.query(add);
    expect(await line(task, /^PG_PUBLICATION_TABLES.* again/)).toEqual([
      expect.stringMatching(/public\.t is in publication .* again: changes .* before [0-9A-F/]+ are not in its topic/),
    ]);
    await database.query("INSERT INTO t VALUES (3, 'c')");
    await task.count(2);
    expect(ids(task)).toEqual([1, 3]);
  });
});

describe('cdc-postgres 85: a filtered publication is changed only where tables are missing or in excess', () => {
  const partitioned = `CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id);
    CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20)`;
  const members = async (): Promise<unknown[]> => {
    const rows = await database.query('SELECT prrelid::regclass::text AS name FROM pg_publication_rel ORDER BY 1');
    return rows.map(({ name }) => name);
  };
  const changes = (task: TaskRun): string[] =>
    task.log.map(({ message }) => message).filter((message) => message.includes('ALTER PUBLICATION'));

  test("a DBA's publication of a partitioned table is left alone, and rows of later partitions arrive", async () => {
    await database.query(`${partitioned}; CREATE PUBLICATION ${pub()} FOR TABLE p`);
    const task = await start({ 'table.include.list': 'public.p[0-9]' });
    expect([await members(), changes(task)]).toEqual([['p'], []]);
    await database.query('CREATE TABLE p3 PARTITION OF p FOR VALUES FROM (20) TO (30); INSERT INTO p VALUES (1), (21)');
    await task.count(2);
    expect(task.records.map(({ topic }) => topic)).toEqual(['fulfillment.public.p1', 'fulfillment.public.p3']);
    expect(await members()).toEqual(['p']);
  });

  test('FOR TABLES IN SCHEMA that publishes the captured tables needs no privilege', async () => {
    role = `r_${database.name}`;
    await database.query(`CREATE SCHEMA s; CREATE TABLE s.a (id int PRIMARY KEY); CREATE TABLE s.b (id int PRIMARY KEY);
      CREATE PUBLICATION ${pub()} FOR TABLES IN SCHEMA s; CREATE ROLE ${role} LOGIN REPLICATION PASSWORD 'x';
      GRANT USAGE ON SCHEMA s TO ${role}`);
    const config = { 'database.user': role, 'database.password': 'x', 'table.include.list': 's.*' };
    const task = await start(config);
    await database.query(
      'INSERT INTO s.a VALUES (1); CREATE TABLE s.c (id int PRIMARY KEY); INSERT INTO s.c VALUES (2)',
    );
    await task.count(2);
    expect([ids(task), changes(task)]).toEqual([[1, 2], []]);
  });

  test('column lists and row filters stay; what is dropped with a table is in the log', async () => {
    await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE t (id) WHERE (id > 0), other (id) WHERE (id > 1)`);
    const task = await start({ 'table.include.list': 'public.(t|n)' });
    expect(changes(task)).toEqual([
      `Changed publication "${pub()}": ALTER PUBLICATION "${pub()}" DROP TABLE "public"."other"; It no longer contains public.other (with its column list id and row filter (id > 1)), which is not captured.`,
    ]);
    await database.query('CREATE TABLE n (id int PRIMARY KEY)');
    await line(task, /^PG_PUBLICATION_TABLES.*public\.n /);
    // The text of a row filter needs its table: a lock of another session delays the comparison, and nothing else.
    const locker = await database.connect();
    try {
      await locker.query('BEGIN; LOCK TABLE t; CREATE TABLE unrelated (id int)');
      await database.query('CREATE TABLE unrelated_2 (id int); INSERT INTO n VALUES (1)');
      await task.count(1);
      await locker.query('COMMIT');
    } finally {
      await locker.end();
    }
    const replaced = 'DROP TABLE t; CREATE TABLE t (id int PRIMARY KEY, v text)';
    await database.query(replaced);
    await line(task, /^PG_PUBLICATION_TABLES.*public\.t /);
    await database.query("INSERT INTO t VALUES (-1, 'a'), (1, 'b')");
    await task.count(2);
    const [row] = await database.query(
      "SELECT attnames::text[] AS columns, rowfilter FROM pg_publication_tables WHERE tablename = 't'",
    );
    expect([ids(task), row]).toEqual([[1, 1], { columns: ['id'], rowfilter: '(id > 0)' }]);
  });

  test('partitions that arrive under a name that is not captured: a warning with the statement', async () => {
    await database.query(partitioned);
    const task = await start({ 'table.include.list': 'public.p' });
    const statement = `ALTER PUBLICATION "${pub()}" SET (publish_via_partition_root = true);`;
    expect(changes(task)).toEqual([expect.stringContaining(`Capture these names, or run ${statement}`)]);
    await database.query(`${statement}; INSERT INTO p VALUES (1)`);
    expect((await task.count(1))[0]?.topic).toBe('fulfillment.public.p');
  });
});

test('cdc-postgres 85: operations that a publication leaves out, at the start and later: a warning, unless they are skipped', async () => {
  await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE t WITH (publish = 'insert, update')`);
  const task = await start({ 'publication.autocreate.mode': 'disabled' });
  const withheld = async (operation: string): Promise<string[]> =>
    line(task, new RegExp(`^PG_PUBLICATION_TABLES: Publication .* does not publish ${operation}: these changes`));
  expect(await withheld('delete')).toHaveLength(1);
  await database.query(`ALTER PUBLICATION ${pub()} SET (publish = 'insert')`);
  expect(await withheld('update')).toEqual([
    expect.stringContaining(`Run ALTER PUBLICATION "${pub()}" SET (publish = 'insert, update, delete, truncate');`),
  ]);
});

test('cdc-postgres 86: a table that cannot be added yet: a warning with the reason, and it is added once it can be', async () => {
  role = `r_${database.name}`;
  await database.query(`CREATE ROLE ${role} LOGIN REPLICATION PASSWORD 'x'; ALTER TABLE t OWNER TO ${role};
    CREATE PUBLICATION ${pub()} FOR TABLE t; ALTER PUBLICATION ${pub()} OWNER TO ${role}`);
  const task = await start({
    ...{ 'database.user': role, 'database.password': 'x' },
    'table.include.list': 'public.(t|n.*)',
  });
  await database.query('CREATE TABLE n (id int PRIMARY KEY); CREATE UNLOGGED TABLE nu (id int PRIMARY KEY)');
  const statement = `ALTER PUBLICATION "${pub()}" ADD TABLE "public"."n"`;
  const refused =
    /^PG_PUBLICATION_TABLES.*does not contain public\.n:.*tried again.*42501.*Let an owner of the tables run/;
  expect((await line(task, refused))[0]).toContain(statement);
  expect(await line(task, /^PG_UNLOGGED_TABLE: public\.nu is UNLOGGED/)).toHaveLength(1);
  const locker = await database.connect();
  try {
    await locker.query('BEGIN; LOCK TABLE n');
    await line(task, /^PG_PUBLICATION_TABLES.*does not contain public\.n:.*tried again.*55P03/);
    await locker.query(`ALTER TABLE n OWNER TO ${role}; COMMIT`);
  } finally {
    await locker.end();
  }
  expect(await line(task, /added it/)).toEqual([expect.stringContaining(statement)]);
  await database.query('INSERT INTO n VALUES (1)');
  await task.count(1);
  expect(task.log.filter(({ message }) => refused.test(message))).toHaveLength(1);
});

test('cdc-postgres 85: PostgreSQL 18: changes made while the publication did not exist fail the task, also after a restart', async () => {
  const name = `of slot ${database.name}`;
  await database.query(`CREATE PUBLICATION "${name}" FOR TABLE t`);
  const config = { 'publication.name': name, 'publication.autocreate.mode': 'disabled' };
  const task = await start(config);
  await database.query('INSERT INTO t VALUES (1)');
  await task.count(1);
  const offset = task.commitUpTo();
  const failure = {
    code: 'PG_PUBLICATION_MISSING',
    message: expect.stringMatching(/skipped loading publication.*was dropped, or created after the position/),
  };
  const fails = async (): Promise<void> =>
    expect((run as TaskRun).until((all) => all.some(({ key }) => key.id === 3))).rejects.toMatchObject(failure);
  await database.query(`DROP PUBLICATION "${name}"`);
  expect(await line(task, /^PG_PUBLICATION_MISSING/)).toEqual([
    `PG_PUBLICATION_MISSING: Publication "${name}" was dropped. Create it again before anything is written: the task fails at the first change that was made while it did not exist.`,
  ]);
  await database.query('INSERT INTO t VALUES (2)');
  await database.query(`CREATE PUBLICATION "${name}" FOR TABLE t`);
  await database.query('INSERT INTO t VALUES (3)');
  await fails();
  await task.stop();
  await start(config, offset);
  await fails();
});

test('cdc-postgres 85: with snapshot.mode=when_needed, changes made while the publication did not exist are read by a new snapshot', async () => {
  // Otherwise a connector that is quick would create the publication again before the test does.
  const config = { 'snapshot.mode': 'when_needed', 'publication.autocreate.mode': 'disabled' };
  await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE t`);
  const task = await start(config);
  await database.query('INSERT INTO t VALUES (1)');
  await task.count(1);
  const offset = task.commitUpTo();
  await database.query(`DROP PUBLICATION ${pub()}; INSERT INTO t VALUES (2)`);
  await database.query(`CREATE PUBLICATION ${pub()} FOR TABLE t; INSERT INTO t VALUES (3)`);
  await expect(task.count(3)).rejects.toMatchObject({
    code: 'PG_PUBLICATION_MISSING',
    cause: { retriable: true },
  });
  expect(task.log.at(-1)?.message).toMatch(/^skipped loading publication.*Dropped slot .* takes a new snapshot\.$/);
  await task.stop();
  const second = await start(config, offset);
  await database.query('INSERT INTO t VALUES (4)');
  await second.until((all) => all.some(({ key }) => key.id === 4));
  expect(second.records.map(({ key, value }) => `${value.op}${key.id}`)).toEqual(['r1', 'r2', 'r3', 'c4']);
});

test.each(['filtered', 'all_tables'])(
  'cdc-postgres 86: a table list that matches nothing yet, %s: the task waits with a warning and captures the table once it exists',
  async (mode) => {
    const overrides = {
      'table.include.list': 'public.later',
      'publication.autocreate.mode': mode,
      'snapshot.mode': 'initial',
    };
    await start(overrides);
    const waits = `PG_NO_TABLES: No table of database "${database.name}" matches table.include.list=public.later (patterns match the whole of schema.table). Create the table with CREATE TABLE, or correct the list. The connector waits for such a table.`;
    expect((run as TaskRun).log).toContainEqual({ level: 'warn', message: waits });
    await run?.stop();
    const task = await start(overrides);
    expect(task.log).toContainEqual({ level: 'warn', message: waits });
    await database.query('CREATE TABLE later (id int PRIMARY KEY)');
    if (mode === 'filtered')
      await line(task, /^PG_PUBLICATION_TABLES: table public\.later was not in publication.*added it/);
    await database.query('INSERT INTO later VALUES (1)');
    expect((await task.count(1))[0]).toMatchObject({ topic: 'fulfillment.public.later', key: { id: 1 } });
  },
);
