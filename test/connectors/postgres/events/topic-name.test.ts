import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { originalTopicName, topicName } from '../../../../connectors/postgres/src/events/topic-name';

const GOOD = { 'topic.prefix': 'p', 'database.hostname': 'h', 'database.user': 'u', 'database.dbname': 'd' };
const strategy = (name: string): Record<string, string> => ({ 'topic.naming.strategy': `io.debezium.schema.${name}` });
const problems = (config: Record<string, string>): Record<string, string> =>
  Object.fromEntries(checkConfig({ ...GOOD, ...config }).problems.map(({ key, message }) => [key, message]));

const TABLES = [
  { schema: 'public', name: 'We-ird Täble' },
  { schema: 'My Schema', name: '1table' },
  { schema: 'public', name: 'shard_1' },
  { schema: 'public', name: '😀' },
];

describe('cdc-postgres 110, R22: topic naming strategies, as Debezium 3.7.0.Final names topics', () => {
  test.each<[string, Record<string, string>, string[]]>([
    [
      'SchemaTopicNamingStrategy',
      {},
      ['s.public.We-ird_T_ble', 's.My_Schema.1table', 's.public.shard_1', 's.public.__'],
    ],
    ['DefaultTopicNamingStrategy', {}, ['s.We-ird_T_ble', 's.1table', 's.shard_1', 's.__']],
    [
      'SchemaUnicodeTopicNamingStrategy',
      {},
      ['s.public.We-ird_u0020T_u00e4ble', 's.My_u0020Schema.1table', 's.public.shard_1', 's.public._ud83d_ude00'],
    ],
    [
      'DefaultRegexTopicNamingStrategy',
      { 'topic.regex': String.raw`(.*)\.shard_\d+`, 'topic.replacement': '$1.all shards' },
      ['s.We-ird_T_ble', 's.1table', 's.all_shards', 's.__'],
    ],
  ])('%s %j', (name, settings, topics) => {
    const { topics: naming } = parseConfig({ ...GOOD, ...strategy(name), ...settings }).events;
    expect(TABLES.map((table) => topicName('s', table, '.', naming))).toEqual(topics);
  });

  test('names keep their case, and have 249 characters at most', () => {
    const { topics: naming } = parseConfig(GOOD).events;
    expect(topicName('srv-1.x', { schema: 'My Schema', name: 'Odd.Täble' }, '.', naming)).toBe(
      'srv-1.x.My_Schema.Odd.T_ble',
    );
    expect(topicName('s', { schema: 'a'.repeat(200), name: 'b'.repeat(63) }, '.', naming)).toHaveLength(249);
  });

  test('a rewritten name is not empty, and the original one tells the tables of a topic apart', () => {
    const settings = { 'topic.regex': 's.(shard)_.*', 'topic.replacement': '$2', 'topic.key.field.name': 'origin' };
    expect(problems({ ...strategy('DefaultRegexTopicNamingStrategy'), ...settings })).toEqual({
      'topic.replacement': expect.stringContaining('No group 2'),
    });
    const { topics: naming } = parseConfig({
      ...GOOD,
      ...strategy('DefaultRegexTopicNamingStrategy'),
      ...settings,
      'topic.regex': 's.(shard)_.*()',
    }).events;
    expect(topicName('s', { schema: 'public', name: 'shard_1' }, '.', naming)).toBe('s.shard_1');
    expect(originalTopicName('s', { schema: 'public', name: 'shard_1' }, '.', naming)).toBe('s.shard_1');
    expect(naming.rewriting?.keyField).toBe('origin');
  });

  test('another class, and a missing or wrong expression, are rejected', () => {
    expect(problems({ 'topic.naming.strategy': 'com.example.Topics' })).toEqual({
      'topic.naming.strategy': expect.stringContaining('would be published to other topics'),
    });
    const regex = strategy('DefaultRegexTopicNamingStrategy');
    expect(Object.keys(problems(regex))).toEqual(['topic.regex', 'topic.replacement']);
    expect(Object.keys(problems({ ...regex, 'topic.regex': '(', 'topic.replacement': 'x' }))).toEqual(['topic.regex']);
  });

  test('sanitize.field.names is the old name of field.name.adjustment.mode=avro', () => {
    expect(parseConfig({ ...GOOD, 'sanitize.field.names': 'true' }).events.fieldNames).toBe('avro');
    expect(parseConfig({ ...GOOD, 'sanitize.field.names': 'false' }).events.fieldNames).toBe('none');
  });
});
