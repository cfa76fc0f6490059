/** Positions and origins that events carry in their source block. */
import { TestDatabase, onServer } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, v int)');
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const ids = (records: readonly AnyRecord[]): number[] => records.map((record) => record.key.id);

/** `[end of the last commit, own position]`; 0 for null. */
function sequence(record: AnyRecord): [bigint, bigint] {
  const { source } = record.value;
  const [commit, own] = JSON.parse(source.sequence) as [string | null, string];
  expect(own).toBe(String(source.lsn));
  return [BigInt(commit ?? 0), BigInt(own)];
}

test('cdc-postgres 44: source.sequence never decreases: snapshot, interleaved transactions, restarts inside and between them', async () => {
  const config = taskConfig(database, { 'heartbeat.interval.ms': '1' });
  await database.query('INSERT INTO t VALUES (0), (1)');
  run = await TaskRun.start(config);
  const seen: AnyRecord[] = [];
  const isRow = (record: AnyRecord): boolean => record.value?.source !== undefined;
  /** Reads rows, then restarts at the end of the last one or of a heartbeat after it. */
  const restartAfter = async (count: number, heartbeat = false): Promise<void> => {
    const task = run as TaskRun;
    const positions = (): number[] => task.records.flatMap((record, i) => (isRow(record) ? [i] : []));
    await task.until(() => positions().length >= count);
    seen.push(...task.records.filter(isRow).slice(0, count));
    const last = positions()[count - 1] as number;
    if (heartbeat) await task.until((all) => all.length > last + 1);
    const { sourceOffset } = task.records[heartbeat ? last + 1 : last] as AnyRecord;
    await task.stop();
    run = await TaskRun.start(config, sourceOffset);
  };
  await restartAfter(2);
  const other = await database.connect();
  try {
    await other.query('BEGIN; INSERT INTO t VALUES (20)');
    await database.query('BEGIN; INSERT INTO t VALUES (10), (11), (12)');
    await other.query('INSERT INTO t VALUES (21)');
    await database.query('COMMIT; INSERT INTO t VALUES (13)');
    // Committed last, although its first row is the first in the WAL.
    await other.query('COMMIT');
  } finally {
    await other.end();
  }
  for (const count of [2, 1, 1, 1]) await restartAfter(count);
  await restartAfter(1, true);
  await database.query('UPDATE t SET id = 30 WHERE id = 0');
  await restartAfter(2, true);
  await database.query('DELETE FROM t WHERE id = 30');
  await restartAfter(1);
  expect(ids(seen)).toEqual([0, 1, 10, 11, 12, 13, 20, 21, 0, 30, 30]);
  const sequences = seen.map(sequence);
  const sorted = [...sequences].sort(([a, b], [c, d]) => Number(a - c) || Number(b - d));
  expect(sequences).toEqual(sorted);
  // By their own positions alone, the interleaved rows would be out of order.
  expect(sequences.map(([, own]) => own)).not.toEqual(sorted.map(([, own]) => own).sort((a, b) => Number(a - b)));
});

test('cdc-postgres 46: source.origin and source.origin_lsn are those of the transaction, and of no other', async () => {
  const origin = `origin ü ${database.name}`;
  await onServer('SELECT pg_replication_origin_create($1)', [origin]);
  const replica = await database.connect();
  try {
    run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }));
    await replica.query(`SELECT pg_replication_origin_session_setup('${origin}')`);
    await replica.query('BEGIN');
    await replica.query("SELECT pg_replication_origin_xact_setup('16/B374D848', '2020-01-02 03:04:05Z')");
    await replica.query('INSERT INTO t VALUES (1), (2)');
    await replica.query('COMMIT');
    await database.query('INSERT INTO t VALUES (3)');
    await replica.query('UPDATE t SET v = 1 WHERE id = 3');
    const records = await run.count(4);
    expect(ids(records)).toEqual([1, 2, 3, 3]);
    const sources = records.map((record) => record.value.source);
    expect(sources.map((source) => source.origin)).toEqual([origin, origin, null, origin]);
    // Commit position on the origin; a session that does not set it keeps the last one.
    const at = 0x16_b374d848;
    expect(sources.map((source) => source.origin_lsn)).toEqual([at, at, null, at]);
    expect(sources[0].ts_ms).toBe(Date.UTC(2020, 0, 2, 3, 4, 5));
    await run.stop();
    run = await TaskRun.start(taskConfig(database), records[0]?.sourceOffset);
    expect((await run.count(1))[0]?.value.source).toMatchObject({ origin, origin_lsn: at });
  } finally {
    await replica.end();
    await onServer('SELECT pg_replication_origin_drop($1)', [origin]);
  }
});
