import { LONGEST_TIMER_MS } from '@millrace/sdk';
import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { clientConfig } from '../../../../connectors/postgres/src/database/connection';

const GOOD = {
  'database.hostname': 'db',
  'database.user': 'cdc',
  'database.password': 'secret',
  'database.dbname': 'demo',
  'topic.prefix': 'fulfillment',
};
type Overrides = Record<string, string | undefined>;

function problems(overrides: Overrides): Record<string, string> {
  const config = Object.fromEntries(
    Object.entries({ ...GOOD, ...overrides }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return Object.fromEntries(checkConfig(config).problems.map((problem) => [problem.key, problem.message]));
}
const one = (key: string, message: string): Record<string, string> => ({
  [key]: `The '${key}' value is invalid: ${message}`,
});
const BAD_NAME = 'has invalid format (only the underscore, hyphen, dot and alphanumeric characters are allowed)';

test('a minimal configuration, and the defaults it gets', () => {
  expect(problems({})).toEqual({});
  const config = parseConfig(GOOD);
  expect(config.slot.name).toBe('debezium');
  expect(config.publication).toEqual({
    ...{ name: 'dbz_publication', mode: 'all_tables', viaPartitionRoot: false },
    checkIntervalMs: 10_000,
  });
  expect(config.queue).toEqual({ maxBatch: 2048, maxMessages: 8192, maxBytes: 64 * 1024 * 1024, pollIntervalMs: 500 });
  expect(config.connection).toMatchObject({ port: 5432, sslMode: 'prefer' });
  expect(config.snapshot).toMatchObject({ mode: 'initial', fetchSize: 10240 });
  expect([...config.skipped]).toEqual(['t']);
});

const rows: readonly [string, Overrides, string, string][] = [
  ['required', { 'topic.prefix': undefined }, 'topic.prefix', 'A value is required'],
  ['required but empty', { 'database.hostname': ' ' }, 'database.hostname', 'A value is required'],
  ['required', { 'database.user': undefined }, 'database.user', 'A value is required'],
  ['required', { 'database.dbname': '' }, 'database.dbname', 'A value is required'],
  ['characters', { 'topic.prefix': 'a b' }, 'topic.prefix', `a b ${BAD_NAME}`],
  ['characters', { 'database.hostname': 'h$st' }, 'database.hostname', `h$st ${BAD_NAME}`],
  ['integer', { 'database.port': 'x' }, 'database.port', 'An integer is expected'],
  ['integer', { 'database.port': '99999999999' }, 'database.port', 'An integer is expected'],
  ['long', { 'poll.interval.ms': '1.5' }, 'poll.interval.ms', 'A long value is expected'],
  ['port', { 'database.port': '65536' }, 'database.port', 'A port from 1 to 65535 is expected'],
  ['positive', { 'max.batch.size': '0' }, 'max.batch.size', 'A positive, non-zero integer value is expected'],
  ['not negative', { 'heartbeat.interval.ms': '-1' }, 'heartbeat.interval.ms', 'An non-negative integer is expected'],
  ['boolean', { 'tombstones.on.delete': 'yes' }, 'tombstones.on.delete', "Either 'true' or 'false' is expected"],
  [
    'enum',
    { 'decimal.handling.mode': 'exact' },
    'decimal.handling.mode',
    'Value must be one of string, double, precise',
  ],
  [
    'Appendix R.15, order of the modes',
    { 'snapshot.mode': 'sometimes' },
    'snapshot.mode',
    'Value must be one of always, initial_only, configuration_based, when_needed, initial, custom, no_data',
  ],
  [
    'plugin',
    { 'plugin.name': 'test_decoding' },
    'plugin.name',
    'Value must be one of decoderbufs, pgoutput, wal2json, wal2json_rds, wal2json_streaming, wal2json_rds_streaming',
  ],
  [
    'slot name',
    { 'slot.name': 'My-Slot' },
    'slot.name',
    'Valid replication slot name must contain only digits, lowercase characters and underscores with length <= 63',
  ],
  [
    'both lists',
    { 'table.include.list': 'a', 'table.exclude.list': 'b' },
    'table.exclude.list',
    '"table.include.list" is already specified',
  ],
  [
    'both lists',
    { 'column.include.list': 'a', 'column.exclude.list': 'b' },
    'column.exclude.list',
    '"column.include.list" is already specified',
  ],
  ['queue', { 'max.queue.size': '0' }, 'max.queue.size', 'A positive queue size is required'],
  ['queue', { 'max.queue.size': '2048' }, 'max.queue.size', 'Must be larger than the maximum batch size'],
  [
    'key columns',
    { 'message.key.columns': 'public.todos' },
    'message.key.columns',
    "public.todos has an invalid format (expecting '^\\s*([^:]+):([^:,]+(,[^:,]+)*)\\s*$')",
  ],
  [
    'text form alone',
    { 'slot.stream.params': 'origin=none; Binary = ON' },
    'slot.stream.params',
    'Binary = ON makes the server send values in binary form, which is not supported; remove it',
  ],
  ['operations', { 'skipped.operations': 'x' }, 'skipped.operations', 'Invalid operation'],
];
test.each(rows)('cdc-postgres 4: %s %p', (_, overrides, key, message) => {
  expect(problems(overrides)).toEqual(one(key, message));
});

test('slot.stream.params=binary=false requests the default and is accepted', () => {
  expect(problems({ 'slot.stream.params': 'binary=false' })).toEqual({});
});

test('cdc-postgres 4: a bad pattern', () => {
  expect(problems({ 'table.include.list': '(' })['table.include.list']).toMatch(
    /^The 'table\.include\.list' value is invalid: A comma-separated list of valid regular expressions is expected, but /,
  );
});

test.each([
  ['(.todos:id', 'Invalid regular expression: (.todos: Unterminated group'],
  ['public.a:id;\\p{IsAlphabetic}.b:id', 'Invalid regular expression: \\p{IsAlphabetic}.b: Invalid property name'],
])('cdc-postgres 37: a broken expression in message.key.columns, %s, is an error of that key', (value, reason) => {
  expect(problems({ 'message.key.columns': value })).toEqual(
    one('message.key.columns', `A valid regular expression is expected before each colon, but ${reason}`),
  );
});

test('cdc-postgres 3: an old name and the new one with different values', () => {
  const both = { 'table.whitelist': 'a', 'table.include.list': 'b' };
  expect(checkConfig({ ...GOOD, ...both })).toMatchObject({
    problems: [],
    values: { 'table.include.list': 'b' },
    warnings: [
      {
        key: 'table.whitelist',
        message:
          'The configuration key "table.whitelist" has no effect, because "table.include.list" is set to another value.',
        meant: null,
      },
    ],
  });
  expect(problems({ ...both, 'table.whitelist': 'b' })).toEqual({});
  expect(parseConfig({ ...GOOD, 'database.server.name': 'old' }).prefix).toBe(GOOD['topic.prefix']);
  // Which of two protects the connection is not for a guess.
  expect(problems({ sslmode: 'verify-full', 'database.sslmode': 'disable' })).toEqual(
    one('sslmode', '"database.sslmode" is already specified'),
  );
});

test.each([
  ['database.ssl', 'true', 'false'],
  ['driver.ssl', 'true', 'false'],
  ['ssl', 'true', 'false'],
  ['driver.sslmode', 'verify-full', ''],
  ['driver.sslrootcert', '/ca.pem', ''],
  ['channelBinding', 'require', 'prefer'],
  ['driver.channelBinding', 'require', 'disable'],
  ['gssEncMode', 'require', 'prefer'],
  ['database.gssEncMode', 'require', 'disable'],
  ['driver.sslNegotiation', 'direct', 'postgres'],
  ['driver.requireAuth', 'scram-sha-256', ''],
  ['database.sslfactory', 'org.postgresql.ssl.DefaultJavaSSLFactory', 'org.postgresql.ssl.LibPQFactory'],
  ['driver.sslfactory', 'com.example.Factory', ''],
  ['driver.sslhostnameverifier', 'com.example.Verifier', ''],
])('%s=%s asks for protection that it would not give, and is refused; %s is not', (key, value, fine) => {
  expect(problems({ [key]: value })).toEqual({ [key]: expect.stringContaining(`The '${key}' value is invalid: `) });
  expect(problems({ [key]: fine })).toEqual({});
});

test.each(['database', 'driver'])(
  'timeouts and keep-alive by the names of the JDBC driver, in seconds: %s.…',
  (prefix) => {
    const given = (values: Record<string, string>): object => {
      const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
      expect(checkConfig({ ...GOOD, ...named })).toMatchObject({ problems: [], warnings: [] });
      const { connection } = parseConfig({ ...GOOD, ...named });
      return clientConfig(connection, 'General', false);
    };
    const all = { tcpKeepAlive: 'false', connectTimeout: '5', loginTimeout: '7', socketTimeout: '60' };
    expect(given(all)).toMatchObject({ keepAlive: false, connectionTimeoutMillis: 5000 });
    expect(given({ loginTimeout: '7' })).toMatchObject({ keepAlive: true, connectionTimeoutMillis: 7000 });
    expect(given({})).toMatchObject({ keepAlive: true, connectionTimeoutMillis: 30_000 });
    expect(given({ connectTimeout: '0' })).toMatchObject({ connectionTimeoutMillis: LONGEST_TIMER_MS });
    expect(parseConfig({ ...GOOD, [`${prefix}.socketTimeout`]: '60' }).connection.socketTimeoutMs).toBe(60_000);
    const key = `${prefix}.connectTimeout`;
    expect(problems({ [key]: '1.5' })).toEqual(one(key, 'An integer is expected'));
    expect(problems({ [key]: '-1' })).toEqual(one(key, 'An non-negative integer is expected'));
  },
);

test('cdc-postgres 3: a problem is reported under the name that was used', () => {
  const legacy = { 'topic.prefix': undefined, 'database.server.name': 'a b' };
  expect(problems(legacy)).toEqual(one('database.server.name', `a b ${BAD_NAME}`));
  expect(problems({ sslmode: 'maybe' })).toEqual(
    one('sslmode', 'Value must be one of allow, prefer, disable, verify-ca, require, verify-full'),
  );
});

test('old values', () => {
  expect(parseConfig({ ...GOOD, 'snapshot.mode': 'never' }).snapshot.mode).toBe('no_data');
  expect(parseConfig({ ...GOOD, 'snapshot.mode': 'EXPORTED' }).snapshot.mode).toBe('initial');
});

test('warnings: deprecated names, near misses, each key without effect; nothing for families and the runtime', () => {
  const { warnings, problems: found } = checkConfig({
    ...GOOD,
    'table.whitelist': 'x',
    'tombstone.on.delete': 'false',
    'signal.data.collection': 'public.s',
    'signal.consumer.sasl.jaas.config': 'x',
    'signal.emit.failure.max.retries': '1',
    'notification.http.url': 'log',
    'driver.ApplicationName': 'x',
    'read.only': 'false',
    'snapshot.locking.mode': 'NONE',
    'include.schema.comments': 'False',
    'transforms.a.type': 'x',
    'key.converter': 'x',
    'errors.tolerance': 'all',
    'my.own.remark': 'x',
    'database.history.kafka.topic': 'x',
    'query.fetch.size': '0',
    'executor.shutdown.timeout.ms': '9',
    'topic.cache.size': '5',
    'tasks.max': '1',
    'watchdog.task.ms': '1',
    'post.processors': 'again',
    'again.type': 'io.debezium.processors.reselect.ReselectColumnsPostProcessor',
  });
  const unknown = (key: string): string => `The configuration key "${key}" is unknown and has no effect.`;
  const noEffect = (key: string): string =>
    `The configuration key "${key}" is not supported by this version and has no effect.`;
  expect(found).toEqual([]);
  expect(warnings.map(({ message }) => message)).toEqual([
    'The configuration key "table.whitelist" is deprecated, use "table.include.list".',
    'The configuration key "tombstone.on.delete" is unknown; did you mean "tombstones.on.delete"?',
    noEffect('signal.emit.failure.max.retries'),
    noEffect('notification.http.url'),
    noEffect('driver.ApplicationName'),
    unknown('my.own.remark'),
    unknown('database.history.kafka.topic'),
    noEffect('executor.shutdown.timeout.ms'),
    unknown('topic.cache.size'),
  ]);
});

const refused: readonly [string, string, string][] = [
  ['sourceinfo.struct.maker', 'com.example.Maker', 'source blocks would be published'],
];
test.each(refused)('cdc-postgres 109: %s=%s would change the published data and is rejected', (key, value, text) => {
  const found = problems({ [key]: value });
  expect(Object.keys(found)).toEqual([key]);
  expect(found[key]).toMatch(/^The '[^']+' value is invalid: .*not supported yet, and .* would be published/);
  expect(found[key]).toContain(text);
  expect(() => parseConfig({ ...GOOD, [key]: value })).toThrow(expect.objectContaining({ code: 'PG_CONFIG' }));
});

test.each(['snapshot.mode', 'snapshot.locking.mode', 'snapshot.query.mode'])(
  'cdc-postgres 109: %s=custom names a Java class and is rejected',
  (key) => {
    expect(problems({ [key]: 'Custom' })).toEqual({
      [key]: expect.stringMatching(/"custom" is not supported, because it names a Java class; use /),
    });
  },
);

test('cdc-postgres 109: the salt of a hash, part of its key, does not appear', () => {
  const key = 'column.mask.hash.SHA-257.with.salt.CzQMA0cB5K';
  expect(problems({ [key]: 'public.users.email' })).toEqual({
    [key]: expect.stringMatching(/^The 'column\.mask\.hash\.SHA-257\.with\.salt\.\[hidden\]' value is invalid: /),
  });
  let error: unknown;
  try {
    parseConfig({ ...GOOD, [key]: 'public.users.email' });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ place: { key: 'column.mask.hash.SHA-257.with.salt.[hidden]' } });
  expect((error as Error).message).not.toContain('CzQMA0cB5K');
});

test.each([
  ['column.mask.hash.SHA-256.with.slat.CzQMA0cB5K', 'column.mask.hash.SHA-256.[hidden]'],
  ['column.mask.hash.v2.SHA-256.salt.CzQMA0cB5K', 'column.mask.hash.v2.[hidden]'],
  ['Column.Mask.Hash.SHA-256.With.Salt.CzQMA0cB5K', 'Column.Mask.Hash.SHA-256.With.Salt.[hidden]'],
])('cdc-postgres 109: a misspelled mask does not reveal its salt: %s', (key, shown) => {
  const { problems, warnings } = checkConfig({ ...GOOD, [key]: 'public.t.c' });
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(`'${shown}'`)]);
  expect(JSON.stringify([problems.map(({ message }) => message), warnings])).not.toContain('CzQMA0cB5K');
});

test('cdc-postgres 109: values that request the default behavior are accepted silently', () => {
  const asIs = {
    'column.mask.with.12.chars': '',
    'column.mask.nonsense': '',
    'topic.naming.strategy': 'io.debezium.schema.SchemaTopicNamingStrategy',
    'provide.transaction.metadata': 'False',
    'xmin.fetch.interval.ms': '0',
    'snapshot.query.mode': 'select_all',
  };
  expect(checkConfig({ ...GOOD, ...asIs })).toMatchObject({ problems: [], warnings: [] });
});

test('cdc-postgres 3: flush.lsn.source=false leaves the slot where it is', () => {
  expect(parseConfig({ ...GOOD, 'flush.lsn.source': 'false' }).slot.flush).toBe(false);
  expect(parseConfig({ ...GOOD, 'flush.lsn.source': 'true' }).slot.flush).toBe(true);
  expect(problems({ 'flush.lsn.source': 'true', 'lsn.flush.mode': 'connector' })).toEqual({});
  expect(parseConfig({ ...GOOD, 'flush.lsn.source': 'false', 'lsn.flush.mode': 'connector' }).slot.flush).toBe(true);
});

test('parsed forms of lists, statements, overrides and placeholders', () => {
  const config = parseConfig({
    ...GOOD,
    'database.initial.statements': "SET a = 1; SELECT ';;'; ",
    'slot.stream.params': 'a=b; c = d=e',
    'snapshot.select.statement.overrides': 'public.a,public."B"',
    'snapshot.select.statement.overrides.public.a': 'SELECT 1',
    'snapshot.select.statement.overrides.public."B"': 'SELECT 2',
    'message.key.columns': 'public.a:x,y; (.*).b:z',
    'unavailable.value.placeholder': 'hex:00ff',
    'skipped.operations': 'none',
    'max.queue.size.in.bytes': '0',
    'database.hostname': '[::1]',
  });
  expect(config.connection.initialStatements).toEqual(['SET a = 1', "SELECT ';'"]);
  expect(config.slot.streamParams).toEqual([
    ['a', 'b'],
    ['c', 'd=e'],
  ]);
  expect([...config.snapshot.overrides]).toEqual([
    ['public.a', 'SELECT 1'],
    ['public.B', 'SELECT 2'],
  ]);
  expect(config.keyColumns.map((entry) => [entry.table.sources, entry.columns])).toEqual([
    [['public.a'], ['x', 'y']],
    [['(.*).b'], ['z']],
  ]);
  expect(config.values.placeholder).toEqual(Buffer.from([0, 255]));
  expect(config.skipped.size).toBe(0);
  expect(config.queue.maxBytes).toBe(Infinity);
  expect(config.connection.host).toBe('::1');
});

test('parseConfig fails with the first problem and its key, never with a password', () => {
  expect(() => parseConfig({ ...GOOD, 'database.port': 'x' })).toThrow(
    expect.objectContaining({
      code: 'PG_CONFIG',
      message: "The 'database.port' value is invalid: An integer is expected",
    }),
  );
});
