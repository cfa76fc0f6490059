import { missingClass, nearestClasses } from '../../src/plugins/missing-class';

const KAFKA = 'org.apache.kafka.connect.transforms';
const CLASSES = [
  `${KAFKA}.MaskField$Key`,
  `${KAFKA}.MaskField$Value`,
  `${KAFKA}.Filter`,
  'io.debezium.transforms.Filter',
  'io.debezium.connector.postgresql.PostgresConnector',
  'org.apache.kafka.connect.file.FileStreamSinkConnector',
  'org.apache.kafka.connect.json.JsonConverter',
];
const class_ = (name: string): string | undefined => CLASSES.find((one) => one.endsWith(name));

test.each([
  ['a letter', `${KAFKA}.MaskFiel$Value`, ['.MaskField$Value']],
  ['a swap, in the simple name', 'JsonConvertre', ['.JsonConverter']],
  ['case', 'jsonconverter', ['.JsonConverter']],
  ['another package', 'io.debezium.connector.postgres.PostgresConnector', ['.PostgresConnector']],
  ['a name without its kind', 'FileStreemSink', ['.FileStreamSinkConnector']],
  ['a name without the part that it is for', `${KAFKA}.MaskFeild`, ['.MaskField$Key', '.MaskField$Value']],
  ['the same name in other packages', 'org.acme.Filter', ['.transforms.Filter', 'io.debezium.transforms.Filter']],
])('%s: %s', (_, given, meant) => {
  expect(nearestClasses(given, CLASSES)).toEqual(meant.map(class_));
});

test.each(['Nope', 'x', '', 'org.acme.AvroConverter', `${'a'.repeat(200)}JsonConverter`])(
  'nothing is like %s',
  (name) => {
    expect(nearestClasses(name, CLASSES)).toEqual([]);
    expect(missingClass(name, CLASSES)).toBe(`Class ${name} could not be found.`);
  },
);

test('the sentence', () => {
  expect(missingClass('JsonConvertor', CLASSES)).toBe(
    'Class JsonConvertor could not be found. Did you mean org.apache.kafka.connect.json.JsonConverter?',
  );
});
