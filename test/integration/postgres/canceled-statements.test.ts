/** The server cancels statements: for statement_timeout, or on the request of an operator. */
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)');
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

/** Cancels the statement of the connections whose name is this, once one waits for a lock of the test. */
async function cancel(name: string, waitsFor = 'advisory'): Promise<void> {
  const sql = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE datname = $1 AND application_name = $2 AND ($3 = '' OR wait_event = $3)`;
  await waitFor(
    'a statement to cancel',
    async () => (await database.query(sql, [database.name, name, waitsFor])).length,
  );
}
const start = async (overrides: Record<string, string>): Promise<TaskRun> =>
  (run = await TaskRun.start(taskConfig(database, overrides)));
const ids = (records: readonly AnyRecord[]): number[] =>
  records.flatMap(({ value }) => (value ? [value.after.id as number] : []));
const override = (select: string): Record<string, string> => ({
  'snapshot.select.statement.overrides': 'public.t',
  'snapshot.select.statement.overrides.public.t': select,
});
const LOCKED = override('SELECT t.* FROM t, (SELECT pg_advisory_xact_lock_shared(1)) AS l');

test.each(['statement_timeout', 'transaction_timeout'])('a snapshot is not limited by %s', async (setting) => {
  await database.query(`ALTER DATABASE ${database.name} SET ${setting} = '300ms'`);
  const task = await start(override('SELECT t.* FROM t, (SELECT pg_sleep(1)) AS slow'));
  expect(ids(await task.count(3))).toEqual([1, 2, 3]);
});

test('a canceled statement of a snapshot is repeated', async () => {
  await database.query('SELECT pg_advisory_lock(1)');
  const task = await start(LOCKED);
  const polled = task.until((records) => records.length === 3);
  await cancel('Millrace Snapshot');
  await waitFor('another attempt', () => task.log.some(({ message }) => message.includes('resuming the snapshot')));
  await database.query('SELECT pg_advisory_unlock(1)');
  expect(ids(await polled)).toEqual([1, 2, 3]);
});

test('a snapshot with a statement that always takes too long fails, and the error names the setting', async () => {
  await database.query('SELECT pg_advisory_lock(1)');
  const task = await start({
    ...LOCKED,
    'database.initial.statements': 'SET statement_timeout = 100',
    'retriable.restart.connector.wait.ms': '10',
  });
  await expect(task.until(() => false)).rejects.toMatchObject({
    code: 'PG_CANCELED',
    message:
      'Snapshotting of table public.t failed: canceling statement due to statement timeout (SQLSTATE 57014). If it took too long, raise statement_timeout, for example in database.initial.statements.',
  });
  expect(task.log.filter(({ message }) => message.includes('resuming the snapshot'))).toHaveLength(5);
});

test('a stream that is canceled reconnects', async () => {
  const task = await start({ 'snapshot.mode': 'no_data' });
  await database.query('INSERT INTO t VALUES (4)');
  await task.count(1);
  await cancel('Millrace Streaming', '');
  await database.query('INSERT INTO t VALUES (5)');
  await task.until((records) => ids(records).includes(5));
  expect(task.log.some(({ message }) => message.startsWith('The server ended the stream'))).toBe(true);
});

test('a canceled chunk of an incremental snapshot is read again', async () => {
  const task = await start({ 'snapshot.mode': 'no_data', 'read.only': 'true' });
  await database.query('SELECT pg_advisory_lock(1)');
  const filter = 'pg_advisory_xact_lock_shared(1) IS NOT NULL';
  const data = { 'data-collections': ['public.t'], 'additional-conditions': [{ 'data-collection': '.*', filter }] };
  const sent = task.task.onSignal({ id: 'a', type: 'execute-snapshot', data });
  const polled = task.until((records) => records.length === 3);
  await cancel('Millrace Snapshot');
  await waitFor('another attempt', () => task.log.some(({ message }) => message.includes('Reading a chunk')));
  await database.query('SELECT pg_advisory_unlock(1)');
  expect(ids(await polled)).toEqual([1, 2, 3]);
  await sent;
});
