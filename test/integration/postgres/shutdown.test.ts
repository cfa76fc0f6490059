/** Uses a dedicated server, because the test stops it. */
import { Client } from 'pg';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { isRunning } from '../../helpers/is-running';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun } from './harness';

let server: RunningPostgres;
let run: TaskRun | null = null;
beforeEach(async () => {
  server = await startPostgres();
});
afterEach(async () => {
  await run?.stop();
  await server.stop();
});

test('cdc-postgres 77: changes that are not stored yet do not delay a fast shutdown of the server', async () => {
  const url = new URL(server.url);
  const client = new Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('CREATE TABLE t (id int PRIMARY KEY)');
  run = await TaskRun.start({
    'database.hostname': url.hostname,
    'database.port': url.port,
    'database.user': 'postgres',
    'database.password': 'postgres',
    'database.dbname': 'postgres',
    'topic.prefix': 'p',
    'snapshot.mode': 'no_data',
    'poll.interval.ms': '50',
    'retriable.restart.connector.wait.ms': '100',
  });
  await client.query('INSERT INTO t SELECT generate_series(1, 1000)');
  await run.count(1000);
  // Confirms only an early position, so that the server has more to wait for.
  run.commitUpTo(0);
  await client.query('INSERT INTO t SELECT generate_series(1001, 2000)');
  await run.count(2000);
  const { rows } = await client.query("SELECT pg_read_file('postmaster.pid') AS file");
  const pid = Number((rows[0] as { file: string }).file.split('\n')[0]);
  process.kill(pid, 'SIGINT');
  const current = run;
  await waitFor('the server to be gone', async () => {
    await current.poll();
    return !isRunning(pid);
  });
  await waitFor('the task to notice', async () => {
    await current.poll();
    return current.log.some((line) => /retrying/.test(line.message));
  });
});
