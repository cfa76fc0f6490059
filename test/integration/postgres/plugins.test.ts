/** The same statements through each output plugin, on Debian's server, which has them (cdc-postgres §5.11, §5.12). */
import { installDebianPostgres, startDebianPostgres } from '../../../dev/services/debian-postgres';
import type { SourceOffset } from '@millrace/sdk';
import type { RunningPostgres } from '../../../dev/services/postgres';
import { TestDatabase } from '../../helpers/test-database';
import { ops, TaskRun, taskConfig, type AnyRecord } from './harness';

const missing = installDebianPostgres(['wal2json', 'decoderbufs']);
if (missing !== null) console.warn(`The tests of output plugins are skipped: ${missing}`);
const whereInstalled = missing === null ? describe : describe.skip;

interface Variant {
  readonly plugin: string;
  /** `slot.stream.params` */
  readonly params?: string;
}
const VARIANTS: readonly Variant[] = [
  { plugin: 'decoderbufs' },
  { plugin: 'wal2json' },
  { plugin: 'wal2json_streaming' },
  { plugin: 'wal2json', params: 'format-version=2' },
];
/** The others but for an option of the stream. */
const RDS: readonly Variant[] = [{ plugin: 'wal2json_rds' }, { plugin: 'wal2json_rds_streaming' }];

const TABLES = `
  CREATE EXTENSION hstore;
  CREATE TYPE mood AS ENUM ('sad', 'happy');
  CREATE TYPE "Odd ""Type" AS ENUM ('a', 'b');
  CREATE DOMAIN cents AS numeric(8,2);
  CREATE TABLE kinds (
    id bigserial PRIMARY KEY, b boolean, i2 smallint, i4 int, i8 bigint, o oid, f4 real, f8 double precision,
    n numeric, n2 numeric(38,10), m money, c char(5), vc varchar(20), t text NOT NULL DEFAULT 'x', nm name, ch "char",
    by bytea, bi bit(12), vb varbit(20), u uuid, j json, jb jsonb, x xml, d date, ti time, ti3 time(3), tz timetz,
    ts timestamp, ts3 timestamp(3), tt timestamptz, iv interval, p point, e mood, odd "Odd ""Type", dom cents, ip inet,
    ci cidr, mac macaddr, r int4range, h hstore, tv tsvector, ia int[], ta text[], na numeric[], tsa timestamp[], ea mood[]);
  CREATE TABLE "Quoted ""T".":x" (id int PRIMARY KEY, "co""l" text)`.replace('"Quoted ""T".":x"', '"quoted.t ""x"');

/** Two rows that have a value in each column, one of extremes, and one of NULLs. */
const ROWS = `
  INSERT INTO kinds VALUES (DEFAULT, true, -1, 42, 9007199254740993, 4000000000, 0.1, 1.5, 1.10,
    1234567890123456789012345678.0123456789, '-1234.56', 'ab', 'vär', E'tab\\t"quote" back\\\\slash\\nline €', 'nm', 'z',
    '\\x00ff10', B'000100000001', B'101', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": 1}', '{"a": [1, 2]}', '<a/>',
    '2020-06-01', '17:34:20.123456', '17:34:20.123', '17:34:20.123456+02', '2020-06-01 17:34:20.123456',
    '2020-06-01 17:34:20.5', '2020-06-01 17:34:20.123456+02', '1 year 2 mons 3 days 04:05:06.78', '(1.5,-2)', 'happy', 'b',
    12.5, '192.168.2.1/24', '10.0.0.0/8', '08:00:2b:01:02:03', '[1,5)', '"k"=>"v","n"=>NULL', 'cat:1', '{1,NULL,3}',
    '{"a,b","c\\"d",NULL}', '{1.5,2}', '{"2020-06-01 00:00:00"}', '{sad,happy}'),
  (DEFAULT, false, 32767, -2147483648, -9223372036854775808, 0, 3.4028235e38, 1e-300, -0.000001,
    0, '0.01', '', '', '', 'n2', 'y', '\\x', B'000000000000', B'', '00000000-0000-0000-0000-000000000000', 'null', 'null',
    '<b>x</b>', '0044-03-15 BC', '24:00:00', '00:00:00', '01:00:00+10', '0044-03-15 12:00:00 BC', '1969-12-31 23:59:59.999',
    '1900-01-01 00:00:00+00', '-1 day', '(0,0)', 'sad', 'a', -0.01, '::1', '::/0', '00:00:00:00:00:01', 'empty', '', '',
    '{}', '{}', '{}', '{}', '{}');
  INSERT INTO kinds (id) VALUES (DEFAULT);
  INSERT INTO kinds (ts, tt, d, f8, ts3) VALUES ('infinity', '-infinity', 'infinity', 1e21, '9999-12-31 23:59:59.999'),
    ('20000-01-01 00:00:00', '0001-01-01 00:00:00+00', '-infinity', -0.0, '0001-01-01 00:00:00'),
    ('294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00', '5874897-12-31', 1, '294276-12-31 23:59:59.999')`;

const CHANGES = [
  'INSERT INTO "quoted.t ""x" VALUES (1, \'one\'); UPDATE "quoted.t ""x" SET "co""l" = \'two\'',
  'UPDATE kinds SET i4 = 1 WHERE id = 1; UPDATE kinds SET id = 100 WHERE id = 2; DELETE FROM kinds WHERE id = 3',
  // A table without key, an index as identity, and complete old rows.
  `CREATE TABLE keyless (a int, b text); INSERT INTO keyless VALUES (1, 'x')`,
  `CREATE TABLE whole (id int PRIMARY KEY, a text NOT NULL, b int, c numeric(6,2)); ALTER TABLE whole REPLICA IDENTITY FULL;
   INSERT INTO whole VALUES (1, 'x', NULL, 1.5); UPDATE whole SET b = 2; UPDATE whole SET id = 2; DELETE FROM whole`,
  `CREATE TABLE big (id int PRIMARY KEY, a text, b text NOT NULL, c int, d bytea);
   ALTER TABLE big ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL, ALTER d SET STORAGE EXTERNAL;
   INSERT INTO big VALUES (1, repeat('long ', 2000), repeat('y', 5000), 1, decode(repeat('00ff', 3000), 'hex'));
   UPDATE big SET c = 2; UPDATE big SET a = 'short'; UPDATE big SET id = 2`,
  // A definition that changes between rows, also within a transaction.
  'ALTER TABLE keyless ADD c int DEFAULT 5; INSERT INTO keyless VALUES (2, NULL, 3)',
  'BEGIN; INSERT INTO keyless VALUES (3, NULL, 3); ALTER TABLE keyless DROP b; INSERT INTO keyless VALUES (4, 5); COMMIT',
  "ALTER TABLE whole ALTER c TYPE numeric(8,4); INSERT INTO whole VALUES (3, 'z', 1, 2.25)",
  'BEGIN; INSERT INTO keyless VALUES (5); ROLLBACK; BEGIN; SAVEPOINT s; INSERT INTO keyless VALUES (6); ROLLBACK TO s; INSERT INTO keyless VALUES (7); COMMIT',
  'INSERT INTO whole SELECT i, i::text, i, i FROM generate_series(10, 30) i',
];

/** What must be equal whatever the plugin. */
function comparable(records: readonly AnyRecord[]): unknown[] {
  return records.map(({ topic, key, keySchema, value, valueSchema, headers }) => ({
    topic,
    key,
    keySchema,
    valueSchema,
    before: value?.before,
    after: value?.after,
    op: value?.op,
    source: value && [value.source.table, value.source.schema, value.source.txId, value.source.ts_us],
    headers: headers?.filter((header) => !header.key.startsWith('__debezium.context')),
  }));
}

whereInstalled('output plugins', () => {
  let server: RunningPostgres;
  let database: TestDatabase;
  const runs: TaskRun[] = [];
  beforeAll(async () => {
    server = await startDebianPostgres();
  });
  afterAll(async () => {
    await server?.stop();
  });
  beforeEach(async () => {
    database = await TestDatabase.create('', { server: server.url });
  });
  afterEach(async () => {
    await Promise.all(runs.splice(0).map((run) => run.stop()));
    await database.drop();
  });

  const start = async (
    { plugin, params = '' }: Variant,
    overrides: Record<string, string> = {},
    stored: SourceOffset | null = null,
  ): Promise<TaskRun> => {
    const config = taskConfig(database, {
      'plugin.name': plugin,
      'slot.stream.params': params,
      'publication.autocreate.mode': 'all_tables',
      'snapshot.mode': 'no_data',
      'slot.name': `${database.slot}_${plugin}${params.length}`,
      ...overrides,
    });
    const run = await TaskRun.start(config, stored);
    runs.push(run);
    return run;
  };

  test('cdc-postgres 96 to 98: every plugin streams the events of pgoutput', async () => {
    await database.query(TABLES);
    const reference = await start({ plugin: 'pgoutput' });
    const others: TaskRun[] = [];
    for (const variant of [...VARIANTS, ...RDS]) others.push(await start(variant));
    await database.query(ROWS);
    for (const statements of CHANGES) await database.query(statements);
    await database.query('CREATE TABLE done (id int PRIMARY KEY); INSERT INTO done VALUES (1)');
    const isDone = (records: AnyRecord[]): boolean => records.at(-1)?.value?.source.table === 'done';
    const expected = comparable(await reference.until(isDone));
    expect(expected.length).toBeGreaterThan(50);
    for (const run of others) expect(comparable(await run.until(isDone))).toEqual(expected);
    // The one of pgoutput.
    expect(await database.query('SELECT pubname FROM pg_publication')).toHaveLength(1);
  });

  test.each(['decoderbufs', 'wal2json_streaming'])(
    'cdc-postgres 96 to 98: %s: a default and a key that change alone are known after a reconnect',
    async (plugin) => {
      await database.query('CREATE TABLE t (id int PRIMARY KEY, v int)');
      const run = await start({ plugin });
      await database.query('INSERT INTO t VALUES (1, 1)');
      await run.count(1);
      await database.query('ALTER TABLE t ALTER v SET DEFAULT 7, DROP CONSTRAINT t_pkey');
      await database.query('INSERT INTO t VALUES (2, 2)');
      await run.count(2);
      await database.query(
        'SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database()',
      );
      await database.query('INSERT INTO t VALUES (3, 3)');
      const records = await run.until((all) => all.some(({ value }) => value?.after.id === 3));
      const defaultOf = ({ valueSchema }: AnyRecord): unknown =>
        valueSchema?.fields?.find(({ name }) => name === 'after')?.schema.fields?.[1]?.schema.default;
      expect(records.map((record) => [record.value.after.id, record.key, defaultOf(record)])).toEqual([
        [1, { id: 1 }, undefined],
        [2, { id: 2 }, undefined],
        [3, null, 7],
      ]);
    },
  );

  test('cdc-postgres 96 to 98: tables that were altered or dropped before their rows are read', async () => {
    const whole = 'CREATE TABLE whole (id int PRIMARY KEY, v text); ALTER TABLE whole REPLICA IDENTITY FULL';
    await database.query('CREATE TABLE gone (id int PRIMARY KEY); INSERT INTO gone VALUES (1)');
    const variants: readonly Variant[] = [{ plugin: 'pgoutput' }, ...VARIANTS];
    for (const variant of variants) await (await start(variant)).stop();
    await database.slotsLetGo();
    await database.query(
      `CREATE TABLE swapped (id int PRIMARY KEY, a int, b int); INSERT INTO swapped VALUES (1, 10, 20);
       CREATE TABLE again (id int PRIMARY KEY, a int, v text); INSERT INTO again VALUES (1, 10, 'x'); UPDATE again SET a = 11;
       CREATE TABLE loose (id int, v int); INSERT INTO loose SELECT id, 5 FROM gone; ${whole}`,
    );
    await database.query("INSERT INTO whole VALUES (1, 'x'); DELETE FROM whole");
    await database.query(`DROP TABLE whole; ${whole}`);
    await database.query(
      "CREATE TYPE mood AS ENUM ('sad'); CREATE TYPE color AS ENUM ('red'); CREATE DOMAIN email AS text",
    );
    await database.query('CREATE TABLE typed (id int PRIMARY KEY, m mood, c color, d email)');
    await database.query("INSERT INTO typed VALUES (1, 'sad', 'red', 'a@b')");
    await database.query(
      `ALTER TYPE mood RENAME TO mood_old; CREATE TYPE mood AS ENUM ('sad', 'ok');
       ALTER TABLE typed ALTER m TYPE mood USING m::text::mood, ALTER c TYPE text, ALTER d TYPE text;
       DROP TYPE mood_old, color; DROP DOMAIN email; INSERT INTO typed VALUES (2, 'ok', 'red', 'b@c')`,
    );
    await database.query('DELETE FROM gone');
    await database.query('INSERT INTO loose VALUES (2, 6)');
    await database.query(
      `ALTER TABLE swapped RENAME a TO c; ALTER TABLE swapped RENAME b TO a; ALTER TABLE swapped RENAME c TO b;
       ALTER TABLE again DROP a; ALTER TABLE again ADD a bigint; DROP TABLE gone, loose;
       CREATE TABLE done (id int PRIMARY KEY); INSERT INTO done VALUES (1)`,
    );
    const isDone = (records: AnyRecord[]): boolean => records.at(-1)?.value?.source.table === 'done';
    // Only decoderbufs does not tell the key of a table that is gone.
    const others = (records: readonly AnyRecord[]): AnyRecord[] =>
      records.filter(({ topic }) => !topic.endsWith('.gone'));
    const reference = await (await start({ plugin: 'pgoutput' })).until(isDone);
    expect(reference).toHaveLength(13);
    expect(reference.filter(({ topic }) => topic.endsWith('.whole')).map(({ key }) => key)).toEqual(
      Array(3).fill({ id: 1 }),
    );
    for (const variant of VARIANTS) {
      const run = await start(variant);
      const records = await run.until(isDone);
      const select = variant.plugin === 'decoderbufs' ? others : (all: readonly AnyRecord[]) => all;
      expect(comparable(select(records))).toEqual(comparable(select(reference)));
      expect(run.log.filter(({ message }) => message.includes('was dropped or renamed before'))).toHaveLength(
        variant.plugin === 'decoderbufs' ? 2 : 1,
      );
    }
  });

  test.each(VARIANTS)('cdc-postgres 66: $plugin $params resumes after any record of a transaction', async (variant) => {
    await database.query('CREATE TABLE t (id int PRIMARY KEY, v int)');
    const slow = { 'max.batch.size': '1' };
    let run = await start(variant, slow);
    await database.query('INSERT INTO t VALUES (1, 1)');
    await run.count(1);
    await database.query(
      'BEGIN; INSERT INTO t VALUES (2, 2), (3, 3); UPDATE t SET id = 20 WHERE id = 2; DELETE FROM t WHERE id = 3; INSERT INTO t VALUES (4, 4); COMMIT',
    );
    await database.query('INSERT INTO t VALUES (5, 5)');
    const records = [...(await run.count(10))];
    const positions = records.map(({ sourceOffset }) => sourceOffset as SourceOffset);
    const seen = comparable(records);
    expect(ops(records)).toEqual(['c', 'c', 'c', 'd', 'tombstone', 'c', 'd', 'tombstone', 'c', 'c']);
    // The slot is still where it was, because nothing was confirmed.
    for (const position of positions) {
      await run.stop();
      await database.slotsLetGo();
      run = await start(variant, slow, position);
      // Records before the last one of an event carry the position before it: the event is repeated.
      const done = positions.findIndex(
        (other) =>
          other.lsn === position.lsn &&
          other.tx_event_index === position.tx_event_index &&
          other.txId === position.txId,
      );
      expect(comparable(await run.count(records.length - 1 - done))).toEqual(seen.slice(done + 1));
    }
  });

  test('cdc-postgres 98: a delete decoded after its table got REPLICA IDENTITY FULL has optional columns', async () => {
    await database.query('CREATE TABLE t (id int PRIMARY KEY, v text NOT NULL)');
    const run = await start({ plugin: 'decoderbufs' });
    await database.query(
      "BEGIN; INSERT INTO t VALUES (1, 'one'); DELETE FROM t; ALTER TABLE t REPLICA IDENTITY FULL; COMMIT",
    );
    const [created, deleted] = (await run.count(3)) as [AnyRecord, AnyRecord];
    expect([created.value?.after, deleted.value?.before]).toEqual([
      { id: 1, v: 'one' },
      { id: 1, v: null },
    ]);
    const isOptional = ({ valueSchema }: AnyRecord): unknown =>
      valueSchema?.fields?.[0]?.schema.fields?.[1]?.schema.optional;
    expect([created, deleted].map(isOptional)).toEqual([false, true]);
  });

  test('cdc-postgres 64: a generated key column is in all keys of plugins that send it, and in none of pgoutput', async () => {
    await database.query(`
      CREATE TABLE t (id int, g int GENERATED ALWAYS AS (id * 10) STORED, v text, PRIMARY KEY (g, id));
      INSERT INTO t VALUES (1)`);
    const keys = [];
    const initial = { 'snapshot.mode': 'initial', 'event.incomplete.key.handling': 'warn' };
    const runs = [];
    for (const variant of [{ plugin: 'pgoutput' }, ...VARIANTS]) runs.push(await start(variant, initial));
    for (const run of runs) await run.count(1);
    await database.query("UPDATE t SET v = 'x'; UPDATE t SET id = 2; ALTER TABLE t DROP v; DELETE FROM t");
    for (const run of runs) {
      const records = await run.count(7);
      expect(ops(records)).toEqual(['r', 'u', 'd', 'tombstone', 'c', 'd', 'tombstone']);
      keys.push(records.map(({ key }) => key));
    }
    const ids = [1, 1, 1, 1, 2, 2, 2];
    const sent = ids.map((id) => ({ g: id * 10, id }));
    expect(keys).toEqual([ids.map((id) => ({ id })), ...VARIANTS.map(() => sent)]);
  });
});
