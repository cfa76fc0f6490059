/** Every configuration key, with the constraint that its value is checked for. Sources: cdc-postgres §1.3 to §1.6. */
import { key, nonNegative, oneOf, patterns, positive, required, type Definition, type Value } from './definition';
import { EVENT_DEFINITIONS } from './event-definitions';
import { SNAPSHOT_DEFINITIONS } from './snapshot-definitions';
import { SIGNAL_DEFINITIONS } from './signal-definitions';
import { STREAM_DEFINITIONS } from './stream-definitions';

const SSL_MODES = ['allow', 'prefer', 'disable', 'verify-ca', 'require', 'verify-full'] as const;

const ROWS = {
  topicPrefix: key(
    'topic.prefix',
    'STRING',
    null,
    'Logical name of the database server: first part of every topic name and the identity of the stored offsets. Must be unique in a Kafka cluster.',
    required,
  ),
  databaseHostname: key(
    'database.hostname',
    'STRING',
    null,
    'Host name, address or unix socket directory of the database server.',
    required,
  ),
  databasePort: key('database.port', 'INT', 5432, 'Port of the database server.', positive),
  databaseUser: key(
    'database.user',
    'STRING',
    null,
    'Role to connect as; needs LOGIN and REPLICATION, and SELECT on the captured tables.',
    required,
  ),
  databasePassword: key('database.password', 'PASSWORD', null, 'Password of the role.'),
  databaseDbname: key('database.dbname', 'STRING', null, 'Database to capture; one per connector.', required),
  databaseSslmode: key(
    'database.sslmode',
    'STRING',
    'prefer',
    'Whether to encrypt the connection and what to check of the certificate of the server.',
    oneOf(...SSL_MODES),
  ),
  databaseSslrootcert: key(
    'database.sslrootcert',
    'STRING',
    null,
    'File (or PEM text) with the certificates that verify-ca and verify-full trust. They need it: no default file is used.',
  ),
  databaseSslcert: key(
    'database.sslcert',
    'STRING',
    null,
    'File (or PEM text) with the client certificate. It needs database.sslkey, too: no default file is used.',
  ),
  databaseSslkey: key(
    'database.sslkey',
    // Debezium's is a STRING, which would show the PEM text.
    'PASSWORD',
    null,
    'File (or PEM text) with the key of the client certificate: PEM, PKCS#8 DER or PKCS#12.',
  ),
  databaseSslpassword: key('database.sslpassword', 'PASSWORD', null, 'Password of the client key.'),
  databaseInitialStatements: key(
    'database.initial.statements',
    'STRING',
    null,
    'SQL statements, separated by semicolons (two for a literal one), run on every ordinary connection of a running connector. Validation, `millrace doctor` and previews do not run them.',
  ),
  databaseTcpKeepAlive: key('database.tcpKeepAlive', 'BOOLEAN', true, 'Sends TCP keep-alive probes.'),
  databaseConnectTimeout: key(
    'database.connectTimeout',
    'INT',
    30,
    'Timeout in seconds of opening a connection, until the server has accepted the login; 0 for none.',
    nonNegative,
  ),
  databaseLoginTimeout: key(
    'database.loginTimeout',
    'INT',
    0,
    'The same: the shorter one applies; 0 for none.',
    nonNegative,
  ),
  databaseSocketTimeout: key(
    'database.socketTimeout',
    'INT',
    0,
    'Seconds that a query waits for bytes of the server before its connection is taken for lost; 0 for no limit. The stream has stream.receive.timeout.ms.',
    nonNegative,
  ),
  databaseQueryTimeoutMs: key(
    'database.query.timeout.ms',
    'INT',
    600000,
    'Timeout in milliseconds of a catalog query.',
    nonNegative,
  ),
  connectionValidationTimeoutMs: key(
    'connection.validation.timeout.ms',
    'LONG',
    60000,
    'Timeout in milliseconds of the connection check during validation.',
    positive,
  ),

  pluginName: key(
    'plugin.name',
    'STRING',
    'pgoutput',
    'Output plugin that decodes the WAL, see Output plugins. If it is not set: that of the slot, otherwise decoderbufs where the server has and accepts it and the database is UTF8.',
    oneOf('decoderbufs', 'pgoutput', 'wal2json', 'wal2json_rds', 'wal2json_streaming', 'wal2json_rds_streaming'),
  ),
  slotName: key('slot.name', 'STRING', 'debezium', 'Name of the replication slot; each connector needs its own.'),
  slotDropOnStop: key(
    'slot.drop.on.stop',
    'BOOLEAN',
    false,
    'Drops the slot on an orderly stop. For tests: changes made while it is missing are lost.',
  ),
  slotFailover: key(
    'slot.failover',
    'BOOLEAN',
    false,
    'Creates the slot as a failover slot (PostgreSQL 17 and later).',
  ),
  slotStreamParams: key(
    'slot.stream.params',
    'STRING',
    null,
    'Further options for START_REPLICATION: name=value;name=value.',
  ),
  slotMaxRetries: key(
    'slot.max.retries',
    'INT',
    6,
    'Number of retries when the slot is in use by another connection.',
    nonNegative,
  ),
  slotRetryDelayMs: key('slot.retry.delay.ms', 'LONG', 10000, 'Milliseconds between these retries.', nonNegative),
  slotCount: key(
    'slot.count',
    'INT',
    1,
    'Number of slots and tasks that the captured tables are distributed to; tasks.max must be at least as large. Slot and publication n are called <slot.name>_<n> and <publication.name>_<n>, from 0.',
    positive,
  ),
  slotTables: key(
    'slot.tables',
    'STRING',
    null,
    'With slot.count above 1, tables of given slots: <slot>:<pattern>,<pattern>;<slot>:<pattern>. (Default: distributed by a hash of their names)',
  ),
  publicationName: key('publication.name', 'STRING', 'dbz_publication', 'Publication to read.'),
  publicationAutocreateMode: key(
    'publication.autocreate.mode',
    'STRING',
    'all_tables',
    'What to do when the publication is missing: create it for all tables, for the captured ones, for none, or fail.',
    oneOf('no_tables', 'filtered', 'disabled', 'all_tables'),
  ),
  publishViaPartitionRoot: key(
    'publish.via.partition.root',
    'BOOLEAN',
    false,
    'A publication created by the connector publishes partitions under the name of their root.',
  ),
  publicationCheckIntervalMs: key(
    'publication.check.interval.ms',
    'LONG',
    10_000,
    'Milliseconds between comparisons of the publication with the captured tables: tables that were created, created again or renamed are added to a filtered publication, and reported for another.',
    positive,
  ),
  statusUpdateIntervalMs: key(
    'status.update.interval.ms',
    'INT',
    10000,
    'Milliseconds between status messages to the server.',
    positive,
  ),
  streamReceiveTimeoutMs: key(
    'stream.receive.timeout.ms',
    'INT',
    300000,
    'Milliseconds without a message of the server after which the stream reconnects, because its peer may be gone; the server is asked for a message every third of them. 0: never.',
    nonNegative,
  ),
  offsetMismatchStrategy: key(
    'offset.mismatch.strategy',
    'STRING',
    'no_validation',
    'When the slot is past the stored offset: trust_slot and trust_greater_lsn resume at the slot position, trust_offset is an error, and no_validation resumes there with a warning while the server has the WAL in between, otherwise, or while the stream was running, that is an error. When it is before: trust_offset advances the slot, trust_slot repeats changes from the slot position on. With a server whose WAL does not contain the stored offset, trust_slot streams from the slot position.',
    oneOf('no_validation', 'trust_offset', 'trust_slot', 'trust_greater_lsn'),
  ),
  lsnFlushMode: key(
    'lsn.flush.mode',
    'STRING',
    'connector',
    'connector: confirm positions whose offsets are stored. manual: confirm nothing; the slot must be advanced by other means.',
    oneOf('connector', 'manual'),
  ),
  internalCreateSlotCommandTimeout: key(
    'internal.create.slot.command.timeout',
    'INT',
    90,
    'Timeout in seconds for creating a slot or publication.',
    positive,
  ),
  internalLogPositionCheckEnable: key(
    'internal.log.position.check.enable',
    'BOOLEAN',
    true,
    'Checks at start that the stored position is still available.',
  ),
  ...STREAM_DEFINITIONS,
  ...SIGNAL_DEFINITIONS,
  heartbeatIntervalMs: key(
    'heartbeat.interval.ms',
    'INT',
    0,
    'Milliseconds between heartbeat records; 0 sends none. Heartbeats also let the slot advance while captured tables are idle.',
    nonNegative,
  ),
  heartbeatActionQuery: key('heartbeat.action.query', 'STRING', null, 'SQL run with each heartbeat.'),
  topicHeartbeatPrefix: key(
    'topic.heartbeat.prefix',
    'STRING',
    '__debezium-heartbeat',
    'First part of the name of the heartbeat topic.',
  ),

  notificationEnabledChannels: key(
    'notification.enabled.channels',
    'LIST',
    null,
    'Where notifications about snapshots are sent: log, sink (a topic) or both. jmx is accepted and sends nothing.',
  ),
  notificationSinkTopicName: key(
    'notification.sink.topic.name',
    'STRING',
    null,
    'Topic of the notifications; required when sink is one of the channels.',
  ),

  ...SNAPSHOT_DEFINITIONS,

  schemaIncludeList: key('schema.include.list', 'LIST', null, 'Patterns of the schemas to capture.', patterns),
  schemaExcludeList: key('schema.exclude.list', 'LIST', null, 'Patterns of the schemas to leave out.', patterns),
  tableIncludeList: key(
    'table.include.list',
    'LIST',
    null,
    'Patterns of the tables to capture, matched against schema.table.',
    patterns,
  ),
  tableExcludeList: key('table.exclude.list', 'LIST', null, 'Patterns of the tables to leave out.', patterns),
  columnIncludeList: key(
    'column.include.list',
    'LIST',
    null,
    'Patterns of the columns to emit, matched against schema.table.column.',
    patterns,
  ),
  columnExcludeList: key(
    'column.exclude.list',
    'LIST',
    null,
    'Patterns of the columns to leave out of row values.',
    patterns,
  ),
  tableIgnoreBuiltin: key('table.ignore.builtin', 'BOOLEAN', true, 'Leaves out tables that come with extensions.'),
  messageKeyColumns: key(
    'message.key.columns',
    'STRING',
    null,
    'Columns of the record key by table: <pattern>:<column>,<column>;<pattern>:<column>.',
  ),
  skippedOperations: key('skipped.operations', 'LIST', 't', 'Operations not to emit: c, u, d, t, or none.'),

  decimalHandlingMode: key(
    'decimal.handling.mode',
    'STRING',
    'precise',
    'How numeric values appear.',
    oneOf('string', 'double', 'precise'),
  ),
  moneyFractionDigits: key('money.fraction.digits', 'SHORT', 2, 'Fraction digits of money values.', nonNegative),
  timePrecisionMode: key(
    'time.precision.mode',
    'STRING',
    'adaptive',
    'How dates and times appear.',
    oneOf('adaptive', 'adaptive_time_microseconds', 'isostring', 'microseconds', 'nanoseconds', 'connect'),
  ),
  intervalHandlingMode: key(
    'interval.handling.mode',
    'STRING',
    'numeric',
    'How intervals appear.',
    oneOf('string', 'numeric'),
  ),
  hstoreHandlingMode: key('hstore.handling.mode', 'STRING', 'json', 'How hstore values appear.', oneOf('json', 'map')),
  binaryHandlingMode: key(
    'binary.handling.mode',
    'STRING',
    'bytes',
    'How bytea values appear.',
    oneOf('bytes', 'base64', 'hex', 'base64-url-safe'),
  ),
  includeUnknownDatatypes: key(
    'include.unknown.datatypes',
    'BOOLEAN',
    false,
    'Emits columns of types that have no form of their own as bytes.',
  ),
  unavailableValuePlaceholder: key(
    'unavailable.value.placeholder',
    'STRING',
    '__debezium_unavailable_value',
    'Stands for large values that the server does not send because they did not change; hex:… for raw bytes.',
  ),
  schemaNameAdjustmentMode: key(
    'schema.name.adjustment.mode',
    'STRING',
    'none',
    'Names of schemas: as they are, or with what Avro does not allow replaced by an underscore or by its code.',
    oneOf('none', 'avro_unicode', 'avro'),
  ),
  fieldNameAdjustmentMode: key(
    'field.name.adjustment.mode',
    'STRING',
    'none',
    'Names of fields: as they are, or with what Avro does not allow replaced by an underscore or by its code.',
    oneOf('none', 'avro_unicode', 'avro'),
  ),
  skipMessagesWithoutChange: key(
    'skip.messages.without.change',
    'BOOLEAN',
    false,
    'Leaves out updates that change no emitted column. Tables need REPLICA IDENTITY FULL for it.',
  ),
  tombstonesOnDelete: key(
    'tombstones.on.delete',
    'BOOLEAN',
    true,
    'Sends a tombstone after each delete, so that compaction removes the key.',
  ),
  extendedHeadersEnabled: key('extended.headers.enabled', 'BOOLEAN', true, 'Adds the __debezium.context headers.'),
  topicDelimiter: key('topic.delimiter', 'STRING', '.', 'Delimiter between the parts of topic names.'),
  ...EVENT_DEFINITIONS,

  maxBatchSize: key('max.batch.size', 'INT', 2048, 'Maximum number of records in a batch.', positive),
  maxQueueSize: key(
    'max.queue.size',
    'INT',
    8192,
    'Maximum number of server messages waiting to be decoded; must be larger than max.batch.size.',
    positive,
  ),
  maxQueueSizeInBytes: key(
    'max.queue.size.in.bytes',
    'LONG',
    67108864,
    'Maximum number of bytes waiting to be decoded; 0 for no limit.',
    nonNegative,
  ),
  pollIntervalMs: key(
    'poll.interval.ms',
    'LONG',
    500,
    'Maximum time in milliseconds that a poll waits for changes.',
    positive,
  ),
  errorsMaxRetries: key(
    'errors.max.retries',
    'INT',
    -1,
    'Number of consecutive reconnects after a lost connection before the task fails; -1 for no limit.',
  ),
  retriableRestartConnectorWaitMs: key(
    'retriable.restart.connector.wait.ms',
    'LONG',
    10000,
    'Upper bound in milliseconds of the first backoff after a lost connection.',
    positive,
  ),
};

type Rows = typeof ROWS;
export type Field = keyof Rows;
export type Key = Rows[Field]['name'];

export const DEFINITIONS: readonly Definition<Key>[] = Object.values(ROWS);

/** Names of the settings, for checks and readers. Error texts spell them out. */
export const KEY = Object.fromEntries(Object.entries(ROWS).map(([field, { name }]) => [field, name])) as {
  readonly [F in Field]: Rows[F]['name'];
};

/** The type of a setting's value, inferred from its row. */
export type ValueOf<F extends Field> = Value<Rows[F]>;

export function definitionOf<F extends Field>(field: F): Rows[F] {
  return ROWS[field];
}
