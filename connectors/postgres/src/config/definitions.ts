/** Every configuration key, with the constraint that its value is checked for. Sources: cdc-postgres §1.3 to §1.6. */
import { key, nonNegative, oneOf, patterns, positive, required, type Definition } from './definition';
import { EVENT_DEFINITIONS } from './event-definitions';
import { KEY, type Key } from './keys';
import { SNAPSHOT_DEFINITIONS } from './snapshot-definitions';
import { METRICS_DEFINITIONS } from './metrics-definitions';
import { SIGNAL_DEFINITIONS } from './signal-definitions';
import { STREAM_DEFINITIONS } from './stream-definitions';

const SSL_MODES = ['allow', 'prefer', 'disable', 'verify-ca', 'require', 'verify-full'];

export const DEFINITIONS: readonly Definition[] = [
  key(
    KEY.topicPrefix,
    'STRING',
    null,
    'Logical name of the database server: first part of every topic name and the identity of the stored offsets. Must be unique in a Kafka cluster.',
    required,
  ),
  key(
    KEY.databaseHostname,
    'STRING',
    null,
    'Host name, address or unix socket directory of the database server.',
    required,
  ),
  key(KEY.databasePort, 'INT', 5432, 'Port of the database server.', positive),
  key(
    KEY.databaseUser,
    'STRING',
    null,
    'Role to connect as; needs LOGIN and REPLICATION, and SELECT on the captured tables.',
    required,
  ),
  key(KEY.databasePassword, 'PASSWORD', null, 'Password of the role.'),
  key(KEY.databaseDbname, 'STRING', null, 'Database to capture; one per connector.', required),
  key(
    KEY.databaseSslmode,
    'STRING',
    'prefer',
    'Whether to encrypt the connection and what to check of the certificate of the server.',
    oneOf(...SSL_MODES),
  ),
  key(
    KEY.databaseSslrootcert,
    'STRING',
    null,
    'File (or PEM text) with the certificates that verify-ca and verify-full trust.',
  ),
  key(KEY.databaseSslcert, 'STRING', null, 'File (or PEM text) with the client certificate.'),
  key(
    KEY.databaseSslkey,
    'STRING',
    null,
    'File (or PEM text) with the key of the client certificate: PEM, PKCS#8 DER or PKCS#12.',
  ),
  key(KEY.databaseSslpassword, 'PASSWORD', null, 'Password of the client key.'),
  key(
    KEY.databaseInitialStatements,
    'STRING',
    null,
    'SQL statements, separated by semicolons (two for a literal one), run on every ordinary connection.',
  ),
  key(KEY.databaseTcpKeepAlive, 'BOOLEAN', true, 'Sends TCP keep-alive probes.'),
  key(KEY.databaseQueryTimeoutMs, 'INT', 600000, 'Timeout in milliseconds of a catalog query.', nonNegative),
  key(
    KEY.connectionValidationTimeoutMs,
    'LONG',
    60000,
    'Timeout in milliseconds of the connection check during validation.',
    positive,
  ),

  key(
    KEY.pluginName,
    'STRING',
    'pgoutput',
    'Output plugin that decodes the WAL, see Output plugins. If it is not set: that of the slot, otherwise decoderbufs where the server has and accepts it and the database is UTF8.',
    oneOf('decoderbufs', 'pgoutput', 'wal2json', 'wal2json_rds', 'wal2json_streaming', 'wal2json_rds_streaming'),
  ),
  key(KEY.slotName, 'STRING', 'debezium', 'Name of the replication slot; each connector needs its own.'),
  key(
    KEY.slotDropOnStop,
    'BOOLEAN',
    false,
    'Drops the slot on an orderly stop. For tests: changes made while it is missing are lost.',
  ),
  key(KEY.slotFailover, 'BOOLEAN', false, 'Creates the slot as a failover slot (PostgreSQL 17 and later).'),
  key(KEY.slotStreamParams, 'STRING', null, 'Further options for START_REPLICATION: name=value;name=value.'),
  key(KEY.slotMaxRetries, 'INT', 6, 'Number of retries when the slot is in use by another connection.', nonNegative),
  key(KEY.slotRetryDelayMs, 'LONG', 10000, 'Milliseconds between these retries.', nonNegative),
  key(
    KEY.slotCount,
    'INT',
    1,
    'Number of slots and tasks that the captured tables are distributed to; tasks.max must be at least as large. Slot and publication n are called <slot.name>_<n> and <publication.name>_<n>, from 0.',
    positive,
  ),
  key(
    KEY.slotTables,
    'STRING',
    null,
    'With slot.count above 1, tables of given slots: <slot>:<pattern>,<pattern>;<slot>:<pattern>. (Default: distributed by a hash of their names)',
  ),
  key(KEY.publicationName, 'STRING', 'dbz_publication', 'Publication to read.'),
  key(
    KEY.publicationAutocreateMode,
    'STRING',
    'all_tables',
    'What to do when the publication is missing: create it for all tables, for the captured ones, for none, or fail.',
    oneOf('no_tables', 'filtered', 'disabled', 'all_tables'),
  ),
  key(
    KEY.publishViaPartitionRoot,
    'BOOLEAN',
    false,
    'A publication created by the connector publishes partitions under the name of their root.',
  ),
  key(
    KEY.publicationCheckIntervalMs,
    'LONG',
    10_000,
    'Milliseconds between comparisons of the publication with the captured tables: tables that were created, created again or renamed are added to a filtered publication, and reported for another.',
    positive,
  ),
  key(KEY.statusUpdateIntervalMs, 'INT', 10000, 'Milliseconds between status messages to the server.', positive),
  key(
    KEY.streamReceiveTimeoutMs,
    'INT',
    300000,
    'Milliseconds without a message of the server after which the stream reconnects, because its peer may be gone; the server is asked for a message every third of them. 0: never.',
    nonNegative,
  ),
  key(
    KEY.offsetMismatchStrategy,
    'STRING',
    'no_validation',
    'When the slot is past the stored offset: trust_slot and trust_greater_lsn resume at the slot position, trust_offset is an error, and no_validation resumes there with a warning while the server has the WAL in between, otherwise, or while the stream was running, that is an error. When it is before: trust_offset advances the slot, trust_slot repeats changes from the slot position on. With a server whose WAL does not contain the stored offset, trust_slot streams from the slot position.',
    oneOf('no_validation', 'trust_offset', 'trust_slot', 'trust_greater_lsn'),
  ),
  key(
    KEY.lsnFlushMode,
    'STRING',
    'connector',
    'connector: confirm positions whose offsets are stored. manual: confirm nothing; the slot must be advanced by other means.',
    oneOf('connector', 'manual'),
  ),
  key(
    KEY.internalCreateSlotCommandTimeout,
    'INT',
    90,
    'Timeout in seconds for creating a slot or publication.',
    positive,
  ),
  key(
    KEY.internalLogPositionCheckEnable,
    'BOOLEAN',
    true,
    'Checks at start that the stored position is still available.',
  ),
  ...STREAM_DEFINITIONS,
  ...METRICS_DEFINITIONS,
  ...SIGNAL_DEFINITIONS,
  key(
    KEY.heartbeatIntervalMs,
    'INT',
    0,
    'Milliseconds between heartbeat records; 0 sends none. Heartbeats also let the slot advance while captured tables are idle.',
    nonNegative,
  ),
  key(KEY.heartbeatActionQuery, 'STRING', null, 'SQL run with each heartbeat.'),
  key(KEY.topicHeartbeatPrefix, 'STRING', '__debezium-heartbeat', 'First part of the name of the heartbeat topic.'),

  key(
    KEY.notificationEnabledChannels,
    'LIST',
    null,
    'Where notifications about snapshots are sent: log, sink (a topic) or both. jmx is accepted and sends nothing.',
  ),
  key(
    KEY.notificationSinkTopicName,
    'STRING',
    null,
    'Topic of the notifications; required when sink is one of the channels.',
  ),

  ...SNAPSHOT_DEFINITIONS,

  key(KEY.schemaIncludeList, 'LIST', null, 'Patterns of the schemas to capture.', patterns),
  key(KEY.schemaExcludeList, 'LIST', null, 'Patterns of the schemas to leave out.', patterns),
  key(KEY.tableIncludeList, 'LIST', null, 'Patterns of the tables to capture, matched against schema.table.', patterns),
  key(KEY.tableExcludeList, 'LIST', null, 'Patterns of the tables to leave out.', patterns),
  key(
    KEY.columnIncludeList,
    'LIST',
    null,
    'Patterns of the columns to emit, matched against schema.table.column.',
    patterns,
  ),
  key(KEY.columnExcludeList, 'LIST', null, 'Patterns of the columns to leave out of row values.', patterns),
  key(KEY.tableIgnoreBuiltin, 'BOOLEAN', true, 'Leaves out tables that come with extensions.'),
  key(
    KEY.messageKeyColumns,
    'STRING',
    null,
    'Columns of the record key by table: <pattern>:<column>,<column>;<pattern>:<column>.',
  ),
  key(KEY.skippedOperations, 'LIST', 't', 'Operations not to emit: c, u, d, t, or none.'),

  key(KEY.decimalHandlingMode, 'STRING', 'precise', 'How numeric values appear.', oneOf('string', 'double', 'precise')),
  key(KEY.moneyFractionDigits, 'SHORT', 2, 'Fraction digits of money values.', nonNegative),
  key(
    KEY.timePrecisionMode,
    'STRING',
    'adaptive',
    'How dates and times appear.',
    oneOf('adaptive', 'adaptive_time_microseconds', 'isostring', 'microseconds', 'nanoseconds', 'connect'),
  ),
  key(KEY.intervalHandlingMode, 'STRING', 'numeric', 'How intervals appear.', oneOf('string', 'numeric')),
  key(KEY.hstoreHandlingMode, 'STRING', 'json', 'How hstore values appear.', oneOf('json', 'map')),
  key(
    KEY.binaryHandlingMode,
    'STRING',
    'bytes',
    'How bytea values appear.',
    oneOf('bytes', 'base64', 'hex', 'base64-url-safe'),
  ),
  key(KEY.includeUnknownDatatypes, 'BOOLEAN', false, 'Emits columns of types that have no form of their own as bytes.'),
  key(
    KEY.unavailableValuePlaceholder,
    'STRING',
    '__debezium_unavailable_value',
    'Stands for large values that the server does not send because they did not change; hex:… for raw bytes.',
  ),
  key(
    KEY.schemaNameAdjustmentMode,
    'STRING',
    'none',
    'Names of schemas: as they are, or with what Avro does not allow replaced by an underscore or by its code.',
    oneOf('none', 'avro_unicode', 'avro'),
  ),
  key(
    KEY.fieldNameAdjustmentMode,
    'STRING',
    'none',
    'Names of fields: as they are, or with what Avro does not allow replaced by an underscore or by its code.',
    oneOf('none', 'avro_unicode', 'avro'),
  ),
  key(
    KEY.skipMessagesWithoutChange,
    'BOOLEAN',
    false,
    'Leaves out updates that change no emitted column. Tables need REPLICA IDENTITY FULL for it.',
  ),
  key(
    KEY.tombstonesOnDelete,
    'BOOLEAN',
    true,
    'Sends a tombstone after each delete, so that compaction removes the key.',
  ),
  key(KEY.extendedHeadersEnabled, 'BOOLEAN', true, 'Adds the __debezium.context headers.'),
  key(KEY.topicDelimiter, 'STRING', '.', 'Delimiter between the parts of topic names.'),
  ...EVENT_DEFINITIONS,

  key(KEY.maxBatchSize, 'INT', 2048, 'Maximum number of records in a batch.', positive),
  key(
    KEY.maxQueueSize,
    'INT',
    8192,
    'Maximum number of server messages waiting to be decoded; must be larger than max.batch.size.',
    positive,
  ),
  key(
    KEY.maxQueueSizeInBytes,
    'LONG',
    67108864,
    'Maximum number of bytes waiting to be decoded; 0 for no limit.',
    nonNegative,
  ),
  key(KEY.pollIntervalMs, 'LONG', 500, 'Maximum time in milliseconds that a poll waits for changes.', positive),
  key(
    KEY.errorsMaxRetries,
    'INT',
    -1,
    'Number of consecutive reconnects after a lost connection before the task fails; -1 for no limit.',
  ),
  key(
    KEY.retriableRestartConnectorWaitMs,
    'LONG',
    10000,
    'Upper bound in milliseconds of the first backoff after a lost connection.',
    positive,
  ),
];

/** Old name → current name (§1.2). */
export const LEGACY_NAMES: Readonly<Record<string, Key>> = {
  'database.server.name': KEY.topicPrefix,
  'table.whitelist': KEY.tableIncludeList,
  'table.blacklist': KEY.tableExcludeList,
  'schema.whitelist': KEY.schemaIncludeList,
  'schema.blacklist': KEY.schemaExcludeList,
  'column.whitelist': KEY.columnIncludeList,
  'column.blacklist': KEY.columnExcludeList,
  'toasted.value.placeholder': KEY.unavailableValuePlaceholder,
  'heartbeat.topics.prefix': KEY.topicHeartbeatPrefix,
  'sanitize.field.names': KEY.fieldNameAdjustmentMode,
  'slot.drop_on_stop': KEY.slotDropOnStop,
  'flush.lsn.source': KEY.lsnFlushMode,
};

/** Alternative names that are accepted without a deprecation warning (§1.7). */
export const TOLERATED_NAMES: Readonly<Record<string, Key>> = {
  sslmode: KEY.databaseSslmode,
  sslrootcert: KEY.databaseSslrootcert,
  sslcert: KEY.databaseSslcert,
  sslkey: KEY.databaseSslkey,
  sslpassword: KEY.databaseSslpassword,
};
