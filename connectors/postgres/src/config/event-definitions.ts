/** Settings that shape events. Sources: cdc-postgres §0.2, §1.6, §7. */
import { key, oneOf, patterns, type Definition } from './definition';
import { KEY } from './keys';

export const EVENT_DEFINITIONS: readonly Definition[] = [
  key(
    KEY.columnPropagateSourceType,
    'LIST',
    null,
    'Patterns of the columns whose schemas name the type in the database, matched against schema.table.column.',
    patterns,
  ),
  key(KEY.datatypePropagateSourceType, 'LIST', null, 'The same by type, matched against schema.table.type.', patterns),
  key(
    KEY.includeSchemaComments,
    'BOOLEAN',
    false,
    'Comments of columns become the documentation of their fields in schemas.',
  ),
  key(
    KEY.eventFormat,
    'STRING',
    '3',
    'Layout of events and offsets: that of Debezium 3 or of Debezium 1.2.',
    oneOf('3', '1.2'),
  ),
  key(
    KEY.eventSourceVersion,
    'STRING',
    '3.7.0.Final',
    'Value of source.version in events. (With event.format=1.2: 1.2.0.Final)',
  ),
  key(
    KEY.eventIncompleteKeyHandling,
    'STRING',
    'fail',
    'What to do when a change lacks columns of the record key: old rows contain only REPLICA IDENTITY columns, and updates omit unchanged TOASTed values outside of it.',
    oneOf('fail', 'warn', 'debezium'),
  ),
];
