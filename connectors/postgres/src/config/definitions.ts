/** Every configuration key, with the constraint that its value is checked for. Sources: cdc-postgres §1.3 to §1.6. */
import type { ConfigType } from '@millrace/sdk';

export type Constraint =
  | { readonly kind: 'required' }
  | { readonly kind: 'positive' }
  | { readonly kind: 'nonNegative' }
  | { readonly kind: 'oneOf'; readonly values: readonly string[] }
  | { readonly kind: 'patterns' };

/** What the connector goes by; how clients are shown a key is in shown-keys.ts. */
export interface Definition {
  readonly name: string;
  readonly type: ConfigType;
  readonly default: Default;
  readonly documentation: string;
  readonly constraint?: Constraint;
}

type Default = string | number | boolean | null;

const required: Constraint = { kind: 'required' };
const positive: Constraint = { kind: 'positive' };
const nonNegative: Constraint = { kind: 'nonNegative' };
const patterns: Constraint = { kind: 'patterns' };
const oneOf = (...values: string[]): Constraint => ({ kind: 'oneOf', values });

function key(
  name: string,
  type: ConfigType,
  defaultValue: Default,
  documentation: string,
  constraint?: Constraint,
): Definition {
  return { name, type, default: defaultValue, documentation, ...(constraint ? { constraint } : {}) };
}

/** Order of Debezium's error text (Appendix R.15). */
export const SNAPSHOT_MODES = [
  'always',
  'initial_only',
  'configuration_based',
  'when_needed',
  'initial',
  'custom',
  'no_data',
];
const SSL_MODES = ['allow', 'prefer', 'disable', 'verify-ca', 'require', 'verify-full'];

export const DEFINITIONS: readonly Definition[] = [
  key(
    'topic.prefix',
    'STRING',
    null,
    'Logical name of the database server: first part of every topic name and the identity of the stored offsets. Must be unique in a Kafka cluster.',
    required,
  ),
  key(
    'database.hostname',
    'STRING',
    null,
    'Host name, address or unix socket directory of the database server.',
    required,
  ),
  key('database.port', 'INT', 5432, 'Port of the database server.', positive),
  key(
    'database.user',
    'STRING',
    null,
    'Role to connect as; needs LOGIN and REPLICATION, and SELECT on the captured tables.',
    required,
  ),
  key('database.password', 'PASSWORD', null, 'Password of the role.'),
  key('database.dbname', 'STRING', null, 'Database to capture; one per connector.', required),
  key(
    'database.sslmode',
    'STRING',
    'prefer',
    'Whether to encrypt the connection and what to check of the certificate of the server.',
    oneOf(...SSL_MODES),
  ),
  key(
    'database.sslrootcert',
    'STRING',
    null,
    'File (or PEM text) with the certificates that verify-ca and verify-full trust.',
  ),
  key('database.sslcert', 'STRING', null, 'File (or PEM text) with the client certificate.'),
  key(
    'database.sslkey',
    'STRING',
    null,
    'File (or PEM text) with the key of the client certificate: PEM, PKCS#8 DER or PKCS#12.',
  ),
  key('database.sslpassword', 'PASSWORD', null, 'Password of the client key.'),
  key(
    'database.initial.statements',
    'STRING',
    null,
    'SQL statements, separated by semicolons (two for a literal one), run on every ordinary connection.',
  ),
  key('database.tcpKeepAlive', 'BOOLEAN', true, 'Sends TCP keep-alive probes.'),
  key('database.query.timeout.ms', 'INT', 600000, 'Longest time a catalog query may take.', nonNegative),
  key(
    'connection.validation.timeout.ms',
    'LONG',
    60000,
    'Longest time the connection check during validation may take.',
    positive,
  ),

  key('plugin.name', 'STRING', 'pgoutput', 'Logical decoding plug-in. Supported: pgoutput.', oneOf('pgoutput')),
  key('slot.name', 'STRING', 'debezium', 'Name of the replication slot; each connector needs its own.'),
  key(
    'slot.drop.on.stop',
    'BOOLEAN',
    false,
    'Drops the slot on an orderly stop. For tests: changes made while it is missing are lost.',
  ),
  key('slot.failover', 'BOOLEAN', false, 'Creates the slot as a failover slot (PostgreSQL 17 and later).'),
  key('slot.stream.params', 'STRING', null, 'Further options for START_REPLICATION: name=value;name=value.'),
  key('slot.max.retries', 'INT', 6, 'How often to try again when the slot is in use.', nonNegative),
  key('slot.retry.delay.ms', 'LONG', 10000, 'Milliseconds between those attempts.', nonNegative),
  key('publication.name', 'STRING', 'dbz_publication', 'Publication to read.'),
  key(
    'publication.autocreate.mode',
    'STRING',
    'all_tables',
    'What to do when the publication is missing: create it for all tables, for the captured ones, for none, or fail.',
    oneOf('no_tables', 'filtered', 'disabled', 'all_tables'),
  ),
  key(
    'publish.via.partition.root',
    'BOOLEAN',
    false,
    'A publication created by the connector publishes partitions under the name of their root.',
  ),
  key('status.update.interval.ms', 'INT', 10000, 'Milliseconds between status messages to the server.', positive),
  key(
    'offset.mismatch.strategy',
    'STRING',
    'no_validation',
    'trust_greater_lsn: go on where the slot is when it has passed the stored position. Otherwise that is an error.',
    oneOf('no_validation', 'trust_offset', 'trust_slot', 'trust_greater_lsn'),
  ),
  key(
    'lsn.flush.mode',
    'STRING',
    'connector',
    'connector: confirm positions whose offsets are stored. manual: confirm nothing, someone else moves the slot.',
    oneOf('connector', 'manual'),
  ),
  key(
    'internal.create.slot.command.timeout',
    'INT',
    90,
    'Seconds that creating a slot or publication may take.',
    positive,
  ),
  key(
    'internal.log.position.check.enable',
    'BOOLEAN',
    true,
    'Checks at start that the stored position is still available.',
  ),
  key(
    'heartbeat.interval.ms',
    'INT',
    0,
    'Milliseconds between heartbeat records; 0 sends none. Heartbeats also let the slot advance while captured tables are idle.',
    nonNegative,
  ),
  key('heartbeat.action.query', 'STRING', null, 'SQL run with each heartbeat.'),
  key('topic.heartbeat.prefix', 'STRING', '__debezium-heartbeat', 'First part of the name of the heartbeat topic.'),

  key(
    'snapshot.mode',
    'STRING',
    'initial',
    'When to read the tables as they are before streaming changes.',
    oneOf(...SNAPSHOT_MODES),
  ),
  key(
    'snapshot.isolation.mode',
    'STRING',
    'serializable',
    'Isolation of a snapshot that cannot use one exported by a replication slot.',
    oneOf('read_uncommitted', 'repeatable_read', 'read_committed', 'serializable'),
  ),
  key(
    'snapshot.include.collection.list',
    'LIST',
    null,
    'Patterns of the captured tables to read in the snapshot. (Default: all)',
    patterns,
  ),
  key(
    'snapshot.select.statement.overrides',
    'STRING',
    null,
    'Tables with a SELECT of their own, given in snapshot.select.statement.overrides.<schema>.<table>.',
  ),
  key('snapshot.fetch.size', 'INT', 10240, 'Rows per round trip.', positive),
  key('snapshot.delay.ms', 'LONG', 0, 'Milliseconds to wait before a snapshot.', nonNegative),

  key('schema.include.list', 'LIST', null, 'Patterns of the schemas to capture.', patterns),
  key('schema.exclude.list', 'LIST', null, 'Patterns of the schemas to leave out.', patterns),
  key('table.include.list', 'LIST', null, 'Patterns of the tables to capture, matched against schema.table.', patterns),
  key('table.exclude.list', 'LIST', null, 'Patterns of the tables to leave out.', patterns),
  key(
    'column.include.list',
    'LIST',
    null,
    'Patterns of the columns to emit, matched against schema.table.column.',
    patterns,
  ),
  key('column.exclude.list', 'LIST', null, 'Patterns of the columns to leave out of row values.', patterns),
  key('table.ignore.builtin', 'BOOLEAN', true, 'Leaves out tables that come with extensions.'),
  key(
    'message.key.columns',
    'STRING',
    null,
    'Columns of the record key by table: <pattern>:<column>,<column>;<pattern>:<column>.',
  ),
  key('skipped.operations', 'LIST', 't', 'Operations not to emit: c, u, d, t, or none.'),

  key('decimal.handling.mode', 'STRING', 'precise', 'How numeric values appear.', oneOf('string', 'double', 'precise')),
  key('money.fraction.digits', 'SHORT', 2, 'Fraction digits of money values.', nonNegative),
  key(
    'time.precision.mode',
    'STRING',
    'adaptive',
    'How dates and times appear.',
    oneOf('adaptive', 'adaptive_time_microseconds', 'isostring', 'microseconds', 'nanoseconds', 'connect'),
  ),
  key('interval.handling.mode', 'STRING', 'numeric', 'How intervals appear.', oneOf('string', 'numeric')),
  key('hstore.handling.mode', 'STRING', 'json', 'How hstore values appear.', oneOf('json', 'map')),
  key(
    'binary.handling.mode',
    'STRING',
    'bytes',
    'How bytea values appear.',
    oneOf('bytes', 'base64', 'hex', 'base64-url-safe'),
  ),
  key('include.unknown.datatypes', 'BOOLEAN', false, 'Emits columns of types that have no form of their own as bytes.'),
  key(
    'unavailable.value.placeholder',
    'STRING',
    '__debezium_unavailable_value',
    'Stands for large values that the server does not send because they did not change; hex:… for raw bytes.',
  ),
  key(
    'schema.name.adjustment.mode',
    'STRING',
    'none',
    'Names of schemas: as they are, or with what Avro does not allow replaced by an underscore or by its code.',
    oneOf('none', 'avro_unicode', 'avro'),
  ),
  key(
    'field.name.adjustment.mode',
    'STRING',
    'none',
    'Names of fields: as they are, or with what Avro does not allow replaced by an underscore or by its code.',
    oneOf('none', 'avro_unicode', 'avro'),
  ),
  key(
    'skip.messages.without.change',
    'BOOLEAN',
    false,
    'Leaves out updates that change no emitted column. Tables need REPLICA IDENTITY FULL for it.',
  ),
  key(
    'tombstones.on.delete',
    'BOOLEAN',
    true,
    'A record without value follows each delete, so that compaction removes the key.',
  ),
  key('extended.headers.enabled', 'BOOLEAN', true, 'Adds the __debezium.context headers.'),
  key('topic.delimiter', 'STRING', '.', 'Between the parts of topic names.'),
  key('event.format', 'STRING', '3', 'Layout of events: that of Debezium 3.', oneOf('3')),
  key('event.source.version', 'STRING', '3.7.0.Final', 'Text of source.version in events.'),
  key(
    'event.incomplete.key.handling',
    'STRING',
    'fail',
    'What to do when a change lacks columns of the record key: old rows hold those of the REPLICA IDENTITY alone, updated ones no large values outside of it that did not change.',
    oneOf('fail', 'warn', 'debezium'),
  ),

  key('max.batch.size', 'INT', 2048, 'Most records handed over at once.', positive),
  key(
    'max.queue.size',
    'INT',
    8192,
    'Most messages of the server that wait to be decoded; must be larger than max.batch.size.',
    positive,
  ),
  key('max.queue.size.in.bytes', 'LONG', 67108864, 'Most bytes that wait to be decoded; 0 for no limit.', nonNegative),
  key('poll.interval.ms', 'LONG', 500, 'Longest wait for a change before the worker is answered.', positive),
  key(
    'errors.max.retries',
    'INT',
    -1,
    'How often in a row a lost connection is restored before the task fails; -1 without end.',
  ),
  key(
    'retriable.restart.connector.wait.ms',
    'LONG',
    10000,
    'Upper bound in milliseconds of the first wait before a lost connection is restored.',
    positive,
  ),
];

/** Old name → current name (§1.2). */
export const LEGACY_NAMES: Readonly<Record<string, string>> = {
  'database.server.name': 'topic.prefix',
  'table.whitelist': 'table.include.list',
  'table.blacklist': 'table.exclude.list',
  'schema.whitelist': 'schema.include.list',
  'schema.blacklist': 'schema.exclude.list',
  'column.whitelist': 'column.include.list',
  'column.blacklist': 'column.exclude.list',
  'toasted.value.placeholder': 'unavailable.value.placeholder',
  'heartbeat.topics.prefix': 'topic.heartbeat.prefix',
  'slot.drop_on_stop': 'slot.drop.on.stop',
  'flush.lsn.source': 'lsn.flush.mode',
};

/** Further spellings that are not deprecated, only tolerated (§1.7). */
export const TOLERATED_NAMES: Readonly<Record<string, string>> = {
  sslmode: 'database.sslmode',
  sslrootcert: 'database.sslrootcert',
  sslcert: 'database.sslcert',
  sslkey: 'database.sslkey',
  sslpassword: 'database.sslpassword',
};
