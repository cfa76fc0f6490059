/** connect-rest §7, cases 113 to 142, as a client sees them. */
import { expectError, ours, Target } from './client';

let target: Target;
beforeAll(async () => {
  target = await Target.open();
});
afterAll(() => target.close());

const SNK = { 'connector.class': 'FileStreamSink', name: 'k', topics: 't' };
const SRC = { 'connector.class': 'FileStreamSource', name: 'k', topic: 't' };
const validate = (plugin: string, config: unknown): ReturnType<Target['call']> =>
  target.call('PUT', `/connector-plugins/${plugin}/config/validate`, config);

interface Infos {
  name: string;
  error_count: number;
  groups: string[];
  configs: { definition: { name: string } | null; value: { name: string; value: string | null; errors: string[] } }[];
}
const errors = (json: unknown): Record<string, string[]> =>
  Object.fromEntries(
    (json as Infos).configs
      .filter(({ value }) => value.errors.length > 0)
      .map(({ value }) => [value.name, value.errors]),
  );
async function expectErrors(config: Record<string, string | null>, expected: Record<string, unknown>): Promise<void> {
  const { status, json } = await validate('FileStreamSink', { ...SNK, ...config });
  expect([status, errors(json)]).toEqual([200, expected]);
}

test('connect-rest 113, 115: connectors, sinks first', async () => {
  const { json } = await target.call('GET', '/connector-plugins');
  const types = (json as { type: string }[]).map(({ type }) => type);
  expect(types).toEqual([...types].sort());
  expect(new Set(types).size).toBeLessThanOrEqual(2);
  for (const plugin of json as object[]) expect(Object.keys(plugin)).toEqual(['class', 'type', 'version']);
  expect((await target.call('GET', '/connector-plugins/')).json).toEqual(json);
});

test('connect-rest 114: all kinds, in order', async () => {
  const { json } = await target.call('GET', '/connector-plugins?connectorsOnly=false');
  const order = ['sink', 'source', 'transformation', 'predicate', 'converter', 'header_converter'];
  const types = (json as { type: string }[]).map(({ type }) => order.indexOf(type));
  expect(types).toEqual([...types].sort());
  expect(types).toEqual(expect.arrayContaining([0, 4, 5]));
});

test('connect-rest 114: connectorsOnly without a value is ignored', async () => {
  const only = (await target.call('GET', '/connector-plugins')).json as object[];
  for (const query of [
    'connectorsOnly=',
    'connectorsOnly',
    'connectorsOnly=TRUE',
    'connectorsOnly=&connectorsOnly=false',
  ])
    expect((await target.call('GET', `/connector-plugins?${query}`)).json).toEqual(only);
  for (const query of ['connectorsOnly=false', 'connectorsOnly=0'])
    expect(((await target.call('GET', `/connector-plugins?${query}`)).json as object[]).length).toBeGreaterThan(
      only.length,
    );
});

const JSON_CLASS = 'org.apache.kafka.connect.json.JsonConverter';
const HEADER_CLASS = 'org.apache.kafka.connect.storage.SimpleHeaderConverter';
const noVersion = (cls: string, range: string, versions: string): string =>
  `Plugin ${cls} not found that matches the version range ${range}, available versions: [${versions}]`;
test.each([
  // The class is a plugin of two types: Java lists it once for each.
  ['key', 'JsonConverter', '99.0', noVersion(JSON_CLASS, '[99.0,99.0]', '4.3.1, 4.3.1'), true],
  ['value', JSON_CLASS, '[5,)', noVersion(JSON_CLASS, '[5,)', '4.3.1, 4.3.1'), true],
  ['header', HEADER_CLASS, '99.0', noVersion(HEADER_CLASS, '[99.0,99.0]', '4.3.1'), true],
  ['value', 'JsonConverter', '', noVersion(JSON_CLASS, '[,]', '4.3.1, 4.3.1'), true],
  ['key', 'JsonConverter', '[1', 'Unbounded range: [1', false],
])('connect-rest 133: %s.converter %s of version %j', async (part, cls, version, message, both) => {
  const keys = { [`${part}.converter`]: cls, [`${part}.converter.plugin.version`]: version };
  const { json } = await validate('FileStreamSink', { ...SNK, ...keys });
  const found = [`${part}.converter`, `${part}.converter.plugin.version`].slice(both ? 0 : 1);
  expect(errors(json)).toEqual(Object.fromEntries(found.map((key) => [key, [message]])));
  // No keys of a converter that is not available.
  expect((json as Infos).configs.map(({ value }) => value.name)).not.toContain(`${part}.converter.converter.type`);
  const created = await target.call('POST', '/connectors', { name: 'k', config: { ...SNK, ...keys } });
  expect([created.status, (created.json as { message: string }).message]).toEqual([
    400,
    expect.stringContaining(message) as string,
  ]);
});

test('connect-rest 133: versions of converters that are installed, or not used', async () => {
  for (const version of ['4.3.1', ' 4.3.1 ', '[4,5)', 'latest'])
    await expectErrors({ 'key.converter': 'JsonConverter', 'key.converter.plugin.version': version }, {});
  // Without a class of its own the connector gets the worker's converter, and its version is ignored.
  await expectErrors({ 'key.converter.plugin.version': '99.0' }, {});
  await expectErrors(
    { 'key.converter.plugin.version': '[1' },
    { 'key.converter.plugin.version': ['Unbounded range: [1'] },
  );
  await expectErrors(
    { transforms: 'a', 'transforms.a.type': 'Nope', 'transforms.a.plugin.version': '[1' },
    {
      'transforms.a.type': ['Invalid value Nope for configuration transforms.a.type: Class Nope could not be found.'],
      'transforms.a.plugin.version': ['Unbounded range: [1'],
    },
  );
});

test('connect-rest 116: keys of the file source', async () => {
  const { json } = await target.call('GET', '/connector-plugins/FileStreamSource/config');
  expect((json as { name: string }[]).slice(0, 5).map(({ name }) => name)).toEqual([
    'file',
    'topic',
    'batch.size',
    'name',
    'connector.class',
  ]);
});

test('connect-rest 116, 117: keys of the file sink, by any of its names', async () => {
  const { json } = await target.call('GET', '/connector-plugins/FileStreamSink/config');
  // Millrace has keys of its own between them: docs/compatibility.md, “File sink”.
  const names = (json as { name: string }[]).map(({ name }) => name).filter((name) => !name.startsWith('file.'));
  expect(names.slice(0, 3)).toEqual(['file', 'name', 'connector.class']);
  expect(Object.keys((json as object[])[0] as object)).toEqual([
    'name',
    'type',
    'required',
    'default_value',
    'importance',
    'documentation',
    'group',
    'order_in_group',
    'width',
    'display_name',
    'dependents',
  ]);
  for (const name of ['FileStreamSinkConnector', 'org.apache.kafka.connect.file.FileStreamSinkConnector']) {
    expect((await target.call('GET', `/connector-plugins/${name}/config`)).json).toEqual(json);
  }
  expectError(await target.call('GET', '/connector-plugins/Nope/config'), 404, 'Unknown plugin Nope.');
});

test('connect-rest 118: a plugin of another type', async () => {
  for (const name of ['FileConfigProvider', 'EnvVar', 'AllConnectorClientConfigOverridePolicy', 'Principal']) {
    expectError(
      await target.call('GET', `/connector-plugins/${name}/config`),
      400,
      `Invalid plugin class ${name}. Valid types are sink, source, converter, header_converter, transformation, predicate.`,
    );
  }
});

/** All entries of a key; the definition's name is null where there is none. */
const entriesOf = (json: unknown, key: string): (string | null)[][] =>
  (json as Infos).configs
    .filter(({ value }) => value.name === key)
    .map(({ definition, value }) => [definition && definition.name, value.value, ...value.errors]);

test('connect-rest 136: the group of a sink is shown twice, an override without a name not at all', async () => {
  const group = 'consumer.override.group.id';
  const { json } = await validate('FileStreamSink', { ...SNK, [group]: 'g', 'consumer.override.': 'x' });
  expect(entriesOf(json, group)).toEqual([
    [null, 'g'],
    [group, 'g'],
  ]);
  expect(entriesOf(json, 'consumer.override.')).toEqual([]);
  expect((json as Infos).error_count).toBe(0);
  const source = (await validate('FileStreamSource', { ...SRC, 'producer.override.': 'x', [group]: 'g' }))
    .json as Infos;
  for (const key of [group, 'producer.override.']) expect(entriesOf(source, key)).toEqual([]);
});

test('connect-rest 138: an override that cannot be read', async () => {
  const config = { ...SNK, 'consumer.override.max.poll.records': 'abc' };
  const reason = 'Invalid value abc for configuration max.poll.records: Not a number of type INT';
  const validated = await validate('FileStreamSink', config);
  expectError(validated, 500, `org.apache.kafka.common.config.ConfigException: ${reason}`);
  expectError(await target.call('POST', '/connectors', { name: 'k', config }), 500, reason);
});

ours('connect-rest R19: null for a key that the plugin requires counts as missing', async () => {
  const answer = await target.call('POST', '/connectors', { name: 'k', config: { ...SRC, topic: null } });
  if (answer.status === 201) await target.call('DELETE', '/connectors/k');
  expectError(answer, 400, /\nMissing required configuration "topic" which has no default value\.\n/);
});

test('connect-runtime 89: exactly-once is required of a worker that does not enable it', async () => {
  const { json } = await validate('FileStreamSource', { ...SRC, file: '/in', 'exactly.once.support': 'required' });
  expect(errors(json)).toEqual({
    'exactly.once.support': ['This worker does not have exactly-once source support enabled.'],
  });
});

ours('connect-rest R19: the reason for an invalid expression has Millrace’s text', async () => {
  const { json } = await validate('FileStreamSink', {
    'connector.class': 'FileStreamSink',
    name: 'k',
    'topics.regex': '[',
  });
  const [message] = errors(json)['topics.regex'] ?? [];
  expect(message).toMatch(/^Invalid value \[ for configuration topics\.regex: Invalid regex: ./);
  expect(message).not.toContain('near index');
});

test('connect-rest 119: versions', async () => {
  expectError(
    await target.call('GET', '/connector-plugins/FileStreamSink/config?version=9.9'),
    400,
    /^Plugin org\.apache\.kafka\.connect\.file\.FileStreamSinkConnector not found that matches the version range \[9\.9,9\.9\], available versions: \[/,
  );
  expectError(
    await target.call('GET', '/connector-plugins/FileStreamSink/config?version=%5B1'),
    400,
    'Invalid version specification: [1',
  );
});

test('connect-rest 120: a valid source', async () => {
  const { json } = await validate('FileStreamSource', SRC);
  expect((json as Infos).error_count).toBe(0);
  expect((json as Infos).groups).toEqual([
    'Common',
    'Transforms',
    'Predicates',
    'Error Handling',
    'Topic Creation',
    'Exactly Once Support',
    'offsets.topic',
  ]);
});

test('connect-rest 120, 121: a valid sink; the path only has to match', async () => {
  for (const plugin of ['FileStreamSink', 'Sink']) {
    const { status, json } = await validate(plugin, SNK);
    expect([status, (json as Infos).name, (json as Infos).error_count]).toEqual([200, 'FileStreamSink', 0]);
    expect((json as Infos).groups).toEqual(['Common', 'Transforms', 'Predicates', 'Error Handling']);
    expect((json as Infos).configs.every(({ definition }) => definition !== null)).toBe(true);
  }
  const whole = 'org.apache.kafka.connect.file.FileStreamSinkConnector';
  const { json } = await validate(whole, { ...SNK, 'connector.class': whole });
  expect((json as Infos).error_count).toBe(0);
  expect(Object.keys(json as object)).toEqual(['name', 'error_count', 'groups', 'configs']);
  for (const other of ['Nope', 'Connector'])
    expectError(
      await validate(other, SNK),
      400,
      `Included connector type FileStreamSink does not match request type ${other}`,
    );
});

test('connect-rest 122: no class', async () => {
  expectError(
    await validate('FileStreamSink', {}),
    500,
    'org.apache.kafka.connect.runtime.rest.errors.BadRequestException: Connector config {} contains no connector type',
  );
  expectError(
    await validate('NoSuch', { 'connector.class': 'NoSuch' }),
    500,
    /^org\.apache\.kafka\.connect\.runtime\.rest\.errors\.BadRequestException: Failed to find any class that implements/,
  );
  expectError(
    await validate('FileStreamSink', 'null'),
    500,
    'Cannot invoke "java.util.Map.get(Object)" because "connectorConfig" is null',
  );
});

test('connect-rest 123: the worked example', async () => {
  const { json } = await validate('FileStreamSink', {
    'connector.class': 'FileStreamSink',
    name: 'k',
    'tasks.max': 'abc',
  });
  expect((json as Infos).error_count).toBe(4);
  expect(errors(json)).toEqual({
    'tasks.max': [
      'Invalid value abc for configuration tasks.max: Not a number of type INT',
      'Invalid value null for configuration tasks.max: Value must be non-null',
    ],
    topics: ['Must configure one of topics or topics.regex'],
    'topics.regex': ['Must configure one of topics or topics.regex'],
  });
});

test('connect-rest 124: an unknown key', async () => {
  const { json } = await validate('FileStreamSink', { ...SNK, unknown: 'x' });
  expect((json as Infos).error_count).toBe(0);
  expect((json as Infos).configs.map(({ value }) => value.name)).not.toContain('unknown');
});

test('connect-rest 125 to 128: rules of sinks', async () => {
  const both = ['topics and topics.regex are mutually exclusive options, but both are set.'];
  await expectErrors({ 'topics.regex': 'x' }, { topics: both, 'topics.regex': both });
  await expectErrors(
    { 'errors.deadletterqueue.topic.name': 't' },
    {
      topics: ["The DLQ topic 't' may not be included in the list of topics ('topics=[t]') consumed by the connector"],
    },
  );
  await expectErrors(
    { topics: '', 'topics.regex': '[' },
    {
      'topics.regex': expect.arrayContaining([
        expect.stringMatching(/^Invalid value \[ for configuration topics\.regex: Invalid regex: /),
      ]),
    },
  );
  await expectErrors({ topics: 'a,a' }, { topics: ["Configuration 'topics' values must not be duplicated."] });
  await expectErrors({ topics: 'a,,b' }, { topics: ["Configuration 'topics' values must not be empty."] });
});

test('connect-rest 129, 130: transformations', async () => {
  await expectErrors(
    { transforms: 'a' },
    { 'transforms.a.type': ['Missing required configuration "transforms.a.type" which has no default value.'] },
  );
  const { json } = await validate('FileStreamSink', { ...SNK, transforms: 'a,a' });
  expect((json as Infos).groups).toContain('Transforms: a');
  expect(errors(json).transforms).toEqual([
    'Invalid value [a, a] for configuration transforms: Duplicate alias provided.',
  ]);
});

test('connect-rest 131, 132: transformations and predicates that cannot be used, or lack a setting', async () => {
  const transforms = 'org.apache.kafka.connect.transforms';
  const one = (type: string, more: Record<string, string> = {}): Record<string, string> => ({
    transforms: 'a',
    'transforms.a.type': type,
    ...more,
  });
  await expectErrors(one('Nope'), {
    'transforms.a.type': ['Invalid value Nope for configuration transforms.a.type: Class Nope could not be found.'],
  });
  await expectErrors(one('RecordIsTombstone'), {
    'transforms.a.type': [
      `Class class ${transforms}.predicates.RecordIsTombstone does not implement the Transformation interface`,
    ],
  });
  await expectErrors(one(`${transforms}.InsertField`), {
    'transforms.a.type': [
      `This class is abstract and cannot be created. Did you mean ${transforms}.InsertField$Key, ${transforms}.InsertField$Value?`,
    ],
  });
  await expectErrors(one('Filter', { 'transforms.a.negate': 'true' }), {
    'transforms.a.type': [
      "Config 'transforms.a.negate' was provided but there is no config 'transforms.a.predicate' defining a predicate to be negated.",
    ],
  });
  await expectErrors(one(`${transforms}.HoistField$Value`), {
    'transforms.a.field': ['Missing required configuration "transforms.a.field" which has no default value.'],
  });
  await expectErrors(one('Filter', { 'transforms.a.plugin.version': '9' }), {
    'transforms.a.type': [
      expect.stringContaining(`Plugin ${transforms}.Filter not found that matches the version range`),
    ],
    'transforms.a.plugin.version': [expect.stringContaining('[9,9]')],
  });
  await expectErrors(
    { predicates: 'p', 'predicates.p.type': 'TopicNameMatches', 'predicates.p.pattern': '[' },
    { 'predicates.p.pattern': [expect.stringMatching(/^Invalid value \[ for configuration pattern: Invalid regex: /)] },
  );
  // An undefined alias is reported when the task starts.
  await expectErrors(one('Filter', { 'transforms.a.predicate': 'nobody' }), {});
});

test("connect-rest 114, 116: Kafka's own transformations and predicates are listed and described", async () => {
  const { json } = await target.call('GET', '/connector-plugins?connectorsOnly=false');
  const own = (json as { class: string; type: string }[]).filter((one) =>
    one.class.startsWith('org.apache.kafka.connect.transforms.'),
  );
  const count = (type: string): number => own.filter((one) => one.type === type).length;
  expect([count('transformation'), count('predicate')]).toEqual([26, 3]);
  for (const plugin of own) {
    const described = await target.call('GET', `/connector-plugins/${plugin.class}/config`);
    expect([plugin.class, described.status]).toEqual([plugin.class, 200]);
  }
});

test('connect-rest 133: classes that are not converters', async () => {
  await expectErrors(
    { 'key.converter': 'Nope' },
    { 'key.converter': ['Invalid value Nope for configuration key.converter: Class Nope could not be found.'] },
  );
  const { json } = await validate('FileStreamSink', { ...SNK, 'key.converter': 'java.lang.String' });
  expect(errors(json)['key.converter']?.join()).toContain(
    'Class class java.lang.String does not implement the Converter interface',
  );
});

test("connect-rest 134: a converter's own keys", async () => {
  const { json } = await validate('FileStreamSink', {
    ...SNK,
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  });
  const { configs, groups, error_count } = json as Infos;
  expect(error_count).toBe(0);
  expect(configs.find(({ value }) => value.name === 'value.converter.converter.type')?.value.value).toBe('value');
  expect(configs.map(({ value }) => value.name)).toContain('value.converter.schemas.enable');
  expect(groups).toEqual(expect.arrayContaining(['Serialization', 'Schemas']));
});

test('connect-rest 140: an unknown placeholder', async () => {
  const { json } = await validate('FileStreamSink', { ...SNK, file: '${env:NOPE}' });
  expect((json as Infos).error_count).toBe(0);
});

test('connect-rest 142: nulls', async () => {
  await expectErrors({ file: null }, {});
  await expectErrors(
    { 'errors.tolerance': null },
    {
      'errors.tolerance': [
        'Invalid value null for configuration errors.tolerance: String must be one of: none, all',
        'Null value can not be supplied as the configuration value.',
      ],
    },
  );
});
