import { builtInPlugins } from '../../../src/built-in-plugins';
import { classDifferences } from '../../../src/config/differences/class-differences';
import { silentLogger } from '../../../src/logging/logger';
import { createPluginRegistry } from '../../../src/plugins/create-registry';

const registry = createPluginRegistry({ pluginPath: [], builtIns: builtInPlugins, logger: silentLogger });
const differences = (config: Record<string, string>) => classDifferences(config, registry);

test('classes that are installed make no difference, by whichever name', () => {
  expect(
    differences({
      'connector.class': 'FileStreamSink',
      'key.converter': 'StringConverter',
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'header.converter': 'org.apache.kafka.connect.storage.SimpleHeaderConverter',
      transforms: 'a',
      'transforms.a.type': 'RegexRouter',
      'transforms.unused.type': 'does.not.Count',
      predicates: 'p',
      'predicates.p.type': '${file:/x:predicate}',
    }),
  ).toEqual([]);
});

test.each([
  ['org.apache.kafka.connect.transforms.MaskFeild$Value', 'Use org.apache.kafka.connect.transforms.MaskField$Value.'],
  [
    'org.apache.kafka.connect.transforms.MaskField',
    'Use org.apache.kafka.connect.transforms.MaskField$Key or org.apache.kafka.connect.transforms.MaskField$Value.',
  ],
  ['com.acme.ReplaceField$Key', 'Use org.apache.kafka.connect.transforms.ReplaceField$Key.'],
  ['io.confluent.connect.transforms.TombstoneHandler', expect.stringContaining('RecordIsTombstone')],
  ['com.acme.Unique', expect.stringMatching(/^Name the folder of its jar in plugin\.path /)],
])('the transformation %s is rejected, with what takes its place', (name, instead) => {
  expect(differences({ transforms: 'a', 'transforms.a.type': name })).toEqual([
    { key: 'transforms.a.type', kind: 'rejected', message: `Class ${name} is not installed.`, instead },
  ]);
});

test('an old name of a class, and another implementation of one', () => {
  const found = differences({
    'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    transforms: 'a',
    'transforms.a.type': 'io.debezium.transforms.UnwrapFromEnvelope',
  });
  expect(found.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    expect.stringMatching(/^replaced: Millrace’s own plugin takes the place of io\.debezium\.connector/),
    'replaced: io.debezium.transforms.ExtractNewRecordState takes the place of io.debezium.transforms.UnwrapFromEnvelope.',
  ]);
});

test('converters with a schema registry, of vendors with another wire format', () => {
  expect(differences({ 'value.converter': 'com.amazonaws.x.AWSKafkaAvroConverter' })[0]?.instead).toContain(
    'use io.confluent.connect.avro.AvroConverter',
  );
  expect(differences({ 'value.converter': 'io.confluent.connect.avro.AvroConverter' })).toEqual([]);
});
