/** A dedicated primary with a standby. */
import { Client } from 'pg';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { startStandby } from '../../../dev/services/postgres-standby';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig } from './harness';
import { ServerProxy } from './server-proxy';

let primary: RunningPostgres;
let standby: RunningPostgres;
let database: TestDatabase;
let replica: Client;
let proxy: ServerProxy;
let run: TaskRun | null = null;

beforeAll(async () => {
  // Logical readers never see changes that the standby could lose.
  primary = await startPostgres({ settings: { synchronized_standby_slots: 'standby' } });
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)', {
    server: primary.url,
  });
  standby = await startStandby(primary, { sync_replication_slots: 'on', synchronized_standby_slots: '' });
  const url = new URL(standby.url);
  url.pathname = database.name;
  replica = new Client({ connectionString: url.toString() });
  await replica.connect();
  proxy = await ServerProxy.to(standby.url);
});
afterEach(async () => {
  await run?.stop();
  run = null;
});
afterAll(async () => {
  await replica?.end();
  await proxy?.close();
  await standby?.stop();
  await primary?.stop();
});

const ids = (): number[] => (run?.records ?? []).map((record) => record.key.id);

test('cdc-postgres 84: a standby is the source, with a publication of the primary', async () => {
  const config = taskConfig(database, {
    ...proxy.address,
    'publication.name': 'p84',
    // The standby does not synchronize a slot whose name it already has.
    'slot.name': 'only_here',
    'slot.drop.on.stop': 'true',
  });
  await expect(TaskRun.start(config)).rejects.toMatchObject({
    code: 'PG_PUBLICATION_MISSING',
    message: 'Publication "p84" does not exist, and a standby cannot create it: create it on the primary.',
  });
  await database.query('CREATE PUBLICATION p84 FOR TABLE t');
  await waitFor('the standby to have it', async () => (await replica.query('SELECT FROM pg_publication')).rowCount);
  // A slot on a standby waits until the primary logs its running transactions, which an idle primary does not do.
  const talk = setInterval(() => {
    database.query('SELECT pg_log_standby_snapshot()').catch(() => undefined);
  }, 100);
  try {
    run = await TaskRun.start(config);
    await run.count(1);
  } finally {
    clearInterval(talk);
  }
  await database.query('INSERT INTO t VALUES (2), (3); UPDATE t SET id = 4 WHERE id = 3');
  await run.count(6);
  expect([ids(), run.records.map((record) => record.value?.op ?? null)]).toEqual([
    [1, 2, 3, 3, 3, 4],
    ['r', 'c', 'c', 'd', null, 'c'],
  ]);
});

test('cdc-postgres 84: a snapshot of a standby without a slot', async () => {
  const threads = { 'snapshot.mode': 'initial_only', 'snapshot.max.threads': '2' };
  run = await TaskRun.start(taskConfig(database, { ...proxy.address, ...threads }));
  await run.until((all) => all[all.length - 1]?.value?.source.snapshot === 'last');
  const { rows } = await replica.query<{ id: number }>('SELECT id FROM t ORDER BY id');
  expect(ids().sort()).toEqual(rows.map(({ id }) => id));
});

test('cdc-postgres 83: a task that starts on a standby without its slot is restarted until the failover is over', async () => {
  proxy.target = primary.url;
  const config = taskConfig(database, { ...proxy.address, 'slot.name': 'not_there', 'snapshot.mode': 'no_data' });
  run = await TaskRun.start(config);
  await database.query('INSERT INTO t VALUES (10)');
  await run.count(1);
  const offset = run.commitUpTo();
  await run.stop();
  run = null;
  proxy.target = standby.url;
  await expect(TaskRun.start(config, offset)).rejects.toMatchObject({
    code: 'PG_IN_RECOVERY',
    message: expect.stringMatching(/^The server is in recovery: .*replication slot "not_there" does not exist/),
    retriable: true,
  });
  await database.query("SELECT pg_drop_replication_slot('not_there')");
});

test('cdc-postgres 83: a failover slot waits for the promotion of the standby and resumes there, nothing is lost', async () => {
  proxy.target = primary.url;
  await database.query('DELETE FROM t');
  const config = taskConfig(database, {
    ...proxy.address,
    'slot.failover': 'true',
    'snapshot.mode': 'no_data',
    'max.batch.size': '10',
    'max.queue.size': '11',
  });
  run = await TaskRun.start(config);
  expect(await database.slots()).toEqual([expect.objectContaining({ failover: true })]);
  let next = 0;
  const insert = async (client: Client, count: number): Promise<void> => {
    await client.query(`INSERT INTO t SELECT generate_series(${next}, ${next + count - 1})`);
    next += count;
  };
  const task = run;
  await waitFor(
    'the standby to have the slot',
    async () => {
      // It synchronizes a slot once that has advanced beyond what the standby retains.
      await insert(database.client, 1);
      await database.query('SELECT pg_log_standby_snapshot()');
      await task.count(next);
      task.commitUpTo();
      const { rows } = await replica.query<{ ready: boolean }>(
        'SELECT synced AND NOT temporary AS ready FROM pg_replication_slots WHERE slot_name = $1',
        [database.slot],
      );
      return rows[0]?.ready;
    },
    { everyMs: 50 },
  );
  await insert(database.client, 1000);
  await run.count(next - 500);
  const [end] = await database.query('SELECT pg_current_wal_lsn()::text AS lsn');
  await waitFor('the standby to have the rows', async () => {
    const { rows } = await replica.query<{ ready: boolean }>('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS ready', [
      end?.lsn,
    ]);
    return rows[0]?.ready;
  });

  await primary.stop();
  proxy.target = standby.url;
  // The address may lead to the standby before its promotion.
  const waits = ({ message }: { message: string }): boolean =>
    /server is in recovery and does not stream/.test(message);
  await run.until(() => task.log.some(waits));
  expect(task.connection.isUp).toBe(false);
  expect(task.connection.problems.at(-1)).toMatchObject({
    reason: expect.stringMatching(/^The server is in recovery and does not stream yet: /),
    code: 'PG_IN_RECOVERY',
    nextTryAt: expect.any(Number),
  });
  await replica.query('SELECT pg_promote()');
  await insert(replica, 1000);
  await run.count(next);
  expect(task.connection.isUp).toBe(true);
  expect(ids()).toEqual(Array.from({ length: next }, (_, i) => i));

  // A restart finds the slot there, too.
  const offset = run.commitUpTo(next - 501);
  await run.stop();
  run = await TaskRun.start(config, offset);
  await run.count(500);
  expect(ids()).toEqual(Array.from({ length: 500 }, (_, i) => next - 500 + i));
});
