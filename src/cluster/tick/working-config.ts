/**
 * The configuration that the tick works with, and what the config topic has changed since. The snapshot is replaced at
 * defined moments only, so that every change is either in it or pending. Source: connect-runtime §3.1.
 */
import { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { ConfigEvent } from '../../storage/config/config-state';
import type { PendingRestart } from '../running/restart-plan';
import { PendingChanges, type Changes } from './pending-changes';

export class WorkingConfig {
  private current: ConfigSnapshot = ConfigSnapshot.EMPTY;
  private readonly changes = new PendingChanges();
  private readTo = -1;

  constructor(private readonly store: { snapshot(): ConfigSnapshot }) {}

  snapshot(): ConfigSnapshot {
    return this.current;
  }

  /**
   * What this worker has read the config topic to. Records of aborted transactions count if another member has read
   * them: workers that read committed records never see them.
   */
  get offset(): number {
    return Math.max(this.current.offset, this.readTo);
  }

  /** The topic was read to its end after a member had read to `offset`. */
  haveReadTo(offset: number): void {
    this.readTo = Math.max(this.readTo, offset);
  }

  /** Everything read from the config topic so far, pending changes included. */
  newest(): ConfigSnapshot {
    return this.store.snapshot();
  }

  record(event: ConfigEvent): void {
    this.changes.record(event, this.current);
  }

  /** The changes recorded so far stay pending. */
  refresh(): void {
    this.current = this.newest();
  }

  /** The snapshot for a rebalance, which covers everything recorded so far. */
  coverByRebalance(): ConfigSnapshot {
    this.refresh();
    this.changes.cover();
    return this.current;
  }

  /** True if a pending change requires a rebalance. */
  get needsRebalance(): boolean {
    return this.changes.needsRebalance;
  }

  /** Null when nothing has changed; otherwise the snapshot holds the changes from now on. */
  takeChanges(): Changes | null {
    const changes = this.changes.take();
    if (changes !== null) this.refresh();
    return changes;
  }

  /** Connectors whose tasks must restart after the rebalance that covered their new configs. */
  takeCoveredTasks(): string[] {
    return this.changes.takeCoveredTasks();
  }

  takeRestarts(): PendingRestart[] {
    return this.changes.takeRestarts();
  }
}
