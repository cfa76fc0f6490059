/** `snapshot.mode=when_needed` with exactly-once delivery: the snapshot after the slot or its position was lost. */
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Delivered, DONE, shown } from './exactly-once-harness';
import { taskConfig, type AnyRecord } from './harness';

const ROWS = 3000;

let database: TestDatabase;
let delivered: Delivered;
beforeEach(async () => {
  database = await TestDatabase.create(`CREATE TABLE t (id int PRIMARY KEY, v int) WITH (fillfactor = 10);
    INSERT INTO t SELECT i, 0 FROM generate_series(1, ${ROWS}) i`);
  const small = { 'max.batch.size': '400', 'max.queue.size': '500', 'snapshot.fetch.size': '300' };
  const config = { ...small, 'snapshot.mode': 'when_needed', 'tombstones.on.delete': 'false' };
  delivered = new Delivered(database, taskConfig(database, config));
  await delivered.start();
  await arrives(DONE);
});
afterEach(async () => {
  await delivered.stop();
  await database.drop();
});

/** Resolves with the records since the last call. */
async function arrives(id: number): Promise<AnyRecord[]> {
  await database.query(`INSERT INTO t VALUES (${id}, 0)`);
  const isThere = async (): Promise<boolean> =>
    (await delivered.poll()).some(({ value }) => value.op === 'c' && value.after.id === id);
  await waitFor('the last change', isThere, { everyMs: 0 });
  return delivered.records.splice(0);
}

test('connect-runtime 80: the slot is dropped, and the new snapshot is killed at every poll: each row is read once, what was deleted in between is unknown', async () => {
  await delivered.stop();
  await database.query('DELETE FROM t WHERE id = 7');
  await database.dropSlots();
  await delivered.start();
  const kills = delivered.kills;
  while (!delivered.snapshotCompleted || delivered.kills === kills) {
    await delivered.poll();
    if (delivered.kills - kills < 4) await delivered.kill(`UPDATE t SET v = 1 WHERE id = ${100 + delivered.kills}`);
  }
  const records = (await arrives(DONE + 1)).map(shown);
  const reads = records.filter((record) => record.startsWith('t r '));
  expect(reads.length).toBe(new Set(reads).size);
  const rows = new Set(records.map((record) => record.split(' ')[2]));
  expect([rows.size, rows.has('7')]).toEqual([ROWS + 1, false]);
  const changes = records.filter((record) => !record.startsWith('t r '));
  expect(changes).toEqual(['t u 100 1', 't u 101 1', 't u 102 1', 't u 103 1', `t c ${DONE + 1} 0`]);
});

test('the slot was created again by other means: changes from there to the snapshot are read and streamed', async () => {
  await delivered.stop();
  await database.dropSlots();
  await database.query('UPDATE t SET v = 1 WHERE id = 7');
  await database.query("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [database.slot]);
  await database.query('UPDATE t SET v = 1 WHERE id = 8');
  await delivered.start();
  const records = (await arrives(DONE + 1)).map(shown);
  const of = (id: number): string[] => records.filter((record) => record.split(' ')[2] === String(id));
  expect([of(7), of(8)]).toEqual([['t r 7 1'], ['t r 8 1', 't u 8 1']]);
});
