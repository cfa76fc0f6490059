/** Settings that shape events. Sources: cdc-postgres §0.2, §1.6, §7. */
import { key, oneOf, patterns } from './definition';

export const EVENT_DEFINITIONS = {
  topicNamingStrategy: key(
    'topic.naming.strategy',
    'CLASS',
    'io.debezium.schema.SchemaTopicNamingStrategy',
    'Names topics <prefix>.<schema>.<table>. DefaultTopicNamingStrategy leaves out the schema; DefaultRegexTopicNamingStrategy also rewrites names that match topic.regex; SchemaUnicodeTopicNamingStrategy writes the codes of characters that Kafka does not allow, in place of underscores.',
  ),
  topicRegex: key(
    'topic.regex',
    'STRING',
    null,
    'DefaultRegexTopicNamingStrategy: Java regular expression for whole topic names.',
  ),
  topicReplacement: key(
    'topic.replacement',
    'STRING',
    null,
    'DefaultRegexTopicNamingStrategy: the new name; $1 or ${name} stands for a group.',
  ),
  topicKeyEnforceUniqueness: key(
    'topic.key.enforce.uniqueness',
    'BOOLEAN',
    true,
    'DefaultRegexTopicNamingStrategy: adds the original topic name to keys.',
  ),
  topicKeyFieldName: key(
    'topic.key.field.name',
    'STRING',
    '__dbz__physicalTableIdentifier',
    'DefaultRegexTopicNamingStrategy: member of keys that holds it.',
  ),
  topicHeartbeatName: key(
    'topic.heartbeat.name',
    'STRING',
    null,
    'Name of the heartbeat topic, in place of prefix and topic.prefix.',
  ),
  eventConvertingFailureHandlingMode: key(
    'event.converting.failure.handling.mode',
    'STRING',
    'fail',
    'What to do with a value that cannot be converted: fail the task, or publish null with or without a warning.',
    oneOf('warn', 'fail', 'skip'),
  ),
  eventProcessingFailureHandlingMode: key(
    'event.processing.failure.handling.mode',
    'STRING',
    'fail',
    'What to do with a streamed change that cannot be published: fail the task, or leave it out with (warn) or without a warning. **Left out changes are lost.**',
    oneOf('warn', 'fail', 'ignore', 'skip'),
  ),
  schemaRefreshMode: key(
    'schema.refresh.mode',
    'STRING',
    'columns_diff',
    'Accepted: schemas always follow what the server announces.',
    oneOf('columns_diff', 'columns_diff_exclude_unchanged_toast'),
  ),
  converters: key(
    'converters',
    'STRING',
    null,
    'Column converters, by names of your choice: <name>.type names the plugin, other <name>.… keys are its settings.',
  ),
  columnPropagateSourceType: key(
    'column.propagate.source.type',
    'LIST',
    null,
    'Patterns of the columns whose schemas name the type in the database, matched against schema.table.column.',
    patterns,
  ),
  datatypePropagateSourceType: key(
    'datatype.propagate.source.type',
    'LIST',
    null,
    'The same by type, matched against schema.table.type.',
    patterns,
  ),
  includeSchemaComments: key(
    'include.schema.comments',
    'BOOLEAN',
    false,
    'Comments of columns become the documentation of their fields in schemas.',
  ),
  postProcessors: key(
    'post.processors',
    'STRING',
    null,
    'Name of a post-processor that reads missing columns from the table; <name>.type and its other settings follow.',
  ),
  eventFormat: key(
    'event.format',
    'STRING',
    '3',
    'Layout of events and offsets: that of Debezium 3 or of Debezium 1.2.',
    oneOf('3', '1.2'),
  ),
  eventSourceVersion: key(
    'event.source.version',
    'STRING',
    '3.7.0.Final',
    'Value of source.version in events. (With event.format=1.2: 1.2.0.Final)',
  ),
  eventIncompleteKeyHandling: key(
    'event.incomplete.key.handling',
    'STRING',
    'fail',
    'What to do when a change lacks columns of the record key: old rows contain only REPLICA IDENTITY columns, updates omit unchanged TOASTed values outside of it, and generated columns may not be sent at all.',
    oneOf('fail', 'warn', 'debezium'),
  ),
};
