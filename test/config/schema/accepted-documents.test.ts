/** The schema accepts what the worker accepts, and refuses wrong types and missing keys as the worker does. */
import { fuzzRun, seeded, type Seeded } from '../../helpers/seeded';
import { ANALYTICS, checkOf, FILE_SINK, FILE_SOURCE, POSTGRES, problemsOf, VALID, validator } from './schema-fixtures';

const CLASSES = [FILE_SOURCE, FILE_SINK, POSTGRES, ANALYTICS];
type Json = string | number | boolean | null | object;
type Changes = Readonly<Record<string, Json | undefined>>;

function changed(className: string, changes: Changes): string {
  const { name, config } = VALID[className]!;
  return JSON.stringify({ name, config: { ...config, ...changes } });
}

test.each(CLASSES)('placeholders, which only the worker can resolve, are accepted for %s', async (className) => {
  const check = await checkOf(className);
  const changes = {
    'tasks.max': '${env:TASKS}',
    'errors.tolerance': '${TOLERANCE}',
    'connector.class': '${file:/a:b}',
  };
  expect([check(JSON.parse(changed(className, changes))), check.errors]).toEqual([true, null]);
});

/** Of each connector: what both refuse. */
const REFUSED: readonly (readonly [className: string, changes: Changes])[] = [
  ...CLASSES.flatMap((name): [string, Changes][] => [
    [name, { 'tasks.max': 'two' }],
    [name, { 'tasks.max': '' }],
    [name, { 'tasks.max': true }],
    [name, { 'tasks.max': '1.5' }],
    [name, { 'tasks.max': 1.5 }],
    [name, { 'tasks.max': 3000000000 }],
    [name, { 'tasks.max': '30000000000' }],
    [name, { 'tasks.max': null }],
    [name, { 'tasks.max': [1] }],
    [name, { 'tasks.max': { value: 1 } }],
    [name, { 'errors.log.enable': 'yes' }],
    [name, { 'errors.log.enable': 1 }],
    [name, { 'errors.tolerance': 'some' }],
    [name, { 'errors.tolerance': 'ALL' }],
    [name, { 'errors.retry.timeout': 'never' }],
    [name, { 'config.action.reload': 'reload' }],
    [name, { 'key.converter': 'JsonConvertor' }],
    [
      name,
      { 'value.converter': 'org.apache.kafka.connect.json.JsonConverter', 'value.converter.schemas.enable': 'no' },
    ],
    [name, { 'value.converter': 'JsonConverter', 'value.converter.decimal.format': 'TEXT' }],
    [name, { 'connector.class': undefined }],
    [name, { 'connector.class': ` ${name}` }],
    [name, { 'task.isolation': 'exclusive' }],
    [name, { 'unknown.key': null }],
    [name, { 'unknown.key': ['a'] }],
    [name, { 'unknown.key': {} }],
  ]),
  [FILE_SOURCE, { topic: undefined }],
  [FILE_SOURCE, { topic: ['lines'] }],
  [FILE_SOURCE, { 'batch.size': 'many' }],
  [FILE_SOURCE, { 'exactly.once.support': 'maybe' }],
  [FILE_SINK, { topics: undefined }],
  [FILE_SINK, { topics: '' }],
  [FILE_SINK, { topics: null }],
  [FILE_SINK, { 'file.format': 'xml' }],
  [FILE_SINK, { 'file.format': 'JSON' }],
  [FILE_SINK, { 'file.rotate.bytes': '1k' }],
  [FILE_SINK, { 'errors.deadletterqueue.topic.replication.factor': '40000000' }],
  [POSTGRES, { 'topic.prefix': undefined }],
  [POSTGRES, { 'topic.prefix': ' ' }],
  [POSTGRES, { 'topic.prefix': null }],
  [POSTGRES, { 'database.dbname': undefined }],
  [POSTGRES, { 'database.port': 'postgresql' }],
  [POSTGRES, { 'database.port': '' }],
  [POSTGRES, { 'snapshot.mode': 'sometimes' }],
  [POSTGRES, { 'plugin.name': 'test_decoding' }],
  [POSTGRES, { 'database.sslmode': '' }],
  [POSTGRES, { sslmode: 'maybe' }],
  [POSTGRES, { 'slot.drop_on_stop': 'yes' }],
  [POSTGRES, { 'tombstones.on.delete': 'maybe' }],
  [ANALYTICS, { 'analytics.ingestion.url': undefined }],
  [ANALYTICS, { 'analytics.ingestion.url': '' }],
  [ANALYTICS, { 'analytics.tables.topics.mapping': undefined }],
  [ANALYTICS, { 'flush.size.bytes': '1 MB' }],
  [ANALYTICS, { 'behavior.on.error': 'panic' }],
  [ANALYTICS, { 'kusto.ingest.protocol': 'ftp' }],
  [ANALYTICS, { 'errors.retry.backoff.multiplier': 'twice' }],
  [ANALYTICS, { 'analytics.dedupe.tags': 'some' }],
];

test.each(REFUSED)('%s: %j is refused by the worker and by the schema', async (className, changes) => {
  const text = changed(className, changes);
  expect(await problemsOf(text)).not.toEqual([]);
  expect((await checkOf(className))(JSON.parse(text))).toBe(false);
});

/** Of each connector: what both accept. */
const ACCEPTED: readonly (readonly [className: string, changes: Changes])[] = [
  ...CLASSES.flatMap((name): [string, Changes][] => [
    [name, {}],
    [name, { 'tasks.max': 1, 'errors.log.enable': true, 'tasks.max.enforce': 'False' }],
    [name, { 'tasks.max': ' +1 ', 'errors.log.enable': ' TRUE\n', 'errors.tolerance': ' all ' }],
    [name, { 'key.converter': 'JsonConverter', 'key.converter.schemas.enable': false }],
    [name, { 'key.converter': 'StringConverter', 'key.converter.schemas.enable': 'not one of its keys' }],
    [name, { 'unknown.key': 5, constructor: 'z', toString: 'a', config: 'text', labels: 'text', $schema: 'text' }],
    [name, { 'producer.override.linger.ms': 5, 'transforms.a.type': 'not one of the aliases' }],
  ]),
  [FILE_SOURCE, { 'connector.class': 'FileStreamSource', 'exactly.once.support': ' Requested ' }],
  [FILE_SOURCE, { 'connector.class': 'FileStreamSourceConnector', file: null, 'batch.size': null }],
  [FILE_SINK, { topics: undefined, 'topics.regex': 'l.*' }],
  [FILE_SINK, { 'file.format': ' jsonenvelope ', 'file.fsync': 'tRue' }],
  [POSTGRES, { 'topic.prefix': undefined, 'database.server.name': 'fulfillment', 'table.whitelist': 'public.todos' }],
  [POSTGRES, { 'snapshot.mode': 'NEVER', 'plugin.name': '\u00a0pgoutput' }],
  [POSTGRES, { 'snapshot.mode': '', 'database.port': '\u00a05432' }],
  [POSTGRES, { 'flush.lsn.source': 'manual', 'lsn.flush.mode': undefined }],
  [POSTGRES, { 'flush.lsn.source': false, 'sanitize.field.names': true }],
  [POSTGRES, { 'incremental.snapshot.allow.schema.changes': 'no type is checked for keys without effect' }],
  [ANALYTICS, { 'analytics.ingestion.url': undefined, 'kusto.query.url': 'https://c.westeurope.kusto.windows.net' }],
  [ANALYTICS, { 'behavior.on.error': 'Log', 'analytics.ingest.confirm': true }],
  [ANALYTICS, { 'analytics.max.inflight.files': 3000000000, 'errors.retry.backoff.multiplier': '0x10' }],
  [ANALYTICS, { 'kusto.sink.flush_size': '200', 'behavior.on.error': '' }],
];

test.each(ACCEPTED)('%s: %j is accepted by the worker and by the schema', async (className, changes) => {
  const text = changed(className, changes);
  expect(await problemsOf(text)).toEqual([]);
  const check = await checkOf(className);
  expect([check(JSON.parse(text)), check.errors]).toEqual([true, null]);
});

const VALUES: readonly Json[] = [
  ...['', ' ', '0', '1', '-1', '+5', '007', '1.5', '1e3', '0x1f', '.5d', 'NaN', '32768', '2147483648', '9'.repeat(19)],
  ...['true', 'False', ' TRUE ', '\u00a0true', 'none', 'all', 'All', ' all\t', 'all\u2028', 'json', 'restart', 'poll'],
  ...['${env:A}', '${file:/a:b}', '${A}', '${', 'requ\u0131red', 'requested', '\u202e', '<img src=x onerror=alert(1)>'],
  ...['a,b', 'a,,a', 'JsonConverter', 'java.lang.String', 'latest', '[1.0,2.0)', 'x'.repeat(3000), '\ud800', '\0'],
  ...[0, 1, -1, 5.0, 0.5, 1e3, 2147483648, 1e300, true, false, null, [], {}, ['a']],
];
const NAMES = [
  ...[
    '',
    'config',
    'labels',
    'name',
    '$schema',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'ключ',
    '\0',
  ],
  ...['transforms', 'transforms.a.type', 'transforms.a.negate', 'predicates', 'predicates.p.type', 'a'.repeat(3000)],
  ...['key.converter.schemas.enable', 'value.converter.converter.type', 'producer.override.acks', 'tasks.max '],
];

test.each(CLASSES)('the schema of %s is never stricter than the worker', async (className) => {
  const schema = (await validator.schema(className)) as { definitions: { config: { properties: object } } };
  const { properties } = schema.definitions.config;
  const check = await checkOf(className);
  const { cases, seed } = fuzzRun('SCHEMA_CASES', 300, 17);
  const choose = seeded(seed);
  let accepted = 0;
  for (let i = 0; i < cases; i++) {
    const text = mutated(className, properties, choose);
    if ((await problemsOf(text)).length > 0) continue;
    accepted++;
    expect({ seed, text, valid: check(JSON.parse(text)), errors: check.errors }).toMatchObject({ valid: true });
  }
  expect(accepted).toBeGreaterThan(cases / 10);
});

/** A document with one or two changes, at a known key, a hostile one or in its head. */
function mutated(className: string, properties: object, choose: Seeded): string {
  const { name, config } = VALID[className]!;
  const keys = Object.keys(properties);
  const document = new Map<string, Json>([['name', name]]);
  const copy = new Map<string, Json>(Object.entries(config));
  for (let change = 0; change <= choose.below(2); change++) {
    const key = choose.chance(0.7) ? choose.one(keys) : choose.one(NAMES);
    if (choose.chance(0.15)) copy.delete(choose.one([...copy.keys()]));
    else copy.set(key, choose.one([...VALUES, ...offered(properties, key)]));
  }
  if (choose.chance(0.1))
    document.set(choose.one(['name', 'initial_state', 'labels', 'x']), choose.one([...VALUES, 'paused']));
  return `{${[...document].map(member).join(',')},"config":{${[...copy].map(member).join(',')}}}`;
}

/** Own text, because an object cannot have an own `__proto__` by assignment. */
function member([name, value]: readonly [string, Json]): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

function offered(properties: object, key: string): readonly string[] {
  const { anyOf = [], examples = [] } = (Object.getOwnPropertyDescriptor(properties, key)?.value ?? {}) as {
    anyOf?: readonly { enum?: readonly string[] }[];
    examples?: readonly string[];
  };
  const values = [...anyOf.flatMap((one) => one.enum ?? []), ...examples].map(String);
  return [...values, ...values.map((value) => value.toUpperCase()), ...values.map((value) => ` ${value}\n`)];
}
