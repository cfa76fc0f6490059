/**
 * A change that contradicts the known definition of its table is decoded again after the catalog was read: the records
 * of the first attempt must be discarded.
 */
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, ops, taskConfig } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(
    "CREATE TYPE mood AS ENUM ('ok'); CREATE TABLE t (id int PRIMARY KEY, m mood); ALTER TABLE t REPLICA IDENTITY FULL",
  );
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

test('killed between the delete and the create of a key change with a new enum label: the create is still emitted', async () => {
  const config = taskConfig(database, { 'snapshot.mode': 'no_data' });
  run = await TaskRun.start(config);
  await database.query("INSERT INTO t VALUES (1, 'ok')");
  await run.count(1);
  await database.query("ALTER TYPE mood ADD VALUE 'new'");
  await database.query("UPDATE t SET id = 2, m = 'new'");
  const records = [...(await run.count(4))];
  expect(ops(records)).toEqual(['c', 'd', 'tombstone', 'c']);
  for (const at of [1, 2]) {
    await run.stop();
    run = await TaskRun.start(config, records[at]?.sourceOffset ?? null);
    await run.until((all) => all.some((record) => record.key.id === 2));
  }
});

test('metrics: a change that is decoded again is counted once', async () => {
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }));
  await database.query("INSERT INTO t VALUES (1, 'ok')");
  await run.count(1);
  await database.query("ALTER TYPE mood ADD VALUE 'new'");
  await database.query("UPDATE t SET m = 'new'");
  await run.count(2);
  const value = (name: string, labels = {}): number | undefined =>
    run?.metrics.value(`debezium_metrics_${name}`, {
      ...{ context: 'streaming', plugin: 'postgres', name: 'fulfillment' },
      ...labels,
    });
  expect(value('TotalNumberOfEventsSeen')).toBe(2);
  expect(value('NumberOfUpdateEventsSeen', { table: 'public.t' })).toBe(1);
});
