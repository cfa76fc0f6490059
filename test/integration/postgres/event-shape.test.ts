/** Names of topics, schemas and fields, and what becomes of values that events cannot hold. */
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, ops, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const start = async (sql: string, settings: Record<string, string>): Promise<TaskRun> => {
  database = await TestDatabase.create(sql);
  run = await TaskRun.start(taskConfig(database, settings));
  return run;
};
const messages = (level: string): string[] =>
  (run?.log ?? []).filter((line) => line.level === level).map(({ message }) => message);

test('cdc-postgres 110: names of my-server.My Schema.1table that Avro accepts', async () => {
  const SQL = `CREATE SCHEMA "My Schema"; CREATE TABLE "My Schema"."1table" ("id-1" int PRIMARY KEY, "_x" text);
    INSERT INTO "My Schema"."1table" VALUES (1, 'a')`;
  const { records } = await start(SQL, {
    'topic.prefix': 'my-server',
    'schema.name.adjustment.mode': 'avro',
    'sanitize.field.names': 'true',
  });
  await run?.count(1);
  const [record] = records;
  expect(record?.topic).toBe('my-server.My_Schema.1table');
  expect([record?.keySchema?.name, record?.valueSchema?.name]).toEqual([
    'my_server.My_Schema.1table.Key',
    'my_server.My_Schema.1table.Envelope',
  ]);
  expect([record?.key, record?.value.after]).toEqual([{ id_1: 1 }, { id_1: 1, _x: 'a' }]);
  expect(messages('warn')).toContain(
    'The schema name my-server.My_Schema.1table.Key is not valid for Avro; it is published as my_server.My_Schema.1table.Key.',
  );
});

test('cdc-postgres 110: two schemas of one adjusted name fail the task', async () => {
  const SQL = 'CREATE TABLE "a-b" (id int PRIMARY KEY); CREATE TABLE a_b (id int PRIMARY KEY)';
  await start(SQL, { 'schema.name.adjustment.mode': 'avro' });
  await expect(run?.until(() => false)).rejects.toThrow(
    /conflicts with another different schema 'fulfillment\.public\./,
  );
});

test('cdc-postgres 110: tables merged into one topic keep different keys', async () => {
  const SQL = `CREATE TABLE shard_1 (id int PRIMARY KEY, v text); CREATE TABLE shard_2 (id int PRIMARY KEY, v text);
    INSERT INTO shard_1 VALUES (1, 'a'); INSERT INTO shard_2 VALUES (1, 'b')`;
  await start(SQL, {
    'topic.naming.strategy': 'io.debezium.schema.DefaultRegexTopicNamingStrategy',
    'topic.regex': String.raw`(.*)\.shard_\d`,
    'topic.replacement': '$1.shards',
  });
  await run?.count(2);
  await database.query('UPDATE shard_2 SET id = 2');
  const records = (await run?.count(5)) as AnyRecord[];
  const origin = (n: number): Record<string, string> => ({ __dbz__physicalTableIdentifier: `fulfillment.shard_${n}` });
  expect(records.map(({ topic, key }) => [topic, key])).toEqual(
    [
      { id: 1, ...origin(1) },
      { id: 1, ...origin(2) },
      { id: 1, ...origin(2) },
      { id: 1, ...origin(2) },
      { id: 2, ...origin(2) },
    ].map((key) => ['fulfillment.shards', key]),
  );
  expect(ops(records)).toEqual(['r', 'r', 'd', 'tombstone', 'c']);
  expect(records[4]?.headers?.[0]?.value).toEqual({ id: 1, ...origin(2) });
  expect(records[0]?.keySchema?.fields?.map(({ name, schema }) => [name, schema.type, schema.optional])).toEqual([
    ['id', 'INT32', false],
    ['__dbz__physicalTableIdentifier', 'STRING', false],
  ]);
  expect(records[0]?.valueSchema?.name).toBe('fulfillment.shards.Envelope');
  expect(messages('warn')).toContain(
    'Tables public.shard_1 and public.shard_2 are both published to topic fulfillment.shards: rows with the same key replace each other there.',
  );
});

test('cdc-postgres R25: include.schema.comments adds the comments of columns', async () => {
  await start(
    `CREATE TABLE t (id int PRIMARY KEY, note text); COMMENT ON COLUMN t.note IS 'What it''s about';
     INSERT INTO t VALUES (1, 'a')`,
    { 'include.schema.comments': 'true', 'column.propagate.source.type': String.raw`public\.t\.note` },
  );
  await run?.count(1);
  await database.query("COMMENT ON COLUMN t.note IS 'New'; ALTER TABLE t ADD x int; INSERT INTO t VALUES (2, 'b')");
  const records = (await run?.count(2)) as AnyRecord[];
  const documented = records.map(({ valueSchema }) =>
    valueSchema?.fields?.[1]?.schema.fields?.map(({ name, schema: { doc, parameters } }) => [
      name,
      doc ?? null,
      parameters?.['__debezium.source.column.comment'] ?? null,
    ]),
  );
  expect(documented).toEqual([
    [
      ['id', null, null],
      ['note', "What it's about", "What it's about"],
    ],
    [
      ['id', null, null],
      ['note', 'New', 'New'],
      ['x', null, null],
    ],
  ]);
});

test('cdc-postgres 74: topic.heartbeat.name is the whole name', async () => {
  await start('CREATE TABLE t (id int PRIMARY KEY)', { 'topic.heartbeat.name': 'beats', 'heartbeat.interval.ms': '1' });
  const [heartbeat] = (await run?.count(1)) as AnyRecord[];
  expect([heartbeat?.topic, heartbeat?.key]).toEqual(['beats', { serverName: 'fulfillment' }]);
});

describe('cdc-postgres R4: values that events cannot hold', () => {
  const SQL = `CREATE TABLE t (id int PRIMARY KEY, at timestamp, required timestamp NOT NULL DEFAULT '2020-01-01');
    INSERT INTO t VALUES (1, '9999-01-01')`;
  const NANOS = { 'time.precision.mode': 'nanoseconds' };

  test.each(['warn', 'skip'])(
    'event.converting.failure.handling.mode=%s publishes null or the default',
    async (mode) => {
      await start(SQL, { ...NANOS, 'event.converting.failure.handling.mode': mode });
      await run?.count(1);
      await database.query("INSERT INTO t VALUES (2, '9999-01-01', '9999-01-01'), (3, '2020-01-01', '2020-01-01')");
      const records = (await run?.count(3)) as AnyRecord[];
      const day = 1577836800000000000n;
      expect(records.map(({ value }) => value.after)).toEqual([
        { id: 1, at: null, required: day },
        { id: 2, at: null, required: day },
        { id: 3, at: day, required: day },
      ]);
      expect(messages('warn').filter((text) => text.includes('Such values are published as'))).toEqual(
        mode === 'skip'
          ? []
          : [
              expect.stringMatching(/Column "at" of table public\.t holds .* Such values are published as null\./),
              expect.stringMatching(/Column "required" .* published as the column's default\./),
            ],
      );
    },
  );

  test.each(['warn', 'skip', 'ignore'])(
    'event.processing.failure.handling.mode=%s leaves out the change',
    async (mode) => {
      await start('CREATE TABLE t (id int PRIMARY KEY, at timestamp)', {
        ...NANOS,
        'event.processing.failure.handling.mode': mode,
      });
      await run?.nothingMore();
      await database.query(
        "INSERT INTO t VALUES (1, '2020-01-01'), (2, '9999-01-01'), (3, '2020-01-01'); DELETE FROM t WHERE id = 1",
      );
      const records = (await run?.count(4)) as AnyRecord[];
      expect(records.map(({ key, value }) => [key.id, value?.op])).toEqual([
        [1, 'c'],
        [3, 'c'],
        [1, 'd'],
        [1, undefined],
      ]);
      expect(records.map(({ sourceOffset }) => sourceOffset?.tx_event_index)).toEqual([1, 3, 3, 4]);
      expect(messages('warn').filter((text) => text.includes('is not published')).length).toBe(mode === 'warn' ? 1 : 0);
    },
  );

  test('by default, they fail the task', async () => {
    await start(SQL, NANOS);
    await expect(run?.until(() => false)).rejects.toMatchObject({ code: 'PG_DECODE' });
  });
});
