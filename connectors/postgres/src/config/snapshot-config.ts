/** Settings of snapshots (cdc-postgres §1.5). */
import type { ConfigWarning, ConnectorConfig } from '@millrace/sdk';
import { KEY, type ValueOf } from './definitions';
import { splitList, type PatternList } from './patterns';
import type { Settings } from './settings';

/** Without `custom`, which is refused. */
export type SnapshotMode = Exclude<ValueOf<'snapshotMode'>, 'custom'>;

/** What a mode decides (cdc-postgres §4.1). */
export interface SnapshotPolicy {
  /** Take a snapshot when no offset is stored, and repeat an interrupted one. */
  readonly initially: boolean;
  readonly everyStart: boolean;
  /** Take a snapshot when the server no longer has the stored position. */
  readonly whenLost: boolean;
  readonly stream: boolean;
}

export interface SnapshotConfig {
  readonly mode: SnapshotMode;
  readonly policy: SnapshotPolicy;
  readonly isolation: ValueOf<'snapshotIsolationMode'>;
  readonly include: PatternList | null;
  /** `schema.table` → SELECT. */
  readonly overrides: ReadonlyMap<string, string>;
  readonly fetchSize: number;
  readonly delayMs: number;
  /** Connections that read at once. */
  readonly threads: number;
  /** At least this many chunks per thread, in tables that are large enough. */
  readonly threadsMultiplier: number;
  /** `legacy.snapshot.max.threads`: a table is read by one connection. */
  readonly tablePerThread: boolean;
  readonly order: ValueOf<'snapshotTablesOrderByRowCount'>;
  /** Milliseconds to wait for the lock of a table; null: tables are not locked before they are read. */
  readonly lockTimeoutMs: number | null;
  /** Maximum number of captured tables; 0: no limit. */
  readonly maxTables: number;
  /** More of them fail the start; otherwise they cause a warning. */
  readonly maxTablesFails: boolean;
}

export const SNAPSHOT_POLICIES: Readonly<Record<Exclude<SnapshotMode, 'configuration_based'>, SnapshotPolicy>> = {
  initial: { initially: true, everyStart: false, whenLost: false, stream: true },
  initial_only: { initially: true, everyStart: false, whenLost: false, stream: false },
  no_data: { initially: false, everyStart: false, whenLost: false, stream: true },
  always: { initially: true, everyStart: true, whenLost: false, stream: true },
  when_needed: { initially: true, everyStart: false, whenLost: true, stream: true },
};

export function readSnapshotConfig(settings: Settings, values: ConnectorConfig): SnapshotConfig {
  const { get, patterns } = settings;
  const mode = get('snapshotMode') as SnapshotMode;
  return {
    mode,
    policy: mode === 'configuration_based' ? configuredPolicy(settings) : SNAPSHOT_POLICIES[mode],
    isolation: get('snapshotIsolationMode'),
    include: patterns('snapshotIncludeCollectionList'),
    overrides: overrides(values),
    fetchSize: get('snapshotFetchSize'),
    delayMs: get('snapshotDelayMs'),
    threads: get('snapshotMaxThreads'),
    threadsMultiplier: get('snapshotMaxThreadsMultiplier'),
    tablePerThread: get('legacySnapshotMaxThreads'),
    order: get('snapshotTablesOrderByRowCount'),
    lockTimeoutMs: get('snapshotLockingMode') === 'shared' ? get('snapshotLockTimeoutMs') : null,
    maxTables: get('guardrailCollectionsMax'),
    maxTablesFails: get('guardrailCollectionsLimitAction') === 'fail',
  };
}

/**
 * `snapshot.schema` and `snapshot.on.schema.error` decide nothing here: the connector reads the definition of each
 * table from the catalog, and stores no history of it.
 */
function configuredPolicy({ get }: Settings): SnapshotPolicy {
  const data = get('snapshotConfiguredData');
  return {
    ...{ initially: data, everyStart: data },
    whenLost: get('snapshotConfiguredOnDataError'),
    stream: get('snapshotConfiguredStream'),
  };
}

/** Values that Debezium accepts with a Java class. */
export function checkSnapshot(values: ConnectorConfig, complain: (name: string, message: string) => void): void {
  for (const [name, otherwise] of [
    [KEY.snapshotMode, 'another mode, for example configuration_based'],
    [KEY.snapshotLockingMode, 'shared or none'],
    [KEY.snapshotQueryMode, 'select_all, and snapshot.select.statement.overrides for other rows'],
  ] as const)
    if (values[name]?.trim().toLowerCase() === 'custom')
      complain(name, `"custom" is not supported, because it names a Java class; use ${otherwise}`);
}

function overrides(values: ConnectorConfig): Map<string, string> {
  const found = new Map<string, string>();
  for (const table of listedOverrides(values)) {
    const statement = values[`${STATEMENT}${table}`];
    if (statement !== undefined) found.set(table.replaceAll('"', ''), statement);
  }
  return found;
}

/** Tables that are listed without a statement, and the other way round: all their rows are read. */
export function overrideWarnings(values: ConnectorConfig): ConfigWarning[] {
  const listed = listedOverrides(values);
  const given = Object.keys(values).filter((name) => name.startsWith(STATEMENT));
  return [
    ...listed
      .filter((table) => !given.includes(`${STATEMENT}${table}`))
      .map((table) => ({
        key: KEY.snapshotSelectStatementOverrides,
        message: `${KEY.snapshotSelectStatementOverrides} names ${table}, but ${STATEMENT}${table} is not set: all its rows are read.`,
        meant: null,
      })),
    ...given
      .filter((name) => !listed.includes(name.slice(STATEMENT.length)))
      .map((key) => ({
        key,
        message: `${key} has no effect, because ${KEY.snapshotSelectStatementOverrides} does not name its table: all its rows are read.`,
        meant: null,
      })),
  ];
}

const STATEMENT = `${KEY.snapshotSelectStatementOverrides}.`;

function listedOverrides(values: ConnectorConfig): string[] {
  return splitList(values[KEY.snapshotSelectStatementOverrides] ?? '');
}
