/** A failover to a standby that has not received what the connector has read (cdc-postgres 79). */
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
  primary = await startPostgres();
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)', { server: primary.url });
  standby = await startStandby(primary);
  const url = new URL(standby.url);
  url.pathname = database.name;
  replica = new Client({ connectionString: url.toString() });
  await replica.connect();
  proxy = await ServerProxy.to(primary.url);
});
afterAll(async () => {
  await run?.stop();
  await replica?.end();
  await proxy?.close();
  await standby?.stop();
  await primary?.stop();
});

const ids = (): number[] => (run?.records ?? []).map((record) => record.key.id);
const diverged = { code: 'PG_WAL_DIVERGED', message: expect.stringContaining('it left timeline 1 at') };

test('cdc-postgres 79: failover to a lagging standby: stream and start fail instead of skipping rows; trust_slot and when_needed continue', async () => {
  const config = taskConfig(database, { ...proxy.address, 'snapshot.mode': 'no_data' });
  run = await TaskRun.start(config);
  await database.query('INSERT INTO t VALUES (1)');
  await run.count(1);
  await waitFor('the standby to have the row', async () => (await replica.query('SELECT FROM t')).rowCount);
  await replica.query("ALTER SYSTEM SET primary_conninfo = ''");
  await replica.query('SELECT pg_reload_conf()');
  await waitFor('the standby to be disconnected', async () => {
    const { rows } = await replica.query("SELECT FROM pg_stat_activity WHERE backend_type = 'walreceiver'");
    return rows.length === 0;
  });
  await database.query('INSERT INTO t SELECT generate_series(2, 100)');
  await run.count(100);
  const offset = run.commitUpTo();

  await replica.query('SELECT pg_promote()');
  await replica.query("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [database.slot]);
  proxy.target = standby.url;
  await database.client.end();
  await primary.stop();
  const task = run;
  await expect(task.count(101)).rejects.toMatchObject(diverged);
  await run.stop();

  await expect(TaskRun.start(config, offset)).rejects.toMatchObject(diverged);
  const { wal_timeline: _, ...unknown } = offset;
  await expect(TaskRun.start(config, unknown)).rejects.toMatchObject({
    code: 'PG_WAL_DIVERGED',
    message: expect.stringContaining('it ends at'),
  });

  await replica.query('INSERT INTO t VALUES (200)');
  run = await TaskRun.start({ ...config, 'offset.mismatch.strategy': 'trust_slot' }, offset);
  await run.count(1);
  expect(ids()).toEqual([200]);
  expect(run.log).toContainEqual({
    level: 'warn',
    message: expect.stringContaining('does not contain the stored position'),
  });
  await run.stop();

  // Beyond the position: only the timeline shows it.
  await replica.query('INSERT INTO t SELECT generate_series(300, 3000)');
  run = await TaskRun.start({ ...config, 'snapshot.mode': 'when_needed' }, offset);
  await run.until((all) => all.at(-1)?.value?.source.snapshot === 'last');
  const { rows } = await replica.query<{ id: number }>('SELECT id FROM t ORDER BY id');
  expect(ids().sort((a, b) => a - b)).toEqual(rows.map(({ id }) => id));
});
