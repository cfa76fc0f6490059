/** Keys and values of the config topic. Source: connect-runtime §1.4.1. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { KeyValue } from '../log/compacted-log';
import { isJsonObject, readJson, writeJsonBytes, type JsonObject, type JsonValue } from '../connect-json';

export type TargetState = 'STARTED' | 'PAUSED' | 'STOPPED';

export interface SessionKey {
  readonly key: Buffer;
  /** Java's name, e.g. `HmacSHA256`. */
  readonly algorithm: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export type ConfigRecord =
  /** Null: the connector was deleted. */
  | { readonly kind: 'connector'; readonly connector: string; readonly config: ConnectorConfig | null }
  | { readonly kind: 'target-state'; readonly connector: string; readonly state: TargetState | null }
  | {
      readonly kind: 'task';
      readonly connector: string;
      readonly task: number;
      readonly config: ConnectorConfig;
    }
  | { readonly kind: 'commit'; readonly connector: string; readonly tasks: number }
  | { readonly kind: 'fencing'; readonly connector: string; readonly taskCount: number }
  | { readonly kind: 'session-key'; readonly key: SessionKey }
  | {
      readonly kind: 'restart';
      readonly connector: string;
      readonly includeTasks: boolean;
      readonly onlyFailed: boolean;
    }
  | { readonly kind: 'logger'; readonly namespace: string; readonly level: string }
  /** Valid JSON, but unusable: the config offset advances. */
  | { readonly kind: 'ignored'; readonly reason: string }
  /** Not JSON: the config offset does not advance. */
  | { readonly kind: 'malformed'; readonly reason: string };

const SESSION_KEY = 'session-key';
const STATES: ReadonlySet<unknown> = new Set<TargetState>(['STARTED', 'PAUSED', 'STOPPED']);

function record(key: string, value: JsonValue): KeyValue {
  return [Buffer.from(key, 'utf8'), writeJsonBytes(value)];
}

export function connectorRecord(connector: string, config: ConnectorConfig): KeyValue {
  return record(`connector-${connector}`, { properties: config });
}
export function connectorTombstone(connector: string): KeyValue {
  return [Buffer.from(`connector-${connector}`, 'utf8'), null];
}
/** Workers that predate STOPPED read only the first field and must see PAUSED. */
export function targetStateRecord(connector: string, state: TargetState): KeyValue {
  return record(`target-state-${connector}`, { state: state === 'STOPPED' ? 'PAUSED' : state, 'state.v2': state });
}
export function targetStateTombstone(connector: string): KeyValue {
  return [Buffer.from(`target-state-${connector}`, 'utf8'), null];
}
export function taskRecord(connector: string, task: number, config: ConnectorConfig): KeyValue {
  return record(`task-${connector}-${task}`, { properties: config });
}
export function commitRecord(connector: string, tasks: number): KeyValue {
  return record(`commit-${connector}`, { tasks });
}
export function taskCountRecord(connector: string, tasks: number): KeyValue {
  return record(`tasks-fencing-${connector}`, { 'task-count': tasks });
}
export function sessionKeyRecord({ key, algorithm, createdAt }: SessionKey): KeyValue {
  return record(SESSION_KEY, { key: key.toString('base64'), algorithm, 'creation-timestamp': createdAt });
}
export function restartRecord(connector: string, includeTasks: boolean, onlyFailed: boolean): KeyValue {
  return record(`restart-connector-${connector}`, { 'include-tasks': includeTasks, 'only-failed': onlyFailed });
}

/** `level` as the client sent it, as Java keeps it. */
export function loggerRecord(namespace: string, level: string): KeyValue {
  return record(`logger-cluster-${namespace}`, { level });
}

type Reader = (name: string, value: JsonValue) => ConfigRecord;

function ignored(reason: string): ConfigRecord {
  return { kind: 'ignored', reason };
}

/**
 * Null when there is no `properties` object. Numbers and booleans, which Java never writes, are read as their text;
 * nulls are left out.
 */
function properties(value: JsonValue): ConnectorConfig | null {
  const members = isJsonObject(value) ? value.properties : undefined;
  if (!isJsonObject(members)) return null;
  const texts = Object.entries(members).filter(([, item]) => item !== null);
  // Not by assignments: `__proto__` is a legal key.
  return Object.fromEntries(texts.map(([key, item]) => [key, String(item)]));
}

function readConnector(connector: string, value: JsonValue): ConfigRecord {
  if (value === null) return { kind: 'connector', connector, config: null };
  const config = properties(value);
  return config ? { kind: 'connector', connector, config } : ignored('its value has no object "properties"');
}

function readTargetState(connector: string, value: JsonValue): ConfigRecord {
  if (value === null) return { kind: 'target-state', connector, state: null };
  if (!isJsonObject(value)) return ignored('its value is not an object');
  const state = typeof value['state.v2'] === 'string' ? value['state.v2'] : value.state;
  if (!STATES.has(state)) return ignored('its target state is unknown');
  return { kind: 'target-state', connector, state: state as TargetState };
}

function readTask(name: string, value: JsonValue): ConfigRecord {
  const dash = name.lastIndexOf('-');
  const number = name.slice(dash + 1);
  if (dash < 0 || !/^\d{1,9}$/.test(number)) return ignored('its key has no task number');
  const config = properties(value);
  if (!config) return ignored('its value has no object "properties"');
  return { kind: 'task', connector: name.slice(0, dash), task: Number(number), config };
}

function count(value: JsonValue, member: string): number | null {
  const found = isJsonObject(value) ? value[member] : undefined;
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 ? found : null;
}

function readCommit(connector: string, value: JsonValue): ConfigRecord {
  const tasks = count(value, 'tasks');
  return tasks === null ? ignored('it has no number "tasks"') : { kind: 'commit', connector, tasks };
}

function readFencing(connector: string, value: JsonValue): ConfigRecord {
  const taskCount = count(value, 'task-count');
  return taskCount === null ? ignored('it has no number "task-count"') : { kind: 'fencing', connector, taskCount };
}

function readRestart(connector: string, value: JsonValue): ConfigRecord {
  if (!isJsonObject(value)) return ignored('its value is not an object');
  return {
    kind: 'restart',
    connector,
    includeTasks: value['include-tasks'] === true,
    onlyFailed: value['only-failed'] === true,
  };
}

function readLogger(namespace: string, value: JsonValue): ConfigRecord {
  const level = isJsonObject(value) ? value.level : undefined;
  return typeof level === 'string' ? { kind: 'logger', namespace, level } : ignored('it has no text "level"');
}

function readSessionKey(value: JsonValue): ConfigRecord {
  const { key, algorithm, 'creation-timestamp': createdAt }: JsonObject = isJsonObject(value) ? value : {};
  if (typeof key !== 'string' || typeof algorithm !== 'string' || typeof createdAt !== 'number')
    return ignored('it is not a complete session key');
  return { kind: 'session-key', key: { key: Buffer.from(key, 'base64'), algorithm, createdAt } };
}

/** In matching order. */
const READERS: readonly (readonly [prefix: string, read: Reader])[] = [
  ['target-state-', readTargetState],
  ['connector-', readConnector],
  ['task-', readTask],
  ['commit-', readCommit],
  ['restart-connector-', readRestart],
  ['tasks-fencing-', readFencing],
  ['logger-cluster-', readLogger],
];

export function readConfigRecord(key: string, bytes: Uint8Array | null): ConfigRecord {
  let value: JsonValue = null;
  try {
    if (bytes !== null) value = readJson(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: 'malformed', reason: error.message };
  }
  if (key === SESSION_KEY) return readSessionKey(value);
  for (const [prefix, read] of READERS) if (key.startsWith(prefix)) return read(key.slice(prefix.length), value);
  return ignored('its key is unknown');
}
