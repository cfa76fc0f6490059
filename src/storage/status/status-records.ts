/** Keys and values of the status topic. Source: connect-runtime §1.6.1; `version` is the last member since 4.1. */
import type { RecordHeader } from '@millrace/kafka-client';
import { readRestart, restartHeaders, type Restart } from '../log/cause';
import type { LogEntry } from '../log/compacted-log';
import { isJsonObject, readJson, writeJsonBytes, type JsonValue } from '../connect-json';

export const STATES = ['UNASSIGNED', 'RUNNING', 'PAUSED', 'STOPPED', 'FAILED', 'RESTARTING'] as const;
/** Of a connector or task, in Java's names. */
export type State = (typeof STATES)[number];

export interface EntityStatus {
  readonly state: State;
  readonly trace: string | null;
  /** `host:port` of the advertised URL. */
  readonly workerId: string;
  /** Group generation at the time of writing. */
  readonly generation: number;
  /** Plugin version; null: unknown to the writer. */
  readonly version: string | null;
}

/** A status as it was read. */
export interface StoredStatus extends EntityStatus {
  /**
   * When its record was written, milliseconds since the epoch: since when the state lasts. A worker that writes the
   * same state again has stopped and started the instance in between, for a rebalance or a restart, so it counts from
   * then. Every worker reads the same time, also after its own restart. Null: unknown.
   */
  readonly writtenAt: number | null;
  /** The instance's last restart. Every status repeats it, because compaction keeps the newest one only. */
  readonly restart: Restart | null;
}

export interface TopicStatus {
  readonly topic: string;
  readonly connector: string;
  /** The task that used it first. */
  readonly task: number;
  /** Milliseconds since the epoch. */
  readonly discoveredAt: number;
}

/** A connector, a task, or a topic used by a connector. */
export type StatusEntity =
  | { readonly kind: 'connector'; readonly connector: string }
  | { readonly kind: 'task'; readonly connector: string; readonly task: number }
  | { readonly kind: 'topic'; readonly connector: string; readonly topic: string };

/** A null status is a deletion. */
export type StatusRecord =
  | { readonly kind: 'connector'; readonly connector: string; readonly status: StoredStatus | null }
  | {
      readonly kind: 'task';
      readonly connector: string;
      readonly task: number;
      readonly status: StoredStatus | null;
    }
  | {
      readonly kind: 'topic';
      readonly connector: string;
      readonly topic: string;
      readonly status: TopicStatus | null;
    }
  | { readonly kind: 'ignored'; readonly reason: string };

export function statusKey(entity: StatusEntity): string {
  switch (entity.kind) {
    case 'connector':
      return `status-connector-${entity.connector}`;
    case 'task':
      return `status-task-${entity.connector}-${entity.task}`;
    case 'topic':
      return `status-topic-${entity.topic}:connector-${entity.connector}`;
  }
}

/** @param restart the last one, in a header */
export function statusRecord(
  entity: StatusEntity,
  status: EntityStatus | TopicStatus | null,
  restart: Restart | null = null,
): LogEntry {
  const key = Buffer.from(statusKey(entity), 'utf8');
  if (status === null) return [key, null];
  if ('topic' in status) {
    const { topic: name, connector, task, discoveredAt } = status;
    return [key, writeJsonBytes({ topic: { name, connector, task, discoverTimestamp: discoveredAt } })];
  }
  const { state, trace, workerId, generation, version } = status;
  const value = writeJsonBytes({ state, trace, worker_id: workerId, generation, version });
  return restart === null ? [key, value] : [key, value, restartHeaders(restart)];
}

function entityStatus(value: JsonValue, writtenAt: number | null, restart: Restart | null): StoredStatus | null {
  if (!isJsonObject(value)) return null;
  const { state, trace, worker_id: workerId, generation, version } = value;
  if (!STATES.some((known) => known === state) || typeof workerId !== 'string' || typeof generation !== 'number')
    return null;
  return {
    state: state as State,
    trace: typeof trace === 'string' ? trace : null,
    workerId,
    generation,
    version: typeof version === 'string' ? version : null,
    writtenAt,
    restart,
  };
}

function topicStatus(value: JsonValue): TopicStatus | null {
  const fields = isJsonObject(value) ? value.topic : undefined;
  if (!isJsonObject(fields)) return null;
  const { name, connector, task, discoverTimestamp } = fields;
  if (typeof name !== 'string' || typeof connector !== 'string' || typeof task !== 'number') return null;
  return {
    topic: name,
    connector,
    task,
    discoveredAt: typeof discoverTimestamp === 'number' ? discoverTimestamp : 0,
  };
}

function readEntity(key: string): StatusEntity | null {
  const after = (prefix: string): string | null => (key.startsWith(prefix) ? key.slice(prefix.length) : null);
  const connector = after('status-connector-');
  if (connector !== null) return connector === '' ? null : { kind: 'connector', connector };
  const task = after('status-task-');
  if (task !== null) {
    const found = /^(.+)-(\d{1,9})$/s.exec(task);
    return found ? { kind: 'task', connector: found[1] as string, task: Number(found[2]) } : null;
  }
  const found = /^status-topic-([^:]+):connector-(.+)$/s.exec(key);
  return found ? { kind: 'topic', topic: found[1] as string, connector: found[2] as string } : null;
}

/** @param timestamp of the record, milliseconds; negative: it has none */
export function readStatusRecord(
  key: string,
  bytes: Uint8Array | null,
  timestamp = -1,
  headers: readonly RecordHeader[] = [],
): StatusRecord {
  const entity = readEntity(key);
  if (entity === null) return { kind: 'ignored', reason: 'its key is unknown' };
  if (bytes === null) return { ...entity, status: null };
  let value: JsonValue;
  try {
    value = readJson(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: 'ignored', reason: error.message };
  }
  if (entity.kind === 'topic') {
    const status = topicStatus(value);
    return status ? { ...entity, status } : { kind: 'ignored', reason: 'it is not a topic status' };
  }
  const status = entityStatus(value, timestamp < 0 ? null : timestamp, readRestart(headers));
  return status ? { ...entity, status } : { kind: 'ignored', reason: 'it is not a status' };
}
