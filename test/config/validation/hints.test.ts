/** What a form needs beyond Java's definitions: only on request. */
import type { ConfigDefinitionInfo, KeyHints } from '../../../src/config/validation/config-infos';
import { FILE_SINK, POSTGRES, registry, VALID, validator } from '../schema/schema-fixtures';

const hintsOf = (definitions: readonly (ConfigDefinitionInfo | null)[], key: string): KeyHints | undefined =>
  definitions.find((definition) => definition?.name === key)?.hints;

test('neither definitions nor validation have hints by default', async () => {
  const definitions = await validator.definitions(POSTGRES);
  const { configs } = await validator.validate(VALID[POSTGRES]!.config as Record<string, string>);
  for (const definition of [...definitions, ...configs.map((entry) => entry.definition)])
    expect(Object.keys(definition ?? {})).not.toContain('hints');
});

test.each<[string, string, KeyHints | undefined]>([
  [POSTGRES, 'topic.prefix', { required_unless: [] }],
  [POSTGRES, 'database.server.name', { alias_of: 'topic.prefix', deprecated: true }],
  [POSTGRES, 'snapshot.isolation.mode', { valid_values: expect.arrayContaining(['serializable']) as never }],
  [POSTGRES, 'slot.name', { prominent: true }],
  [POSTGRES, 'notification.http.url', { without_effect: true }],
  [POSTGRES, 'database.hostname', { required_unless: [] }],
  [POSTGRES, 'database.port', undefined],
  [POSTGRES, 'errors.tolerance', { valid_values: ['none', 'all'] }],
  [FILE_SINK, 'topics', { required_unless: ['topics.regex'] }],
])('definitions of %s: %s', async (plugin, key, hints) => {
  expect(hintsOf(await validator.definitions(plugin, null, true), key)).toEqual(hints);
});

test('what the documentation calls required has a hint, of all plugins', async () => {
  const found: string[] = [];
  for (const { class: name } of registry.list()) {
    const definitions = await validator.definitions(name, null, true);
    for (const { name: key, documentation, required, hints } of definitions)
      if (/\bRequired\.$/.test(documentation) && !required && hints?.required_unless === undefined)
        found.push(`${name} ${key}`);
  }
  expect(found).toEqual([]);
});

test.each([
  ['io.debezium.transforms.HeaderToValue', 'operation', ['move', 'copy']],
  ['org.apache.kafka.connect.transforms.ExtractField$Key', 'field.syntax.version', ['V1', 'V2']],
])('valid values of %s: %s', async (plugin, key, values) => {
  expect(hintsOf(await validator.definitions(plugin, null, true), key)?.valid_values).toEqual(values);
});

test('a validation has those of transformations and converters, too, with their prefix', async () => {
  const { config } = VALID[FILE_SINK]!;
  const { configs } = await validator.validate(
    {
      ...(config as Record<string, string>),
      transforms: 't',
      'transforms.t.type': 'org.apache.kafka.connect.transforms.TimestampConverter$Value',
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    },
    'all',
    true,
  );
  const definitions = configs.map(({ definition }) => definition);
  expect(hintsOf(definitions, 'transforms.t.target.type')?.valid_values).toContain('unix');
  expect(hintsOf(definitions, 'value.converter.decimal.format')?.valid_values).toEqual(['BASE64', 'NUMERIC']);
});
