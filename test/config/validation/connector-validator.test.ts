import type { WorkerSettings } from '@millrace/sdk';
import { validationFailure, type ConfigInfos } from '../../../src/config/validation/config-infos';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { addProvidedValue } from '../../../packages/texts/src/provided-values';
import type { PluginRegistry } from '../../../src/plugins/registry';
import { fakeRegistry, fakeWorkerConfig, SNK, SRC } from '../../helpers/fake-plugins';

const registry = fakeRegistry();
const validate = (
  config: Record<string, string | null>,
  settings: Record<string, string> = {},
  pluginLimitMs?: number,
): Promise<ConfigInfos> =>
  createConfigValidator({
    registry,
    config: fakeWorkerConfig(settings),
    ...(pluginLimitMs === undefined ? {} : { pluginLimitMs }),
  }).validate(config);
const source = (more: Record<string, string | null> = {}): Promise<ConfigInfos> =>
  validate({ ...SRC, name: 'a', ...more });
const sink = (more: Record<string, string | null> = {}, settings = {}): Promise<ConfigInfos> =>
  validate({ ...SNK, name: 'a', ...more }, settings);

const entry = (infos: ConfigInfos, key: string): ConfigInfos['configs'][number] | undefined =>
  infos.configs.find(({ definition, value }) => (definition?.name ?? value?.name) === key);
const errorsOf = (infos: ConfigInfos, key: string): readonly string[] | undefined => entry(infos, key)?.value?.errors;
const allErrors = (infos: ConfigInfos): [string, readonly string[]][] =>
  infos.configs.flatMap(({ value }) => (value?.errors.length ? [[value.name, value.errors]] : []));
const names = (infos: ConfigInfos): (string | undefined)[] => infos.configs.map(({ value }) => value?.name);

const COMMON = [
  'name',
  'connector.class',
  'connector.plugin.version',
  'tasks.max',
  'tasks.max.enforce',
  'key.converter',
  'key.converter.plugin.version',
  'value.converter',
  'value.converter.plugin.version',
  'header.converter',
  'header.converter.plugin.version',
  'transforms',
  'predicates',
  'config.action.reload',
  'errors.retry.timeout',
  'errors.retry.delay.max.ms',
  'errors.tolerance',
  'errors.log.enable',
  'errors.log.include.messages',
];
const SOURCE = [
  'topic.creation.groups',
  'exactly.once.support',
  'transaction.boundary',
  'transaction.boundary.interval.ms',
  'offsets.storage.topic',
];
const SINK = [
  'topics',
  'topics.regex',
  'errors.deadletterqueue.topic.name',
  'errors.deadletterqueue.topic.replication.factor',
  'errors.deadletterqueue.context.headers.enable',
];

describe('the whole answer', () => {
  test('connect-rest 120: a valid source', async () => {
    const infos = await source();
    expect([infos.name, infos.error_count]).toEqual(['FileStreamSource', 0]);
    expect(infos.groups).toEqual([
      'Common',
      'Transforms',
      'Predicates',
      'Error Handling',
      'Topic Creation',
      'Exactly Once Support',
      'offsets.topic',
    ]);
    expect(names(infos)).toEqual([...COMMON, ...SOURCE, 'file', 'topic', 'batch.size']);
    expect(infos.configs.every(({ definition }) => definition !== null)).toBe(true);
  });

  test('connect-rest §3.8: a valid sink has the keys of the table', async () => {
    const infos = await sink();
    expect(infos.groups).toEqual(['Common', 'Transforms', 'Predicates', 'Error Handling']);
    expect(names(infos)).toEqual([...COMMON, ...SINK, 'file']);
  });

  test('connect-rest 123: the worked example', async () => {
    const infos = await validate({ 'connector.class': 'FileStreamSink', name: 'k', 'tasks.max': 'abc' });
    expect(infos.error_count).toBe(4);
    expect(allErrors(infos)).toEqual([
      [
        'tasks.max',
        [
          'Invalid value abc for configuration tasks.max: Not a number of type INT',
          'Invalid value null for configuration tasks.max: Value must be non-null',
        ],
      ],
      ['topics', ['Must configure one of topics or topics.regex']],
      ['topics.regex', ['Must configure one of topics or topics.regex']],
    ]);
    const shown = (key: string): string => {
      const { definition, value } = entry(infos, key)!;
      return JSON.stringify({ definition: { ...definition, documentation: '…' }, value });
    };
    expect(shown('name')).toBe(
      '{"definition":{"name":"name","type":"STRING","required":true,"default_value":null,"importance":"HIGH","documentation":"…","group":"Common","order_in_group":1,"width":"MEDIUM","display_name":"Connector name","dependents":[]},"value":{"name":"name","value":"k","recommended_values":[],"errors":[],"visible":true}}',
    );
    expect(shown('connector.plugin.version')).toBe(
      '{"definition":{"name":"connector.plugin.version","type":"STRING","required":false,"default_value":"4.3.1","importance":"MEDIUM","documentation":"…","group":"Common","order_in_group":3,"width":"MEDIUM","display_name":"Connector version","dependents":[]},"value":{"name":"connector.plugin.version","value":"4.3.1","recommended_values":["4.3.1"],"errors":[],"visible":true}}',
    );
    expect(shown('topics')).toBe(
      '{"definition":{"name":"topics","type":"LIST","required":false,"default_value":"","importance":"HIGH","documentation":"…","group":"Common","order_in_group":4,"width":"LONG","display_name":"Topics","dependents":[]},"value":{"name":"topics","value":"","recommended_values":[],"errors":["Must configure one of topics or topics.regex"],"visible":true}}',
    );
    expect(shown('file')).toBe(
      '{"definition":{"name":"file","type":"STRING","required":false,"default_value":null,"importance":"HIGH","documentation":"…","group":null,"order_in_group":-1,"width":"NONE","display_name":"file","dependents":[]},"value":{"name":"file","value":null,"recommended_values":[],"errors":[],"visible":true}}',
    );
    expect(validationFailure(infos)).toBe(
      'Connector configuration is invalid and contains the following 4 error(s):\nInvalid value abc for configuration tasks.max: Not a number of type INT\nInvalid value null for configuration tasks.max: Value must be non-null\nMust configure one of topics or topics.regex\nMust configure one of topics or topics.regex\nYou can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
    );
  });

  test('connect-rest 124: an unknown key is not shown', async () => {
    const infos = await source({ unknown: 'x', constructor: 'y' });
    expect([infos.error_count, names(infos).includes('unknown')]).toEqual([0, false]);
  });

  test('connect-rest §3.4 (4): a plugin’s key replaces the framework’s key, checks included', async () => {
    const infos = await validate({ 'connector.class': 'Odd', name: 'a', 'tasks.max': '-1' });
    expect(infos.error_count).toBe(0);
    expect(names(infos).indexOf('tasks.max')).toBe(3);
    expect(entry(infos, 'tasks.max')).toMatchObject({
      definition: { default_value: '0', group: 'Odd', order_in_group: -1 },
      value: { value: '-1' },
    });
    expect(infos.groups.at(-1)).toBe('Odd');
  });

  test('connect-rest 135: passwords are hidden, in messages too', async () => {
    const infos = await validate({ 'connector.class': 'Odd', name: 'a', secret: 'hunter2', pin: '1234' });
    expect(entry(infos, 'secret')).toMatchObject({
      definition: { default_value: '[hidden]' },
      value: { value: '[hidden]' },
    });
    expect(entry(infos, 'pin')?.definition?.default_value).toBeNull();
    expect(errorsOf(infos, 'pin')).toEqual(['Invalid value [hidden] for configuration pin: too short']);
    expect(JSON.stringify(infos)).not.toMatch(/hunter2|1234/);
  });

  test("connect-rest §3.4: a plugin's own problems are merged; those of unknown keys come first", async () => {
    const infos = await validate({ 'connector.class': 'Odd', name: 'a', behavior: 'complain' });
    expect(infos.error_count).toBe(2);
    expect(infos.configs[0]).toEqual({
      definition: null,
      value: {
        name: 'nowhere',
        value: null,
        recommended_values: [],
        errors: ['This key is missing'],
        visible: true,
      },
    });
    expect(errorsOf(infos, 'ratio')).toEqual(['The ratio is not to my liking']);
    expect(entry(infos, 'ratio')?.value?.value).toBe('7.0');
  });

  test("a plugin's validate is not called while its own keys are invalid", async () => {
    const infos = await validate({ 'connector.class': 'Odd', name: 'a', behavior: 'throw', ratio: 'x' });
    expect(allErrors(infos)).toEqual([
      ['ratio', ['Invalid value x for configuration ratio: Not a number of type DOUBLE']],
    ]);
  });

  test("connect-rest §2.6: a plugin's validate that hangs fails with the stage in which it hangs", async () => {
    await expect(validate({ 'connector.class': 'Odd', name: 'a', behavior: 'hang' }, {}, 20)).rejects.toMatchObject({
      status: 500,
      message: expect.stringMatching(
        /^Request timed out\. The worker is currently performing multi-property validation for the connector, which began at \d{4}-.*Z\.$/,
      ) as string,
    });
  });
});

describe('keys', () => {
  test('connect-rest §3.3: values are shown as parsed', async () => {
    const infos = await source({
      name: ' a ',
      'tasks.max': ' +3 ',
      'errors.log.enable': 'TRUE',
      'errors.retry.timeout': '9007199254740993',
      'topic.creation.groups': ' a , b',
    });
    const value = (key: string): string | null | undefined => entry(infos, key)?.value?.value;
    expect(infos.error_count).toBe(0);
    expect([
      value('name'),
      value('tasks.max'),
      value('errors.log.enable'),
      value('errors.retry.timeout'),
      value('topic.creation.groups'),
    ]).toEqual(['a', '3', 'true', '9007199254740993', 'a,b']);
  });

  test.each<[string, string, Record<string, string | null>, Record<string, readonly string[]>]>([
    [
      '§3.5',
      'missing name',
      { name: undefined as unknown as string },
      { name: ['Missing required configuration "name" which has no default value.'] },
    ],
    [
      '§3.5',
      'boolean',
      { 'errors.log.enable': 'yes' },
      {
        'errors.log.enable': [
          'Invalid value yes for configuration errors.log.enable: Expected value to be either true or false',
        ],
      },
    ],
    [
      '§3.5',
      'int beyond 32 bits',
      { 'batch.size': '2147483648' },
      { 'batch.size': ['Invalid value 2147483648 for configuration batch.size: Not a number of type INT'] },
    ],
    [
      '130',
      'transforms=a,a',
      { transforms: 'a,a', 'transforms.a.type': 'x' },
      {
        transforms: ['Invalid value [a, a] for configuration transforms: Duplicate alias provided.'],
        'transforms.a.type': ['Invalid value x for configuration transforms.a.type: Class x could not be found.'],
      },
    ],
    [
      '129',
      'transforms=a',
      { transforms: 'a' },
      {
        'transforms.a.type': ['Missing required configuration "transforms.a.type" which has no default value.'],
      },
    ],
    [
      '131',
      'wrong kind of transform, negate alone',
      { transforms: 'a', 'transforms.a.type': 'JsonConverter', 'transforms.a.negate': 'true' },
      {
        'transforms.a.type': [
          'Class class org.apache.kafka.connect.json.JsonConverter does not implement the Transformation interface',
          "Config 'transforms.a.negate' was provided but there is no config 'transforms.a.predicate' defining a predicate to be negated.",
        ],
      },
    ],
    [
      '131',
      'unknown predicate',
      { predicates: 'p', 'predicates.p.type': 'Nope' },
      {
        'predicates.p.type': ['Invalid value Nope for configuration predicates.p.type: Class Nope could not be found.'],
      },
    ],
    [
      '133',
      'unknown converter',
      { 'key.converter': 'Nope' },
      { 'key.converter': ['Invalid value Nope for configuration key.converter: Class Nope could not be found.'] },
    ],
    [
      '133',
      'wrong kind of converter',
      { 'value.converter': 'java.lang.String', 'header.converter': 'JsonConverter' },
      {
        'value.converter': ['Class class java.lang.String does not implement the Converter interface'],
        'header.converter': [
          'Class class org.apache.kafka.connect.json.JsonConverter does not implement the HeaderConverter interface',
        ],
      },
    ],
    [
      '139',
      'exactly.once.support',
      { 'exactly.once.support': 'x', 'transaction.boundary': 'y', 'transaction.boundary.interval.ms': '-1' },
      {
        'exactly.once.support': [
          'Invalid value x for configuration exactly.once.support: String must be one of (case insensitive): REQUIRED, REQUESTED',
        ],
        'transaction.boundary': [
          'Invalid value y for configuration transaction.boundary: String must be one of (case insensitive): INTERVAL, POLL, CONNECTOR',
        ],
        'transaction.boundary.interval.ms': [
          'Invalid value -1 for configuration transaction.boundary.interval.ms: Value must be at least 0',
        ],
      },
    ],
    [
      '§3.5',
      'empty offsets topic',
      { 'offsets.storage.topic': ' ' },
      {
        'offsets.storage.topic': ['Invalid value  for configuration offsets.storage.topic: String must be non-empty'],
      },
    ],
    [
      '142',
      'nulls',
      { 'errors.tolerance': null, file: null, other: null, transforms: null },
      {
        other: ['Null value can not be supplied as the configuration value.'],
        transforms: [
          'Invalid value null for configuration transforms: entry must be non null',
          'Null value can not be supplied as the configuration value.',
        ],
        'errors.tolerance': [
          'Invalid value null for configuration errors.tolerance: String must be one of: none, all',
          'Null value can not be supplied as the configuration value.',
        ],
      },
    ],
    [
      '§3.6',
      'more aliases than an answer has room for',
      { predicates: Array.from({ length: 201 }, (_, i) => `p${i}`).join(',') },
      { predicates: ['There are 201 aliases, but at most 200 are allowed.'] },
    ],
    ['140', 'unknown placeholder', { file: '${env:NOPE}' }, {}],
  ])('connect-rest %s: %s', async (_number, _what, more, expected) => {
    const config = Object.fromEntries(
      Object.entries({ ...SRC, name: 'a', ...more }).filter(([, v]) => v !== undefined),
    );
    const infos = await validate(config as Record<string, string | null>);
    expect(Object.fromEntries(allErrors(infos))).toEqual(expected);
    expect(infos.error_count).toBe(Object.values(expected).flat().length);
  });

  test('connect-rest 129: an unusable transformation still has type and version, and its group', async () => {
    const infos = await source({ transforms: 'a' });
    expect(names(infos).slice(-5)).toEqual([
      'transforms.a.type',
      'transforms.a.plugin.version',
      'file',
      'topic',
      'batch.size',
    ]);
    expect(infos.groups).toContain('Transforms: a');
    expect(entry(infos, 'transforms.a.type')?.definition).toMatchObject({
      required: true,
      width: 'LONG',
      order_in_group: 0,
      display_name: 'Transformation type for a',
    });
  });
});

describe('converters', () => {
  test('connect-rest §4.1: defaults are the worker’s, recommended values are all installed converters', async () => {
    const infos = await source();
    expect(entry(infos, 'key.converter')).toMatchObject({
      definition: { default_value: 'org.apache.kafka.connect.json.JsonConverter', required: false },
      value: {
        value: 'org.apache.kafka.connect.json.JsonConverter',
        recommended_values: ['org.apache.kafka.connect.json.JsonConverter'],
      },
    });
    expect(entry(infos, 'header.converter.plugin.version')?.value).toMatchObject({
      value: '4.3.1',
      recommended_values: ['4.3.1'],
    });
  });

  test("connect-rest 134: a converter's keys follow the plugin's", async () => {
    const infos = await source({ 'value.converter': 'JsonConverter', 'value.converter.schemas.enable': 'maybe' });
    const all = names(infos);
    expect(all.slice(0, all.indexOf('value.converter.converter.type')).at(-1)).toBe('batch.size');
    expect(entry(infos, 'value.converter.converter.type')?.value?.value).toBe('value');
    expect(infos.groups).toEqual(expect.arrayContaining(['Serialization', 'Schemas']));
    expect(allErrors(infos)).toEqual([
      [
        'value.converter.schemas.enable',
        ['Invalid value maybe for configuration schemas.enable: Expected value to be either true or false'],
      ],
    ]);
    expect(entry(infos, 'value.converter.schemas.enable')?.definition?.display_name).toBe('schemas.enable');
  });

  test('converter settings without the class key are not shown', async () => {
    const infos = await source({ 'value.converter.schemas.enable': 'maybe' });
    expect(infos.error_count).toBe(0);
  });
});

describe('versions', () => {
  test.each(['4.3.1', 'latest', '[4.0,5.0)', '[4.3.1]'])(
    'connector.plugin.version=%s is installed',
    async (version) => {
      expect((await source({ 'connector.plugin.version': version })).error_count).toBe(0);
    },
  );

  test('connect-rest R2: a version that is not installed, class or alias', async () => {
    const infos = await source({ 'connector.plugin.version': '9.9' });
    const message =
      'Plugin org.apache.kafka.connect.file.FileStreamSourceConnector not found that matches the version range [9.9,9.9], available versions: [4.3.1]';
    expect(allErrors(infos)).toEqual([
      ['connector.class', [message]],
      ['connector.plugin.version', [message]],
    ]);
    expect(names(infos)).toEqual(COMMON);
    const recommended = (key: string): unknown => entry(infos, key)?.value?.recommended_values;
    expect([recommended('connector.class'), recommended('connector.plugin.version')]).toEqual([[], ['4.3.1']]);
  });

  test('connect-rest §2.3: a malformed version', async () => {
    await expect(source({ 'connector.plugin.version': '[1' })).rejects.toMatchObject({
      status: 400,
      message: 'Unbounded range: [1',
    });
  });
});

describe('sinks', () => {
  test.each<[string, Record<string, string | null>, Record<string, readonly string[]>]>([
    [
      '125',
      { 'topics.regex': 'x.*' },
      {
        topics: ['topics and topics.regex are mutually exclusive options, but both are set.'],
        'topics.regex': ['topics and topics.regex are mutually exclusive options, but both are set.'],
      },
    ],
    [
      '126',
      { topics: 'a, b', 'errors.deadletterqueue.topic.name': 'b' },
      {
        topics: [
          "The DLQ topic 'b' may not be included in the list of topics ('topics=[a, b]') consumed by the connector",
        ],
      },
    ],
    [
      '126',
      { topics: '', 'topics.regex': 'x.*', 'errors.deadletterqueue.topic.name': 'xx' },
      {
        'topics.regex': [
          "The DLQ topic 'xx' may not be matched by the regex for the topics ('topics.regex=x.*') consumed by the connector",
        ],
      },
    ],
    ['126', { topics: '', 'topics.regex': 'x.*', 'errors.deadletterqueue.topic.name': 'yx' }, {}],
    ['128', { topics: 'a,a' }, { topics: ["Configuration 'topics' values must not be duplicated."] }],
    ['128', { topics: 'a,,b' }, { topics: ["Configuration 'topics' values must not be empty."] }],
    ['R12', { topics: ',' }, { topics: ["Configuration 'topics' values must not be duplicated."] }],
  ])('connect-rest %s: %j', async (_number, more, expected) => {
    expect(Object.fromEntries(allErrors(await sink(more)))).toEqual(expected);
  });

  test('connect-rest 127: a bad pattern', async () => {
    const infos = await sink({ topics: '', 'topics.regex': '[' });
    expect(errorsOf(infos, 'topics.regex')).toEqual([
      expect.stringMatching(/^Invalid value \[ for configuration topics\.regex: Invalid regex: .+/),
    ]);
  });

  test('connect-rest 160: the group of the workers', async () => {
    const named = await sink({ name: 'x' }, { groupId: 'connect-x' });
    expect(allErrors(named)).toEqual([
      ['name', ['Consumer group for sink connector named x conflicts with Connect worker group connect-x']],
    ]);
    const overridden = await sink({ 'consumer.override.group.id': 'connect-x' }, { groupId: 'connect-x' });
    expect(overridden.configs[0]).toMatchObject({
      definition: null,
      value: {
        name: 'consumer.override.group.id',
        errors: ['Consumer group connect-x conflicts with Connect worker group connect-x'],
      },
    });
  });
});

describe('client overrides', () => {
  const denied = (policy: string, key: string): string =>
    `The '${policy}' policy does not allow '${key}' to be overridden in the connector configuration.`;

  test('connect-rest 136: policy None', async () => {
    const infos = await validate(
      { ...SRC, name: 'a', 'producer.override.acks': '1', 'producer.override.sasl.jaas.config': 'x password="p"' },
      { clientOverridePolicy: 'None' },
    );
    expect(allErrors(infos)).toEqual([
      ['producer.override.acks', [denied('None', 'acks')]],
      ['producer.override.sasl.jaas.config', [denied('None', 'sasl.jaas.config')]],
    ]);
    expect(entry(infos, 'producer.override.sasl.jaas.config')?.value?.value).toBe('[hidden]');
  });

  test('connect-rest 137: overrides of a client that is not used are ignored if the policy allows them', async () => {
    const unused = { 'consumer.override.x': '1', 'admin.override.y': '1' };
    const infos = await validate({ ...SRC, name: 'a', ...unused }, { clientOverridePolicy: 'All' });
    expect(infos.configs.filter(({ value }) => value?.name.includes('.override.'))).toEqual([]);
  });

  test('the policy refuses overrides of clients that only later requests open', async () => {
    const settings = { clientOverridePolicy: 'None' };
    const source = { ...SRC, name: 'a', 'consumer.override.x': '1', 'admin.override.y': '1' };
    expect(allErrors(await validate(source, settings))).toEqual([
      ['consumer.override.x', [denied('None', 'x')]],
      ['admin.override.y', [denied('None', 'y')]],
    ]);
    const servers = await sink({ 'admin.override.bootstrap.servers': 'evil:9092' }, settings);
    expect(allErrors(servers)).toEqual([['admin.override.bootstrap.servers', [denied('None', 'bootstrap.servers')]]]);
  });

  test.each([
    ['All', [] as string[]],
    ['Principal', ['acks']],
    ['Allowlist', ['security.protocol']],
  ])('policy %s', async (clientOverridePolicy, keys) => {
    const infos = await createConfigValidator({
      registry,
      config: {
        ...fakeWorkerConfig({ clientOverridePolicy }),
        clientOverrideAllowlist: ['acks', 'linger.ms'],
      },
    }).validate({
      ...SRC,
      name: 'a',
      'producer.override.acks': '1',
      'producer.override.security.protocol': 'SSL',
    });
    expect(allErrors(infos).map(([key]) => key)).toEqual(keys.map((key) => `producer.override.${key}`));
  });
});

test('a plugin that quotes a worker setting with the value of a config provider shows its placeholder', async () => {
  addProvidedValue('/mnt/s3cret-root', '${env:ROOT}', null);
  addProvidedValue('s3cret-of-the-worker', '${env:PASSWORD}', null);
  const validate = (
    config: Record<string, string>,
    { 'file.root': root = '' }: WorkerSettings,
  ): { key: string; message: string }[] => [{ key: 'file', message: `${config['file']} is not in ${root}` }];
  const granting: PluginRegistry = {
    problems: () => [],
    list: () => registry.list(),
    find: (...given) => {
      const found = registry.find(...given);
      return found && { ...found, workerSettings: ['file.root'] };
    },
    load: async (...given) =>
      ({ ...(await registry.load(...given)), validate }) as Awaited<ReturnType<PluginRegistry['load']>>,
  };
  const infos = await createConfigValidator({
    registry: granting,
    config: { ...fakeWorkerConfig(), raw: { 'file.root': '/mnt/s3cret-root' } },
  }).validate({ ...SRC, name: 'a', file: 's3cret-of-the-worker' });
  expect(errorsOf(infos, 'file')).toEqual(['s3cret-of-the-worker is not in ${env:ROOT}']);
});

describe('placeholders', () => {
  const resolver = {
    resolve: <T extends string | null>(settings: Readonly<Record<string, T>>): Promise<Record<string, T>> =>
      Promise.resolve(
        Object.fromEntries(
          Object.entries(settings).map(([key, value]) => [
            key,
            value === '${env:BAD}' ? 'hunter2' : value === '${env:CLASS}' ? 'FileStreamSource' : value,
          ]),
        ) as Record<string, T>,
      ),
  };
  const resolving = createConfigValidator({ registry, config: fakeWorkerConfig(), resolver });

  test('connect-rest 141: a resolved value is checked but never shown', async () => {
    const infos = await resolving.validate({ ...SRC, name: 'a', 'tasks.max': '${env:BAD}', file: '${env:BAD}' });
    expect(infos.error_count).toBe(1);
    expect(entry(infos, 'tasks.max')?.value).toMatchObject({
      value: '${env:BAD}',
      errors: [
        "Invalid value for configuration 'tasks.max': the value resolved from the config provider reference failed validation",
      ],
    });
    expect(entry(infos, 'file')?.value?.value).toBe('${env:BAD}');
    expect(JSON.stringify(infos)).not.toContain('hunter2');
  });

  test('connect-rest 141: messages about other keys do not quote it either', async () => {
    const dlq = { 'errors.deadletterqueue.topic.name': '${env:BAD}' };
    const infos = await resolving.validate({ ...SNK, name: 'a', topics: 'hunter2', ...dlq });
    expect(errorsOf(infos, 'topics')?.[0]).toMatch(/^The DLQ topic '\$\{env:BAD\}' may not be included/);
    expect(infos.error_count).toBe(1);
  });

  test('connect-rest 140: an unresolved one is checked as it is; the class may be one', async () => {
    const infos = await resolving.validate({ ...SRC, name: 'a', 'connector.class': '${env:CLASS}', file: '${x:y}' });
    expect([infos.name, infos.error_count]).toEqual(['${env:CLASS}', 0]);
    expect(entry(infos, 'file')?.value?.value).toBe('${x:y}');
  });
});
