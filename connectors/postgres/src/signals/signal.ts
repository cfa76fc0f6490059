/**
 * Signals of all channels (cdc-postgres §4.9), read from text. Anyone who may write to a channel may send one, so size
 * and depth are limited.
 */
import type { JsonObject, JsonValue } from '@millrace/sdk';

export type SignalChannel = 'source' | 'kafka' | 'file' | 'rest';

export interface Signal {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly channel: SignalChannel;
}

/** What the manifest declares; `schema-changes` is accepted, too, and has no effect. */
export const SIGNAL_TYPES = ['execute-snapshot', 'stop-snapshot', 'pause-snapshot', 'resume-snapshot', 'log'] as const;

/** Characters of a signal in a topic, in a file or in the data column of the signal table. */
export const MAX_SIGNAL_LENGTH = 256 * 1024;
const MAX_DEPTH = 32;
/** Characters of an id or a type. */
const MAX_NAME_LENGTH = 256;

/** A JSON object with `id`, `type` and `data`. Throws an Error whose message completes "The signal …". */
export function parseSignal(text: string, channel: SignalChannel): Signal {
  const { id, type, data } = parseObject(text);
  return signalOf(id ?? null, type ?? null, data ?? null, channel);
}

/** Parts of a signal; `data` may be JSON text or an object. Throws as `parseSignal` does. */
export function signalOf(id: JsonValue, type: JsonValue, data: JsonValue, channel: SignalChannel): Signal {
  return { id: name(id, 'id'), type: name(type, 'type'), data: dataOf(data), channel };
}

function dataOf(data: JsonValue): JsonObject {
  if (data === null || data === '') return {};
  if (typeof data === 'string') return parseObject(data);
  if (isObject(data)) return data;
  throw new Error('has data that is not a JSON object');
}

function parseObject(text: string): JsonObject {
  if (text.length > MAX_SIGNAL_LENGTH) throw new Error(`is longer than ${MAX_SIGNAL_LENGTH} characters`);
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(text) as JsonValue;
  } catch {
    throw new Error('is not valid JSON');
  }
  if (!isObject(parsed)) throw new Error('is not a JSON object');
  checkDepth(parsed, 0);
  return parsed;
}

function checkDepth(value: JsonValue, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) throw new Error(`is nested more than ${MAX_DEPTH} levels deep`);
  for (const member of Object.values(value) as JsonValue[]) checkDepth(member, depth + 1);
}

function name(value: JsonValue, member: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`has no ${member}`);
  if (value.length > MAX_NAME_LENGTH) throw new Error(`has an ${member} of more than ${MAX_NAME_LENGTH} characters`);
  return value;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
