/** `offset.mismatch.strategy`: what applies when slot and stored offset differ (cdc-postgres §1.4). */
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)');
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const ids = (): number[] => (run?.records ?? []).map((record) => record.key.id);
const confirmed = async (): Promise<bigint> => {
  const [slot] = await database.query(
    "SELECT (confirmed_flush_lsn - '0/0')::text AS at FROM pg_replication_slots WHERE slot_name = $1",
    [database.slot],
  );
  return BigInt(slot?.at as string);
};

/** Streams two transactions without confirming the first; returns the offset of the second. */
async function streamTwo(config: Record<string, string>) {
  run = await TaskRun.start({ ...config, 'snapshot.mode': 'no_data' });
  for (const id of [1, 2]) await database.query('INSERT INTO t VALUES ($1)', [id]);
  await run.count(2);
  const { lastOffset } = run;
  await run.stop();
  await database.slotsLetGo();
  return lastOffset;
}

test.each([
  ['offset.mismatch.strategy', 'trust_offset'],
  ['internal.slot.seek.to.known.offset.on.start', 'true'],
])('%s=%s advances a slot that is before the stored offset', async (key, value) => {
  const offset = await streamTwo(taskConfig(database));
  const before = await confirmed();
  run = await TaskRun.start(taskConfig(database, { [key]: value }), offset);
  expect(await confirmed()).toBeGreaterThan(before);
  await database.query('INSERT INTO t VALUES (3)');
  await run.count(1);
  expect(ids()).toEqual([3]);
});

test('trust_slot repeats what the slot still has', async () => {
  const offset = await streamTwo(taskConfig(database));
  run = await TaskRun.start(taskConfig(database, { 'offset.mismatch.strategy': 'trust_slot' }), offset);
  await run.count(2);
  expect(ids()).toEqual([1, 2]);
});

test('trust_offset fails when the slot is past the stored offset', async () => {
  const offset = await streamTwo(taskConfig(database));
  await database.query('INSERT INTO t VALUES (3)');
  await database.query('SELECT pg_replication_slot_advance($1, pg_current_wal_lsn())', [database.slot]);
  const config = taskConfig(database, { 'offset.mismatch.strategy': 'trust_offset' });
  await expect(TaskRun.start(config, offset)).rejects.toMatchObject({ code: 'PG_POSITION_LOST' });
});
