/** What a running task's parts share. */
import type { Logger, SourceOffset, SourceRecord } from '@millrace/sdk';
import type { PostgresConfig } from './config/postgres-config';
import type { GeneralConnection } from './database/general-connection';
import type { ServerFacts } from './database/server';
import type { EventFactory } from './events/event-factory';
import type { Relations } from './events/relations';

export interface Session {
  readonly config: PostgresConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly general: GeneralConnection;
  readonly facts: ServerFacts;
  readonly relations: Relations;
  readonly factory: EventFactory;
  /**
   * Resolves when it is stored, behind the offsets of all records handed out before. Null: as if there had never been
   * one.
   */
  storeOffset(offset: SourceOffset | null): Promise<void>;
}

/** Part of a task's life: snapshot, then stream. */
export interface Phase {
  /** The next records; null when there is nothing for now. Waits at most `poll.interval.ms`, less when stopping. */
  next(): Promise<SourceRecord[] | null>;
  close(): Promise<void>;
}

/**
 * Bytes decoded for one batch. Rows of megabytes must not become a batch of gigabytes; and records that are handed on
 * soon die young, which saves an eighth of the worker's CPU time beside batches of `max.batch.size` small rows (bench
 * postgres-stream).
 */
export const MAX_BATCH_BYTES = 128 * 1024;
