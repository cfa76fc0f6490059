/** Definitions of the settings of snapshots (cdc-postgres §1.5). */
import { key, nonNegative, oneOf, patterns, positive, type Definition } from './definition';
import { KEY } from './keys';

/** In the order of Debezium's error text (Appendix R.15). */
const SNAPSHOT_MODES = ['always', 'initial_only', 'configuration_based', 'when_needed', 'initial', 'custom', 'no_data'];

export const SNAPSHOT_DEFINITIONS: readonly Definition[] = [
  key(
    KEY.snapshotMode,
    'STRING',
    'initial',
    'When to take a snapshot of the tables before streaming changes.',
    oneOf(...SNAPSHOT_MODES),
  ),
  key(
    KEY.snapshotIsolationMode,
    'STRING',
    'serializable',
    'Isolation of a snapshot that cannot use one exported by a replication slot.',
    oneOf('read_uncommitted', 'repeatable_read', 'read_committed', 'serializable'),
  ),
  key(
    KEY.snapshotIncludeCollectionList,
    'LIST',
    null,
    'Patterns of the captured tables to read in the snapshot. (Default: all)',
    patterns,
  ),
  key(
    KEY.snapshotSelectStatementOverrides,
    'STRING',
    null,
    'Tables with a custom SELECT, given in snapshot.select.statement.overrides.<schema>.<table>.',
  ),
  key(KEY.snapshotFetchSize, 'INT', 10240, 'Rows per round trip.', positive),
  key(KEY.snapshotDelayMs, 'LONG', 0, 'Milliseconds to wait before a snapshot.', nonNegative),
  key(KEY.snapshotMaxThreads, 'INT', 1, 'Connections that read the snapshot at once.', positive),
  key(
    KEY.snapshotMaxThreadsMultiplier,
    'INT',
    1,
    'With several threads, large tables are read in at least snapshot.max.threads times this many chunks.',
    positive,
  ),
  key(
    KEY.legacySnapshotMaxThreads,
    'BOOLEAN',
    false,
    'true: one connection reads all chunks of a table, and several tables are read at once.',
  ),
  key(
    KEY.snapshotTablesOrderByRowCount,
    'STRING',
    'disabled',
    "Order of the tables by the server's estimate of their rows.",
    oneOf('disabled', 'ascending', 'descending'),
  ),
  key(
    KEY.snapshotLockingMode,
    'STRING',
    'none',
    'shared: locks the tables against changes of their definition (ACCESS SHARE) before it is read.',
    oneOf('shared', 'custom', 'none'),
  ),
  key(
    KEY.snapshotLockTimeoutMs,
    'LONG',
    10000,
    'Milliseconds to wait for the lock of a table with snapshot.locking.mode=shared, and before an incremental snapshot tries to read a chunk again; 0: no limit.',
    nonNegative,
  ),
  key(
    KEY.snapshotQueryMode,
    'STRING',
    'select_all',
    'How the rows of a table are selected.',
    oneOf('custom', 'select_all'),
  ),
  key(
    KEY.snapshotConfiguredData,
    'BOOLEAN',
    false,
    'With snapshot.mode=configuration_based: take a snapshot at every start.',
  ),
  key(KEY.snapshotConfiguredStream, 'BOOLEAN', false, 'With snapshot.mode=configuration_based: stream changes.'),
  key(
    KEY.snapshotConfiguredOnDataError,
    'BOOLEAN',
    false,
    'With snapshot.mode=configuration_based: take a snapshot when the server no longer has the stored position.',
  ),
  key(KEY.guardrailCollectionsMax, 'INT', 0, 'Maximum number of captured tables; 0 for no limit.', nonNegative),
  key(
    KEY.guardrailCollectionsLimitAction,
    'STRING',
    'warn',
    'What more tables than guardrail.collections.max cause: a warning, or a failure of the start.',
    oneOf('warn', 'fail'),
  ),
];
