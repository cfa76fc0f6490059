/** Connection poolers between a task and its server, which drop parameters of the startup packet. */
import { TestDatabase } from '../../helpers/test-database';
import { taskConfig, TaskRun, type AnyRecord } from './harness';
import { ServerProxy } from './server-proxy';

/** Settings of the server with which the text of values means something else. */
const OTHER_FORMS = [
  ['bytea_output', 'escape'],
  ['DateStyle', 'SQL, DMY'],
  ['IntervalStyle', 'sql_standard'],
  ['TimeZone', 'Asia/Tokyo'],
  ['extra_float_digits', '-10'],
  ['standard_conforming_strings', 'off'],
  ['client_encoding', 'LATIN1'],
  ['idle_in_transaction_session_timeout', '1'],
];
const TABLE = String.raw`
  CREATE TABLE t (id int PRIMARY KEY, raw bytea, raws bytea[], day date, at timestamp, zoned timestamptz, took interval,
    f float8, amount money, note text DEFAULT E'a\\b', large bytea);
  ALTER TABLE t ALTER large SET STORAGE EXTERNAL`;
const ROW = String.raw`E'\\x00ff41', ARRAY[E'\\x00ff41'::bytea], '2021-03-04', '2021-03-04 05:06:07', '2021-03-04 05:06:07+00',
  '1 year 2 mons -3 days 04:05:06', 0.1::float8 + 0.2, 3, 'ä€', decode(repeat('ab', 9000), 'hex')`;
const RESELECT = {
  'post.processors': 'reselector',
  'reselector.type': 'io.debezium.processors.reselect.ReselectColumnsPostProcessor',
};

let database: TestDatabase;
let run: TaskRun | null = null;
let proxy: ServerProxy | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(TABLE);
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await proxy?.close();
  proxy = null;
  await database.drop();
});

/** Rows of a snapshot, of the stream, and read again for an unchanged large value; then the schema of a row. */
async function published(server: Record<string, string>): Promise<unknown[]> {
  const config = { ...RESELECT, ...server, 'slot.drop.on.stop': 'true', 'interval.handling.mode': 'string' };
  await database.query(`SET standard_conforming_strings = on; TRUNCATE t; INSERT INTO t VALUES (1, ${ROW})`);
  run = await TaskRun.start(taskConfig(database, config));
  await run.count(1);
  await database.query(`INSERT INTO t VALUES (2, ${ROW}); UPDATE t SET f = 0.7 WHERE id = 2`);
  const records = await run.count(3);
  await run.stop();
  const after = (record: AnyRecord): unknown => record.value.after;
  return [...records.map(after), records.map(({ valueSchema }) => valueSchema)];
}

test('session settings: a pooler that drops them changes no value of snapshot, stream and reselection', async () => {
  const expected = await published({});
  expect(expected[0]).toMatchObject({ raw: Buffer.from([0, 255, 65]), day: 18690, took: 'P1Y2M-3DT4H5M6S' });
  for (const [name, value] of OTHER_FORMS)
    await database.query(
      `ALTER DATABASE ${database.name} SET ${name} = ${value?.includes(',') ? value : `'${value}'`}`,
    );
  expect(await published({})).toEqual(expected);
  proxy = await ServerProxy.to(database.url, ['options', 'client_encoding']);
  expect(await published(proxy.address)).toEqual(expected);
});

test.each([
  ['creates a slot', {}],
  ['reads a slot that exists', { 'snapshot.mode': 'no_data' }],
])('a pooler that ignores `replication` is named: a task that %s', async (_, settings) => {
  proxy = await ServerProxy.to(database.url, ['replication']);
  if ('snapshot.mode' in settings)
    await database.query(`SELECT pg_create_logical_replication_slot('${database.slot}', 'pgoutput')`);
  const start = async (): Promise<void> => {
    run = await TaskRun.start(taskConfig(database, { ...settings, ...proxy?.address }));
    await run.count(1);
  };
  await expect(start()).rejects.toMatchObject({
    code: 'PG_POOLER',
    retriable: false,
    message: expect.stringMatching(/a connection pooler .* ignores the startup parameter replication\. Set database/),
  });
});
