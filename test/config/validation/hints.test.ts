/** What a form needs beyond Java's definitions: only on request. */
import type { ConfigDefinitionInfo, KeyHints } from '../../../src/config/validation/config-infos';
import { FILE_SINK, POSTGRES, VALID, validator } from '../schema/schema-fixtures';

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
