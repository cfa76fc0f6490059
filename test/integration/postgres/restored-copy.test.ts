/** A copy of the server's disk that is restored, and a server that crashes (cdc-postgres 79). */
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { copyPostgres } from '../../../dev/services/postgres-copy';
import { onServer, TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig } from './harness';
import { ServerProxy } from './server-proxy';

let run: TaskRun | null = null;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await run?.stop();
  run = null;
  for (const end of ends.splice(0).reverse()) await end();
});

const ids = (): number[] => (run?.records ?? []).map((record) => record.key.id);

test('cdc-postgres 79: a restored copy whose WAL has passed the stored position fails stream and start; after a crash, the stream resumes', async () => {
  const original: RunningPostgres = await startPostgres();
  ends.push(() => original.stop());
  const database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)', { server: original.url });
  const proxy = await ServerProxy.to(original.url);
  ends.push(() => proxy.close());
  const config = taskConfig(database, { ...proxy.address, 'snapshot.mode': 'no_data' });
  run = await TaskRun.start(config);
  await database.query('INSERT INTO t VALUES (1)');
  await run.count(1);
  const copy = await copyPostgres(original);
  await database.query('INSERT INTO t SELECT generate_series(2, 100)');
  await run.count(100);
  const offset = run.commitUpTo();

  const restored = await copy.start();
  ends.push(() => restored.stop());
  const url = new URL(restored.url);
  url.pathname = database.name;
  await onServer('INSERT INTO t SELECT generate_series(101, 5000)', [], url.href);
  proxy.target = restored.url;
  await database.client.end();
  await original.stop();
  const diverged = { code: 'PG_WAL_DIVERGED', message: expect.stringContaining('(a restored copy)') };
  await expect(run.count(101)).rejects.toMatchObject(diverged);
  await run.stop();
  await expect(TaskRun.start(config, offset)).rejects.toMatchObject(diverged);

  run = await TaskRun.start({ ...config, 'snapshot.mode': 'when_needed' }, offset);
  await run.until((all) => all.at(-1)?.value?.source.snapshot === 'last');
  expect(ids().sort((a, b) => a - b)).toEqual([1, ...Array.from({ length: 4900 }, (_, i) => i + 101)]);
  await onServer('INSERT INTO t VALUES (6000)', [], url.href);
  await run.until((all) => all.some(({ key }) => key.id === 6000));
  // The server recovers when one of its processes dies.
  const [row] = await onServer("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'", [], url.href);
  process.kill((row as { pid: number }).pid, 'SIGKILL');
  await run.until((all) => all.at(-1)?.key.id === 6000 && run!.log.some(({ message }) => /retrying in/.test(message)));
  for (;;) {
    const inserted = await onServer('INSERT INTO t VALUES (6001)', [], url.href).then(
      () => true,
      () => false,
    );
    if (inserted) break;
    await run.poll();
  }
  await run.until((all) => all.some(({ key }) => key.id === 6001));
});
