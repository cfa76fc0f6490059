/* eslint-disable max-lines -- a data table */
/** Every configuration key, with the constraint that its value is checked for. Sources: cdc-postgres §1.3 to §1.6. */
import type { ConfigKey, ConfigType, Importance } from '@millrace/sdk';

export type Constraint =
  | { readonly kind: 'required' }
  | { readonly kind: 'positive' }
  | { readonly kind: 'nonNegative' }
  | { readonly kind: 'oneOf'; readonly values: readonly string[] }
  | { readonly kind: 'patterns' };

export interface Definition extends ConfigKey {
  readonly constraint?: Constraint;
}

const CONNECTION = 'Connection';
const REPLICATION = 'Replication';
const SNAPSHOT = 'Snapshot';
const FILTERS = 'Filters';
const EVENTS = 'Events';
const ENGINE = 'Engine';

const required: Constraint = { kind: 'required' };
const positive: Constraint = { kind: 'positive' };
const nonNegative: Constraint = { kind: 'nonNegative' };
const patterns: Constraint = { kind: 'patterns' };
const oneOf = (...values: string[]): Constraint => ({ kind: 'oneOf', values });

type Default = string | number | boolean | null;
const counters = new Map<string, number>();

function key(
  group: string,
  importance: Importance,
  name: string,
  type: ConfigType,
  defaultValue: Default,
  documentation: string,
  constraint?: Constraint,
): Definition {
  const order = (counters.get(group) ?? 0) + 1;
  counters.set(group, order);
  const recommended = constraint?.kind === 'oneOf' ? { recommended: constraint.values } : {};
  return {
    name,
    type,
    default: defaultValue,
    importance,
    documentation,
    group,
    order,
    width: 'MEDIUM',
    constraint,
    ...recommended,
  };
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
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

export const DEFINITIONS: readonly Definition[] = [
  key(
    CONNECTION,
    'HIGH',
    'topic.prefix',
    'STRING',
    null,
    'Logical name of the database server: first part of every topic name and the identity of the stored offsets. Must be unique in a Kafka cluster.',
    required,
  ),
  key(
    CONNECTION,
    'HIGH',
    'database.hostname',
    'STRING',
    null,
    'Host name, address or unix socket directory of the database server.',
    required,
  ),
  key(CONNECTION, 'HIGH', 'database.port', 'INT', 5432, 'Port of the database server.', positive),
  key(
    CONNECTION,
    'HIGH',
    'database.user',
    'STRING',
    null,
    'Role to connect as; needs LOGIN and REPLICATION, and SELECT on the captured tables.',
    required,
  ),
  key(CONNECTION, 'HIGH', 'database.password', 'PASSWORD', null, 'Password of the role.'),
  key(CONNECTION, 'HIGH', 'database.dbname', 'STRING', null, 'Database to capture; one per connector.', required),
  key(
    CONNECTION,
    'HIGH',
    'database.sslmode',
    'STRING',
    'prefer',
    'Whether to encrypt the connection and what to check of the certificate of the server.',
    oneOf(...SSL_MODES),
  ),
  key(
    CONNECTION,
    'MEDIUM',
    'database.sslrootcert',
    'STRING',
    null,
    'File (or PEM text) with the certificates that verify-ca and verify-full trust.',
  ),
  key(CONNECTION, 'MEDIUM', 'database.sslcert', 'STRING', null, 'File (or PEM text) with the client certificate.'),
  key(
    CONNECTION,
    'MEDIUM',
    'database.sslkey',
    'STRING',
    null,
    'File (or PEM text) with the key of the client certificate: PEM, PKCS#8 DER or PKCS#12.',
  ),
  key(CONNECTION, 'MEDIUM', 'database.sslpassword', 'PASSWORD', null, 'Password of the client key.'),
  key(
    CONNECTION,
    'LOW',
    'database.initial.statements',
    'STRING',
    null,
    'SQL statements, separated by semicolons (two for a literal one), run on every ordinary connection.',
  ),
  key(CONNECTION, 'LOW', 'database.tcpKeepAlive', 'BOOLEAN', true, 'Sends TCP keep-alive probes.'),
  key(
    CONNECTION,
    'LOW',
    'database.query.timeout.ms',
    'INT',
    600000,
    'Longest time a catalog query may take.',
    nonNegative,
  ),
  key(
    CONNECTION,
    'LOW',
    'connection.validation.timeout.ms',
    'INT',
    60000,
    'Longest time the connection check during validation may take.',
    positive,
  ),

  key(
    REPLICATION,
    'MEDIUM',
    'plugin.name',
    'STRING',
    'pgoutput',
    'Logical decoding plug-in. Supported: pgoutput.',
    oneOf('pgoutput'),
  ),
  key(
    REPLICATION,
    'MEDIUM',
    'slot.name',
    'STRING',
    'debezium',
    'Name of the replication slot; each connector needs its own.',
  ),
  key(
    REPLICATION,
    'MEDIUM',
    'slot.drop.on.stop',
    'BOOLEAN',
    false,
    'Drops the slot on an orderly stop. For tests: changes made while it is missing are lost.',
  ),
  key(
    REPLICATION,
    'LOW',
    'slot.failover',
    'BOOLEAN',
    false,
    'Creates the slot as a failover slot (PostgreSQL 17 and later).',
  ),
  key(
    REPLICATION,
    'LOW',
    'slot.stream.params',
    'STRING',
    null,
    'Further options for START_REPLICATION: name=value;name=value.',
  ),
  key(REPLICATION, 'LOW', 'slot.max.retries', 'INT', 6, 'How often to try again when the slot is in use.', nonNegative),
  key(REPLICATION, 'LOW', 'slot.retry.delay.ms', 'LONG', 10000, 'Milliseconds between those attempts.', nonNegative),
  key(REPLICATION, 'MEDIUM', 'publication.name', 'STRING', 'dbz_publication', 'Publication to read.'),
  key(
    REPLICATION,
    'MEDIUM',
    'publication.autocreate.mode',
    'STRING',
    'all_tables',
    'What to do when the publication is missing: create it for all tables, for the captured ones, for none, or fail.',
    oneOf('no_tables', 'disabled', 'all_tables', 'filtered'),
  ),
  key(
    REPLICATION,
    'LOW',
    'publish.via.partition.root',
    'BOOLEAN',
    false,
    'A publication created by the connector publishes partitions under the name of their root.',
  ),
  key(
    REPLICATION,
    'LOW',
    'status.update.interval.ms',
    'INT',
    10000,
    'Milliseconds between status messages to the server.',
    positive,
  ),
  key(
    REPLICATION,
    'LOW',
    'lsn.flush.mode',
    'STRING',
    'connector',
    'connector: confirm positions whose offsets are stored. manual: confirm nothing, someone else moves the slot.',
    oneOf('connector', 'manual'),
  ),
  key(
    REPLICATION,
    'LOW',
    'internal.create.slot.command.timeout',
    'INT',
    90,
    'Seconds that creating a slot or publication may take.',
    positive,
  ),
  key(
    REPLICATION,
    'LOW',
    'internal.log.position.check.enable',
    'BOOLEAN',
    true,
    'Checks at start that the stored position is still available.',
  ),
  key(
    REPLICATION,
    'MEDIUM',
    'heartbeat.interval.ms',
    'INT',
    0,
    'Milliseconds between heartbeat records; 0 sends none. Heartbeats also let the slot advance while captured tables are idle.',
    nonNegative,
  ),
  key(REPLICATION, 'LOW', 'heartbeat.action.query', 'STRING', null, 'SQL run with each heartbeat.'),
  key(
    REPLICATION,
    'LOW',
    'topic.heartbeat.prefix',
    'STRING',
    '__debezium-heartbeat',
    'First part of the name of the heartbeat topic.',
  ),

  key(
    SNAPSHOT,
    'HIGH',
    'snapshot.mode',
    'STRING',
    'initial',
    'When to read the tables as they are before streaming changes.',
    oneOf(...SNAPSHOT_MODES),
  ),
  key(
    SNAPSHOT,
    'LOW',
    'snapshot.isolation.mode',
    'STRING',
    'serializable',
    'Isolation of a snapshot that cannot use one exported by a replication slot.',
    oneOf('serializable', 'repeatable_read', 'read_committed', 'read_uncommitted'),
  ),
  key(
    SNAPSHOT,
    'LOW',
    'snapshot.include.collection.list',
    'LIST',
    null,
    'Patterns of the captured tables to read in the snapshot. (Default: all)',
    patterns,
  ),
  key(
    SNAPSHOT,
    'LOW',
    'snapshot.select.statement.overrides',
    'LIST',
    null,
    'Tables with a SELECT of their own, given in snapshot.select.statement.overrides.<schema>.<table>.',
  ),
  key(SNAPSHOT, 'LOW', 'snapshot.fetch.size', 'INT', 10240, 'Rows per round trip.', positive),
  key(SNAPSHOT, 'LOW', 'snapshot.delay.ms', 'LONG', 0, 'Milliseconds to wait before a snapshot.', nonNegative),

  key(FILTERS, 'MEDIUM', 'schema.include.list', 'LIST', null, 'Patterns of the schemas to capture.', patterns),
  key(FILTERS, 'MEDIUM', 'schema.exclude.list', 'LIST', null, 'Patterns of the schemas to leave out.', patterns),
  key(
    FILTERS,
    'HIGH',
    'table.include.list',
    'LIST',
    null,
    'Patterns of the tables to capture, matched against schema.table.',
    patterns,
  ),
  key(FILTERS, 'MEDIUM', 'table.exclude.list', 'LIST', null, 'Patterns of the tables to leave out.', patterns),
  key(
    FILTERS,
    'MEDIUM',
    'column.include.list',
    'LIST',
    null,
    'Patterns of the columns to emit, matched against schema.table.column.',
    patterns,
  ),
  key(
    FILTERS,
    'MEDIUM',
    'column.exclude.list',
    'LIST',
    null,
    'Patterns of the columns to leave out of row values.',
    patterns,
  ),
  key(FILTERS, 'LOW', 'table.ignore.builtin', 'BOOLEAN', true, 'Leaves out tables that come with extensions.'),
  key(
    FILTERS,
    'MEDIUM',
    'message.key.columns',
    'STRING',
    null,
    'Columns of the record key by table: <pattern>:<column>,<column>;<pattern>:<column>.',
  ),
  key(FILTERS, 'LOW', 'skipped.operations', 'LIST', 't', 'Operations not to emit: c, u, d, t, or none.'),

  key(
    EVENTS,
    'MEDIUM',
    'decimal.handling.mode',
    'STRING',
    'precise',
    'How numeric values appear.',
    oneOf('precise', 'double', 'string'),
  ),
  key(EVENTS, 'LOW', 'money.fraction.digits', 'SHORT', 2, 'Fraction digits of money values.', nonNegative),
  key(
    EVENTS,
    'MEDIUM',
    'time.precision.mode',
    'STRING',
    'adaptive',
    'How dates and times appear.',
    oneOf('adaptive', 'adaptive_time_microseconds', 'connect', 'isostring', 'microseconds', 'nanoseconds'),
  ),
  key(
    EVENTS,
    'LOW',
    'interval.handling.mode',
    'STRING',
    'numeric',
    'How intervals appear.',
    oneOf('numeric', 'string'),
  ),
  key(EVENTS, 'LOW', 'hstore.handling.mode', 'STRING', 'json', 'How hstore values appear.', oneOf('json', 'map')),
  key(
    EVENTS,
    'LOW',
    'binary.handling.mode',
    'STRING',
    'bytes',
    'How bytea values appear.',
    oneOf('bytes', 'base64', 'base64-url-safe', 'hex'),
  ),
  key(
    EVENTS,
    'LOW',
    'include.unknown.datatypes',
    'BOOLEAN',
    false,
    'Emits columns of types that have no form of their own as bytes.',
  ),
  key(
    EVENTS,
    'LOW',
    'unavailable.value.placeholder',
    'STRING',
    '__debezium_unavailable_value',
    'Stands for large values that the server does not send because they did not change; hex:… for raw bytes.',
  ),
  key(
    EVENTS,
    'MEDIUM',
    'tombstones.on.delete',
    'BOOLEAN',
    true,
    'A record without value follows each delete, so that compaction removes the key.',
  ),
  key(EVENTS, 'LOW', 'extended.headers.enabled', 'BOOLEAN', true, 'Adds the __debezium.context headers.'),
  key(EVENTS, 'LOW', 'topic.delimiter', 'STRING', '.', 'Between the parts of topic names.'),
  key(EVENTS, 'LOW', 'event.format', 'STRING', '3', 'Layout of events: that of Debezium 3.', oneOf('3')),
  key(EVENTS, 'LOW', 'event.source.version', 'STRING', '3.7.0.Final', 'Text of source.version in events.'),
  key(
    EVENTS,
    'LOW',
    'event.incomplete.key.handling',
    'STRING',
    'fail',
    'What to do when an old row lacks columns of the record key (REPLICA IDENTITY USING INDEX).',
    oneOf('fail', 'warn', 'debezium'),
  ),

  key(ENGINE, 'LOW', 'max.batch.size', 'INT', 2048, 'Most records handed over at once.', positive),
  key(
    ENGINE,
    'LOW',
    'max.queue.size',
    'INT',
    8192,
    'Most messages of the server that wait to be decoded; must be larger than max.batch.size.',
    positive,
  ),
  key(
    ENGINE,
    'LOW',
    'max.queue.size.in.bytes',
    'LONG',
    67108864,
    'Most bytes that wait to be decoded; 0 for no limit.',
    nonNegative,
  ),
  key(
    ENGINE,
    'LOW',
    'poll.interval.ms',
    'LONG',
    500,
    'Longest wait for a change before the worker is answered.',
    positive,
  ),
  key(
    ENGINE,
    'LOW',
    'errors.max.retries',
    'INT',
    -1,
    'How often in a row a lost connection is restored before the task fails; -1 without end.',
  ),
  key(
    ENGINE,
    'LOW',
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
