/** State shared by the parts of a running task. */
import type { Logger, SourceOffset, SourceRecord } from '@millrace/sdk';
import type { PostgresConfig } from './config/postgres-config';
import type { GeneralConnection } from './database/general-connection';
import type { Reachability } from './database/reachability';
import type { ServerFacts } from './database/server';
import type { EventFactory } from './events/event-factory';
import type { Relations } from './events/relations';
import type { TaskMetrics } from './metrics/task-metrics';
import type { Notifications } from './notifications/notifications';
import type { SnapshotProgress } from './snapshot-progress';

export interface Session {
  readonly config: PostgresConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly general: GeneralConnection;
  readonly reach: Reachability;
  readonly facts: ServerFacts;
  readonly relations: Relations;
  readonly factory: EventFactory;
  readonly notifications: Notifications;
  readonly snapshot: SnapshotProgress;
  readonly metrics: TaskMetrics;
  /** The WAL of the server at the start, for the offsets of a snapshot (`TIMELINE_MEMBER`); null: unknown. */
  readonly timeline: string | null;
  /** Offsets are committed in the same transaction as the records of a poll. */
  readonly exactlyOnce: boolean;
  /** See `SourceTaskContext`. */
  readonly rowsEndAtPoll: boolean;
  /**
   * Resolves when the offset is stored, after the offsets of all records returned before. Null removes the offset.
   */
  storeOffset(offset: SourceOffset | null): Promise<void>;
}

/** One phase of a task: snapshot, then stream. */
export interface Phase {
  /** The next records; null when there are none yet. Waits at most `poll.interval.ms`, less when stopping. */
  next(): Promise<SourceRecord[] | null>;
  close(): Promise<void>;
}

/**
 * Bytes decoded for one batch, so that rows of megabytes do not become a batch of gigabytes. Small batches also keep
 * records in the young generation of the heap: an eighth less CPU time than `max.batch.size` small rows (bench
 * postgres-stream).
 */
export const MAX_BATCH_BYTES = 128 * 1024;
