/** Reports how far a snapshot is: in the log, as notifications (cdc-postgres §4.12) and for metrics. */
import { monotonicNow } from '@millrace/sdk';
import { TableNotifications } from '../notifications/table-notifications';
import type { Session } from '../session';
import type { Chunk, SnapshotTable } from './chunk';
import { TableProgress } from '../snapshot-progress';
import type { SnapshotPlan } from './snapshot-plan';

/** Between two log lines of a table. */
const LOG_INTERVAL_MS = 10_000;

export class SnapshotReport {
  private readonly tables: Map<SnapshotTable, TableProgress>;
  private readonly notify: TableNotifications;
  private nextLogAt = monotonicNow() + LOG_INTERVAL_MS;

  constructor(
    private readonly session: Session,
    { tables, chunks }: SnapshotPlan,
    resumed: boolean,
  ) {
    const counts = new Map<SnapshotTable, number>();
    for (const { table } of chunks.flat()) counts.set(table, (counts.get(table) ?? 0) + 1);
    this.tables = new Map(
      tables.map((table) => [table, new TableProgress(table.name, table.size.rows, counts.get(table) ?? 0)]),
    );
    for (const [table, progress] of this.tables) {
      progress.rowsScanned = table.finished?.rows ?? 0;
      // Finished by an earlier attempt.
      progress.completed = table.openChunks === 0;
    }
    const { logger, snapshot } = session;
    const names = tables.map(({ name }) => name);
    this.notify = new TableNotifications(session.notifications, names);
    snapshot.begin([...this.tables.values()]);
    const before = tables.reduce((sum, { finished }) => sum + (finished?.rows ?? 0), 0);
    if (resumed) logger.info(`Resuming the snapshot of ${tables.length} table(s) after ${before} row(s).`);
    else logger.info(`Starting the snapshot of ${tables.length} table(s).`);
    this.notify.started();
  }

  /** A row of it was decoded. */
  chunkBegun({ table }: Chunk): void {
    const progress = this.progress(table);
    if (progress.begun) return;
    progress.begun = true;
    this.notify.inProgress(table.name);
  }

  /** All its rows were decoded. */
  chunkEnded(chunk: Chunk): void {
    const { table } = chunk;
    this.chunkBegun(chunk);
    const progress = this.progress(table);
    progress.rowsScanned += chunk.rows;
    progress.chunksCompleted++;
    if (table.openChunks > 0) return;
    progress.completed = true;
    if (table.skipped) this.notify.scanned(table.name, progress.rowsScanned, 'SKIPPED');
    else {
      this.session.logger.info(`Snapshot of table ${table.name} completed: ${progress.rowsScanned} row(s).`);
      this.notify.scanned(table.name, progress.rowsScanned, 'SUCCEEDED');
    }
  }

  /** Call often: at most one line per table and interval. */
  logProgress(): void {
    const now = monotonicNow();
    if (now < this.nextLogAt) return;
    this.nextLogAt = now + LOG_INTERVAL_MS;
    for (const progress of this.tables.values())
      if (progress.begun && !progress.completed) this.session.logger.info(`Snapshot of table ${progress.describe()}.`);
  }

  completed(): void {
    const { logger, snapshot } = this.session;
    const rows = [...this.tables.values()].reduce((sum, { rowsScanned }) => sum + rowsScanned, 0);
    snapshot.complete();
    logger.info(`Snapshot completed: ${rows} row(s).`);
    this.notify.completed();
  }

  aborted(): void {
    this.session.snapshot.abort();
    this.notify.aborted();
  }

  private progress(table: SnapshotTable): TableProgress {
    return this.tables.get(table) as TableProgress;
  }
}
