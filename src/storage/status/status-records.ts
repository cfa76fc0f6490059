/** Keys and values of the status topic. Source: connect-runtime §1.6.1; `version` is the last member since 4.1. */
import type { KeyValue } from '../log/compacted-log';
import { JsonSyntaxError, readJson } from '../json/connect-json-reader';
import { writeJsonBytes } from '../json/connect-json-writer';
import { isJsonObject, type JsonValue } from '../json/json-values';

export type StatusState = 'UNASSIGNED' | 'RUNNING' | 'PAUSED' | 'STOPPED' | 'FAILED' | 'RESTARTING';

export interface EntityStatus {
  readonly state: StatusState;
  readonly trace: string | null;
  /** `host:port` of the advertised URL. */
  readonly workerId: string;
  /** Group generation at the time of writing. */
  readonly generation: number;
  /** Plugin version; null: unknown to the writer. */
  readonly version: string | null;
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
  | { readonly kind: 'connector'; readonly connector: string; readonly status: EntityStatus | null }
  | {
      readonly kind: 'task';
      readonly connector: string;
      readonly task: number;
      readonly status: EntityStatus | null;
    }
  | {
      readonly kind: 'topic';
      readonly connector: string;
      readonly topic: string;
      readonly status: TopicStatus | null;
    }
  | { readonly kind: 'ignored'; readonly reason: string };

const STATES: ReadonlySet<unknown> = new Set<StatusState>([
  'UNASSIGNED',
  'RUNNING',
  'PAUSED',
  'STOPPED',
  'FAILED',
  'RESTARTING',
]);

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

export function statusRecord(entity: StatusEntity, status: EntityStatus | TopicStatus | null): KeyValue {
  const key = Buffer.from(statusKey(entity), 'utf8');
  if (status === null) return [key, null];
  if ('topic' in status) {
    const { topic: name, connector, task, discoveredAt } = status;
    return [key, writeJsonBytes({ topic: { name, connector, task, discoverTimestamp: discoveredAt } })];
  }
  const { state, trace, workerId, generation, version } = status;
  return [key, writeJsonBytes({ state, trace, worker_id: workerId, generation, version })];
}

function entityStatus(value: JsonValue): EntityStatus | null {
  if (!isJsonObject(value)) return null;
  const { state, trace, worker_id: workerId, generation, version } = value;
  if (!STATES.has(state) || typeof workerId !== 'string' || typeof generation !== 'number') return null;
  return {
    state: state as StatusState,
    trace: typeof trace === 'string' ? trace : null,
    workerId,
    generation,
    version: typeof version === 'string' ? version : null,
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

export function readStatusRecord(key: string, bytes: Uint8Array | null): StatusRecord {
  const entity = readEntity(key);
  if (entity === null) return { kind: 'ignored', reason: 'its key is unknown' };
  if (bytes === null) return { ...entity, status: null };
  let value: JsonValue;
  try {
    value = readJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { kind: 'ignored', reason: error.message };
  }
  if (entity.kind === 'topic') {
    const status = topicStatus(value);
    return status ? { ...entity, status } : { kind: 'ignored', reason: 'it is not a topic status' };
  }
  const status = entityStatus(value);
  return status ? { ...entity, status } : { kind: 'ignored', reason: 'it is not a status' };
}
