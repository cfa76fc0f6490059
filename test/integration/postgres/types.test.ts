import { JsonConverter } from '../../../src/converters/json/json-converter';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, describe as show, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

interface Seen {
  readonly snapshot: Record<string, unknown>;
  readonly stream: Record<string, unknown>;
  readonly schema: Record<
    string,
    { type: string; name: string | null; parameters: unknown; default: unknown; optional: boolean }
  >;
}

/** The same row by snapshot and by stream. */
async function bothWays(table: string, config: Record<string, string> = {}): Promise<Seen> {
  run = await TaskRun.start(taskConfig(database, { 'table.include.list': `public.${table}`, ...config }));
  const [read] = (await run.count(1)) as [AnyRecord];
  await database.query(`INSERT INTO ${table} SELECT * FROM ${table}`);
  const [, created] = (await run.count(2)) as [AnyRecord, AnyRecord];
  expect([read.value.op, created.value.op]).toEqual(['r', 'c']);
  expect(created.valueSchema).toBe(read.valueSchema);
  const after = read.valueSchema?.fields?.find((field) => field.name === 'after')?.schema;
  const schema: Seen['schema'] = {};
  for (const field of after?.fields ?? []) schema[field.name] = field.schema;
  return { snapshot: read.value.after, stream: created.value.after, schema };
}

/** Column definition, literal, expected value, expected schema. */
type Case = readonly [definition: string, literal: string, value: unknown, type: string, name?: string];

async function check(cases: readonly Case[], config: Record<string, string> = {}): Promise<void> {
  await database.query(`CREATE TABLE v (${cases.map(([definition], i) => `c${i} ${definition}`).join(', ')})`);
  await database.query(`INSERT INTO v VALUES (${cases.map(([, literal]) => literal).join(', ')})`);
  const seen = await bothWays('v', config);
  cases.forEach(([definition, , value, type, name], i) => {
    const column = `c${i}`;
    const schema = seen.schema[column];
    expect([definition, seen.snapshot[column], schema?.type, schema?.name]).toEqual([
      definition,
      value,
      type,
      name ?? null,
    ]);
    expect([definition, seen.stream[column]]).toEqual([definition, value]);
  });
}

const time = (name: string): string => `io.debezium.time.${name}`;
const data = (name: string): string => `io.debezium.data.${name}`;
const DECIMAL = 'org.apache.kafka.connect.data.Decimal';
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

test('cdc-postgres 50: every type in its default form, by snapshot and by stream alike', async () => {
  await database.query(
    'CREATE EXTENSION hstore; CREATE EXTENSION citext; CREATE EXTENSION ltree; CREATE EXTENSION isn;' +
      "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); CREATE DOMAIN price AS numeric(8,3); CREATE DOMAIN price2 AS price",
  );
  await check([
    ['boolean', 'true', true, 'BOOLEAN'],
    ['smallint', '-32768', -32768, 'INT16'],
    ['integer', '2147483647', 2147483647, 'INT32'],
    ['bigint', '9223372036854775807', 9223372036854775807n, 'INT64'],
    ['oid', '4294967295', 4294967295, 'INT64'],
    ['real', '1.5', 1.5, 'FLOAT32'],
    ['double precision', "'NaN'", NaN, 'FLOAT64'],
    ['numeric(10,3)', '123.456', { unscaled: 123456n, scale: 3 }, 'BYTES', DECIMAL],
    ['numeric', '1.10', { scale: 1, value: hex('0b') }, 'STRUCT', data('VariableScaleDecimal')],
    ['money', "'-$1,234.56'", { unscaled: -123456n, scale: 2 }, 'BYTES', DECIMAL],
    ['char(5)', "'ab'", 'ab   ', 'STRING'],
    ['varchar(5)', "'äöü'", 'äöü', 'STRING'],
    ['text', "'日本 🎉'", '日本 🎉', 'STRING'],
    ['name', "'a name'", 'a name', 'STRING'],
    ['citext', "'CiText'", 'CiText', 'STRING'],
    ['isbn', "'0-11-000533-3'", '0-11-000533-3', 'STRING'],
    ['bit(1)', "B'1'", true, 'BOOLEAN'],
    ['bit(12)', "B'000100000001'", hex('0101'), 'BYTES', data('Bits')],
    ['varbit', "B'101'", hex('05'), 'BYTES', data('Bits')],
    ['bytea', "'\\xdeadbeef'", hex('deadbeef'), 'BYTES'],
    ['bytea', "''", Buffer.alloc(0), 'BYTES'],
    ['date', "'2020-06-01'", 18414, 'INT32', time('Date')],
    ['time(3)', "'17:34:20.123'", 63260123, 'INT32', time('Time')],
    ['time', "'17:34:20.123456'", 63260123456, 'INT64', time('MicroTime')],
    ['timetz', "'17:34:20.123456+02'", '15:34:20.123456Z', 'STRING', time('ZonedTime')],
    ['timestamp(3)', "'2020-06-01 17:34:20.123'", 1591032860123, 'INT64', time('Timestamp')],
    ['timestamp', "'2020-06-01 17:34:20.123456'", 1591032860123456, 'INT64', time('MicroTimestamp')],
    ['timestamptz', "'2020-06-01 17:34:20.123456+02'", '2020-06-01T15:34:20.123456Z', 'STRING', time('ZonedTimestamp')],
    ['interval', "'1 year 2 mons 3 days 04:05:06.78'", 37091106780000, 'INT64', time('MicroDuration')],
    ['uuid', "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'STRING', data('Uuid')],
    ['json', `'{"a" :  1}'`, '{"a" :  1}', 'STRING', data('Json')],
    ['jsonb', `'{"b":1,"a":2}'`, '{"a": 2, "b": 1}', 'STRING', data('Json')],
    ['xml', "'<a>x</a>'", '<a>x</a>', 'STRING', data('Xml')],
    ['inet', "'192.168.2.0/24'", '192.168.2.0/24', 'STRING'],
    ['cidr', "'10.0.0.0/8'", '10.0.0.0/8', 'STRING'],
    ['macaddr', "'08:00:2b:01:02:03'", '08:00:2b:01:02:03', 'STRING'],
    ['int4range', "'[1,5)'", '[1,5)', 'STRING'],
    ['hstore', "'a=>1, b=>NULL'", '{"a":"1","b":null}', 'STRING', data('Json')],
    ['ltree', "'a.b.c'", 'a.b.c', 'STRING', data('Ltree')],
    ['tsvector', "'a:1 b:2'::tsvector", "'a':1 'b':2", 'STRING', data('Tsvector')],
    ['mood', "'ok'", 'ok', 'STRING', data('Enum')],
    ['price2', '1.5', { unscaled: 1500n, scale: 3 }, 'BYTES', DECIMAL],
    [
      'point',
      "'(1.5,-2)'",
      { x: 1.5, y: -2, wkb: hex('0101000000000000000000f83f00000000000000c0'), srid: null },
      'STRUCT',
      data('geometry.Point'),
    ],
    ['int', 'NULL', null, 'INT32'],
    ['text[]', `ARRAY['a', 'b,"c', NULL, '', 'NULL', 'x\\y']`, ['a', 'b,"c', null, '', 'NULL', 'x\\y'], 'ARRAY'],
  ]);
});

test('cdc-postgres 50: parameters of decimals, bits and enums', async () => {
  await database.query(
    "CREATE TYPE mood AS ENUM ('sad', 'o,k'); CREATE TABLE v (n numeric(10,3), b bit(12), vb varbit, m mood); INSERT INTO v VALUES (1, B'000000000000', B'', 'sad')",
  );
  const { schema, snapshot } = await bothWays('v');
  expect(Object.values(schema).map((column) => column.parameters)).toEqual([
    { scale: '3', 'connect.decimal.precision': '10' },
    { length: '12' },
    { length: '2147483647' },
    { allowed: 'sad,o,k' },
  ]);
  expect([snapshot.b, snapshot.vb]).toEqual([Buffer.alloc(0), Buffer.alloc(0)]);
});

test('cdc-postgres 51: numerics of 16 digits keep the last one, in keys and in rows, by snapshot and by stream', async () => {
  await database.query(
    'CREATE TABLE d (id numeric(16) PRIMARY KEY, n numeric, m numeric(16)[]); INSERT INTO d VALUES (9007199254740993, 9007199254740993, ARRAY[9999999999999999])',
  );
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await database.query('INSERT INTO d VALUES (9999999999999999, 9999999999999999, ARRAY[9007199254740993])');
  const records = await run.count(2);
  const big = (unscaled: bigint): unknown => ({ unscaled, scale: 0 });
  expect(records.map(({ key, value }) => [key.id, value.after])).toEqual([
    [
      big(9007199254740993n),
      {
        id: big(9007199254740993n),
        n: { scale: 0, value: hex('20000000000001') },
        m: [big(9999999999999999n)],
      },
    ],
    [
      big(9999999999999999n),
      {
        id: big(9999999999999999n),
        n: { scale: 0, value: hex('2386f26fc0ffff') },
        m: [big(9007199254740993n)],
      },
    ],
  ]);
});

describe('cdc-postgres 51: decimals', () => {
  const columns: readonly (readonly [string, string])[] = [
    ['numeric', '1.10'],
    ['numeric', '-0.01'],
    ['numeric', '1e30'],
    ['numeric(5,2)', '0'],
    ['numeric', "'NaN'"],
    ['numeric(8,2)', "'NaN'"],
    ['numeric(38,10)', '-1234567890123456789012345678.0123456789'],
  ];
  const run = async (mode: string, expected: readonly unknown[], types: readonly string[]): Promise<void> =>
    await check(
      columns.map(([definition, literal], i): Case => {
        const struct =
          types[i] === 'STRUCT' ? data('VariableScaleDecimal') : types[i] === 'BYTES' ? DECIMAL : undefined;
        return [definition, literal, expected[i], types[i] as string, struct];
      }),
      { 'decimal.handling.mode': mode },
    );
  test('precise', async () =>
    await run(
      'precise',
      [
        { scale: 1, value: hex('0b') },
        { scale: 2, value: hex('ff') },
        { scale: 0, value: hex('0c9f2c9cd04674edea40000000') },
        { unscaled: 0n, scale: 2 },
        null,
        null,
        { unscaled: -12345678901234567890123456780123456789n, scale: 10 },
      ],
      ['STRUCT', 'STRUCT', 'STRUCT', 'BYTES', 'STRUCT', 'BYTES', 'BYTES'],
    ));
  test('double', async () =>
    await run(
      'double',
      [1.1, -0.01, 1e30, 0, NaN, NaN, Number('-1234567890123456789012345678.0123456789')],
      Array(7).fill('FLOAT64'),
    ));
  test('string', async () =>
    await run(
      'string',
      [
        '1.10',
        '-0.01',
        '1000000000000000000000000000000',
        '0.00',
        'NAN',
        'NAN',
        '-1234567890123456789012345678.0123456789',
      ],
      Array(7).fill('STRING'),
    ));

  test('a decimal with its own scale has it in its schema (Appendix R.19)', async () => {
    await database.query('CREATE TABLE v (n numeric); INSERT INTO v VALUES (1.5)');
    const { schema } = await bothWays('v');
    expect(schema.n).toMatchObject({ name: data('VariableScaleDecimal'), version: 1, doc: 'Variable scaled decimal' });
  });

  test('infinities, and NaN in a required column without default (Appendix R.5)', async () => {
    await check([['numeric', "'-Infinity'", 'NEGATIVE_INFINITY', 'STRING']], { 'decimal.handling.mode': 'string' });
  });

  test('cdc-postgres R5: NaN in a required column fails with a sentence, or is the default', async () => {
    await database.query(
      "CREATE TABLE d (id int PRIMARY KEY, n numeric(5,2) NOT NULL DEFAULT 7.5); INSERT INTO d VALUES (1, 'NaN')",
    );
    const defaults = await TaskRun.start(taskConfig(database));
    expect((await defaults.count(1))[0]?.value.after.n).toEqual({ unscaled: 750n, scale: 2 });
    await database.query(
      'ALTER TABLE d ALTER n DROP DEFAULT, ALTER n TYPE numeric(6,2); INSERT INTO d VALUES (2, $$NaN$$)',
    );
    await expect(defaults.count(2)).rejects.toThrow('Invalid value: null used for required field: "n"');
    await defaults.stop();
  });
});

describe('cdc-postgres 52, 53: temporal modes', () => {
  beforeEach(async () => {
    await database.query(`ALTER DATABASE ${database.name} SET timezone = 'America/New_York'`);
  });
  const moment = "'2020-06-01 17:34:20.123456'";

  test('adaptive with precisions 0, 3 and 6', async () =>
    await check([
      ['time(0)', "'17:34:20'", 63260000, 'INT32', time('Time')],
      ['timestamp(0)', "'2020-06-01 17:34:20'", 1591032860000, 'INT64', time('Timestamp')],
      ['timestamptz(0)', "'2020-06-01 17:34:20+00'", '2020-06-01T17:34:20Z', 'STRING', time('ZonedTimestamp')],
      ['timestamptz(3)', "'2020-06-01 17:34:20.12+00'", '2020-06-01T17:34:20.120Z', 'STRING', time('ZonedTimestamp')],
      ['timestamptz', "'2020-06-01 17:34:20+00'", '2020-06-01T17:34:20.000000Z', 'STRING', time('ZonedTimestamp')],
      ['timetz(0)', "'01:00:00+02'", '23:00:00Z', 'STRING', time('ZonedTime')],
    ]));
  test('adaptive_time_microseconds', async () =>
    await check([['time(3)', "'17:34:20.123'", 63260123000, 'INT64', time('MicroTime')]], {
      'time.precision.mode': 'adaptive_time_microseconds',
    }));
  test('connect', async () =>
    await check(
      [
        ['date', "'2020-06-01'", new Date('2020-06-01T00:00:00Z'), 'INT32', 'org.apache.kafka.connect.data.Date'],
        ['time', "'17:34:20.123456'", new Date(63260123), 'INT32', 'org.apache.kafka.connect.data.Time'],
        ['timestamp', moment, new Date('2020-06-01T17:34:20.123Z'), 'INT64', 'org.apache.kafka.connect.data.Timestamp'],
      ],
      { 'time.precision.mode': 'connect' },
    ));
  test('cdc-postgres R20: connect: infinity and dates that a JavaScript Date does not reach are numbers', async () => {
    const days = 'org.apache.kafka.connect.data.Date';
    const millis = 'org.apache.kafka.connect.data.Timestamp';
    await check(
      [
        ['date', "'infinity'", 2146033979, 'INT32', days],
        ['date', "'-infinity'", -2147472691, 'INT32', days],
        ['date', "'275760-09-13'", new Date(8.64e15), 'INT32', days],
        ['date', "'275760-09-14'", 100_000_001, 'INT32', days],
        ['date', "'5874897-12-31'", 2145042905, 'INT32', days],
        ['timestamp', "'275760-09-13'", new Date(8.64e15), 'INT64', millis],
        ['timestamp', "'294247-01-10 04:00:54.775807'", 9223372036854775n, 'INT64', millis],
        ['timestamp', "'infinity'", 9223372036825200000n, 'INT64', millis],
        ['timestamp', "'-infinity'", -9223372036832400000n, 'INT64', millis],
      ],
      { 'time.precision.mode': 'connect' },
    );
  });
  test('isostring', async () =>
    await check(
      [
        ['date', "'2020-06-01'", '2020-06-01Z', 'STRING', time('IsoDate')],
        ['time', "'17:34:20.123456'", '17:34:20.123456Z', 'STRING', time('IsoTime')],
        ['timestamp', moment, '2020-06-01T17:34:20.123456Z', 'STRING', time('IsoTimestamp')],
      ],
      { 'time.precision.mode': 'isostring' },
    ));
  test('isostring: infinity stays that word, and 24:00:00 is the end of its day (Appendix R.20)', async () =>
    await check(
      [
        ['date', "'infinity'", 'infinity', 'STRING', time('IsoDate')],
        ['date', "'-infinity'", '-infinity', 'STRING', time('IsoDate')],
        ['timestamp', "'infinity'", 'infinity', 'STRING', time('IsoTimestamp')],
        ['timestamp', "'-infinity'", '-infinity', 'STRING', time('IsoTimestamp')],
        ['timestamp', "'294247-01-10'", '+294247-01-10T00:00:00Z', 'STRING', time('IsoTimestamp')],
        ['time', "'24:00:00'", '24:00:00Z', 'STRING', time('IsoTime')],
      ],
      { 'time.precision.mode': 'isostring' },
    ));
  test('microseconds', async () =>
    await check(
      [
        ['time(0)', "'17:34:20'", 63260000000, 'INT64', time('MicroTime')],
        ['timestamp(0)', "'2020-06-01 17:34:20'", 1591032860000000, 'INT64', time('MicroTimestamp')],
      ],
      { 'time.precision.mode': 'microseconds' },
    ));
  test('nanoseconds; a time beyond the range fails and names table, column and value (Appendix R.4)', async () => {
    await check(
      [
        ['time', "'17:34:20.123456'", 63260123456000, 'INT64', time('NanoTime')],
        ['timestamp', moment, 1591032860123456000n, 'INT64', time('NanoTimestamp')],
      ],
      { 'time.precision.mode': 'nanoseconds' },
    );
    await database.query("UPDATE v SET c1 = '2500-01-01'; ALTER TABLE v REPLICA IDENTITY FULL").catch(() => undefined);
    await database.query("INSERT INTO v VALUES (NULL, '2500-01-01')");
    await expect(run?.count(3)).rejects.toMatchObject({
      code: 'PG_DECODE',
      message: expect.stringMatching(/Column "c1" of table public\.v .*2500-01-01 00:00:00/),
    });
  });

  test('cdc-postgres R21: microseconds that do not fit into 64 bits wrap around as in Debezium', async () =>
    await check([
      ['timestamp', "'294247-01-10 04:00:54.775807'", 9223372036854775807n, 'INT64', time('MicroTimestamp')],
      ['timestamp', "'294276-12-31 23:59:59.999999'", -9223372036853775810n, 'INT64', time('MicroTimestamp')],
      ['timestamp(3)', "'294276-12-31 23:59:59.999'", 9224318015999999n, 'INT64', time('Timestamp')],
    ]));

  test('cdc-postgres 53, R1, R2: infinity, BC, far years and 24:00', async () =>
    await check([
      ['timestamp', "'infinity'", 9223372036854775807n, 'INT64', time('MicroTimestamp')],
      ['timestamp', "'-infinity'", -9223372036854775808n, 'INT64', time('MicroTimestamp')],
      ['timestamp(3)', "'infinity'", 9223372036825200000n, 'INT64', time('Timestamp')],
      ['timestamp(3)', "'-infinity'", -9223372036832400000n, 'INT64', time('Timestamp')],
      ['timestamptz', "'infinity'", 'infinity', 'STRING', time('ZonedTimestamp')],
      ['timestamptz', "'-infinity'", '-infinity', 'STRING', time('ZonedTimestamp')],
      ['date', "'infinity'", 2146033979, 'INT32', time('Date')],
      ['date', "'-infinity'", -2147472691, 'INT32', time('Date')],
      ['date', "'0044-03-15 BC'", -735160, 'INT32', time('Date')],
      ['date', "'4713-01-01 BC'", -2440550, 'INT32', time('Date')],
      ['date', "'1582-10-14'", -141428, 'INT32', time('Date')],
      ['timestamptz', "'0044-03-15 12:00:00+00 BC'", '-0043-03-15T12:00:00.000000Z', 'STRING', time('ZonedTimestamp')],
      ['timestamptz', "'20000-01-01 00:00:00+00'", '+20000-01-01T00:00:00.000000Z', 'STRING', time('ZonedTimestamp')],
      ['timestamp', "'20000-01-01'", 568971820800000000n, 'INT64', time('MicroTimestamp')],
      ['timestamp', "'0001-01-01'", -62135596800000000n, 'INT64', time('MicroTimestamp')],
      ['time', "'24:00:00'", 86400000000, 'INT64', time('MicroTime')],
      ['timetz', "'24:00:00+00'", '24:00:00Z', 'STRING', time('ZonedTime')],
    ]));
});

test('cdc-postgres 54: intervals, whatever the IntervalStyle of the server', async () => {
  await database.query(`ALTER DATABASE ${database.name} SET intervalstyle = 'iso_8601'`);
  await check([
    ['interval', "'-1 year -2 mons +3 days -04:05:06.78'", -36572706780000, 'INT64', time('MicroDuration')],
    ['interval', "'0'", 0, 'INT64', time('MicroDuration')],
    ['interval', "'1 mon'", 2629800000000, 'INT64', time('MicroDuration')],
    ['interval', "'178000000 years'", 9223372036854775807n, 'INT64', time('MicroDuration')],
  ]);
});

test('cdc-postgres 54: intervals as text', async () =>
  await check(
    [
      ['interval', "'1 year 2 mons 3 days 04:05:06.78'", 'P1Y2M3DT4H5M6.78S', 'STRING', time('Interval')],
      ['interval', "'-1 year -2 mons +3 days -04:05:06.78'", 'P-1Y-2M3DT-4H-5M-6.78S', 'STRING', time('Interval')],
      ['interval', "'0'", 'P0Y0M0DT0H0M0S', 'STRING', time('Interval')],
    ],
    { 'interval.handling.mode': 'string' },
  ));

test('cdc-postgres 55: money, whatever the locale of the server', async () => {
  await database.query(`ALTER DATABASE ${database.name} SET lc_monetary = 'C.UTF-8'`);
  await check([['money', '1234567.89::numeric::money', '1234567.89', 'STRING']], { 'decimal.handling.mode': 'string' });
});

describe('cdc-postgres 56: hstore and bytea modes', () => {
  beforeEach(async () => {
    await database.query('CREATE EXTENSION hstore');
  });
  test('map', async () =>
    await check(
      [
        [
          'hstore',
          `'"a \\"q"=>"1 \\\\ 2", b=>NULL'`,
          new Map([
            ['a "q', '1 \\ 2'],
            ['b', null],
          ] as [string, string | null][]),
          'MAP',
        ],
      ],
      { 'hstore.handling.mode': 'map' },
    ));
  test.each([
    ['base64', '+/8='],
    ['base64-url-safe', '-_8='],
    ['hex', 'fbff'],
  ])('%s', async (mode, text) => {
    await check(
      [
        ['bytea', "'\\xfbff'", text, 'STRING'],
        ['bytea', "''", '', 'STRING'],
      ],
      { 'binary.handling.mode': mode },
    );
  });
});

test('cdc-postgres 57: a label added while running', async () => {
  await database.query(
    "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TABLE v (id int PRIMARY KEY, m mood); INSERT INTO v VALUES (1, 'ok')",
  );
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await database.query("ALTER TYPE mood ADD VALUE 'happy' BEFORE 'ok'");
  await database.query("INSERT INTO v VALUES (2, 'happy')");
  await database.query("INSERT INTO v VALUES (3, 'sad')");
  const records = await run.count(3);
  const allowed = (record: AnyRecord | undefined): unknown =>
    record?.valueSchema?.fields?.[1]?.schema.fields?.[1]?.schema.parameters?.allowed;
  expect(records.map(allowed)).toEqual(['sad,ok', 'sad,happy,ok', 'sad,happy,ok']);
  expect(records.map((record) => record.value.after.m)).toEqual(['ok', 'happy', 'sad']);
  expect(records[1]?.valueSchema).toBe(records[2]?.valueSchema);
});

test('cdc-postgres 57: a label added while running is in the schema of every table and type that has it', async () => {
  await database.query(
    "CREATE TYPE mood AS ENUM ('sad'); CREATE TYPE other AS ENUM ('odd'); CREATE TABLE a (id int PRIMARY KEY, m mood); " +
      'CREATE TABLE b (id int PRIMARY KEY, m mood); CREATE TABLE c (id int PRIMARY KEY, m mood[]); CREATE TABLE d (id int PRIMARY KEY, m other)',
  );
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }));
  await database.query(
    "INSERT INTO a VALUES (1, 'sad'); INSERT INTO b VALUES (1, 'sad'); INSERT INTO c VALUES (1, '{sad}')",
  );
  await database.query("INSERT INTO d VALUES (1, 'odd')");
  await run.count(4);
  await database.query("ALTER TYPE mood ADD VALUE 'happy'");
  await database.query(
    "INSERT INTO a VALUES (2, 'happy'); INSERT INTO b VALUES (2, 'happy'); INSERT INTO c VALUES (2, '{happy}')",
  );
  await run.count(7);
  await database.query("ALTER TYPE other ADD VALUE 'happy'");
  await database.query("INSERT INTO d VALUES (2, 'happy')");
  const records = (await run.count(8)).slice(4);
  const allowed = ({ valueSchema }: AnyRecord): unknown => {
    const column = valueSchema?.fields?.[1]?.schema.fields?.[1]?.schema;
    return (column?.valueSchema ?? column)?.parameters?.allowed;
  };
  expect(records.map((record) => [record.value.source.table, allowed(record)])).toEqual([
    ['a', 'sad,happy'],
    ['b', 'sad,happy'],
    ['c', 'sad,happy'],
    ['d', 'odd,happy'],
  ]);
});

test('cdc-postgres 57: rows with labels renamed since then are emitted unchanged', async () => {
  await database.query("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TABLE v (id int PRIMARY KEY, m mood, n mood)");
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data' }));
  await database.query(
    "BEGIN; INSERT INTO v VALUES (1, 'sad', 'ok'); ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'; ALTER TYPE mood RENAME VALUE 'ok' TO 'fine'; COMMIT",
  );
  await database.query("INSERT INTO v VALUES (2, 'blue', 'fine')");
  const records = await run.count(2);
  expect(records.map((record) => record.value.after)).toEqual([
    { id: 1, m: 'sad', n: 'ok' },
    { id: 2, m: 'blue', n: 'fine' },
  ]);
});

test('cdc-postgres 58: arrays of domains only as unknown data types', async () => {
  await database.query(
    'CREATE DOMAIN d AS int; CREATE TABLE v (a int, b d[]); INSERT INTO v VALUES (1, ARRAY[1,2]::d[])',
  );
  const seen = await bothWays('v');
  expect(seen.stream).toEqual({ a: 1 });
  expect(run?.log.filter((line) => /public\.v\.b is omitted/.test(line.message)).length).toBeGreaterThanOrEqual(1);
});

test('cdc-postgres 50: values do not depend on database.initial.statements', async () => {
  await check(
    [
      ['date', "'2020-06-01'", 18414, 'INT32', time('Date')],
      ['timestamp', "'2020-06-01 17:34:20.123456'", 1591032860123456, 'INT64', time('MicroTimestamp')],
      ['timestamptz', "'2020-06-01 17:34:20+00'", '2020-06-01T17:34:20.000000Z', 'STRING', time('ZonedTimestamp')],
      ['tstzrange', "'[2020-06-01 00:00:00+00,)'", '["2020-06-01 00:00:00+00",)', 'STRING'],
      ['interval', "'1 day 2 hours'", 93600000000, 'INT64', time('MicroDuration')],
      ['bytea', "'\\xff00'", hex('ff00'), 'BYTES'],
      ['float8', '0.1::float8 + 0.2::float8', 0.1 + 0.2, 'FLOAT64'],
      ['money', "'1234.56'", { unscaled: 123456n, scale: 2 }, 'BYTES', DECIMAL],
      ['text', "'ä'", 'ä', 'STRING'],
    ],
    {
      'database.initial.statements':
        "SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'iso_8601'; SET bytea_output = 'escape'; SET extra_float_digits = 0; SET TimeZone = 'Europe/Berlin'; SET client_encoding = 'LATIN1'",
    },
  );
});

test('cdc-postgres 59: int2vector and oidvector are arrays of their numbers', async () => {
  await check([
    ['int2vector', "'1 -2 3'", [1, -2, 3], 'ARRAY'],
    ['oidvector', "'4294967295 0'", [4294967295, 0], 'ARRAY'],
    ['oidvector', "''", [], 'ARRAY'],
    ['int2vector', 'NULL', null, 'ARRAY'],
  ]);
});

test('cdc-postgres 59: arrays', async () => {
  await database.query("CREATE TYPE mood AS ENUM ('sad', 'ok')");
  await check([
    ['int[]', "'{1,NULL,3}'", [1, null, 3], 'ARRAY'],
    ['int[]', "'{}'", [], 'ARRAY'],
    ['int[]', "'[0:1]={5,6}'", [5, 6], 'ARRAY'],
    ['int[]', "'{{1,2},{3,4}}'", null, 'ARRAY'],
    ['bigint[]', "'{9223372036854775807}'", [9223372036854775807n], 'ARRAY'],
    ['numeric(5,2)[]', "'{1.5}'", [{ unscaled: 150n, scale: 2 }], 'ARRAY'],
    ['time[]', "'{17:34:20.123456}'", [63260123456], 'ARRAY'],
    ['timestamptz[]', "'{2020-06-01 17:34:20.5+00}'", ['2020-06-01T17:34:20.500000Z'], 'ARRAY'],
    ['tsvector[]', `ARRAY['a b'::tsvector]`, ["'a' 'b'"], 'ARRAY'],
    ['tsvector[]', `ARRAY['a'::tsvector, NULL]`, null, 'ARRAY'],
    ['mood[]', "'{ok,sad}'", ['ok', 'sad'], 'ARRAY'],
    ['mood[]', "'{ok,NULL}'", null, 'ARRAY'],
    ['bytea[]', `'{"\\\\x01ff"}'`, [hex('01ff')], 'ARRAY'],
    ['bool[]', "'{t,f}'", [true, false], 'ARRAY'],
    ['uuid[]', "'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'", ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], 'ARRAY'],
    ['jsonb[]', `ARRAY['{"a": [1, 2]}'::jsonb]`, ['{"a": [1, 2]}'], 'ARRAY'],
  ]);
});

test('cdc-postgres 61: ranges', async () => {
  await database.query(`ALTER DATABASE ${database.name} SET timezone = 'America/New_York'`);
  await check([
    ['int8range', "'empty'", 'empty', 'STRING'],
    ['numrange', "'(,5.5]'", '(,5.5]', 'STRING'],
    ['daterange', "'[2020-01-01,infinity)'", '[2020-01-01,infinity)', 'STRING'],
    [
      'tstzrange',
      "'[2020-01-01 00:00:00+00,2020-02-01 00:00:00+00)'",
      '["2020-01-01 00:00:00+00","2020-02-01 00:00:00+00")',
      'STRING',
    ],
  ]);
});

test('cdc-postgres 62: unknown types are skipped with a warning, or emitted as bytes when configured', async () => {
  await database.query(
    `CREATE TYPE pair AS (a int, b text);
     CREATE TABLE v (id int, p pair, q int4multirange, l pg_lsn[], t tsquery[], i interval[]);
     INSERT INTO v VALUES (1, '(1,x)', '{[1,3)}', '{0/1,0/2}', '{a}', '{1 day}')`,
  );
  const seen = await bothWays('v');
  expect(seen.snapshot).toEqual({ id: 1 });
  expect(seen.stream).toEqual({ id: 1 });
  await run?.stop();
  await database.dropSlots();
  await database.query('DELETE FROM v WHERE ctid <> (SELECT min(ctid) FROM v)').catch(() => undefined);
  const bytes = await TaskRun.start(taskConfig(database, { 'include.unknown.datatypes': 'true' }));
  const bytesOf = (text: string): Buffer => Buffer.from(text);
  const [{ value }] = (await bytes.count(1)) as [AnyRecord];
  const { p, l, t, i } = value.after;
  expect([p, l, t, i]).toEqual([
    bytesOf('(1,x)'),
    [bytesOf('0/1'), bytesOf('0/2')],
    [bytesOf("'a'")],
    bytesOf('{"1 day"}'),
  ]);
  await bytes.stop();
});

test('cdc-postgres 63: defaults in key and value schema', async () => {
  await database.query(
    `CREATE TYPE mood AS ENUM ('sad', 'ok');
     CREATE DOMAIN dom AS int DEFAULT 3;
     CREATE TABLE v (
       id serial PRIMARY KEY, i int DEFAULT 42, n int DEFAULT -1, t text DEFAULT 'it''s', c char(3) DEFAULT 'ab', b bool DEFAULT true,
       d numeric(5,2) DEFAULT 1.5, f float8 DEFAULT 2.5, created timestamp DEFAULT now(), tz timestamptz DEFAULT CURRENT_TIMESTAMP,
       day date DEFAULT CURRENT_DATE, day2 date DEFAULT '2020-06-01', u uuid DEFAULT gen_random_uuid(), up text DEFAULT upper('x'),
       e int DEFAULT 1 + 2, bits bit(3) DEFAULT B'101', iv interval DEFAULT '1 day', inf date DEFAULT 'infinity', nul text DEFAULT NULL,
       js jsonb DEFAULT '{"a": 1}', m mood DEFAULT 'ok', vn numeric DEFAULT 5, bin bytea DEFAULT '\\x01', arr int[] DEFAULT '{}',
       ident int GENERATED ALWAYS AS IDENTITY, gen int GENERATED ALWAYS AS (1) STORED, dm dom, ip inet DEFAULT '10.0.0.1', big bigint DEFAULT 9223372036854775807);
     INSERT INTO v(created) VALUES (NULL)`,
  );
  run = await TaskRun.start(taskConfig(database));
  const [record] = (await run.count(1)) as [AnyRecord];
  const defaults = Object.fromEntries(
    (record.valueSchema?.fields?.[1]?.schema.fields ?? [])
      .filter((field) => field.schema.default !== undefined)
      .map((field) => [field.name, field.schema.default]),
  );
  expect(defaults).toEqual({
    id: 0,
    i: 42,
    n: -1,
    t: "it's",
    c: 'ab',
    b: true,
    d: { unscaled: 150n, scale: 2 },
    f: 2.5,
    created: 0,
    tz: '1970-01-01T00:00:00.000000Z',
    day: 0,
    day2: 18414,
    inf: 169560311,
    u: '00000000-0000-0000-0000-000000000000',
    up: '',
    bits: hex('05'),
    iv: 86400000000,
    js: '{"a": 1}',
    m: 'ok',
    big: 9223372036854775807n,
  });
  expect(record.keySchema?.fields?.[0]?.schema.default).toBe(0);
  expect(record.value.after.created).toBeNull();
});

test('cdc-postgres 63: NULL in a column of json, jsonb, xml or an enum whose default is a function stays null', async () => {
  await database.query(
    `CREATE TYPE mood AS ENUM ('sad', 'ok');
     CREATE TABLE v (id int PRIMARY KEY, j json DEFAULT json_build_object(), b jsonb DEFAULT jsonb_build_array(),
       m mood DEFAULT enum_first(NULL::mood), x xml DEFAULT xmlcomment('a'), r jsonb NOT NULL DEFAULT jsonb_build_object());
     INSERT INTO v VALUES (1, NULL, NULL, NULL, NULL)`,
  );
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await database.query('INSERT INTO v VALUES (2, NULL, NULL, NULL, NULL)');
  // Converters replace null with the default of a schema.
  const converter = new JsonConverter();
  converter.configure({ 'schemas.enable': 'false' });
  for (const [i, { valueSchema, value }] of (await run.count(2)).entries()) {
    const { after } = JSON.parse(
      converter.fromConnectData('t', valueSchema, value)?.toString() ?? '',
    ) as AnyRecord['value'];
    expect(after).toEqual({ id: i + 1, j: null, b: null, m: null, x: null, r: '{}' });
  }
});

test('cdc-postgres 63: a default of another type than its column has the value that a row would get, or is absent', async () => {
  const none = undefined;
  const cases: readonly (readonly [definition: string, expected: unknown])[] = [
    ['int DEFAULT 0.0', none],
    ['int DEFAULT 1.5', none],
    ['int DEFAULT -0.5', none],
    ['int DEFAULT 9999999999', none],
    ["int DEFAULT '12'", 12],
    ["smallint DEFAULT '7'", 7],
    ['int DEFAULT 5::bigint', 5],
    ['bigint DEFAULT 1e3', 1000],
    ["bigint DEFAULT '-5'::integer", -5],
    ['int DEFAULT true::int', none],
    ['text DEFAULT true', 'true'],
    ['text DEFAULT false', 'false'],
    ['text DEFAULT 5', '5'],
    ['text DEFAULT 1e3', '1000'],
    ['varchar(9) DEFAULT 1.50', '1.50'],
    ["varchar(50) DEFAULT '2020-01-01'::date", '2020-01-01'],
    ["bool DEFAULT 'yes'", true],
    ["bool DEFAULT 'off'", false],
    ['bool DEFAULT 1::bool', none],
    ['numeric(6,2) DEFAULT 5', { unscaled: 500n, scale: 2 }],
    ['numeric(6,2) DEFAULT 1.500', { unscaled: 150n, scale: 2 }],
    ['numeric(6,2) DEFAULT 1e2', { unscaled: 10000n, scale: 2 }],
    ['numeric(6,2) DEFAULT 5.7::int', none],
    ['numeric(3,1) DEFAULT 2.25', none],
    ["numeric(5,2) DEFAULT 'NaN'", none],
    ['real DEFAULT 0.1', 0.1],
    ['double precision DEFAULT 3', 3],
    ['double precision DEFAULT 0.5::numeric', 0.5],
    ["bit(1) DEFAULT B'1'", true],
    ["bit(3) DEFAULT '101'", hex('05')],
    ["date DEFAULT timestamp '2020-01-03 10:00'", 18264],
    ["date DEFAULT timestamptz '2020-01-01 00:00+05'", none],
    ["timestamp DEFAULT date '2020-01-02'", 1577923200000000],
    ["timestamp(3) DEFAULT '2020-01-01 00:00:00.1234'", 1577836800123],
    ["timestamptz DEFAULT '2020-01-01 00:00:00+02'", '2019-12-31T22:00:00.000000Z'],
    ["timestamptz DEFAULT timestamp '2020-01-01'", none],
    ["time DEFAULT timestamp '2020-01-01 10:00'", 36000000000],
    ["interval DEFAULT time '10:00'", 36000000000],
    ["date DEFAULT '-infinity'", -170999002],
  ];
  await database.query(`CREATE TABLE v (${cases.map(([definition], i) => `c${i} ${definition}`).join(', ')})`);
  await database.query('INSERT INTO v (c3) VALUES (1)');
  run = await TaskRun.start(taskConfig(database));
  const [record] = (await run.count(1)) as [AnyRecord];
  const fields = record.valueSchema?.fields?.[1]?.schema.fields ?? [];
  expect(fields.map((field, i) => [cases[i]?.[0], field.schema.default])).toEqual(cases);
});

test.each([
  ['adaptive', [169560311, -170999002, 86399999999, 86399999, -9223372036853775810n, -9223372036854775808n, undefined]],
  [
    'isostring',
    [
      '+999999999-12-31Z',
      '-999999999-01-01Z',
      '23:59:59.999999999Z',
      '23:59:59.999999999Z',
      '+999999999-12-31T23:59:59.999999999Z',
      '-999999999-01-01T00:00:00Z',
      '+999999999-12-31T23:59:59.999999999Z',
    ],
  ],
  ['connect', [169560311, -170999002, new Date(86399999), new Date(86399999), undefined, undefined, undefined]],
])('cdc-postgres 63, R14: infinite defaults are the last values of java.time: %s', async (mode, expected) => {
  await database.query(
    `CREATE TABLE v (d date DEFAULT 'infinity', d2 date DEFAULT '-infinity', t time DEFAULT '24:00', t3 time(3) DEFAULT '24:00',
       ts timestamp DEFAULT 'infinity', ts2 timestamp DEFAULT '-infinity', ts3 timestamp(3) DEFAULT 'infinity',
       z timestamptz DEFAULT 'infinity', tz timetz DEFAULT '01:02+02', n name DEFAULT 'n', o oid DEFAULT 5, l "char" DEFAULT 'a');
     INSERT INTO v DEFAULT VALUES`,
  );
  run = await TaskRun.start(taskConfig(database, { 'time.precision.mode': mode }));
  const [record] = (await run.count(1)) as [AnyRecord];
  const defaults = (record.valueSchema?.fields?.[1]?.schema.fields ?? []).map((field) => field.schema.default);
  // The types of the last five columns have no defaults in schemas.
  expect(defaults).toEqual([...expected, ...new Array<undefined>(5).fill(undefined)]);
});

test('cdc-postgres 63: defaults of numerics as text have the digits of their columns', async () => {
  await database.query(
    'CREATE TABLE v (id int, a numeric(6,2) DEFAULT 1.5, b numeric(6,2) DEFAULT 5, c numeric DEFAULT 1.50); INSERT INTO v VALUES (1)',
  );
  const { schema } = await bothWays('v', { 'decimal.handling.mode': 'string' });
  expect(Object.values(schema).map((column) => column.default)).toEqual([undefined, '1.50', '5.00', '1.50']);
});

test('cdc-postgres 64: a generated column has one schema in snapshot and stream', async () => {
  await database.query(
    'CREATE TABLE v (id int PRIMARY KEY, g int NOT NULL GENERATED ALWAYS AS (id * 2) STORED, z text); INSERT INTO v(id, z) VALUES (1, $$a$$)',
  );
  run = await TaskRun.start(taskConfig(database));
  await run.count(1);
  await database.query('INSERT INTO v(id, z) VALUES (2, $$b$$)');
  const [read, created] = (await run.count(2)) as [AnyRecord, AnyRecord];
  expect(read.value.after).toEqual({ id: 1, g: 2, z: 'a' });
  expect(created.value.after).toEqual({ id: 2, g: null, z: 'b' });
  expect(show(Object.keys(created.value.after))).toBe('["id","g","z"]');
  expect(created.valueSchema).toBe(read.valueSchema);
});
