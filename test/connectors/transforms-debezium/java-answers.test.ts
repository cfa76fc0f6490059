/**
 * Compares our transformations with the results of Debezium 3.7's, recorded by dev/record-transforms.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TransformationPlugin } from '@millrace/sdk';
import * as transforms from '../../../connectors/transforms-debezium/src';
import type { Answer } from '../../golden/transforms/ask-java';
import { debeziumGroups } from '../../golden/transforms/cases/debezium-groups';
import { answerOf, factsOf, withoutIdentity, type Difference } from '../../golden/transforms/compare';

const DIFFERENCES: readonly Difference[] = [
  {
    why: 'Java does not say which setting is wrong, or which class of error a wrong one is',
    java: /Unable to validate config\.|IllegalArgumentException","Unexpected field name/,
    ours: /ConfigException/,
  },
  {
    why: 'two fields of one name are an error of another class, and one for deletions too',
    java: /SchemaBuilderException","Cannot create field|"shop\.public\.tx1\.Value".*,null\]/,
    ours: /DataException","Cannot create field because of field name duplication (?:v|id)"/,
  },
  {
    why: 'the message says that the key is not a struct',
    java: /Only Struct objects supported for \[Updating schema\], found/,
    ours: /Only Struct objects supported for \[Updating schema\]: a key that is not a struct cannot be routed/,
  },
  {
    why: 'a required column with a default may be null where an event holds the key alone: a deletion is not lost for that',
    java: /null used for required field: \\"n\\"/,
    ours: /"n":null/,
  },
  {
    why: 'wrong settings are found before the first record, and the message names the setting',
    java: /"(?:io\.debezium\.DebeziumException|java\.lang\.IllegalArgumentException|java\.lang\.NullPointerException|java\.lang\.IndexOutOfBoundsException|java\.time\.DateTimeException)"/,
    ours: /^\{"error":\["org\.apache\.kafka\.common\.config\.ConfigException"/,
  },
  {
    why: 'regular expressions are described in other words',
    java: /valid regular expressions is expected, but Unclosed group/,
    ours: /ConfigException","Invalid value \( for configuration/,
  },
  {
    why: 'a blank setting is an absent one',
    java: /pairs or trios is expected but got: \[\]|DataException"," is not a valid field name"/,
    ours: /outbox\.event\.Order/,
  },
  {
    why: 'the message names the type of the column',
    java: /ClassCastException/,
    ours: /Unsupported field type org\.apache\.kafka\.connect\.data\.Timestamp for event timestamp/,
  },
  {
    why: 'a field that cannot be added is an error of the record, of another class',
    java: /SchemaBuilderException","(?:Cannot create field because of field name duplication|fieldSchema for field a)/,
    ours: /DataException","(?:Cannot create field because of field name duplication|The header for field a has no schema)/,
  },
  {
    why: 'an outbox event’s schema has the name of its own route, not of the first event of its payload or version',
    java: /"shop\.public\.outbox\.Order\.Value"/,
    ours: /"shop\.public\.outbox\.(?:Customer|Other)\.Value"/,
  },
  {
    why: 'a payload in JSON is expanded, or stays as it is with its own schema',
    java: /"value":\[.*,"(?:\[|\{\\"(?:toobig|nestedempty))|Invalid Java object for schema|Object\.hashCode/,
    ours: /"payload":(?:"|\[)|"nestedempty":\[\[\],\[1\]\]|"values":|"io\.debezium\.data\.Json","version":1\},"/,
  },
  {
    why: 'an array of which the first element is empty is expanded',
    java: /"payload":"\{\\"nestedempty/,
    ours: /"nestedempty":\[\[\],\[1\]\]/,
  },
  {
    why: 'members whose names are adjusted for Avro keep their values',
    java: /"with_(?:u0020)?space":null/,
    ours: /"with_(?:u0020)?space":1/,
  },
  {
    why: 'of headers with one name, the last counts also in a new struct',
    java: /SchemaBuilderException","Cannot create field because of field name duplication (?:a|x|deep)"/,
    ours: /"(?:a|x)":"again"/,
  },
  {
    why: 'the schema has the headers of its own record, not of the first one',
    java: /"b":null|null used for required field: \\"list\\"/,
    ours: /^(?!.*"b":).*"a":"one"/,
  },
  {
    why: 'a struct with further fields stays optional',
    java: /\["after",\{"type":"STRUCT","name"/,
    ours: /\["after",\{"type":"STRUCT","optional":true/,
  },
  { why: 'structs are created at any depth', java: /"source":.*"deep"/, ours: /"deep":\{"a":"(?:one|again)"\}/ },
  {
    why: 'a message that is no JSON object, or no message, is not an internal error',
    java: /Not a struct schema|JsonEOFException|\\"bytes\\" is null|ConnectRecord\.valueSchema\(\)/,
    ours: /Unable to parse logical decoding message content|^\{\}$/,
  },
  { why: 'a kind that Java does not know passes', java: /No enum constant .*\.OTHER/, ours: /^\{\}$/ },
  { why: 'a record without vectors keeps its nulls', java: /^\{"value":\["=",.*"o":"oh"/, ours: /^\{\}$/ },
  {
    why: 'a time that cannot be read is described in other words',
    java: /DateTimeParseException/,
    ours: /DateTimeParseException","Text '.*' could not be parsed: it is not an ISO 8601 time/,
  },
  { why: 'infinity is no point in time and stays', java: /Text 'infinity' could not be parsed/, ours: /^\{\}$/ },
  { why: 'zones with names of three letters work', java: /Unknown time-zone ID: [EP]ST/, ours: /"zoned":"2023/ },
];

const plugins: Readonly<Record<string, TransformationPlugin>> = {
  'io.debezium.transforms.ExtractNewRecordState': transforms.extractNewRecordState,
  'io.debezium.transforms.ByLogicalTableRouter': transforms.byLogicalTableRouter,
  'io.debezium.transforms.ToLogicalTopicRouter': transforms.toLogicalTopicRouter,
  'io.debezium.transforms.outbox.EventRouter': transforms.eventRouter,
  'io.debezium.transforms.partitions.PartitionRouting': transforms.partitionRouting,
  'io.debezium.transforms.ExtractChangedRecordState': transforms.extractChangedRecordState,
  'io.debezium.transforms.HeaderToValue': transforms.headerToValue,
  'io.debezium.transforms.ExtractSchemaToNewRecord': transforms.extractSchemaToNewRecord,
  'io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent':
    transforms.decodeLogicalDecodingMessageContent,
  'io.debezium.transforms.SchemaChangeEventFilter': transforms.schemaChangeEventFilter,
  'io.debezium.transforms.VectorToJsonConverter': transforms.vectorToJsonConverter,
  'io.debezium.transforms.TimezoneConverter': transforms.timezoneConverter,
};

const recorded = <T>(name: string): T[] =>
  JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'golden', 'transforms', 'answers', `${name}.json`), 'utf8'),
  ) as T[];

describe.each(Object.entries(debeziumGroups))(
  'cdc-postgres 107, 108: records change as in Java (%s)',
  (group, cases) => {
    const answers = recorded<Answer>(group);
    test('every case was recorded', () => expect(answers.length).toBe(cases.length));

    test.each(cases.map((one, i) => [one.class, one.config, i] as const))('%s %j', (name, _config, i) => {
      const java = withoutIdentity(answers[i]!);
      expect(answerOf(plugins[name]!, cases[i]!, java, DIFFERENCES)).toEqual(java);
    });
  },
);

describe('cdc-postgres 107, 108: settings as in Java', () => {
  const definitions = recorded<readonly { readonly validator: string | null }[]>('debezium-definitions');
  test.each(Object.keys(plugins).map((name, i) => [name, i] as const))('%s', (name, i) => {
    expect(plugins[name]!.config.map(factsOf)).toEqual(definitions[i]!.map(({ validator: _, ...facts }) => facts));
  });
});
