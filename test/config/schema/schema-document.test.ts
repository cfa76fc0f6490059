import Ajv from 'ajv';
import { SAMPLES } from './sample-documents';
import { ANALYTICS, checkOf, FILE_SINK, FILE_SOURCE, POSTGRES, VALID, validator } from './schema-fixtures';

interface Property {
  readonly [keyword: string]: unknown;
}
interface ConnectorSchema {
  readonly definitions: { readonly config: { readonly properties: Record<string, Property> } };
}

const propertiesOf = async (plugin: string): Promise<Record<string, Property>> =>
  ((await validator.schema(plugin)) as unknown as ConnectorSchema).definitions.config.properties;

test.each([
  ...[FILE_SOURCE, FILE_SINK, POSTGRES, ANALYTICS],
  ...[
    'JsonConverter',
    'SimpleHeaderConverter',
    'org.apache.kafka.connect.transforms.TimestampConverter$Value',
    'TopicNameMatches',
    'EventRouter',
  ],
])('the schema of %s is valid by its metaschema', async (plugin) => {
  const schema = await validator.schema(plugin);
  const ajv = new Ajv({ strict: false });
  expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
  expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
});

test.each(SAMPLES)('a document of %s is valid, and its config alone, too', async (_, document) => {
  const { config } = document;
  const check = await checkOf(config['connector.class']!);
  expect([check(document), check.errors]).toEqual([true, null]);
  expect([check(config), check.errors]).toEqual([true, null]);
});

test('a registration document has a name, a config and a state, and what a worker returns', async () => {
  const check = await checkOf(FILE_SOURCE);
  const { name, config } = VALID[FILE_SOURCE]!;
  for (const valid of [
    { name, config },
    { name: 5, config },
    { name, config, initial_state: 'Paused', labels: { team: 'a' }, $schema: 'http://localhost:8083/x' },
    { name, config, tasks: [{ connector: name, task: 0 }], type: 'source' },
    { config: { ...config, name } },
    { ...config, name },
  ])
    expect([check(valid), check.errors]).toEqual([true, null]);
  for (const invalid of [
    { config },
    { name },
    { name: ' ', config },
    { name: null, config },
    { name, config, initial_state: 'RESTARTING' },
    { name, config, state: 'RUNNING' },
    { name, config: null },
    { name, config: [config] },
    [],
    'text',
    {},
  ])
    expect([invalid, check(invalid)]).toEqual([invalid, false]);
});

test('keys are described as their definitions are', async () => {
  for (const plugin of [FILE_SINK, POSTGRES, ANALYTICS]) {
    const properties = await propertiesOf(plugin);
    for (const key of await validator.definitions(plugin)) {
      const property = properties[key.name];
      expect(property).toMatchObject({
        description: key.documentation,
        'x-type': key.type,
        'x-importance': key.importance,
      });
      expect(property?.['x-group'] ?? null).toBe(key.group);
      expect(property?.['x-order'] ?? -1).toBe(key.order_in_group);
      if (key.default_value !== null && key.type !== 'PASSWORD') expect(property?.default).toBe(key.default_value);
    }
  }
});

test('passwords are marked and have no default', async () => {
  const properties = await propertiesOf(POSTGRES);
  expect(properties['database.password']).toMatchObject({ writeOnly: true, format: 'password' });
  expect(properties['database.password']).not.toHaveProperty('default');
});

test('outdated names are marked, and name the current one', async () => {
  expect((await propertiesOf(POSTGRES))['table.whitelist']).toMatchObject({
    deprecated: true,
    deprecationMessage: 'Use table.include.list.',
    'x-alias-of': 'table.include.list',
  });
  expect((await propertiesOf(POSTGRES))['sslmode']).not.toHaveProperty('deprecated');
  expect((await propertiesOf(ANALYTICS))['kusto.sink.tempdir']).toMatchObject({ deprecated: true });
  expect((await propertiesOf(ANALYTICS))['kusto.ingestion.url']).not.toHaveProperty('deprecated');
});

test('the class is offered under the names that the worker resolves', async () => {
  expect((await propertiesOf(ANALYTICS))['connector.class']).toMatchObject({
    default: ANALYTICS,
    anyOf: [
      { enum: [ANALYTICS, 'AnalyticsSinkConnector', 'AnalyticsSink', 'KustoSinkConnector', 'KustoSink'] },
      { type: 'string' },
    ],
  });
});

test('settings of other plugins are described without their prefix', async () => {
  const schema = await validator.schema('org.apache.kafka.connect.transforms.TimestampConverter$Value');
  expect(schema).toMatchObject({
    required: ['target.type'],
    properties: { 'target.type': { anyOf: [{ enum: ['string', 'unix', 'Date', 'Time', 'Timestamp'] }, {}] } },
  });
});
