/** Column types of generated tables, with values that reach their limits. */
export interface GeneratedType {
  /** Part of a column's name, by which explained differences find it. */
  readonly tag: string;
  readonly sql: string;
  /** SQL expressions. */
  readonly values: readonly string[];
  /** SQL expressions that every mode can publish in a column that is NOT NULL; empty for none. (Default: `values`) */
  readonly required?: readonly string[];
  /** (Default: false) */
  readonly noArray?: boolean;
  /** (Default: the first value) */
  readonly defaults?: readonly string[];
  /** Values are stored out of line. (Default: false) */
  readonly external?: boolean;
}

const quoted = (...values: string[]): string[] => values.map((value) => `'${value.replaceAll("'", "''")}'`);
const UUID = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
const ODD_TEXT = [
  'plain',
  '',
  'NULL',
  '{}',
  'a "quoted" \\ back\\slash',
  "it's",
  'new\nline\ttab',
  'äöü €',
  '😀𝒳',
  '   blanks ',
];
const LONG = "repeat('x', 3000)";

/**
 * @param nanoseconds leaves out what fails Debezium's task in that mode: times beyond 64 bits, and deletes of rows with
 *   a `timestamp` that is NOT NULL
 */
export function generatedTypes(nanoseconds: boolean): readonly GeneratedType[] {
  const near = quoted(
    '2020-06-01 17:34:20.123456',
    '1960-01-01 00:00:00.0005',
    '1970-01-01',
    '2261-12-31 23:59:59.999999',
    'infinity',
    '-infinity',
  );
  const far = quoted(
    '0001-01-01',
    '0044-03-15 12:00:00 BC',
    '4713-01-01 BC',
    '1582-10-10',
    '9999-12-31 23:59:59.999999',
    '275760-09-13 00:00:00.001',
    '294247-01-10 04:00:54.775807',
    '294276-12-31 23:59:59.999999',
  );
  const timestamps = nanoseconds ? near : [...near, ...far];
  const neverRequired = nanoseconds ? { required: [] } : {};
  const zoned = [...near, ...far];
  return [
    { tag: 'bool', sql: 'boolean', values: ['true', 'false'] },
    { tag: 'int2', sql: 'smallint', values: ['0', '-32768', '32767'], defaults: ['7', '1+1'] },
    { tag: 'int4', sql: 'integer', values: ['0', '-2147483648', '2147483647', '5'], defaults: ['42', '-1', "'7'"] },
    {
      tag: 'int8',
      sql: 'bigint',
      values: ['0', '-9223372036854775808', '9223372036854775807', '9007199254740993'],
      defaults: ['9223372036854775807', '-1'],
    },
    { tag: 'oid', sql: 'oid', values: ['0', '4294967295'] },
    {
      tag: 'float4',
      sql: 'real',
      values: ['0.1', "'NaN'", "'infinity'", "'-infinity'", '1e-37', '3.4e38', '-0.0', '16777217', '158007.125'],
    },
    {
      tag: 'float8',
      sql: 'double precision',
      values: [
        '0.1',
        "'NaN'",
        "'infinity'",
        "'-infinity'",
        '5e-324',
        '1.7976931348623157e308',
        '-0.0',
        '1e21',
        '123456789012345680',
      ],
      defaults: ['2.5', "'NaN'"],
    },
    {
      tag: 'numeric52',
      sql: 'numeric(5,2)',
      values: ['0', '1.5', '-999.99', '999.99', "'NaN'"],
      required: ['0', '1.5', '-999.99'],
      defaults: ['1.5', '0', '100'],
    },
    { tag: 'numeric380', sql: 'numeric(38)', values: ['0', '1'.repeat(38), '-' + '9'.repeat(38)] },
    {
      tag: 'numeric',
      sql: 'numeric',
      values: [
        '0',
        '1.10',
        '-100',
        '1e-20',
        '1e40',
        '12345678901234567890.123456789',
        "'NaN'",
        "'Infinity'",
        "'-Infinity'",
      ],
      required: ['0', '1.10', '-100', '1e40'],
    },
    { tag: 'money', sql: 'money', values: ['0', '1234.56', '-12.34', "'92233720368547758.07'"], noArray: true },
    { tag: 'char3', sql: 'char(3)', values: quoted('a', 'abc', '') },
    { tag: 'charq', sql: '"char"', values: quoted('a', 'Z') },
    { tag: 'varchar', sql: 'varchar(40)', values: quoted(...ODD_TEXT), defaults: quoted("it's", '', 'x') },
    {
      tag: 'text',
      sql: 'text',
      values: [...quoted(...ODD_TEXT), LONG],
      defaults: [...quoted("it's", 'd'), "upper('x')"],
      external: true,
    },
    { tag: 'citext', sql: 'citext', values: quoted(...ODD_TEXT) },
    { tag: 'name', sql: 'name', values: quoted('n', 'Name'), noArray: true },
    { tag: 'isbn', sql: 'isbn', values: quoted('0-393-04002-X') },
    { tag: 'bit1', sql: 'bit(1)', values: ["B'0'", "B'1'"] },
    { tag: 'bit12', sql: 'bit(12)', values: ["B'000000000000'", "B'000100000001'", "B'111111111111'"] },
    { tag: 'varbit', sql: 'varbit', values: ["B''", "B'101'", "B'0000000010000000'"], noArray: true },
    { tag: 'bytea', sql: 'bytea', values: ["'\\x'", "'\\x00ff'", "'\\xfbff00'", `${LONG}::bytea`], external: true },
    {
      tag: 'date',
      sql: 'date',
      values: quoted(
        '2020-06-01',
        'infinity',
        '-infinity',
        '0044-03-15 BC',
        '4713-01-01 BC',
        '1582-10-10',
        '294247-01-10',
        '5874897-12-31',
      ),
      defaults: [...quoted('2020-06-01', 'infinity'), 'now()'],
    },
    {
      tag: 'time',
      sql: 'time',
      values: quoted('17:34:20.123456', '00:00', '24:00', '23:59:59.999999'),
      defaults: quoted('01:02:03.456', '24:00'),
    },
    { tag: 'time3', sql: 'time(3)', values: quoted('17:34:20.123', '00:00', '24:00') },
    { tag: 'timetz', sql: 'timetz', values: quoted('17:34:20.123456+02', '00:00+00', '24:00+00', '23:59:59-15:59') },
    {
      tag: 'timestamp',
      sql: 'timestamp',
      values: timestamps,
      ...neverRequired,
      defaults: nanoseconds ? ['now()'] : [...quoted('2020-01-02 03:04:05.678901', 'infinity', '-infinity'), 'now()'],
    },
    {
      tag: 'timestamp3',
      sql: 'timestamp(3)',
      values: timestamps,
      ...neverRequired,
      defaults: ['now()', "'2020-01-02'"],
    },
    { tag: 'timestamptz', sql: 'timestamptz', values: zoned, defaults: ['now()'] },
    {
      tag: 'timestamptz0',
      sql: 'timestamptz(0)',
      values: quoted('2020-06-01 17:34:20+02', 'infinity'),
      defaults: ['now()'],
    },
    {
      tag: 'interval',
      sql: 'interval',
      values: quoted(
        '1 year 2 mons 3 days 04:05:06.78',
        '-1 year -2 mons +3 days -04:05:06.78',
        '0',
        '178000000 years',
        '-178000000 years',
        '-00:00:00.5',
        '1 mon -1 day',
      ),
      noArray: true,
    },
    {
      tag: 'uuid',
      sql: 'uuid',
      values: quoted(UUID, '00000000-0000-0000-0000-000000000000'),
      defaults: ['gen_random_uuid()', `'${UUID}'`],
    },
    { tag: 'json', sql: 'json', values: quoted('{"a": [1, 2.50, null]}', '"text"', ' [ ] ') },
    {
      tag: 'jsonb',
      sql: 'jsonb',
      values: [...quoted('{"b": 1, "a": 1e2}', 'null'), `to_jsonb(${LONG})`],
      external: true,
      defaults: quoted('{"a": 1}'),
    },
    { tag: 'xml', sql: 'xml', values: quoted('<a b="c">d</a>', ''), noArray: true },
    { tag: 'hstore', sql: 'hstore', values: quoted('"a"=>"1", "b"=>NULL', '', '"k \\"q\\""=>"v, =>"') },
    { tag: 'ltree', sql: 'ltree', values: quoted('Top.Science', '') },
    { tag: 'tsvector', sql: 'tsvector', values: quoted("a b 'c d'", '') },
    { tag: 'inet', sql: 'inet', values: quoted('192.168.2.1/24', '::1', '10.0.0.1'), defaults: quoted('10.0.0.1') },
    { tag: 'cidr', sql: 'cidr', values: quoted('10.0.0.0/8', 'fe80::/64') },
    { tag: 'macaddr', sql: 'macaddr', values: quoted('08:00:2b:01:02:03') },
    { tag: 'macaddr8', sql: 'macaddr8', values: quoted('08:00:2b:01:02:03:04:05') },
    { tag: 'int4range', sql: 'int4range', values: quoted('[1,5)', 'empty', '(,)') },
    { tag: 'int8range', sql: 'int8range', values: quoted('[1,5)', '[1,)') },
    { tag: 'numrange', sql: 'numrange', values: quoted('(,5.5]', '[1.50,2)') },
    { tag: 'tsrange', sql: 'tsrange', values: quoted('[2020-01-01,2020-02-01 01:02:03.5)') },
    { tag: 'tstzrange', sql: 'tstzrange', values: quoted('[2020-01-01 00:00+00,2020-02-01 00:00+00)') },
    { tag: 'daterange', sql: 'daterange', values: quoted('[2020-01-01,infinity)') },
    { tag: 'mood', sql: 'mood', values: quoted('sad', 'ok', 'very "happy", yes'), defaults: quoted('ok') },
    { tag: 'price', sql: 'price', values: ['1.5', '-99999.999'], defaults: ['1'], noArray: true },
    { tag: 'point', sql: 'point', values: quoted('(1,2.5)', '(-0,1e300)'), noArray: true },
    { tag: 'box', sql: 'box', values: quoted('(1,1),(0,0)', '(-1.5,2),(3,4)') },
    { tag: 'circle', sql: 'circle', values: quoted('<(0,0),1>', '<(1.5,-2),0>') },
    { tag: 'line', sql: 'line', values: quoted('{1,2,3}', '{-1,0,5}') },
    { tag: 'lseg', sql: 'lseg', values: quoted('[(0,0),(1,1)]') },
    { tag: 'path', sql: 'path', values: quoted('[(0,0),(1,1)]', '((0,0),(1,1),(2,0))') },
    { tag: 'polygon', sql: 'polygon', values: quoted('((0,0),(1,1),(2,0))', '((0,0))') },
  ];
}
