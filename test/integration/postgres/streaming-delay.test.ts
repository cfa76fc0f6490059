import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig } from './harness';

test('streaming.delay.ms applies between snapshot and stream, and not to a restart', async () => {
  const database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)');
  const config = taskConfig(database, { 'streaming.delay.ms': '3600000' });
  const runs: TaskRun[] = [];
  try {
    const run = await TaskRun.start(config);
    runs.push(run);
    const waits = (): boolean => run.log.some(({ message }) => message.startsWith('Waiting for 3600000 ms'));
    await run.until(waits);
    await database.query('INSERT INTO t VALUES (2)');
    expect(await run.poll()).toEqual([]);
    expect((await database.slots())[0]?.active).toBe(false);
    await run.stop();
    const again = await TaskRun.start(config, run.stored);
    runs.push(again);
    expect((await again.count(1))[0]?.key).toEqual({ id: 2 });
  } finally {
    for (const run of runs) await run.stop();
    await database.drop();
  }
});
