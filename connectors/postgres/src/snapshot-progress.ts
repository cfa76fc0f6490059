/** How far a snapshot is, under Debezium's names (cdc-postgres §8.1): for metrics and log lines. No I/O. */
import { monotonicNow } from '@millrace/sdk';

export class TableProgress {
  /** Rows read, by earlier attempts, too. */
  rowsScanned = 0;
  chunksCompleted = 0;
  completed = false;
  begun = false;

  constructor(
    /** `schema.table` */
    readonly name: string,
    /** Of the server; 0: unknown. */
    readonly estimatedRows: number,
    readonly chunks: number,
  ) {}

  /** By rows where the server has an estimate, otherwise by chunks; below 100 until the table is complete. */
  get percentage(): number {
    if (this.completed) return 100;
    const { rowsScanned, estimatedRows, chunks, chunksCompleted } = this;
    const part = estimatedRows > 0 ? rowsScanned / estimatedRows : chunks > 0 ? chunksCompleted / chunks : 0;
    return Math.min(99, Math.floor(part * 100));
  }

  describe(): string {
    const of = this.estimatedRows > 0 ? ` of about ${this.estimatedRows}` : '';
    return `${this.name}: ${this.rowsScanned}${of} row(s), chunk ${this.chunksCompleted} of ${this.chunks}, ${this.percentage} %`;
  }
}

type SnapshotState = 'none' | 'running' | 'completed' | 'aborted' | 'skipped';

/** One per task: attempts of one run share it. */
export class SnapshotProgress {
  private state: SnapshotState = 'none';
  private startedAt: number | null = null;
  private endedAt = 0;
  /** Null: it is not paused. */
  private pausedAt: number | null = null;
  private pausedMs = 0;
  /** In the order of reading. */
  tables: readonly TableProgress[] = [];

  get snapshotRunning(): boolean {
    return this.state === 'running';
  }
  get snapshotCompleted(): boolean {
    return this.state === 'completed';
  }
  get snapshotAborted(): boolean {
    return this.state === 'aborted';
  }
  get snapshotSkipped(): boolean {
    return this.state === 'skipped';
  }
  get snapshotPaused(): boolean {
    return this.pausedAt !== null;
  }
  get snapshotPausedDurationInSeconds(): number {
    return Math.floor((this.pausedMs + (this.pausedAt === null ? 0 : monotonicNow() - this.pausedAt)) / 1000);
  }
  get snapshotDurationInSeconds(): number {
    if (this.startedAt === null) return 0;
    return Math.floor(((this.state === 'running' ? monotonicNow() : this.endedAt) - this.startedAt) / 1000);
  }
  get totalTableCount(): number {
    return this.tables.length;
  }
  get remainingTableCount(): number {
    return this.tables.filter(({ completed }) => !completed).length;
  }

  begin(tables: readonly TableProgress[]): void {
    this.tables = tables;
    this.startedAt = monotonicNow();
    this.state = 'running';
  }

  complete(): void {
    this.end('completed');
  }
  abort(): void {
    this.end('aborted');
  }
  skip(): void {
    this.end('skipped');
  }

  /** Of incremental snapshots, the only ones that can be paused. */
  pause(): void {
    this.pausedAt ??= monotonicNow();
  }
  resume(): void {
    if (this.pausedAt !== null) this.pausedMs += monotonicNow() - this.pausedAt;
    this.pausedAt = null;
  }

  private end(state: SnapshotState): void {
    this.state = state;
    this.endedAt = monotonicNow();
  }
}
