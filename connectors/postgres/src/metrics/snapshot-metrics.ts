/** Debezium's metrics of snapshots (cdc-postgres §8.1). */
import { addCommonMetrics, EVENTS_SEEN, type QueueLimits } from './common-metrics';
import type { EventCounts } from './event-counts';
import type { MetricGroup } from './metric-group';

/** How far the snapshot of a task is. */
export interface SnapshotFigures {
  readonly snapshotRunning: boolean;
  readonly snapshotPaused: boolean;
  readonly snapshotCompleted: boolean;
  readonly snapshotAborted: boolean;
  readonly snapshotSkipped: boolean;
  readonly snapshotDurationInSeconds: number;
  readonly snapshotPausedDurationInSeconds: number;
  readonly totalTableCount: number;
  readonly remainingTableCount: number;
  /** In the order of reading. */
  readonly tables: readonly TableFigures[];
}

interface TableFigures {
  /** `schema.table` */
  readonly name: string;
  readonly rowsScanned: number;
  readonly chunks: number;
  readonly chunksCompleted: number;
  readonly percentage: number;
}

export function addSnapshotMetrics(
  debezium: MetricGroup,
  own: MetricGroup,
  snapshot: SnapshotFigures,
  counts: EventCounts,
  limits: QueueLimits,
): void {
  const byName = new TablesByName(snapshot);
  const flag = (name: string, help: string, read: () => boolean): void =>
    debezium.gauge(name, `${help}: 1 or 0.`, () => (read() ? 1 : 0));
  debezium.gauge('TotalTableCount', 'Tables of the snapshot.', () => {
    addTables(debezium, own, snapshot, byName);
    return snapshot.totalTableCount;
  });
  debezium.gauge('RemainingTableCount', 'Tables that are not read completely.', () => snapshot.remainingTableCount);
  flag('SnapshotRunning', 'Whether a snapshot is being taken', () => snapshot.snapshotRunning);
  flag('SnapshotPaused', 'Whether an incremental snapshot is paused', () => snapshot.snapshotPaused);
  flag('SnapshotCompleted', 'Whether it is complete', () => snapshot.snapshotCompleted);
  flag('SnapshotAborted', 'Whether it was aborted', () => snapshot.snapshotAborted);
  flag('SnapshotSkipped', 'Whether none was needed', () => snapshot.snapshotSkipped);
  debezium.gauge('SnapshotDurationInSeconds', 'Time that it has taken.', () => snapshot.snapshotDurationInSeconds);
  debezium.gauge(
    'SnapshotPausedDurationInSeconds',
    'Time that incremental snapshots were paused.',
    () => snapshot.snapshotPausedDurationInSeconds,
  );
  // Rows are events of their own kind, are not filtered, and are read when they are polled.
  const none = (): number => 0;
  const read = (): number => counts.read;
  const totals = { read, created: none, updated: none, deleted: none, filtered: none, erroneous: none };
  addCommonMetrics(debezium, totals, { messages: none, bytes: none }, limits);
  debezium.gauge('TotalNumberOfEventsSeen', EVENTS_SEEN, () => counts.read);
  debezium.gauge('MilliSecondsSinceLastEvent', 'Time since the last event; -1 before the first.', () =>
    counts.readAt === 0 ? -1 : Math.max(0, Date.now() - counts.readAt),
  );
}

function addTables(debezium: MetricGroup, own: MetricGroup, snapshot: SnapshotFigures, byName: TablesByName): void {
  for (const { name } of snapshot.tables) {
    const read = (figure: 'rowsScanned' | 'chunks' | 'chunksCompleted' | 'percentage') => (): number =>
      byName.get(name)?.[figure] ?? NaN;
    const labels = { table: name };
    debezium.gaugeOnce('RowsScanned', 'Rows of a table that the snapshot has read.', read('rowsScanned'), labels);
    debezium.gaugeOnce('TableChunkCounts', 'Chunks of a table.', read('chunks'), labels);
    debezium.gaugeOnce('TableChunksCompletedCounts', 'Chunks that are read.', read('chunksCompleted'), labels);
    own.gaugeOnce('snapshot_table_percent', 'How much of a table is read.', read('percentage'), labels);
  }
}

/** Another attempt has other objects for the same tables. */
class TablesByName {
  private of: readonly TableFigures[] = [];
  private tables = new Map<string, TableFigures>();

  constructor(private readonly snapshot: SnapshotFigures) {}

  get(name: string): TableFigures | undefined {
    const { tables } = this.snapshot;
    if (tables !== this.of) this.tables = new Map(tables.map((table) => [table.name, table]));
    this.of = tables;
    return this.tables.get(name);
  }
}
