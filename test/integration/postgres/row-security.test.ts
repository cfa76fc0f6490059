/** Row level security leaves rows out of queries without an error, but not out of the stream. */
import { TestDatabase } from '../../helpers/test-database';
import { cure, diagnose, login } from './diagnosis-harness';
import { taskConfig, TaskRun } from './harness';
import { postgresConnector } from '../../../connectors/postgres/src';

let database: TestDatabase;
let role: Record<string, string>;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE t (id int PRIMARY KEY, tenant text, n int, large text);
    ALTER TABLE t ALTER large SET STORAGE EXTERNAL;
    INSERT INTO t SELECT i, 'a', 0, repeat('x', 20000) FROM generate_series(1, 3) i;
    UPDATE t SET tenant = 'b' WHERE id > 1;
    CREATE TABLE free (id int PRIMARY KEY);
    CREATE TABLE signals (id text PRIMARY KEY, type text NOT NULL, data text);
    ALTER TABLE t ENABLE ROW LEVEL SECURITY;
    CREATE POLICY tenant ON t USING (tenant = 'a');
    GRANT ALL ON t, free, signals TO PUBLIC`);
  await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE t, free, signals`);
  role = { ...(await login(database, 'REPLICATION')), 'publication.autocreate.mode': 'disabled' };
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.query(`DROP OWNED BY ${role['database.user']}; DROP ROLE ${role['database.user']}`);
  await database.drop();
});

const started = async (more: Record<string, string> = {}): Promise<TaskRun> => {
  run = await TaskRun.start(taskConfig(database, { ...role, ...more }));
  return run;
};
const refused = {
  code: 'PG_ROW_SECURITY',
  retriable: false,
  message: expect.stringMatching(/row.level security.*ALTER ROLE .* BYPASSRLS/i),
};

test('row level security: a snapshot that would lack rows is refused, at the start, by validation and by doctor', async () => {
  const only = { 'table.include.list': 'public.t' };
  await expect(started(only)).rejects.toMatchObject(refused);
  const config = taskConfig(database, { ...role, ...only });
  const problems = await postgresConnector.validate?.(config, { workerSettings: {} } as never);
  expect(JSON.stringify(problems)).toMatch(/Row level security hides rows of public\.t from role .*BYPASSRLS/);
  const found = (await diagnose(database, { ...role, ...only })).filter(({ code }) => code === 'PG_ROW_SECURITY');
  expect(found).toMatchObject([{ severity: 'error', message: expect.stringContaining('public.t') }]);
  await cure(found, database.url);
  expect((await diagnose(database, { ...role, ...only })).map(({ code }) => code)).not.toContain('PG_ROW_SECURITY');
  const records = await (await started(only)).count(3);
  expect(records.map(({ key }) => key.id)).toEqual([1, 2, 3]);
});

test.each([
  ['of a table that has policies', {}],
  [
    'of a statement that reads such a table',
    {
      'table.include.list': 'public.free',
      'snapshot.select.statement.overrides': 'public.free',
      'snapshot.select.statement.overrides.public.free': 'SELECT id FROM t',
    },
  ],
])('row level security: the rows %s are refused', async (_, settings) => {
  const snapshot = async (): Promise<unknown> => await (await started(settings)).until(() => false);
  await expect(snapshot()).rejects.toMatchObject(refused);
});

test('row level security: tables that the snapshot leaves out do not matter', async () => {
  await database.query('INSERT INTO free VALUES (1)');
  expect(await (await started({ 'snapshot.include.collection.list': 'public.free' })).count(1)).toHaveLength(1);
});

test.each(['INCREMENTAL', 'BLOCKING'])('row level security: a %s snapshot does not leave out rows', async (type) => {
  const settings = { 'snapshot.mode': 'no_data', 'signal.data.collection': 'public.signals' };
  const task = await started(settings);
  const data = JSON.stringify({ type, 'data-collections': ['public.t'] });
  await database.query(`INSERT INTO signals VALUES ('1', 'execute-snapshot', $1)`, [data]);
  const reported = (): boolean => task.log.some(({ message }) => /row.level security/i.test(message));
  // A blocking snapshot that fails ends the task.
  const failure = await task.until(reported).then(
    () => null,
    (error: unknown) => error,
  );
  if (failure !== null) expect(failure).toMatchObject({ code: 'PG_ROW_SECURITY' });
  else expect(task.log.find(({ level }) => level === 'error')?.message).toMatch(/BYPASSRLS/);
  expect(task.records.filter(({ topic }) => topic.endsWith('.t'))).toEqual([]);
});

test('row level security: columns that are read again are not taken for those of a deleted row', async () => {
  const reselect = {
    'snapshot.mode': 'no_data',
    'post.processors': 'r',
    'r.type': 'io.debezium.processors.reselect.ReselectColumnsPostProcessor',
    'r.reselect.error.handling.mode': 'fail',
  };
  const task = await started(reselect);
  await database.query('UPDATE t SET n = 1 WHERE id = 3');
  await expect(task.count(1)).rejects.toMatchObject(refused);
});
