/** Generated columns: which of them changes hold, beside those that they do not hold, and in keys. */
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
const runs: TaskRun[] = [];
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  for (const run of runs.splice(0)) await run.stop();
  await database.drop();
});

async function start(settings: Record<string, string> = {}): Promise<TaskRun> {
  const run = await TaskRun.start(taskConfig(database, settings));
  runs.push(run);
  return run;
}
const after = (records: readonly AnyRecord[]): unknown[] => records.map(({ value }) => value.after);

test.each([
  ['publish_generated_columns', 'FOR TABLE t WITH (publish_generated_columns = stored)'],
  ['a column list', 'FOR TABLE t (id, n, stored, note)'],
])('cdc-postgres 64: columns beside a virtual one keep their values with %s', async (_, publication) => {
  await database.query(`
    CREATE TABLE t (
      id int PRIMARY KEY, virt int GENERATED ALWAYS AS (n * 100) VIRTUAL, n int,
      stored int GENERATED ALWAYS AS (n + id) STORED, note text);
    INSERT INTO t (id, n, note) VALUES (1, 5, 'read');
    ALTER DATABASE ${database.name} SET debug_logical_replication_streaming = immediate;
    CREATE PUBLICATION p ${publication}`);
  const settings = { 'publication.name': 'p', 'publication.autocreate.mode': 'disabled' };
  const plain = await start(settings);
  await plain.count(1);
  const streamed = await start({
    ...settings,
    'snapshot.mode': 'no_data',
    'slot.name': `streamed_${database.name}`,
    'pgoutput.streaming': 'on',
  });
  await database.query(
    "INSERT INTO t (id, n, note) VALUES (2, 6, 'new'); UPDATE t SET n = 7 WHERE id = 2; DELETE FROM t WHERE id = 2",
  );
  const records = (await plain.count(5)).slice(0, 4);
  const changed = [
    { id: 2, virt: null, n: 6, stored: 8, note: 'new' },
    { id: 2, virt: null, n: 7, stored: 9, note: 'new' },
  ];
  expect(after(records)).toEqual([{ id: 1, virt: 500, n: 5, stored: 6, note: 'read' }, ...changed, null]);
  expect(new Set(records.map(({ valueSchema }) => valueSchema)).size).toBe(1);
  expect(after((await streamed.count(4)).slice(0, 3))).toEqual([...changed, null]);
  const { rows } = await database.client.query(
    `SELECT stream_txns > 0 AS streamed FROM pg_stat_replication_slots WHERE slot_name = 'streamed_${database.name}'`,
  );
  expect(rows).toEqual([{ streamed: true }]);
});
