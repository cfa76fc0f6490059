/** Java's consumer settings, for both consumers. Defaults are Java's. */
import { readOffsetReset, type OffsetReset } from './auto-offset-reset';
import { bool, duration, integer, invalid, list, oneOf, text } from '../client-settings';
import type { ClientConfig, IsolationLevel } from '../port';
import { DECOMPRESSED_BATCH_MAX_BYTES } from '../records/record-batch-decoder';

/** Unless `fetch.max.wait.ms` is set. */
const IDLE_WAIT_MS = 5_000;
const DECOMPRESSED_KEY = 'decompressed.batch.max.bytes';

export interface FetchSettings {
  readonly minBytes: number;
  readonly maxWaitMs: number;
  /** For a consumer that receives nothing. Java has no such setting. */
  readonly maxIdleWaitMs: number;
  readonly maxBytes: number;
  readonly maxPartitionBytes: number;
  readonly maxPollRecords: number;
  readonly offsetReset: OffsetReset;
  readonly isolation: IsolationLevel;
  readonly checkCrcs: boolean;
  /** Limit for one decompressed batch. Java has no such setting. */
  readonly maxDecompressedBytes: number;
  /** Not a setting of users: batches have views. (Default: false) */
  readonly views?: boolean;
  readonly requestTimeoutMs: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
  readonly apiTimeoutMs: number;
}

export function readFetchSettings(config: ClientConfig): FetchSettings {
  const requestTimeoutMs = integer(config, 'request.timeout.ms', 30_000, 1);
  const minBytes = integer(config, 'fetch.min.bytes', 1);
  const maxWaitMs = integer(config, 'fetch.max.wait.ms', 500);
  // With more than a byte to wait for, the wait is a latency that the user has chosen.
  const mayIdle = minBytes <= 1 && text(config, 'fetch.max.wait.ms') === undefined;
  return {
    minBytes,
    maxWaitMs,
    maxIdleWaitMs: mayIdle ? Math.max(maxWaitMs, Math.min(IDLE_WAIT_MS, requestTimeoutMs / 3)) : maxWaitMs,
    maxBytes: integer(config, 'fetch.max.bytes', 52_428_800, 1, 2 ** 28 - 65_536),
    maxPartitionBytes: integer(config, 'max.partition.fetch.bytes', 1_048_576, 1, 2 ** 28 - 65_536),
    maxPollRecords: integer(config, 'max.poll.records', 500, 1),
    offsetReset: readOffsetReset(config),
    isolation: oneOf(config, 'isolation.level', 'read_uncommitted', ['read_uncommitted', 'read_committed']),
    checkCrcs: bool(config, 'check.crcs', true),
    maxDecompressedBytes: integer(config, DECOMPRESSED_KEY, DECOMPRESSED_BATCH_MAX_BYTES, 1024, 2 ** 31 - 1),
    requestTimeoutMs,
    retryBackoffMs: duration(config, 'retry.backoff.ms', 100),
    retryBackoffMaxMs: duration(config, 'retry.backoff.max.ms', 1_000),
    apiTimeoutMs: integer(config, 'default.api.timeout.ms', Math.max(60_000, requestTimeoutMs), 1),
  };
}

export interface GroupSettings {
  readonly groupId: string;
  readonly groupInstanceId: string | null;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly maxPollIntervalMs: number;
  readonly metadataMaxAgeMs: number;
  /** As configured; parsed by `parseAssignors`. */
  readonly assignors: string | undefined;
}

export function readGroupSettings(config: ClientConfig): GroupSettings {
  const groupId = text(config, 'group.id');
  if (groupId === undefined) throw invalid('group.id', 'is missing: a consumer that subscribes needs a group');
  const sessionTimeoutMs = integer(config, 'session.timeout.ms', 45_000, 1);
  const heartbeatIntervalMs = integer(config, 'heartbeat.interval.ms', 3_000, 1);
  if (heartbeatIntervalMs >= sessionTimeoutMs) {
    throw invalid(
      'heartbeat.interval.ms',
      `must be lower than session.timeout.ms (${sessionTimeoutMs}), not ${heartbeatIntervalMs}`,
    );
  }
  return {
    groupId,
    groupInstanceId: text(config, 'group.instance.id') ?? null,
    sessionTimeoutMs,
    heartbeatIntervalMs,
    maxPollIntervalMs: integer(config, 'max.poll.interval.ms', 300_000, 1),
    metadataMaxAgeMs: duration(config, 'metadata.max.age.ms', 300_000),
    assignors: list(config, 'partition.assignment.strategy').join(',') || undefined,
  };
}
