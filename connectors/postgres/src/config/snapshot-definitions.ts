/** Definitions of the settings of snapshots (cdc-postgres §1.5). */
import { key, nonNegative, oneOf, patterns, positive } from './definition';

/** In the order of Debezium's error text (Appendix R.15). */
const SNAPSHOT_MODES = [
  'always',
  'initial_only',
  'configuration_based',
  'when_needed',
  'initial',
  'custom',
  'no_data',
] as const;

export const SNAPSHOT_DEFINITIONS = {
  snapshotMode: key(
    'snapshot.mode',
    'STRING',
    'initial',
    'When to take a snapshot of the tables before streaming changes.',
    oneOf(...SNAPSHOT_MODES),
  ),
  snapshotIsolationMode: key(
    'snapshot.isolation.mode',
    'STRING',
    'serializable',
    'Isolation of a snapshot that cannot use one exported by a replication slot.',
    oneOf('read_uncommitted', 'repeatable_read', 'read_committed', 'serializable'),
  ),
  snapshotIncludeCollectionList: key(
    'snapshot.include.collection.list',
    'LIST',
    null,
    'Patterns of the captured tables to read in the snapshot. (Default: all)',
    patterns,
  ),
  snapshotSelectStatementOverrides: key(
    'snapshot.select.statement.overrides',
    'STRING',
    null,
    'Tables with a custom SELECT, given in snapshot.select.statement.overrides.<schema>.<table>.',
  ),
  snapshotFetchSize: key('snapshot.fetch.size', 'INT', 10240, 'Rows per round trip.', positive),
  snapshotDelayMs: key('snapshot.delay.ms', 'LONG', 0, 'Milliseconds to wait before a snapshot.', nonNegative),
  snapshotMaxThreads: key('snapshot.max.threads', 'INT', 1, 'Connections that read the snapshot at once.', positive),
  snapshotMaxThreadsMultiplier: key(
    'snapshot.max.threads.multiplier',
    'INT',
    1,
    'With several threads, large tables are read in at least snapshot.max.threads times this many chunks.',
    positive,
  ),
  legacySnapshotMaxThreads: key(
    'legacy.snapshot.max.threads',
    'BOOLEAN',
    false,
    'true: one connection reads all chunks of a table, and several tables are read at once.',
  ),
  snapshotTablesOrderByRowCount: key(
    'snapshot.tables.order.by.row.count',
    'STRING',
    'disabled',
    "Order of the tables by the server's estimate of their rows.",
    oneOf('disabled', 'ascending', 'descending'),
  ),
  snapshotLockingMode: key(
    'snapshot.locking.mode',
    'STRING',
    'none',
    'shared: locks the tables against changes of their definition (ACCESS SHARE) before it is read.',
    oneOf('shared', 'custom', 'none'),
  ),
  snapshotLockTimeoutMs: key(
    'snapshot.lock.timeout.ms',
    'LONG',
    10000,
    'Milliseconds to wait for the lock of a table with snapshot.locking.mode=shared, and before an incremental snapshot tries to read a chunk again; 0: no limit.',
    nonNegative,
  ),
  snapshotQueryMode: key(
    'snapshot.query.mode',
    'STRING',
    'select_all',
    'How the rows of a table are selected.',
    oneOf('custom', 'select_all'),
  ),
  snapshotConfiguredData: key(
    'snapshot.mode.configuration.based.snapshot.data',
    'BOOLEAN',
    false,
    'With snapshot.mode=configuration_based: take a snapshot at every start.',
  ),
  snapshotConfiguredStream: key(
    'snapshot.mode.configuration.based.start.stream',
    'BOOLEAN',
    false,
    'With snapshot.mode=configuration_based: stream changes.',
  ),
  snapshotConfiguredOnDataError: key(
    'snapshot.mode.configuration.based.snapshot.on.data.error',
    'BOOLEAN',
    false,
    'With snapshot.mode=configuration_based: take a snapshot when the server no longer has the stored position.',
  ),
  guardrailCollectionsMax: key(
    'guardrail.collections.max',
    'INT',
    0,
    'Maximum number of captured tables; 0 for no limit.',
    nonNegative,
  ),
  guardrailCollectionsLimitAction: key(
    'guardrail.collections.limit.action',
    'STRING',
    'warn',
    'What more tables than guardrail.collections.max cause: a warning, or a failure of the start.',
    oneOf('warn', 'fail'),
  ),
};
