/**
 * Reads one connector from pasted text, in the forms of `millrace apply` and Connect's REST API: JSON
 * `{ "name", "config" }`, a bare config as JSON, or lines `key=value`. Pure.
 */
import { errorAt, isObject, JsonNumber, LARGEST_TEXT, parseJson, TextError, type Json } from './json-text';
import { parseProperties } from './properties';

export const INITIAL_STATES = ['RUNNING', 'PAUSED', 'STOPPED'] as const;
export type InitialState = (typeof INITIAL_STATES)[number];
export type Config = Readonly<Record<string, string>>;

export interface ConnectorDocument {
  /** Empty: the document has none. */
  readonly name: string;
  /** Without `name`. */
  readonly config: Config;
  readonly initialState: InitialState;
}

/** Members besides `config`. `tasks` and `type` are part of what a worker returns for a connector. */
const MEMBERS = new Set(['name', 'config', 'labels', 'initial_state', 'tasks', 'type']);
const LABEL_PREFIX = 'millrace.label.';

/** @throws TextError */
export function parseDocument(text: string): ConnectorDocument {
  if (text.length > LARGEST_TEXT) throw new TextError(`The text is longer than ${LARGEST_TEXT} characters.`, 1, 1);
  const content = text.replace(/^\uFEFF/, '');
  if (content.trim() === '') throw new TextError('The document is empty.', 1, 1);
  const start = content.search(/\S/);
  if (content[start] === '{' || content[start] === '[') return fromJson(content, start);
  if (/^(?:---|[^\s:=#!]+:\s*$)/m.test(content) && !/^[^\s:=#!]+\s*=/m.test(content))
    throw errorAt(content, start, 'YAML is not read here: paste JSON or lines key=value, or use "millrace apply".');
  const { name = '', ...config } = Object.fromEntries(parseProperties(content));
  return withClass(content, { name: name.trim(), config, initialState: 'RUNNING' });
}

/** A bare config as JSON, for the editor of an existing connector. @throws TextError */
export function parseConfig(text: string): Config {
  const value = parseJson(text);
  if (!isObject(value)) throw new TextError('A config is an object: { "key": "value", … }.', 1, 1);
  return configOf(value, text);
}

export function writeConfig(config: Config): string {
  return JSON.stringify(config, null, 2);
}

function fromJson(text: string, start: number): ConnectorDocument {
  let value = parseJson(text);
  if (isObject(value) && Array.isArray(value.get('items'))) value = value.get('items') as readonly Json[];
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (items.length !== 1)
      throw errorAt(text, start, `There are ${items.length} connectors: paste one, or use "millrace apply" for all.`);
    value = items[0] as Json;
  }
  if (!isObject(value)) throw errorAt(text, start, 'A connector is an object with "name" and "config".');
  const inner = value.get('config');
  if (!isObject(inner)) {
    if (inner !== undefined && typeof inner !== 'string' && !(inner instanceof JsonNumber))
      throw errorAt(text, placeOf(text, 'config'), '"config" must be an object.');
    const { name = '', ...config } = configOf(value, text);
    return withClass(text, { name: name.trim(), config, initialState: 'RUNNING' });
  }
  for (const member of value.keys())
    if (!MEMBERS.has(member))
      throw errorAt(text, placeOf(text, member), `"${member}" is unknown beside "config". Is it a key of the config?`);
  const { name: inside, ...config } = configOf(inner, text);
  const name = (value.has('name') ? textOf('name', value.get('name')!, text) : (inside ?? '')).trim();
  if (inside !== undefined && inside !== name)
    throw errorAt(text, placeOf(text, 'name'), `The name is "${name}", but "name" in the config is "${inside}".`);
  return withClass(text, {
    name,
    config: { ...config, ...labelsOf(value.get('labels'), text) },
    initialState: stateOf(value.get('initial_state'), text),
  });
}

function configOf(value: ReadonlyMap<string, Json>, text: string): Config {
  return Object.fromEntries([...value].map(([key, item]) => [key, textOf(key, item, text)]));
}

function textOf(key: string, value: Json, text: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof JsonNumber) return value.text;
  const reason = value === null ? 'has no value: remove the key, or write ""' : 'must be a text, a number or a boolean';
  throw errorAt(text, placeOf(text, key), `"${key}" ${reason}.`);
}

function labelsOf(labels: Json | undefined, text: string): Config {
  if (labels == null) return {};
  if (!isObject(labels)) throw errorAt(text, placeOf(text, 'labels'), '"labels" must be an object.');
  return Object.fromEntries([...labels].map(([label, value]) => [LABEL_PREFIX + label, textOf(label, value, text)]));
}

function stateOf(value: Json | undefined, text: string): InitialState {
  if (value == null) return 'RUNNING';
  const found = INITIAL_STATES.find((state) => typeof value === 'string' && state === value.trim().toUpperCase());
  if (found) return found;
  throw errorAt(text, placeOf(text, 'initial_state'), `"initial_state" must be one of ${INITIAL_STATES.join(', ')}.`);
}

function withClass(text: string, document: ConnectorDocument): ConnectorDocument {
  if (document.config['connector.class']?.trim()) return document;
  throw errorAt(text, text.search(/\S/), 'The document has no "connector.class", the plugin that it is for.');
}

/** Of the key in the text; keys with escapes are at the beginning. */
function placeOf(text: string, key: string): number {
  return Math.max(text.search(new RegExp(`${escapeRegex(JSON.stringify(key))}\\s*:`)), 0);
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
