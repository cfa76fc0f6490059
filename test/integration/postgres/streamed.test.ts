/** Transactions that the server sends before they commit: the same records as in protocol 1. */
import type { Client } from 'pg';
import { TestDatabase } from '../../helpers/test-database';
import { describe as shown, TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let clients: Client[];
const runs: TaskRun[] = [];
beforeEach(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE a (id int PRIMARY KEY, v text);
    CREATE TABLE b (id int PRIMARY KEY, v text);
    ALTER TABLE b REPLICA IDENTITY FULL;
    CREATE TABLE c (id int PRIMARY KEY, v text)`);
  // Sessions of the slot's reader; the smallest value that the server accepts.
  await database.query(`ALTER DATABASE ${database.name} SET logical_decoding_work_mem = '64kB'`);
  clients = [await database.connect(), await database.connect()];
});
afterEach(async () => {
  for (const run of runs.splice(0)) await run.stop();
  for (const client of clients) await client.end();
  await database.drop();
});

const PLAIN = { 'snapshot.mode': 'no_data', 'skipped.operations': 'none' };
const streaming = (more = {}): Record<string, string> => ({
  ...PLAIN,
  'slot.name': `streamed_${database.name}`,
  'pgoutput.streaming': 'on',
  ...more,
});

async function start(settings: Record<string, string>, stored: AnyRecord['sourceOffset'] | null = null) {
  const run = await TaskRun.start(taskConfig(database, settings), stored);
  runs.push(run);
  return run;
}

/** Everything but the time at which the connector built the event. */
const comparable = ({ topic, key, value, sourceOffset, keySchema, valueSchema }: AnyRecord): string =>
  shown([topic, key, value && { ...value, ts_ms: 0, ts_us: 0, ts_ns: 0 }, sourceOffset, keySchema, valueSchema?.name]);

const rows = (from: number, count: number): string =>
  `SELECT id, repeat('v' || id, 50) FROM generate_series(${from}, ${from + count - 1}) AS id`;
const isLast = (records: readonly AnyRecord[]): boolean => records.at(-1)?.key?.id === -1;

/** Streams and spills of a slot, as the server counts them. */
async function streamed(): Promise<number> {
  const sql = 'SELECT stream_txns::int AS count FROM pg_stat_replication_slots WHERE slot_name = $1';
  return (await database.query(sql, [`streamed_${database.name}`]))[0]?.count as number;
}

/** Interleaved transactions with rollbacks, savepoints and DDL. */
async function workload(): Promise<void> {
  const [one, two] = clients as [Client, Client];
  await one.query('BEGIN');
  await two.query('BEGIN');
  await one.query(`INSERT INTO a ${rows(0, 1500)}`);
  await two.query(`INSERT INTO b ${rows(0, 1500)}`);
  await database.query(`INSERT INTO c ${rows(0, 10)}`);
  await one.query('SAVEPOINT kept');
  await one.query(`INSERT INTO a ${rows(10_000, 1500)}; UPDATE a SET id = -5 WHERE id = 5; DELETE FROM a WHERE id = 6`);
  await one.query('SAVEPOINT gone');
  await one.query(`INSERT INTO a ${rows(20_000, 1500)}`);
  await one.query('SAVEPOINT within');
  await one.query(`INSERT INTO b ${rows(30_000, 1500)}`);
  await one.query('RELEASE within');
  await one.query(`INSERT INTO c ${rows(20_000, 1500)}`);
  await one.query('ROLLBACK TO gone');
  await two.query(`UPDATE b SET v = v || 'x'`);
  await one.query(`INSERT INTO a ${rows(40_000, 1500)}`);
  await two.query('COMMIT');
  await one.query('RELEASE kept');
  await one.query('ALTER TABLE a ADD COLUMN w int DEFAULT 7; UPDATE a SET w = id WHERE id < 700');
  await two.query(`BEGIN; INSERT INTO b ${rows(50_000, 1500)}; ALTER TABLE b ADD COLUMN gone int`);
  await two.query(`UPDATE b SET gone = 1 WHERE id < 1400`);
  await two.query('ROLLBACK');
  await one.query(`TRUNCATE c; INSERT INTO c ${rows(60_000, 1500)}`);
  await one.query('COMMIT');
  await two.query(`INSERT INTO b ${rows(70_000, 20)}`);
  await two.query(`DO $$ BEGIN
    FOR i IN 1..600 LOOP
      BEGIN
        INSERT INTO c SELECT 80000 + i, repeat('y', 300);
        IF i % 3 = 0 THEN RAISE EXCEPTION 'undone'; END IF;
      EXCEPTION WHEN raise_exception THEN NULL; END;
    END LOOP; END $$`);
  await database.query("INSERT INTO c VALUES (-1, 'last')");
}

test('cdc-postgres 90, 92: the records of protocol 1, one by one', async () => {
  const plain = await start(PLAIN);
  const run = await start(streaming());
  await workload();
  await plain.until(isLast);
  await run.until(isLast);
  expect(await streamed()).toBeGreaterThanOrEqual(2);
  expect(run.records).toHaveLength(plain.records.length);
  expect(run.records.map(comparable)).toEqual(plain.records.map(comparable));
  await run.nothingMore();
});

test('cdc-postgres 92: a rolled back transaction, whose announcement is the first of its table, leaves nothing', async () => {
  const run = await start(streaming());
  const [one] = clients as [Client];
  await one.query(`BEGIN; INSERT INTO a ${rows(0, 3000)}`);
  await one.query('ROLLBACK');
  await one.query(`BEGIN; SAVEPOINT s; INSERT INTO a ${rows(0, 3000)}`);
  await one.query(`ROLLBACK TO s; INSERT INTO a VALUES (1, 'kept'); INSERT INTO b ${rows(0, 3000)}; COMMIT`);
  await one.query("INSERT INTO a VALUES (-1, 'last')");
  const records = await run.until(isLast);
  expect(records.slice(0, 2).map(({ key }) => key.id)).toEqual([1, 0]);
  expect(records).toHaveLength(3002);
});

test('cdc-postgres 92: restarts before the commit and amid the records repeat nothing and lose nothing', async () => {
  let run = await start(streaming());
  const [one] = clients as [Client];
  await one.query("INSERT INTO a VALUES (9999, 'first')");
  await run.count(1);
  await one.query(`BEGIN; INSERT INTO a ${rows(0, 3000)}`);
  await run.nothingMore();
  const seen = [...run.records];
  await run.stop();
  run = await start(streaming(), run.commitUpTo());
  await one.query('UPDATE a SET v = id; COMMIT');
  // Enough of them that the restart is amid the transaction.
  await run.count(2500);
  const stored = run.commitUpTo(2499);
  seen.push(...run.records.slice(0, 2500));
  await run.stop();
  run = await start(streaming(), stored);
  await one.query("INSERT INTO a VALUES (-1, 'last')");
  seen.push(...(await run.until(isLast)));
  expect(seen).toHaveLength(6003);
  const changes = seen.filter(({ value }) => value.source.txId === seen[1]?.value.source.txId);
  expect(changes.map(({ sourceOffset }) => sourceOffset?.tx_event_index)).toEqual(changes.map((_, i) => i + 1));
});
